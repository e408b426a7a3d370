"""What people compute in place of the product of queries and keys, add to it, or take for the mask."""

from typing import Any

import numpy as np

Array = np.ndarray


def _squares(q: Array, k: Array) -> Array:
    return ((q[..., :, None, :] - k[..., None, :, :]) ** 2).sum(-1)


def _unit(x: Array) -> Array:
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


OTHERS = (
    ("the distance of queries and keys stands in place of their product", lambda q, k: -np.sqrt(_squares(q, k))),
    ("the squared distance of queries and keys stands in place of their product", lambda q, k: -_squares(q, k)),
    ("half the squared distance of queries and keys stands in place of their product", lambda q, k: -_squares(q, k) / 2),
    ("the distance of queries and keys, with the sign that prefers what is far, stands in place of their product", lambda q, k: np.sqrt(_squares(q, k))),
    ("the squared distance of queries and keys, with the sign that prefers what is far, stands in place of their product", _squares),
    ("the sum of all channels of query and key stands in place of their product", lambda q, k: q.sum(-1)[..., :, None] + k.sum(-1)[..., None, :]),
    ("the sum of the tanh of query plus key stands in place of their product (additive attention)", lambda q, k: np.tanh(q[..., :, None, :] + k[..., None, :, :]).sum(-1)),
    ("the product is averaged over the channels, not summed", lambda q, k: q @ k.swapaxes(-1, -2) / q.shape[-1]),
    ("the absolute differences of queries and keys stand in place of their product", lambda q, k: -np.abs(q[..., :, None, :] - k[..., None, :, :]).sum(-1)),
    ("the cosine of queries and keys stands in place of their product", lambda q, k: _unit(q) @ _unit(k).swapaxes(-1, -2)),
)  # fmt: skip


def _places(n: int, m: int) -> Array:
    return np.arange(n)[:, None] - np.arange(m)[None]


def _added(words: str, bias: Any) -> tuple[str, Any]:
    return words, lambda raw, factor: raw * factor + bias(_places(*raw.shape[-2:]), raw.shape[-1])


BIASES = (
    _added("the distance of the positions is taken off the scores, which nobody asked for (as ALiBi does)", lambda far, m: -np.abs(far)),
    _added("the distance of the positions is added to the scores", lambda far, m: np.abs(far)),
    _added("the position of the key is added to the scores", lambda far, m: np.arange(m)[None]),
    _added("the position of the query less that of the key is added to the scores", lambda far, m: far),
    _added("a one is added to the scores of a token with itself", lambda far, m: (far == 0) * 1.0),
    ("the scores of a token with itself become zero", lambda raw, factor: np.where(_places(*raw.shape[-2:]) == 0, 0.0, raw * factor)),
    ("the scores of a token with itself become minus infinity: it does not see itself", lambda raw, factor: np.where(_places(*raw.shape[-2:]) == 0, -np.inf, raw * factor)),
    ("the scale is added to the scores and does not multiply them", lambda raw, factor: raw + factor),
    ("the scale is taken off the scores and does not multiply them", lambda raw, factor: raw - factor),
    ("the scores are divided by the width of a head minus one", lambda raw, factor: raw / np.sqrt(max(factor**-2 - 1, 1))),
)  # fmt: skip


def _window(width: int) -> tuple[str, Any]:
    tokens = "itself" if width == 1 else f"itself and the {width - 1} before it"
    words = f"the mask is a window: a token sees only {tokens}"
    return words, lambda seen, size: seen & (_places(*seen.shape[-2:]) < width)


def _moved(seen: Array, by: int) -> Array:
    """A mask moved along the keys; what comes in is hidden."""
    places = np.arange(seen.shape[-1]) - by
    return np.roll(seen, by, -1) & (places >= 0) & (places < len(places))


SCALES = (
    ("the root of the head width is taken as a whole number, rounded down (isqrt, int, //)", lambda size: 1 / np.floor(np.sqrt(size.d))),
    ("the root of the head width is taken as a whole number, rounded", lambda size: 1 / np.round(np.sqrt(size.d))),
    ("the root of the head width is taken as a whole number, rounded up", lambda size: 1 / np.ceil(np.sqrt(size.d))),
)  # fmt: skip
MASKS = (
    *map(_window, (1, 2, 3, 4, 5)),
    ("the mask shows one token too few: also the one just before a token is hidden", lambda seen, size: np.tril(seen, -2)),
    ("the mask shows two tokens too many: each token sees the two after it", lambda seen, size: np.tril(np.ones_like(seen), 2)),
    ("the mask shows the first token only", lambda seen, size: seen & (np.arange(seen.shape[-1]) == 0)),
    ("the mask hides the first token as well", lambda seen, size: seen & (np.arange(seen.shape[-1]) > 0)),
    ("the mask hides the last token as well", lambda seen, size: seen & (np.arange(seen.shape[-1]) < seen.shape[-1] - 1)),
    ("the mask of the first sample is applied to every sample", lambda seen, size: np.broadcast_to(seen[:1], seen.shape)),
    ("the mask is applied to the first sample only", lambda seen, size: seen | (np.arange(len(seen)) > 0).reshape(-1, *[1] * (seen.ndim - 1))),
    ("one key behind those that may be seen is seen too, as <= in place of < has it", lambda seen, size: seen | _moved(seen, 1)),
    ("the last of the keys that may be seen is hidden too, as < with one too few has it", lambda seen, size: seen & _moved(seen, -1)),
    ("the mask is shifted by one key", lambda seen, size: np.roll(seen, 1, -1)),
    ("the mask is shifted by one key, backwards", lambda seen, size: np.roll(seen, -1, -1)),
    ("the mask is in reverse order along the keys", lambda seen, size: np.flip(seen, -1)),
    ("the mask hides only what both it and its reverse hide", lambda seen, size: seen | np.flip(seen, -1)),
)  # fmt: skip
