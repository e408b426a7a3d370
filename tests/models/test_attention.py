"""The multi-head layer: equal to torch's own both ways, and its parts where they belong."""

import pytest
import torch
from torch import nn

from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.mask import Mask
from regard.core.normalise import Mean
from regard.core.position import Alibi, LearnedRelative, Rotary
from regard.core.similarity import Additive, Cosine
from regard.core.support import Causal
from regard.errors import RegardError
from regard.models.attention import MultiHead, split

X = torch.randn(2, 5, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
CONTEXT = torch.randn(2, 7, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def torchs(**options) -> nn.MultiheadAttention:
    torch.manual_seed(3)
    layer = nn.MultiheadAttention(6, 3, batch_first=True, dtype=torch.float64, **options)
    for parameter in layer.parameters():
        nn.init.normal_(parameter)
    return layer


@pytest.mark.parametrize(
    "options", [{}, {"bias": False}, {"kdim": 4, "vdim": 4}, {"kdim": 4, "vdim": 4, "bias": False}]
)
def test_torchs_weights_load_and_come_back(options):
    theirs = torchs(**options)
    ours = MultiHead.from_torch(theirs)
    back = ours.to_torch()
    context = CONTEXT if "kdim" in options else X
    expected = theirs(X, context, context)[0]
    assert torch.allclose(ours(X, context), expected, atol=1e-12)
    assert torch.allclose(back(X, context, context)[0], expected, atol=1e-12)
    given, returned = theirs.state_dict(), back.state_dict()
    assert {name: x.shape for name, x in given.items()} == {name: x.shape for name, x in returned.items()}
    assert all(torch.equal(given[name], returned[name]) for name in given)
    with torch.no_grad():
        ours.key.weight[0, 0] += 1
    assert not torch.allclose(ours(X, context), expected, atol=1e-3)


def test_causal_is_causal_there_too():
    theirs = torchs()
    hidden = torch.ones(5, 5, dtype=torch.bool).triu(1)
    expected = theirs(X, X, X, attn_mask=hidden)[0]
    ours = MultiHead.from_torch(theirs)
    assert torch.allclose(ours(X, support=Causal()), expected, atol=1e-12)
    assert torch.allclose(ours(X, support=Mask(~hidden)), expected, atol=1e-12)
    assert not torch.allclose(ours(X), expected, atol=1e-3)


def test_gradients_are_those_of_torchs():
    theirs = torchs()
    ours = MultiHead.from_torch(theirs)
    x, y = X.clone().requires_grad_(), X.clone().requires_grad_()
    theirs(x, x, x)[0].square().sum().backward()
    ours(y).square().sum().backward()
    assert torch.allclose(x.grad, y.grad, atol=1e-10)
    assert torch.allclose(theirs.in_proj_weight.grad[6:12], ours.key.weight.grad, atol=1e-10)


def test_the_mode_and_the_dropout_travel():
    layer = MultiHead.from_torch(torchs(dropout=0.5).eval())
    assert not layer.training
    assert layer.dropout == layer.to_torch().dropout == 0.5
    assert torch.equal(layer(X), layer(X))
    layer.train()
    assert not torch.equal(layer(X), layer(X))


def test_factors_with_parameters_belong_to_the_layer():
    layer = MultiHead(width=6, heads=3, similarity=Additive(3, 2), position=LearnedRelative(3, 2))
    names = {name for name, _ in layer.named_parameters()}
    assert {"similarity.target", "similarity.source", "position.p"} <= names


@pytest.mark.parametrize(
    "factor", [{"position": Alibi((1.0, 2.0, 3.0))}, {"similarity": Cosine()}, {"normalise": Mean()}], ids=str
)
def test_every_factor_reaches_attend(factor):
    layer = MultiHead(width=6, heads=3, **factor).double()
    parts = [split(part(X), 3) for part in (layer.query, layer.key, layer.value)]
    output = layer.out(attend(*parts, **factor).output.transpose(1, 2).flatten(2))
    plain = layer.out(attend(*parts).output.transpose(1, 2).flatten(2))
    assert torch.allclose(layer(X), output, atol=1e-12)
    assert not torch.allclose(layer(X), plain, atol=1e-4)


def test_fewer_key_heads_positions_and_edges():
    layer = MultiHead(width=6, heads=3, kv_heads=1, position=Rotary(), bias=False).double()
    assert layer.key.weight.shape == (2, 6)
    edges = Edges(torch.tensor([0, 1]), torch.tensor([1, 2]), nodes=5)
    output = layer(X, support=edges)
    assert output.shape == (2, 5, 6)
    assert (output[:, 0] == 0).all()
    assert (output[:, 1] != 0).any()


def message(make) -> str:
    with pytest.raises(RegardError) as error:
        make()
    return str(error.value)


def test_what_does_not_fit_is_told_in_three_lines():
    assert message(lambda: MultiHead(width=6, heads=4)) == (
        "heads share the width evenly, and key heads the heads\n"
        "  got: width=6, heads=4, kv_heads=4\n"
        "  fix: choose heads that divide the width, and key heads that divide the heads"
    )
    assert message(lambda: MultiHead.from_torch(torchs(add_zero_attn=True))) == (
        "this nn.MultiheadAttention has parts that attention over given keys has not\n"
        "  got: add_bias_kv=False, add_zero_attn=True, kdim=6, vdim=6\n"
        "  fix: build it without add_bias_kv and add_zero_attn, with kdim equal to vdim"
    )
    assert message(
        lambda: MultiHead(width=6, heads=3, kv_heads=1, position=Alibi((1.0, 1.0, 1.0))).to_torch()
    ) == (
        "nn.MultiheadAttention knows scaled dot products under a softmax alone\n"
        "  got: 1 key heads of 3, Dot(scale=None), Alibi(slopes=(1.0, 1.0, 1.0), offset=None), Softmax()\n"
        "  fix: keep this layer, or build it with as many key heads and no other factors"
    )
