"""The examples that a newcomer copies run as they are printed."""

import contextlib
import inspect
import io
import re
from dataclasses import fields
from pathlib import Path

import pytest

from ddsr import DDSRRegressor
from ddsr.config import DefaultConfig
from ddsr.forms import EquationForms

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = {
    f"{path.relative_to(ROOT)} #{number}": code
    for path in (
        ROOT / "README.md",
        *(
            ROOT / "docs" / f"{page}.md"
            for page in (
                *("engine", "estimator", "grammar", "refiner", "runs", "search", "selection", "simplify"),
            )
        ),
    )
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL), 1)
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(example: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(EXAMPLES[example], {})
    expected = re.findall(r"^print\(.*\)  # (.+)$", EXAMPLES[example], re.MULTILINE)
    assert all(line in printed.getvalue().splitlines() for line in expected)


def test_readme_has_examples() -> None:
    assert any(name.startswith("README") for name in EXAMPLES)


def test_the_estimators_page_has_every_parameter_setting_and_method() -> None:
    page = re.sub("```.*?```", "", (ROOT / "docs" / "estimator.md").read_text(), flags=re.DOTALL)
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", page))))
    settings = [each.name for each in fields(DefaultConfig)]
    methods = [name for name in vars(EquationForms) if not name.startswith("_")]
    missing = {*inspect.signature(DDSRRegressor).parameters, *settings, *methods, "predict"} - words
    assert missing == set()
