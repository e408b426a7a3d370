"""Rotary positions in steps: every pair of channels turns by an angle that grows with the position."""

from typing import Any

import numpy as np

from regard.checker.contract import Case, Steps, WeightMap
from regard.checker.grammar.program import Program, ProgramStep, Rewired, Value

Array = np.ndarray


def interleaved(x: Array) -> Array:
    """The partner of each channel, signed: channels 2i and 2i + 1 are a pair."""
    pairs = x.reshape(*x.shape[:-1], -1, 2)
    return np.stack([-pairs[..., 1], pairs[..., 0]], axis=-1).reshape(x.shape)


def halves(x: Array) -> Array:
    """The partner of each channel, signed: channels i and i + d/2 are a pair."""
    half = x.shape[-1] // 2
    return np.concatenate([-x[..., half:], x[..., :half]], axis=-1)


def doubled(f: Array) -> Array:
    """One frequency for each channel of a half-split pair."""
    return np.concatenate([f, f], axis=-1)


def repeated(f: Array) -> Array:
    """One frequency for each channel of an interleaved pair."""
    return np.repeat(f, 2, axis=-1)


def _laid(angles: Array, x: Array, axis: int) -> Array:
    """Angles (tokens, channels) beside an array whose tokens lie along some axis."""
    shape = [1] * x.ndim
    shape[axis], shape[-1] = x.shape[axis], x.shape[-1]
    return angles.reshape(shape)


FREQUENCIES = (
    ("the frequencies fall linearly, not as a power of the base", lambda d, base: 1 - 2.0 * np.arange(d // 2) / d),
    ("the frequencies are 1/i, not a power of the base", lambda d, base: 1 / (1.0 + np.arange(d // 2))),
    ("the frequencies are 1/base^i: the exponent is not divided by the width", lambda d, base: base ** (-1.0 * np.arange(d // 2))),
    ("the frequencies are exp(-2i/d): e stands in place of the base", lambda d, base: np.exp(-2.0 * np.arange(d // 2) / d)),
    ("the exponent is -i/(half - 1), as linspace from 0 to 1 gives it, and not -i/half: the last pair has 1/base itself", lambda d, base: base ** (-2.0 * np.arange(d // 2) / max(d - 2, 1))),
    ("the logarithm of the base is taken to the base 2, where exp wants the natural one", lambda d, base: np.exp(-2.0 * np.arange(d // 2) / d * np.log2(base))),
    ("the logarithm of the base is taken to the base 10, where exp wants the natural one", lambda d, base: np.exp(-2.0 * np.arange(d // 2) / d * np.log10(base))),
    ("the frequencies are one and the base by turns", lambda d, base: base ** (-1.0 * (np.arange(d // 2) % 2))),
    ("the frequencies are multiplied by 2 pi", lambda d, base: 2 * np.pi * base ** (-2.0 * np.arange(d // 2) / d)),
    ("the angles are given in degrees where radians are meant", lambda d, base: np.pi / 180 * base ** (-2.0 * np.arange(d // 2) / d)),
)  # fmt: skip
POSITIONS = (
    ("the offset is subtracted and not added to the positions", lambda n, offset: np.arange(n) - offset),
    ("the offset counts twice in the positions", lambda n, offset: np.arange(n) + 2 * offset),
    ("the offset multiplies the positions and is not added", lambda n, offset: np.arange(n) * offset),
    ("the positions count by two", lambda n, offset: offset + 2 * np.arange(n)),
    ("the positions, offset and all, are doubled", lambda n, offset: 2 * (offset + np.arange(n))),
    ("the positions are divided by the number of tokens", lambda n, offset: (offset + np.arange(n)) / n),
    ("the positions are linspace(0, n, n), whose step is n/(n - 1) and not 1", lambda n, offset: offset + np.linspace(0, n, n)),
    ("the positions are linspace(0, 1, n): they run from 0 to 1 whatever the number of tokens", lambda n, offset: offset + np.linspace(0, 1, n)),
    ("the positions are squared", lambda n, offset: (offset + np.arange(n)) ** 2),
    ("the positions are negative", lambda n, offset: -1.0 * (offset + np.arange(n))),
    ("every token gets the position of the last", lambda n, offset: np.full(n, offset + n - 1)),
    ("the positions are one too small: they start at -1", lambda n, offset: offset + np.arange(n) - 1),
)  # fmt: skip
ANGLES = (
    ("the offset is added to the angles, after the frequencies, and not to the positions", lambda p, f: np.outer(p - p[:1], f) + p[:1]),
    ("the offset multiplies the angles and is not added to the positions", lambda p, f: np.outer(p - p[:1], f) * p[:1]),
)  # fmt: skip


def _overwritten(x: Array, p: Array, cos: Array, sin: Array, halved: bool) -> Array:
    """The second channel of each pair from the first one as it was turned already."""
    turned, half = x * cos + p * sin, x.shape[-1] // 2
    first, second = (slice(half), slice(half, None)) if halved else (slice(0, None, 2), slice(1, None, 2))
    turned[..., second] = (x * cos)[..., second] + turned[..., first] * np.broadcast_to(sin, x.shape)[
        ..., second
    ]
    return turned


OVERWRITTEN = (
    "the second channel of each pair is computed from the first one as turned already, which was overwritten"
)
TURNS = (
    (OVERWRITTEN, lambda x, p, cos, sin: _overwritten(x, p, cos, sin, False)),
    (OVERWRITTEN, lambda x, p, cos, sin: _overwritten(x, p, cos, sin, True)),
    ("the sine part is left out: channels are scaled by the cosine and not turned", lambda x, p, cos, sin: x * cos),
    ("the cosine part is left out: only the partner times the sine is kept", lambda x, p, cos, sin: p * sin),
    ("the cosine part is left out: the partner times the sine is added to the input as it is", lambda x, p, cos, sin: x + p * sin),
    ("the pairs are turned twice, by double the angle", lambda x, p, cos, sin: x * (cos**2 - sin**2) + p * (2 * sin * cos)),
    ("the sine part uses the channel itself, not its partner", lambda x, p, cos, sin: x * cos + x * sin),
    ("the cosine stands in place of the sine, too", lambda x, p, cos, sin: x * cos + p * cos),
    ("the sine stands in place of the cosine, too", lambda x, p, cos, sin: x * sin + p * sin),
    ("the unturned input is added to the turned one", lambda x, p, cos, sin: x + x * cos + p * sin),
    ("the unturned input is taken off the turned one", lambda x, p, cos, sin: x * cos + p * sin - x),
    ("nothing is turned: the input comes back as it is", lambda x, p, cos, sin: x),
    ("the input is multiplied by cosine plus sine", lambda x, p, cos, sin: x * (cos + sin)),
)  # fmt: skip


def _part(words: str, keep: str) -> tuple:
    """Only some channels turned."""

    def turn(x: Array, p: Array, cos: Array, sin: Array) -> Array:
        i, d = np.arange(x.shape[-1]), x.shape[-1]
        on = {"first": i < d // 2, "second": i >= d // 2, "even": i % 2 == 0, "odd": i % 2 == 1}
        on |= {"pair": i < 2, "quarter": i < d // 4 // 2 * 2, "but": i < d - 2}
        return np.where(on[keep], x * cos + p * sin, x)

    return words, turn


PARTS = (
    _part("only the first half of the channels is turned", "first"),
    _part("only the second half of the channels is turned", "second"),
    _part("only the first part of each pair, the even channels, is turned", "even"),
    _part("only the second part of each pair, the odd channels, is turned", "odd"),
    _part("only the first pair of channels is turned", "pair"),
    _part("only the first quarter of the channels is turned", "quarter"),
    _part("all channels but the last pair are turned", "but"),
)


def _exponents(step: Any, number: Any) -> Rewired:
    """A cosine or a sine whose frequencies have an exponent of their own for each channel."""

    def do(positions: Array, d: int, base: float, x: Array, at: int) -> Array:
        return step(_laid(np.outer(positions, base ** (-number(np.arange(d)) / d)), x, at))

    return Rewired(("positions", "d", "base", "x", "at"), do)


def _odd(channel: Array) -> Array:
    return channel // 2 * 2 + 1


SINES = (
    ("sine-of-odd-exponent", "the sine of a pair has the exponent -(2i + 1)/d, the cosine -2i/d: they are of two angles", {"sine": _exponents(np.sin, _odd)}),
    ("cosine-of-odd-exponent", "the cosine of a pair has the exponent -(2i + 1)/d, the sine -2i/d: they are of two angles", {"cosine": _exponents(np.cos, _odd)}),
    ("exponent-of-each-channel", "every channel has a frequency of its own, with the exponent -j/d of channel j: the two of a pair turn by two angles", {"cosine": _exponents(np.cos, lambda j: j), "sine": _exponents(np.sin, lambda j: j)}),
)  # fmt: skip
ONE = Program(
    ("x", "offset", "given axis", "given base"),
    (
        ProgramStep("axis", ("given axis",), "tokens", lambda axis: axis),
        ProgramStep("base", ("given base",), "base", lambda base: base),
        ProgramStep("sizes", ("x", "tokens"), ("n", "d", "at"), lambda x, axis: (x.shape[axis % x.ndim], x.shape[-1], axis % x.ndim)),
        ProgramStep("positions", ("n", "offset"), "positions", lambda n, offset: offset + np.arange(n), look="frequency", instead=POSITIONS),
        ProgramStep("frequencies", ("d", "base"), "frequencies", lambda d, base: base ** (-2.0 * np.arange(d // 2) / d),
             look="frequency power", instead=FREQUENCIES),
        ProgramStep("outer", ("positions", "frequencies"), "angles", np.outer, look="frequency", instead=ANGLES),
        ProgramStep("spread", ("angles",), "spread", repeated),
        ProgramStep("laid", ("spread", "x", "at"), "laid", _laid),
        ProgramStep("cosine", ("laid",), "cos", np.cos, "the cosine", look="trigonometry"),
        ProgramStep("sine", ("laid",), "sin", np.sin, "the sine", look="trigonometry"),
        ProgramStep("partner", ("x",), "partner", interleaved),
        ProgramStep("turn", ("x", "partner", "cos", "sin"), "turned", lambda x, partner, cos, sin: x * cos + partner * sin,
             look="trigonometry concatenate", instead=(*TURNS, *PARTS)),
        ProgramStep("arrange", ("turned",), "output", lambda y: y),
    ),
    ("output",),
    {
        "frequencies": Value(noun="the frequencies", axes=("pairs",)),
        "angles": Value(noun="the angles", axes=("tokens", "pairs")),
        "cos": Value(noun="the cosine", axes=("tokens", "channels"), count="is"),
        "sin": Value(noun="the sine", axes=("tokens", "channels"), count="is"),
        "partner": Value(noun="the partners", axes=("tokens", "channels")),
        "output": Value(noun="the turned channels", axes=("tokens", "channels")),
    },
    SINES,
)  # fmt: skip


def rotary(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """Every given array turned; arrays lie along a first axis of their own."""
    given, facts = case["x"], frame.facts
    known = {"offset": case.facts["offset"], "given axis": facts["axis"], "given base": facts["base"]}
    with np.errstate(all="ignore"):
        changed = [steps, *(steps["keys"](steps) if "keys" in steps else steps for _ in given[1:])]
        each = zip(given, changed, strict=True)
        turned = np.stack([ONE.run(known | {"x": x}, own)["output"] for x, own in each])
    return steps["both"](turned, given) if "both" in steps else turned
