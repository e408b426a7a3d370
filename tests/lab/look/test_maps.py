"""Attention maps: weights by layer and head, chosen, coarser, named."""

import pytest
import torch

from regard.core.edges import Edges
from regard.errors import RegardError
from regard.lab.look.attention import Attention
from regard.lab.look.maps import FINEST, AttentionLayer, coarse


def two_by_three() -> Attention:
    layers = tuple(AttentionLayer(f"l{i}", torch.rand(2, 3, 4, 4).softmax(-1), "softmax") for i in range(2))
    return Attention(layers, tuple("abcd"))


def test_a_layer_a_head_and_a_sample_are_chosen_and_keep_their_numbers() -> None:
    one = two_by_three().choose(layer=1, head=2, row=1)
    assert (one.number(0), one.heads, one.row, len(one.layers)) == (1, (2,), 1, 1)
    assert repr(two_by_three()) == "Attention(2 layers, 3 + 3 heads, 4 labels)"
    assert [x.shape for x in two_by_three().weights] == [(2, 3, 4, 4)] * 2


@pytest.mark.parametrize("words", [{"layer": 2}, {"head": 3}, {"row": -1}, {"head": -1}])
def test_what_is_not_there_is_told(words: dict) -> None:
    with pytest.raises(
        RegardError,
        match=r"no (layer|head|sample) of that number\n  got: .*\n  fix: they are numbered 0 to \d",
    ):
        two_by_three().choose(**words)


def test_weights_over_edges_stand_in_a_matrix_of_targets_and_sources() -> None:
    edges = Edges(torch.tensor([0, 2, 0]), torch.tensor([1, 1, 1]), nodes=3, duplicates="keep")
    layer = AttentionLayer("", torch.tensor([[[0.25, 0.5, 0.25]]]), "", edges)
    assert layer.matrix()[0].tolist() == [[0, 0, 0], [0.5, 0, 0.5], [0, 0, 0]]


def test_a_large_graph_is_drawn_by_blocks() -> None:
    n = 3 * FINEST
    edges = Edges(torch.tensor([0, n - 1]), torch.tensor([2, n - 1]), nodes=n)
    matrix = AttentionLayer("", torch.tensor([[[0.3, 0.9]]]), "", edges).matrix()
    assert matrix.shape == (1, FINEST, FINEST)
    assert (float(matrix[0, 0, 0]), float(matrix[0, -1, -1])) == pytest.approx((0.3, 0.9))


def test_labels_of_another_number_of_places_are_not_used() -> None:
    assert two_by_three().named(4) == tuple("abcd") and two_by_three().named(2) == ("0", "1")
    assert coarse(torch.eye(5), 5).equal(torch.eye(5))


def test_nothing_is_said_of_labels_that_nobody_gave() -> None:
    layer = AttentionLayer("l", torch.rand(1, 2, 5, 5), "softmax")
    assert repr(Attention((layer,), ())) == "Attention(1 layer, 2 heads)"
    assert repr(Attention((layer,), (), grid=(2, 2))) == "Attention(1 layer, 2 heads, 2 by 2 patches)"
