"""The examples that a newcomer copies run as they are printed."""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# The gallery's pages are run by docs/test_gallery.py, which draws their pictures from the same run.
EXAMPLES = {
    f"{path.relative_to(ROOT)} #{number}": code
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL), 1)
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(example: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # where the paths to the gallery's data hold
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(EXAMPLES[example], {})
    expected = re.findall(r"^print\(.*\)  # (.+)$", EXAMPLES[example], re.MULTILINE)
    assert [line for line in expected if line not in printed.getvalue().splitlines()] == []


def test_readme_has_examples() -> None:
    assert any(name.startswith("README") for name in EXAMPLES)
