"""What goes wrong in rotary positions: pairs, angles, positions."""

from typing import Any

import numpy as np

from regard.checker.contract import Mistake, Steps, each, forms
from regard.checker.contracts.rotary.reference import doubled, halves, interleaved, repeated

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


def apart(x: np.ndarray) -> np.ndarray:
    """Partners of interleaved pairs, put where half-split pairs have them."""
    return np.concatenate([-x[..., 1::2], x[..., 0::2]], axis=-1)


def together_halves(x: np.ndarray) -> np.ndarray:
    """Partners without a minus, half-split."""
    half = x.shape[-1] // 2
    return np.concatenate([x[..., half:], x[..., :half]], axis=-1)


def backwards(x: np.ndarray, partner: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    """Turned by minus the angle."""
    return x * cos - partner * sin


def _forwards(steps: Steps) -> Steps:
    return {name: step for name, step in steps.items() if name != "turn"}


def _from_zero(steps: Steps) -> Steps:
    return steps | {"positions": lambda n, offset: np.arange(n)}


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
        forms=forms(
            {"spread": doubled, "partner": interleaved},
            {"spread": repeated, "partner": halves},
            {"spread": doubled, "partner": apart},
        ),
    ),
    Mistake(
        slug="direction-reversed",
        cause="the pairs turn backwards, by minus the angle",
        remedy="(a cos - b sin, a sin + b cos)",
        look="trigonometry concatenate",
        forms=forms({"turn": backwards}),
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
        slug="base-ignored",
        cause="the base that is asked for is not passed on: it has no effect",
        remedy="hand the argument to what makes the frequencies",
        look="power frequency",
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
        slug="offset-for-queries-alone",
        cause="the start of the keys is ignored: queries turn from the positions that they are told, keys from 0",
        remedy="turn q and k each from the positions that are told for it",
        look="frequency",
        forms=forms(
            {"keys": _from_zero},
            {"keys": _from_zero, **HALF},
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
        slug="keys-turned-back",
        cause="queries and keys turn in opposite directions: q·k depends on the sum of their positions, not on their distance",
        remedy="turn q and k alike: the same phase, and not its conjugate",
        look="trigonometry",
        forms=forms(
            {"keys": lambda steps: steps | {"turn": backwards}},
            {"keys": lambda steps: steps | {"turn": backwards}, **HALF},
            {"turn": backwards, "keys": _forwards},
            {"turn": backwards, "keys": _forwards, **HALF},
        ),
    ),
    Mistake(
        slug="positions-of-one-sample",
        cause="the positions of one sample are used for all",
        remedy="look the angles up by the positions of every sample: table[positions], not table[positions[0]]",
        look="frequency",
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
        slug="gradient-cut",
        cause="no gradient, or a wrong one, reaches the input",
        remedy="leave out .detach(), .data, torch.no_grad() and conversions to numpy on the way of the input",
    ),
    Mistake(
        slug="dropout-in-eval",
        cause="chance plays a part in eval()",
        remedy="leave chance out of positions",
        look="dropout",
    ),
)
