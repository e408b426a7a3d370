"""Beam search: the most probable text, sought among the few best beginnings of every length."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from regard.arguments import kinds
from regard.errors import RegardError
from regard.generation.engine import check
from regard.generation.reader import Model, Prompts, Reader, aligned, reader
from regard.generation.stopping import Stop
from regard.shapes import Float, Int

WIDEST = 10_000
"The widest beam: each of its beginnings has a cache of its own."


@dataclass(frozen=True)
class Beam:
    """A text that was found."""

    ids: tuple[int, ...]
    "What follows the prompt, with what ended it."
    log_probability: float
    "The sum over its tokens."
    score: float
    "The log-probability over length ** penalty: what beams are ranked by."
    ended: bool
    "Whether a stop was reached; if not, the steps were at their end."


@dataclass(frozen=True)
class Node:
    """A beginning that was looked at."""

    ids: tuple[int, ...]
    log_probability: float
    state: Literal["kept", "dropped", "ended"]


@dataclass(frozen=True, eq=False)
class Level:
    """The best candidates of one length, best first; `kept` says which went on, in the order of the beam."""

    parents: Int[Tensor, "b j"]
    "Which beam of the level before each goes on from."
    tokens: Int[Tensor, "b j"]
    totals: Float[Tensor, "b j"]
    "Log-probabilities of the whole beginning; -inf where there were fewer."
    kept: Int[Tensor, "b w"]
    ended: bool = False
    "Whether these are candidates that reached a stop."


@dataclass(frozen=True, eq=False)
class Search:
    """What a beam search found and how."""

    beams: list[list[Beam]]
    "For each prompt the beams, best first."
    levels: list[Level]
    "The candidates in the order in which they were looked at."

    @property
    def best(self) -> list[Beam]:
        """The best beam of each prompt."""
        return [found[0] for found in self.beams]

    def tree(self, row: int = 0) -> Iterator[Node]:
        """The beginnings that were looked at for a prompt, length by length: the beam and the runners-up."""
        before: list[tuple[int, ...]] = [()]
        for level in self.levels:
            parents, tokens, totals, kept = (
                part[row].tolist() for part in (level.parents, level.tokens, level.totals, level.kept)
            )
            texts = [(*before[parent], token) for parent, token in zip(parents, tokens, strict=True)]
            for place, (ids, total) in enumerate(zip(texts, totals, strict=True)):
                if total > -torch.inf:
                    yield Node(ids, total, "ended" if level.ended else "kept" if place in kept else "dropped")
            before = before if level.ended else [texts[place] for place in kept]


@kinds
def beam_search(
    model: Model,
    prompt: Prompts,
    *,
    width: int,
    steps: int,
    penalty: float = 0.0,
    stop: Stop | None = None,
    context: int | None = None,
    beyond: str = "recompute",
) -> Search:
    """The beams that are left after so many steps, or earlier where none that is alive could still win.

    Every beam is followed by every token; of the beginnings that result, the `width` most probable go on.
    One that reaches a stop leaves the beam and waits. At the end those that wait and those still alive are
    ranked by log-probability / length ** penalty. Prompts are searched side by side, with one cache.

    >>> follows = torch.tensor([[0.55, 0.45], [0.1, 0.9]]).log()          # after 1 nearly always 1
    >>> found = beam_search(lambda ids: follows[ids], torch.tensor([[0]]), width=2, steps=2)
    >>> found.best[0].ids, round(found.best[0].log_probability, 3)     # ln(0.45 · 0.9); greedy: (0, 0)
    ((1, 1), -0.904)
    """
    if width < 1:
        raise RegardError("a beam has a width", f"width={width}", "keep at least one beginning")
    if width > WIDEST:
        raise RegardError(
            "a beam so wide fits into no memory", f"width={width}", f"keep {WIDEST} beginnings at most"
        )
    if not -100 <= penalty <= 100:
        raise RegardError(
            "scores are divided by length ** penalty",
            f"penalty={penalty}",
            "0 ranks by probability, 1 by its mean",
        )
    check(steps, context)
    known, pads = aligned(prompt)
    run = _Running(
        reader(model, context=context, pads=pads, beyond=beyond), known, width, steps, penalty, stop
    )
    logits = run.asked.read(known)
    for step in range(steps):
        run.widen(logits)
        if step + 1 == steps or run.settled():
            break
        logits = run.read()
    return Search(run.result(), run.levels)


def stay(parents: list[int]) -> list[int]:
    """Which child takes each place: a beam's best child stays where the beam is, others take what is free.

    So a cache has to be moved for as many beams as have ended, however their ranks have changed.

    >>> stay([2, 0, 2])          # child 1 goes on from beam 0, child 0 from beam 2; beam 1 is given up
    [1, 2, 0]
    """
    places, left = [-1] * len(parents), []
    for child, parent in enumerate(parents):
        if places[parent] < 0:
            places[parent] = child
        else:
            left.append(child)
    free = iter(left)
    return [next(free) if child < 0 else child for child in places]


@dataclass(eq=False)
class _Running:
    """A search under way: the live beams, and those that have ended."""

    asked: Reader
    known: Tensor
    width: int
    steps: int
    penalty: float
    stop: Stop | None
    levels: list[Level] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rows, self.alive = len(self.known), 1
        self.ids = self.known.new_empty(self.rows, 0)
        self.totals = torch.zeros(self.rows, 1, dtype=torch.float64, device=self.known.device)
        self.first = torch.arange(self.rows, device=self.known.device).unsqueeze(1)
        self.waiting: list[tuple[Tensor, Tensor]] = []  # totals (b j) and ids (b j n) that have ended

    def widen(self, logits: Float[Tensor, "r k"]) -> None:
        """Every live beam followed by every token; the best go on, with the cache behind them."""
        vocabulary = logits.shape[1]
        each = self.totals.view(-1, 1) + logits.double().log_softmax(-1)
        if self.stop is not None:
            would = self.stop.next(self.ids, vocabulary)
            self._set_aside(each.masked_fill(~would, -torch.inf))
            each = each.masked_fill(would, -torch.inf)
        parents, tokens, totals = self._best(each, 2 * self.width)
        alive = min(self.width, self.alive * vocabulary)
        kept = torch.arange(alive, device=parents.device).expand(self.rows, -1)
        if alive == self.alive:
            kept = torch.tensor([stay(row) for row in parents[:, :alive].tolist()], device=parents.device)
        self.levels.append(Level(parents, tokens, totals, kept))
        self._move((self.first * self.alive + parents.gather(1, kept)).view(-1), alive)
        self.totals, self.alive = totals.gather(1, kept), alive
        self.ids = torch.cat([self.ids, tokens.gather(1, kept).view(-1, 1)], 1)

    def read(self) -> Float[Tensor, "r k"]:
        """What the model expects after each live beam."""
        return self.asked.read(self.ids[:, -1:])

    def _best(self, each: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
        """Parents, tokens and totals of the best candidates of each prompt."""
        vocabulary = each.shape[1]
        top = each.view(self.rows, -1).topk(min(count, self.alive * vocabulary))
        parents = top.indices // vocabulary
        return parents, top.indices - parents * vocabulary, top.values

    def _move(self, rows: Tensor, alive: int) -> None:
        """Beams in the order of those that go on from them; what they have in common stays where it is."""
        if alive == self.alive and rows.tolist() == list(range(len(rows))):
            return
        moved, since = self.ids[rows], 0
        if alive == self.alive:
            differ = (moved != self.ids).any(0).tolist()
            since = self.known.shape[1] + (differ.index(True) if True in differ else len(differ))
        self.asked.select(rows, since)
        self.ids = moved

    def _set_aside(self, each: Tensor) -> None:
        """Keep the best of the candidates that have reached a stop."""
        parents, tokens, totals = self._best(each, self.width)
        if bool((totals > -torch.inf).any()):
            self.levels.append(Level(parents, tokens, totals, parents[:, :0], ended=True))
            before = self.ids[self.first * self.alive + parents]
            self.waiting.append((totals, torch.cat([before, tokens.unsqueeze(2)], 2)))

    def settled(self) -> bool:
        """Whether no live beam could still come to a better score than `width` beams that have ended."""
        if not bool((self.totals > -torch.inf).any()):
            return True
        scores = [self.score(totals, ids.shape[2]) for totals, ids in self.waiting]
        if sum(one.shape[1] for one in scores) < self.width:
            return False
        worst = torch.cat(scores, 1).topk(self.width).values[:, -1]
        # A total never rises; dividing by a larger power of the length makes a negative one less so.
        length = self.steps if self.penalty >= 0 else self.ids.shape[1] + 1
        return bool((worst >= self.score(self.totals.amax(1), length)).all())

    def score(self, totals: Tensor, length: int) -> Tensor:
        """What beams are ranked by."""
        return totals / length**self.penalty

    def result(self) -> list[list[Beam]]:
        """For each prompt the best beams, ended or not."""
        alive = (self.totals, self.ids.view(self.rows, self.alive, -1))
        found: list[list[Beam]] = [[] for _ in range(self.rows)]
        for (totals, ids), ended in [*((one, True) for one in self.waiting), (alive, False)]:
            scores = self.score(totals, ids.shape[2])
            for row, beams in enumerate(found):
                for text, total, score in zip(
                    ids[row].tolist(), totals[row].tolist(), scores[row].tolist(), strict=True
                ):
                    if total > -torch.inf:
                        beams.append(Beam(tuple(text), total, score, ended))
        return [sorted(beams, key=lambda one: -one.score)[: self.width] for beams in found]
