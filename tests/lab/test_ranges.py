from math import inf, nan
from pathlib import Path
from typing import Annotated

import pytest

from regard.errors import RegardError
from regard.lab.ranges import Device, Distinct, Follows, OwnPath, Range, rules, usual


@pytest.mark.parametrize(
    ("range_", "inside", "outside"),
    [
        (Range(1, 3), (1, 2, 3, (1, 3), None, "text", True), (0, 4, -1, nan, inf, (1, 4))),
        (Range(above=0), (1e-9, 5.0), (0, -1.0, inf, nan)),
        (Range(0, below=1), (0, 0.5), (1, -0.1)),
    ],
)
def test_a_range_holds_what_lies_within(range_: Range, inside, outside) -> None:
    for value in inside:
        range_.check(value, "x")
    for value in outside:
        with pytest.raises(RegardError, match="the setting 'x' is out of range"):
            range_.check(value, "x")


@pytest.mark.parametrize(
    ("preset", "low", "high"),
    [(5, 1, 5000), (0, 0, 1000), (-3, -3000, 3000), (0.001, 0, 1000), ((4, 16), 1, 16000), ((0, 8), 0, 8000), (None, 1, 10**9), ((), 1, 10**9), ("a", 1, 10**9)],
)  # fmt: skip
def test_without_a_range_a_count_stays_a_count(preset, low: float, high: float) -> None:
    assert usual(preset) == Range(low, high)


def test_what_is_declared_goes_before_what_is_usual() -> None:
    assert rules(Annotated[int, Range(0, 2)], 7) == [Range(0, 2)]
    assert rules(Annotated[str, Device()], "cpu") == [Device(), usual("cpu")] and rules(int, 7) == [usual(7)]


def test_several_values_differ() -> None:
    Distinct(2).check((1, 2, 2), "lengths")
    with pytest.raises(RegardError) as caught:
        Distinct(3).check((1, 2, 2), "lengths")
    assert str(caught.value) == "the setting 'lengths' has too few values\n  got: 1, 2, 2\n  fix: give 3 different ones or more"  # fmt: skip


def test_a_device_is_one_that_is_here() -> None:
    Device().check("cpu", "device")
    for name, message in (("nope", "no device of that name"), ("meta", "this device computes nothing")):
        with pytest.raises(RegardError, match=message):
            Device().check(name, "device")


def test_what_follows_from_something_else_names_it() -> None:
    assert Follows(seed="--seed").parts == {"seed": "--seed"}


def test_a_file_of_ones_own_is_there_and_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text("")
    for rule, value in (
        (OwnPath("file"), tmp_path / "points.csv"),
        (OwnPath("folder"), tmp_path),
        (OwnPath("file"), None),
    ):
        rule.check(value, "points")
    for rule, value, message in (
        (OwnPath("file"), tmp_path / "point.csv", f"no file of that name\n  got: '{tmp_path / 'point.csv'}'\n  fix: did you mean 'points.csv'?"),
        (OwnPath("file"), tmp_path, f"the setting 'points' names a file\n  got: '{tmp_path}', a folder\n  fix: name a file"),
        (OwnPath("folder"), tmp_path / "points.csv", f"the setting 'points' names a folder\n  got: '{tmp_path / 'points.csv'}', a file\n  fix: name a folder"),
        (OwnPath("folder"), tmp_path / "no" / "where", f"no folder of that name\n  got: '{tmp_path / 'no' / 'where'}'\n  fix: name a folder that is there"),
    ):  # fmt: skip
        with pytest.raises(RegardError) as error:
            rule.check(value, "points")
        assert str(error.value) == message
