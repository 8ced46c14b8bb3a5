"""Adds to the site what is not a file in docs/: the pages at the root, and the contents of the lab log."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
# These are at the root, where people look for them first.
ROOT_PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "SCOPE.md": "scope.md"}
RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)")
LAB_LOG = "lab/README.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages at the root, with links that work within the site."""
    for source, page in ROOT_PAGES.items():
        text = RELATIVE_LINK.sub(_within_site, (ROOT / source).read_text(encoding="utf-8"))
        title = "" if text.startswith("# ") else f"# {Path(page).stem.capitalize()}\n\n"
        files.append(File.generated(config, page, content=title + text))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: MkDocsConfig, files: Files) -> str:
    """List the entries of the lab log, newest day first."""
    if page.file.src_uri != LAB_LOG:
        return markdown
    entries = sorted((ROOT / "docs" / "lab").glob("2*.md"), reverse=True)
    listed = [f"- {path.name[:10]}: [{_title(path)}]({path.name})" for path in entries]
    return "\n".join([markdown, "## Entries", "", *listed])


def _within_site(link: re.Match[str]) -> str:
    """Turn a link into one within the site: into docs/ or to a root page; source files are only named."""
    text, target = link.groups()
    path, hash_sign, anchor = target.partition("#")
    inside = ROOT_PAGES.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
    return f"`{text}`" if inside is None else f"[{text}]({inside}{hash_sign}{anchor})"


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
