import argparse
from collections.abc import Callable

import pytest

from regard.cli.numbers import count, finite, minutes, seed, steps, vocabulary


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (seed, ["0", "4294967295"], ["-1", "4294967296", "x", "", "1e3"]),
        (count, ["1", "1000000"], ["0", "1000001", "1.5"]),
        (steps, ["1", "10000000"], ["0", "10000001", "none"]),
        (vocabulary, ["256"], ["255", "many"]),
        (minutes, ["0.1", "5"], ["0", "-1", "nan", "inf", "x"]),
        (finite, ["-1", "0.5"], ["nan", "inf", ""]),
    ],
)
def test_numbers_within_their_ends_are_taken_and_others_are_told(
    kind: Callable[[str], float], good: list[str], bad: list[str]
) -> None:
    assert [kind(one) for one in good] == [float(one) for one in good]
    for one in bad:
        with pytest.raises(argparse.ArgumentTypeError, match="is not a"):
            kind(one)
