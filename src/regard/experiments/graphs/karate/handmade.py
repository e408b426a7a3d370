"""Two-layer GCN with its gradient written by hand, for several runs at once."""

from typing import NamedTuple

import torch
from torch import Tensor

from regard.core.edges import Edges


def normalised(edges: Edges) -> Tensor:
    """D^(-1/2) (A + I) D^(-1/2), with D the degrees of A + I."""
    a = torch.eye(edges.sizes[0], dtype=torch.float64)
    a[edges.target, edges.source] = 1
    scale = a.sum(1).rsqrt()
    return scale[:, None] * a * scale


class Weights(NamedTuple):
    """Two graph layers and a softmax layer with bias; the first axis is that of independent runs."""

    first: Tensor
    second: Tensor
    last: Tensor
    bias: Tensor

    @classmethod
    def drawn(cls, runs: list[torch.Generator], sizes: tuple[int, ...], kind: torch.dtype) -> "Weights":
        """Each weight uniform within ±sqrt(5 / (in + out)), where in and out are the layer's sizes."""

        def one(draw: torch.Generator, rows: int, columns: int) -> Tensor:
            return (torch.rand(rows, columns, generator=draw) * 2 - 1) * (5 / (rows + columns)) ** 0.5

        shapes = list(zip(sizes[1:], sizes[:-1], strict=True))
        drawn = [[one(draw, *shape) for shape in shapes] for draw in runs]
        first, second, last = (torch.stack(layer).to(kind) for layer in zip(*drawn, strict=True))
        return cls(first, second, last, torch.zeros(len(runs), 1, sizes[-1], dtype=kind))


class Passed(NamedTuple):
    """What a forward pass leaves behind."""

    h1: Tensor
    spread: Tensor
    h2: Tensor
    p: Tensor


def forward(w: Weights, a: Tensor) -> Passed:
    """h1 = tanh(Â X W1ᵀ) with X the identity, h2 = tanh(Â h1 W2ᵀ), p = softmax(h2 W3ᵀ + b)."""
    h1 = torch.tanh(a @ w.first.mT)
    spread = a @ h1
    h2 = torch.tanh(spread @ w.second.mT)
    return Passed(h1, spread, h2, torch.baddbmm(w.bias, h2, w.last.mT).softmax(-1))


def backward(w: Weights, a: Tensor, seen: Passed, wanted: Tensor, mask: Tensor, decay: float) -> Weights:
    """The gradient of `cost`, by hand; `mask` is 1 where a node's label may be learned from."""
    share = decay / len(a)
    error = (seen.p - wanted) * mask / len(a)
    back = (error @ w.last) * (1 - seen.h2 * seen.h2)
    first = (a @ (back @ w.second)) * (1 - seen.h1 * seen.h1)
    return Weights(
        torch.add(first.mT @ a, w.first, alpha=share),
        torch.add(back.mT @ seen.spread, w.second, alpha=share),
        torch.add(error.mT @ seen.h2, w.last, alpha=share),
        error.sum(1, keepdim=True),
    )


def cost(w: Weights, a: Tensor, wanted: Tensor, mask: Tensor, decay: float) -> Tensor:
    """(sum of −log p(label) over the masked nodes + decay/2 · sum of squared weights) / nodes, run by run."""
    surprise = -(forward(w, a).p.log() * wanted * mask).sum((1, 2))
    squares = sum((x * x).sum((1, 2)) for x in (w.first, w.second, w.last))
    return (surprise + decay / 2 * squares) / len(a)


TRIED = 600
"Weights of a layer whose slope is taken by differences, at most; the club has fewer in each."


def tried(x: Tensor) -> range:
    """Which weights of a layer are tried: all of them, or some evenly."""
    return range(0, x.numel(), -(-x.numel() // TRIED))


def some(w: Weights) -> Weights:
    """A gradient where it is tried, and zero elsewhere."""
    found = Weights(*(torch.zeros_like(x) for x in w))
    for x, kept in zip(w, found, strict=True):
        chosen = torch.tensor(tried(x))
        kept.view(-1)[chosen] = x.reshape(-1)[chosen]
    return found


def differences(w: Weights, a: Tensor, wanted: Tensor, mask: Tensor, decay: float, step: float) -> Weights:
    """The gradient by central differences, one weight at a time, at those that are `tried`."""
    found = Weights(*(torch.zeros_like(x) for x in w))
    for x, slope in zip(w, found, strict=True):
        flat, out = x.view(-1), slope.view(-1)
        for i in tried(x):
            before = flat[i].item()
            flat[i] = before + step
            up = cost(w, a, wanted, mask, decay)
            flat[i] = before - step
            out[i] = ((up - cost(w, a, wanted, mask, decay)) / (2 * step)).item()
            flat[i] = before
    return found


def apart(x: Weights, y: Weights) -> float:
    """|x − y| / (|x| + |y|), over all weights."""
    one, two = (torch.cat([part.flatten() for part in w]) for w in (x, y))
    return float((one - two).norm() / (one.norm() + two.norm()))
