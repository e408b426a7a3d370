"""Weights of models that are not ours: true to what was computed, whoever computed it."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.similarity import Dot
from regard.core.support import Causal
from regard.core.watch import FLEX, FUSED, LAYER, MESSAGES, WRITTEN, Watch, dot_weights
from regard.models.attention import MultiHead
from regard.models.graph.layers import GraphAttention

X = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(0))


class Own(nn.Module):
    """Two heads of causal attention, with whatever computes them."""

    def __init__(self, kernel) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.mix, self.kernel = nn.Linear(8, 24), kernel

    def qkv(self, x: Tensor) -> list[Tensor]:
        return [part.unflatten(-1, (2, 4)).transpose(1, 2) for part in self.mix(x).chunk(3, -1)]

    def forward(self, x: Tensor) -> Tensor:
        return self.kernel(*self.qkv(x)).transpose(1, 2).flatten(2)


HIDDEN = torch.ones(5, 5, dtype=torch.bool).tril()


def fused(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def masked(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=HIDDEN)


def added(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    bias = torch.zeros(5, 5).masked_fill(~HIDDEN, -math.inf)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=0.5)


def written(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = (q @ k.mT / 2).masked_fill(~HIDDEN, -math.inf)
    return F.dropout(F.softmax(scores, dim=-1), 0.1, training=False) @ v


def methods(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.einsum("bhid,bhjd->bhij", q, k).mul(0.5).masked_fill(~HIDDEN, -math.inf)
    return torch.einsum("bhij,bhjd->bhid", scores.softmax(-1), v)


def by_hand(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = (q @ k.mT / 2).exp() * HIDDEN
    return torch.matmul(scores / scores.sum(-1, keepdim=True), v)


def folded(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = (x.flatten(0, 1) for x in (q, k, v))
    weights = nn.Softmax(-1)(torch.bmm(q, k.mT) / 2 + torch.zeros(5, 5).masked_fill(~HIDDEN, -math.inf))
    return torch.bmm(weights, v).unflatten(0, (2, 2))


def ours(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return attend(q, k, v, support=Causal()).output


@pytest.mark.parametrize(
    ("kernel", "how"),
    [
        (fused, FUSED), (masked, FUSED), (added, FUSED), (written, WRITTEN), (methods, WRITTEN),
        (by_hand, WRITTEN), (folded, WRITTEN), (ours, "reference"),
    ],
)  # fmt: skip
def test_the_weights_are_those_of_the_reference_whatever_computes_them(kernel, how: str) -> None:
    model = nn.Sequential(Own(kernel), nn.Linear(8, 3)).eval()
    before = model(X)
    with torch.no_grad(), Watch(model, batch=2) as seen:
        after = model(X)
    assert list(seen.looks) == ["0"]
    (look,) = seen.looks["0"]
    q, k, v = Own(kernel).qkv(X)
    right = attend(q, k, v, support=Causal(), backend="reference", weights=True).weights
    assert right is not None and look.weights.shape == (2, 2, 5, 5) and look.backend == how
    assert torch.allclose(look.weights, right, atol=1e-6)
    assert torch.allclose(after, before, atol=1e-6)


@pytest.mark.parametrize("wanted", [{}, {"need_weights": False}, {"average_attn_weights": False}])
@pytest.mark.parametrize("grad", [True, False])
def test_torchs_own_layer_gives_the_weights_of_every_head_and_what_was_asked_of_it(wanted, grad) -> None:
    layer = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    mask = ~HIDDEN
    with torch.set_grad_enabled(grad):
        before = layer(X, X, X, attn_mask=mask, **wanted)
        with Watch(layer, batch=2) as seen:
            after = layer(X, X, X, attn_mask=mask, **wanted)
    right = layer(X, X, X, attn_mask=mask, average_attn_weights=False)[1]
    (look,) = seen.looks[""]
    assert look.backend == LAYER and torch.allclose(look.weights, right, atol=1e-6)
    assert torch.allclose(after[0], before[0], atol=1e-6)
    assert (after[1] is None) == (before[1] is None)
    assert after[1] is None or torch.allclose(after[1], before[1], atol=1e-6)


def test_torchs_encoder_is_seen_where_it_would_take_a_fast_path() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, batch_first=True)
    model = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False).eval()
    with torch.no_grad(), Watch(model, batch=2) as seen:
        model(X)
    assert list(seen.looks) == [f"layers.{i}.self_attn" for i in range(3)]
    with torch.no_grad():
        right = model.layers[0].self_attn(X, X, X, average_attn_weights=False)[1]
    assert torch.allclose(seen.looks["layers.0.self_attn"][0].weights, right, atol=1e-6)


def test_grouped_heads_blind_queries_and_half_precision() -> None:
    q, k, v = torch.randn(1, 4, 3, 8), torch.randn(1, 2, 5, 8), torch.randn(1, 2, 5, 8)
    mask = torch.tensor([[True] * 5, [False] * 5, [True, False, True, False, True]])
    weights = dot_weights(q, k, v, attn_mask=mask, enable_gqa=True)
    right = attend(q, k, v, backend="reference", weights=True, support=__mask(mask)).weights
    assert right is not None and torch.allclose(weights, right, atol=1e-6)
    assert not weights[:, :, 1].any()
    half = dot_weights(q.half(), k.half(), attn_mask=mask, enable_gqa=True)
    assert half.dtype == torch.float16 and torch.allclose(half.float(), weights, atol=2e-3)


def test_a_scale_of_ones_own_is_heeded() -> None:
    q, k, v = torch.randn(3, 1, 2, 5, 4)
    right = attend(q, k, v, similarity=Dot(scale=0.3), backend="reference", weights=True).weights
    assert right is not None and torch.allclose(dot_weights(q, k, v, scale=0.3), right, atol=1e-6)
    assert torch.allclose(
        dot_weights(q, k, v, scale=0.3) @ v, F.scaled_dot_product_attention(q, k, v, scale=0.3), atol=1e-6
    )


def __mask(mask: Tensor):
    from regard.core.mask import Mask

    return Mask(mask)


def test_what_attend_does_inside_is_noted_once() -> None:
    model = MultiHead(width=8, heads=2).eval()
    with Watch(model, batch=2) as seen:
        model(X)
        model(X)
    assert [len(looks) for looks in seen.looks.values()] == [2]


@pytest.mark.parametrize("shape", [(12, 16), (2, 12, 16)])
def test_a_memory_of_learned_rows_is_looked_at(shape: tuple[int, ...]) -> None:
    class Memory(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.q, self.m = nn.Linear(16, 16), nn.Parameter(torch.randn(7, 16))

        def forward(self, x: Tensor) -> Tensor:
            return (self.q(x) @ self.m.T / 4).softmax(-1) @ self.m

    model, x = Memory(), torch.randn(shape)
    with torch.no_grad(), Watch(model) as seen:
        model(x)
    ((look,),) = seen.looks.values()
    assert torch.allclose(look.weights.squeeze(), (model.q(x) @ model.m.T / 4).softmax(-1))


def test_a_probability_of_classes_is_no_attention() -> None:
    class Classifier(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.mean(1).softmax(-1).log().sum()

    with Watch(Classifier()) as seen:
        seen.model(X)
    assert seen.looks == {}


@pytest.mark.slow
def test_a_compiled_model_is_seen_as_it_is_written() -> None:
    model = Own(fused).eval()
    compiled = torch.compile(model, backend="eager")
    compiled(X)
    with torch.no_grad(), Watch(compiled, batch=2) as seen:
        compiled(X)
    assert sum(map(len, seen.looks.values())) == 1


def test_our_graph_layers_give_a_weight_for_each_edge() -> None:
    edges = Edges(torch.tensor([0, 1, 2]), torch.tensor([1, 2, 0]), nodes=3).with_loops()
    layer = GraphAttention(4, 2, heads=3).eval()
    with Watch(layer) as seen:
        layer(torch.randn(3, 4), edges)
    (look,) = seen.looks[""]
    assert look.weights.shape == (1, 3, 6) and look.support is edges


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv", "TransformerConv", "GCNConv"])
def test_torch_geometrics_layers_give_a_weight_for_each_edge(name: str) -> None:
    layers = pytest.importorskip("torch_geometric.nn")
    layer = getattr(layers, name)(4, 2, **({} if name == "GCNConv" else {"heads": 3})).eval()
    x, index = torch.randn(3, 4), torch.tensor([[0, 1, 2, 0], [1, 2, 0, 1]])
    with torch.no_grad(), Watch(layer) as seen:
        layer(x, index)
    (look,) = seen.looks[""]
    assert look.backend == MESSAGES and isinstance(look.support, Edges)
    sums = torch.zeros(3, look.weights.shape[1]).index_add(0, look.support.target, look.weights[0].T)
    if name == "GCNConv":
        assert look.weights.shape == (1, 1, 7)
    else:
        right = layer(x, index, return_attention_weights=True)[1]
        assert torch.equal(torch.stack([look.support.source, look.support.target]), right[0])
        assert torch.allclose(look.weights[0].T, right[1].detach(), atol=1e-6)
        assert torch.allclose(sums, torch.ones_like(sums), atol=1e-5)


def test_a_sequence_without_a_batch_is_a_batch_of_one() -> None:
    layer = nn.MultiheadAttention(8, 2).eval()
    with Watch(layer, batch=1) as seen:
        layer(X[0], X[0], X[0])
    right = layer(X[0], X[0], X[0], average_attn_weights=False)[1]
    (look,) = seen.looks[""]
    assert torch.allclose(look.weights, right[None], atol=1e-6)


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile:UserWarning")
def test_flex_attention_is_seen_with_its_bias_its_mask_and_its_shared_heads() -> None:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    class Flex(nn.Module):
        def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
            n = q.shape[-2]
            past = create_block_mask(lambda b, h, i, j: i >= j, None, None, n, n, device="cpu")

            def nearer(score, b, h, i, j):
                return score - 0.3 * (h + 1) * (i - j)

            return flex_attention(q, k, v, score_mod=nearer, block_mask=past, scale=0.7, enable_gqa=True)

    torch.manual_seed(0)
    q, k, v = torch.randn(2, 4, 9, 8), torch.randn(2, 2, 9, 8), torch.randn(2, 2, 9, 5)
    with torch.no_grad(), Watch(Flex(), batch=2) as seen:
        output = seen.model(q, k, v)
    ((look,),) = seen.looks.values()
    far = torch.arange(9)[:, None] - torch.arange(9)
    scores = 0.7 * q @ k.repeat_interleave(2, 1).mT - 0.3 * torch.arange(1, 5)[:, None, None] * far
    expected = scores.masked_fill(far < 0, -torch.inf).softmax(-1)
    assert look.backend == FLEX and torch.allclose(look.weights, expected, atol=1e-5)
    assert torch.allclose(look.weights @ v.repeat_interleave(2, 1), output, atol=1e-5)
