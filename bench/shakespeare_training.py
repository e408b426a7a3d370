"""How soon a CPU learns characters of Shakespeare. About 15 minutes.   regard bench shakespeare-training

Both sides learn by gradient from windows of 64 characters of tiny Shakespeare, 90 % of it, and are judged by
the loss over all the rest, in windows that do not overlap. The clock runs from the making of the model to its
last step.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from regard.claims import Claim
from regard.errors import Unreachable
from regard.lab.bench import BenchMetric, Comparison, Reading, ratio

CONTEXT, LIMIT, SEEDS = 64, 804_096, (3, 4, 5)
QUICK = 140
"Steps in which ours reaches the loss of the plain recipe; it and the rates were chosen with seeds 1 and 2."


@dataclass(frozen=True)
class Recipe:
    """A model, how it is trained, and how many windows make a batch."""

    model: Any
    plan: Any
    batch: int


@dataclass(frozen=True)
class Outcome:
    """What a training came to."""

    loss: float
    seconds: float
    size: int


def plain() -> Recipe:
    """A small GPT-2 and AdamW: the model of Duke HW3, with the usual schedule."""
    from regard.models.gpt.presets import DUKE
    from regard.training import Plan

    plan = Plan(
        steps=2000,
        learning_rate=1e-3,
        betas=(0.9, 0.99),
        weight_decay=0.1,
        schedule="cosine",
        floor=0.1,
        warmup=0.05,
    )
    return Recipe(DUKE, plan, 12)


def ours() -> Recipe:
    """A smaller model that sees the characters just before, and Muon."""
    from regard.models.gpt.presets import SWIFT
    from regard.training import Plan

    plan = Plan(
        steps=QUICK,
        optimiser="muon",
        matrix_learning_rate=0.03,
        momentum=0.9,
        learning_rate=1e-2,
        betas=(0.9, 0.99),
    )
    return Recipe(SWIFT, plan, 24)


def without() -> dict[str, Recipe]:
    """Our recipe less one of its parts, which is then as in the plain one."""
    whole, other = ours(), plain()
    model, plan = whole.model, whole.plan
    return {
        "muon": replace(whole, plan=replace(plan, optimiser="adamw")),
        "history": replace(whole, model=replace(model, ngram=0)),
        "rotary": replace(whole, model=replace(model, position="learned")),
        "query-norm": replace(whole, model=replace(model, qk_norm=False)),
        "start": replace(whole, model=replace(model, init="shrunk", init_std=other.model.deviation)),
        "batch": replace(whole, batch=other.batch),
        "small-model": replace(whole, model=replace(model, depth=4, heads=4, width=120)),
    }


def windows() -> Any:
    """Tiny Shakespeare as ids, nine tenths to learn from."""
    from regard.data.sets.text import load_text
    from regard.data.tokens.tokenizer import Character
    from regard.data.tokens.windows import Windows, cut

    text = load_text("tiny-shakespeare").characters
    return Windows(cut(Character(text).encode(text), {"train": 0.9, "validation": 0.1}), CONTEXT)


def train(recipe: Recipe, data: Any, seed: int, seconds: float = inf) -> Outcome:
    """One training from nothing, ended by its plan or in time, and its loss over all that was held out."""
    import torch

    from regard.models.gpt.model import GPT
    from regard.training import Training, cross_entropy, evaluate

    began = time.perf_counter()
    torch.manual_seed(seed)
    model = GPT(recipe.model)

    def batches(index: int) -> Any:
        return data.batch("train", index, size=recipe.batch, seed=seed)

    for _ in Training(model, batches, cross_entropy, replace(recipe.plan, seed=seed), seconds=seconds):
        pass
    took = time.perf_counter() - began
    assert model.size <= LIMIT and recipe.model.context == CONTEXT, "the comparison is of models of one size"
    return Outcome(evaluate(model, data.cover("validation", size=256)), took, model.size)


def run() -> Iterator[BenchMetric]:
    """The plain recipe, ours until it is as good, ours in the same time; then ours less each of its parts."""
    try:
        data = windows()
    except Unreachable as error:
        yield from (BenchMetric(name=bar.name, value=None, reason=error.what) for bar in COMPARISON.bars)
        return
    long = replace(ours(), plan=replace(ours().plan, steps=1_000_000))
    sides: dict[str, list[Outcome]] = {"plain": [], "quick": [], "long": []}
    parts: dict[str, list[Outcome]] = {name: [] for name in without()}
    for seed in SEEDS:
        sides["plain"].append(train(plain(), data, seed))
        sides["quick"].append(train(ours(), data, seed))
        sides["long"].append(train(long, data, seed, sides["plain"][-1].seconds))
        for name, recipe in without().items():
            endless = replace(recipe, plan=replace(recipe.plan, steps=1_000_000))
            parts[name].append(train(endless, data, seed, sides["quick"][-1].seconds))
    yield from figures(**sides)
    for name, outcomes in parts.items():
        yield figure(f"loss-of-quick-without-{name}", outcomes)


def figures(plain: list[Outcome], quick: list[Outcome], long: list[Outcome]) -> Iterator[BenchMetric]:
    """The two bars, and what they rest on; a bar whose condition was missed has no value."""
    seconds = {name: [one.seconds for one in side] for name, side in (("plain", plain), ("quick", quick))}
    sooner = mean(quick).median <= mean(plain).median
    missed = f"our loss {mean(quick).median:.4f} is above the plain recipe's {mean(plain).median:.4f}"
    yield BenchMetric(
        name="times-sooner",
        value=ratio(seconds["plain"], seconds["quick"]) if sooner else None,
        ours=Reading.of(seconds["quick"]),
        peer=Reading.of(seconds["plain"]),
        shapes=f"{quick[0].size:,} parameters, the plain recipe {plain[0].size:,}",
        dtype="float32",
        reason="" if sooner else missed,
    )
    late = [a.seconds - b.seconds for a, b in zip(long, plain, strict=True) if a.seconds > b.seconds]
    yield replace(
        figure("loss-in-the-same-time", long),
        value=None if late else mean(long),
        reason=f"late by {max(late):.2f} s" if late else "",
    )
    yield figure("loss-of-plain", plain)
    yield figure("loss-of-quick", quick)


def figure(name: str, outcomes: Sequence[Outcome]) -> BenchMetric:
    """The mean loss of some outcomes, and their seconds."""
    return BenchMetric(
        name=name,
        value=mean(outcomes),
        ours=Reading.of([one.seconds for one in outcomes]),
        shapes=f"{outcomes[0].size:,} parameters",
        dtype="float32",
    )


def mean(outcomes: Sequence[Outcome]) -> Reading:
    """The mean of the losses, between the smallest and the largest."""
    losses = [one.loss for one in outcomes]
    return Reading(sum(losses) / len(losses), min(losses), max(losses), "nats per character")


COMPARISON = Comparison(
    question="How soon is the loss of a plain GPT-2 recipe reached, and what loss does its time give?",
    bars=(
        Claim(
            name="times-sooner",
            low=8.0,
            why="a smaller model, larger batches, the characters before each, and Muon",
            source="prototypes on two cores",
        ),
        Claim(name="loss-in-the-same-time", high=1.60, why="the same", source="prototypes on two cores"),
    ),
    run=run,
)
