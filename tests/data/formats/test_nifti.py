"""Volumes: written here by hand, byte by byte, and read back; nonsense is refused before memory is."""

import gzip
import struct
import tracemalloc

import numpy
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.data.formats.nifti import KINDS, read_nifti
from regard.errors import RegardError


def volume(
    values: numpy.ndarray,
    *,
    order: str = "<",
    slope: float = 0.0,
    intercept: float = 0.0,
    start: float = 352.0,
    code: int | None = None,
    sizes: tuple[int, ...] | None = None,
) -> bytes:
    """A NIfTI-1 file of these values."""
    sizes = values.shape if sizes is None else sizes
    heading = bytearray(352)
    heading[0:4] = struct.pack(f"{order}i", 348)
    struct.pack_into(f"{order}8h", heading, 40, len(sizes), *sizes, *[1] * (7 - len(sizes)))
    known = next((one for one, kind in KINDS.items() if kind == values.dtype.str[1:]), 0)
    struct.pack_into(f"{order}h", heading, 70, known if code is None else code)
    struct.pack_into(f"{order}3f", heading, 108, start, slope, intercept)
    heading[344:348] = b"n+1\0"
    return bytes(heading) + values.astype(values.dtype.newbyteorder(order)).tobytes(order="F")


def told(content: bytes) -> str:
    with pytest.raises(RegardError) as raised:
        read_nifti(content, "brain.nii")
    return str(raised.value)


@pytest.mark.parametrize("kind", KINDS.values())
@pytest.mark.parametrize("order", ["<", ">"])
def test_every_number_type_and_byte_order_comes_back(kind: str, order: str) -> None:
    values = numpy.arange(30).reshape(2, 3, 5).astype(kind)
    for content in (volume(values, order=order), gzip.compress(volume(values, order=order), mtime=0)):
        assert torch.equal(read_nifti(content, "x"), torch.arange(30.0).view(2, 3, 5))


def test_the_first_axis_runs_fastest_in_the_file() -> None:
    content = volume(numpy.zeros((2, 3), "u1"))[:352] + bytes([1, 2, 3, 4, 5, 6])
    assert read_nifti(content, "x").tolist() == [[1, 3, 5], [2, 4, 6]]


def test_slope_and_intercept_are_applied_and_no_slope_is_none() -> None:
    values = numpy.array([1, 2], "i2")
    assert read_nifti(volume(values, slope=0.5, intercept=3), "x").tolist() == [3.5, 4.0]
    assert read_nifti(volume(values, slope=0.0, intercept=3), "x").tolist() == [1, 2]


VALUES = numpy.zeros((2, 3), "u1")


@pytest.mark.parametrize(
    ("content", "got"),
    [
        (b"", "no NIfTI-1 heading: it begins with nothing"),
        (b"PNG!" + bytes(400), "no NIfTI-1 heading: it begins with 50 4e 47 21"),
        (volume(VALUES)[:200], "no NIfTI-1 heading: it begins with 5c 01 00 00"),
        (volume(VALUES)[:-1], "357 bytes, and its heading speaks of 358"),
        (gzip.compress(volume(VALUES)[:-1], mtime=0), "357 bytes, and its heading speaks of 358"),
        (volume(VALUES, sizes=(2, -3)), "2 axes of the lengths [2, -3, 1, 1, 1, 1, 1]"),
        (volume(VALUES, sizes=(32767,) * 4), "4 axes of the lengths [32767, 32767, 32767, 32767, 1, 1, 1]"),
        (volume(VALUES, sizes=()), "0 axes of the lengths [1, 1, 1, 1, 1, 1, 1]"),
        (
            volume(VALUES, code=128),
            "numbers of type 128, and only [2, 4, 8, 16, 64, 256, 512, 768] are known here",
        ),
        (volume(VALUES, start=1e30), "voxels from byte 1.0000000150474662e+30"),
        (volume(VALUES, start=float("nan")), "voxels from byte nan"),
        (volume(VALUES, start=-5.0), "voxels from byte -5.0"),
        (volume(VALUES, slope=float("inf")), "a slope of inf and an intercept of 0.0"),
        (b"\x1f\x8b" + bytes(40), "zlib: Error -3 while decompressing data: unknown compression method"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_nonsense_is_told_in_three_lines(content: bytes, got: str) -> None:
    assert (
        told(content)
        == f"brain.nii is no volume that can be read\n  got: {got}\n  fix: remove it and fetch it again"
    )


@pytest.mark.slow
def test_a_small_file_cannot_fill_the_memory() -> None:
    """A hundred megabytes of zeros behind a heading that speaks of six bytes: only those are unpacked."""
    bomb = gzip.compress(volume(VALUES) + bytes(10**8), 1)
    tracemalloc.start()
    try:
        assert read_nifti(bomb, "x").shape == (2, 3)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


@given(st.binary(max_size=400), st.integers(0, 351), st.binary(min_size=1, max_size=8))
def test_damage_anywhere_gives_a_volume_or_three_lines(noise: bytes, place: int, patch: bytes) -> None:
    content = bytearray(volume(VALUES))
    content[place : place + len(patch)] = patch
    for one in (noise, bytes(content), gzip.compress(bytes(content), mtime=0)[: 40 + place]):
        said = ""
        try:
            found = read_nifti(one, "x")
        except RegardError as error:
            said = str(error)
        assert said.count("\n") == 2 if said else found.dtype is torch.float32
