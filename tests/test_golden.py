import json

import pytest
from matplotlib.figure import Figure

from golden import check, different, nameless, of_events, of_figures, of_theorem
from regard.lab.events import FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent
from regard.theory.theorems.dot_product import THEOREM


def events(factor: float = 1.0):
    figure = Figure()
    axis = figure.add_subplot()
    axis.plot([1, 2, 3], [factor, 2, 3])
    axis.bar([1, 2], [factor, 1])
    axis.imshow([[factor, 2.0], [3.0, 4.0]])
    axis.set(xlabel="place", ylabel="height, m")
    return [
        Metric("one", 3.0 * factor),
        Metric("curve", 1.0, at={"x": 1}),
        Metric("curve", 2.0 * factor, at={"x": 2}),
        PairedMetric("pair", ("a", "b"), {0: factor}, {0: 2.0}),
        TableEvent("table", ("name", "value"), (("a", 1.0), ("b", factor)), ""),
        ProgressEvent("on it", 0.5 * factor),
        FigureEvent("figure", figure, ""),
    ]


def test_every_kind_of_number_is_noticed() -> None:
    wrong = different(of_events(events()), of_events(events(1.5)))
    noticed = {line.split(":")[0] for line in wrong}
    assert noticed == {"metric", "first", "column", "progress", "figure"}
    parts = {line.split(", ")[2].split(" (")[0] for line in wrong if line.startswith("figure")}
    assert parts == {"lines along", "bars", "pictures"}
    assert different(of_events(events()), of_events(events(1.00001))) == []


def test_what_is_gone_or_new_is_noticed() -> None:
    assert different({"a": 1.0}, {"b": 1.0}) == ["missing: a", "new: b"]


def test_what_two_recordings_do_not_share_is_null(tmp_path, monkeypatch) -> None:
    test = tmp_path / "test_it.py"
    monkeypatch.setenv("REGARD_GOLDEN", "write")
    check(str(test), {"time": 1.0, "same": 2.0})
    check(str(test), {"time": 1.01, "same": 2.0})
    assert json.loads(test.with_suffix(".json").read_text()) == {"run": {"same": 2.0, "time": None}}
    monkeypatch.delenv("REGARD_GOLDEN")
    check(str(test), {"time": 7.0, "same": 2.0})
    with pytest.raises(AssertionError, match=r"same: 2\.0 before, 3\.0 now"):
        check(str(test), {"time": 7.0, "same": 3.0})


def test_figures_alone_are_their_axes() -> None:
    (figure,) = (one.figure for one in events() if isinstance(one, FigureEvent))
    assert of_figures([figure])["0, 0, lines along (mean)"] == 2.0


def panels(*rows: str) -> Figure:
    """Panels named by letters: x across, y upwards, t by a title, c of categories, . of nothing."""
    figure = Figure()
    axes = figure.subplots(len(rows), len(rows[0].split()), squeeze=False)
    for axis, names in zip(axes.flat, " ".join(rows).split(), strict=True):
        axis.plot([1, 2], [3, 4])
        axis.set(
            xlabel="step" if "x" in names else "",
            ylabel="loss" if "y" in names else "",
            title="loss" if "t" in names else "",
        )
        if "c" in names:
            axis.set_yticks([3, 4], ["cats", "dogs"])
        if "." in names:
            axis.set(xticks=[], yticks=[])
    return figure


@pytest.mark.parametrize(
    "rows", [("xy",), ("xt",), ("xc",), (".",), ("xy x",), ("y .", "xy x"), ("t t", "xt xt")]
)
def test_axes_are_named_by_a_label_a_title_or_their_neighbours(rows: tuple[str, ...]) -> None:
    assert nameless(panels(*rows)) == []


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (("x",), ["panel 0 does not say what goes upwards"]),
        (("y",), ["panel 0 does not say what goes across"]),
        (("xy t",), ["panel 1 does not say what goes across"]),
        (("xy", "x"), ["panel 1 does not say what goes upwards"]),
    ],
)
def test_numbers_along_an_axis_that_has_no_name_are_found(rows: tuple[str, ...], found: list[str]) -> None:
    assert nameless(panels(*rows)) == found
    with pytest.raises(AssertionError, match=found[0]):
        of_events([FigureEvent("curves", panels(*rows), "")])


def test_a_theorem_has_a_point_and_trials() -> None:
    names = of_theorem(THEOREM)
    assert any(name.startswith("point: Q") for name in names)
    assert any(name.startswith("variance of q·k: measured") for name in names)
