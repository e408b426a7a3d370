"""Scaled dot-product attention as a function of queries, keys and values."""

import re
from typing import Any

import numpy as np

from regard.checker import conduct, laws
from regard.checker.contract import Case, Contract, Convention, Law, Mistake, Steps, WeightMap, forms
from regard.checker.contracts.attention import conventions, wiring
from regard.checker.contracts.attention import mistakes as known
from regard.checker.contracts.attention import reference as attention
from regard.checker.contracts.attention.calls import SLUGS, meanings, told
from regard.checker.contracts.attention.function_probes import (
    STAGES,
    beside,
    cases,
    growing,
    hidden,
    masked,
    nothing_seen,
    ones,
    order,
    room,
    usual,
)
from regard.checker.gradients import flowing
from regard.checker.process.session import Raised
from regard.checker.reading.arguments import mean
from regard.checker.reading.settings import constant
from regard.checker.reading.source import role
from regard.checker.subject import Arguments, Subject, by_role, first, takes_roles
from regard.checker.workbench import Workbench

STUB = '''"""Scaled dot-product attention, to be filled in. Then: regard check scaled_dot_product.py"""

import math

import torch


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    """Each query gathers the values of the keys that are like it.

    q is (..., n, d), k is (..., m, d), v is (..., m, c); the result is (..., n, c):

        softmax over the keys of q k^T / sqrt(d), times v

    mask, where given, is boolean and broadcasts to (..., n, m): True where the query may see the key.
    """
    raise NotImplementedError("fill me in")
'''

SHAPES = (
    ((2, 3), 7, 5, 8, 9),
    ((2, 3), 7, 5, 8, 8),
    ((2, 3), 7, 7, 8, 8),
    ((2,), 7, 5, 8, 9),
    ((2,), 7, 5, 8, 8),
    ((2,), 7, 7, 8, 8),
    ((), 7, 5, 8, 9),
    ((), 7, 5, 8, 8),
    ((), 7, 7, 8, 8),
)
"Leading axes, queries, keys, width, width of the values: the first that runs is used."


def give(change: Any) -> Steps:
    """A mistake in what meets what."""
    return {"give": change}


MISTAKES = (
    Mistake(
        slug="scale-value-width",
        cause="the scores are divided by the square root of the values' width, not of the keys'",
        remedy="take d from the last axis of q or k",
        look="root power product",
        forms=forms({"scale": lambda size: size.c**-0.5}),
    ),
    Mistake(
        slug="mask-ignored",
        cause="the mask has no effect",
        remedy="scores.masked_fill(~mask, float('-inf')) before the softmax",
        look="masked softmax",
        forms=forms({"see": lambda seen, size: np.ones((1,) * seen.ndim, bool)}),
    ),
    Mistake(
        slug="mask-inverted",
        cause="the mask is taken the wrong way round: what may be seen is hidden (True means: may be seen)",
        remedy="hide where the mask is False: scores.masked_fill(~mask, float('-inf')); if True means hide in your code, say --map mask=hide",
        look="mask masked",
        forms=forms(
            {"see": lambda seen, size: ~seen},
            {"see": lambda seen, size: ~seen, "hide": lambda s, seen: np.where(seen, s, -1e9)},
            {"see": lambda seen, size: ~seen, "keep": lambda w, seen, size: np.nan_to_num(w, nan=0.0)},
        ),
    ),
    Mistake(
        slug="mask-transposed",
        cause="the mask is applied with queries and keys exchanged",
        remedy="rows of the mask are queries and columns are keys, as in the scores",
        look="mask masked",
        forms=forms(
            {"see": lambda seen, size: seen.swapaxes(-1, -2)},
            {
                "see": lambda seen, size: seen.swapaxes(-1, -2),
                "hide": lambda s, seen: np.where(seen, s, -1e9),
            },
        ),
    ),
    Mistake(
        slug="k-v-swapped",
        cause="keys and values are exchanged: queries meet the values and the keys are averaged",
        remedy="softmax(q @ k^T / sqrt(d)) @ v, with the arguments in the order q, k, v",
        look="product",
        forms=forms(give(lambda q, k, v: (q, v, k))),
    ),
    Mistake(
        slug="query-is-key",
        cause="queries meet queries, or keys meet keys: one of the two is never used",
        remedy="the scores are q @ k^T",
        look="product",
        forms=forms(give(lambda q, k, v: (q, q, v)), give(lambda q, k, v: (k, k, v))),
    ),
    Mistake(
        slug="keys-reshaped",
        cause="the keys are reshaped instead of transposed, which mixes different keys",
        remedy="k.transpose(-2, -1)",
        look="view product",
        forms=forms({"similarity": known.reshaped}),
    ),
    Mistake(
        slug="q-k-swapped",
        cause="the scores are k q^T: rows belong to keys and not to queries",
        remedy="the scores are q @ k^T, one row for each query, with the arguments in the order q, k, v",
        look="product",
        forms=forms(give(lambda q, k, v: (k, q, v))),
    ),
)

WIDTH = 8
LAYOUTS = ("n m", "b n m", "b 1 n m", "b m")
"Shapes of a mask over queries and keys; the last says the same to all queries."
OTHERS = {"weights-transposed", "similarity-cosine"}
MASKING = re.compile(r"mask|^m$|allowed|visible|^keep$|^valid$|^seen$|valid_?len|^lens$", re.I)


def suits(member: dict[str, Any], source: str) -> float:
    """A function of q, k and v, or a class without weights that is called so."""
    roles = [role(p["name"]) for p in member["forward"][:3]]
    if roles != ["q", "k", "v"] and not by_name(member["forward"]):
        return 0.0
    if member["kind"] == "function":
        return 0.9
    name = member["name"].lower()
    if re.search(r"scaled|dot", name):
        return 0.9 if "Linear(" not in source else 0.0
    return 0.9 if re.search(r"att(n$|end|ent)", name) and weightless(source + member["parts"]) else 0.0


def weightless(source: str) -> bool:
    """Whether a class, with the classes it is built of, has no weights, and no heads to cut.

    >>> weightless("return softmax(q @ k.mT) @ v"), weightless("self.q = nn.Linear(d, d)")
    (True, False)
    """
    return not re.search(
        r"Linear|Parameter|Conv\d|multi_?head|\bheads?\b|n_?heads?|super\(\)\.forward", source, re.I
    )


def by_name(parameters: list[dict[str, Any]]) -> bool:
    """Whether q, k and v are taken by their names: they can only be passed so, or the query does not come first.

    Else their order is q, k, v, as callers have it.
    """
    return takes_roles(parameters) and (
        role(parameters[0]["name"]) != "q" or all(p["named"] for p in parameters[:3])
    )


def adapt(bench: Workbench) -> Subject:
    """Find the mask argument and the first sizes that run."""
    width = constant(bench.source, bench.name, "head_width") or WIDTH + bench.stretch
    made = bench.build({"head_width": width, "width": width, "temperature": width**0.5, "dropout": 0.3})
    method = bench.member.get("method", "")
    call = made.methods[method] if method else made.call
    parameters = [p["name"] for p in call]
    mask = next((name for name in parameters[3:] if MASKING.search(name)), None)
    needed = [p["name"] for p in call if p["required"]]
    lengths = bool(mask and re.search(r"len", mask))
    facts: dict[str, Any] = {
        "mask": mask,
        "drawn": {},
        "pattern": "lengths" if lengths else "free",
        "meaning": meanings(bench, mask)[0],
    }
    facts |= {"layout": "n m", "width": width}
    rest = [n for n in needed if n not in (*parameters[:3], mask, *bench.calling)]

    def enter(case: Case) -> Arguments:
        given = {"q": case["query"], "k": case["key"], "v": case["value"]}
        values, named = by_role(call, given) if by_name(call) else (list(given.values()), {})
        named |= {name: further_one(name, case) for name in rest}
        if mask and (case.facts["masked"] or mask in needed):
            shown = laid(case["mask"], facts["layout"], len(case["query"]))
            named[mask] = counted(case) if lengths else told(shown, facts["meaning"])
        return values, named

    bench.doubts += [f"{name} given as a size or None" for name in rest]
    subject = Subject(bench, made, enter, output, method=method, facts=facts)
    if by_name(call):
        subject.notes.append(f"passed by their names: {', '.join(parameters[:3])}")
    first_error = _shape(bench, subject)
    shape = facts["shape"]
    facts["refused"] = first_error if shape[1] == shape[2] or shape[3] == shape[4] else None
    subject.frames = [WeightMap(weights={}, conventions=_meaning(bench, subject, mask))]
    return subject


def _shape(bench: Workbench, subject: Subject) -> Raised | None:
    """Find the first sizes that run; what the sizes before it ended in."""
    rng, facts = np.random.default_rng(7), subject.facts
    first_error: Raised | None = None
    for lead, n, m, d, c in (shape for shape in SHAPES if shape[0] or facts["pattern"] == "free"):
        shape = (lead, n, m, d + facts["width"] - WIDTH, c + facts["width"] - WIDTH)
        facts["shape"] = shape
        for layout in LAYOUTS if facts["mask"] and lead else LAYOUTS[:1]:
            facts["layout"] = layout
            if facts["pattern"] != "lengths":
                facts["pattern"] = "rows" if layout == "b m" else "free"
            trial = masked(subject, rng)
            try:
                bench.precise(subject.made, *subject.enter(trial), subject.method)
                if layout != "n m" and subject.answer(trial).shape != (*lead, n, shape[-1]):
                    continue
                return first_error if layout == "n m" else None
            except Raised as error:
                first_error = first_error or error
    assert first_error
    raise first_error


def _meaning(bench: Workbench, subject: Subject, mask: str | None) -> tuple[str, ...]:
    """What the mask means: the first meaning under which what is hidden does not matter; as a convention."""
    facts = subject.facts
    if facts["pattern"] == "lengths":
        return ("valid-lengths",)
    own = ("mask-of-keys",) if facts["pattern"] == "rows" else ()
    possible = meanings(bench, mask) if mask else ()
    for meaning in possible:
        facts["meaning"] = meaning
        try:
            if hidden(subject, np.random.default_rng(5)) is None:
                return (*own, *filter(None, [SLUGS.get(meaning)]))
        except Raised:
            continue
    facts["meaning"] = possible[0] if possible else "seen"
    return (*own, *filter(None, [SLUGS.get(facts["meaning"])]))


def laid(mask: np.ndarray, layout: str, batch: int) -> np.ndarray:
    """A mask (n, m) as it is, or once for each sample, or its first row alone."""
    if layout == "n m":
        return mask
    if layout == "b m":
        return np.repeat(mask[:1], batch, axis=0)
    whole = np.broadcast_to(mask, (batch, *mask.shape)).copy()
    return whole if layout == "b n m" else whole[:, None]


def further_one(name: str, case: Case) -> Any:
    """Another argument that is required: a width or a number of tokens, else nothing."""
    width = case["key"].shape[-1]
    known = {"head_width": width, "width": width, "length": case["query"].shape[-2]}
    meaning = mean(name, list(known))
    return known[meaning] if meaning else None


def counted(case: Case) -> np.ndarray:
    """How many keys each query may see, (batch, queries)."""
    counts = case["mask"].sum(-1)
    return np.broadcast_to(counts, (case["query"].shape[0], len(counts))).copy()


def output(answer: Any, case: Case) -> np.ndarray:
    """The output among what is returned: the array with one row for each query and the values' width."""
    wanted = (*case["query"].shape[:-1], case["value"].shape[-1])
    for item in answer if isinstance(answer, list) else []:
        if isinstance(item, np.ndarray) and item.shape == wanted:
            return item
    return first(answer)


CONVENTIONS: tuple[Convention, ...] = (
    *conventions.MASKS,
    conventions.OF_KEYS,
    conventions.MASKED_ROW,
)

CONTRACT = Contract(
    name="scaled-dot-product",
    title="scaled dot-product attention",
    file="scaled_dot_product.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    roles=("mask",),
    cases=cases,
    growing=growing,
    stages=STAGES,
    reference=lambda case, frame, steps: attention.function(case, frame, steps)[0],
    picture=lambda case, frame, steps: (w := attention.function(case, frame, steps)[1]).reshape(
        -1, *w.shape[-2:]
    )[0],
    program=attention.FUNCTION,
    mistakes=(
        *(m for m in known.SCALE if m.slug != "scale-width"),
        *MISTAKES,
        *known.MASK,
        *known.SOFTMAX,
        *(m for m in wiring.SWAPS if m.slug in OTHERS),
        *wiring.BEHAVIOUR,
        *conduct.MISTAKES,
    ),
    conventions=CONVENTIONS,
    laws=(
        laws.afresh(usual),
        laws.steady(usual),
        Law(name="ones", says="the weights of a query sum to one", test=ones, look="softmax exponential"),
        Law(name="order", says="the order of the keys does not matter", test=order, look="view product"),
        Law(
            name="hidden",
            says="what a query may not see does not move its output",
            test=hidden,
            look="mask masked",
        ),
        Law(
            name="sizes",
            says="queries and keys may differ in number, keys and values in width",
            test=room,
            look="product",
        ),
        Law(
            name="beside", says="beside the output come the weights, or nothing", test=beside, look="softmax"
        ),
        laws.untouched(usual),
        laws.finite(usual, ("query", "key", "value"), 60.0),
        flowing(usual, ("query", "key", "value")),
        *conduct.modes(usual),
    ),
    notices=(nothing_seen,),
)
