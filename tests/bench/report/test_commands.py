"""`ddsr bench table`, `plot` and `report`, called as by a user."""

import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from ddsr.cli.entry import main
from ddsr_bench.report.figures import CAPTIONS
from ddsr_bench.report.results import read_results
from ddsr_bench.report.table import FORMATS
from report_cases import STROGATZ, failed, full_store, run, write_store


@pytest.fixture
def store(tmp_path):
    return full_store(tmp_path / "store")


def call(*arguments):
    return CliRunner().invoke(main, ["bench", *arguments])


def test_table_goes_to_the_terminal_or_a_file(store, tmp_path):
    shown = call("table", store)
    assert shown.exit_code == 0 and "## Ground truth, all 133 problems" in shown.output
    assert "## Black box" in shown.output and "| DDSR | 0 | DDSR paper |" in shown.output
    assert "0.001" not in shown.output  # a noise level without runs
    out = tmp_path / "table.csv"
    assert call("table", store, "--format", "csv", "--out", str(out)).exit_code == 0
    assert out.read_text().startswith("table,method,noise,source,")
    assert "<table>" in call("table", store, "--format", "html").output


def test_table_by_method(store):
    done = call("table", store, "--by", "method", "--baseline", "paper")
    assert done.exit_code == 0 and "McNemar" in done.output and "| Strogatz | 0.1 |" in done.output
    assert "1 others are left out" in done.output  # a black-box run that only one of them has


def test_methods_can_be_chosen(store):
    done = call("table", store, "--method", "paper")
    assert done.exit_code == 0 and "memory=short" not in done.output


def test_labels_distinguish_two_stores(tmp_path):
    before = write_store(tmp_path / "before", [run(STROGATZ, "paper")])
    after = write_store(tmp_path / "after", [run(STROGATZ, "paper", is_solved=True)])
    refused = call("table", before, after)
    assert refused.exit_code == 1 and f"new={after}" in refused.output
    done = call("table", f"old={before}", f"new={after}", "--by", "method", "--baseline", "old paper")
    assert done.exit_code == 0 and "| Strogatz | 0 | new paper | 1 | 0 | 100.0" in done.output


def test_a_run_in_two_stores_counts_once(tmp_path):
    store = write_store(tmp_path, [run(STROGATZ, is_solved=True), failed(STROGATZ)])
    results = read_results([store])
    assert len(results.rows) == 1 and results.rows[0].solved_srbench and "twice" in results.warnings[0]


def test_one_name_for_two_problems_is_noticed(tmp_path):
    rows = [run("law", seed=seed, problem_id=identity) for seed, identity in enumerate((None, "aa", "aa"))]
    alike = write_store(tmp_path / "alike", rows)
    assert "law is not the same problem" not in call("table", alike).output
    other = write_store(tmp_path / "other", [run("law", seed=3, problem_id="bb")])
    assert "law is not the same problem in all of these runs" in call("table", alike, other).output


def test_a_store_may_be_read_only(store, tmp_path):
    (tmp_path / "store").chmod(0o555)
    assert call("table", store).exit_code == 0


def test_plot_writes_the_file(store, tmp_path):
    for name in ("a.svg", "a.PNG"):
        done = call("plot", store, "--kind", "curves", "--problem", STROGATZ, "--out", str(tmp_path / name))
        assert done.exit_code == 0, done.output
    assert STROGATZ in (tmp_path / "a.svg").read_text() and (tmp_path / "a.PNG").read_bytes()[1:4] == b"PNG"


def test_the_page_holds_everything(store, tmp_path):
    out = tmp_path / "page.html"
    done = call("report", store, "--title", "One & two", "--baseline", "paper", "--out", str(out))
    assert done.exit_code == 0, done.output
    text = out.read_text()
    assert text.count("<svg") == 4 and "<h1>One &amp; two</h1>" in text and "killed by signal 9" in text
    assert "Methods on the same runs" in text and "Black box" in text
    assert text.index("equations found again") < text.index("Ground truth, all 133 problems")
    assert not re.search(r'(src|href)="(?!#)', text)  # nothing is loaded from elsewhere
    names = re.findall(r'\bid="([^"]+)"', text)
    assert len(names) == len(set(names))
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', text)) <= set(names)


def test_a_page_of_one_method_leaves_out_what_it_cannot_show(tmp_path):
    store = write_store(tmp_path, [run("nguyen_1")])
    done = call("report", store, "--out", str(tmp_path / "page.html"))
    text = (tmp_path / "page.html").read_text()
    assert done.exit_code == 0 and text.count("<svg") == 1 and "<h2>Errors" not in text


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (["table", "{empty}"], 1, "there are no runs in"),
        (["table", "{nowhere}"], 1, "it has no results.jsonl"),
        (["table"], 2, "STORE..."),
        (["table", "{store}", "--format", "pdf"], 2, "'pdf'"),
        (["table", "{store}", "--method", "pysr"], 1, "runs of the method 'pysr'; the methods are: paper,"),
        (["table", "{store}", "--baseline", "paper"], 1, "pass --by method"),
        (["table", "{store}", "--by", "method", "--baseline", "x"], 1, "no runs of the method 'x'"),
        (["table", "{store}", "--out", "{nowhere}/table.md"], 1, "cannot write"),
        (["plot", "{store}", "--kind", "pie", "--out", "a.svg"], 2, "'pie'"),
        (["plot", "{store}", "--kind", "rates", "--out", "a.pdf"], 1, "must be .svg or .png, not 'pdf'"),
        (
            ["plot", "{store}", "--kind", "rates", "--problem", "x", "--out", "a.svg"],
            1,
            "no runs of the problem 'x'",
        ),
        (["report", "{store}", "--baseline", "x", "--out", "a.html"], 1, "no runs of the method 'x'"),
    ],
)
def test_a_mistake_gets_one_line_and_no_traceback(store, tmp_path, arguments, code, message):
    places = {"store": store, "empty": write_store(tmp_path / "empty", []), "nowhere": str(tmp_path / "no")}
    done = call(*(argument.format(**places) for argument in arguments))
    assert done.exit_code == code and message in done.output and "Traceback" not in done.output


def test_tables_need_no_heavy_modules():
    code = "import sys, ddsr_bench.report.command; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"torch", "sympy", "pandas", "matplotlib", "jinja2"} & set(done.stdout.split()) == set()


def test_the_command_line_offers_every_kind_and_format():
    kinds, formats = call("plot", "--help").output, call("table", "--help").output
    assert f"[{'|'.join(CAPTIONS)}]" in kinds and f"[{'|'.join(FORMATS)}]" in formats
