import pytest
from benchmarks.throughput import Way, problems


@pytest.mark.parametrize(
    ("text", "way", "name"),
    [
        ("16x1", Way(16, 1), "16 processes, a search each"),
        ("16x1!", Way(16, 1, fits_again=True), "16 processes, a search each, all expressions fitted"),
        ("4x8", Way(4, 8), "4 processes, stacks of 8"),
    ],
)
def test_ways_are_read_and_named(text, way, name):
    assert Way.read(text) == way and str(way) == name


def test_the_problems_need_no_data():
    assert len(problems()) > 100 and all(problem.formula for problem in problems())
