"""The layout of the code: imports go one way, files stay small, names are unique."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "ddsr"

# From the top down. A module may import its own layer and those below it, never one above.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__",),
    ("cli",),
    ("runs",),
    ("estimator",),
    ("live", "report"),
    ("selection",),
    ("search",),
    ("generators", "learning", "price"),
    ("engine", "grammar", "config"),
    ("expression", "data", "storage"),
    ("errors", "deadline", "_core"),
)
DEPTHS = {part: depth for depth, parts in enumerate(LAYERS) for part in parts}
PACKAGE_FACE = "__init__"  # re-exports from any layer, so no module may import from it

# Separate packages that import ddsr and are imported only by the command line.
BESIDE = ("ddsr_bench", "ddsr_pretraining")
MAY_IMPORT_BESIDE = {"cli"}

MOST_LAYERS = 12
MOST_PARTS = 29
MOST_ARROWS = 100  # from a part to another part that it imports
LONGEST_FILE = 400
SOURCES = sorted(SOURCE.rglob("*.py")) + sorted((ROOT / "core").rglob("*.[ch]pp"))


def part_of(path: Path) -> str:
    """The part of the package to which a file belongs: `expression` for expression/parser.py."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def module_of(path: Path) -> str:
    """The absolute name of a file's module."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(f".{PACKAGE_FACE}")


@cache
def syntax(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imported_modules(path: Path) -> tuple[str, ...]:
    return tuple(_imported_modules(path))


def _imported_modules(path: Path) -> Iterator[str]:
    """Absolute names of a file's imports, at its top, for type checkers only, or inside functions."""
    package = path.relative_to(SOURCE).parts[:-1]
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            ancestors = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*ancestors, *([node.module] if node.module else [])))
            # `from ddsr import engine` names a module after the `import`, not before it.
            yield from (f"{base}.{alias.name}" for alias in node.names)


def imported_parts(path: Path) -> set[str]:
    """The parts of ddsr that a file imports, except its own."""
    names = [name.split(".") for name in imported_modules(path)]
    return {name[1] for name in names if name[0] == "ddsr" and len(name) > 1} - {part_of(path)}


def first_circle(modules: Mapping[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle; empty if there are none."""
    try:
        TopologicalSorter(modules).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


PYTHON_FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if part_of(path) != PACKAGE_FACE]


def test_every_part_has_a_layer() -> None:
    """A new part of the package has to be added to the layers above."""
    assert {part_of(path) for path in PYTHON_FILES} | {"_core"} == DEPTHS.keys()
    assert len(LAYERS) <= MOST_LAYERS
    assert len(DEPTHS) <= MOST_PARTS


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


def test_no_parts_import_each_other_in_a_circle() -> None:
    parts: dict[str, set[str]] = {}
    for path in PYTHON_FILES:
        parts.setdefault(part_of(path), set()).update(imported_parts(path))
    assert first_circle(parts) == []


def test_few_parts_import_each_other() -> None:
    arrows = {(part_of(path), part) for path in PYTHON_FILES for part in imported_parts(path)}
    assert len(arrows) <= MOST_ARROWS


def test_no_modules_import_each_other_in_a_circle() -> None:
    files = {module_of(path): path for path in SOURCE.rglob("*.py")}
    imports: dict[str, set[str]] = {}
    for module, path in files.items():
        # an imported name is a module, or a name in one
        named = [(name, name.rpartition(".")[0]) for name in imported_modules(path)]
        found = {name if name in files else parent for name, parent in named}
        imports[module] = (found & files.keys()) - {"ddsr"}  # which has the compiled core, too
    assert first_circle(imports) == []
    assert first_circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) != []


def test_only_the_command_line_imports_the_packages_beside() -> None:
    users = {
        part_of(path)
        for path in PACKAGE.rglob("*.py")
        if any(name.split(".")[0] in BESIDE for name in imported_modules(path))
    }
    assert users - MAY_IMPORT_BESIDE == set()


def test_the_command_line_imports_the_packages_beside_inside_its_commands() -> None:
    at_the_top = [
        (path.name, node.module)
        for path in PACKAGE.rglob("*.py")
        for node in syntax(path).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in BESIDE
    ]
    assert at_the_top == []


def test_only_the_commands_of_the_packages_beside_import_the_command_line() -> None:
    users = {
        module_of(path)
        for package in BESIDE
        for path in (SOURCE / package).rglob("*.py")
        if any(name.startswith("ddsr.cli.") for name in imported_modules(path))
    }
    assert users == {f"{package}.cli" for package in BESIDE}


def test_imports_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.SOURCE", tmp_path)
    monkeypatch.setattr(f"{__name__}.PACKAGE", tmp_path / "ddsr")
    module = tmp_path / "ddsr" / "expression" / "parser.py"
    module.parent.mkdir(parents=True)
    module.write_text(
        "import ddsr.engine\n"
        "from ddsr import errors\n"
        "from .. import search\n"
        "from ..grammar import Grammar\n"
        "from . import printer\n"
        "if TYPE_CHECKING:\n    from ddsr.data import checks\n"
        "def late():\n    from ddsr.runs import folder\n"
    )
    assert imported_parts(module) == {"engine", "errors", "search", "grammar", "data", "runs"}


def test_files_stay_small() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in SOURCES}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_a_class_name_is_used_once() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module_of(path))
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_no_file_is_named_utils() -> None:
    vague = {"util", "utils", "helper", "helpers", "misc", "common"}
    assert [path for path in SOURCES if path.stem in vague or path.parent.name in vague] == []
