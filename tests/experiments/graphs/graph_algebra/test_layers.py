"""Layers on paper: known answers by hand."""

import pytest
import torch

from regard.experiments.graphs.graph_algebra.formulas import LEFT, RIGHT, edges
from regard.experiments.graphs.graph_algebra.layers import median_of_three, messages, transformer, weights
from regard.lab.events import Metric, TableEvent


def measured(events) -> dict[str, float]:
    return {one.name: one.value for one in events if isinstance(one, Metric)}


@pytest.fixture
def draw() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_equation_6_is_one_sum_and_a_node_without_b_does_not_hear_itself(draw):
    found = measured(messages(edges(RIGHT, 6), draw))
    assert found["equation 6 as messages, as matrices, as a layer: largest gap"] < 1e-12
    assert found["without B: change of a node's output when its own features change"] == 0


def test_a_loop_would_let_it_hear_itself(draw):
    found = measured(messages(edges(RIGHT, 6).with_loops(), draw))
    assert found["without B: change of a node's output when its own features change"] > 0.01


def test_no_matrix_makes_the_median(draw):
    """The median of three normal values has variance 0.4487, of which the mean explains 1/3."""
    found = list(median_of_three(20_000, draw))
    assert measured(found)["share of the median of three that no matrix makes"] == pytest.approx(
        0.257, abs=0.015
    )
    (table,) = (one for one in found if isinstance(one, TableEvent))
    x, y, of_x, of_y, of_both = table.rows[0]
    assert of_both != of_x + of_y and len(x) == len(y) == len("(0, 0, 1)")


def test_a_gcn_weighs_neighbours_by_their_degrees_and_the_mean_does_not():
    """Node 1 has degree 4 with its loop, its neighbours 2, 3 and 5 have 3, 4 and 2."""
    (table,) = (one for one in weights(edges(LEFT, 5)) if isinstance(one, TableEvent))
    mean, gcn = table.rows[:3], table.rows[3:]
    assert [row[1] for row in mean] == [row[1] for row in gcn] == [2, 3, 5]
    assert [row[2] for row in mean] == pytest.approx([1 / 3] * 3)
    assert [row[2] for row in gcn] == pytest.approx([12**-0.5, 16**-0.5, 8**-0.5])


def test_a_transformer_is_attention_on_the_complete_graph_and_on_no_chain(draw):
    complete, directed, chain = measured(transformer(draw)).values()
    assert complete < 1e-12 and directed < 1e-12 and chain > 0.01
