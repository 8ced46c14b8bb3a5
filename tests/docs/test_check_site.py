from pathlib import Path

import pytest
from docs.check_site import main

INSIDE = """<html><head><link rel="stylesheet" href="assets/a.css"><link rel="canonical" href="https://a.org/">
</head><body><a href="https://a.org/">a link to follow</a>
<img src="b.svg"><script src="c.js"></script></body></html>"""


def write_site(folder: Path, page: str = INSIDE, sheet: str = "a { color: red }") -> Path:
    (folder / "assets").mkdir()
    (folder / "index.html").write_text(page)
    (folder / "assets" / "a.css").write_text(sheet)
    return folder


def test_a_site_that_needs_only_itself_passes(tmp_path: Path) -> None:
    assert main(write_site(tmp_path)) == 0


@pytest.mark.parametrize(
    "element",
    [
        '<script src="https://a.org/b.js"></script>',
        '<img src="//a.org/b.png">',
        '<link rel="stylesheet" href="http://a.org/b.css">',
        '<style>@import "https://a.org/b.css";</style>',
        '<p style="background: url(https://a.org/b.png)"></p>',
    ],
)
def test_what_a_page_loads_from_elsewhere_is_named(
    element: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(write_site(tmp_path, INSIDE.replace("<body>", "<body>" + element))) == 1
    assert "index.html loads" in capsys.readouterr().err


def test_fonts_of_a_style_sheet_are_seen(tmp_path: Path) -> None:
    assert main(write_site(tmp_path, sheet="@font-face { src: url('https://a.org/font.woff2') }")) == 1


def test_a_site_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(tmp_path) == 1
    assert "make docs" in capsys.readouterr().err
