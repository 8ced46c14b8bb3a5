"""What the site has beyond the files in docs/: the project's own pages, and the lab log's contents."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
# Pages that stand at the project's root, where people look for them first.
ROOT_PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "SCOPE.md": "scope.md"}
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)")
LAB_LOG = "lab/README.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages of the project's root, with links that hold within the site."""
    for source, page in ROOT_PAGES.items():
        text = LINK.sub(_within_site, (ROOT / source).read_text(encoding="utf-8"))
        title = "" if text.startswith("# ") else f"# {Path(page).stem.capitalize()}\n\n"
        files.append(File.generated(config, page, content=title + text))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: MkDocsConfig, files: Files) -> str:
    """The lab log lists its entries, the newest day first; a link out of docs/ becomes plain text."""
    if page.file.src_uri == LAB_LOG:
        markdown += "\n\n## Entries\n\n" + "\n".join(_lab_entries())
    return LINK.sub(_without_sources, markdown)


def _within_site(link: re.Match[str]) -> str:
    """A link of a page at the root, seen from the site: into docs/, to another such page, or no link."""
    text, target = link.groups()
    path, _, anchor = target.partition("#")
    if path.startswith("docs/"):
        inside = path.removeprefix("docs/")
    elif path in ROOT_PAGES:
        inside = ROOT_PAGES[path]
    else:
        return f"`{text}`"
    return f"[{text}]({inside}{'#' + anchor if anchor else ''})"


def _without_sources(link: re.Match[str]) -> str:
    """Files of the repository are no part of the site."""
    text, target = link.groups()
    return f"`{text.strip('`')}`" if target.startswith("../") and "/docs/" not in target and _is_outside(target) else link[0]


def _lab_entries() -> list[str]:
    entries = sorted((ROOT / "docs" / "lab").glob("2*.md"), reverse=True)
    return [f"- {path.name[:10]}: [{_title(path)}]({path.name})" for path in entries]


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
