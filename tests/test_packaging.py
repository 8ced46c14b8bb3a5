"""Files that state the version, the dependencies or the systems once more agree with pyproject.toml."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = (ROOT / "pyproject.toml").read_text()
RECIPE = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
NAMES_IN_CONDA = {"matplotlib": "matplotlib-base"}


def stated(key: str) -> str:
    """The value of a key of pyproject.toml; Python 3.10 has no tomllib."""
    found = re.search(rf'^{key} = "(.+)"$', PYPROJECT, re.MULTILINE)
    assert found
    return found.group(1)


def test_the_version_is_the_same_everywhere() -> None:
    version = stated("version")
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version
    assert f'{{% set version = "{version}" %}}' in RECIPE


def test_the_conda_recipe_has_the_dependencies() -> None:
    block = re.search(r"^dependencies = \[\n(.*?)^\]", PYPROJECT, re.MULTILINE | re.DOTALL)
    assert block
    needed = dict(re.findall(r'^  "([a-z0-9-]+)(>=[0-9.]+)"', block.group(1), re.MULTILINE))
    run = RECIPE.partition("  run:\n")[2].partition("  run_constrained:")[0]
    listed = dict(re.findall(r"^    - ([a-z0-9-]+) (>=[0-9.]+)$", run, re.MULTILINE))
    assert listed.pop("python") == stated("requires-python")
    assert listed == {NAMES_IN_CONDA.get(name, name): version for name, version in needed.items()}


def test_wheels_are_built_for_every_version_of_python() -> None:
    """One for each version before the first with the stable ABI, and one for it and all that follow."""
    oldest = int(stated("requires-python").removeprefix(">=3."))
    stable = re.search(r'^wheel.py-api = "cp3(\d+)"', PYPROJECT, re.MULTILINE)
    assert stable
    expected = [f"cp3{minor}-*" for minor in range(oldest, int(stable.group(1)) + 1)]
    built = re.search(r"^build = \[(.*?)\]", PYPROJECT, re.MULTILINE)
    assert built
    assert re.findall(r'"(.+?)"', built.group(1)) == expected


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_can_be_read_and_end(path: Path) -> None:
    jobs = yaml.safe_load(path.read_text())["jobs"]
    assert jobs
    assert {name for name, job in jobs.items() if "timeout-minutes" not in job} <= {"publish"}
    # Only the job that publishes may ask for more than reading.
    assert {name for name, job in jobs.items() if "permissions" in job} <= {"publish"}
