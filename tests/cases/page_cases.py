"""Fitted models for reports, and a parser that reads a page as a browser does."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

import numpy as np
import pandas as pd

from ddsr import DDSRRegressor

HOSTILE_NAMES = ['<script>alert("1")</script>', "a</title>&amp;", 'spe\'ed "of" light']
LITTLE = {"evaluations_per_epoch": 400, "max_length": 12}
VOID = ("meta", "br", "img", "link", "input", "hr", "wbr")


@dataclass
class Element:
    """A tag with its contents."""

    tag: str
    attributes: dict[str, str]
    children: list["Element"] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def all(self, tag: str | None = None, kind: str | None = None, **attributes: str) -> list["Element"]:
        found = [] if self._differs(tag, kind, attributes) else [self]
        return found + [hit for child in self.children for hit in child.all(tag, kind, **attributes)]

    def one(self, tag: str | None = None, kind: str | None = None, **attributes: str) -> "Element":
        (found,) = self.all(tag, kind, **attributes)
        return found

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())

    def _differs(self, tag: str | None, kind: str | None, attributes: dict[str, str]) -> bool:
        is_other = tag is not None and self.tag != tag
        is_other |= kind is not None and kind not in self.attributes.get("class", "").split()
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        return is_other or any(self.attributes.get(name) != value for name, value in wanted.items())


class Page(HTMLParser):
    """Builds the tree; a wrongly closed element fails the test."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.root = Element("page", {})
        self.open = [self.root]
        self.feed(html)
        assert self.open == [self.root]

    def handle_starttag(self, tag, attributes):
        element = Element(tag, {name: value or "" for name, value in attributes})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attributes}))

    def handle_endtag(self, tag):
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element.texts.append(data)


def parsed(html: str) -> Element:
    return Page(html).root


def texts(element: Element) -> set[str]:
    """What is written in a chart."""
    return {text.text for text in element.all("text")}


def dots(element: Element) -> list[tuple[float, float]]:
    """The places of the dots of a chart."""
    return [(float(use.attributes["x"]), float(use.attributes["y"])) for use in element.all("use")]


def table(names, n_rows=200, seed=0):
    """Rows, and a target that is a product plus an exponential plus a little noise.

    Values have few digits, so that pandas reads them from a CSV unchanged.
    """
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(0.5, 3, size=(n_rows, len(names))), columns=names)
    y = 0.5 * X.iloc[:, 0] * np.exp(-X.iloc[:, 1]) + 0.01 * rng.normal(size=n_rows)
    return X.round(5), y.round(5)


def fitted(X, y, **settings) -> DDSRRegressor:
    """Fit with a little search, reproducibly."""
    small = {"max_epochs": 3, "random_state": 0, "prior": None, "config": LITTLE}
    return DDSRRegressor("ddsr:generator=none", **small | settings).fit(X, y)
