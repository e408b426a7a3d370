"""A U-Net against the same network written in functions, its sizes, its grid, and what it refuses."""

import itertools

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from regard.errors import RegardError
from regard.models.unet import Down, Stage, UNet, Up, middle


def stage(x: Tensor, weights: dict[str, Tensor], name: str, padding: int) -> Tensor:
    """A stage, in evaluation, from torch's functions and running statistics."""
    for convolution, norm in (("0", "1"), ("3", "4")):
        x = F.conv2d(x, weights[f"{name}.{convolution}.weight"], padding=padding)
        parts = (
            weights[f"{name}.{norm}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")
        )
        x = F.relu(F.batch_norm(x, *parts))
    return x


def by_functions(model: UNet, x: Tensor) -> Tensor:
    """The whole network of depth 2 with all skips, spelled out."""
    weights, padding = model.state_dict(), int(model.padded)
    top = stage(x, weights, "first", padding)
    between = stage(F.max_pool2d(top, 2, ceil_mode=model.padded), weights, "down.0.stage", padding)
    x = stage(F.max_pool2d(between, 2, ceil_mode=model.padded), weights, "down.1.stage", padding)
    for number, skip in enumerate((between, top)):
        x = F.conv_transpose2d(
            x, weights[f"up.{number}.rise.weight"], weights[f"up.{number}.rise.bias"], stride=2
        )
        rows, columns = (min(a, b) for a, b in zip(x.shape[2:], skip.shape[2:], strict=True))
        first, left = ((a - b) // 2 for a, b in zip(skip.shape[2:], (rows, columns), strict=True))
        skip = skip[:, :, first : first + rows, left : left + columns]
        x = stage(torch.cat([skip, x[:, :, :rows, :columns]], 1), weights, f"up.{number}.stage", padding)
    return F.conv2d(x, weights["head.weight"], weights["head.bias"])


def lively(model: UNet) -> UNet:
    """The network in float64 and evaluation, its norms away from where they start."""
    model.double().eval()
    for name, value in model.state_dict().items():
        if "running_mean" in name:
            value.copy_(0.1 * torch.randn_like(value))
        if "running_var" in name:
            value.copy_(0.1 + 0.1 * torch.rand_like(value))
    return model


@pytest.mark.parametrize(
    ("padded", "size"), [(True, (23, 30)), (True, (17, 19)), (False, (47, 52)), (False, (44, 44))]
)
def test_it_is_the_network_spelled_out_in_functions(padded: bool, size: tuple[int, int]) -> None:
    model = lively(UNet(channels=2, classes=3, width=3, depth=2, padded=padded))
    x = torch.randn(2, 2, *size, dtype=torch.float64)
    expected = by_functions(model, x)
    assert torch.allclose(model(x), expected, atol=1e-12)
    assert expected.shape[2:] == tuple(map(model.output_size, size))


def test_the_rise_is_one_square_of_four_for_each_pixel() -> None:
    """A transposed convolution with stride 2 by a loop over pixels, channels and corners."""
    up = Up(3, 2, skip=False).double()
    x = torch.randn(1, 3, 2, 3, dtype=torch.float64)
    expected = up.rise.bias.detach().view(1, 2, 1, 1).repeat(1, 1, 4, 6)
    for i, j, a, b, c, w in itertools.product(range(2), range(3), range(2), range(2), range(3), range(2)):
        expected[0, w, 2 * i + a, 2 * j + b] += x[0, c, i, j] * up.rise.weight[c, w, a, b].detach()
    assert torch.allclose(up.rise(x), expected, atol=1e-12)


@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.parametrize("rows", range(17, 41))
def test_up_after_down_keeps_every_size(rows: int, skip: bool) -> None:
    down, up = Down(2, 4).eval(), Up(4, 2, skip=skip).eval()
    x = torch.randn(1, 2, rows, 57 - rows)
    assert up(down(x), x).shape == x.shape


def test_a_pool_that_rounds_down_would_be_seen() -> None:
    down, up = Down(2, 4).eval(), Up(4, 2, skip=False).eval()
    down.pool.ceil_mode = False
    x = torch.randn(1, 2, 17, 40)
    assert up(down(x), x).shape != x.shape


@given(
    depth=st.integers(0, 4),
    rows=st.integers(1, 41),
    columns=st.integers(1, 41),
    skips=st.sets(st.integers(0, 3)),
)
def test_padded_it_keeps_any_size_at_any_depth(depth: int, rows: int, columns: int, skips: set[int]) -> None:
    levels = {level for level in skips if level < depth}
    model = UNet(channels=1, classes=2, width=1, depth=depth, skips=levels).eval()
    assert model(torch.zeros(1, 1, rows, columns)).shape == (1, 2, rows, columns)


@given(depth=st.integers(0, 3), rows=st.integers(1, 120), columns=st.integers(90, 120))
def test_unpadded_the_size_is_foretold(depth: int, rows: int, columns: int) -> None:
    model = UNet(channels=1, classes=2, width=1, depth=depth, padded=False).eval()
    x, foretold = torch.zeros(1, 1, rows, columns), model.output_size(rows)
    if foretold:
        assert model(x).shape[2:] == (foretold, model.output_size(columns))
    else:
        with pytest.raises(RegardError, match="without padding"):
            model(x)


def test_the_sizes_of_the_paper() -> None:
    paper = UNet(channels=1, classes=2, width=1, depth=4, padded=False)
    assert paper.output_size(572) == 388 and paper.output_size(188) == 4 and paper.output_size(183) == 0


@pytest.mark.slow
def test_the_parameters_of_the_paper_sized_network() -> None:
    """Counted by formula: convolutions 9 ab without bias, norms 2b, rises 4ab + b, head."""
    count = sum(one.numel() for one in UNet(channels=3, classes=2, width=64, depth=4).parameters())

    def twice(a: int, b: int) -> int:
        return 9 * a * b + 9 * b * b + 4 * b

    widths = [64, 128, 256, 512, 1024]
    pairs = list(itertools.pairwise(widths))
    down = sum(twice(a, b) for a, b in pairs)
    up = sum(4 * b * a + a + twice(2 * a, a) for a, b in pairs)
    assert count == twice(3, 64) + down + up + 64 * 2 + 2 == 31_037_698


def test_without_skips_it_is_the_network_whose_skips_weigh_nothing() -> None:
    whole = lively(UNet(channels=1, classes=2, width=3, depth=2))
    bare = lively(UNet(channels=1, classes=2, width=3, depth=2, skips=()))
    for name, value in bare.state_dict().items():
        given = whole.state_dict()[name]
        if value.shape == given.shape:
            value.copy_(given)
        else:
            half = given.shape[1] // 2
            given[:, :half] = 0
            value.copy_(given[:, half:])
    x = torch.randn(2, 1, 13, 17, dtype=torch.float64)
    assert torch.allclose(whole(x), bare(x), atol=1e-12)
    assert not torch.allclose(lively(UNet(channels=1, classes=2, width=3, depth=2))(x), bare(x))


def test_a_cut_skip_no_longer_knows_where() -> None:
    """What comes beside the risen picture is, at every place, the skip's own mean."""
    torch.manual_seed(0)
    model = lively(UNet(channels=1, classes=2, width=3, depth=1))
    heard: list[Tensor] = []
    model.up[0].stage.register_forward_pre_hook(lambda _, given: heard.append(given[0][:, :3].detach()))
    x = torch.randn(1, 1, 16, 16, dtype=torch.float64)
    model(x, cut={0})
    model(x)
    flat, alive = (one.flatten(2) for one in heard)
    assert (
        torch.allclose(flat, alive.mean(-1, keepdim=True).expand_as(flat))
        and float(flat.std(-1).max()) < 1e-12
    )
    assert float(alive.std(-1).max()) > 0.01


@pytest.mark.slow
@given(shift=st.integers(-9, 9))
def test_it_moves_with_the_picture_by_its_grid_alone(shift: int) -> None:
    """Away from the borders a shift by 2^depth moves the scores along, another does not."""
    torch.manual_seed(0)
    model = lively(UNet(channels=1, classes=2, width=4, depth=2))
    x = torch.zeros(1, 1, 8, 96, dtype=torch.float64)
    x[..., 40:56] = torch.randn(1, 1, 8, 16, dtype=torch.float64)
    with torch.no_grad():
        change = (model(x.roll(shift, 3)).roll(-shift, 3) - model(x))[..., 40:56].abs().max()
    assert (float(change) < 1e-12) == (shift % 4 == 0)


def test_one_of_a_batch_is_as_alone() -> None:
    model = lively(UNet(channels=1, classes=2, width=3, depth=2))
    x = torch.randn(3, 1, 11, 13, dtype=torch.float64)
    assert torch.allclose(model(x)[1:2], model(x[1:2]), atol=1e-12)


def test_gradients_reach_every_parameter() -> None:
    model = UNet(channels=1, classes=2, width=2, depth=2)
    model(torch.randn(2, 1, 12, 12)).square().sum().backward()
    assert all(one.grad is not None and one.grad.abs().sum() > 0 for one in model.parameters())


def test_the_middle_of_a_mask() -> None:
    mask = torch.arange(30).view(5, 6)
    assert torch.equal(middle(mask, torch.zeros(2, 1, 3, 2)), mask[1:4, 2:4])
    assert torch.equal(middle(mask, mask), mask)


def told(call) -> str:
    with pytest.raises(RegardError) as raised:
        call()
    return str(raised.value)


def test_what_does_not_fit_is_told_in_three_lines() -> None:
    model = UNet(channels=1, classes=2, width=1, depth=2, padded=False)
    assert told(lambda: model(torch.zeros(1, 3, 64, 64))) == (
        "this U-Net reads 1 channels\n  got: 3 channels\n  fix: build it with channels=3, or pass other pictures"
    )
    assert told(lambda: model(torch.zeros(1, 1, 64, 12))) == (
        "without padding this U-Net needs pictures of 44 by 44 pixels\n  got: 64 by 12 pixels\n"
        "  fix: pass larger pictures, or build it with a smaller depth or padded=True"
    )
    bare = UNet(channels=1, classes=2, width=1, depth=2, skips=(1,))
    assert told(lambda: bare(torch.zeros(1, 1, 8, 8), cut=(0,))) == (
        "a cut names a level that has no skip\n  got: level 0, skips at [1]\n  fix: cut levels that have one"
    )
    assert told(lambda: UNet(channels=1, classes=0)) == (
        "UNet: classes is a whole number from 1 to 1000000000\n  got: classes=0\n  fix: pass classes=1 or more"
    )
    assert told(lambda: UNet(channels=1, classes=2, depth=2, skips=(2,))) == (
        "a U-Net of depth 2 has the levels 0 to 1\n  got: skips=[2]\n"
        "  fix: name levels it has; skips=None is all of them, skips=() none"
    )
    assert told(lambda: UNet(channels=1, classes=2, depth=0, skips=(0,))).startswith(
        "a U-Net of depth 0 has no skips\n"
    )


def test_a_stage_without_padding_takes_two_pixels_off_each_side() -> None:
    inner = Stage(1, 2, padded=False).eval()
    outer = Stage(1, 2).eval()
    outer.load_state_dict(inner.state_dict())
    x = torch.randn(1, 1, 9, 11)
    assert torch.allclose(inner(x), outer(x)[..., 2:-2, 2:-2], atol=1e-6)
