from scipy.stats import kstest

from ddsr import _core


def test_random_blocks_are_philox():
    """Known answers of Random123 for (key, counter): all 0, all ones, digits of pi."""
    ones = 2**32 - 1
    assert list(_core.random_block(0, 0, 0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert list(_core.random_block(2**64 - 1, 2**64 - 1, ones, ones)) == [
        0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD,
    ]  # fmt: skip
    assert list(_core.random_block(0x299F31D0A4093822, 0x0370734413198A2E, 0x85A308D3, 0x243F6A88)) == [
        0xD16CFE09,
        0x94FDCCEB,
        0x5001E420,
        0x24126EA1,
    ]


def test_normal_numbers_are_normal():
    numbers = [_core.random_normal(1, 2, index, 3) for index in range(5000)]
    assert kstest(numbers, "norm").pvalue > 1e-3
