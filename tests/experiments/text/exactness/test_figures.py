"""The figures show what they say they show."""

import pytest

from regard.experiments.text.exactness.figures import draw_bytes, draw_times
from regard.experiments.text.exactness.machine import crossing, standard


def test_times_are_milliseconds_by_length() -> None:
    (axis,) = draw_times((16, 32), {"sdpa": [0.25, 0.5], "reference": [1.0, 4.0]}).axes
    assert [text.get_text() for text in axis.get_legend().get_texts()] == [
        "reference: all scores in memory",
        "flash",
    ]
    reference, flash = axis.lines
    assert list(reference.get_ydata()) == [1000, 4000] and list(flash.get_ydata()) == [250, 500]
    assert list(flash.get_xdata()) == [16, 32] and axis.get_ylabel() == "milliseconds"
    assert [label.get_text() for label in axis.get_xticklabels()] == ["16", "32"]


def test_bytes_are_mebibytes_of_four_byte_numbers() -> None:
    (axis,) = draw_bytes((8, 32), [2**18, 2**17], tokens=64, width=16).axes
    assert axis.get_title(loc="left") == "64 tokens, one head of 16, float32"
    lines = {line.get_label(): line for line in axis.lines}
    assert list(lines) == [
        "step by step: scores go out and come back",
        "tiled, formula",
        "tiled, counted",
        "Q, K, V and output once",
    ]
    steps, formula, counted, once = lines.values()
    assert list(counted.get_ydata()) == [1, 0.5] and list(counted.get_xdata()) == [8, 32]
    assert steps.get_ydata()[0] == standard(64, 16) * 4 / 2**20
    assert once.get_ydata()[0] == 4 * 64 * 16 * 4 / 2**20
    at = list(formula.get_xdata()).index(pytest.approx(32))
    assert formula.get_ydata()[at] == crossing(64, 16, 32 * 256) * 4 / 2**20
