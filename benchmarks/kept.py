"""Full runs kept in the repository, and their results in README.md and docs/results.md.

`make results` writes the tables of docs/results.md, and the sentences and figure of README.md, from all
stores in `results/ground-truth/` and `results/black-box/`. These are folders made by `ddsr bench run`, on
one machine or several. `python -m benchmarks.kept STORE ground-truth/NAME` adds one, compressed and without
its learning curves. Stores in `results/ablation/` compare methods on the same runs; docs/results.md has a
table and a figure of each. Stores in `results/paper/` are runs of the preset `paper` and its variants, with
learning curves: docs/paper.md shows them beside the paper's tables (`benchmarks/paper/`), and
docs/results.md the curves of Nguyen's problems. `python -m benchmarks.kept FILE realistic/NAME` keeps a
file of `python -m benchmarks.realistic`.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from benchmarks.pages import ROOT, with_tables
from benchmarks.paper import page as paper_page
from benchmarks.readme import recovery_figure, recovery_sentences
from benchmarks.realistic import page as realistic_page
from benchmarks.trust import page as trust_page
from ddsr.config import DefaultConfig
from ddsr.errors import BenchError
from ddsr_bench.report.command import make_table, read_chosen, save, save_figure
from ddsr_bench.report.results import Results
from ddsr_bench.runner.curves import FOLDER as CURVES
from ddsr_bench.runner.starts import FILE as STARTS
from ddsr_bench.runner.store import COMPRESSED, FILE, file_of, read_rows

KEPT = ROOT / "benchmarks" / "results"
SUITES = ("ground-truth", "black-box")
ABLATIONS = {
    "paper": "paper",
    "search": "ddsr",
    "hard": "ddsr",
    "helpers": "ddsr",
    "smooth": "ddsr",
    "prior": "ddsr",
}
"""stores in results/ablation, with the method to which the others are compared"""
PLACES = (*SUITES, "ablation", "paper")
NGUYEN = ("nguyen", "nguyen-without-constants")
"""stores in results/paper whose learning curves are drawn"""
MOST_BYTES = 1_500_000
README = ROOT / "README.md"
RESULTS = ROOT / "docs" / "results.md"
RECOVERY = ROOT / "docs" / "assets" / "recovery.svg"
NOTHING = "No full run is kept yet.\n"
NO_BLACK_BOX = "\nRuns on the black box are not kept yet.\n"


def kept_stores(folder: Path = KEPT) -> list[str]:
    """List the stores by name, the ground truth first."""
    return [str(path) for suite in SUITES for path in sorted((folder / suite).glob("*")) if file_of(path)]


def read_whole(stores: Sequence[str]) -> Results:
    """Read all runs of the stores; refuse a store that cannot be read without warnings."""
    results = read_chosen(stores)
    if results.warnings:
        raise BenchError("\n".join(results.warnings))
    return results


def tables(stores: Sequence[str]) -> str:
    """Return what `ddsr bench table STORE... --by overview` prints, with headings one level deeper."""
    if not stores:
        return NOTHING
    printed = make_table(read_whole(stores), format="markdown", by="overview")
    is_whole = any(Path(store).parent.name == "black-box" for store in stores)
    return re.sub("^## ", "### ", printed, flags=re.MULTILINE) + ("" if is_whole else NO_BLACK_BOX)


def sentences(stores: Sequence[str]) -> str:
    """Return the sentences of README.md."""
    return recovery_sentences(read_whole(stores)) if stores else NOTHING


def write_overview() -> None:
    """Write the tables of docs/results.md, and the sentences and figure of README.md."""
    stores = kept_stores()
    RESULTS.write_text(with_tables(RESULTS.read_text(), tables(stores)))
    README.write_text(with_tables(README.read_text(), sentences(stores)))
    if stores:
        save(str(RECOVERY), recovery_figure(read_whole(stores)))


def ablation(name: str, folder: Path = KEPT) -> Results | None:
    """Return the runs of an ablation, if they are kept."""
    store = folder / "ablation" / name
    return read_chosen([str(store)]) if file_of(store) else None


def ablation_text(name: str, results: Results) -> str:
    """Return the output of `ddsr bench table STORE --by method --baseline METHOD`, and its figure."""
    if results.warnings:
        raise BenchError("\n".join(results.warnings))
    printed = make_table(results, format="markdown", by="method", baseline=ABLATIONS[name])
    text = f"{re.sub('^## ', '### ', printed, flags=re.MULTILINE)}{generator_note(results)}"
    drawn = f"![{', '.join(results.methods)}: shares of runs solved and fitted](assets/ablation-{name}.svg)\n"
    return f"{text}\n{drawn}"


def generator_note(results: Results) -> str:
    """Note if a method without the generator had so little time that no method's generator ran."""
    head_start = DefaultConfig().head_start
    seconds = {row.time for row in results.rows if row.method == "ddsr:generator=none"}
    if not seconds or any(limit is None or limit > head_start for limit in seconds):
        return ""
    limits = " and ".join(f"{limit:g} s" for limit in sorted(filter(None, seconds)))
    return (
        f"- `ddsr:generator=none`: the refiner has the first {head_start:g} s alone, so in these runs of "
        f"{limits} the taught generator never has a turn. Its row shows at most what the prior's proposals "
        "are worth, and says nothing about the generator.\n"
    )


def write_ablations() -> None:
    """Write the tables and figures of the ablations in docs/."""
    for name in ABLATIONS:
        results = ablation(name)
        if results is None:
            continue
        page = with_tables(RESULTS.read_text(), ablation_text(name, results), f"ablation-{name}")
        RESULTS.write_text(page)
        save_figure(results, "ablation", str(ROOT / "docs" / "assets" / f"ablation-{name}.svg"))


def draw_curves() -> None:
    """Draw the learning curves of Nguyen's problems in docs/."""
    stores = [str(KEPT / "paper" / name) for name in NGUYEN if file_of(KEPT / "paper" / name)]
    if stores:
        save_figure(read_chosen(stores), "curves", str(ROOT / "docs" / "assets" / "curves-nguyen.svg"))


def keep(store: Path, name: str, folder: Path = KEPT) -> Path:
    """Copy a store's results and start files, and the paper's curves; refuse incomplete files."""
    source = file_of(store)
    if source is None:
        raise BenchError(f"there is no {FILE} in {store}")
    if name.split("/")[0] not in PLACES or name.count("/") != 1:
        raise BenchError(
            f"a kept store is called {' or '.join(f'{place}/NAME' for place in PLACES)}, not {name}"
        )
    rows, warnings = read_rows(source)
    if warnings or not rows:
        raise BenchError("\n".join(warnings) or f"{source} has no runs")
    if not (store / STARTS).is_file():
        raise BenchError(f"{store} has no {STARTS}: nothing tells the command, the commit and the machine")
    text = gzip.decompress(source.read_bytes()) if source.name == COMPRESSED else source.read_bytes()
    packed = gzip.compress(text, 9, mtime=0)
    if len(packed) > MOST_BYTES:
        raise BenchError(f"{store} has {len(packed):,} bytes compressed; at most {MOST_BYTES:,} are kept")
    target = folder / name
    target.mkdir(parents=True)
    (target / COMPRESSED).write_bytes(packed)
    shutil.copyfile(store / STARTS, target / STARTS)
    if target.parent.name == "paper" and (store / CURVES).is_dir():
        shutil.copytree(store / CURVES, target / CURVES)
    return target


def write_realistic() -> None:
    """Write the tables on small, noisy tables into docs/results.md."""
    text = realistic_page.figures(KEPT / realistic_page.NAME)
    RESULTS.write_text(with_tables(RESULTS.read_text(), text, realistic_page.NAME))


def keep_any(source: Path, name: str) -> Path:
    """Keep a store or a file of the realistic suite."""
    place, _, rest = name.partition("/")
    if place == realistic_page.NAME:
        return realistic_page.keep(source, rest, KEPT / place)
    return keep(source, name)


def main() -> None:
    """Keep a store if one is named, then write the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path, nargs="?", help="store or file of the realistic suite to keep")
    parser.add_argument(
        "name", nargs="?", help="name to keep it under, such as ground-truth/one-core or realistic/one-core"
    )
    given = parser.parse_args()
    if given.store is not None:
        if given.name is None:
            parser.error("a store is kept by a name, such as ground-truth/one-core")
        print(f"kept in {keep_any(given.store, given.name).relative_to(ROOT)}")
    write_overview()
    write_ablations()
    write_realistic()
    trust_page.write(KEPT / "trust.json")
    paper_page.write()
    draw_curves()
    for path in (README, RECOVERY, RESULTS):
        print(f"written: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
