import re

from click.testing import CliRunner

from ddsr.cli import main


def test_demo_finds_keplers_third_law():
    done = CliRunner().invoke(main, ["demo"])
    assert done.exit_code == 0, done.output
    chosen = re.findall(r"^period = (.+)$", done.output, re.MULTILINE)[-1]
    # with little time left to shorten it, a scale and an offset remain
    assert re.fullmatch(r"([\d.]+ \* )?axis\^1\.5( [+-] [\d.e-]+)?", chosen)


def test_demo_takes_a_seed():
    runs = [CliRunner().invoke(main, ["demo", "--time", "0.1", "--seed", str(seed)]) for seed in (1, 2)]
    assert all(run.exit_code == 0 for run in runs)


def test_a_mistake_gets_one_line_and_no_traceback():
    for option, value in (("--time", "soon"), ("--time", "-1"), ("--time", "nan"), ("--seed", "-1")):
        done = CliRunner().invoke(main, ["demo", option, value])
        assert done.exit_code == 2, (option, value)
        assert value in done.output and "Traceback" not in done.output
