"""Each differentiable sum alone: its gradient is the numerical one, and only what is needed is computed."""

from functools import partial

import pytest
import torch

from regard.core.backends.edges import native
from regard.core.backends.edges import torch_sums as eager
from regard.core.backends.edges.autograd import (
    AdditiveSoftmax,
    Neighbours,
    Sampled,
    Scaled,
    SharedAdditiveSoftmax,
    Totals,
    Weighted,
)
from regard.core.edges import Edges

EDGES = Edges(torch.tensor([4, 0, 3, 1, 2, 0]), torch.tensor([1, 1, 0, 2, 0, 2]), sizes=(3, 5))


def rand(*shape: int) -> torch.Tensor:
    source = torch.Generator().manual_seed(sum(shape))
    return torch.randn(2, 2, *shape, dtype=torch.double, generator=source).requires_grad_()


@pytest.fixture(params=["compiled", "torch alone"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "compiled" and native.missing():
        pytest.skip(f"no compiled sums here: {native.missing()}")
    if request.param == "torch alone":
        monkeypatch.setenv("REGARD_NATIVE", "0")
    return request.param


@pytest.mark.slow
@pytest.mark.usefixtures("way")
def test_gradients_are_the_numerical_ones() -> None:
    check = partial(torch.autograd.gradcheck, fast_mode=True)
    outer, inner, keep = torch.rand(3).double(), torch.rand(5).double(), torch.rand(2, 2, 6).double()
    assert check(lambda v: Scaled.apply(EDGES, outer, inner, v), rand(5, 3))
    assert check(lambda w, v: Weighted.apply(EDGES, w, v), (rand(6), rand(5, 3)))
    assert check(lambda q, k: Sampled.apply(EDGES, q, k), (rand(3, 7), rand(5, 7)))
    for side, ends in ((EDGES.targets, EDGES.sorted.target), (EDGES.sources, EDGES.sorted.source)):
        assert check(lambda x, side=side, ends=ends: Totals.apply(side, ends, x), rand(6))
    for held in (keep, None):
        parts = (rand(3), rand(5), rand(6), rand(5, 3))
        assert check(lambda i, j, t, v, held=held: AdditiveSoftmax.apply(EDGES, 0.2, held, i, j, t, v), parts)
        without = (rand(3), rand(5), rand(5, 3))
        assert check(
            lambda i, j, v, held=held: AdditiveSoftmax.apply(EDGES, 0.2, held, i, j, None, v), without
        )


SQUARE = Edges(torch.tensor([0, 1, 2, 2, 3, 1]), torch.tensor([1, 1, 0, 3, 3, 2]), nodes=5)
"Node 4 has no edge."


@pytest.mark.slow
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("slope", [0.2, 0.0, -0.3])
@pytest.mark.parametrize("terms", [False, True])
@pytest.mark.parametrize("held", [False, True])
def test_one_tensor_for_all_three_has_the_sum_of_their_gradients(
    slope: float, terms: bool, held: bool
) -> None:
    target, source = (torch.randn(2, 3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    term, v, keep = rand(6) if terms else None, rand(5, 3), torch.rand(2, 2, 6).double() if held else None
    left, right = (torch.einsum("bhnd,hd->bhn", v, one) for one in (target, source))
    apart = AdditiveSoftmax.apply(SQUARE, slope, keep, left, right, term, v)
    y = SharedAdditiveSoftmax.apply(SQUARE, slope, keep, target, source, term, v)
    leaves, pull = [target, source, v, *([term] if terms else [])], torch.randn_like(y)
    torch.testing.assert_close(y, apart)
    for _ in range(2):
        found = torch.autograd.grad(y, leaves, pull, retain_graph=True)
        torch.testing.assert_close(found, torch.autograd.grad(apart, leaves, pull, retain_graph=True))


@pytest.mark.slow
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("heads", [2, 8])
def test_scores_of_exactly_zero_have_torchs_gradient(heads: int) -> None:
    """Half of them are: a bend is not met by numbers that were drawn. Eight heads of eight have loops of their own."""
    left, right = (torch.randint(-1, 2, (1, heads, 5)).double().requires_grad_() for _ in range(2))
    v, pull = torch.randn(1, heads, 5, 8).double(), torch.randn(1, heads, 5, 8).double()
    y = AdditiveSoftmax.apply(SQUARE, 0.2, None, left, right, None, v)
    z = left[:, :, :, None] + right[:, :, None, :]
    there = torch.zeros(5, 5, dtype=torch.bool).index_put((SQUARE.target, SQUARE.source), torch.tensor(True))
    scores = torch.nn.functional.leaky_relu(z, 0.2).masked_fill(~there, -1e30)
    dense = scores.softmax(-1).masked_fill(~there, 0.0) @ v
    assert (z == 0).any() and (z > 0).any()
    found, wanted = (torch.autograd.grad(one, [left, right], pull) for one in (y, dense))
    torch.testing.assert_close(found, wanted)


@pytest.mark.usefixtures("way")
def test_a_gradient_that_nobody_needs_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    v = rand(5, 3)
    needed, not_needed = (Weighted.apply(EDGES, weights, v) for weights in (rand(6), rand(6).detach()))
    for by in (eager, native):
        monkeypatch.delattr(by, "dots")
    not_needed.sum().backward()
    assert v.grad is not None
    with pytest.raises(AttributeError, match="dots"):
        needed.sum().backward()


@pytest.mark.usefixtures("way")
def test_a_graph_can_be_walked_back_twice_if_it_is_kept() -> None:
    v = rand(5, 3)
    y = AdditiveSoftmax.apply(EDGES, 0.2, None, rand(3), rand(5), None, v)
    first = torch.autograd.grad(y.sum(), v, retain_graph=True)[0]
    other = torch.autograd.grad(y.square().sum(), v, retain_graph=True)[0]
    assert torch.equal(first, torch.autograd.grad(y.sum(), v)[0]) and not torch.equal(first, other)


@pytest.mark.slow
def test_neighbours_share_a_target() -> None:
    scores, members = rand(6).detach(), Neighbours(EDGES)
    target, source = EDGES.sorted.target.tolist(), EDGES.sorted.source.tolist()
    for e in range(6):
        row = [f for f in range(6) if target[f] == target[e]]
        column = [f for f in range(6) if source[f] == source[e]]
        torch.testing.assert_close(members.row_max(scores)[..., e], scores[..., row].amax(-1))
        torch.testing.assert_close(members.row_sum(scores)[..., e], scores[..., row].sum(-1))
        torch.testing.assert_close(members.column_sum(scores)[..., e], scores[..., column].sum(-1))
        assert members.row_count(scores)[e] == len(row)
    assert members.only(scores, -torch.inf) is scores


def test_who_went_forward_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    if native.missing():
        pytest.skip(f"no compiled sums here: {native.missing()}")
    found = []
    for later in ("1", "0"):
        monkeypatch.delenv("REGARD_NATIVE", raising=False)
        v = rand(5, 3)
        y = AdditiveSoftmax.apply(EDGES, 0.2, None, rand(3), rand(5), None, v)
        monkeypatch.setenv("REGARD_NATIVE", later)
        found.append(torch.autograd.grad(y.sum(), v)[0])
    assert torch.equal(*found)
