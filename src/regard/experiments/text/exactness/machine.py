"""A machine with a fast and a slow memory that counts transfers, and attention in tiles (flash attention)."""

from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor


@dataclass
class Chip:
    """A fast memory of so many numbers that counts what crosses to the slow one."""

    room: int
    crossed: int = 0
    held: int = 0
    most: int = 0

    def load(self, *parts: Tensor) -> None:
        """Bring parts in."""
        size = sum(part.numel() for part in parts)
        self.crossed += size
        self.hold(size)

    def hold(self, size: int) -> None:
        """Make room for what is computed here and stays here."""
        self.held += size
        self.most = max(self.most, self.held)
        assert self.held <= self.room, "the chip is full"

    def drop(self, size: int) -> None:
        """Let go of what is not needed any more."""
        self.held -= size

    def store(self, part: Tensor) -> None:
        """Write a part out and let go of it."""
        self.crossed += part.numel()
        self.drop(part.numel())


def block_of(room: int, width: int) -> int:
    """The largest B for which two blocks of keys and values, the queries, their sums and B² scores fit."""
    return max(1, int((-(4 * width + 2) + sqrt((4 * width + 2) ** 2 + 4 * room)) / 2))


def tiled(q: Tensor, k: Tensor, v: Tensor, chip: Chip) -> Tensor:
    """Attention block by block: scores exist on the chip alone; a running maximum and sum make the softmax.

    The rows of a block of queries are kept with m, their largest score, z, the sum of exp(score - m), and the
    sum of exp(score - m) v; where a new block of keys raises m, both sums are scaled down by
    exp(old m - new m).
    """
    (n, d), block = q.shape, block_of(chip.room, q.shape[1])
    output = torch.empty_like(q)
    for first in range(0, n, block):
        rows = q[first : first + block]
        chip.load(rows)
        m, z, total = (
            rows.new_full((len(rows), 1), -torch.inf),
            rows.new_zeros(len(rows), 1),
            torch.zeros_like(rows),
        )
        chip.hold(m.numel() + z.numel() + total.numel())
        for start in range(0, n, block):
            keys, values = k[start : start + block], v[start : start + block]
            chip.load(keys, values)
            scores = rows @ keys.mT / sqrt(d)
            chip.hold(scores.numel())
            higher = torch.maximum(m, scores.amax(1, keepdim=True))
            powers, shrink = (scores - higher).exp(), (m - higher).exp()
            z, total, m = shrink * z + powers.sum(1, keepdim=True), shrink * total + powers @ values, higher
            chip.drop(scores.numel() + keys.numel() + values.numel())
        output[first : first + block] = total / z
        chip.store(total)
        chip.drop(rows.numel() + m.numel() + z.numel())
    return output


def crossing(n: int, d: int, room: int) -> int:
    """What tiled attention moves: queries and outputs once, keys and values once per block of queries."""
    blocks = -(-n // block_of(room, d))
    return 2 * n * d + blocks * 2 * n * d


def standard(n: int, d: int) -> int:
    """What attention moves step by step: Q, K, V and the output once, scores and weights written and read."""
    return 4 * n * d + 4 * n * n
