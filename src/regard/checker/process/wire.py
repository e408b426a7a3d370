"""Wire format between the checker and its child: frames of JSON and raw arrays, lengths first."""

import json
import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

WORDS = 1 << 20
"The longest JSON of a frame, in bytes."
BYTES = 64 << 20
"The most bytes of arrays in a frame."
KINDS = ("float64", "float32", "int64", "int32", "bool", "complex128", "complex64")
DEEP = 12
"How deep the structure of a frame may be."

_HEAD = struct.Struct(">II")


class MalformedFrame(Exception):
    """What came is no frame."""


def pack(value: Any) -> bytes:
    """A structure of plain values and arrays as one frame.

    >>> unpack(pack({"y": np.arange(3.0), "note": ("a", 1)}))
    {'y': array([0., 1., 2.]), 'note': ['a', 1]}
    """
    arrays: list[np.ndarray] = []
    words = json.dumps({"value": _plain(value, arrays), "arrays": [[a.dtype.name, a.shape] for a in arrays]})
    head, tail = words.encode(), b"".join(a.tobytes() for a in arrays)
    if len(head) > WORDS or len(tail) > BYTES:
        raise MalformedFrame(
            f"{len(head):,} bytes of words and {len(tail):,} of arrays are more than a frame holds"
        )
    return _HEAD.pack(len(head), len(tail)) + head + tail


def unpack(frame: bytes) -> Any:
    """The structure that a frame holds; Broken for anything that is no frame."""
    words, size = sizes(frame[: _HEAD.size])
    if len(frame) != _HEAD.size + words + size:
        raise MalformedFrame("a frame of another length than it says")
    try:
        body = json.loads(frame[_HEAD.size : _HEAD.size + words])
        return _whole(body["value"], _arrays(body["arrays"], frame[_HEAD.size + words :]))
    except (ValueError, KeyError, TypeError, IndexError, RecursionError, UnicodeDecodeError) as error:
        raise MalformedFrame(f"a frame that cannot be read: {type(error).__name__}") from error


def sizes(head: bytes) -> tuple[int, int]:
    """The two lengths at the start of a frame, within their limits."""
    if len(head) != _HEAD.size:
        raise MalformedFrame("a frame without its lengths")
    words, size = _HEAD.unpack(head)
    if words > WORDS or size > BYTES:
        raise MalformedFrame(f"a frame of {words:,} + {size:,} bytes")
    return words, size


def read(more: Callable[[int], bytes | None]) -> Any:
    """The next frame of a stream, given its `read`; EOFError at its end."""
    head = _exactly(more, _HEAD.size)
    words, size = sizes(head)
    return unpack(head + _exactly(more, words + size))


def _exactly(more: Callable[[int], bytes | None], count: int) -> bytes:
    parts, missing = [], count
    while missing:
        part = more(missing)
        if not part:
            raise EOFError
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _plain(value: Any, arrays: list[np.ndarray]) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.name not in KINDS:
            raise MalformedFrame(f"an array of {value.dtype.name}")
        arrays.append(np.ascontiguousarray(value).reshape(value.shape))
        return {"$": len(arrays) - 1}
    if isinstance(value, dict):
        return {str(key): _plain(item, arrays) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, arrays) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"$": str(value)}
    return value


def _arrays(listed: list[Any], tail: bytes) -> list[np.ndarray]:
    found, start = [], 0
    for kind, shape in listed:
        if kind not in KINDS or not all(type(size) is int and size >= 0 for size in shape):
            raise MalformedFrame("an array of no known kind or shape")
        end = start + math.prod(shape) * np.dtype(kind).itemsize
        if end > len(tail):
            raise MalformedFrame("arrays longer than their frame")
        found.append(np.frombuffer(tail[start:end], kind).reshape(shape).copy())
        start = end
    if start != len(tail):
        raise MalformedFrame("a frame with bytes that no array claims")
    return found


def _whole(value: Any, arrays: list[np.ndarray], depth: int = 0) -> Any:
    if depth > DEEP:
        raise MalformedFrame("a frame too deep")
    if isinstance(value, list):
        return [_whole(item, arrays, depth + 1) for item in value]
    if isinstance(value, dict):
        if set(value) == {"$"}:
            return float(value["$"]) if isinstance(value["$"], str) else arrays[value["$"]]
        return {key: _whole(item, arrays, depth + 1) for key, item in value.items()}
    return value
