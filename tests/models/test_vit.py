"""Attention on pixels against loops and torch's own layers; what moves with the picture and what does not."""

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from regard.core.attend import attend
from regard.core.support import Full
from regard.core.trace import trace
from regard.errors import RegardError
from regard.models.vit import Convolving, GridRelative, PatchTransformer, Sight, patches, square

SMALL = {"side": 12, "patch": 3, "width": 8, "heads": 2, "depth": 2, "classes": 5}


def test_patches_by_a_loop() -> None:
    x = torch.randn(2, 3, 6, 8)
    found = patches(x, 2)
    for row, column in itertools.product(range(3), range(4)):
        expected = x[:, :, 2 * row : 2 * row + 2, 2 * column : 2 * column + 2].flatten(1)
        assert torch.equal(found[:, 4 * row + column], expected)


def test_a_relative_position_is_a_number_for_each_step() -> None:
    position = GridRelative(2, (3, 5))
    nn.init.normal_(position.p)
    bias = position.bias(torch.arange(15).unsqueeze(1), torch.arange(15))
    for i, j in itertools.product(range(15), range(15)):
        down, right = j // 5 - i // 5, j % 5 - i % 5
        assert torch.equal(bias[:, i, j], position.p[:, down + 2, right + 4])


def test_a_relative_position_serves_every_backend_alike() -> None:
    position = GridRelative(2, (3, 3)).double()
    nn.init.normal_(position.p)
    q, k, v = (torch.randn(2, 2, 9, 4, dtype=torch.float64) for _ in range(3))
    outputs = [attend(q, k, v, position=position, backend=name).output for name in ("reference", "sdpa")]
    assert torch.allclose(*outputs, atol=1e-12)


def test_a_block_is_torchs_own_encoder_layer() -> None:
    """Without positions and with all in sight, each block is a pre-norm encoder layer of torch."""
    model = PatchTransformer(Sight(**SMALL, position="none")).double().eval()
    block = model.blocks[0]
    peer = (
        nn.TransformerEncoderLayer(8, 2, 32, 0.0, "gelu", batch_first=True, norm_first=True).double().eval()
    )
    peer.self_attn = block.attention.to_torch().eval()
    for ours, theirs in (
        (block.attention_norm, peer.norm1),
        (block.mlp_norm, peer.norm2),
        (block.mlp[0], peer.linear1),
        (block.mlp[2], peer.linear2),
    ):
        theirs.load_state_dict(ours.state_dict())
    x = torch.randn(3, 16, 8, dtype=torch.float64)
    assert torch.allclose(block(x, Full()), peer(x), atol=1e-12)


def moved(x: Tensor, by: int) -> Tensor:
    return x.roll(by, 3)


def test_without_positions_the_order_of_patches_is_not_seen() -> None:
    blind = PatchTransformer(Sight(**SMALL, position="none")).double()
    x = torch.randn(2, 1, 12, 12, dtype=torch.float64)
    mixed = x.view(2, 1, 4, 3, 4, 3)[:, :, torch.randperm(4)][:, :, :, :, torch.randperm(4)].reshape_as(x)
    assert torch.allclose(blind(mixed), blind(x), atol=1e-12) and not torch.allclose(mixed, x)
    for kind in ("learned", "relative"):
        seeing = PatchTransformer(Sight(**SMALL, position=kind)).double()
        for block in seeing.blocks:
            if block.attention.position is not None:
                nn.init.normal_(block.attention.position.p)
        assert not torch.allclose(seeing(mixed), seeing(x), atol=1e-6)


def test_a_local_layer_sees_no_farther_than_its_reach_times_its_depth() -> None:
    model = PatchTransformer(Sight(**{**SMALL, "side": 21}, reach=1, position="relative")).double()
    x = torch.randn(1, 1, 21, 21, dtype=torch.float64, requires_grad=True)
    model.look(x)[0, 24].sum().backward()
    assert x.grad is not None
    touched = patches(x.grad, 3)[0].abs().sum(1).view(7, 7) > 0
    rows, columns = (torch.arange(7).view(shape) - 3 for shape in ((7, 1), (1, 7)))
    assert torch.equal(touched, (rows.abs() <= 2) & (columns.abs() <= 2))


@pytest.mark.slow
@given(by=st.integers(-5, 5))
def test_a_local_model_moves_with_the_picture_by_whole_patches(by: int) -> None:
    """Far from the borders a shift by the patch moves the tokens along; another does not."""
    torch.manual_seed(1)
    model = PatchTransformer(Sight(side=30, patch=2, width=8, heads=2, depth=2, reach=1, position="relative"))
    model.double()
    x = torch.zeros(1, 1, 30, 30, dtype=torch.float64)
    x[..., 12:18, 12:18] = torch.randn(6, 6, dtype=torch.float64)
    still, shifted = (model.look(one).view(15, 15, 8) for one in (x, moved(x, by)))
    whole = by // 2
    same = torch.allclose(shifted[5:10, 5 + whole : 10 + whole], still[5:10, 5:10], atol=1e-10)
    assert same == (by % 2 == 0)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kernel", [1, 3, 5])
def test_heads_of_one_step_are_torchs_convolution(kernel: int, bias: bool) -> None:
    convolution = nn.Conv2d(3, 7, kernel, padding=kernel // 2, bias=bias).double()
    x = torch.randn(2, 3, 6, 5, dtype=torch.float64, requires_grad=True)
    layer = Convolving.from_torch(convolution, (6, 5))
    found, expected = layer(x), convolution(x)
    assert torch.allclose(found, expected, atol=1e-12)
    along = torch.randn_like(expected)
    pulls = [torch.autograd.grad((one * along).sum(), x)[0] for one in (found, expected)]
    assert torch.allclose(*pulls, atol=1e-12)


def test_a_softmax_over_one_key_would_do_as_well() -> None:
    convolution = nn.Conv2d(2, 3, 3, padding=1).double()
    layer = Convolving.from_torch(convolution, (4, 5))
    x = torch.randn(1, 2, 4, 5, dtype=torch.float64)
    cells = x.flatten(2).mT.unsqueeze(1).expand(-1, 9, -1, -1)
    soft = attend(cells, cells, cells, support=layer.support).output
    found = layer.out(soft.transpose(1, 2).flatten(2)).mT.unflatten(2, (4, 5))
    assert torch.allclose(found, convolution(x), atol=1e-12)


def test_a_filter_turned_around_would_be_seen() -> None:
    convolution = nn.Conv2d(1, 2, 3, padding=1).double()
    layer = Convolving.from_torch(convolution, (5, 5))
    with torch.no_grad():
        layer.out.weight.copy_(layer.out.weight.flip(1))
    x = torch.randn(1, 1, 5, 5, dtype=torch.float64)
    assert not torch.allclose(layer(x), convolution(x), atol=1e-3)


def test_a_trace_names_every_layer_and_its_rows_sum_to_one() -> None:
    model = PatchTransformer(Sight(**SMALL, reach=1))
    with trace(model) as seen:
        model(torch.randn(2, 1, 12, 12))
    assert list(seen.looks) == ["blocks.0.attention", "blocks.1.attention"]
    weights = seen.looks["blocks.1.attention"][0].weights
    assert weights.shape == (2, 2, 16, 16) and torch.allclose(weights.sum(-1), torch.ones(2, 2, 16))
    assert (weights[:, :, 0] > 0).sum(-1).unique().tolist() == [4]


def told(call) -> str:
    with pytest.raises(RegardError) as raised:
        call()
    return str(raised.value)


def test_what_does_not_fit_is_told_in_three_lines() -> None:
    model = PatchTransformer(Sight(**SMALL))
    assert told(lambda: model(torch.zeros(1, 3, 12, 12))) == (
        "the pictures are not of the size that this transformer was made for\n"
        "  got: (3, 12, 12), made for (1, 12, 12)\n"
        "  fix: pass pictures as number, channel, row, column, of that size"
    )
    assert told(lambda: Sight(side=28, patch=5)) == (
        "patches cover a picture without a rest\n  got: side=28, patch=5\n  fix: choose a patch that divides the side"
    )
    wrong = Sight()
    # Behind the constructor's back: where shapes are checked it refuses unknown names in other words.
    object.__setattr__(wrong, "position", "relativ")
    assert told(wrong.__post_init__) == (
        "no position of that name\n  got: 'relativ'\n  fix: did you mean 'relative'?"
    )
    assert (
        told(lambda: Sight(reach=-1))
        == "reach is a distance\n  got: reach=-1\n  fix: pass 0 or more, or None for all"
    )
    strided = nn.Conv2d(1, 2, 3, stride=2, padding=1)
    assert told(lambda: Convolving.from_torch(strided, (4, 4))) == (
        "only a convolution that keeps the size, with a border of zeros, is one layer of attention\n"
        f"  got: {strided}\n"
        "  fix: take an odd square kernel k with padding=k // 2, stride 1, dilation 1 and one group"
    )
    assert told(lambda: attend(*[torch.zeros(1, 3, 4, 2)] * 3, position=GridRelative(2, (2, 2)))).startswith(
        "GridRelative was made for other heads\n  got: 2 tables, 3 heads"
    )


def test_the_square_around_a_cell() -> None:
    assert square(0) == [(0, 0)] and len(square(2)) == 25 and square(2)[12] == (0, 0)
