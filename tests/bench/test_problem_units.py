"""Units of problems: read from a table, told to the method, and part of the problem's identity."""

from pathlib import Path

import pytest

from ddsr.errors import BenchError
from ddsr_bench.problems.suites import BenchmarkProblem, load_suite
from ddsr_bench.problems.units import with_units
from ddsr_bench.runner.identity import identity_of
from ddsr_bench.runner.one import Task, run_one

pytest.importorskip("pint")
TABLE = """name,role,variable,description,m,s,kg,T,V
fall,target,E,energy,2,-2,1,0,0
fall,feature,m,mass,0,0,1,0,0
fall,feature,h,height,1,0,0,0,0
fall,feature,g,gravity,1,-2,0,0,0
"""


@pytest.fixture
def problem(tmp_path: Path) -> BenchmarkProblem:
    suite = tmp_path / "suite.csv"
    suite.write_text("name,formula,ranges,n\nfall,m*g*h,m:1:5;h:1:5;g:1:5,100\n")
    return load_suite(str(suite))[0]


def test_a_method_is_told_the_units(problem: BenchmarkProblem, tmp_path: Path) -> None:
    (tmp_path / "units.csv").write_text(TABLE)
    (known,) = with_units([problem], tmp_path / "units.csv")
    assert known.units == ("kg^1", "m^1", "m^1 s^-2") and known.target_unit == "m^2 s^-2 kg^1"
    assert identity_of(known) != identity_of(problem)
    assert BenchmarkProblem.from_json(vars(known) | {"units": list(known.units)}) == known
    found = run_one(Task(problem=known, method="ddsr", noise=0.1, seed=0, epochs=1, time=2.0))
    assert found.expression is not None and {"m", "h", "g"} <= set(found.expression)
    with pytest.raises(BenchError, match="linear takes no units"):
        run_one(Task(problem=known, method="linear", noise=0.0, seed=0, time=1.0))


def test_a_table_without_a_variable_is_refused(problem: BenchmarkProblem, tmp_path: Path) -> None:
    (tmp_path / "units.csv").write_text("\n".join(TABLE.splitlines()[:-1]))
    with pytest.raises(BenchError, match="does not have the units of all variables of fall"):
        with_units([problem], tmp_path / "units.csv")
    (tmp_path / "other.csv").write_text("name,role,variable\n")
    with pytest.raises(BenchError, match="has no column m, s, kg, T, V"):
        with_units([problem], tmp_path / "other.csv")
