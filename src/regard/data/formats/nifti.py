"""Volumes from NIfTI-1 files, packed by gzip or not; what a heading claims is checked before it is used."""

import struct
import zlib
from math import isfinite, prod

import numpy
import torch
from torch import Tensor

from regard.errors import RegardError
from regard.shapes import Float

HEADING = 348
"Bytes of the heading: its first number says so, in the byte order of the file."
LIMIT = 2**28
"Voxels of the largest volume that is read."
KINDS = {2: "u1", 4: "i2", 8: "i4", 16: "f4", 64: "f8", 256: "i1", 512: "u2", 768: "u4"}
"Number types by their code in the heading."


def read_nifti(content: bytes, name: str) -> Float[Tensor, "*axes"]:
    """The volume of a NIfTI-1 file as float32, in the order of the file's axes: x, y, z, …

    value = slope · stored + intercept, where the heading has a slope.
    """
    packed = content[:2] == b"\x1f\x8b"
    heading = _unpack(content, HEADING, name) if packed else content[:HEADING]
    order, sizes, kind, start, scale = _parse(heading, name)
    length = prod(sizes) * numpy.dtype(kind).itemsize
    whole = _unpack(content, start + length, name) if packed else content[: start + length]
    if len(whole) < start + length:
        raise _damaged(name, f"{len(whole):,} bytes, and its heading speaks of {start + length:,}")
    stored = numpy.frombuffer(whole, order + kind, offset=start, count=prod(sizes))
    values = stored.astype(numpy.float32).reshape(sizes, order="F")
    return torch.from_numpy(values * numpy.float32(scale[0]) + numpy.float32(scale[1]))


def _unpack(content: bytes, length: int, name: str) -> bytes:
    """At most so many bytes out of a gzip file: a small file cannot fill the memory."""
    try:
        # 31 is the largest window, with the heading and the checksum of gzip.
        return zlib.decompressobj(wbits=31).decompress(content, length)
    except zlib.error as error:
        raise _damaged(name, f"zlib: {error}") from error


def _parse(heading: bytes, name: str) -> tuple[str, tuple[int, ...], str, int, tuple[float, float]]:
    """Byte order, sizes, number type, where the voxels start, slope and intercept."""
    order = {HEADING.to_bytes(4, "little"): "<", HEADING.to_bytes(4, "big"): ">"}.get(heading[:4])
    if order is None or len(heading) < HEADING or heading[344:348] != b"n+1\0":
        raise _damaged(name, f"no NIfTI-1 heading: it begins with {heading[:4].hex(' ') or 'nothing'}")
    axes, *lengths = struct.unpack_from(f"{order}8h", heading, 40)
    (code,) = struct.unpack_from(f"{order}h", heading, 70)
    start, slope, intercept = struct.unpack_from(f"{order}3f", heading, 108)
    sizes = tuple(lengths[:axes]) if 1 <= axes <= 7 else ()
    if not sizes or min(sizes) < 1 or prod(sizes) > LIMIT:
        raise _damaged(name, f"{axes} axes of the lengths {lengths}")
    if code not in KINDS:
        raise _damaged(name, f"numbers of type {code}, and only {sorted(KINDS)} are known here")
    if not HEADING <= start <= 2**20:
        raise _damaged(name, f"voxels from byte {start}")
    if not (isfinite(slope) and isfinite(intercept)):
        raise _damaged(name, f"a slope of {slope} and an intercept of {intercept}")
    return order, sizes, KINDS[code], int(start), (slope, intercept) if slope else (1.0, 0.0)


def _damaged(name: str, got: str) -> RegardError:
    return RegardError(f"{name} is no volume that can be read", got, "remove it and fetch it again")
