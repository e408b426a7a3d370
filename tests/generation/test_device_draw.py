"""The draw by kernels is that of the sampler: its shortlist, its distribution, its ties."""

import pytest
import torch

from kernels import DEVICE  # before Triton, whose interpreter it chooses

# isort: split
import triton
import triton.language as tl

from regard.generation import device_draw
from regard.generation.device_draw import DeviceDraw, can
from regard.generation.sampling import Sampler


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of eight logits."""
    monkeypatch.setattr(device_draw, "PART", 8)


def logits() -> torch.Tensor:
    """Four rows: any, many equal, all equal, large."""
    torch.manual_seed(0)
    x = torch.randn(4, 19)
    x[1], x[2], x[3] = x[1].round(), 0.0, x[3] * -50
    return x.to(DEVICE)


def drawn(sampler: Sampler, x: torch.Tensor, times: int, seed: int = 1) -> torch.Tensor:
    draw = DeviceDraw(sampler, len(x), times, x.device)
    draw.begin(torch.Generator().manual_seed(seed))
    ids = torch.zeros(len(x), dtype=torch.long, device=x.device)
    for _ in range(times):
        draw.choose(x, ids)
    assert torch.equal(ids, draw.kept[:, -1])
    return draw.kept


@pytest.mark.slow
@pytest.mark.parametrize("sampler", [Sampler(temperature=0.0), Sampler(top_k=1)])
def test_the_largest_is_the_first_of_the_largest(sampler: Sampler) -> None:
    x = logits()
    assert torch.equal(drawn(sampler, x, 1)[:, 0], Sampler(temperature=0.0).choose(x))


@pytest.mark.slow
@pytest.mark.parametrize("sampler", [Sampler(top_k=4), Sampler(temperature=0.7, top_k=11), Sampler()])
def test_draws_have_the_samplers_distribution(sampler: Sampler) -> None:
    x, times = logits(), 400 if DEVICE == "cuda" else 8
    p = sampler.distribution(x)
    kept = drawn(sampler, x, times)
    shares = torch.stack([torch.bincount(row, minlength=x.shape[1]) for row in kept]) / times
    assert not shares[p == 0].any()
    # Five standard deviations of the share of one token.
    assert bool(((shares - p).abs() < 5 * (p * (1 - p) / times).sqrt() + 1e-6).all())


@triton.jit
def uniform(out, seed, step, V, BLOCK: tl.constexpr):
    """Triton's random numbers of a step: row by row, a number for each token."""
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    tl.store(out + row * V + i, tl.rand(tl.load(seed) + tl.load(step), row * V + i), i < V)


@pytest.mark.slow
@pytest.mark.parametrize("sampler", [Sampler(top_k=4), Sampler(temperature=0.7, top_k=11), Sampler()])
def test_a_draw_is_the_largest_of_the_shortlist_after_gumbel_noise(sampler: Sampler, monkeypatch) -> None:
    """Each token by a formula written apart: the argmax of logit / T - log(-log u) where p > 0."""
    x, times = logits(), 5
    allowed = sampler.distribution(x) > 0
    draw = DeviceDraw(sampler, len(x), times, x.device)
    draw.begin(torch.Generator().manual_seed(7))
    wanted, u = [], torch.empty_like(x)
    for step in torch.arange(times, device=x.device):
        uniform[(len(x),)](u, draw.seed, step, x.shape[1], BLOCK=32)
        noisy = x / sampler.temperature - u.clamp(min=1e-10).log().neg().log()
        wanted.append(noisy.masked_fill(~allowed, -torch.inf).argmax(1))
    # Room that was used before and holds large numbers.
    monkeypatch.setattr(torch, "empty", lambda *shape, **words: torch.full(shape, 100, **words))
    ids = torch.zeros(len(x), dtype=torch.long, device=x.device)
    for _ in range(times):
        draw.choose(x, ids)
    assert torch.equal(draw.kept, torch.stack(wanted, 1))


@pytest.mark.slow
@pytest.mark.parametrize("sampler", [Sampler(temperature=0.0), Sampler(top_k=2), Sampler()])
def test_what_lies_behind_a_row_is_not_of_it(sampler: Sampler) -> None:
    room = torch.full((2, 24), 50.0, device=DEVICE)
    room[:, :19] = logits()[:2]
    assert bool((drawn(sampler, room[:, :19], 3) < 19).all())


@pytest.mark.slow
def test_a_seed_says_what_is_drawn() -> None:
    x = logits()
    first, again, other = (drawn(Sampler(top_k=9), x, 6, seed) for seed in (3, 3, 4))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_what_the_kernels_do_not_know_is_left_to_torch() -> None:
    widest = device_draw.PART * device_draw.MOST // 16
    assert can(Sampler(top_k=16), widest) and not can(Sampler(top_k=16), widest + 1)
    assert can(Sampler(top_k=9, top_p=1.0), widest) and not can(Sampler(top_k=17), widest)
    for sampler in (Sampler(top_p=0.9), Sampler(min_p=0.1), Sampler(penalty=1.2)):
        assert not can(sampler, 8)
    assert not can(Sampler(top_k=1 << 15), 1 << 16)


@pytest.mark.slow
def test_each_of_the_shortlist_can_be_drawn_and_of_equal_ones_the_first() -> None:
    """Two of three that are equal: the second is the last of the shortlist, and comes as often as the first."""
    x = torch.tensor([[0.0, 3.0, 3.0, 3.0, -1.0]], device=DEVICE)
    assert set(drawn(Sampler(top_k=2), x, 12)[0].tolist()) == {1, 2}
