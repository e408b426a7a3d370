"""Scaled dot-product attention as a function of queries, keys and values."""

import re
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.contract import Broken, Case, Contract, Convention, Law, Mistake, Steps, WeightMap, forms
from regard.checker.contracts.attention import mistakes as known
from regard.checker.contracts.attention import reference as attention
from regard.checker.contracts.attention import wiring
from regard.checker.gradients import flowing
from regard.checker.process.session import Raised
from regard.checker.source import role
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

OTHERS = {"weights-transposed", "similarity-cosine"}


def suits(member: dict[str, Any], source: str) -> float:
    """A function of q, k and v, or a class without weights that is called so."""
    roles = [role(p["name"]) for p in member["forward"][:3]]
    if roles != ["q", "k", "v"] and not by_name(member["forward"]):
        return 0.0
    if member["kind"] == "function":
        return 0.9
    return 0.9 if re.search(r"scaled|dot", member["name"].lower()) and "Linear(" not in source else 0.0


def by_name(parameters: list[dict[str, Any]]) -> bool:
    """Whether q, k and v can only be passed by name: then their order is free; else it is q, k, v, as callers have it."""
    return takes_roles(parameters) and all(p["named"] for p in parameters[:3])


def adapt(bench: Workbench) -> Subject:
    """Find the mask argument and the first sizes that run."""
    made = bench.build({"head_width": 8, "width": 8, "temperature": 8**0.5, "dropout": 0.3})
    parameters = [p["name"] for p in made.call]
    mask = next(
        (
            name
            for name in parameters[3:]
            if re.search(r"mask|^m$|allowed|visible|^keep$|^valid$|^seen$", name, re.I)
        ),
        None,
    )
    needed = [p["name"] for p in made.call if p["required"]]
    meaning = bench.said.get("mask", "hide" if mask and "padding" in mask else "seen")

    def enter(case: Case) -> Arguments:
        given = {"q": case["query"], "k": case["key"], "v": case["value"]}
        values, named = by_role(made.call, given) if by_name(made.call) else (list(given.values()), {})
        if mask and (case.facts["masked"] or mask in needed):
            named[mask] = told(case["mask"], meaning)
        return values, named

    subject = Subject(bench, made, enter, output)
    subject.facts |= {"mask": mask, "drawn": {}}
    rng = np.random.default_rng(7)
    first_error: Raised | None = None
    for shape in SHAPES:
        trial = asked(rng, shape, masked=bool(mask))
        try:
            bench.precise(made, *enter(trial))
            subject.facts["shape"] = shape
            break
        except Raised as error:
            first_error = first_error or error
    else:
        assert first_error
        raise first_error
    subject.facts["refused"] = first_error if shape[1] == shape[2] or shape[3] == shape[4] else None
    subject.frames = [WeightMap(weights={})]
    return subject


def told(mask: np.ndarray, meaning: str) -> np.ndarray:
    """A mask of what may be seen, in the person's own meaning."""
    if meaning == "additive":
        return np.where(mask, 0.0, -np.inf)
    return ~mask if meaning == "hide" else mask


def asked(rng: np.random.Generator, shape: tuple, *, masked: bool, size: float = 1.5) -> Case:
    """Random queries, keys and values; every query sees at least one key, and no two see the same."""
    lead, n, m, d, c = shape
    draw = rng.standard_normal
    mask = rng.random((n, m)) < 0.5
    mask[np.arange(n), (np.arange(n) * 3 + 1) % m] = True
    mask[np.arange(min(n, m)), np.arange(min(n, m))[::-1] - 1] = False
    mask[np.arange(n), (np.arange(n) * 3 + 1) % m] = True
    inputs: dict[str, np.ndarray] = {
        "query": draw((*lead, n, d)) * size,
        "key": draw((*lead, m, d)) * size,
        "value": draw((*lead, m, c)),
    }
    inputs["mask"] = mask if masked else np.ones((n, m), bool)
    sizes = f"{n} queries, {m} keys{', masked' if masked else ''}"
    return Case(name=sizes, inputs=inputs, facts={"masked": masked})


def output(answer: Any, case: Case) -> np.ndarray:
    """The output among what is returned: the array with one row for each query and the values' width."""
    wanted = (*case["query"].shape[:-1], case["value"].shape[-1])
    for item in answer if isinstance(answer, list) else []:
        if isinstance(item, np.ndarray) and item.shape == wanted:
            return item
    return first(answer)


def cases(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """Without a mask, and with one where there is one."""
    shape = subject.facts["shape"]
    plain = [
        asked(rng, shape, masked=False),
        asked(rng, (shape[0], 3, shape[2] if shape[1] != shape[2] else 3, *shape[3:]), masked=False),
    ]
    return [asked(rng, shape, masked=True), *plain] if subject.facts["mask"] else plain


def usual(subject: Subject, rng: np.random.Generator, size: float = 1.5) -> Case:
    """A case of the usual size."""
    return asked(rng, subject.facts["shape"], masked=False, size=size)


def ones(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Values that are all one come out as one: the weights of a query sum to one."""
    case = usual(subject, rng)
    answer = subject.answer(
        Case(name=case.name, inputs=case.inputs | {"value": np.ones_like(case["value"])}, facts=case.facts)
    )
    off = laws.gap(np.ones_like(answer), answer)
    if off <= laws.MOVES[subject.kind]:
        return None
    at = tuple(int(i) for i in np.unravel_index(np.abs(answer - 1).argmax(), answer.shape))
    return Broken(number=off, words=f"values that are all 1 give {answer[at]:.4g} at {list(at)}")


def order(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """The order of the keys does not matter."""
    case = usual(subject, rng)
    turn = rng.permutation(case["key"].shape[-2])
    inputs = case.inputs | {"key": case["key"][..., turn, :], "value": case["value"][..., turn, :]}
    moved = laws.gap(
        subject.answer(case), subject.answer(Case(name=case.name, inputs=inputs, facts=case.facts))
    )
    if moved <= laws.MOVES[subject.kind]:
        return None
    return Broken(
        number=moved, words=f"keys and values in another order move the output by {moved:.3g} of its size"
    )


def room(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Queries and keys may differ in number, keys and values in width."""
    error = subject.facts["refused"]
    if error is None:
        return None
    return Broken(
        number=np.inf,
        words=f"7 queries, 5 keys, width 8, values of width 9: {error.kind}: {error.words.splitlines()[0][:150]}",
    )


def hidden(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """What a query may not see does not move its output."""
    if not subject.facts["mask"]:
        return None
    case = asked(rng, subject.facts["shape"], masked=True)
    mask = case["mask"].copy()
    mask[:, 0] = False
    mask[:, 1] = True
    case = Case(name=case.name, inputs=case.inputs | {"mask": mask}, facts=case.facts)
    key, value = case["key"].copy(), case["value"].copy()
    key[..., 0, :], value[..., 0, :] = rng.standard_normal((2, *key[..., 0, :].shape))[0], 3.0
    moved = laws.gap(
        subject.answer(case),
        subject.answer(
            Case(name=case.name, inputs=case.inputs | {"key": key, "value": value}, facts=case.facts)
        ),
    )
    if moved <= laws.MOVES[subject.kind]:
        return None
    return Broken(
        number=moved,
        words=f"changing key 0, which no query may see, moves the output by {moved:.3g} of its size",
    )


def nothing_seen(subject: Subject, rng: np.random.Generator) -> str | None:
    """What a query does that may see nothing."""
    if not subject.facts["mask"]:
        return None
    case = asked(rng, subject.facts["shape"], masked=True)
    mask = case["mask"].copy()
    mask[0] = False
    answer = subject.answer(Case(name=case.name, inputs=case.inputs | {"mask": mask}, facts=case.facts))
    return None if np.isfinite(answer).all() else "masked-row-nan"


CONVENTIONS: tuple[Convention, ...] = (wiring.MASKED_ROW,)

CONTRACT = Contract(
    name="scaled-dot-product",
    title="scaled dot-product attention",
    file="scaled_dot_product.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    roles=("mask",),
    cases=cases,
    reference=lambda case, frame, steps: attention.function(case, frame, steps)[0],
    picture=lambda case, frame, steps: (w := attention.function(case, frame, steps)[1]).reshape(
        -1, *w.shape[-2:]
    )[0],
    mistakes=(
        *(m for m in known.SCALE if m.slug != "scale-width"),
        *MISTAKES,
        *known.MASK,
        *known.SOFTMAX,
        *(m for m in wiring.SWAPS if m.slug in OTHERS),
        *wiring.BEHAVIOUR,
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
        laws.untouched(usual),
        laws.finite(usual, ("query", "key", "value"), 60.0),
        flowing(usual, ("query", "key", "value")),
    ),
    notices=(nothing_seen,),
)
