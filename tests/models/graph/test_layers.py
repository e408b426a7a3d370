"""Layers over graphs: equal to formulas in matrices and loops and to torch_geometric; the laws of graphs."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from regard.core.edges import Edges
from regard.core.normalise import Mean, Raw
from regard.core.similarity import Additive
from regard.core.trace import trace
from regard.errors import RegardError
from regard.models.graph.aggregate import maxima, means, medians, sums
from regard.models.graph.gatv2 import GATv2Score
from regard.models.graph.layers import GAT, GCN, GraphAttention, GraphConvolution, MessagePassing
from regard.models.graph.sparse import SparseFeatures

INPUTS = 3


@st.composite
def graphs(draw: st.DrawFn) -> Edges:
    """Directed graphs, some with loops, isolated nodes or no edge at all; the edges in no order."""
    n = draw(st.integers(1, 7))
    keys = torch.tensor(draw(st.lists(st.integers(0, n * n - 1), unique=True, max_size=17)), dtype=torch.long)
    return Edges(keys % n, keys // n, nodes=n)


def features(nodes: int, seed: int = 0, width: int = INPUTS) -> Tensor:
    return torch.randn(nodes, width, dtype=torch.double, generator=torch.Generator().manual_seed(seed))


def built(make: Callable[[], nn.Module]) -> nn.Module:
    """A layer with random parameters in double precision, without dropout; biases too are random."""
    torch.manual_seed(5)
    layer = make().double().eval()
    for parameter in layer.parameters():
        nn.init.normal_(parameter)
    return layer


def passing(aggregate) -> MessagePassing:
    maps = nn.ModuleList([nn.Linear(INPUTS, 5), nn.Linear(INPUTS, 5), nn.Linear(8, 2)])

    class Message(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.maps = maps

        def forward(self, own, other, features):
            return torch.tanh(self.maps[0](own) + self.maps[1](other))

    return MessagePassing(Message(), lambda x, m: maps[2](torch.cat([x, m], 1)), aggregate=aggregate)


LAYERS = {
    "symmetric": lambda: GraphConvolution(INPUTS, 5),
    "mean": lambda: GraphConvolution(INPUTS, 5, normalise=Mean(), self_connection=True),
    "raw": lambda: GraphConvolution(INPUTS, 5, normalise=Raw(), bias=False),
    "attention": lambda: GraphAttention(INPUTS, 5, heads=2),
    "averaged": lambda: GraphAttention(INPUTS, 5, heads=2, concatenate=False),
    "dynamic": lambda: GraphAttention(INPUTS, 5, heads=2, similarity=GATv2Score),
    "GCN": lambda: GCN(INPUTS, 7, 2),
    "GAT": lambda: GAT(INPUTS, 7, 2, heads=3, out_heads=2),
    **{f"messages: {f.__name__}": lambda f=f: passing(f) for f in (sums, means, maxima, medians)},
}
every_layer = pytest.mark.parametrize(
    "layer", [pytest.param(built(make), id=name) for name, make in LAYERS.items()]
)
SPARSE = [name for name in LAYERS if not name.startswith("messages")]


def permuted(layer: nn.Module, x: Tensor, edges: Edges, order: Tensor) -> tuple[Tensor, Tensor]:
    """P f(X, A) and f(PX, PAPᵀ), where row i of the new is row order[i] of the old."""
    place = order.argsort()
    moved = Edges(place[edges.source], place[edges.target], nodes=len(x))
    return layer(x, edges)[order], layer(x[order], moved)


@pytest.mark.slow
@every_layer
@given(edges=graphs(), seed=st.integers(0, 99))
def test_renumbering_the_nodes_renumbers_the_output(layer, edges, seed):
    order = torch.randperm(edges.sizes[0], generator=torch.Generator().manual_seed(seed))
    before, after = permuted(layer, features(edges.sizes[0], seed), edges, order)
    assert torch.allclose(before, after, atol=1e-12)


@pytest.mark.slow
@every_layer
@given(edges=graphs(), seed=st.integers(0, 99))
def test_the_order_of_the_edges_does_not_matter(layer, edges, seed):
    order = torch.randperm(edges.count, generator=torch.Generator().manual_seed(seed))
    mixed = Edges(edges.source[order], edges.target[order], nodes=edges.sizes[0])
    x = features(edges.sizes[0], seed)
    assert torch.allclose(layer(x, edges), layer(x, mixed), atol=1e-12)


@pytest.mark.slow
@every_layer
@given(left=graphs(), right=graphs())
def test_a_disjoint_union_is_each_alone(layer, left, right):
    first, second = left.sizes[0], right.sizes[0]
    both = Edges(
        torch.cat([left.source, right.source + first]),
        torch.cat([left.target, right.target + first]),
        nodes=first + second,
    )
    x = features(first + second)
    alone = torch.cat([layer(x[:first], left), layer(x[first:], right)])
    assert torch.allclose(layer(x, both), alone, atol=1e-12)


@pytest.mark.slow
@every_layer
@given(edges=graphs(), data=st.data())
def test_what_no_edge_brings_cannot_move_a_node(layer, edges, data):
    n, reach = edges.sizes[0], 2 if isinstance(layer, GCN | GAT) else 1
    moved = data.draw(st.integers(0, n - 1))
    adjacency = torch.eye(n, dtype=torch.double)
    adjacency[edges.target, edges.source] = 1
    unreached = torch.linalg.matrix_power(adjacency, reach)[:, moved] == 0
    x = features(n)
    other = x.clone()
    other[moved] += 10.0
    # A GPU adds in an order of its own: equal to rounding, not to the bit.
    torch.testing.assert_close(layer(x, edges)[unreached], layer(other, edges)[unreached])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["attention", "averaged", "dynamic"])
@given(edges=graphs())
def test_the_weights_of_a_node_sum_to_one(name, edges):
    _, weights = built(LAYERS[name])(features(edges.sizes[0]), edges, weights=True)
    total = torch.zeros(2, edges.sizes[0], dtype=torch.double).index_add(1, edges.target, weights)
    looked = torch.bincount(edges.target, minlength=edges.sizes[0]) > 0
    assert torch.allclose(total[:, looked], torch.ones_like(total[:, looked]), atol=1e-12)
    assert not total[:, ~looked].any()


@pytest.mark.slow
@every_layer
@pytest.mark.parametrize("steps", [(0, 1), (1, -1), (0, 1, -1)])
def test_constant_features_on_a_regular_graph_stay_constant(layer, steps):
    n = 7
    source = torch.arange(n).repeat(len(steps))
    target = (source + torch.tensor(steps).repeat_interleave(n)) % n
    y = layer(features(1).expand(n, -1), Edges(source, target, nodes=n))
    assert torch.allclose(y, y[:1].expand_as(y), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", SPARSE)
@given(edges=graphs(), seed=st.integers(0, 99))
def test_bags_give_what_dense_features_give(name, edges, seed):
    layer = built(LAYERS[name])
    x = features(edges.sizes[0], seed) * (features(edges.sizes[0], seed + 1) > 0.5)
    results = []
    for given_as in (x, SparseFeatures.of(x)):
        y = layer(given_as, edges)
        gradients = torch.autograd.grad(y.square().sum(), list(layer.parameters()), allow_unused=True)
        results.append([y, *[torch.zeros(()) if g is None else g for g in gradients]])
    assert all(torch.allclose(a, b, atol=1e-10) for a, b in zip(*results, strict=True))


class Counting(nn.Module):
    """Breaks every law of graphs at once: it numbers the nodes, looks at all of them and at the first edge."""

    def forward(self, x, edges):
        first = edges.source[:1].sum()
        return x + torch.arange(len(x))[:, None] * x.mean() + first


def test_the_laws_see_a_layer_that_breaks_them():
    n, x = 5, features(5)
    edges = Edges(torch.tensor([3, 1]), torch.tensor([2, 0]), nodes=n)
    for law in (
        lambda: test_renumbering_the_nodes_renumbers_the_output.hypothesis.inner_test(Counting(), edges, 1),
        lambda: test_the_order_of_the_edges_does_not_matter.hypothesis.inner_test(Counting(), edges, 1),
        lambda: test_a_disjoint_union_is_each_alone.hypothesis.inner_test(Counting(), edges, edges),
        lambda: test_constant_features_on_a_regular_graph_stay_constant(Counting(), (0, 1)),
    ):
        with pytest.raises(AssertionError):
            law()
    assert not torch.equal(Counting()(x, edges)[1], Counting()(x + torch.eye(5)[:, :3], edges)[1])


def dense(edges: Edges) -> Tensor:
    """A_ij = 1 where j sends to i."""
    adjacency = torch.zeros(edges.sizes, dtype=torch.double)
    adjacency[edges.target, edges.source] = 1
    return adjacency


def inverse(x: Tensor) -> Tensor:
    return torch.where(x > 0, 1 / x.clamp(min=1), 0.0)


@pytest.mark.slow
@given(edges=graphs())
def test_a_convolution_is_its_formula_in_matrices(edges):
    adjacency, x = dense(edges), features(edges.sizes[0])
    into, out_of = inverse(adjacency.sum(1)), inverse(adjacency.sum(0))
    layer = built(LAYERS["symmetric"])
    expected = into.sqrt()[:, None] * (adjacency @ (out_of.sqrt()[:, None] * (x @ layer.weight))) + layer.bias
    assert torch.allclose(layer(x, edges), expected, atol=1e-12)
    layer = built(LAYERS["mean"])
    expected = into[:, None] * (adjacency @ x) @ layer.weight + x @ layer.own + layer.bias
    assert torch.allclose(layer(x, edges), expected, atol=1e-12)


@pytest.mark.parametrize("width", [5, 16, 24, 64])
@pytest.mark.parametrize("native", ["1", "0"])
def test_a_convolution_of_any_width_is_its_formula(native, width, monkeypatch):
    """Some widths are compiled on their own."""
    monkeypatch.setenv("REGARD_NATIVE", native)
    edges, x = some_edges().both_ways().with_loops(), features(6)
    layer = built(lambda: GraphConvolution(INPUTS, width))
    scale = dense(edges).sum(1).rsqrt()
    expected = (scale[:, None] * dense(edges) * scale) @ x @ layer.weight + layer.bias
    assert torch.allclose(layer(x, edges), expected, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["attention", "averaged", "dynamic"])
@given(edges=graphs())
def test_attention_is_its_formula_in_a_loop(name, edges):
    layer, x = built(LAYERS[name]), features(edges.sizes[0])
    values = (x @ layer.weight).view(-1, 2, 5)
    expected = torch.zeros(edges.sizes[0], 2, 5, dtype=torch.double)
    for i in range(edges.sizes[0]):
        near = edges.source[edges.target == i]
        for head in range(2):
            if name == "dynamic":
                q = (x @ layer.query).view(-1, 2, 5)[i, head]
                scores = F.leaky_relu(q + values[near, head], 0.2) @ layer.similarity.both[head]
            else:
                own = values[i, head] @ layer.similarity.target[head]
                scores = F.leaky_relu(own + values[near, head] @ layer.similarity.source[head], 0.2)
            expected[i, head] = scores.softmax(0) @ values[near, head]
    flat = expected.mean(1) if name == "averaged" else expected.flatten(1)
    assert torch.allclose(layer(x, edges), flat + layer.bias, atol=1e-10)


def some_edges() -> Edges:
    """A graph with a loop, an isolated node and edges in no order."""
    return Edges(torch.tensor([3, 0, 1, 2, 0, 4]), torch.tensor([0, 1, 0, 2, 3, 1]), nodes=6)


def pairs(edges: Edges) -> Tensor:
    return torch.stack([edges.source, edges.target])


def test_a_convolution_is_that_of_torch_geometric():
    peers = pytest.importorskip("torch_geometric.nn")
    edges = some_edges().both_ways().with_loops()
    theirs, ours = peers.GCNConv(7, 5), GraphConvolution(7, 5)
    nn.init.normal_(theirs.bias)
    ours.load_state_dict({"weight": theirs.lin.weight.T, "bias": theirs.bias})
    x = torch.randn(6, 7, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(ours(x, edges), theirs(x, pairs(edges)), atol=1e-5)


@pytest.mark.parametrize("concatenate", [True, False])
@pytest.mark.parametrize("similarity", [Additive, GATv2Score])
def test_attention_is_that_of_torch_geometric(similarity, concatenate):
    peers = pytest.importorskip("torch_geometric.nn")
    edges = some_edges().with_loops()
    extras = torch.randn(edges.count, 4, generator=torch.Generator().manual_seed(1))
    edges = Edges(edges.source, edges.target, nodes=6, features=extras)
    peer = peers.GATConv if similarity is Additive else peers.GATv2Conv
    theirs = peer(7, 5, heads=3, concat=concatenate, add_self_loops=False, edge_dim=4)
    nn.init.normal_(theirs.bias)
    ours = GraphAttention(7, 5, heads=3, concatenate=concatenate, similarity=similarity, features=4)
    ours.load_state_dict(shared(theirs, similarity))
    x = torch.randn(6, 7, generator=torch.Generator().manual_seed(0))
    expected, (_, their_weights) = theirs(x, pairs(edges), extras, return_attention_weights=True)
    y, weights = ours(x, edges, weights=True)
    assert torch.allclose(y, expected, atol=1e-5) and torch.allclose(weights.T, their_weights, atol=1e-5)
    assert torch.allclose(ours(x, edges), expected, atol=1e-5)


def shared(theirs: nn.Module, similarity: type) -> dict[str, Tensor]:
    """torch_geometric's parameters by our names."""
    if similarity is GATv2Score:
        # GATv2Conv's linear maps have biases; zero them, as ours have none.
        for linear in (theirs.lin_l, theirs.lin_r):
            nn.init.zeros_(linear.bias)
        return {
            "weight": theirs.lin_l.weight.T,
            "query": theirs.lin_r.weight.T,
            "similarity.both": theirs.att[0],
            "similarity.feature": theirs.lin_edge.weight.T,
            "bias": theirs.bias,
        }
    # GATConv scores att_edge · (lin_edge f): two linear maps of which ours is the product.
    edge = torch.einsum("hc,hcf->hf", theirs.att_edge[0], theirs.lin_edge.weight.view(3, 5, 4))
    return {
        "weight": theirs.lin.weight.T,
        "similarity.target": theirs.att_dst[0],
        "similarity.source": theirs.att_src[0],
        "similarity.feature": edge,
        "bias": theirs.bias,
    }


def test_relations_part_edges_between_the_same_nodes():
    layer = built(lambda: GraphAttention(3, 2, heads=1, relations=2))
    with torch.no_grad():
        layer.similarity.relation.copy_(torch.tensor([[0.0, 1.0]]))
        layer.similarity.target.zero_()
        layer.similarity.source.zero_()
    edges = Edges(torch.tensor([0, 0, 1]), torch.tensor([1, 1, 1]), nodes=2, relation=torch.tensor([0, 1, 0]))
    _, weights = layer(features(2), edges, weights=True)
    expected = torch.tensor([0.0, 1.0, 0.0], dtype=torch.double).softmax(0)
    assert torch.allclose(weights[0], expected, atol=1e-12)


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [(sums, 12.0), (means, 4.0), (maxima, 9.0), (medians, 2.0)],
    ids=lambda one: getattr(one, "__name__", str(one)),
)
def test_messages_by_hand(aggregate, expected):
    layer = MessagePassing(lambda own, other, features: other, lambda x, m: 10 * x + m, aggregate=aggregate)
    star = Edges(torch.tensor([1, 2, 3]), torch.tensor([0, 0, 0]), nodes=4)
    y = layer(torch.tensor([[5.0], [1.0], [9.0], [2.0]]), star)
    assert y.flatten().tolist() == [50 + expected, 10, 90, 20]


def test_messages_see_both_ends_and_the_edge():
    layer = MessagePassing(lambda own, other, features: own * 100 + other * 10 + features, lambda x, m: m)
    edges = Edges(torch.tensor([1, 0]), torch.tensor([0, 1]), nodes=2, features=torch.tensor([[0.5], [0.25]]))
    assert layer(torch.tensor([[1.0], [2.0]]), edges).tolist() == [[120.5], [210.25]]


def test_dropout_is_for_training_alone():
    edges, x = some_edges().with_loops(), torch.randn(6, 3, generator=torch.Generator().manual_seed(0))
    torch.manual_seed(1)
    for model in (GCN(3, 8, 2, dropout=0.5), GAT(3, 8, 2, heads=2)):
        assert not torch.equal(model.train()(x, edges), model(x, edges))
        assert torch.equal(model.eval()(x, edges), model(x, edges))


def test_dropping_inputs_and_dropping_weights_are_two_things():
    edges, x = some_edges().with_loops(), torch.ones(6, 3)
    _, weights = GraphAttention(3, 8, heads=2, attention_dropout=0.5).train()(x, edges, weights=True)
    _, whole = GraphAttention(3, 8, heads=2, dropout=0.5).train()(x, edges, weights=True)
    assert (weights == 0).any() and not (whole == 0).any()


def test_models_are_their_layers_in_turn():
    edges, x = some_edges(), features(6)
    gcn, gat = built(lambda: GCN(3, 8, 2)), built(lambda: GAT(3, 8, 2, heads=3))
    assert torch.equal(gcn(x, edges), gcn.second(F.relu(gcn.first(x, edges)), edges))
    assert torch.equal(gat(x, edges), gat.second(F.elu(gat.first(x, edges)), edges))
    assert gat.second.heads == 1 and not gat.second.concatenate


def test_a_trace_names_the_layers_and_keeps_the_weights():
    gat, edges = built(lambda: GAT(3, 8, 2, heads=3)), some_edges()
    with trace(gat) as seen:
        gat(features(6), edges)
    assert {name: look[0].weights.shape for name, look in seen.looks.items()} == {
        "first": (1, 3, 6),
        "second": (1, 1, 6),
    }


def message(x: object, edges: Edges | None = None) -> str:
    with pytest.raises(RegardError) as error:
        GraphConvolution(3, 2)(x, some_edges() if edges is None else edges)
    return str(error.value)


def test_features_that_do_not_fit_are_told():
    assert message(torch.ones(5, 3)) == (
        "features are one row per node of the graph\n"
        "  got: 5 rows, edges of sizes (6, 6)\n"
        "  fix: give every node its row; nodes without edges have one too"
    )
    assert message(torch.ones(7, 3)) == (
        "features are one row per node of the graph\n"
        "  got: 7 rows, edges of sizes (6, 6)\n"
        "  fix: tell the edges of all nodes, as as_edges(graph, nodes=7) does"
    )
    assert message(torch.ones(6, 4)) == (
        "the layer was built for 3 features per node\n"
        "  got: features (6, 4)\n"
        "  fix: shape them (nodes, 3), or build the layer for as many"
    )
    assert message(torch.eye(6)[:, :3].to_sparse_coo()) == (
        "layers over graphs take sparse features as SparseFeatures, which sort them once\n"
        "  got: a tensor of layout torch.sparse_coo\n"
        "  fix: pass SparseFeatures.of(x), made once before the training"
    )


@pytest.mark.parametrize("model", [GCN, GAT])
@pytest.mark.parametrize(
    ("x", "what"),
    [
        (torch.ones(6, 3, dtype=torch.long), "features are real numbers"),
        (torch.ones(6, 3).numpy(), "features are a tensor"),
        (None, "features are a tensor"),
        (torch.ones(6, 3, dtype=torch.double), "features and layer need one floating type"),
        (torch.ones(1, 6, 3), "the layer was built for 3 features per node"),
    ],
    ids=["whole", "array", "none", "double", "three axes"],
)
def test_models_in_training_tell_what_does_not_fit(model, x, what):
    ring = torch.stack([torch.arange(6), torch.arange(6).roll(1)])
    with pytest.raises(RegardError, match=what):
        model(3, 4, 2).train()(x, ring)


@pytest.mark.parametrize("model", [GCN, GAT])
def test_models_take_a_graph_without_nodes_and_half_precision_where_torch_chooses_it(model):
    layers = model(3, 4, 2)
    assert layers(torch.ones(0, 3), torch.zeros(2, 0, dtype=torch.long)).shape == (0, 2)
    with torch.autocast("cpu", torch.bfloat16):
        assert layers(torch.ones(6, 3).bfloat16(), some_edges()).shape == (6, 2)


def test_features_of_whole_numbers_are_told():
    assert message(torch.ones(6, 3, dtype=torch.long)) == (
        "features are real numbers\n  got: torch.int64\n  fix: convert them with .float()"
    )


@pytest.mark.parametrize(
    ("source", "target", "text"),
    [
        ([0, 6], [1, 1], "source must be at least 0 and below 6\n  got: 6 at edge 1\n  fix: number the nodes from 0, or pass a larger nodes= or sizes="),
        ([0, 1], [-1, 1], "target must be at least 0 and below 6\n  got: -1 at edge 0\n  fix: number the nodes from 0, or pass a larger nodes= or sizes="),
        ([0, 0], [1, 1], "an edge is given twice\n  got: 0 -> 1, at 0 and 1\n  fix: say what becomes of it: Edges(..., duplicates='keep') or 'merge'"),
        ([0.0, 1.0], [1, 1], "source is one whole number per edge\n  got: (2,) of torch.float32\n  fix: pass source as a tensor of integers with one axis"),
    ],
    ids=["out of range", "negative", "duplicate", "wrong type"],
)  # fmt: skip
def test_bad_edges_are_told(source, target, text):
    with pytest.raises(RegardError) as error:
        Edges(torch.tensor(source), torch.tensor(target), nodes=6)
    assert str(error.value) == text
