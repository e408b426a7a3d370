"""How the next token is chosen: the logits become a distribution, and a draw is made from it."""

from dataclasses import dataclass

import torch
from torch import Tensor

from regard.errors import RegardError
from regard.shapes import Float, Int


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
        for fine, got, fix in (
            (
                self.temperature >= 0,
                f"temperature={self.temperature}",
                "0 takes the most probable token; larger is more random",
            ),
            (self.top_k is None or self.top_k >= 1, f"top_k={self.top_k}", "keep at least one token"),
            (
                self.top_p is None or 0 < self.top_p <= 1,
                f"top_p={self.top_p}",
                "a probability above 0, up to 1",
            ),
            (self.min_p is None or 0 <= self.min_p <= 1, f"min_p={self.min_p}", "a share from 0 to 1"),
            (self.penalty > 0, f"penalty={self.penalty}", "1 changes nothing; above 1 discourages repeats"),
        ):
            if not fine:
                raise RegardError("the sampler cannot choose like that", got, fix)

    def distribution(
        self, logits: Float[Tensor, "b k"], seen: Int[Tensor, "b n"] | None = None
    ) -> Float[Tensor, "b k"]:
        """The probability of each token; `seen` are the tokens that the penalty speaks of."""
        if self.penalty != 1.0 and seen is not None:
            before = logits.gather(1, seen)
            logits = logits.scatter(
                1, seen, torch.where(before > 0, before / self.penalty, before * self.penalty)
            )
        if self.temperature == 0:
            return torch.zeros_like(logits).scatter_(1, first_largest(logits), 1.0)
        p = (logits / self.temperature).softmax(-1)
        if self.top_k is None and self.top_p is None and self.min_p is None:
            return p
        ordered, places = p.sort(dim=-1, descending=True, stable=True)
        kept = self._kept(ordered)
        kept[:, 0] = True
        ordered = ordered * kept
        return torch.zeros_like(p).scatter_(1, places, ordered / ordered.sum(-1, keepdim=True))

    def _kept(self, ordered: Float[Tensor, "b k"]) -> Tensor:
        """Which of the probabilities, the largest first, stay."""
        kept = torch.ones_like(ordered, dtype=torch.bool)
        if self.top_k is not None:
            kept[:, self.top_k :] = False
        if self.top_p is not None:
            left = ordered * kept
            before = left.cumsum(-1) - left
            kept &= before < self.top_p * left.sum(-1, keepdim=True)
        if self.min_p is not None:
            kept &= ordered >= self.min_p * ordered[:, :1]
        return kept

    def choose(
        self,
        logits: Float[Tensor, "b k"],
        seen: Int[Tensor, "b n"] | None = None,
        generator: torch.Generator | None = None,
    ) -> Int[Tensor, " b"]:
        """One token for each row."""
        p = self.distribution(logits, seen)
        if self.temperature == 0:
            return p.argmax(-1)
        return torch.multinomial(p, 1, generator=generator)[:, 0]


GREEDY = Sampler(temperature=0.0)
"Always the most probable token."


def first_largest(logits: Float[Tensor, "b k"]) -> Int[Tensor, "b 1"]:
    """The lowest id among those with the largest logit."""
    largest = logits == logits.amax(-1, keepdim=True)
    return largest.long().argmax(-1, keepdim=True)
