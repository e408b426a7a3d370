"""Models small enough to try every text, and Berkeley HW6's beam search with a count of its comparisons."""

from collections.abc import Callable
from functools import cmp_to_key
from itertools import product
from math import exp, log, log2

import torch
from torch import Tensor

from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT

WORDS = ("neural", "network")
AFTER: dict[tuple[int, ...], tuple[float, float]] = {
    (): (-0.65, -0.73), (0,): (-0.8, -0.6), (1,): (-0.6, -0.8),
    (0, 0): (-0.01, log(1 - exp(-0.01))), (0, 1): (-0.8, -0.6), (1, 0): (-0.8, -0.6), (1, 1): (-0.6, -0.8),
}  # fmt: skip
"Figure 2 of Berkeley HW6: the log-probability of each word after each beginning."


def berkeley_tree(ids: Tensor) -> Tensor:
    """Berkeley HW6's decoder as a model: a first id that stands for the start, then the two words."""
    rows = [[AFTER[tuple(row[1 : end + 1])] for end in range(len(row))] for row in ids.tolist()]
    return torch.tensor(rows, dtype=torch.float64)


def small_model(seed: int) -> GPT:
    """A random model of five tokens whose next token depends on all before."""
    torch.manual_seed(seed)
    config = GPTConfig(
        vocabulary=5, context=16, depth=2, heads=2, width=8, position="rotary", tied=False, init_std=0.5
    )
    return GPT(config).double().eval()


@torch.no_grad()
def every_text(model: Callable[[Tensor], Tensor], start: Tensor, length: int) -> tuple[Tensor, Tensor]:
    """All texts of a length, and the log-probabilities of all their beginnings, by one full pass."""
    texts = torch.tensor(list(product(range(5), repeat=length)))
    ids = torch.cat([start.expand(len(texts), -1), texts], 1)
    each = model(ids[:, :-1]).log_softmax(-1)[:, start.shape[1] - 1 :].gather(2, texts[..., None])[..., 0]
    return texts, each.cumsum(1)


def worst_rank(texts: Tensor, totals: Tensor) -> int:
    """The worst place that a beginning of the most probable text has among all of its length."""
    best, worst = int(totals[:, -1].argmax()), 1
    for length in range(1, texts.shape[1]):
        step = 5 ** (texts.shape[1] - length)  # texts are in order, so that each beginning comes in a block
        worst = max(worst, 1 + int((totals[::step, length - 1] > totals[best, length - 1]).sum()))
    return worst


def counted_beam_search(logs: Tensor, width: int, steps: int) -> tuple[float, int]:
    """Berkeley HW6's algorithm as it is analysed there, for a model whose words do not depend on each other.

    Sorts the words after each beam, keeps the best `width` of each, and sorts those of all beams; gives the
    best total and how many comparisons were made.
    """
    count = 0

    def compare(a: tuple, b: tuple) -> int:
        nonlocal count
        count += 1
        return -1 if a[0] > b[0] else 1

    beams: list[float] = [0.0]
    for step in range(steps):
        each = logs[step].tolist()
        candidates = []
        for total in beams:
            after = sorted(
                ((total + value, token) for token, value in enumerate(each)), key=cmp_to_key(compare)
            )
            candidates += after[:width]
        beams = [total for total, _ in sorted(candidates, key=cmp_to_key(compare))[:width]]
    return beams[0], count


def formula(width: int, steps: int, size: int) -> float:
    """K M log M + K² log K² for each step; in the first there is one beam, whose words are sorted already."""
    later = width * size * log2(size) + width**2 * log2(max(2, width**2))
    return size * log2(size) + (steps - 1) * later
