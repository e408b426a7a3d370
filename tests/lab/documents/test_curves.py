"""Curves: grouped as a loop would, thinned evenly, with the interval of the mean."""

import numpy

from regard.lab.documents.curves import POINTS, SERIES, axis_of, curves, points_without_axis, thinned
from regard.lab.events import Metric
from regard.lab.statistics import summarise


def test_a_curve_has_a_series_for_each_value_of_the_other_coordinates() -> None:
    points = [
        Metric("loss", layer + step + 0.1 * seed, seed, {"step": step, "layer": layer})
        for layer in range(2)
        for step in range(7)
        for seed in range(3)
    ]
    (curve,) = curves(points)
    assert (curve["name"], curve["axis"], curve["left_out"]) == ("loss", "step", 0)
    assert [one["label"] for one in curve["series"]] == ["layer=0", "layer=1"]
    second = curve["series"][1]
    assert second["x"] == list(range(7)) and second["seeds"] == 3
    expected = summarise([1 + 4 + 0.1 * seed for seed in range(3)])
    numpy.testing.assert_allclose(
        [second[name][4] for name in ("mean", "low", "high")],
        [expected.mean, expected.low, expected.high],
        rtol=1e-5,
    )


def test_one_seed_has_no_interval() -> None:
    (curve,) = curves([Metric("loss", step, None, {"step": step}) for step in range(3)])
    assert curve["series"][0]["low"] == curve["series"][0]["mean"] == [0.0, 1.0, 2.0]


def test_long_curves_are_thinned_and_many_series_left_out() -> None:
    (long,) = curves([Metric("loss", 1.0, None, {"step": step}) for step in range(10_000)])
    series = long["series"][0]
    assert (len(series["x"]), series["points"], series["x"][0], series["x"][-1]) == (POINTS, 10_000, 0, 9_999)
    gaps = numpy.diff(series["x"])
    assert gaps.max() - gaps.min() <= 1
    (many,) = curves(
        [Metric("a", 1.0, None, {"step": s, "kind": f"k{k}"}) for k in range(50) for s in range(2)]
    )
    assert (len(many["series"]), many["left_out"]) == (SERIES, 50 - SERIES)


def test_names_are_no_axis_and_make_a_table() -> None:
    points = [Metric("gap", 0.5, 1, {"row": "a <b>"}), Metric("gap", 0.25, 1, {"row": "c"})]
    assert axis_of(points) == "" and curves(points) == []
    (table,) = points_without_axis(points)
    assert table["columns"] == ["row", "seed", "value"]
    assert table["rows"] == [["a <b>", 1, 0.5], ["c", 1, 0.25]]


def test_an_axis_is_there_at_every_point() -> None:
    assert axis_of([Metric("a", 1.0, at={"x": 1}), Metric("a", 1.0, at={"y": 2})]) == ""
    assert axis_of([Metric("a", 1.0, at={"x": True})]) == ""


def test_thinning_keeps_short_lists() -> None:
    assert thinned([1.0, 2.0], 5) == [1.0, 2.0]
