# Triton's kernels take all they read and write one by one: ruff's and pyright's counts do not fit them.
# ruff: noqa: PLR0913
# pyright: reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
"""Sampling on a GPU: temperature, top-k and the draw of a token by two Triton kernels.

The first takes the vocabulary in parts and leaves of each its K largest; the second draws among those.
"""

import torch
import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]
from torch import Tensor

from regard.generation.sampling import Sampler
from regard.shapes import Float, Int

PART = 1024
"Logits that one program shortens."
MOST = 1 << 14
"Numbers that the parts may leave to the last program."


def can(sampler: Sampler, vocabulary: int) -> bool:
    """Whether the kernel draws as this sampler does: by temperature and top-k alone."""
    return (  # type: ignore[return-value]
        sampler.top_p in (None, 1.0)
        and sampler.min_p is None
        and sampler.penalty == 1.0
        and triton.cdiv(vocabulary, PART) * triton.next_power_of_2(sampler.top_k or 1) <= MOST
    )


@triton.jit
def _ordered(x):
    """The bits of floats as integers that have their order; zero has one sign."""
    bits = tl.where(x == 0, 0.0, x).to(tl.int32, bitcast=True)
    return tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)


@triton.jit
def _largest(x, inside, K):
    """Which are the K largest, by bisection over their bits; of equal ones those that come first."""
    order = tl.where(inside, _ordered(x), -2147483648)
    high = tl.max(order, 0)
    low = tl.min(tl.where(inside, order, high), 0)
    while low < high:
        # Half the way up, rounded up, without a sum that an int32 cannot hold.
        middle = (low >> 1) + (high >> 1) + ((low | high) & 1)
        count = tl.sum((order >= middle).to(tl.int32), 0)
        low = tl.where(count >= K, middle, low)
        high = tl.where(count > K, high, tl.where(count == K, middle, middle - 1))
    equal = inside & (order == low)
    wanted = K - tl.sum((inside & (order > low)).to(tl.int32), 0)
    return inside & ((order > low) | (equal & (tl.cumsum(equal.to(tl.int32), 0) <= wanted)))


@triton.jit
def _noisy(x, seed, step, row, i, V):
    """Logits with a Gumbel draw added: the largest is then a draw from their softmax."""
    uniform = tl.rand(tl.load(seed) + tl.load(step), row * V + i)
    return x - tl.log(-tl.log(tl.maximum(uniform, 1e-10)))


@triton.jit
def _shorten(
    logits, stride, seed, step, found, places, heat, V, K, PARTS: tl.constexpr,
    BP: tl.constexpr, BK: tl.constexpr, NOISE: tl.constexpr,
):  # fmt: skip
    """The K largest logits of a part of the vocabulary, in their order; or the largest, after noise."""
    part, row = tl.program_id(0), tl.program_id(1)
    i = part * BP + tl.arange(0, BP)
    x = tl.load(logits + row * stride + i, i < V, float("-inf")).to(tl.float32) / heat
    at = (row * PARTS + part) * BK
    if BK == 1:
        if NOISE:
            x = tl.where(i < V, _noisy(x, seed, step, row, i, V), float("-inf"))
        best = tl.argmax(x, 0)
        tl.store(places + at, part * BP + best)
        tl.store(found + at, tl.max(x, 0))
    else:
        chosen = _largest(x, i < V, K)
        to = tl.cumsum(chosen.to(tl.int32), 0) - 1
        tl.store(found + at + to, x, chosen)
        tl.store(places + at + to, i, chosen)
        slot = tl.arange(0, BK)
        tl.store(found + at + slot, float("-inf"), slot >= tl.sum(chosen.to(tl.int32), 0))


@triton.jit
def _choose(
    seed, step, found, places, ids, kept, steps, V, K, PARTS: tl.constexpr,
    BN: tl.constexpr, BK: tl.constexpr, NOISE: tl.constexpr,
):  # fmt: skip
    """One token among those that the parts have left."""
    row, j = tl.program_id(0), tl.arange(0, BN)
    here = j < PARTS * BK
    x = tl.load(found + row * PARTS * BK + j, here, float("-inf"))
    place = tl.load(places + row * PARTS * BK + j, here, 0)
    if BK > 1:
        here = here & (x > float("-inf"))
        chosen = _largest(x, here, K)
        if NOISE:
            x = _noisy(x, seed, step, row, place, V)
        x = tl.where(chosen, x, float("-inf"))
    token = tl.sum(tl.where(j == tl.argmax(x, 0), place, 0), 0).to(tl.int64)
    tl.store(ids + row, token)
    tl.store(kept + row * steps + tl.load(step), token)


class DeviceDraw:
    """A sampler for logits that stay where they are; what it drew is kept row by row, step by step."""

    def __init__(self, sampler: Sampler, rows: int, steps: int, device: torch.device) -> None:
        self.sampler, self.rows = sampler, rows
        self.kept: Int[Tensor, "b steps"] = torch.zeros(rows, steps, dtype=torch.long, device=device)
        self.step: Int[Tensor, ""] = torch.zeros((), dtype=torch.long, device=device)
        self.seed: Int[Tensor, ""] = torch.zeros((), dtype=torch.long, device=device)

    def begin(self, generator: torch.Generator | None) -> None:
        """Start anew, the random numbers from where the generator says."""
        where = "cpu" if generator is None else generator.device
        self.seed.copy_(torch.randint(1 << 62, (), generator=generator, device=where))
        self.step.zero_()

    def choose(self, logits: Float[Tensor, "b k"], ids: Int[Tensor, " b"]) -> None:
        """Put a token for each row into `ids`."""
        vocabulary, top = logits.shape[1], self.sampler.top_k
        noise = self.sampler.temperature > 0
        count = top if noise and top is not None and top < vocabulary else 1
        if noise and count == 1 and top == 1:
            noise = False
        slots, parts = triton.next_power_of_2(count), triton.cdiv(vocabulary, PART)
        found = torch.empty(self.rows, parts, slots, dtype=torch.float32, device=logits.device)  # type: ignore[arg-type]
        places = torch.empty(self.rows, parts, slots, dtype=torch.int32, device=logits.device)  # type: ignore[arg-type]
        words = {"PARTS": parts, "BK": slots, "NOISE": noise}
        _shorten[(parts, self.rows)](
            logits, logits.stride(0), self.seed, self.step, found, places, self.sampler.temperature or 1.0,
            vocabulary, count, BP=PART, num_warps=4, **words,
        )  # fmt: skip
        _choose[(self.rows,)](
            self.seed, self.step, found, places, ids, self.kept, self.kept.shape[1], vocabulary, count,
            BN=triton.next_power_of_2(parts * slots), num_warps=8, **words,
        )  # fmt: skip
        self.step += 1
