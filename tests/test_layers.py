"""How the code is laid out: imports go one way, files stay small, names say what they hold."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "ddsr"

# From the top down. A module may import its own layer and those below it; never one above.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__",),
    ("cli",),
    ("command",),
    ("bench", "runs"),
    ("live",),
    ("estimator",),
    ("forms", "report"),
    (
        "tables",
        "latex_tables",
        "printed_tables",
        "intervals",
        "averaging",
        "certainty",
        "uncertainty",
        "model_file",
    ),
    ("fitting",),
    ("budget", "progress"),
    ("methods", "parts", "frames", "model_selection", "parameters", "prior_parameter", "threads"),
    ("refined_search", "learned_search"),
    ("priming",),
    ("seeding", "plain_forms"),
    ("search", "device", "balance", "proposals", "problem"),
    ("stacking",),
    ("symmetry",),
    ("selection", "learning"),
    ("refiner",),
    ("price",),
    ("engine",),
    ("row_samples",),
    ("weighting",),
    ("prior",),
    ("diffusion", "autoregressive"),
    ("listing",),
    ("grammar", "rules", "guesses", "config", "categorical", "first_weights"),
    ("expression",),
    ("_core", "data", "deadline", "choice_budget", "saved", "files", "processor", "terminal", "lock_file"),
    ("times",),
    ("errors", "version"),
)
DEPTHS = {part: depth for depth, parts in enumerate(LAYERS) for part in parts}
PACKAGE_FACE = "__init__"  # re-exports from any layer, so no module may import from it

LONGEST_FILE = 400
SOURCES = sorted(PACKAGE.rglob("*.py")) + sorted((ROOT / "core").rglob("*.[ch]pp"))


def part_of(path: Path) -> str:
    """The part of the package that a file belongs to: `expression` for expression/parser.py."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_modules(path: Path) -> Iterator[str]:
    """Absolute names of the modules that a file imports, at its top or inside its functions."""
    package = ("ddsr", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            ancestors = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*ancestors, *([node.module] if node.module else [])))
            # `from ddsr import engine` names a module behind the `import`, not in front of it.
            yield from (f"{base}.{alias.name}" for alias in node.names)


def imported_parts(path: Path) -> set[str]:
    """The parts of ddsr that a file imports, its own aside."""
    names = [name.split(".") for name in imported_modules(path)]
    return {name[1] for name in names if name[0] == "ddsr" and len(name) > 1} - {part_of(path)}


PYTHON_FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if part_of(path) != PACKAGE_FACE]


def test_every_part_has_a_layer() -> None:
    """A new part of the package has to be given its layer above."""
    assert {part_of(path) for path in PYTHON_FILES} - DEPTHS.keys() == set()


def test_imports_go_down() -> None:
    outside, upward = {}, {}
    for path in PYTHON_FILES:
        name, imported = str(path.relative_to(PACKAGE)), imported_parts(path)
        outside[name] = imported - DEPTHS.keys()
        upward[name] = {part for part in imported & DEPTHS.keys() if DEPTHS[part] < DEPTHS[part_of(path)]}
    assert {name: parts for name, parts in outside.items() if parts} == {}, (
        "import from the module that defines a name, not from the package's face"
    )
    assert {name: parts for name, parts in upward.items() if parts} == {}


def test_imports_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.PACKAGE", tmp_path)
    module = tmp_path / "expression" / "parser.py"
    module.parent.mkdir()
    module.write_text(
        "import ddsr.engine\n"
        "from ddsr import errors\n"
        "from .. import search\n"
        "from ..grammar import Grammar\n"
        "from . import printer\n"
        "def late():\n    from ddsr.bench import run\n"
    )
    assert imported_parts(module) == {"engine", "errors", "search", "grammar", "bench"}


def test_files_stay_small() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in SOURCES}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_no_file_is_named_utils() -> None:
    vague = {"util", "utils", "helper", "helpers", "misc", "common"}
    assert [path for path in SOURCES if path.stem in vague or path.parent.name in vague] == []
