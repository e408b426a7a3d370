"""Functions that people put where they do not belong: elementwise, along an axis, or exchanging places."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class ArrayFunction:
    """A function of one array that keeps its shape, and what is said of an array that goes through it."""

    slug: str
    says: str
    "With {noun} and {are}: what is done."
    do: Callable[[Array], Array]
    thing: str = ""
    "A name that can stand in place of another function's: `a ReLU`."


def through(slug: str, thing: str, do: Callable[[Array], Array]) -> ArrayFunction:
    """A function that has a name."""
    return ArrayFunction(slug, f"{{noun}} {{are}} passed through {thing}", do, thing)


def becomes(slug: str, verb: str, do: Callable[[Array], Array], thing: str = "") -> ArrayFunction:
    """A function that is said by a verb."""
    return ArrayFunction(slug, f"{{noun}} {{are}} {verb}", do, thing)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _gelu(x: Array) -> Array:
    return x * _sigmoid(1.702 * x)


ELEMENTWISE = (
    through("relu", "a ReLU", lambda x: np.maximum(x, 0.0)),
    through("sigmoid", "a sigmoid", _sigmoid),
    through("tanh", "a tanh", np.tanh),
    becomes("negated", "negated: their sign is wrong", lambda x: -x),
    through("exponential", "an exponential", np.exp),
    becomes("absolute", "taken without their sign, as absolute values", np.abs),
    becomes("squared", "squared", np.square),
    through("leaky-relu", "a LeakyReLU with slope 0.01", lambda x: np.where(x > 0, x, 0.01 * x)),
    through("leaky-relu-gat", "a LeakyReLU with slope 0.2", lambda x: np.where(x > 0, x, 0.2 * x)),
    through("elu", "an ELU", lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0)))),
    through("softplus", "a softplus", lambda x: np.logaddexp(0, x)),
    through("silu", "a SiLU", lambda x: x * _sigmoid(x)),
    through("gelu-sigmoid", "a GELU", _gelu),
    through("logarithm", "a logarithm", np.log),
    through("logarithm-of-one-more", "a logarithm of one more (log1p)", np.log1p),
    through("root", "a square root", np.sqrt),
    through("sign", "a sign function", np.sign),
    becomes("cubed", "cubed", lambda x: x**3),
    becomes("inverted", "inverted: one over each", lambda x: 1 / x),
    becomes("plus-one", "increased by one", lambda x: x + 1),
    becomes("one-minus", "subtracted from one", lambda x: 1 - x),
    becomes("doubled", "counted twice", lambda x: 2 * x),
    becomes("halved", "halved", lambda x: x / 2),
    becomes("clipped", "clipped to between -1 and 1", lambda x: np.clip(x, -1, 1)),
    becomes("clipped-below", "clipped to between 0 and 1", lambda x: np.clip(x, 0, 1)),
    becomes("rounded", "rounded to whole numbers", np.round),
    becomes(
        "float16",
        "rounded to half precision (float16)",
        lambda x: x.astype(np.float32).astype(np.float16).astype(np.float64),
    ),
    becomes("zeroed", "set to zero, so that they play no part", np.zeros_like),
    becomes("ones", "set to one, so that they play no part", np.ones_like),
)


WEIGHTS = tuple(
    f
    for f in ELEMENTWISE
    if f.slug
    in (
        "negated",
        "squared",
        "doubled",
        "halved",
        "exponential",
        "sigmoid",
        "plus-one",
        "absolute",
        "inverted",
        "zeroed",
    )
)
"What people do to a weight."


def _softmax(x: Array, axis: int) -> Array:
    raised = np.exp(x - x.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


def _log_softmax(x: Array, axis: int) -> Array:
    below = x - x.max(axis=axis, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=axis, keepdims=True))


def _centred(x: Array, axis: int) -> Array:
    return x - x.mean(axis=axis, keepdims=True)


def _spread(x: Array, axis: int, eps: float = 1e-5) -> Array:
    above = _centred(x, axis)
    return above / np.sqrt((above**2).mean(axis=axis, keepdims=True) + eps)


def _hard(x: Array, axis: int) -> Array:
    return (np.arange(x.shape[axis]) == np.expand_dims(x.argmax(axis=axis), -1)).astype(x.dtype)


def _shifted(x: Array, axis: int, by: int) -> Array:
    """Moved along an axis; zeros come in."""
    moved, gap = np.roll(x, by, axis=axis), [slice(None)] * x.ndim
    gap[axis] = slice(0, by) if by > 0 else slice(by, None)
    moved[tuple(gap)] = 0.0
    return moved


def _taken(x: Array, axis: int, place: int) -> Array:
    return np.broadcast_to(np.take(x, [place], axis=axis), x.shape)


def _kept(x: Array, axis: int, keep: Callable[[Array], Array]) -> Array:
    places = np.arange(x.shape[axis])
    shape = [1] * x.ndim
    shape[axis] = -1
    return np.where(keep(places).reshape(shape), x, 0.0)


def _like(found: Array, x: Array) -> Array:
    return np.broadcast_to(found, x.shape)


def along(axis: int, name: str, one: str) -> Iterator[ArrayFunction]:
    """Functions that run along one axis; `name` is what lies on it (`keys`), `one` a single one of them (`key`)."""
    a, many = axis, name
    name = _plain(name)

    def sized(power: float) -> Callable[[Array], Array]:
        return lambda x: x * float(x.shape[a]) ** power

    yield becomes(f"softmax-{name}", f"passed through a softmax over the {many}", lambda x: _softmax(x, a), f"a softmax over the {many}")  # fmt: skip
    yield becomes(f"log-softmax-{name}", f"passed through a log-softmax over the {many}", lambda x: _log_softmax(x, a), f"a log-softmax over the {many}, whose exp is missing,")  # fmt: skip
    yield becomes(f"centred-{name}", f"taken without their mean over the {many}", lambda x: _centred(x, a))
    yield becomes(f"standardised-{name}", f"normalised over the {many} (a layer norm)", lambda x: _spread(x, a))  # fmt: skip
    yield becomes(f"unit-{name}", f"scaled to length one over the {many} (norm)", lambda x: x / np.linalg.norm(x, axis=a, keepdims=True))  # fmt: skip
    yield becomes(f"rms-{name}", f"divided by their root mean square over the {many}", lambda x: x / np.sqrt((x**2).mean(axis=a, keepdims=True) + 1e-5))  # fmt: skip
    yield becomes(f"over-sum-{name}", f"divided by their sum over the {many}", lambda x: x / x.sum(axis=a, keepdims=True), f"a division by the sum over the {many}")  # fmt: skip
    yield becomes(f"over-absolute-sum-{name}", f"divided by the sum of their absolute values over the {many}", lambda x: x / np.abs(x).sum(axis=a, keepdims=True))  # fmt: skip
    yield becomes(f"over-largest-{name}", f"divided by the largest over the {many}", lambda x: x / x.max(axis=a, keepdims=True), f"a division by the largest over the {many}")  # fmt: skip
    yield becomes(f"over-count-{name}", f"divided by the number of {many}", sized(-1))
    yield becomes(f"over-root-count-{name}", f"divided by the root of the number of {many}", sized(-0.5))
    yield becomes(f"times-count-{name}", f"multiplied by the number of {many}", sized(1))
    yield becomes(f"times-root-count-{name}", f"multiplied by the root of the number of {many}", sized(0.5))
    yield becomes(f"mean-{name}", f"averaged over the {many}: every {one} gets the mean", lambda x: _like(x.mean(axis=a, keepdims=True), x))  # fmt: skip
    yield becomes(f"sum-{name}", f"summed over the {many}: every {one} gets the sum", lambda x: _like(x.sum(axis=a, keepdims=True), x))  # fmt: skip
    yield becomes(f"largest-{name}", f"replaced by the largest over the {many}", lambda x: _like(x.max(axis=a, keepdims=True), x))  # fmt: skip
    yield becomes(f"first-{name}", f"those of the first {one}, for every {one}", lambda x: _taken(x, a, 0))
    yield becomes(f"last-{name}", f"those of the last {one}, for every {one}", lambda x: _taken(x, a, -1))
    yield becomes(f"reversed-{name}", f"in reverse order along the {many}", lambda x: np.flip(x, a))
    yield becomes(f"rolled-{name}", f"shifted by one {one}: each takes the place of the next", lambda x: np.roll(x, 1, a))  # fmt: skip
    yield becomes(f"rolled-back-{name}", f"shifted by one {one}: each takes the place of the previous", lambda x: np.roll(x, -1, a))  # fmt: skip
    yield becomes(f"shifted-{name}", f"shifted by one {one}, with zeros for the first", lambda x: _shifted(x, a, 1))  # fmt: skip
    yield becomes(f"shifted-back-{name}", f"shifted by one {one}, with zeros for the last", lambda x: _shifted(x, a, -1))  # fmt: skip
    yield becomes(f"cumulated-{name}", f"added up along the {many} (a running sum, cumsum)", lambda x: np.cumsum(x, a))  # fmt: skip
    yield becomes(f"only-first-{name}", f"kept for the first {one} only, and zero for the others", lambda x: _kept(x, a, lambda i: i == 0))  # fmt: skip
    yield becomes(f"only-last-{name}", f"kept for the last {one} only, and zero for the others", lambda x: _kept(x, a, lambda i: i == len(i) - 1))  # fmt: skip
    yield becomes(f"without-first-{name}", f"set to zero for the first {one}", lambda x: _kept(x, a, lambda i: i > 0))  # fmt: skip
    yield becomes(f"without-last-{name}", f"set to zero for the last {one}", lambda x: _kept(x, a, lambda i: i < len(i) - 1))  # fmt: skip
    if axis == -1:
        yield becomes(f"hard-{name}", f"replaced by a one at the largest over the {many} (hard, not soft)", lambda x: _hard(x, a), f"a one at the largest of the {many} (hard attention)")  # fmt: skip


def _plain(name: str) -> str:
    return name.replace(" ", "-")


def exchanged(first: str, second: str) -> ArrayFunction:
    """The last two axes exchanged."""
    return becomes("transposed", f"transposed: {first} and {second} are exchanged", lambda x: x.swapaxes(-1, -2))  # fmt: skip
