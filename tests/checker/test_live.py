"""What is in hand, as in a notebook."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from regard.checker.live import check
from regard.errors import RegardError
from regard.models.graph.layers import GraphAttention


class GatedThing(nn.Module):
    def forward(self, x):
        return x


class RotaryEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("inv_freq", 10000 ** (-torch.arange(0, dim, 2) / dim))

    def forward(self, x):
        angles = torch.outer(torch.arange(x.shape[-2]), self.inv_freq).repeat_interleave(2, -1).to(x)
        turned = torch.stack([-x[..., 1::2], x[..., 0::2]], -1).flatten(-2)
        return x * angles.cos() + turned * angles.sin()


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads, self.block_size = heads, length
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        assert x.shape[1] <= self.block_size
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.c_attn(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).flatten(2))


def rms_norm(x, weight, eps=1e-5):
    return x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * weight


def test_a_function_is_known_by_its_name() -> None:
    report = check(rms_norm)
    assert report.code == 0
    assert report.verdicts[0].contract == "rms-norm"
    assert "<b style='color:#1a7f37'>correct</b> rms_norm as rms-norm" in report._repr_html_()
    assert str(report).startswith("correct  rms_norm as rms-norm")


@pytest.mark.slow
def test_a_class_of_torch_is_judged_too() -> None:
    assert check(nn.LayerNorm).code == 0
    assert check(nn.RMSNorm(24)).code == 0


OBJECTS = {
    "LayerNorm": lambda: nn.LayerNorm(32),
    "RMSNorm": lambda: nn.RMSNorm(32),
    "MultiheadAttention": lambda: nn.MultiheadAttention(32, 4, batch_first=True),
    "sequence first": lambda: nn.MultiheadAttention(32, 4),
    "GCNConv": lambda: pytest.importorskip("torch_geometric.nn").GCNConv(5, 4),
    "GATConv": lambda: pytest.importorskip("torch_geometric.nn").GATConv(5, 4, heads=2),
    "GraphAttention": lambda: GraphAttention(5, 4, heads=2),
    "rotary": lambda: RotaryEmbedding(6),
    "short": lambda: CausalSelfAttention(8, 2, 4),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_is_judged_at_its_own_sizes(name: str) -> None:
    report = check(OBJECTS[name]())
    assert report.code == 0, str(report)


class LayerNormOf32(nn.LayerNorm):
    def __init__(self) -> None:
        super().__init__(32)


def test_a_class_of_fixed_sizes_is_judged_at_these() -> None:
    assert check(LayerNormOf32, contract="layer-norm").code == 0


def test_one_vector_for_each_of_two_heads_is_not_one_for_both() -> None:
    report = check(pytest.importorskip("torch_geometric.nn").GATConv(5, 4, heads=2))
    assert "attention-shared" not in {f.slug for f in report.verdicts[0].findings}


def test_a_map_that_nobody_hears_is_told() -> None:
    with pytest.raises(RegardError) as caught:
        check(nn.LayerNorm(32), map={"gian": "weight"})
    told = "--map names what has no effect here\n  got: 'gian=weight'\n  fix: did you mean 'gain'?"
    assert str(caught.value) == told


def test_what_looks_like_nothing_is_told() -> None:
    with pytest.raises(RegardError, match="this looks like no contract"):
        check(GatedThing)
