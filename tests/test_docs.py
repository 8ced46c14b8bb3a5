"""The examples that a newcomer copies run as they are printed."""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = {
    f"{path.relative_to(ROOT)} #{number}": code
    for path in (
        ROOT / "README.md",
        *(
            ROOT / "docs" / f"{page}.md"
            for page in ("engine", "grammar", "refiner", "report", "runs", "search", "selection", "simplify")
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
