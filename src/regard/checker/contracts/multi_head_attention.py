"""Multi-head attention with a mask over keys: of one sequence to itself, or of one to another."""

import re
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.bench import Bench
from regard.checker.contract import Broken, Case, Contract, Law, Mistake, forms
from regard.checker.contracts import attention_mistakes as known
from regard.checker.contracts import attention_wiring as wiring
from regard.checker.contracts.attention_layer import BATCH, KEYS, SEQUENCE, make, output, prepare, width_of
from regard.checker.contracts.scaled_dot_product import MISTAKES as FUNCTION
from regard.checker.contracts.scaled_dot_product import told
from regard.checker.reading import role
from regard.checker.references import attention
from regard.checker.session import Raised
from regard.checker.subject import Arguments, Subject

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
SHARED = {"mask-ignored", "mask-inverted", "mask-transposed"}


def suits(member: dict[str, Any], source: str) -> float:
    """A class of attention that is not causal."""
    name = member["name"].lower()
    if (
        member["kind"] != "class"
        or not re.search(r"att|mha|multihead", name)
        or re.search(r"graph|gat|linear|block|causal|config|layer$", name)
    ):
        return 0.0
    if re.search(r"scaled|dot", name) and "Linear(" not in source:
        return 0.0
    arguments = [p["name"].lower() for p in member["forward"]]
    if [role(a) for a in arguments[:3]] == ["q", "k", "v"] or any("mask" in a for a in arguments):
        return 0.85
    return 0.6 if "multi" in name or "mha" in name else 0.5


def adapt(bench: Bench) -> Subject:
    """Make the layer; find whether it takes one sequence or three, and which shape of mask."""
    rng = np.random.default_rng(7)
    made = make(bench, causal=False)
    names = [p["name"] for p in made.call]
    cross = [role(name) for name in names[:3]] == ["q", "k", "v"]
    mask = next((name for name in names if "mask" in name.lower()), None)
    required = {p["name"] for p in made.call if p["required"]}
    padding = bool(mask) and bool(re.search(r"pad|ignore", mask or ""))
    meaning = bench.said.get("mask", "hide" if padding else "seen")
    facts: dict[str, Any] = {
        "cross": cross,
        "mask": mask,
        "layout": "b m",
        "keys": KEYS if cross else SEQUENCE,
    }

    def enter(case: Case) -> Arguments:
        values = [case["query"], case["key"], case["value"]] if cross else [case["query"]]
        if mask and (case.facts["masked"] or mask in required):
            shown = told(shaped(case["mask"], facts["layout"], case["query"].shape[1]), meaning)
            return values, {mask: shown}
        return values, {}

    subject = Subject(bench, made, enter, output, facts=facts)
    width = width_of(made)
    facts["width"] = width
    _run(bench, subject, rng)
    trial = asked(subject, rng, masked=False)
    prepare(bench, subject, trial, rng, causal=False)
    if mask:
        _mask(subject, rng)
    return subject


def shaped(mask: np.ndarray, layout: str, queries: int) -> np.ndarray:
    """A mask (b, 1, 1, m) in one of the layouts that people use."""
    b, m = mask.shape[0], mask.shape[-1]
    flat = mask.reshape(b, m)
    shapes = {
        "b m": flat,
        "b 1 1 m": mask,
        "b 1 m": flat[:, None],
        "b n m": np.repeat(flat[:, None], queries, axis=1),
        "b 1 n m": np.repeat(mask, queries, axis=2),
    }
    return shapes[layout]


def _run(bench: Bench, subject: Subject, rng: np.random.Generator) -> None:
    """The first sizes at which it runs: keys may be as many as queries, if nothing else works."""
    error = None
    for keys in (subject.facts["keys"], SEQUENCE):
        subject.facts["keys"] = keys
        try:
            bench.precise(subject.made, *subject.enter(asked(subject, rng, masked=False)))
            subject.facts["refused"] = error
            return
        except Raised as trouble:
            error = error or trouble
    assert error
    raise error


def _mask(subject: Subject, rng: np.random.Generator) -> None:
    """The layout of the mask: the first under which hidden keys do not matter, else the first that runs."""
    running = []
    for layout in ("b m", "b 1 1 m", "b 1 m", "b n m", "b 1 n m"):
        subject.facts["layout"] = layout
        try:
            trial = asked(subject, rng, masked=True)
            if subject.answer(trial).shape != trial["query"].shape:
                continue
            running.append(layout)
            if hidden(subject, rng) is None:
                break
        except Raised as error:
            subject.facts["mask error"] = error
    else:
        if not running:
            subject.facts["mask"] = None
            return
        subject.facts["layout"] = running[0]
    subject.notes.append(f"mask passed as ({subject.facts['layout']})")


def asked(
    subject: Subject, rng: np.random.Generator, *, masked: bool, size: float = 1.0, queries: int = SEQUENCE
) -> Case:
    """Random sequences with keys that must not be seen, other ones in each sample."""
    width, keys = subject.facts["width"], subject.facts["keys"]
    queries = keys if keys == SEQUENCE else queries
    query = rng.standard_normal((BATCH, queries, width)) * size
    key, value = (
        (rng.standard_normal((BATCH, keys, width)) * size for _ in range(2))
        if subject.facts["cross"]
        else (query, query)
    )
    mask = np.ones((BATCH, 1, 1, keys), bool)
    if masked:
        mask[0, ..., [1, keys - 1]] = False
        mask[1, ..., 0] = False
    inputs = {"query": query, "key": key, "value": value, "mask": mask}
    return Case(
        name=f"{queries} queries, {keys} keys{', some hidden' if masked else ''}",
        inputs=inputs,
        facts={"masked": masked},
    )


def cases(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """With and without a mask."""
    plain = asked(subject, rng, masked=False)
    return [asked(subject, rng, masked=True), plain] if subject.facts["mask"] else [plain]


def usual(subject: Subject, rng: np.random.Generator) -> Case:
    """A case of the usual size."""
    return asked(subject, rng, masked=False)


def hidden(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """What is hidden does not move what is seen."""
    if not subject.facts["mask"]:
        error = subject.facts.get("mask error")
        return (
            Broken(number=np.inf, words=f"no shape of mask runs: {error.kind}: {error.words[:150]}")
            if error
            else None
        )
    case = asked(subject, rng, masked=True)
    inputs = {name: value.copy() for name, value in case.inputs.items()}
    for name in ("key", "value") if subject.facts["cross"] else ("query",):
        inputs[name][0, 1] = rng.standard_normal(inputs[name][0, 1].shape)
    if not subject.facts["cross"]:
        inputs["key"] = inputs["value"] = inputs["query"]
    rows = np.ones(case["query"].shape[1], bool)
    rows[1] = subject.facts["cross"]
    before, after = (
        subject.answer(case),
        subject.answer(Case(name=case.name, inputs=inputs, facts=case.facts)),
    )
    moved = laws.gap(before[:, rows], after[:, rows])
    if moved <= laws.MOVES[subject.kind]:
        return None
    return Broken(
        number=moved,
        words=f"changing key 1 of sample 0, which is hidden, moves other outputs by {moved:.3g} of their size",
    )


def order(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Keys in another order give the same output; for one sequence, tokens in another order give it in that order."""
    case = usual(subject, rng)
    turn = rng.permutation(case["key"].shape[1])
    before = subject.answer(case)
    inputs = {
        name: value[:, turn] if name in ("key", "value") else value for name, value in case.inputs.items()
    }
    if not subject.facts["cross"]:
        inputs["query"] = inputs["key"]
        before = before[:, turn]
    moved = laws.gap(before, subject.answer(Case(name=case.name, inputs=inputs, facts=case.facts)))
    if moved <= laws.MOVES[subject.kind]:
        return None
    return Broken(
        number=moved, words=f"tokens in another order change the outputs by {moved:.3g} of their size"
    )


def nothing_seen(subject: Subject, rng: np.random.Generator) -> str | None:
    """What a query does that may see nothing."""
    if not subject.facts["mask"]:
        return None
    case = asked(subject, rng, masked=True)
    mask = case["mask"].copy()
    mask[0] = False
    answer = subject.answer(Case(name=case.name, inputs=case.inputs | {"mask": mask}, facts=case.facts))
    return None if np.isfinite(answer).all() else "masked-row-nan"


def room(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Queries and keys may differ in number."""
    error = subject.facts["refused"]
    if error is None:
        return None
    return Broken(
        number=np.inf,
        words=f"{SEQUENCE} queries and {KEYS} keys: {error.kind}: {error.words.splitlines()[0][:150]}",
    )


CONTRACT = Contract(
    name="multi-head-attention",
    title="multi-head attention with a mask",
    file="multi_head_attention.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    cases=cases,
    reference=attention.output,
    picture=attention.picture,
    mistakes=(
        *known.SCALE,
        *(m for m in FUNCTION if m.slug in SHARED),
        *MISTAKES,
        *known.MASK,
        *known.SOFTMAX,
        *wiring.SWAPS,
        *wiring.HEADS,
        *wiring.BEHAVIOUR,
    ),
    conventions=(wiring.RESIDUAL, wiring.INTERLEAVED, wiring.SWAPPED, wiring.FUSED, wiring.MASKED_ROW),
    laws=(
        laws.steady(usual),
        Law(name="hidden", says="what is hidden does not move what is seen", test=hidden, look="mask masked"),
        Law(
            name="order",
            says="the order of the tokens carries no meaning of its own",
            test=order,
            look="view transpose",
        ),
        Law(name="sizes", says="queries and keys may differ in number", test=room, look="view"),
        laws.apart(usual, ("query", "key", "value")),
        laws.untouched(usual),
        laws.finite(usual, ("query", "key", "value"), 60.0),
        laws.flowing(usual),
    ),
    notices=(nothing_seen,),
)
