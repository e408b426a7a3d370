"""Scaled dot-product attention as a function of queries, keys and values."""

import re
from typing import Any

import numpy as np

from regard.checker import conduct, laws
from regard.checker.contract import Contract, Convention, Law, Mistake, Steps, forms
from regard.checker.contracts.attention import conventions, wiring
from regard.checker.contracts.attention import mistakes as known
from regard.checker.contracts.attention import reference as attention
from regard.checker.contracts.attention.function_calls import adapt
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
    otherwise,
    room,
    thinned,
    usual,
)
from regard.checker.contracts.attention.masks import faint
from regard.checker.contracts.attention.masks.second import second
from regard.checker.gradients import flowing
from regard.checker.subject import takes_roles

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
            {"see": lambda seen, size: ~seen, "hide": lambda s, seen: s + ~seen * -1e9},
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
        slug="mask-shape",
        cause="a mask that says something else to each sample, head or query is not heeded as it says",
        remedy="let the mask broadcast to the scores, (batch, heads, queries, keys), with every axis in its place",
        look="mask masked",
    ),
    Mistake(
        slug="scores-beside",
        cause="what comes beside the output are the scores before the softmax, not the weights",
        remedy="return what the softmax gives, or the output alone",
        look="softmax",
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

OTHERS = {"weights-transposed", "similarity-cosine"}


def suits(member: dict[str, Any], source: str) -> float:
    """A function of q, k and v, or a class without weights that is called so."""
    if not takes_roles(member["forward"]):
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


CONVENTIONS: tuple[Convention, ...] = (
    *conventions.MASKS,
    conventions.OF_KEYS,
    conventions.MASKED_ROW,
    conventions.SEQUENCE_FIRST,
    conventions.HEADS_AFTER,
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
    growing=lambda subject, rng: [*growing(subject, rng), *second(subject, rng)],
    odd=(1, 3, 5, 7, 9, 11, 13),
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
        wiring.DROPOUT,
        *wiring.BEHAVIOUR,
        *conduct.USED,
    ),
    conventions=CONVENTIONS,
    laws=(
        laws.afresh(otherwise, masked),
        laws.steady(usual),
        Law(name="ones", says="the weights of a query sum to one", test=ones, look="softmax exponential"),
        Law(name="order", says="the order of the keys does not matter", test=order, look="view product"),
        Law(
            name="hidden",
            says="what a query may not see does not move its output",
            test=hidden,
            look="mask masked",
        ),
        faint.FUNCTION,
        Law(
            name="sizes",
            says="queries and keys may differ in number, keys and values in width",
            test=room,
            look="product",
        ),
        Law(
            name="beside", says="beside the output come the weights, or nothing", test=beside, look="softmax"
        ),
        Law(
            name="thinned",
            says="dropout takes weights away for good: they are not made to sum to one again",
            test=thinned,
            look="dropout",
        ),
        laws.untouched(masked),
        laws.finite(usual, ("query", "key", "value"), 60.0),
        flowing(usual, ("query", "key", "value")),
        conduct.averaged(usual),
        *conduct.modes(usual, masked),
    ),
    notices=(nothing_seen,),
)
