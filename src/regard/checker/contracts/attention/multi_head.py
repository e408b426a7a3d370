"""Multi-head attention with a mask over keys: of one sequence to itself, or of one to another."""

import re
from itertools import product
from typing import Any

import numpy as np

from regard.checker import conduct, laws
from regard.checker.contract import Case, Contract, Law, Mistake, forms
from regard.checker.contracts.attention import conventions, heeded, wiring
from regard.checker.contracts.attention import mistakes as known
from regard.checker.contracts.attention import reference as attention
from regard.checker.contracts.attention.calls import (
    CONTEXT,
    COUNTED,
    MASK,
    MaskForm,
    Single,
    context_of,
    further,
    meanings,
    on_graph,
    replaced,
    runs,
    takes,
    tokens_first,
    told,
    unnamed,
)
from regard.checker.contracts.attention.layer import (
    FIRST,
    KEYS,
    SEQUENCE,
    heads_of,
    make,
    output,
    prepare,
    sequence_first,
    width_of,
)
from regard.checker.contracts.attention.masks import faint
from regard.checker.contracts.attention.masks.layer import elsewhere, settle
from regard.checker.contracts.attention.masks.probes import (
    STAGES,
    asked,
    cases,
    growing,
    hidden,
    hiding,
    layouts,
    masked,
    nothing_seen,
    order,
    otherwise,
    room,
    shaped,
    usual,
)
from regard.checker.contracts.attention.scaled_dot_product import MISTAKES as FUNCTION
from regard.checker.contracts.attention.scaled_dot_product import weightless
from regard.checker.gradients import flowing
from regard.checker.process.session import Raised
from regard.checker.reading.source import Source
from regard.checker.subject import Arguments, Subject, by_role, takes_roles
from regard.checker.workbench import Workbench

STUB = '''"""Multi-head attention with a mask, to be filled in. Then: regard check multi_head_attention.py"""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Every token of `query` gathers from the tokens of `key` and `value`, in several heads.

    query is (b, n, c), key and value are (b, m, c). With h heads of width d = c / h:

        q, k, v = the projections of query, key and value, each split into heads (b, h, ., d)
        weights = softmax over the keys of q k^T / sqrt(d), hidden keys left out
        y       = the output projection of the heads' weights @ v, side by side again as (b, n, c)

    mask, where given, is boolean (b, m): True where a key may be seen.
    """

    def __init__(self, width: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        raise NotImplementedError("fill me in")
'''


def tiled(seen: np.ndarray, size: Any) -> np.ndarray:
    """Masks repeated as a whole where each belongs to all heads of one sample."""
    rows = [seen[(i // 1) % size.b] for i in range(size.b * size.heads)]
    return np.stack(rows).reshape(size.b, size.heads, *seen.shape[2:])


MISTAKES = (
    Mistake(
        slug="mask-batch-order",
        cause="the mask is repeated over batch and heads in another order than the scores: samples get each other's masks",
        remedy="keep the batch axis first: mask[:, None, None, :], or repeat_interleave(heads, 0) for (b * heads)",
        look="mask masked",
        forms=forms({"see": lambda seen, size: tiled(np.broadcast_to(seen, (size.b, 1, 1, size.m)), size)}),
    ),
    Mistake(
        slug="causal-unasked",
        cause="the tokens after each token are hidden, though nobody asked for a causal mask",
        remedy="leave the triangle out: this layer sees every key that the mask shows",
        look="mask masked",
        forms=forms({"unasked": lambda seen, size: seen & np.tril(np.ones((size.n, size.m), bool))}),
    ),
    Mistake(
        slug="key-value-source",
        cause="keys and values are computed from the query's sequence: what was passed as key and value is ignored",
        remedy="self.key(key) and self.value(value)",
        look="product",
        forms=forms(
            {"project": lambda q, k, v, w: attention.project(q, q, q, w)},
            {"project": lambda q, k, v, w: attention.project(q, q, v, w)},
            {"project": lambda q, k, v, w: attention.project(q, k, q, w)},
            {"project": lambda q, k, v, w: attention.project(q, k, k, w)},
        ),
    ),
)
TRIANGLE = re.compile(r"\btril\b|\btriu_?\b|is_causal\s*=\s*True")
ASKED = re.compile(r"causal\w*\s*(:\s*bool\s*)?=\s*False")
"A triangle that hides the future, and an argument by which it must be asked for."
SHARED = {"mask-ignored", "mask-inverted", "mask-transposed", "mask-shape"}


def suits(member: dict[str, Any], source: str) -> float:
    """A class of attention that is not causal."""
    name = member["name"].lower()
    if (
        member["kind"] != "class"
        or not re.search(r"att|mha|multihead", name)
        or re.search(r"graph|gat(?!t)|linear|block|causal|config|options|settings|layer$", name)
        or not member["forward"]
        or on_graph(member["forward"])
    ):
        return 0.0
    if re.search(r"scaled|dot", name) and "Linear(" not in source:
        return 0.0
    if takes_roles(member["forward"]) and weightless(source + member["parts"]):
        return 0.0
    arguments = [p["name"].lower() for p in member["forward"]]
    if takes_roles(member["forward"]):
        return 0.85
    if any("mask" in a for a in arguments):
        needed = [p for p in member["forward"] if p["required"]]
        # One that hides the future by itself, whatever else is hidden, is causal first.
        return 0.75 if len(needed) <= 1 and TRIANGLE.search(source) and not ASKED.search(source) else 0.85
    return 0.6 if "multi" in name or "mha" in name else 0.5


def adapt(bench: Workbench) -> Subject:
    """Make the layer; find whether it takes one sequence or three, and which shape of mask."""
    rng = np.random.default_rng(7)
    made = make(bench, causal=False)
    inputs = takes(made.call, bench)
    roles = takes_roles(made.call) or unnamed(made.call)
    context = None if roles else context_of(made.call, bench.calling)
    inputs = (*inputs, *([context] if context and context not in inputs else []))
    # Where the first is named as what is looked at, the second are those that look.
    looking = context if context and CONTEXT.match(made.call[0]["name"]) else None
    mask = next((name for name in inputs if MASK.search(name)), None)
    required = {p["name"] for p in made.call if p["required"]}
    facts: dict[str, Any] = {
        "cross": bool(roles or context),
        "context": context,
        "turned": sequence_first(bench),
        "mask": mask,
        "layout": "b m",
        "keys": KEYS if roles or context else SEQUENCE,
        "single": False,
        "meaning": meanings(bench, mask)[0],
        "lengths": bool(mask and COUNTED.search(mask)),
    }
    width = facts["width"] = width_of(made)
    ways = further(bench, made, inputs, width // max(heads_of(bench, made), 1))
    facts["further"] = ways[0]

    def turn(x: np.ndarray) -> np.ndarray:
        return x.swapaxes(0, 1) if facts["turned"] else x

    def enter(case: Case) -> Arguments:
        arrays = [
            turn(case[name])[0 if facts["single"] else slice(None)] for name in ("query", "key", "value")
        ]
        given = dict(zip("qkv", arrays, strict=True))
        own = takes_roles(made.call)
        values, named = by_role(made.call, given) if own else (arrays[: 3 if roles else 1], {})
        named |= facts["further"].named(case["query"].shape[1])
        if looking:
            values, named[looking] = [given["k"]], given["q"]
        elif facts["context"] and not case.facts.get("alone"):
            named[facts["context"]] = given["k"]
        return values, named | _masks(case, mask, mask in required, facts)

    def leave(answer: Any, case: Case) -> np.ndarray:
        return output(answer, case, turn, alone=facts["single"])

    subject = Subject(bench, made, enter, leave, facts=facts)
    try:
        subject = _run(bench, subject, rng, ways)
    except Raised:
        if not context or context in required:
            raise
        facts |= {"context": None, "cross": False, "keys": SEQUENCE}
        subject = _run(bench, subject, rng, ways)
    subject.notes += [FIRST] * facts["turned"]
    trial = asked(subject, rng, masked=False)
    prepare(bench, subject, trial, rng, causal=False)
    if mask:
        settle(subject, rng)
    return subject


def _masks(case: Case, mask: str | None, needed: bool, facts: dict[str, Any]) -> dict[str, Any]:
    """The masks that a case gives, by their names."""
    if not mask or "named" in case.facts:
        return case.facts.get("named", {})
    count, form = case["query"].shape[1], case.facts.get("form")
    form = form or MaskForm(mask, facts["layout"], facts["meaning"])
    named = {}
    if needed and form.name != mask:
        named[mask] = shaped(np.ones_like(case["mask"]), facts["layout"], count)
    if case.facts["masked"] or needed:
        shown = shaped(case["mask"], form.layout, count)
        named[form.name] = shown if facts["lengths"] else told(shown, form.meaning)
    return named


def _run(bench: Workbench, subject: Subject, rng: np.random.Generator, ways: list[Any]) -> Subject:
    """The first sizes at which it runs: keys may be as many as queries, if nothing else works.

    Where a mask must be given, it may have any of the usual layouts. Unless the contract's own choice is asked for,
    tokens may come first, or without a batch axis.
    """
    error, facts = None, subject.facts
    most, told_turned = facts["keys"], facts["turned"]
    alone = Single(bench, subject.made, subject.enter, subject.leave, facts=facts)
    forms = [(told_turned, subject)]
    forms += [] if bench.strict else [(True, subject), (False, alone)]
    for (turned, taken), keys, layout, way in product(forms, (most, SEQUENCE), layouts(facts), ways):
        facts |= {"keys": keys, "layout": layout, "turned": turned, "further": way, "single": taken is alone}
        trouble = runs(bench, taken, asked(taken, rng, masked=False))
        error = error or trouble
        if trouble:
            continue
        facts["refused"] = error if keys != most and turned == told_turned else None
        own = ("no-batch-axis",) if taken is alone else ()
        if not (bench.strict or turned or own) and tokens_first(taken, _alike(taken, rng), replaced):
            turned = True
            facts |= {"turned": True, "layout": layouts(facts)[0], "keys": most}
            facts["refused"] = runs(bench, taken, asked(taken, rng, masked=False))
            facts["keys"] = SEQUENCE if facts["refused"] else most
        facts["conventions"] = (*own, *(["sequence-first"] if turned and not told_turned else []))
        return taken
    facts |= {"turned": told_turned, "single": False}
    assert error
    raise error


def _alike(subject: Subject, rng: np.random.Generator) -> Case:
    """A case in which one sequence looks at itself."""
    case = asked(subject, rng, masked=False)
    x = case["query"]
    mask = np.ones((len(x), 1, 1, x.shape[1]), bool)
    return Case(name=case.name, inputs={"query": x, "key": x, "value": x, "mask": mask}, facts=case.facts)


def decide(source: Source, name: str, slugs: set[str], facts: dict[str, Any]) -> str | None:
    """Where the softmax runs over the queries, a mask over keys cancels however it is used: was it used at all?"""
    masks = all(slug.startswith("mask-") for slug in slugs)
    return "mask-ignored" if masks and "mask-ignored" in slugs and facts.get("unread") else None


CONTRACT = Contract(
    name="multi-head-attention",
    title="multi-head attention with a mask",
    file="multi_head_attention.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    roles=("q", "k", "v", "o", "heads", "mask"),
    cases=cases,
    growing=lambda subject, rng: [*growing(subject, rng), *elsewhere(subject, rng)],
    odd=(1, 11, 21, 31),
    stages=STAGES,
    reference=attention.output,
    picture=attention.picture,
    program=attention.LAYER,
    mistakes=(
        *known.SCALE,
        *(m for m in FUNCTION if m.slug in SHARED),
        *MISTAKES,
        *known.MASK,
        *known.SOFTMAX,
        *wiring.SWAPS,
        *wiring.HEADS,
        *wiring.BEHAVIOUR,
        *conduct.MISTAKES,
    ),
    conventions=(*conventions.BUILT_IN, *conventions.MASKS, conventions.PADDED, conventions.MASKED_ROW),
    laws=(
        laws.afresh(otherwise, masked),
        laws.steady(usual),
        Law(name="hidden", says="what is hidden does not move what is seen", test=hidden, look="mask masked"),
        faint.LAYER,
        Law(
            name="order",
            says="the order of the tokens carries no meaning of its own",
            test=order,
            look="view transpose",
        ),
        Law(name="sizes", says="queries and keys may differ in number", test=room, look="view"),
        laws.apart(usual, ("query", "key", "value")),
        laws.untouched(masked),
        laws.finite(usual, ("query", "key", "value"), 60.0),
        flowing(usual, ("query", "key", "value")),
        *heeded.LAWS,
        heeded.heard(usual),
        heeded.apart(usual),
        conduct.averaged(usual),
        *conduct.kept(usual, hiding),
    ),
    notices=(nothing_seen,),
    decide=decide,
)
