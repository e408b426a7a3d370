"""Bytes become pixels, and damaged bytes become three lines."""

import gzip
import io

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from regard.data.formats.image import read_csv, read_idx, read_png
from regard.errors import RegardError

FIX = "\n  fix: remove it and fetch it again"
TABLES = arrays.arrays(numpy.uint8, arrays.array_shapes(min_dims=2, max_dims=2, max_side=7))


@given(TABLES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_table_comes_back_as_it_was_written(table: numpy.ndarray, end: str, last: bool) -> None:
    lines = [",".join("abcdefg"[: table.shape[1]]), *(",".join(map(str, row)) for row in table)]
    text = end.join(lines) + (end if last else "")
    assert numpy.array_equal(read_csv(text.encode(), "t.csv", columns=table.shape[1]), table)


@pytest.mark.slow
def test_a_table_of_several_blocks_is_whole() -> None:
    """The reader works in blocks of four megabytes; numpy's own reader is the oracle."""
    table = numpy.random.default_rng(0).integers(0, 256, (3_300, 401)).astype(numpy.uint8)
    text = "head\n" + "\n".join(",".join(map(str, row)) for row in table) + "\n"
    assert len(text) > 2**22
    assert numpy.array_equal(read_csv(text.encode(), "t.csv", columns=401), table)


@pytest.mark.parametrize(
    ("body", "got"),
    [
        (b"1,2\n3,x\n", "characters that are no digit, comma or line end"),
        (b"1,2\n3,-4\n", "characters that are no digit, comma or line end"),
        (b"1,2\n3,\n", "a number without digits, or with more than three"),
        (b"1,2\n3,0004\n", "a number without digits, or with more than three"),
        (b"1,2\n3,256\n", "the number 256, and a pixel goes to 255"),
        (b"1,2\n3\n", "3 numbers, in rows of 2"),
        (b"", "0 numbers, in rows of 2"),
    ],
)
def test_a_damaged_table_is_named(body: bytes, got: str) -> None:
    with pytest.raises(RegardError) as raised:
        read_csv(b"a,b\n" + body, "t.csv", columns=2)
    assert str(raised.value) == f"t.csv is no file of pictures that can be read\n  got: {got}{FIX}"


@given(arrays.arrays(numpy.uint8, arrays.array_shapes(max_dims=3, max_side=5)), st.booleans())
def test_an_idx_array_comes_back(array: numpy.ndarray, packed: bool) -> None:
    content = b"\0\0\x08" + bytes([array.ndim]) + numpy.array(array.shape, ">u4").tobytes() + array.tobytes()
    assert numpy.array_equal(read_idx(gzip.compress(content, mtime=0) if packed else content, "a"), array)


@pytest.mark.parametrize(
    ("content", "got"),
    [
        (b"", "a heading of no bytes and 0 bytes"),
        (b"\0\0\x0d\x01\0\0\0\x01\0", "a heading of 00 00 0d 01 and 9 bytes"),
        (b"\0\0\x08\x01\0\0\0\x03ab", "a heading of 00 00 08 01 and 10 bytes"),
        (b"\x1f\x8b\x08", "EOFError: Compressed file ended before the end-of-stream marker was reached"),
    ],
)
def test_a_damaged_idx_file_is_named(content: bytes, got: str) -> None:
    with pytest.raises(RegardError) as raised:
        read_idx(content, "a-ubyte")
    assert str(raised.value) == f"a-ubyte is no file of pictures that can be read\n  got: {got}{FIX}"


@pytest.mark.slow
def test_a_picture_comes_back_and_a_damaged_one_is_named() -> None:
    from matplotlib.image import imsave

    pixels, file = numpy.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(numpy.uint8), io.BytesIO()
    imsave(file, pixels, format="png")
    assert numpy.array_equal(read_png(file.getvalue(), "p.png"), pixels)
    for damaged in (file.getvalue()[:60], b"no picture"):
        with pytest.raises(RegardError, match=r"^p\.png is no file of pictures that can be read\n"):
            read_png(damaged, "p.png")
