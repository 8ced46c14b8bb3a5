"""Each mistake gets one clear line and exit code 1, and leaves no half-written files."""

import gzip
import io
import json
import resource
import shutil
import signal
import sys
from pathlib import Path

import pytest

from command_cases import ddsr, line_data, refusal, start_brief_ddsr, write_table
from ddsr.cli.entry import main

GOOD = [f"{k},{k * k},{3 * k}" for k in range(8)]
BRIEF = ("--selection", "best", "--prior", "none")
pytestmark = pytest.mark.usefixtures("brief_epochs")
CUBES = [f"{k},{k * k},{k**3 + 2 * k}" for k in range(8)]


def table_of(tmp_path: Path, names: str = "a,b,y", rows=GOOD) -> str:
    return write_table(tmp_path / "d.csv", "\n".join([names, *rows]) + "\n")


def refused_fit(path: str, *options: object) -> str:
    folder = Path(path).parent / "run"
    message = refusal("fit", path, "--target", "y", "--out", folder, *options)
    assert not folder.exists()
    return message


@pytest.mark.parametrize(
    ("names", "rows", "message"),
    [
        ("a,b,Y", GOOD, "has no column 'y'; did you mean 'Y'?"),
        ("1,2,z", GOOD, "it has '1', '2', 'z'. The first line must have the names of the columns"),
        ("a,b,y", [f"{k},{k},up" for k in range(8)], "encode text as numbers, or choose another target"),
        ("a,b,y", [f"{k},{k}," for k in range(8)], "column 'y' of {} has no values"),
        ("a,b,y", [*GOOD, "9,many,27"], "column 'b' of {} has 'many' in row 9, which is not a number"),
        ("a,b,y", [f"{k},{k},7" for k in range(8)], "the target 'y' is 7 in every row"),
        ("a,b,y", GOOD[:4], "has 4 rows: at least 5 are needed"),
        ("a,b,y", [], "has 0 rows: at least 5 are needed"),
        ("a,b,y", [*GOOD, "inf,1,2"], "column 'a' of {} is infinite or too large for double"),
        ("a,b,y", [*GOOD, ",1,2", ",,3"], "2 of 10 rows of {} have missing values, in 'a', 'b'"),
        ("a,a,y", GOOD, "has more than one column 'a'"),
        ("a,,y", GOOD, "column 2 of {} has no name"),
        (",".join(f"x{k}" for k in range(1_000_000)), [], "has more than 10,000 columns"),
    ],
)
def test_a_table_that_cannot_be_used(tmp_path, names, rows, message):
    path = table_of(tmp_path, names, rows)
    assert message.format(path) in refused_fit(path)


def test_missing_and_unreadable_files(tmp_path):
    assert refused_fit(str(tmp_path / "nowhere.csv")) == f"there is no file {tmp_path / 'nowhere.csv'}"
    (tmp_path / "broken.csv.gz").write_bytes(gzip.compress(b"a,y\n1,2\n" * 500)[:-30])
    assert "is not a complete gzip file" in refused_fit(str(tmp_path / "broken.csv.gz"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--preset", "magic"), "unknown preset 'magic'"),
        (("--operators", "+,plus2"), "unknown operator 'plus2'"),
        (("--features", "a,c"), "no column 'c'"),
        (("--ignore", "c"), "no column 'c'"),
        (("--weights", "c"), "no column 'c'"),
        (("--jobs", "0"), "the number of threads must not be 0"),
        (("--prior", "nowhere.bin"), "nowhere.bin' with the weights of a prior"),
        (("--prior", "defalt"), "with the weights of a prior (did you mean 'default'?)"),
        (("--guess", "a^^"), "cannot read the guess 'a^^'"),
        (("--rule", "use c"), "rule 'use c': there is no column 'c'; the columns are: a, b"),
        (("--tensorboard", "/dev/null/curves"), "cannot create the folder /dev/null/curves"),
    ],
)
def test_invalid_settings_are_refused(tmp_path, options, message):
    path = table_of(tmp_path)
    done = ddsr("fit", path, "-t", "y", "--out", tmp_path / "run", *options)
    assert done.exit_code == 1
    assert options[0] == "--tensorboard" or "best straight line" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Error: ") and message in done.stderr.splitlines()[-1]
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "arguments",
    [["--time", "0"], ["--time", "nan"], ["--epochs", "0"], ["--device", "abacus"], ["--features", "a,,b"]],
)
def test_a_wrong_command_line_ends_with_2(tmp_path, arguments):
    done = ddsr("fit", table_of(tmp_path), "-t", "y", *arguments)
    assert done.exit_code == 2 and arguments[0] in done.stderr


def test_an_unknown_choice_is_answered_with_the_nearest(tmp_path):
    done = ddsr("fit", table_of(tmp_path), "-t", "y", "--selection", "accurcy")
    assert done.exit_code == 2 and "'accuracy' (did you mean 'accuracy'?)." in done.stderr


def test_folders_that_are_no_runs(tmp_path):
    for command in (["show"], ["resume"], ["predict"]):
        more = [table_of(tmp_path)] if command == ["predict"] else []
        assert "there is no run folder at" in refusal(*command, tmp_path / "nowhere", *more)
        (tmp_path / "empty").mkdir(exist_ok=True)
        assert "is not a run folder" in refusal(*command, tmp_path / "empty", *more)
    assert "is a file, not a run folder" in refusal("resume", table_of(tmp_path))


@pytest.fixture(scope="module")
def finished(brief_epochs, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    table = table_of(folder, rows=CUBES)
    done = ddsr("fit", table, "-t", "y", "--epochs", 1, "--quiet", "--out", folder / "run", *BRIEF)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def run(finished, tmp_path) -> Path:
    """A copy that tests can damage; its table is in the same folder."""
    return Path(shutil.copytree(finished, tmp_path, dirs_exist_ok=True)) / "run"


def test_a_folder_that_holds_a_run_is_not_overwritten(run):
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    done = ddsr("fit", run.parent / "d.csv", "-t", "y", "--out", run)
    assert done.exit_code == 1 and "already contains a run" in done.stderr.splitlines()[-1]
    assert "rows" not in done.stderr  # refused before the table is read
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_older_and_newer_folders(run):
    asked = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(asked | {"format_version": 0}))
    assert "run.json is not a ddsr run file" in refusal("resume", run)
    (run / "run.json").write_text(json.dumps(asked | {"format_version": 99}))
    assert "newer" in refusal("show", run)


@pytest.mark.parametrize("name", ["run.json", "model.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\x00\xff"])
def test_damaged_files(run, name, content):
    (run / name).write_bytes(content)
    assert name in refusal("show", run)


@pytest.mark.parametrize("content", [b"", b"junk", b"PK\x03\x04"])
def test_damaged_archives_are_named_and_never_recommended_as_pickles(run, content):
    kept = (run / "data.npz").read_bytes()
    (run / "data.npz").write_bytes(content)
    assert "data.npz" in refusal("resume", run, "--epochs", 1)
    (run / "data.npz").write_bytes(kept)
    for state in run.glob("state-*.npz"):
        state.write_bytes(content)
    message = refusal("show", run)
    assert "state-00000001.npz" in message and "pickle" not in message


def test_a_terminal_that_lacks_characters_shows_the_rest(run, monkeypatch):
    printed, said = (io.TextIOWrapper(io.BytesIO(), encoding="latin-1") for _ in range(2))
    monkeypatch.setattr(sys, "stdout", printed)
    monkeypatch.setattr(sys, "stderr", said)
    with pytest.raises(SystemExit) as end:
        main(["show", str(run)])
    shown, said = (stream.detach().getvalue().decode("latin-1") for stream in (printed, said))
    assert end.value.code == 0 and said == ""
    assert "equation for y" in shown and "y = " in shown and "?" in shown


def fit_with_little_space(path: str, most_bytes: int) -> list[str]:
    """Return the output if the system lets no file exceed this many bytes."""
    folder = Path(path).parent / "run"
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    former = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, usual[1]))
    try:
        done = ddsr("fit", path, "-t", "noise", "--out", folder, "--time", 3600, *BRIEF)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        signal.signal(signal.SIGXFSZ, former)
    assert done.exit_code == 1 and done.stdout == ""
    return done.stderr.splitlines()


def test_no_space_left_for_the_data(tmp_path):
    *_, last = fit_with_little_space(line_data(tmp_path / "line.csv", n_rows=400), 2000)
    assert last.startswith("Error: cannot write") and "File too large" in last
    assert [entry.name for entry in tmp_path.iterdir()] == ["line.csv"]


def test_no_space_left_for_the_state(tmp_path):
    """The best equation so far is printed, and earlier files are intact."""
    *_, best, last = fit_with_little_space(line_data(tmp_path / "line.csv"), 8_000)
    assert best.startswith("best so far: noise = ")
    assert last.startswith("Error: cannot write") and "File too large" in last
    assert not [entry for entry in (tmp_path / "run").iterdir() if "being-written" in entry.name]
    assert ddsr("show", tmp_path / "run").exit_code == 0


def test_two_processes_in_one_folder(tmp_path):
    path = line_data(tmp_path / "line.csv")
    first = start_brief_ddsr("fit", path, "-t", "noise", "--out", tmp_path / "run", "--time", 3600, *BRIEF)
    try:
        while "epoch 1" not in first.stderr.readline():
            assert first.poll() is None
        assert f"{tmp_path / 'run'} is in use by process {first.pid}" in refusal("resume", tmp_path / "run")
        shown = ddsr("show", tmp_path / "run")  # reading is allowed
        assert shown.exit_code == 0 and "The run has not finished" in shown.stdout
        assert "So far: " in shown.stdout and "Ended" not in shown.stdout
    finally:
        first.kill()
        first.communicate()
    assert ddsr("resume", tmp_path / "run", "--epochs", 1, "--quiet").exit_code == 0  # the lock is released


def test_columns_of_text_are_refused_with_a_way_to_encode_them(tmp_path):
    rows = "\n".join(f"{k % 3 and 'red' or 'blue'},{k}" for k in range(9))
    table = write_table(tmp_path / "text.csv", f"colour,y\n{rows}\n")
    assert "encode text as numbers" in refusal("fit", table, "-t", "y")
    assert "encode text as numbers" in refusal("fit", table, "-t", "y", "--features", "colour")


@pytest.mark.parametrize(
    ("option", "wrong", "message"),
    [
        ("--weights", -1, "has -1 in row 8: weights must be at least 0"),
        ("--counts", 2.5, "has 2.5 in row 8: counts must be whole numbers of at least 0"),
        ("--errors", 0, "has 0 in row 8: standard errors must be above 0"),
    ],
)
def test_rows_are_counted_as_in_the_file(tmp_path, option, wrong, message):
    rows = [f"{k},{wrong if k == 7 else 1},{2 * k + k % 3}" for k in range(12)]
    path = table_of(tmp_path, "a,w,y", rows)
    done = ddsr("fit", path, "--target", "y", option, "w", "--no-save")
    assert done.exit_code == 1 and f"column 'w' of {path} {message}" in done.stderr
