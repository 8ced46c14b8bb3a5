"""The bars of Figure 2: three measures of all methods at four noise levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchmarks.paper.measures import MEASURES
from benchmarks.paper.printed import COUNTERPARTS, DDSR, rates
from benchmarks.paper.runs import NOISES, at_noise, part_of
from ddsr_bench.report.palette import OURS as OWN_COLOUR
from ddsr_bench.report.palette import PUBLISHED
from ddsr_bench.report.rates import Rate, interval_bars
from ddsr_bench.report.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHADES = (1.0, 0.72, 0.46, 0.24)
"""opacity at each noise level"""
ENDS = {"solved": 100.0, "accurate": 100.0, "complexity": 130.0}
"""of the axes; a longer bar has its value at the edge"""


class Group(NamedTuple):
    """A method's bars: by measure, one for each noise level."""

    label: str
    is_own: bool
    heights: dict[str, list[Rate | None]]
    parts: list[str | None]
    """how much of the problems was run at each noise level, where it is not all"""


def groups(results: Results) -> list[Group]:
    """Return the printed methods by their solution rate without noise, each below its counterpart here."""
    found = []
    for name in sorted(rates(), key=lambda name: (name != DDSR, -rates()[name][0.0].symbolic_rate)):
        method = COUNTERPARTS.get(name)
        if method is not None and any(at_noise(results, method, noise) for noise in NOISES):
            levels = [at_noise(results, method, noise) for noise in NOISES]
            own = {measure.key: [measure.here(rows) for rows in levels] for measure in MEASURES}
            found.append(Group(f"{method} (here)", True, own, [part_of(rows) for rows in levels]))
        printed: dict[str, list[Rate | None]] = {}
        for measure in MEASURES:
            values = [measure.printed(rates()[name][noise]) for noise in NOISES]
            printed[measure.key] = [None if value is None else Rate(value) for value in values]
        found.append(
            Group(f"{name} (printed)" if name == DDSR else name, False, printed, [None] * len(NOISES))
        )
    return found


def draw(results: Results) -> Figure:
    """Draw a panel for each measure and four bars for each method."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    shown = groups(results)
    figure = Figure(figsize=(10, 1.2 + 0.46 * len(shown)), layout="constrained")
    panels = figure.subplots(1, len(MEASURES), sharey=True)
    for panel, measure in zip(panels, MEASURES, strict=True):
        for place, group in enumerate(shown):
            _draw_group(panel, place, group, measure.key)
        panel.set_xlim(0, ENDS[measure.key])
        panel.set_xlabel(measure.title)
        panel.grid(visible=False, axis="y")
        panel.tick_params(axis="y", length=0)
    panels[0].set_yticks(range(len(shown)), [group.label for group in shown])
    for tick, group in zip(panels[0].get_yticklabels(), shown, strict=True):
        tick.set(
            color=OWN_COLOUR if group.is_own else "black", fontweight="bold" if group.is_own else "normal"
        )
    panels[0].set_ylim(len(shown) - 0.4, -0.6)
    handles = [
        Patch(color=PUBLISHED, alpha=shade, label="no noise" if noise == 0 else f"noise {noise:g}")
        for noise, shade in zip(NOISES, SHADES, strict=True)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _draw_group(panel: Axes, place: int, group: Group, key: str) -> None:
    height = 0.84 / len(NOISES)
    for number, rate in enumerate(group.heights[key]):
        if rate is None:
            continue
        at = place - 0.42 + height * (number + 0.5)
        panel.barh(
            at,
            rate.percent,
            height=height,
            color=OWN_COLOUR if group.is_own else PUBLISHED,
            alpha=SHADES[number],
            linewidth=0,
        )
        if rate.high is not None:
            panel.errorbar(
                rate.percent, at, xerr=interval_bars([rate]), color="black", elinewidth=0.8, capsize=1.5
            )
        end, part = ENDS[key], group.parts[number]
        if rate.percent > end:
            ink = "white" if SHADES[number] > 0.5 else "black"
            panel.text(
                end, at, f"{rate.percent:.0f} ", ha="right", va="center_baseline", fontsize=6, color=ink
            )
        elif part is not None:
            after = (rate.high or rate.percent) + 0.015 * end
            panel.text(after, at, part, va="center_baseline", fontsize=6.5)
