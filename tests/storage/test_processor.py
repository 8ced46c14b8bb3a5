"""The name of the processor."""

import platform
from pathlib import Path

from ddsr.storage.processor import processor_name


def test_the_first_name_that_is_listed(tmp_path: Path) -> None:
    listing = tmp_path / "cpuinfo"
    listing.write_text("processor\t: 0\nmodel name\t: Abacus 3 @ 2 Hz\n\nmodel name\t: another\n")
    assert processor_name(listing) == "Abacus 3 @ 2 Hz"


def test_without_a_list_there_is_a_name_all_the_same(tmp_path: Path) -> None:
    assert processor_name(tmp_path / "none") in (platform.processor(), platform.machine())
    assert processor_name()
