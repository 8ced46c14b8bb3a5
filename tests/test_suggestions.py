"""Errors about unknown names suggest the nearest known one."""

import pytest

from ddsr.errors import did_you_mean, nearest_names

KNOWN = ("mass", "Charge", "mass_2")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("mas", " (did you mean 'mass'?)"),
        ("MASS", " (did you mean 'mass'?)"),
        ("charg", " (did you mean 'Charge'?)"),
        ("volume", ""),
        ("", ""),
        (3, ""),
        (["mass"], ""),
    ],
)
def test_the_nearest_name_is_suggested(name, hint):
    assert did_you_mean(name, KNOWN) == hint


def test_several_names_begin_with_the_most_similar():
    assert nearest_names("mass2", KNOWN, n=3) == ["mass_2", "mass"]
