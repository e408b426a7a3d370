"""Sampling: temperature, top-k, top-p, min-p, penalties; logits become a distribution and a draw."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import torch
from torch import Tensor

from regard.arguments import check, check_fields, told
from regard.errors import RegardError
from regard.shapes import Bool, Float, Int

LEAST = 1e-6
"The least temperature above 0: logits that are divided by much less have no end, and no distribution."


@dataclass(frozen=True, kw_only=True)
class Sampler:
    """Temperature, then top-k, top-p and min-p, each on what the one before has left.

    >>> Sampler(top_k=2).distribution(torch.tensor([[0.0, 1.0, 1.0, -1.0]]))
    tensor([[0.0000, 0.5000, 0.5000, 0.0000]])
    """

    temperature: float = 1.0
    "Logits are divided by it; 0 takes the largest."
    top_k: int | None = None
    "Only the k most probable tokens; of equal ones, those with the lower id."
    top_p: float | None = None
    "Only the smallest set of most probable tokens whose probability reaches p."
    min_p: float | None = None
    "Only tokens at least this share as probable as the most probable one."
    penalty: float = 1.0
    "Above 1, tokens that were there become less probable: logits are divided by it, negative multiplied."

    def __post_init__(self) -> None:
        check_fields(self)
        for fine, got, fix in (
            (
                self.temperature == 0 or LEAST <= self.temperature < inf,
                f"temperature={self.temperature}",
                f"0 takes the most probable token; from {LEAST} on, larger is more random",
            ),
            (self.top_k is None or self.top_k >= 1, f"top_k={self.top_k}", "keep at least one token"),
            (
                self.top_p is None or 0 < self.top_p <= 1,
                f"top_p={self.top_p}",
                "a probability above 0, up to 1",
            ),
            (self.min_p is None or 0 <= self.min_p <= 1, f"min_p={self.min_p}", "a share from 0 to 1"),
            (
                0 < self.penalty < inf,
                f"penalty={self.penalty}",
                "1 changes nothing; above 1 discourages repeats",
            ),
        ):
            if not fine:
                raise RegardError("the sampler cannot choose like that", got, fix)

    def distribution(
        self, logits: Float[Tensor, "b k"], seen: Int[Tensor, "b n"] | None = None
    ) -> Float[Tensor, "b k"]:
        """The probability of each token; `seen` are the tokens that the penalty speaks of."""
        p, places = self.shortlist(logits, seen)
        return p if places is None else torch.zeros_like(logits, dtype=p.dtype).scatter_(1, places, p)

    def shortlist(
        self, logits: Float[Tensor, "b k"], seen: Int[Tensor, "b n"] | None = None
    ) -> tuple[Float[Tensor, "b j"], Int[Tensor, "b j"] | None]:
        """Probabilities that may be other than zero, and whose they are; None where all are, in order."""
        if self.penalty != 1.0 and seen is not None:
            logits = penalised(logits, seen, self.penalty)
        if self.temperature == 0:
            place = first_largest(logits)
            return torch.ones_like(place, dtype=logits.dtype), place
        if self.temperature != 1.0:
            logits = logits / self.temperature
        if self.top_k is None and self.top_p in (None, 1.0) and self.min_p is None:
            return logits.softmax(-1), None
        ordered, places = logits.sort(dim=-1, descending=True, stable=True)
        ordered, places = ordered[:, : self.top_k], places[:, : self.top_k]
        p = ordered.softmax(-1)
        if self.top_p is None and self.min_p is None:
            return p, places
        p = p * self._kept(p)
        return p / p.sum(-1, keepdim=True), places

    def _kept(self, p: Float[Tensor, "b j"]) -> Bool[Tensor, "b j"]:
        """Which of the probabilities, the largest first, stay; the first one always."""
        kept = torch.ones_like(p, dtype=torch.bool)
        if self.top_p not in (None, 1.0):  # 1 keeps all: a sum that was rounded to 1 is no reason to drop
            kept &= p.cumsum(-1) - p < self.top_p
        if self.min_p is not None:
            kept &= p >= self.min_p * p[:, :1]
        kept[:, 0] = True
        return kept

    def choose(
        self,
        logits: Float[Tensor, "b k"],
        seen: Int[Tensor, "b n"] | None = None,
        generator: torch.Generator | Sequence[torch.Generator] | None = None,
    ) -> Int[Tensor, " b"]:
        """One token for each row; with a generator for each row, a row's draws are its own."""
        check_logits(logits)
        if generator is not None:
            check_generators(generator, len(logits))
        if self.temperature == 0:
            if self.penalty != 1.0 and seen is not None:
                logits = penalised(logits, seen, self.penalty)
            return logits.argmax(-1)
        p, places = self.shortlist(logits, seen)
        # A race: with clocks that ring after an exponential time at the rate p, token i rings first with p_i.
        clocks = torch.empty_like(p)
        if isinstance(generator, Sequence):
            for row, own in zip(clocks, generator, strict=True):
                row.exponential_(generator=own)
        else:
            clocks.exponential_(generator=generator)
        first = (p / clocks).argmax(-1, keepdim=True)
        return (first if places is None else places.gather(1, first)).squeeze(1)


GREEDY = Sampler(temperature=0.0)
"Always the most probable token."


def check_logits(logits: object) -> None:
    """Raise where a model has not given one row of logits per text."""
    if not (
        isinstance(logits, Tensor) and logits.dim() == 2 and logits.shape[1] and logits.is_floating_point()
    ):
        raise RegardError(
            "the next token is chosen from logits (b k), one row of real numbers per text",
            told(logits),
            "give the model's output after the last token",
        )


def check_generators(generator: object, rows: int) -> None:
    """Raise where there is neither one generator nor one for each row."""
    check("Sampler", "generator", generator, torch.Generator | Sequence[torch.Generator])
    if isinstance(generator, Sequence) and len(generator) != rows:
        raise RegardError(
            "draws need one generator, or one for each row",
            f"{len(generator)} generators, {rows} rows",
            "give as many as there are prompts",
        )


def first_largest(logits: Float[Tensor, "b k"]) -> Int[Tensor, "b 1"]:
    """The lowest id among those with the largest logit."""
    largest = logits == logits.amax(-1, keepdim=True)
    return largest.long().argmax(-1, keepdim=True)


def penalised(logits: Float[Tensor, "b k"], seen: Int[Tensor, "b n"], penalty: float) -> Float[Tensor, "b k"]:
    """The logits with those of the tokens seen lowered: divided by the penalty, negative ones multiplied.

    An id below 0 stands for no token.

    >>> penalised(torch.tensor([[2.0, -2.0, 1.0]]), torch.tensor([[0, 1, -1]]), 2.0)
    tensor([[ 1., -4.,  1.]])
    """
    rows, vocabulary = logits.shape
    # A column more takes what stands for no token.
    there = torch.zeros(rows, vocabulary + 1, dtype=torch.bool, device=logits.device)
    there = there.scatter_(1, seen.where(seen >= 0, vocabulary), True)[:, :-1]
    lowered = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(there, lowered, logits)
