"""What a model is fed: widths, words and pictures are read off its layers."""

from types import ModuleType

import pytest
import torch
from torch import Tensor, nn

from regard.lab.look.inputs import fed
from regard.models.graph.layers import GAT

EMPTY = ModuleType("empty")


def shapes(model: nn.Module) -> list[list[tuple[int, ...]]]:
    """Of all that is offered; a graph, which comes last, is offered only where torch_geometric is loaded."""
    offered = (inputs for inputs, _, _ in fed(model, EMPTY, None, None))
    return [[tuple(x.shape) for x in inputs] for inputs in offered if isinstance(inputs[0], Tensor)]


def test_ids_come_before_pictures_and_vectors() -> None:
    assert shapes(nn.Sequential(nn.Embedding(5, 8), nn.Linear(8, 3))) == [[(1, 5)], [(1, 12, 8)]]
    found = shapes(nn.Sequential(nn.Conv2d(3, 8, 4)))
    assert found[0] == [(1, 3, 224, 224)] and [(1, 3, 32, 32)] in found
    assert shapes(nn.Sequential(nn.LayerNorm(6), nn.Linear(6, 9), nn.Linear(9, 6))) == [
        [(1, 12, 6)],
        [(1, 12, 9)],
    ]


def test_a_shape_of_two_axes_is_ids_where_the_model_takes_them() -> None:
    ((ids,), _, _) = next(fed(nn.Sequential(nn.Embedding(5, 8)), EMPTY, None, [2, 4]))
    ((x,), _, _) = next(fed(nn.Linear(4, 2), EMPTY, None, [2, 4]))
    assert ids.dtype == torch.long and int(ids.max()) < 5 and x.is_floating_point()


def test_a_text_for_a_model_of_vectors_gives_the_same_vector_to_the_same_letter() -> None:
    ((x,), labels, note) = next(fed(nn.Linear(6, 2), EMPTY, "abba", None))
    assert labels == list("abba") and torch.equal(x[0, 0], x[0, 3]) and not torch.equal(x[0, 0], x[0, 1])
    assert note == "the model takes vectors: each character of the text is a random one of width 6"


def test_ids_stay_within_what_the_model_knows() -> None:
    ((ids,), _, note) = next(fed(nn.Sequential(nn.Embedding(65, 8)), EMPTY, "zz", None))
    assert int(ids.max()) < 65 and "modulo the 65 that the model knows" in note


class TwoTables(nn.Module):
    """Tokens and places, of which there are more."""

    def __init__(self) -> None:
        super().__init__()
        self.places, self.tokens = nn.Embedding(128, 8), nn.Embedding(65, 8)

    def forward(self, ids: Tensor) -> Tensor:
        return self.tokens(ids) + self.places(torch.arange(ids.shape[1]))


def test_a_table_of_places_that_is_larger_is_tried_and_then_that_of_the_tokens() -> None:
    tried = [(int(inputs[0].max()), what) for inputs, _, what in fed(TwoTables(), EMPTY, "zz", None)]
    assert [most for most, _ in tried] == [122, 57] and "modulo the 65" in tried[1][1]


class Taking(nn.Module):
    """A model whose call requires what its test says."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)


class SourceAndTarget(Taking):
    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None, pad: float = 0.0) -> Tensor:
        raise NotImplementedError


class WordsAndPicture(Taking):
    def forward(self, tokens: Tensor, image: Tensor) -> Tensor:
        raise NotImplementedError


class StateAndMask(Taking):
    def forward(self, x: Tensor, mask: Tensor | None, *rest: Tensor, **others: Tensor) -> Tensor:
        raise NotImplementedError


class NodesInBatches(Taking):
    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        raise NotImplementedError


class Decoding(Taking):
    def forward(self, input_ids=None, attention_mask=None, decoder_input_ids=None, labels=None) -> Tensor:
        raise NotImplementedError


def sizes(inputs: tuple) -> list:
    return [None if x is None else tuple(x.shape) for x in inputs]


def test_a_model_that_takes_several_things_gets_what_each_is_named_after() -> None:
    inputs, _, what = next(fed(SourceAndTarget(nn.Embedding(9, 4)), EMPTY, None, None))
    assert sizes(inputs) == [(1, 9), (1, 9), None]
    assert what == "fed with src: the ids 0 to 8; tgt: the ids 0 to 8; src_mask: none"
    inputs, _, _ = next(fed(WordsAndPicture(nn.Embedding(9, 4), nn.Conv2d(3, 4, 8)), EMPTY, None, None))
    assert sizes(inputs) == [(1, 9), (1, 3, 224, 224)]
    assert sizes(next(fed(StateAndMask(nn.Linear(6, 2)), EMPTY, None, None))[0]) == [(1, 12, 6), None]
    inputs, _, _ = next(fed(NodesInBatches(nn.Linear(6, 2)), EMPTY, None, None))
    assert sizes(inputs) == [(8, 6), (2, 16), (8,)] and inputs[2].dtype == torch.long
    assert sizes(next(fed(Decoding(nn.Embedding(9, 4)), EMPTY, None, None))[0]) == [(1, 9), None, (1, 9)]


def test_a_text_or_a_shape_goes_to_all_that_may_take_it() -> None:
    two, three = (
        SourceAndTarget(nn.Embedding(256, 4)),
        WordsAndPicture(nn.Embedding(256, 4), nn.Conv2d(3, 4, 8)),
    )
    assert sizes(next(fed(two, EMPTY, "abc", None))[0]) == [(1, 3), (1, 3), None]
    assert sizes(next(fed(two, EMPTY, None, [1, 5]))[0]) == [(1, 5), (1, 5), None]
    assert sizes(next(fed(three, EMPTY, "abc", None))[0])[0] == (1, 3)


def test_a_data_of_torch_geometric_is_tried_where_a_file_has_loaded_it() -> None:
    pytest.importorskip("torch_geometric.data")
    (data,), _, what = list(fed(nn.Linear(6, 2), EMPTY, None, None))[-1]
    assert data.x.shape == (8, 6) and data.edge_index.shape == (2, 16) and what.endswith("as a Data")


class Sparse(nn.Module):
    """A graph layer as it is often written: tables of scores, heads by channels, beside a layer of features."""

    def __init__(self) -> None:
        super().__init__()
        self.scores, self.features = nn.Parameter(torch.zeros(2, 5)), nn.Linear(7, 10)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        raise NotImplementedError


class Apart(Sparse):
    def forward(self, x: Tensor, src: Tensor, dst: Tensor, num_nodes: int) -> Tensor:
        raise NotImplementedError


def test_the_features_of_a_graph_are_as_wide_as_a_layer_takes_before_any_table() -> None:
    assert sizes(next(fed(Sparse(), EMPTY, None, None))[0]) == [(8, 7), (2, 16)]
    inputs, _, _ = next(fed(Apart(), EMPTY, None, None))
    assert [x.shape for x in inputs[1:3]] == [(16,), (16,)] and inputs[3] == 8


def test_a_shape_of_a_graph_is_its_nodes_and_their_features() -> None:
    ((x, edges), _, what) = next(fed(Sparse(), EMPTY, None, [5, 3]))
    assert x.shape == (5, 3) and edges.shape == (2, 10) and "a ring of 5 nodes, 3 random features" in what


def test_a_graph_net_of_tables_alone_is_fed_though_its_edges_are_optional() -> None:
    found = [sizes(inputs) for inputs, _, _ in fed(GAT(9, 4, 3), EMPTY, None, None)]
    assert found[0] == [(8, 9), (2, 16)]


def test_patches_that_a_linear_layer_takes_tell_the_size_of_the_picture() -> None:
    model = nn.Sequential(nn.Linear(3 * 4 * 4, 8))
    model.register_parameter("places", nn.Parameter(torch.zeros(1, 26, 8)))
    assert shapes(model)[-1] == [(1, 3, 20, 20)]
