"""Sums over edges: equal to a loop, to the reference and to PyG, compiled and with torch alone."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from regard.core import similarity as similarities
from regard.core.attend import attend
from regard.core.backends.edges import native
from regard.core.backends.edges import torch_sums as eager
from regard.core.backends.edges.autograd import Neighbours
from regard.core.edges import Edges, Side
from regard.core.normalise import Divide, Mean, Normaliser, Raw, Softmax, Symmetric
from regard.core.position import Alibi, Rotary
from regard.core.similarity import Additive, Constant, Cosine, Dot, Gaussian, Kernel, Similarity
from regard.core.support import Full
from regard.errors import RegardError

WAYS = ["compiled", "torch alone"]
HEADS, WIDTH, CHANNELS = 2, 3, 5


@contextmanager
def done_by(way: str) -> Iterator[None]:
    """The sums done in one of the two ways."""
    if way == "compiled" and native.missing():
        pytest.skip(f"no compiled sums here: {native.missing()}")
    with pytest.MonkeyPatch.context() as patch:
        if way == "torch alone":
            patch.setenv("REGARD_NATIVE", "0")
        yield


@st.composite
def graphs(draw: st.DrawFn) -> Edges:
    """Directed graphs with isolated nodes, loops, parallel relations, features, or no edge at all."""
    n, m, kinds = draw(st.integers(1, 7)), draw(st.integers(1, 5)), 3
    keys = torch.tensor(
        draw(st.lists(st.integers(0, n * m * kinds - 1), unique=True, max_size=17)), dtype=torch.long
    )
    source, target, relation = keys // kinds % m, keys // kinds // m, keys % kinds
    features = torch.randn(len(keys), 4, dtype=torch.double, generator=torch.Generator().manual_seed(0))
    return Edges(source, target, sizes=(n, m), relation=relation, features=features)


def drawn(edges: Edges, seed: int, groups: int = HEADS, batch: int = 1) -> list[Tensor]:
    """Queries, keys and values for the graph."""
    source = torch.Generator().manual_seed(seed)
    shapes = (
        (HEADS, edges.sizes[0], WIDTH),
        (groups, edges.sizes[1], WIDTH),
        (groups, edges.sizes[1], CHANNELS),
    )
    return [torch.randn(batch, *s, dtype=torch.double, generator=source).requires_grad_() for s in shapes]


def additive(seed: int = 0) -> Additive:
    torch.manual_seed(seed)
    similarity = Additive(HEADS, WIDTH, relations=3, features=4).double()
    with torch.no_grad():
        similarity.relation.normal_()  # type: ignore[union-attr]
    return similarity


def gaussian(edges: Edges) -> Gaussian:
    source = torch.Generator().manual_seed(3)
    variance, weight = (
        torch.randn(*s, dtype=torch.double, generator=source)
        for s in ((edges.sizes[1], WIDTH), (edges.sizes[1],))
    )
    return Gaussian(variance.requires_grad_(), weight.requires_grad_())


PAIRS: dict[str, Callable[[Edges], tuple[Similarity, Normaliser]]] = {
    "additive softmax": lambda edges: (additive(), Softmax()),
    "additive raw": lambda edges: (additive(), Raw()),
    "constant softmax": lambda edges: (Constant(3.0), Softmax()),
    "constant divide": lambda edges: (Constant(3.0), Divide()),
    "constant mean": lambda edges: (Constant(3.0), Mean()),
    "constant symmetric": lambda edges: (Constant(3.0), Symmetric()),
    "constant raw": lambda edges: (Constant(-3.0), Raw()),
    "zero symmetric": lambda edges: (Constant(0.0), Symmetric()),
    "zero divide": lambda edges: (Constant(0.0), Divide()),
    "dot softmax": lambda edges: (Dot(), Softmax()),
    "dot mean": lambda edges: (Dot(0.7), Mean()),
    "cosine softmax": lambda edges: (Cosine(5.0), Softmax()),
    "gaussian softmax": lambda edges: (gaussian(edges), Softmax()),
    "kernel divide": lambda edges: (Kernel(similarities.elu_plus_one), Divide()),
    "kernel symmetric": lambda edges: (Kernel(similarities.elu_plus_one), Symmetric()),
}


def score(similarity: Similarity, edges: Edges, e: int, q: Tensor, k: Tensor, head: int) -> Tensor:
    """The score of one edge, by its formula."""
    match similarity:
        case Dot(scale=scale):
            return sum(a * b for a, b in zip(q, k, strict=True)) * (scale or 1 / math.sqrt(len(q)))
        case Cosine(scale=scale):
            return scale * (q * k).sum() / (q.square().sum().sqrt() * k.square().sum().sqrt())
        case Kernel():
            return sum(
                (torch.where(a > 0, a, a.exp() - 1) + 1) * (torch.where(b > 0, b, b.exp() - 1) + 1)
                for a, b in zip(q, k, strict=True)
            )
        case Gaussian(log_variance=log_variance, log_weight=log_weight):
            j = int(edges.source[e])
            deviation = (log_variance[j] / 2).exp()
            densities = (-(((q - k) / deviation) ** 2) / 2).exp() / (deviation * math.sqrt(2 * math.pi))
            return log_weight[j] + densities.log().sum()
        case Constant(value=value):
            return q.new_tensor(value)
        case Additive() as a:
            z = (a.target[head] * q).sum() + (a.source[head] * k).sum()
            z = z + a.relation[head, int(edges.relation[e])] + (a.feature[head] * edges.features[e]).sum()
            return z if z > 0 else a.slope * z
    raise AssertionError(similarity)


def weigh(normalise: Normaliser, scores: dict[int, Tensor], edges: Edges, e: int) -> Tensor:
    """The weight of one edge, by its formula."""
    row = [s for f, s in scores.items() if edges.target[f] == edges.target[e]]
    column = [s for f, s in scores.items() if edges.source[f] == edges.source[e]]
    match normalise:
        case Softmax():
            return 1 / sum((s - scores[e]).exp() for s in row)
        case Divide():
            return scores[e] / sum(row) if sum(row) else scores[e] * 0
        case Mean():
            return scores[e] / len(row)
        case Symmetric():
            return scores[e] / (sum(row) * sum(column)) ** 0.5 if sum(row) else scores[e] * 0
    return scores[e]


def looped(
    q: Tensor, k: Tensor, v: Tensor, similarity: Similarity, edges: Edges, normalise: Normaliser
) -> Tensor:
    """The sum over edges one edge at a time."""
    rows = []
    for b, h in ((b, h) for b in range(len(q)) for h in range(HEADS)):
        ends = list(zip(edges.target.tolist(), edges.source.tolist(), strict=True))
        scores = {e: score(similarity, edges, e, q[b, h, i], k[b, h, j], h) for e, (i, j) in enumerate(ends)}
        sums = [v.new_zeros(CHANNELS) + 0 * v.sum() for _ in range(edges.sizes[0])]
        for e, (i, j) in enumerate(ends):
            sums[i] = sums[i] + weigh(normalise, scores, edges, e) * v[b, h, j]
        rows.append(torch.stack(sums))
    return torch.stack(rows).view(len(q), HEADS, edges.sizes[0], CHANNELS)


def parameters(similarity: Similarity) -> list[Tensor]:
    if isinstance(similarity, Gaussian):
        return [similarity.log_variance, similarity.log_weight]  # type: ignore[list-item]
    return list(similarity.parameters()) if isinstance(similarity, Additive) else []


def gradients(output: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    upstream = torch.randn(output.shape, dtype=output.dtype, generator=torch.Generator().manual_seed(5))
    found = torch.autograd.grad(output, inputs, upstream, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(inputs, found, strict=True)]


def equals_the_loop(edges: Edges, seed: int, pair: str) -> None:
    """The law: value and gradient of the backend are those of the loop."""
    (similarity, normalise), (q, k, v) = PAIRS[pair](edges), drawn(edges, seed)
    inputs = [q, k, v, *parameters(similarity)]
    ours = attend(q, k, v, similarity=similarity, support=edges, normalise=normalise, backend="edges").output
    theirs = looped(q, k, v, similarity, edges, normalise)
    for a, b in zip([ours, *gradients(ours, inputs)], [theirs, *gradients(theirs, inputs)], strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("pair", PAIRS)
@settings(max_examples=max(6, settings().max_examples // 5))
@given(data=st.data())
def test_value_and_gradient_are_those_of_a_loop(way: str, pair: str, data: st.DataObject) -> None:
    with done_by(way):
        equals_the_loop(data.draw(graphs()), data.draw(st.integers(0, 99)), pair)


def equals_the_reference(edges: Edges, seed: int, pair: str, groups: int, dropout: float) -> None:
    """The law: outputs, weights and gradients are those of the reference, for the same dropout."""
    (similarity, normalise), (q, k, v) = PAIRS[pair](edges), drawn(edges, seed, groups, batch=2)
    inputs, found = [q, k, v, *parameters(similarity)], []
    for backend in ("edges", "reference"):
        parts = []
        for weights in (False, True):
            generator = torch.Generator().manual_seed(seed)
            made = attend(
                *(q, k, v),
                **{"similarity": similarity, "support": edges, "normalise": normalise, "backend": backend},
                **{"weights": weights, "dropout": dropout, "generator": generator},
            )
            total = (
                made.output
                if made.weights is None
                else torch.cat([made.output.flatten(), made.weights.flatten()])
            )
            parts += [total, *gradients(total, inputs)]
        found.append(parts)
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@given(data=st.data())
def test_weights_dropout_and_shared_key_heads_are_those_of_the_reference(
    way: str, data: st.DataObject
) -> None:
    with done_by(way):
        pair, groups, dropout = (data.draw(st.sampled_from(x)) for x in (list(PAIRS), (1, HEADS), (0.0, 0.5)))
        equals_the_reference(data.draw(graphs()), data.draw(st.integers(0, 99)), pair, groups, dropout)


def star(leaves: int = 3) -> Edges:
    """Every leaf points to node 0; the leaves see nothing."""
    source = torch.arange(1, leaves + 1)
    extras = {
        "relation": torch.zeros(leaves, dtype=torch.long),
        "features": torch.zeros(leaves, 4, dtype=torch.double),
    }
    return Edges(source, torch.zeros_like(source), nodes=leaves + 1, **extras)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_node_that_sees_nothing_gets_zeros_and_finite_gradients(way: str) -> None:
    with done_by(way):
        for pair in PAIRS:
            (similarity, normalise), (q, k, v) = PAIRS[pair](star()), drawn(star(), 0)
            y = attend(
                q, k, v, similarity=similarity, support=star(), normalise=normalise, backend="edges"
            ).output
            assert y[:, :, 1:].eq(0).all(), pair
            assert all(g.isfinite().all() for g in gradients(y, [q, k, v, *parameters(similarity)])), pair


def survives_distant_neighbourhoods() -> None:
    """The law: a neighbourhood whose scores lie far below those of another keeps its softmax."""
    edges = Edges(torch.tensor([0, 1, 2, 3]), torch.tensor([0, 0, 1, 1]), nodes=4)
    low = torch.tensor([5000.0, 5000.0, -5000.0, -5000.0], dtype=torch.double).view(1, 1, 4, 1)
    values = torch.tensor([2.0, 4.0, 6.0, 8.0], dtype=torch.double).view(1, 1, 4, 1)
    steep = Additive(1, 1).double()
    with torch.no_grad():
        steep.source.fill_(1.0), steep.target.fill_(0.0)
    for similarity, weights in ((steep, False), (steep, True), (Dot(), False)):
        y = attend(
            torch.ones_like(low),
            low,
            values,
            similarity=similarity,
            support=edges,
            weights=weights,
            backend="edges",
        )
        assert y.output.flatten().tolist() == [3.0, 7.0, 0.0, 0.0]


@pytest.mark.parametrize("way", WAYS)
def test_the_softmax_is_shifted_by_the_maximum_of_each_neighbourhood(way: str) -> None:
    with done_by(way):
        survives_distant_neighbourhoods()


def follows_torch_at_zero() -> None:
    """The law: where the score is exactly zero, LeakyReLU has the slope that torch gives it."""
    edges = Edges(torch.tensor([0, 1]), torch.tensor([0, 0]), nodes=2)
    similarity, (q, k, v) = (
        Additive(1, 1).double(),
        (torch.zeros(1, 1, 2, 1, dtype=torch.double) for _ in range(3)),
    )
    k[0, 0, 1], v[0, 0, :, 0] = 2.0, torch.tensor([1.0, 3.0])
    k.requires_grad_()
    options = {"similarity": similarity, "support": edges}
    ours, theirs = (
        torch.autograd.grad(attend(q, k, v, **options, backend=b).output.sum(), k)[0]
        for b in ("edges", "reference")
    )
    assert theirs.abs().min() > 0
    torch.testing.assert_close(ours, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_the_slope_at_zero_is_that_of_torch(way: str) -> None:
    with done_by(way):
        follows_torch_at_zero()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("kind", "within"), [(torch.float32, 1e-5), (torch.float16, 2e-3), (torch.bfloat16, 2e-2)]
)
def test_smaller_types_stay_close_and_keep_their_type(way: str, kind: torch.dtype, within: float) -> None:
    edges = Edges(torch.tensor([0, 2, 1, 4]), torch.tensor([3, 3, 0, 1]), sizes=(7, 5))
    similarity = Additive(HEADS, WIDTH)
    with done_by(way), torch.no_grad():
        q, k, v = (x.to(kind) for x in drawn(edges, 0))
        small = attend(q, k, v, similarity=similarity, support=edges, backend="edges", weights=True)
        large = attend(
            q.double(),
            k.double(),
            v.double(),
            similarity=similarity,
            support=edges,
            backend="reference",
            weights=True,
        )
    for ours, theirs in ((small.output, large.output), (small.weights, large.weights)):
        assert ours is not None and theirs is not None and ours.dtype == kind
        torch.testing.assert_close(ours.double(), theirs, rtol=within, atol=within)


@pytest.mark.parametrize("way", WAYS)
def test_weights_lie_in_the_order_in_which_the_edges_were_given(way: str) -> None:
    edges = Edges(torch.tensor([2, 0, 1]), torch.tensor([1, 0, 1]), nodes=3)
    k = torch.tensor([0.0, math.log(3.0), 0.0]).view(1, 1, 3, 1)
    with done_by(way):
        made = attend(torch.ones(1, 1, 3, 1), k, k, support=edges, backend="edges", weights=True)
    torch.testing.assert_close(made.weights, torch.tensor([[[0.25, 1.0, 0.75]]]))


@pytest.mark.parametrize("way", WAYS)
def test_gradients_pass_the_numerical_check(way: str) -> None:
    edges = Edges(torch.tensor([0, 2, 1, 2]), torch.tensor([1, 1, 0, 2]), nodes=4)
    with done_by(way):
        for similarity, normalise in (
            (Additive(HEADS, WIDTH).double(), Softmax()),
            (Dot(), Softmax()),
            (Constant(), Symmetric()),
        ):
            options = {"similarity": similarity, "support": edges, "normalise": normalise, "backend": "edges"}
            assert torch.autograd.gradcheck(
                lambda q, k, v, o=options: attend(q, k, v, **o).output, drawn(edges, 1), fast_mode=True
            )


@pytest.mark.parametrize("way", WAYS)
def test_a_second_derivative_is_refused(way: str) -> None:
    edges = star()
    q, k, v = drawn(edges, 0)
    with done_by(way):
        y = attend(q, k, v, support=edges, backend="edges").output
        (slope,) = torch.autograd.grad(y.square().sum(), v, create_graph=True)
        with pytest.raises(RuntimeError, match="once_differentiable"):
            slope.sum().backward()


class Largest(TorchDispatchMode):
    """Remembers the size of the largest tensor that any operation makes."""

    size = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        made = func(*args, **(kwargs or {}))
        for x in made if isinstance(made, tuple | list) else [made]:
            if isinstance(x, Tensor) and x.layout == torch.strided:
                self.size = max(self.size, x.numel())
        return made


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_no_message_per_edge_and_channel_is_ever_made(way: str) -> None:
    nodes, count, channels = 31, 31 * 29, 16
    keys = torch.randperm(nodes * nodes, generator=torch.Generator().manual_seed(0))[:count]
    edges = Edges(keys % nodes, keys // nodes, nodes=nodes)
    q, k, v = (torch.randn(1, HEADS, nodes, channels, requires_grad=True) for _ in range(3))
    for similarity, normalise in (
        (Additive(HEADS, channels), Softmax()),
        (Dot(), Softmax()),
        (Constant(), Symmetric()),
    ):
        with done_by(way), Largest() as largest:
            attend(
                q, k, v, similarity=similarity, support=edges, normalise=normalise, backend="edges"
            ).output.sum().backward()
        assert 0 < largest.size <= max(count * HEADS, nodes * HEADS * channels)


@pytest.mark.slow
def test_the_reference_does_make_messages_so_the_measure_can_fail() -> None:
    edges, v = star(), torch.ones(1, 1, 4, 64)
    with Largest() as largest:
        attend(v, v, v, support=edges, backend="reference")
    assert largest.size >= edges.count * 64


def test_a_list_of_edges_is_summed_by_this_backend_unless_it_cannot() -> None:
    q, k, v = (x.detach() for x in drawn(star(), 0))
    assert attend(q, k, v, support=star()).backend == "edges"
    assert attend(q, k, v, support=star(), position=Alibi((0.5, 0.25))).backend == "reference"


def test_positions_that_turn_are_those_of_the_reference() -> None:
    edges = star()
    q, k = (torch.randn(1, 1, 4, 6, generator=torch.Generator().manual_seed(s)) for s in (0, 1))
    ours, theirs = (
        attend(q, k, k, support=edges, position=Rotary(), backend=b).output for b in ("edges", "reference")
    )
    torch.testing.assert_close(ours, theirs)


class Own(Dot):
    """A person's own similarity."""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"support": Full()},
            "backend 'edges' needs an edge list as its support\n  got: Full\n"
            "  fix: pass support=Edges(source, target), or backend='reference'",
        ),
        (
            {"support": star(), "similarity": Own()},
            "backend 'edges' does not know this similarity edge by edge\n  got: Own\n"
            "  fix: drop backend='edges', or pass backend='reference'",
        ),
        (
            {"support": star(), "position": Alibi((0.5, 0.25))},
            "backend 'edges' adds no position to the scores\n  got: Alibi\n"
            "  fix: drop backend='edges', or pass backend='reference'",
        ),
    ],
)
def test_what_is_refused_says_why(options: dict, message: str) -> None:
    with pytest.raises(RegardError) as error:
        attend(*drawn(star(), 0), **options, backend="edges")
    assert str(error.value) == message


def undirected(nodes: int = 23, pairs: int = 61) -> Edges:
    keys = torch.randperm(nodes * nodes, generator=torch.Generator().manual_seed(2))[:pairs]
    return Edges(keys % nodes, keys // nodes, nodes=nodes).both_ways().with_loops()


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_gat_layer_is_that_of_pyg(way: str) -> None:
    pyg = pytest.importorskip("torch_geometric.nn")
    torch.manual_seed(0)
    edges, x = undirected(), torch.randn(23, 7)
    layer, similarity = pyg.GATConv(7, 5, heads=3), Additive(3, 5)
    similarity.load_state_dict({"source": layer.att_src[0], "target": layer.att_dst[0]})
    with done_by(way):
        h = layer.lin(x).view(1, 23, 3, 5).transpose(1, 2)
        ours = attend(h, h, h, similarity=similarity, support=edges, backend="edges").output
    theirs = layer(x, torch.stack([edges.source, edges.target]))
    torch.testing.assert_close(
        ours.transpose(1, 2).reshape(23, 15) + layer.bias, theirs, rtol=1e-5, atol=1e-5
    )


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_gcn_layer_is_that_of_pyg(way: str) -> None:
    pyg = pytest.importorskip("torch_geometric.nn")
    torch.manual_seed(0)
    edges, x, layer = undirected(), torch.randn(23, 7), pyg.GCNConv(7, 5)
    with done_by(way):
        h = layer.lin(x).view(1, 1, 23, 5)
        ours = attend(
            h, h, h, similarity=Constant(), normalise=Symmetric(), support=edges, backend="edges"
        ).output
    theirs = layer(x, torch.stack([edges.source, edges.target]))
    torch.testing.assert_close(ours.view(23, 5) + layer.bias, theirs, rtol=1e-5, atol=1e-5)


# Saboteurs: each plants a fault and shows that the law above it notices.

TANGLED = Edges(
    *(torch.tensor([4, 0, 3, 1, 2, 0, 4]), torch.tensor([1, 1, 0, 2, 0, 2, 2])),
    **{
        "sizes": (3, 5),
        "relation": torch.tensor([0, 1, 2, 0, 1, 2, 1]),
        "features": torch.ones(7, 4, dtype=torch.double),
    },
)


@pytest.mark.parametrize("way", WAYS)
def test_the_loop_notices_a_transpose_that_was_not_sorted(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    equals_the_loop(TANGLED, 0, "dot softmax")
    sound = TANGLED.sources
    monkeypatch.setattr(TANGLED, "sources", Side(sound.start, sound.other, torch.arange(7), sound.others))
    with done_by(way), pytest.raises(AssertionError):
        equals_the_loop(TANGLED, 0, "dot softmax")


def test_the_reference_notices_dropout_drawn_in_sorted_order(monkeypatch: pytest.MonkeyPatch) -> None:
    equals_the_reference(TANGLED, 0, "additive softmax", HEADS, 0.5)
    monkeypatch.setattr(TANGLED, "order", torch.arange(7))
    with pytest.raises(AssertionError):
        equals_the_reference(TANGLED, 0, "additive softmax", HEADS, 0.5)


def test_the_distant_neighbourhood_notices_a_global_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Neighbours, "row_max", lambda self, scores: scores.max())
    with pytest.raises(AssertionError):
        survives_distant_neighbourhoods()


def test_the_slope_at_zero_notices_the_other_slope(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eager.torch, "gt", torch.ge)
    with done_by("torch alone"), pytest.raises(AssertionError):
        follows_torch_at_zero()


@pytest.mark.parametrize(("setting", "word"), [("0", "by torch alone (REGARD_NATIVE=0)"), ("1", "compiled")])
def test_the_reason_says_how_the_sums_were_made(setting: str, word: str, monkeypatch) -> None:
    monkeypatch.setenv("REGARD_NATIVE", setting)
    if setting == "1" and native.missing() is not None:
        pytest.skip(f"no compiled sums here: {native.missing()}")
    h = torch.randn(1, 2, 3, 4)
    edges = Edges(torch.tensor([0, 1]), torch.tensor([1, 2]), nodes=3)
    assert attend(h, h, h, support=edges).reason.endswith(word)
