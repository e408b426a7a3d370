"""Causal self-attention: several heads, each token sees itself and the past."""

import re
from typing import Any

import numpy as np

from regard.checker import conduct, laws
from regard.checker.contract import Broken, Case, ComputationStage, Contract, Law, Mistake, forms
from regard.checker.contracts.attention import cached, conventions, heeded, wiring
from regard.checker.contracts.attention import mistakes as known
from regard.checker.contracts.attention import reference as attention
from regard.checker.contracts.attention.calls import (
    COUNTED,
    MASK,
    SLUGS,
    Single,
    further,
    meanings,
    replaced,
    runs,
    takes,
    tokens_first,
    told,
)
from regard.checker.contracts.attention.layer import (
    FIRST,
    SEQUENCE,
    changed,
    heads_of,
    make,
    most_tokens,
    output,
    prepare,
    sequence_first,
    short,
    tokens,
    width_of,
)
from regard.checker.contracts.attention.masks import faint
from regard.checker.contracts.attention.masks.padding import JOINED, padded
from regard.checker.gradients import flowing
from regard.checker.subject import Arguments, Subject, larger
from regard.checker.workbench import Workbench

STUB = '''"""Causal self-attention, to be filled in. Then: regard check attention.py"""

import math

import torch
from torch import nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    """Each token gathers from itself and the tokens before it.

    x is (b, n, c): batch, tokens, channels. With h heads of width d = c / h:

        q, k, v = the thirds of c_attn(x), each split into heads (b, h, n, d)
        weights = softmax over the keys of q k^T / sqrt(d), where token i sees tokens 0 .. i
        y       = c_proj of the heads' weights @ v, side by side again as (b, n, c)

    The same input gives the same output in eval(), and x is not written into.
    """

    def __init__(self, width: int, heads: int, length: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("fill me in")
'''

MISTAKES = (
    Mistake(
        slug="mask-missing",
        cause="there is no causal mask: every token sees the tokens after it",
        remedy="hide the future before the softmax: scores.masked_fill(mask[:n, :n] == 0, float('-inf'))",
        look="softmax product",
        forms=forms({"see": lambda seen, size: np.ones_like(seen)}),
    ),
    Mistake(
        slug="mask-inverted",
        cause="the causal mask is upside down: tokens see the future and not the past",
        remedy="fill where the triangle is 0: scores.masked_fill(tril == 0, float('-inf'))",
        look="mask masked",
        forms=forms(
            {"see": lambda seen, size: ~seen},
            {"see": lambda seen, size: ~seen, "hide": lambda s, seen: np.where(seen, s, -1e9)},
            {"see": lambda seen, size: ~seen | np.eye(*seen.shape, dtype=bool)},
            {"see": lambda seen, size: ~seen, "keep": lambda w, seen, size: np.nan_to_num(w, nan=0.0)},
        ),
    ),
    Mistake(
        slug="mask-strict",
        cause="the mask hides the token itself as well, so the first token sees nothing",
        remedy="keep the diagonal: tril(ones) with diagonal=0, or triu(ones, diagonal=1) for what is hidden",
        look="mask masked",
        forms=forms(
            {"see": lambda seen, size: np.tril(seen, -1)},
            {"see": lambda seen, size: np.tril(seen, -1), "hide": lambda s, seen: np.where(seen, s, -1e9)},
            {
                "see": lambda seen, size: np.tril(seen, -1),
                "keep": lambda w, seen, size: np.nan_to_num(w, nan=0.0),
            },
        ),
    ),
    Mistake(
        slug="mask-ahead",
        cause="the mask is off by one: each token sees the one after it",
        remedy="hide everything above the diagonal: triu(ones, diagonal=1), or keep tril(ones) with diagonal=0",
        look="mask masked",
        forms=forms({"see": lambda seen, size: np.tril(np.ones_like(seen), 1)}),
    ),
    Mistake(
        slug="mask-training-only",
        cause="the causal mask is there in one of train() and eval() and missing in the other",
        remedy="mask on every path through forward",
        look="mask masked",
    ),
    Mistake(
        slug="mask-not-sliced",
        cause="the mask is not cut to the length of the input: shorter sequences fail",
        remedy="mask[:n, :n]",
        look="mask masked",
    ),
)


def suits(member: dict[str, Any], source: str) -> float:
    """A class whose forward takes one array, with a name and a source that speak of attention and of the past."""
    if member["kind"] != "class":
        return 0.0
    name, needed = member["name"].lower(), [p for p in member["forward"] if p["required"]]
    if not re.search(r"att|mha|multihead|selfatt", name) or re.search(
        r"graph|gat(?!t)|linear|block|config", name
    ):
        return 0.0
    if "causal" in name:
        return 0.95
    words = re.sub(r"\b(non|not|no|without)[\s-]+(an?\s+)?(causal|future)", "", source, flags=re.I)
    hints = re.search(r"tril|triu|is_causal\s*=\s*True|causal|future", words, re.I) or triangle(
        member["parts"]
    )
    return 0.8 if hints and len(needed) <= 1 else 0.3 if len(needed) == 1 else 0.0


def triangle(parts: str) -> bool:
    """Whether classes that a class is built of hide the future, and not only where they are asked to.

    >>> triangle("self.register_buffer('tril', ones)"), triangle("def __init__(self, d, causal=False): triu(m)")
    (True, False)
    """
    asked = re.search(r"(causal|mask)\w*\s*(:\s*bool\s*)?=\s*(False|None)", parts)
    return not asked and bool(re.search(r"tril|triu|is_causal\s*=\s*True", parts))


def adapt(bench: Workbench) -> Subject:
    """Make the layer, find how it is called, read its weights."""
    rng = np.random.default_rng(7)
    made = make(bench, causal=True)
    width, most = width_of(made), most_tokens(made)
    facts: dict[str, Any] = {"turned": sequence_first(bench), "most": most, "single": False, "mask": "seen"}
    facts |= {"padding": "", "width": width}
    inputs = takes(made.call, bench)
    needed = [p["name"] for p in made.call if p["required"] and not p["star"] and p["name"] in inputs]
    inner = [bench.source.text_of(part.name) for part in bench.source.parts(bench.name)]
    own = re.search(
        r"tril|triu|is_causal|causal", "\n".join([bench.source.text_of(bench.name), *inner]), re.I
    )
    masks = {n for n in inputs if MASK.search(n) and not COUNTED.search(n) and (n in needed or not own)}
    ways = further(bench, made, inputs, width // max(heads_of(bench, made), 1))
    facts |= {"further": ways[0], "masks": masks}

    def turn(x: np.ndarray) -> np.ndarray:
        return x.swapaxes(0, 1) if facts["turned"] else x

    def enter(case: Case) -> Arguments:
        x, n = turn(case["query"]), case["query"].shape[1]
        x = x[0] if facts["single"] else x
        lower = np.tril(np.ones((n, n), bool))
        if facts["padding"]:  # one row for each sample, in which nothing is hidden
            lower = np.ones((len(turn(x)), n), bool)
        seen = told(lower, facts["mask"] or "seen")
        seen = seen.astype(float) if facts["padding"] == "numbers" else seen
        values: list[Any] = [seen if name in masks else x for name in needed] or [x]
        optional = {name: seen for name in masks if name not in needed and facts["mask"]}
        return values, facts["further"].named(n) | optional

    def leave(answer: Any, case: Case) -> np.ndarray:
        return output(answer, case, turn, alone=facts["single"])

    subject = Subject(bench, made, enter, leave, facts=facts)
    trial, whole = tokens(rng, min(SEQUENCE, most), width=width), tokens(rng, most, width=width)
    subject = _running(bench, subject, trial, whole, ways, masked=bool(masks))
    if masks:
        _meaning(bench, subject, trial, masks)
    subject.notes += [FIRST] * facts["turned"]
    prepare(bench, subject, trial, rng, causal=True)
    return subject


def _running(
    bench: Workbench, subject: Subject, trial: Case, whole: Case, ways: list[Any], *, masked: bool
) -> Subject:
    """The first way to call that runs: each table of positions, then a mask of padding, then without a batch axis."""
    facts, error = subject.facts, None
    for way in ways:
        facts["further"] = way
        trouble = runs(bench, subject, trial)
        error = error or trouble
        if trouble is None:
            return subject if bench.strict else _by_axis(subject, trial)
    facts["further"] = ways[0]
    for padding in ("truths", "numbers") if masked else ():
        facts["padding"] = padding
        if runs(bench, subject, trial) is None:
            return subject
    facts["padding"] = ""
    alone = Single(bench, subject.made, subject.enter, subject.leave, facts=facts)
    facts["single"] = not bench.strict
    if not bench.strict and runs(bench, alone, trial) is None:
        facts["conventions"] = ("no-batch-axis",)
        return alone
    facts["single"] = False
    assert error
    short(bench, subject, trial, whole, error)
    return subject


def _by_axis(subject: Subject, trial: Case) -> Subject:
    """Whether the tokens lie on the first axis, by how it behaves, where nobody says so."""
    if not subject.facts["turned"] and tokens_first(subject, trial, replaced):
        subject.facts |= {"turned": True, "conventions": ("sequence-first",)}
    return subject


def _meaning(bench: Workbench, subject: Subject, trial: Case, masks: set[str]) -> None:
    """What the mask means: the first meaning under which no token sees what follows it; none where no mask is needed."""
    possible = meanings(bench, next(iter(masks)))
    needed = any(p["required"] and p["name"] in masks for p in subject.made.call)
    for meaning in possible if needed else ("", *possible):
        subject.facts["mask"] = meaning
        if runs(bench, subject, trial) is None and _leak(subject, np.random.default_rng(3)) is None:
            subject.facts["conventions"] = (
                *subject.facts.get("conventions", ()),
                *filter(None, [SLUGS.get(meaning)]),
            )
            return
    subject.facts["mask"] = possible[0]
    bench.precise(subject.made, *subject.enter(trial))


def cases(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """Sequences of different lengths, one of them a single token."""
    width, most = subject.facts["width"], subject.facts["most"]
    return [
        tokens(rng, min(SEQUENCE, most), width=width),
        tokens(rng, 1, width=width),
        tokens(rng, min(5, most), batch=3, width=width, size=2.0),
    ]


def growing(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """More samples, then more and more tokens."""
    width, most = subject.facts["width"], subject.facts["most"]
    batches = [1, *larger(subject, rng, 4, 14)[:5]]
    samples = [tokens(rng, min(SEQUENCE, most), batch=count, width=width) for count in batches]
    return samples + [tokens(rng, count, width=width) for count in larger(subject, rng) if count <= most]


def equal(subject: Subject, rng: np.random.Generator) -> Case:
    """The same token several times: then no score matters."""
    single = tokens(rng, 1, width=subject.facts["width"])
    inputs = {name: np.repeat(x, min(5, subject.facts["most"]), axis=1) for name, x in single.inputs.items()}
    return Case(name="equal tokens", inputs=inputs)


STAGES = (
    ComputationStage(
        where="with one token alone, where its projected value comes out as it is",
        case=lambda subject, rng: tokens(rng, 1, width=subject.facts["width"]),
    ),
    ComputationStage(where="with equal tokens, whose average is the token itself", case=equal),
    ComputationStage(where="with different tokens", case=lambda s, rng: one(s, rng)),
)


def one(subject: Subject, rng: np.random.Generator) -> Case:
    """A case of the usual size."""
    return tokens(rng, min(SEQUENCE, subject.facts["most"]), width=subject.facts["width"])


def causality(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Change the tokens from t on: outputs before t must not move. The shortest sequence that shows it."""
    found = {}
    for training in (False, True):
        subject.training(training)
        found[training] = _leak(subject, rng)
    subject.training(False)
    broken = found[False] or found[True]
    if broken and bool(found[False]) != bool(found[True]):
        mode = "eval()" if found[False] else "train()"
        return Broken(
            number=broken.number,
            words=f"in {mode} alone, {broken.words}",
            slug="mask-training-only",
            instead=("mask-missing",),
        )
    return broken


def _leak(subject: Subject, rng: np.random.Generator) -> Broken | None:
    for count in (count for count in (2, 3, 5, 7) if count <= subject.facts["most"]):
        case = tokens(rng, count, width=subject.facts["width"])
        before = subject.answer(case)
        for start in range(1, count):
            after = subject.answer(changed(case, start, rng))
            moved = laws.gap(before[:, :start], after[:, :start])
            if moved > laws.MOVES[subject.kind]:
                size = np.nanmax(np.abs(before[:, :start] - after[:, :start]), initial=0.0)
                words = (
                    f"with {count} tokens, changing token {start} moves the outputs before it by {size:.3g}"
                )
                return Broken(number=moved, words=words)
    return None


def alike(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Equal tokens are averaged to themselves, whatever the weights: every position gives the same."""
    x = np.repeat(rng.standard_normal((1, 1, subject.facts["width"])), min(5, subject.facts["most"]), axis=1)
    case = Case(name="equal tokens", inputs={"query": x, "key": x, "value": x})
    answer = subject.answer(case)
    spread = laws.gap(answer, np.broadcast_to(answer[:, -1:], answer.shape))
    if spread <= laws.MOVES[subject.kind]:
        return None
    size = np.abs(answer - answer[:, -1:]).max()
    return Broken(
        number=spread,
        words=f"{x.shape[1]} equal tokens give outputs that differ by {size:.3g}",
    )


CONTRACT = Contract(
    name="causal-attention",
    title="causal self-attention",
    file="attention.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    roles=("q", "k", "v", "o", "heads"),
    cases=cases,
    growing=growing,
    odd=(1, 11, 21, 31),
    stages=STAGES,
    reference=attention.output,
    picture=attention.picture,
    program=attention.LAYER,
    mistakes=(
        *known.SCALE,
        *MISTAKES,
        *known.MASK,
        *(m for m in known.SOFTMAX if m.slug != "softmax-all"),
        *wiring.SWAPS,
        *wiring.HEADS,
        *wiring.BEHAVIOUR,
        *cached.MISTAKES,
        JOINED,
        *conduct.MISTAKES,
    ),
    conventions=(*conventions.BUILT_IN, *conventions.MASKS[:2]),
    laws=(
        laws.afresh(one),
        laws.steady(one),
        Law(
            name="causality",
            says="a token does not see the tokens after it",
            test=causality,
            look="mask masked softmax",
        ),
        faint.PAST,
        Law(name="equal tokens", says="equal tokens give equal outputs", test=alike, look="softmax view"),
        laws.apart(one, ("query", "key", "value")),
        laws.untouched(one),
        laws.finite(one, ("query", "key", "value"), 60.0),
        flowing(one, ("query", "key", "value")),
        *heeded.LAWS,
        cached.continued(one),
        padded(one),
        conduct.averaged(one),
        *conduct.kept(one),
    ),
)
