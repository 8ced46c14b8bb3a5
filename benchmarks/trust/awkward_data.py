"""Awkward data sets by name: odd shapes, types, values, columns, names, targets and weights."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

Make = Callable[[np.random.Generator], tuple[Any, Any, Any]]
N = 40


@dataclass(frozen=True)
class AwkwardSet:
    """X, y and weights of one data set, made on request."""

    name: str
    make: Make

    def data(self) -> tuple[Any, Any, Any]:
        """Return the same data every time."""
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.make(np.random.default_rng(len(self.name)))


def plain(rng: np.random.Generator, n: int = N, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    X = rng.uniform(0.5, 3.0, size=(n, k))
    return X, 2.0 * X[:, 0] + np.sin(X[:, -1])


def awkward_sets() -> list[AwkwardSet]:
    """All sets, each name once."""
    groups = (shapes, value_scales, mixed_scales, columns, types, frames, names, targets, weights, bad_values)
    found = [AwkwardSet(f"{group.__name__}: {name}", make) for group in groups for name, make in group()]
    assert len({each.name for each in found}) == len(found)
    return found


Named = Iterator[tuple[str, Make]]


def shapes() -> Named:
    for n in (0, 1, 2, 3, 4, 5, 6, 7, 10, 1000, 20_000):
        for k in (1, 3, 30):
            yield f"{n} rows, {k} columns", lambda rng, n=n, k=k: (*plain(rng, n, k), None)
    for k in (0, 200, 1000, 2000, 5000):
        yield f"{k} columns", lambda rng, k=k: (rng.normal(size=(N, k)), rng.normal(size=N), None)
    for n_dims in (0, 1, 3):
        yield (
            f"X of {n_dims} dimensions",
            lambda rng, d=n_dims: (
                rng.normal(size=(N,) * d if d else ()),
                rng.normal(size=N),
                None,
            ),
        )
    yield "y with one row too few", lambda rng: (plain(rng)[0], plain(rng)[1][:-1], None)
    yield "y as a column", lambda rng: (plain(rng)[0], plain(rng)[1][:, None], None)
    yield "y of two columns", lambda rng: (plain(rng)[0], np.column_stack([plain(rng)[1]] * 2), None)
    yield "y of no columns", lambda rng: (plain(rng)[0], np.zeros((N, 0)), None)


def value_scales() -> Named:
    """X, y or both far from 1."""
    for scale in (5e-324, 1e-310, 1e-300, 1e-155, 1e-30, 1e-9, 1e9, 1e30, 1e153, 1e155, 1e200, 1e300, 8e307):
        for what in ("x", "y", "xy"):

            def make(
                rng: np.random.Generator, scale: float = scale, what: str = what
            ) -> tuple[Any, Any, Any]:
                X, y = plain(rng)
                return X * (scale if "x" in what else 1.0), y * (scale if "y" in what else 1.0) / 4.0, None

            yield f"{what} times {scale:g}", make
    for offset in (1e3, 1e6, 1e9, 1e12, 1e15, 1e16):
        yield f"y plus {offset:g}", lambda rng, o=offset: (plain(rng)[0], plain(rng)[1] + o, None)
        yield f"x plus {offset:g}", lambda rng, o=offset: (plain(rng)[0] + o, plain(rng)[1], None)


def mixed_scales() -> Named:
    """Columns, or rows of one column, on very different scales."""
    for low, high in ((-300, 300), (-150, 150), (-20, 20), (0, 300), (-300, 0), (-320, -300)):

        def columns_apart(rng: np.random.Generator, low: int = low, high: int = high) -> tuple[Any, Any, Any]:
            X, y = plain(rng)
            return X * np.array([10.0**low, 10.0**high]), y, None

        def rows_apart(rng: np.random.Generator, low: int = low, high: int = high) -> tuple[Any, Any, Any]:
            X = 10.0 ** rng.uniform(low, high, size=(N, 2))
            return X, rng.normal(size=N), None

        def target_apart(rng: np.random.Generator, low: int = low, high: int = high) -> tuple[Any, Any, Any]:
            return plain(rng)[0], 10.0 ** rng.uniform(low, min(high, 150), size=N), None

        yield f"columns of 1e{low} and 1e{high}", columns_apart
        yield f"rows from 1e{low} to 1e{high}", rows_apart
        yield f"y from 1e{low} to 1e{high}", target_apart
    for value in (1e300, -1e300, 1e308, 1e-310, 1e15):

        def outlier(rng: np.random.Generator, value: float = value) -> tuple[Any, Any, Any]:
            X, y = plain(rng)
            X[3, 0] = value
            return X, y, None

        yield f"one entry of {value:g}", outlier


def columns() -> Named:
    """Uninformative or equal columns."""
    X0 = plain(np.random.default_rng(0))[0]
    made: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
        "all constant": lambda rng: np.ones((N, 2)),
        "all zero": lambda rng: np.zeros((N, 2)),
        "one constant": lambda rng: np.column_stack([X0, np.full(N, 7.0)]),
        "one constant of 1e300": lambda rng: np.column_stack([X0, np.full(N, 1e300)]),
        "duplicates": lambda rng: np.column_stack([X0, X0, X0]),
        "nearly duplicates": lambda rng: np.column_stack([X0, X0 * (1 + 1e-15)]),
        "collinear": lambda rng: np.column_stack([X0, X0 @ [1.0, 2.0], X0 @ [3.0, -1.0]]),
        "opposite": lambda rng: np.column_stack([X0, -X0]),
        "negative": lambda rng: -X0,
        "two values": lambda rng: (X0 > 1.5).astype(float),
        "one row differs": lambda rng: np.eye(N)[:, :2],
        "nearly constant": lambda rng: 1.0 + 1e-16 * X0,
        "constant but for rounding": lambda rng: 1e8 + 1e-8 * X0,
        "sorted": lambda rng: np.sort(X0, axis=0),
        "row numbers": lambda rng: np.arange(2.0 * N).reshape(N, 2),
        "negative zero": lambda rng: np.where(X0 > 1.5, -0.0, 0.0),
        "all rows the same": lambda rng: np.tile([[1.0, 2.0]], (N, 1)),
        "rows twice": lambda rng: np.repeat(X0[: N // 2], 2, axis=0),
        "300 collinear": lambda rng: X0[:, :1] * np.arange(1.0, 301.0),
    }
    for name, make in made.items():
        yield name, lambda rng, make=make: (make(rng), rng.normal(size=N), None)
        yield f"{name}, exact y", lambda rng, make=make: (make(rng), 3.0 * make(rng)[:, 0] + X0[:, 0], None)


def types() -> Named:
    """Arrays and lists of types other than double."""
    for kind in (
        "float16",
        "float32",
        "int8",
        "uint8",
        "int16",
        "uint64",
        "int64",
        "bool",
        ">f8",
        "longdouble",
    ):
        yield f"X of {kind}", lambda rng, kind=kind: (plain(rng)[0].astype(kind), plain(rng)[1], None)
        yield f"y of {kind}", lambda rng, kind=kind: (plain(rng)[0], (9 * plain(rng)[1]).astype(kind), None)
    for kind in ("complex128", "object", "U8", "S8", "datetime64[D]", "timedelta64[s]"):

        def cast(rng: np.random.Generator, kind: str = kind) -> np.ndarray:
            whole = (100 * plain(rng)[0]).astype("int64")
            return whole.astype(kind)

        yield f"X of {kind}", lambda rng, cast=cast: (cast(rng), plain(rng)[1], None)
        yield f"y of {kind}", lambda rng, cast=cast: (plain(rng)[0], cast(rng)[:, 0], None)
    yield "lists", lambda rng: (plain(rng)[0].tolist(), plain(rng)[1].tolist(), None)
    yield "ragged lists", lambda rng: ([[1.0, 2.0], [3.0]] * 20, plain(rng)[1], None)
    yield "columns in Fortran's order", lambda rng: (np.asfortranarray(plain(rng)[0]), plain(rng)[1], None)
    yield "strided", lambda rng: (plain(rng, 2 * N, 4)[0][::2, ::2], plain(rng)[1], None)
    yield "read-only", lambda rng: (_frozen(plain(rng)[0]), _frozen(plain(rng)[1]), None)
    yield "huge whole numbers", lambda rng: (np.array([[10**400, 1]] * N, object), plain(rng)[1], None)
    yield "None for X", lambda rng: (None, plain(rng)[1], None)
    yield "None for y", lambda rng: (plain(rng)[0], None, None)
    yield "text for X", lambda rng: ("x", plain(rng)[1], None)
    yield "masked", lambda rng: (np.ma.masked_greater(plain(rng)[0], 2.9), plain(rng)[1], None)


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def frames() -> Named:
    """Columns of a DataFrame that are not plain doubles."""

    def frame(rng: np.random.Generator, extra: Any) -> tuple[Any, Any, Any]:
        X, y = plain(rng)
        return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "extra": extra}), pd.Series(y, name="y"), None

    made: dict[str, Callable[[], Any]] = {
        "text": lambda: ["low", "high"] * (N // 2),
        "numbers as text": lambda: [str(k) for k in range(N)],
        "datetime": lambda: pd.date_range("2020-01-01", periods=N),
        "datetime with a zone": lambda: pd.date_range("2020-01-01", periods=N, tz="UTC"),
        "timedelta": lambda: pd.to_timedelta(np.arange(N), unit="h"),
        "period": lambda: pd.period_range("2020-01", periods=N, freq="M"),
        "interval": lambda: pd.interval_range(0, N),
        "bool": lambda: np.arange(N) % 2 == 0,
        "nullable bool": lambda: pd.array([True, None] * (N // 2), dtype="boolean"),
        "nullable integer": lambda: pd.array(range(N), dtype="Int64"),
        "nullable integer with a gap": lambda: pd.array([None, *range(N - 1)], dtype="Int64"),
        "nullable float": lambda: pd.array(np.arange(N) / 7, dtype="Float64"),
        "category of text": lambda: pd.Categorical(["u", "v"] * (N // 2)),
        "category of numbers": lambda: pd.Categorical([1.5, 2.5] * (N // 2)),
        "string dtype": lambda: pd.array(["u", "v"] * (N // 2), dtype="string"),
        "sparse": lambda: pd.arrays.SparseArray([0.0, 1.0] * (N // 2)),
        "complex": lambda: np.arange(N) * 1j,
        "objects": lambda: [object()] * N,
        "lists": lambda: [[1, 2]] * N,
        "None": lambda: [None] * N,
        "mixed": lambda: [1, "a"] * (N // 2),
        "decimals": lambda: [__import__("decimal").Decimal(k) / 7 for k in range(N)],
        "fractions": lambda: [__import__("fractions").Fraction(k, 7) for k in range(N)],
    }
    for name, make in made.items():
        yield f"{name} among X", lambda rng, make=make: frame(rng, make())
        yield f"{name} as y", lambda rng, make=make: (plain(rng)[0], pd.Series(make()), None)
    yield "empty frame", lambda rng: (pd.DataFrame(index=range(N)), plain(rng)[1], None)
    yield (
        "other index",
        lambda rng: (
            pd.DataFrame(plain(rng)[0], index=np.arange(N)[::-1], columns=["a", "b"]),
            pd.Series(plain(rng)[1]),
            None,
        ),
    )
    yield (
        "column index of two levels",
        lambda rng: (
            pd.DataFrame(plain(rng)[0], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])),
            plain(rng)[1],
            None,
        ),
    )


ODD_NAMES = (
    *(
        "",
        " ",
        "x y",
        "a,b",
        '"',
        "'",
        "`",
        "``",
        "\\",
        "\n",
        "\t",
        "\r",
        "\x00",
        "\x1b[31mred",
        "\x07",
        "\u202e",
    ),
    *(
        "[bold]",
        "[/s]",
        "T [s]",
        "<b>",
        "&amp;",
        "$x$",
        "{",
        "%d",
        "#",
        "é",
        "β",
        "x²",
        "日本",
        "😀",
        "sin",
        "1",
    ),
    *("1e5", "?", "C", "+", "-x", "**", "E", "I", "pi", "lambda", "None", "y", "index", "x" * 300, "\ud800"),
)


def names() -> Named:
    """Names of columns, and of the target."""
    for name in ODD_NAMES:
        yield (
            f"column {ascii(name)[:40]}",
            lambda rng, name=name: (
                pd.DataFrame(plain(rng)[0], columns=pd.Index([name, "other"], dtype=object)),
                plain(rng)[1],
                None,
            ),
        )
    for name in ("T [s]", "[/s]", "\x1b[31m", "", "\n", "a,b", "<b>", "日本"):
        yield (
            f"target {ascii(name)}",
            lambda rng, name=name: (
                pd.DataFrame(plain(rng)[0], columns=["a", "b"]),
                pd.Series(plain(rng)[1], name=name),
                None,
            ),
        )
    yield (
        "two columns of one name",
        lambda rng: (
            pd.DataFrame(plain(rng)[0], columns=["a", "a"]),
            plain(rng)[1],
            None,
        ),
    )
    yield (
        "names that are numbers",
        lambda rng: (pd.DataFrame(plain(rng)[0], columns=[0, 1]), plain(rng)[1], None),
    )


def targets() -> Named:
    """Targets that hardly vary, or vary oddly."""
    made: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
        "constant": lambda rng: np.full(N, 3.0),
        "zero": lambda rng: np.zeros(N),
        "constant but for rounding": lambda rng: 1.0 + 1e-16 * rng.normal(size=N),
        "constant but for 1e-12": lambda rng: 1.0 + 1e-12 * rng.normal(size=N),
        "a single 1": lambda rng: np.eye(N)[5],
        "a single 1e300": lambda rng: 1e300 * np.eye(N)[5],
        "two values": lambda rng: rng.integers(0, 2, size=N).astype(float),
        "noise": lambda rng: rng.normal(size=N),
        "Cauchy noise": lambda rng: rng.standard_cauchy(size=N),
        "whole numbers": lambda rng: rng.integers(0, 5, size=N).astype(float),
        "a step": lambda rng: (np.arange(N) > 20).astype(float),
        "a pole": lambda rng: 1.0 / (plain(np.random.default_rng(1))[0][:, 0] - 1.7),
        "a column": lambda rng: plain(np.random.default_rng(1))[0][:, 0],
        "exp of a column": lambda rng: np.exp(200 * plain(np.random.default_rng(1))[0][:, 0]),
        "alternating": lambda rng: np.where(np.arange(N) % 2, 1e10, -1e10),
    }
    for name, make in made.items():
        yield name, lambda rng, make=make: (plain(np.random.default_rng(1))[0], make(rng), None)


def weights() -> Named:
    """Weights of all kinds."""
    made: dict[str, Callable[[np.random.Generator], Any]] = {
        "all 0": lambda rng: np.zeros(N),
        "all 16": lambda rng: np.full(N, 16.0),
        "all 1e308": lambda rng: np.full(N, 1e308),
        "all 1e-308": lambda rng: np.full(N, 1e-308),
        "all 5e-324": lambda rng: np.full(N, 5e-324),
        "one 1e308": lambda rng: np.where(np.arange(N) == 3, 1e308, 1.0),
        "sum above 2^31": lambda rng: np.full(N, 2.0**30),
        "from 1e-300 to 1e300": lambda rng: 10.0 ** rng.uniform(-300, 300, size=N),
        "one row": lambda rng: np.eye(N)[3],
        "two rows": lambda rng: np.eye(N)[3] + np.eye(N)[7],
        "negative": lambda rng: -np.ones(N),
        "NaN": lambda rng: np.where(np.arange(N) == 3, np.nan, 1.0),
        "infinite": lambda rng: np.where(np.arange(N) == 3, np.inf, 1.0),
        "whole numbers": lambda rng: rng.integers(0, 5, size=N),
        "booleans": lambda rng: rng.random(N) > 0.5,
        "text": lambda rng: ["1"] * N,
        "too few": lambda rng: np.ones(N - 1),
        "a column": lambda rng: np.ones((N, 1)),
        "a number": lambda rng: 2.0,
        "object": lambda rng: np.array([1.0] * (N - 1) + [None], object),
    }
    for name, make in made.items():
        yield name, lambda rng, make=make: (*plain(rng), make(rng))


def bad_values() -> Named:
    """Values that are not numbers."""
    for value in (np.nan, np.inf, -np.inf):
        for what in ("one entry of X", "a column of X", "one entry of y", "all of y"):

            def make(
                rng: np.random.Generator, value: float = value, what: str = what
            ) -> tuple[Any, Any, Any]:
                X, y = plain(rng)
                if "X" in what:
                    X[2 if "entry" in what else slice(None), 0] = value
                else:
                    y[2 if "entry" in what else slice(None)] = value
                return X, y, None

            yield f"{value} in {what}", make
