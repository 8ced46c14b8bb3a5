"""The figure of `ddsr prior scaling`: hits against seconds, examples and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from ddsr.errors import BenchError
from ddsr_bench.report.palette import colour, marker
from ddsr_pretraining.scaling import Scored

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS = (("seconds", "seconds of training"), ("examples", "examples seen"), ("parameters", "parameters"))


def draw_scaling(scored: Sequence[Scored]) -> Figure:
    """Draw one panel per kind of effort, and one line per size and noise level.

    Markers show the size. Colours show the noise level, or also the size if there is only one level.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.8), layout="constrained")
    panels = figure.subplots(1, len(PANELS), sharey=True)
    sizes = sorted({each.parameters for each in scored})
    noises = sorted(scored[0].hits)
    for panel, (field, label) in zip(panels, PANELS, strict=True):
        for (number, size), (place, noise) in product(enumerate(sizes), enumerate(noises)):
            group = [each for each in scored if each.parameters == size]
            group.sort(key=lambda each: each.seconds)
            panel.plot(
                [getattr(each, field) for each in group],
                [hit_share(each, noise) for each in group],
                marker=marker(number),
                color=colour(place if len(noises) > 1 else number),
                label=f"{size / 1e6:.1f} M parameters, noise {noise:g}",
            )
        panel.set(xlabel=label, xscale="log", ylim=(0, 100))
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("problems hit, %")
    panels[-1].minorticks_off()
    panels[-1].set_xticks(sizes, [f"{size / 1e6:.1f} M" for size in sizes])
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)))
    suite, n = scored[0].measured
    figure.suptitle(f"Hits without any search on {suite}, {n} samples")
    return figure


def hit_share(each: Scored, noise: float) -> float:
    """Return the percentage of problems that are hit."""
    hits = each.hits[noise]
    return 100 * sum(hits.values()) / len(hits)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure; the file's ending decides the format."""
    known = figure.canvas.get_supported_filetypes()
    if path.suffix.lstrip(".") not in known:
        raise BenchError(f"{path.name} is not a figure file: use a name that ends in .svg, .png or .pdf")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
