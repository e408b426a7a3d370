"""`regard compare`: train two contenders seed by seed until their difference is settled, or cannot be."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import ceil, inf, isfinite
from statistics import fmean
from typing import NamedTuple

from regard.data.sets.text import Text
from regard.data.tokens.tokenizer import Character
from regard.data.tokens.windows import Windows, cut
from regard.errors import RegardError
from regard.lab.compare.contenders import SMALL, Contender
from regard.lab.compare.sequential import FIRST, Standing, stand
from regard.training import Plan, Training, cross_entropy, evaluate

BATCH = 16
MOST = 200
"Pairs after which even an endless budget ends."


def compare(
    first: Contender,
    second: Contender,
    text: Text,
    *,
    seconds: float,
    margin: float = 0.02,
    steps: int = 150,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[tuple[Standing, str]]:
    """Where it stands after each pair of trainings, and, with the last, why it ends; '' before that."""
    tokenizer = Character(text.characters)
    ids = tokenizer.encode(text.characters)
    windows = Windows(cut(ids, {"train": 0.9, "validation": 0.1}), int(SMALL["context"]))
    begun, losses = clock(), ([], [])
    for pair in range(MOST):
        for found, one in zip(losses, (first, second), strict=True):
            found.append(held_out(one, windows, tokenizer.size, pair, steps))
        ends, others = ([loss.end for loss in found] for found in losses)
        fall, fallen = (fmean(loss.half - loss.end for loss in found) for found in losses)
        now = replace(stand(ends, others, margin), learning=(fall, fallen))
        spent = clock() - begun
        reason = _end(now, margin, spent, seconds)
        if not reason and pair == MOST - 1:
            reason = f"not settled after {MOST} pairs"
        yield now, reason
        if reason:
            return


class HeldOut(NamedTuple):
    """The held-out loss of a short training."""

    half: float
    "After half of its steps."
    end: float
    "After all of them."


def held_out(one: Contender, windows: Windows, vocabulary: int, seed: int, steps: int) -> HeldOut:
    """The held-out loss of a short training; a seed gives start and batches, the same to both."""
    model = one.model(vocabulary, seed)
    plan = Plan(steps=steps, precision="float32", seed=seed)
    training = Training(
        model, lambda index: windows.batch("train", index, size=BATCH, seed=seed), cross_entropy, plan
    )
    batches = [windows.batch("validation", index, size=64, seed=0) for index in range(4)]
    half = inf
    for step in training:
        if step.step == max(1, steps // 2):
            half = evaluate(model, batches)
    loss = evaluate(model, batches)
    if not isfinite(loss):
        raise RegardError("the training lost its way", f"{one.name}: a loss of {loss}", "look at its values")
    return HeldOut(half, loss)


def _end(now: Standing, margin: float, spent: float, seconds: float) -> str:
    """Why a comparison ends here; '' where it goes on."""
    if now.answer != "open":
        return "settled"
    each = spent / now.pairs
    left = (seconds - spent) / each
    if now.pairs < FIRST:
        ends = f"not settled: the budget ends after {now.pairs} of the {FIRST} pairs that are needed"
        return "" if left >= 1 else f"{ends}; {_minutes(FIRST * each)} would do"
    needed = max(1, now.needed(margin) - now.pairs)
    if left >= 1 and needed <= left:
        return ""
    ends, pairs = "not settled, and it cannot be within the budget", needed + now.pairs
    if pairs > MOST:
        return f"{ends}: it takes more than the {MOST} pairs that are made at most; try a larger --margin"
    return f"{ends}: about {pairs:.0f} pairs; {_minutes(pairs * each)} would do"


def _minutes(seconds: float) -> str:
    """The budget for a comparison that takes so long, with some time to spare."""
    return f"--minutes {ceil(1.1 * seconds / 60)}"
