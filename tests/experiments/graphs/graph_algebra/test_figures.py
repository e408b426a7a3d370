"""The figures show what they say they show."""

import pytest
import torch

from regard.experiments.graphs.graph_algebra.figures import draw_curves, draw_graphs


def test_graphs_have_their_edges_and_areas_say_how_much_a_node_changes():
    left, right = draw_graphs(torch.arange(6.0)).axes
    assert (len(left.lines), len(right.lines)) == (5, 7)
    assert [text.get_text() for text in right.texts] == list("123456")
    assert right.collections[0].get_sizes().tolist() == [60 * node for node in range(6)]
    colours = right.collections[0].get_facecolors().tolist()
    assert colours[1] == colours[3] == colours[4] != colours[0] == colours[2] == colours[5]


def test_distances_are_shares_and_theory_goes_on_from_the_middle():
    found = {0.0: [2.0, 1.0, 0.5], 1.0: [2.0, 1.6, 1.2], 4.0: [2.0, 1.9, 1.8]}
    (axis,) = draw_curves(found, {0.0: 0.5, 1.0: 0.8, 4.0: 0.9}).axes
    first, theory, *_ = axis.lines
    assert list(first.get_ydata()) == [1, 0.5, 0.25]
    assert list(theory.get_xdata()) == [1, 2] and list(theory.get_ydata()) == pytest.approx([0.5, 0.25])
    assert [text.get_text() for text in axis.get_legend().get_texts()] == [
        "no self-connection", "B = 1·I", "B = 4·I", "predicted by the eigenvalues",
    ]  # fmt: skip
