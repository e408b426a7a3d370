"""What is computed once for each different window is what torch's convolutions compute everywhere."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from regard.experiments.images.padding.fast_convolution import Lit, light, score
from regard.experiments.images.padding.networks import BORDERS, Net1, Net2
from regard.experiments.images.padding.pictures import red_green


def both(
    net: Net1 | Net2, pictures: torch.Tensor, batch: Lit, classes: torch.Tensor
) -> list[list[torch.Tensor]]:
    """Scores and gradients, by torch's convolutions and by windows."""
    sides = []
    for scores in (net(pictures.float()), score(net, batch)):
        slopes = torch.autograd.grad(F.cross_entropy(scores, classes), list(net.parameters()))
        sides.append([scores.detach(), *slopes])
    return sides


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Net1, Net2])
@pytest.mark.parametrize("name", BORDERS)
@pytest.mark.parametrize("swapped", [False, True])
def test_scores_and_gradients_are_those_of_torch(
    kind: type[Net1] | type[Net2], name: str, swapped: bool
) -> None:
    torch.manual_seed(0)
    net = kind(BORDERS[name])
    pictures, classes = red_green(12, seed=5, swapped=swapped)
    for dense, lit in zip(*both(net, pictures, light(pictures, BORDERS[name]), classes), strict=True):
        torch.testing.assert_close(lit, dense, atol=1e-6, rtol=1e-4)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.sampled_from(sorted(BORDERS)), st.floats(0.01, 0.9))
def test_any_picture_will_do(seed: int, name: str, share: float) -> None:
    """Pictures of noise: many colours, lit borders, windows that are all different."""
    generator = torch.Generator().manual_seed(seed)
    lit = torch.rand(3, 1, 32, 32, generator=generator) < share
    pictures = (torch.randint(0, 3, (3, 3, 32, 32), generator=generator) * lit).byte()
    net = Net1(BORDERS[name])
    torch.testing.assert_close(
        score(net, light(pictures, BORDERS[name])), net(pictures.float()), atol=1e-5, rtol=1e-4
    )


def test_a_batch_of_black_has_no_windows() -> None:
    pictures, net = torch.zeros(2, 3, 32, 32, dtype=torch.uint8), Net1(BORDERS["sconv"])
    batch = light(pictures, BORDERS["sconv"])
    assert [len(reach.seen) for reach in batch.reaches] == [0, 0, 0, 0]
    torch.testing.assert_close(score(net, batch), net.head.bias.expand(2, 2))


def test_the_wrong_border_would_be_seen() -> None:
    pictures, classes = red_green(12, seed=5)
    torch.manual_seed(0)
    dense, lit = both(Net2(BORDERS["replicate"]), pictures, light(pictures, BORDERS["circular"]), classes)
    assert (dense[0] - lit[0]).abs().max() > 1e-3


def test_few_windows_differ() -> None:
    pictures, _ = red_green(200, seed=42)
    sizes = BORDERS["fconv"].sizes(32)
    for reach, side, most in zip(
        light(pictures, BORDERS["fconv"]).reaches, sizes, (100, 400, 800, 2000), strict=True
    ):
        assert len(reach.seen) < most < 200 * side**2
