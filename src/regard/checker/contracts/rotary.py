"""Rotary positions: pairs of channels turn by an angle that grows with the position."""

import re
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.bench import Bench, Unfit
from regard.checker.contract import Broken, Case, Contract, Convention, Frame, Law, Mistake, each, forms
from regard.checker.contracts.rotary_forms import HELPER, OFFSET, WIDTH, case
from regard.checker.contracts.rotary_forms import forms as ways
from regard.checker.references.rotary import doubled, halves, interleaved, repeated, rotary
from regard.checker.session import Raised
from regard.checker.subject import Subject

STUB = '''"""Rotary positions, to be filled in. Then: regard check rotary.py"""

import torch


def rotary(x: torch.Tensor, offset: int = 0, base: float = 10000.0) -> torch.Tensor:
    """x (..., n, d) with every pair of channels turned by an angle that grows with the position.

    Position p = offset, offset + 1, ... turns pair i by p * base ** (-2 i / d): (a, b) becomes
    (a cos - b sin, a sin + b cos). Channels 2i and 2i + 1 are a pair, or i and i + d/2: both are in use.
    """
    raise NotImplementedError("fill me in")
'''

BASES = (
    10.0,
    50.0,
    100.0,
    200.0,
    500.0,
    1000.0,
    2000.0,
    5000.0,
    8000.0,
    20000.0,
    50000.0,
    100000.0,
    500000.0,
    1e6,
    1e7,
    1024.0,
    4096.0,
    512.0,
    2.0,
    float(np.e),
    9999.0,
    10001.0,
    12000.0,
    15000.0,
    40000.0,
)


def together(x: np.ndarray) -> np.ndarray:
    """Partners without a minus."""
    return np.stack([x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)


def together_halves(x: np.ndarray) -> np.ndarray:
    """Partners without a minus, half-split."""
    half = x.shape[-1] // 2
    return np.concatenate([x[..., half:], x[..., :half]], axis=-1)


def table(spread: Any) -> Any:
    """Sines and cosines as a table of positions, to be added."""

    def turn(x: np.ndarray, partner: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
        return x + spread(sin, cos)

    return turn


HALF = {"spread": doubled, "partner": halves}

MISTAKES = (
    Mistake(
        slug="pairing-mixed",
        cause="the channels are paired one way and the frequencies laid out for the other: some pairs turn by two different angles",
        remedy="half-split pairs need cat([f, f]), interleaved pairs need f.repeat_interleave(2)",
        look="concatenate trigonometry",
        forms=forms({"spread": doubled, "partner": interleaved}, {"spread": repeated, "partner": halves}),
    ),
    Mistake(
        slug="direction-reversed",
        cause="the pairs turn backwards, by minus the angle",
        remedy="(a cos - b sin, a sin + b cos)",
        look="trigonometry concatenate",
        forms=forms({"turn": lambda x, partner, cos, sin: x * cos - partner * sin}),
    ),
    Mistake(
        slug="sign-missing",
        cause="a minus is missing: the pairs are mixed, not turned, and lengths change",
        remedy="(a cos - b sin, a sin + b cos): one minus and one plus",
        look="concatenate trigonometry",
        forms=forms(
            {"partner": together},
            {"partner": lambda x: -together(x)},
            {"partner": together_halves, "spread": doubled},
            {"partner": lambda x: -together_halves(x), "spread": doubled},
        ),
    ),
    Mistake(
        slug="base-wrong",
        cause="the base is another than 10000",
        remedy="base ** (-2 i / d) with base = 10000 unless another is asked for",
        look="power frequency",
        forms=each(BASES, lambda value: {"base": lambda base: value}),
    ),
    Mistake(
        slug="exponent-without-two",
        cause="the exponent is -i/d instead of -2i/d, so that half of the frequencies are never used",
        remedy="base ** (-torch.arange(0, d, 2) / d)",
        look="frequency power",
        forms=forms({"frequencies": lambda d, base: base ** (-1.0 * np.arange(d // 2) / d)}),
    ),
    Mistake(
        slug="exponent-doubled",
        cause="the exponent is -4i/d instead of -2i/d",
        remedy="base ** (-torch.arange(0, d, 2) / d): divide by d, not by d/2",
        look="frequency power",
        forms=forms({"frequencies": lambda d, base: base ** (-4.0 * np.arange(d // 2) / d)}),
    ),
    Mistake(
        slug="exponent-shifted",
        cause="the frequencies start at i = 1, so that no pair turns by one radian a step",
        remedy="count i from 0: torch.arange(0, d, 2)",
        look="frequency power",
        forms=forms(
            {"frequencies": lambda d, base: base ** (-2.0 * (np.arange(d // 2) + 1) / d)},
            {"frequencies": lambda d, base: base ** (-1.0 * (2 * np.arange(d // 2) + 1) / d)},
        ),
    ),
    Mistake(
        slug="frequencies-inverted",
        cause="the frequencies grow with i instead of falling: base ** (+2i/d)",
        remedy="1 / base ** (2 i / d)",
        look="frequency power",
        forms=forms({"frequencies": lambda d, base: base ** (2.0 * np.arange(d // 2) / d)}),
    ),
    Mistake(
        slug="frequency-single",
        cause="all pairs turn at the same speed",
        remedy="pair i has frequency base ** (-2 i / d)",
        look="frequency power",
        forms=forms(
            {"frequencies": lambda d, base: np.ones(d // 2)},
            {"frequencies": lambda d, base: np.full(d // 2, 1 / base)},
        ),
    ),
    Mistake(
        slug="cos-sin-swapped",
        cause="cosine and sine are exchanged: position 0 is turned by a quarter",
        remedy="(a cos - b sin, a sin + b cos)",
        look="trigonometry",
        forms=forms(
            {"turn": lambda x, partner, cos, sin: x * sin + partner * cos},
            {"turn": lambda x, partner, cos, sin: x * sin - partner * cos},
        ),
    ),
    Mistake(
        slug="positions-from-one",
        cause="positions are counted from 1: the first token is turned",
        remedy="torch.arange(n), from 0",
        look="frequency",
        forms=forms({"positions": lambda n, offset: offset + 1 + np.arange(n)}),
    ),
    Mistake(
        slug="positions-reversed",
        cause="positions are counted from the end",
        remedy="torch.arange(n), from the first token",
        look="frequency",
        forms=forms({"positions": lambda n, offset: offset + np.arange(n)[::-1]}),
    ),
    Mistake(
        slug="offset-ignored",
        cause="the start is ignored: in cached decoding every new token gets position 0 again",
        remedy="positions are offset, offset + 1, …",
        look="frequency",
        forms=forms(
            {"positions": lambda n, offset: np.arange(n)}, {"positions": lambda n, offset: np.full(n, offset)}
        ),
    ),
    Mistake(
        slug="not-reinterleaved",
        cause="the turned channels come out in another order than they went in",
        remedy="put the two parts of each pair back where they were: torch.stack([a, b], dim=-1).flatten(-2) for interleaved pairs",
        look="concatenate",
        forms=forms(
            {"arrange": lambda y: np.concatenate([y[..., 0::2], y[..., 1::2]], axis=-1)},
            {"arrange": lambda y: np.stack(np.split(y, 2, axis=-1), axis=-1).reshape(y.shape), **HALF},
        ),
    ),
    Mistake(
        slug="axis-wrong",
        cause="positions run along another axis than the tokens",
        remedy="the tokens are the last axis but one: n = x.shape[-2]",
        look="frequency",
        forms=forms({"axis": lambda axis: axis - 1}, {"axis": lambda axis: 0}),
    ),
    Mistake(
        slug="keys-not-turned",
        cause="only the queries are turned: the product then depends on the query's position alone",
        remedy="turn q and k alike",
        look="trigonometry",
        forms=forms({"both": lambda turned, given: np.stack([turned[0], given[1]])}),
    ),
    Mistake(
        slug="queries-not-turned",
        cause="only the keys are turned: the product then depends on the key's position alone",
        remedy="turn q and k alike",
        look="trigonometry",
        forms=forms({"both": lambda turned, given: np.stack([given[0], turned[1]])}),
    ),
    Mistake(
        slug="added-not-turned",
        cause="sines and cosines are added to x, as in the older position encoding, instead of turning it",
        remedy="(a cos - b sin, a sin + b cos)",
        look="trigonometry",
        forms=forms(
            {"turn": table(lambda sin, cos: np.where(np.arange(sin.shape[-1]) % 2 == 0, sin, cos))},
            {
                "turn": table(
                    lambda sin, cos: np.where(np.arange(sin.shape[-1]) < sin.shape[-1] // 2, sin, cos)
                ),
                **HALF,
            },
            {
                "turn": table(
                    lambda sin, cos: np.where(np.arange(sin.shape[-1]) < sin.shape[-1] // 2, cos, sin)
                ),
                **HALF,
            },
            {"turn": table(lambda sin, cos: sin + cos)},
            {"turn": table(lambda sin, cos: sin + cos), **HALF},
        ),
    ),
    Mistake(
        slug="input-modified",
        cause="the input is written into, in place",
        remedy="build a new tensor instead of assigning into x[…]",
    ),
    Mistake(
        slug="state-between-calls",
        cause="the answer depends on earlier calls",
        remedy="a cached table must be long enough for each call, and nothing else may be kept",
    ),
    Mistake(
        slug="dropout-in-eval",
        cause="chance plays a part in eval()",
        remedy="leave chance out of positions",
        look="dropout",
    ),
)

CONVENTIONS = (
    Convention(
        slug="half-split",
        says="channels i and i + d/2 are a pair (half-split), not 2i and 2i + 1",
        forms=forms(HALF),
    ),
    Convention(slug="heads-axis-layout", says="tokens come before heads: (b, n, h, d)"),
)


def suits(member: dict[str, Any], source: str) -> float:
    """A name that speaks of rotary positions, and not a part of them."""
    name = member["name"].lower()
    if (
        not re.search(r"rope|rotary|apply_rot", name)
        or HELPER.search(name)
        or re.search(r"att|block|config|model", name)
    ):
        return 0.0
    if member["kind"] == "function":
        return 0.95
    return 0.9


def decide(source: str, slugs: set[str], facts: dict[str, Any]) -> str | None:
    """10000 ** (-i/d) and 100 ** (-2i/d) are the same numbers: the source says which was written."""
    if slugs == {"base-wrong", "exponent-without-two"}:
        return "exponent-without-two" if re.search(r"10_?000|1e4", source) else "base-wrong"
    return None


def adapt(bench: Bench) -> Subject:
    """The first form that gives back the shape it was given."""
    rng = np.random.default_rng(7)
    error: Raised | None = None
    heads_second = bool(
        re.search(r"\b[bB]\w*,\s*(n_?)?[hH](eads?)?\w*,\s*\w+,\s*\w+", bench.source.text_of(bench.name))
    )
    for form in ways(bench):
        if form.layout == "b n h d" and heads_second:
            continue

        def leave(answer: Any, asked: Case, two: bool = form.two) -> np.ndarray:
            parts = answer if isinstance(answer, list) else [answer]
            found = [p for p in parts if isinstance(p, np.ndarray)][: 2 if two else 1]
            return np.stack(found) if found and len({p.shape for p in found}) == 1 else np.zeros(0)

        subject = Subject(bench, form.made, form.enter, leave, method=form.method)
        trial = case(rng, form.layout, two=form.two)
        try:
            bench.precise(form.made, *form.enter(trial), form.method)
            if subject.answer(trial).shape != trial["x"].shape:
                continue
        except Raised as trouble:
            error = error or trouble
            continue
        return settle(subject, form, heads_second)
    if error:
        raise error
    raise Unfit(
        "wrong-shape",
        "no way to call it gives back the shape of the input",
        "take x of shape (..., n, d) and return that shape",
    )


def settle(subject: Subject, form: Any, heads_second: bool) -> Subject:
    """How it is called, and how it may be read."""
    subject.facts |= {"layout": form.layout, "two": form.two, "offset": form.offset, "drawn": {}}
    usual = 1 if form.layout == "b n h d" else -2
    plain = Frame(
        weights={},
        facts={"axis": usual, "base": 10000.0},
        conventions=("heads-axis-layout",) if usual == 1 else (),
    )
    subject.frames = [plain]
    if form.layout == "b h n d" and not heads_second:
        subject.frames.append(
            Frame(weights={}, facts={"axis": 1, "base": 10000.0}, conventions=("heads-axis-layout",))
        )
    subject.notes.append(f"called with ({form.layout})" + (", queries and keys together" if form.two else ""))
    return subject


def cases(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """From position 0, and from a later one where that can be asked."""
    layout, two = subject.facts["layout"], subject.facts["two"]
    found = [case(rng, layout, two=two)]
    return [case(rng, layout, two=two, offset=OFFSET), *found] if subject.facts["offset"] else found


def usual(subject: Subject, rng: np.random.Generator) -> Case:
    """A case from position 0."""
    return case(rng, subject.facts["layout"], two=subject.facts["two"])


def length(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Turning keeps lengths."""
    asked = usual(subject, rng)
    before, after = (np.linalg.norm(v, axis=-1) for v in (asked["x"], subject.answer(asked)))
    moved = laws.gap(before, after)
    if moved <= laws.MOVES[subject.kind]:
        return None
    at = np.unravel_index(np.abs(before - after).argmax(), before.shape)
    return Broken(
        number=moved, words=f"a vector of length {before[at]:.4g} comes out with length {after[at]:.4g}"
    )


def tokens_axis(subject: Subject, asked: Case) -> int:
    """The axis of the tokens in a case, whose first axis counts the arrays."""
    axis = subject.frame.facts["axis"]
    return axis + 1 if axis >= 0 else asked["x"].ndim + axis


def origin(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Position 0 is not turned."""
    asked = usual(subject, rng)
    axis = tokens_axis(subject, asked)
    before, after = (np.take(v, 0, axis=axis) for v in (asked["x"], subject.answer(asked)))
    moved = laws.gap(before, after)
    if moved <= laws.MOVES[subject.kind]:
        return None
    return Broken(number=moved, words=f"the token at position 0 comes out changed by {moved:.3g} of its size")


def relative(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """The product of two turned vectors depends on how far apart they are, and on nothing else."""
    asked = usual(subject, rng)
    axis = tokens_axis(subject, asked)
    one, two = rng.standard_normal((2, WIDTH))
    shape = [1] * asked["x"].ndim
    shape[-1] = WIDTH
    turned = [
        np.moveaxis(
            subject.answer(
                Case(
                    name="",
                    inputs={"x": np.broadcast_to(v.reshape(shape), asked["x"].shape).copy()},
                    facts=asked.facts,
                )
            ),
            axis,
            -2,
        )
        for v in (one, two)
    ]
    q, k = (t[i].reshape(-1, t.shape[-2], WIDTH)[0] for t, i in zip(turned, (0, -1), strict=True))
    first, later = q[1] @ k[0], q[2] @ k[1]
    if abs(first - later) <= 1e-6 * np.linalg.norm(one) * np.linalg.norm(two) * (
        1 if subject.kind == "float64" else 1e3
    ):
        return None
    return Broken(
        number=abs(first - later),
        words=f"q at 1 times k at 0 is {first:.4g}, q at 2 times k at 1 is {later:.4g}",
    )


CONTRACT = Contract(
    name="rotary",
    title="rotary positions",
    file="rotary.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    cases=cases,
    reference=rotary,
    mistakes=MISTAKES,
    decide=decide,
    conventions=CONVENTIONS,
    laws=(
        laws.steady(usual),
        Law(
            name="length",
            says="turning keeps the length of every vector",
            test=length,
            look="concatenate trigonometry",
        ),
        Law(name="origin", says="position 0 is not turned", test=origin, look="frequency trigonometry"),
        Law(
            name="relative",
            says="q·k depends on the distance of their positions alone",
            test=relative,
            look="frequency concatenate",
        ),
        laws.untouched(usual),
    ),
)
