"""Published results, as the two small tables that `ddsr bench table` shows beside one's own results.

`python -m benchmarks.published FOLDER` recomputes them from SRBench's result files (FOLDER/data/published)
and from the LaTeX source of the DDSR paper (FOLDER/seeds/*.txt).
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import pandas as pd

TABLES = Path(__file__).resolve().parent.parent / "src" / "ddsr_bench" / "tables"
NOISES = (0.0, 0.001, 0.01, 0.1)
DECIMALS = 3


def ground_truth(folder: Path) -> pd.DataFrame:
    """One row per source, method and noise level."""
    table = pd.concat([srbench_ground_truth(folder), paper_ground_truth(folder)], ignore_index=True)
    return table.round(DECIMALS)


def black_box(folder: Path) -> pd.DataFrame:
    """One row per source and method."""
    table = pd.concat([srbench_black_box(folder), paper_black_box(folder)], ignore_index=True)
    return table.round(6)


def srbench_ground_truth(folder: Path) -> pd.DataFrame:
    """Means and medians over problems of each problem's rate or median over trials."""
    path = folder / "data" / "published" / "groundtruth_summary_4noise.csv.gz"
    groups = pd.read_csv(path).groupby(["algorithm", "target_noise"])
    table = groups.agg(
        problems=("dataset", "nunique"),
        symbolic_rate=("symbolic_solution_rate_(%)", "mean"),
        accuracy_rate=("accuracy_solution_rate", "mean"),
        complexity_median=("simplified_complexity", "median"),
        complexity_mean=("simplified_complexity", "mean"),
        time_median_s=("training time (s)", "median"),
        time_mean_s=("training time (s)", "mean"),
    ).reset_index()
    table["accuracy_rate"] *= 100
    table = table.rename(columns={"algorithm": "method", "target_noise": "noise"})
    table.insert(0, "source", "SRBench")
    return table


def paper_ground_truth(folder: Path) -> pd.DataFrame:
    """The paper's table of all methods, with four noise levels side by side, and its mean run times."""
    source = _paper(folder)
    times = {cells[0]: float(cells[1]) for cells in _tabular(source, "tab:srbench_runtimes")}
    rows: list[dict[str, Any]] = []
    for method, *cells in _tabular(source, "tab:symbolic_problems_table"):
        numbers = [float(cell) for cell in cells]
        for column, noise in enumerate(NOISES):
            symbolic, accuracy, complexity = numbers[column::4]
            rows.append(
                {
                    "source": "paper",
                    "method": method,
                    "noise": noise,
                    "problems": 133,
                    "symbolic_rate": symbolic,
                    "accuracy_rate": accuracy,
                    "complexity_mean": complexity,
                    "time_mean_s": times[method],
                }
            )
    return pd.DataFrame(rows)


def srbench_black_box(folder: Path) -> pd.DataFrame:
    """Means and medians over data sets of SRBench's medians over trials."""
    raw = pd.read_csv(folder / "data" / "published" / "blackbox_results.csv")
    raw["method"] = raw["algorithm"].str.removeprefix("*")
    table = (
        raw.groupby("method")
        .agg(
            problems=("dataset", "nunique"),
            r2_mean=("r2_test", "mean"),
            r2_median=("r2_test", "median"),
            size_mean=("model_size", "mean"),
            time_median_s=("training time (s)", "median"),
            time_mean_s=("training time (s)", "mean"),
        )
        .reset_index()
    )
    table.insert(0, "source", "SRBench")
    return table


def paper_black_box(folder: Path) -> pd.DataFrame:
    """The paper's table of mean R² and mean size."""
    rows = [
        {"source": "paper", "method": method, "problems": 120, "r2_mean": float(r2), "size_mean": float(size)}
        for method, r2, size in _tabular(_paper(folder), "tab:blackbox_problems_table")
    ]
    return pd.DataFrame(rows)


def _paper(folder: Path) -> str:
    texts = [path.read_text() for path in sorted((folder / "seeds").glob("*.txt"))]
    return next(text for text in texts if r"\label{tab:symbolic_problems_table}" in text)


def _tabular(source: str, label: str) -> list[list[str]]:
    """Extract the rows of numbers by method from the table with this label."""
    body = source.split(rf"\label{{{label}}}")[1].split(r"\end{tabular}")[0]
    plain = re.sub(r"\\textbf\{([^}]*)\}", r"\1", body).replace(r"\_", "_")
    rows = [[cell.strip() for cell in line.split("&")] for line in plain.replace(r"\\", "").splitlines()]
    return [
        row for row in rows if row[0] != "Algorithm" and re.fullmatch(r"-?[\d.]+", row[-1].split("e+")[0])
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    ground_truth(folder).to_csv(TABLES / "published.csv", index=False)
    black_box(folder).to_csv(TABLES / "published_blackbox.csv", index=False)


if __name__ == "__main__":
    main()
