"""Frames hold what was put in, and nothing that is no frame is taken for one."""

import io
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from regard.checker.process import wire

PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False)
    | st.text(max_size=9)
)
ARRAYS = arrays.arrays(
    st.sampled_from(["float64", "float32", "int64", "bool"]), arrays.array_shapes(max_dims=3, max_side=4)
)
VALUES = st.recursive(
    PLAIN | ARRAYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner, max_size=3),
    max_leaves=6,
)


def same(one, two) -> bool:
    if isinstance(one, np.ndarray):
        return (
            isinstance(two, np.ndarray)
            and one.dtype == two.dtype
            and one.shape == two.shape
            and one.tobytes() == two.tobytes()
        )
    if isinstance(one, list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[k], two[k]) for k in one)
    return one == two


@pytest.mark.slow
@given(VALUES)
def test_what_goes_in_comes_out(value) -> None:
    assert same(value, wire.unpack(wire.pack(value)))


@pytest.mark.slow
@given(st.binary(max_size=200))
def test_noise_is_broken_and_nothing_worse(noise: bytes) -> None:
    try:
        wire.unpack(noise)
    except wire.MalformedFrame:
        return


@given(st.integers(0, 400), st.integers(0, 255))
def test_a_changed_byte_is_broken_or_another_value(at: int, byte: int) -> None:
    frame = bytearray(wire.pack({"y": np.arange(6.0).reshape(2, 3), "words": "abc"}))
    frame[at % len(frame)] = byte
    try:
        wire.unpack(bytes(frame))
    except wire.MalformedFrame:
        return


def test_lengths_are_read_before_anything_is_kept() -> None:
    for words, size in ((wire.WORDS + 1, 0), (0, wire.BYTES + 1)):
        with pytest.raises(wire.MalformedFrame):
            wire.read(io.BytesIO(struct.pack(">II", words, size)).read)


def test_an_unknown_kind_is_refused_both_ways() -> None:
    with pytest.raises(wire.MalformedFrame):
        wire.pack(np.array(["words"]))
    body = b'{"value": {"$": 0}, "arrays": [["object", [1]]]}'
    with pytest.raises(wire.MalformedFrame):
        wire.unpack(struct.pack(">II", len(body), 8) + body + b"\0" * 8)


def test_too_deep_is_broken() -> None:
    value: list = []
    for _ in range(20):
        value = [value]
    with pytest.raises(wire.MalformedFrame):
        wire.unpack(wire.pack(value))


def test_the_end_of_a_stream_is_its_end() -> None:
    with pytest.raises(EOFError):
        wire.read(io.BytesIO(wire.pack(1)[:-1]).read)


def test_bytes_that_no_array_claims_are_broken() -> None:
    body = b'{"value": 1, "arrays": []}'
    with pytest.raises(wire.MalformedFrame):
        wire.unpack(struct.pack(">II", len(body), 8) + body + b"\0" * 8)
