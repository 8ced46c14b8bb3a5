"""The hard laws by class: what each law must have, and the report of runs on them."""

import pytest
from benchmarks import unlike
from benchmarks.corpus_forms import NamelessForm, freed_form_of
from benchmarks.unlike_form import has_form
from benchmarks.unlike_laws import (
    FAULTS,
    MOST_ROUNDING,
    Law,
    coincidences,
    faults_of,
    form_of,
    other_forms,
    other_formulas,
    read_laws,
    rounding_of,
)

from ddsr import Expression, Vocabulary
from ddsr.expression import OPERATORS
from ddsr_bench.problems.suites import BenchmarkProblem
from ddsr_bench.runner.store import Row, Store


@pytest.fixture(scope="module")
def laws():
    return read_laws()


def test_each_class_has_at_least_55_laws_and_equal_halves(laws):
    assert len({law.problem.name for law in laws}) == len(laws) >= 220
    for kind in FAULTS:
        develop, report = (
            sum(law.kind == kind and law.half == half for law in laws) for half in unlike.FILES
        )
        assert develop + report >= 55 and abs(develop - report) <= 1


@pytest.mark.parametrize("kind", FAULTS)
def test_laws_have_what_their_class_demands(laws, kind):
    faults = {law.problem.name: list(faults_of(law)) for law in laws if law.kind == kind}
    assert not {name: found for name, found in faults.items() if found}


@pytest.mark.parametrize(
    ("kind", "formula", "variables", "message"),
    [
        ("inputs", "a + b + c*d", "abcd", "4 inputs"),
        ("inputs", "a + b + c*d + e", "abcde", "9 tokens"),
        ("inputs", "a*b*c/d - sqrt(e)/(1 + f) + 0.0001*g", "abcdefg", "g changes y by only"),
        ("dynamics", "-0.3*A^2 + sqrt(A)", "A", "no flow, 2 terms, 2 of them nonlinear"),
        ("dynamics", "1.3*A^2 + sqrt(A) + 0.2*A^2", "A", "two terms differ only in their constants"),
        ("dynamics", "1.3*A^2 + sqrt(A) + 0.001*sin(A)", "A", "a term hardly varies: 0.001 * sin(A)"),
        ("waves", "a*sin(b) + c", "abc", "no fast function"),
        ("waves", "a*sin(b*c)", "abc", "its argument varies by only"),
        ("rational", "a/(1 + a^2 + b)", "ab", "degree 2"),
        ("rational", "a/(1 + exp(a))", "a", "not a rational function"),
    ],
)
def test_a_law_outside_its_class_is_told(kind, formula, variables, message):
    problem = BenchmarkProblem("law", formula, tuple(variables), ((0.5, 1.5),) * len(variables), 100)
    assert message in ", ".join(faults_of(Law(problem, kind, "develop")))


def form(text: str) -> NamelessForm:
    return freed_form_of(Expression.parse(text, Vocabulary(list("pqrs"), tuple(OPERATORS))))


def test_a_form_of_another_table_or_law_is_told():
    def law(name: str, formula: str) -> Law:
        return Law(BenchmarkProblem(name, formula, ("a", "b"), ((1, 2), (1, 2)), 9), "waves", "develop")

    laws = [law("one", "3*a*exp(-b)"), law("two", "a/(0.7 + b)"), law("three", "b*exp(-a)*2.2")]
    found = list(coincidences(laws, [("known", form("q/(p + 1.9)")), ("other", form("p*q"))]))
    assert found == ["two has the form of known", "three has the form of one"]


def test_with_many_variables_equal_parts_are_enough():
    text = "a*b + c*d + e*f + g*h"
    law = Law(BenchmarkProblem("law", text, tuple("abcdefgh"), ((1, 2),) * 8, 9), "inputs", "develop")
    other = freed_form_of(Expression.parse("p*q", Vocabulary(list("pq"), tuple(OPERATORS))))
    assert list(coincidences([law], [("other", other), ("same", form_of(law))])) == [
        "law has the form of same"
    ]


def test_laws_are_compared_with_all_tables():
    tables = {name.split(":")[0] for name, _, _ in other_formulas()}
    assert {"hard", "noisy", "development", "smooth", "templates", "realistic", "feynman_I_6_2"} <= tables
    assert not any("unlike" in table for table in tables)


@pytest.mark.slow
def test_laws_survive_the_rounding_of_verdicts(laws):
    assert [law.problem.name for law in laws if not rounding_of(law) < MOST_ROUNDING] == []


@pytest.mark.slow
def test_no_law_has_the_form_of_a_known_one():
    assert list(coincidences(read_laws(), other_forms())) == []


def stored(folder, laws, answer):
    """Store runs of two methods: the answers of `good`, and `bad`, which fails."""
    store = Store(folder)
    usual = {"noise": 0.0, "seed": 0, "wall_s": 1.0, "threads": 1, "host": "h", "version": "1"}
    for law in laws:
        name, found = law.problem.name, answer(law)
        store.append(Row(problem=name, method="good", expression=found, r2_test=0.9, **usual))
        store.append(Row(problem=name, method="bad", error="killed", **usual))
    store.append(Row(problem="another", method="good", **usual))


def cells_of(printed):
    lines = [line.strip("|").split("|") for line in printed.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines]


def test_the_report_has_a_row_per_class_noise_and_method(laws, tmp_path, capsys):
    some = [law for law in laws if law.half == "develop" and law.kind in ("waves", "rational")]
    stored(tmp_path, some, lambda law: law.problem.formula if law.kind == "waves" else "0.3")
    assert unlike.main([str(tmp_path), "--baseline", "bad", "--jobs", "1"]) == 0
    header, _, *rows = cells_of(capsys.readouterr().out)
    found = {(row[0], row[2]): dict(zip(header, row, strict=True)) for row in rows}
    assert list(found) == [(kind, name) for kind in ("waves", "rational", "all") for name in ("good", "bad")]
    waves, rational = found["waves", "good"], found["rational", "good"]
    assert waves["runs"] == "30" and waves["form (%)"].startswith("100")
    assert float(waves["p, form"]) == pytest.approx(2 / 2**30, rel=0.1) and waves["p, solved"] == "1.00"
    assert rational["form (%)"].startswith("0.0") and rational["p, form"] == "1.00"
    assert found["all", "good"]["form (%)"].startswith("50") and found["all", "bad"]["errors"] == "60"


def test_the_report_uses_one_half_and_one_method(laws, tmp_path, capsys):
    stored(tmp_path, [law for law in laws if law.kind == "waves"], lambda law: None)
    assert unlike.main([str(tmp_path), "--half", "report", "--method", "good"]) == 0
    printed = capsys.readouterr().out
    assert {tuple(row[:4]) for row in cells_of(printed)[2:]} == {
        (kind, "0", "good", "30") for kind in ("waves", "all")
    }
    assert "p, form" not in printed and "31 others are left out" in printed
    with pytest.raises(SystemExit):
        unlike.main([str(tmp_path), "--baseline", "best"])
    assert "no runs of the method 'best'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answer", "is_form"),
    [
        ("(0.74 + 1.93*x)/(1.01 + 0.33*x + 0.057*x**3)", True),
        ("0.012 + (0.73 + 1.9*x)/(1 + 0.34*x + 0.056*x**3)", True),
        ("(0.73 + 1.9*x + 0.2*x**2)/(1 + 0.34*x + 0.056*x**2)", False),
        ("0.73 + 0.2*x + 0.3*x**2 + 0.1*x**3 + 0.4*x**4 + 0.3*exp(-x)", False),
        ("zeta(x)", False),
        ("", False),
    ],
)
def test_a_form_ignores_values_of_constants_but_not_their_number(laws, answer, is_form):
    (law,) = (law for law in laws if law.problem.name == "cold_resistance_fit")
    assert has_form(law, answer) is is_form
