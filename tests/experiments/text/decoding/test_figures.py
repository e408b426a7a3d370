"""The figures show what they say they show."""

import pytest
import torch

from regard.experiments.text.decoding.beams import berkeley_tree, formula
from regard.experiments.text.decoding.figures import draw_costs, draw_samplers, draw_searches, draw_tree
from regard.generation.beam import beam_search
from regard.lab.book.style import BLUE, RED


def test_the_tree_marks_what_the_beam_kept_and_the_best_text() -> None:
    narrow, wide = (beam_search(berkeley_tree, torch.tensor([[0]]), width=width, steps=3) for width in (2, 8))
    (axis,) = draw_tree(narrow, wide.best[0]).axes
    assert axis.get_xlabel() == "words so far"
    boxes = [text.get_text() for text in axis.texts]
    assert boxes[:3] == ["start", "neural  −0.65", "network  −0.73"] and len(boxes) == 15
    red = [text.get_text() for text in axis.texts if text.get_color() == RED]
    assert red == ["start", "neural  −0.65", "neural  −1.45", "neural  −1.46"]
    held = [text.get_bbox_patch().get_edgecolor() for text in axis.texts]
    assert held.count(held[0]) == 1 + 2 * 3, "the start, and two after each of three steps"
    dotted = [line for line in axis.lines if line.get_linestyle() == ":"]
    assert len(axis.lines) == 14 and len(dotted) == 14 - 2 * 3
    assert {line.get_color() for line in axis.lines if line.get_linestyle() == "-"} == {BLUE, RED}


def test_searches_show_means_and_shares_by_width() -> None:
    left, right = draw_searches({1: [0.5, 1.5], 4: [0.0, 0.5]}, {1: 0.0, 4: 0.5}, [2, 5]).axes
    assert list(left.lines[0].get_xdata()) == [1, 4] and list(left.lines[0].get_ydata()) == [1.0, 0.25]
    found, below = (list(line.get_ydata()) for line in right.lines)
    assert found == [0.0, 0.5] and below == [0.0, 0.5]
    assert [text.get_text() for text in right.get_legend().get_texts()] == [
        "the beam finds the best",
        "no beginning of the best ranks worse",
    ]
    assert [label.get_text() for label in left.get_xticklabels()] == ["1", "4"]


def test_samplers_are_sorted_by_the_plain_probability() -> None:
    exact, drawn = torch.tensor([0.25, 0.625, 0.125]), torch.tensor([0.5, 0.25, 0.25])
    names = ("plain", "temperature 0.5", "top-k 5", "top-p 0.9")
    axes = draw_samplers(dict.fromkeys(names, (exact, drawn))).axes
    assert tuple(axis.get_title(loc="left") for axis in axes) == names
    for axis in axes:
        assert [bar.get_height() for bar in axis.patches] == [0.25, 0.5, 0.25]
        assert list(axis.lines[0].get_ydata()) == [0.625, 0.25, 0.125]
    assert [axis.get_ylabel() for axis in axes] == ["probability", "", "probability", ""]


def test_costs_stand_against_the_formula_and_times_against_the_vocabulary() -> None:
    sizes, beams, lengths = (8, 16), (1, 4), (2, 3)
    cases = [(8, 4, 3), (16, 4, 3), (16, 1, 3), (16, 4, 2)]
    counts = {case: 100 + number for number, case in enumerate(cases)}
    times = {case: 0.001 * (number + 1) for number, case in enumerate(cases)}
    left, right = draw_costs(counts, times, sizes=sizes, beams=beams, lengths=lengths).axes
    assert [text.get_text() for text in left.get_legend().get_texts()] == [
        "M from 8 to 16",
        "K from 1 to 4",
        "T from 2 to 3",
        "equal",
    ]
    by_width = left.lines[1]
    assert list(by_width.get_xdata()) == [formula(1, 3, 16), formula(4, 3, 16)]
    assert list(by_width.get_ydata()) == [102, 101]
    assert list(right.lines[0].get_ydata()) == pytest.approx([1, 2])
    assert [label.get_text() for label in right.get_xticklabels()] == ["8", "16"]
