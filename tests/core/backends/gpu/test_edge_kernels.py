"""Sums over edges by kernels equal those by torch, in value and gradient, long rows in pieces and all."""

import pytest
import torch
from torch import Tensor

from kernels import DEVICE
from regard import Edges
from regard.core.backends.edges import torch_sums as eager
from regard.core.backends.gpu import edges as gpu
from regard.core.backends.gpu import pieces

TARGETS, SOURCES = 12, 9


def graph() -> Edges:
    """Target 0 regards every source, source 0 is regarded by all, target 5 regards nothing."""
    torch.manual_seed(0)
    joined = torch.rand(TARGETS, SOURCES) < 0.3
    joined[0], joined[:, 0], joined[5] = True, True, False
    target, source = joined.nonzero().unbind(1)
    order = torch.randperm(len(target))
    return Edges(source[order], target[order], sizes=(TARGETS, SOURCES)).to(DEVICE)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of more than three entries are long."""
    monkeypatch.setattr(pieces, "LONG", 3)
    monkeypatch.setattr(gpu, "LONG", 3)


def draw(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64).to(DEVICE)


def close(found: object, wanted: object) -> None:
    torch.testing.assert_close(found, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("terms", [True, False])
@pytest.mark.parametrize(("batch", "heads", "channels"), [(2, 3, 5), (1, 8, 4)])
def test_a_layers_sum_and_its_gradients(batch, heads, channels, terms, kept) -> None:
    edges = graph()
    left, right = draw(batch, heads, TARGETS), draw(batch, heads, SOURCES)
    values, slope = draw(batch, heads, SOURCES, channels), draw(batch, heads, TARGETS, channels)
    term = draw(batch, heads, edges.count) if terms else None
    keep = (draw(batch, heads, edges.count) > 0).double() / 0.5 if kept else None
    sides = []
    for by in (gpu, eager):
        out, saved = by.additive_forward(edges, left, right, term, keep, values, 0.2)
        to_left, to_right, to_edges, to_values = by.additive_backward(
            edges, saved, term, keep, 0.2, out, slope
        )
        sides.append([out, to_left, to_right, to_values, *([to_edges] if terms else [])])
    for found, wanted in zip(*sides, strict=True):
        close(found, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("side", ["targets", "sources"])
def test_a_sum_with_factors(side: str) -> None:
    chosen = getattr(graph(), side)
    outer, inner = draw(chosen.rows), draw(chosen.others)
    values = draw(2, 3, chosen.others, 7)
    close(gpu.sum_scaled(chosen, outer, inner, values), eager.sum_scaled(chosen, outer, inner, values))


@pytest.mark.slow
def test_a_score_of_minus_infinity_weighs_nothing_and_a_row_of_them_is_zero() -> None:
    edges = graph()
    left, right, values = draw(1, 1, TARGETS), draw(1, 1, SOURCES), draw(1, 1, SOURCES, 2)
    left[..., 3] = -torch.inf
    right[..., 2] = -torch.inf
    found, wanted = (
        by.additive_forward(edges, left, right, None, None, values, 0.2)[0] for by in (gpu, eager)
    )
    close(found, wanted)
    assert not found[0, 0, 3].any()


@pytest.mark.slow
def test_scores_of_exactly_zero_have_torchs_gradient() -> None:
    """A bend is not met by numbers that were drawn."""
    edges = graph()
    left, right = (torch.randint(-1, 2, (1, 2, size)).double().to(DEVICE) for size in (TARGETS, SOURCES))
    values, slope = draw(1, 2, SOURCES, 3), draw(1, 2, TARGETS, 3)
    assert (left[:, :, edges.target] + right[:, :, edges.source] == 0).any()
    sides = []
    for by in (gpu, eager):
        out, saved = by.additive_forward(edges, left, right, None, None, values, 0.2)
        sides.append(by.additive_backward(edges, saved, None, None, 0.2, out, slope))
    for place in (0, 1, 3):
        close(sides[0][place], sides[1][place])
