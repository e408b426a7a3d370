"""Noisy neighbours: who hears whom, and what the best rule can get."""

import pytest
import torch

from regard.core.normalise import Mean
from regard.experiments.graphs.graph_algebra.noise import (
    WIDTH,
    Noise,
    accuracy,
    attention,
    convolution,
    crowd,
    expected,
    heed,
    study,
)
from regard.lab.events import FigureEvent, Metric, PairedMetric
from regard.models.graph.layers import GraphAttention


def small(seed: int = 0, nodes: int = 24, **options):
    given = {"friends": 3, "strangers": 5, "marked": True, **options}
    return crowd(nodes=nodes, draw=torch.Generator().manual_seed(seed), **given)


@pytest.mark.parametrize("marked", [True, False])
def test_everyone_hears_itself_its_friends_and_strangers(marked):
    found = small(marked=marked)
    edges = found.edges
    for node in range(24):
        heard = edges.source[edges.target == node]
        near = heard[heard < 24]
        assert node in near and len(near) == 4 and len(heard) == 9
        assert (found.labels[near] == found.labels[node]).all()
    assert edges.target.max() < 24 and torch.equal(found.strange, edges.source >= 24)
    assert found.x[24:, -1].eq(float(marked)).all() and not found.x[:24, -1].any()


@pytest.mark.slow
def test_the_best_rule_on_the_mean_gets_what_is_expected():
    """The sum over the features of the mean of what is heard, over many nodes, beside the formula."""
    for marked in (True, False):
        found = small(nodes=2000, marked=marked)
        heard = found.x[found.edges.source, :WIDTH].sum(1)
        total = torch.zeros(4000).index_add(0, found.edges.target, heard)[:2000]
        right = ((total < 0) == found.labels.bool()).double().mean().item()
        assert abs(right - expected(3, 5, marked=marked, heard=True)) < 0.03
    assert expected(3, 5, marked=True, heard=False) > 0.97 > expected(3, 5, marked=True, heard=True)


def test_equal_weights_heed_strangers_by_their_number():
    layer = GraphAttention(WIDTH + 1, 2, heads=2)
    torch.nn.init.zeros_(layer.similarity.target)
    torch.nn.init.zeros_(layer.similarity.source)
    assert abs(heed(layer, small()) - 5 / 9) < 1e-6
    assert convolution().layer.normalise == Mean()


@pytest.mark.slow
def test_attention_learns_whom_not_to_heed():
    """Equal weights would pay 5/9 to the strangers."""
    torch.manual_seed(0)
    model, taught, asked = attention(), small(0, nodes=200), small(1, nodes=200)
    found = accuracy(model, taught, asked, steps=80, rate=0.05)
    assert found > expected(3, 5, marked=True, heard=True) + 0.05 and heed(model.layer, asked) < 0.3


def test_a_small_study_measures_both_layers_on_the_same_crowds():
    events = list(study(Noise(nodes=16, strangers=(0, 2), steps=2, seeds=2), 0))
    assert sum(isinstance(one, Metric) and one.name == "accuracy" for one in events) == 2 * 3 * 2
    assert [one.name for one in events if isinstance(one, PairedMetric)] == [
        "marked strangers: attention less convolution",
        "unmarked strangers: attention less convolution",
    ]
    assert isinstance(events[-1], FigureEvent)
