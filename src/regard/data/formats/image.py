"""Image formats: pixels from CSV, IDX and PNG, the three forms in which the registries hold pictures."""

import gzip
import io
import zlib

import numpy

from regard.errors import RegardError

Array = numpy.ndarray


def read_csv(content: bytes, name: str, *, columns: int) -> Array:
    r"""The rows of a CSV file whose first line is a heading and whose numbers go from 0 to 255.

    >>> read_csv(b"label,a,b\r\n7,0,255\r\n1,20,3\r\n", "tiny.csv", columns=3)
    array([[  7,   0, 255],
           [  1,  20,   3]], dtype=uint8)
    """
    body = content[content.find(b"\n") + 1 :].replace(b"\r", b"")
    parts, start = [], 0
    while start < len(body):
        # A few megabytes at a time: the places of all separators at once would fill gigabytes.
        end = body.find(b"\n", start + 2**22) + 1 or len(body)
        parts.append(_numbers(body[start:end].rstrip(b"\n") + b"\n", name))
        start = end
    flat = numpy.concatenate(parts) if parts else numpy.empty(0, numpy.uint8)
    if len(flat) == 0 or len(flat) % columns:
        raise _damaged(name, f"{len(flat):,} numbers, in rows of {columns}")
    return flat.reshape(-1, columns)


def _numbers(text: bytes, name: str) -> Array:
    """The numbers between separators, all at once: a digit counts by its distance to the next separator."""
    codes = numpy.frombuffer(text, numpy.uint8)
    ends = numpy.flatnonzero(codes < 48)
    lengths = numpy.diff(ends, prepend=-1) - 1
    separators = codes[ends]
    if codes.max() > 57 or not ((separators == 44) | (separators == 10)).all():
        raise _damaged(name, "characters that are no digit, comma or line end")
    if lengths.min() < 1 or lengths.max() > 3:
        raise _damaged(name, "a number without digits, or with more than three")
    # Before the first digit of a short number stands a separator, which counts as nothing.
    digits = numpy.concatenate([numpy.zeros(2, numpy.int16), codes.astype(numpy.int16) - 48]).clip(0)
    values = digits[ends + 1]
    values += 10 * digits[ends] * (lengths > 1)
    values += 100 * digits[ends - 1] * (lengths > 2)
    if values.max() > 255:
        raise _damaged(name, f"the number {values.max()}, and a pixel goes to 255")
    return values.astype(numpy.uint8)


def read_idx(content: bytes, name: str) -> Array:
    r"""The bytes of an IDX file: they follow two zeros, the type 8, the number of axes, and their lengths.

    >>> read_idx(bytes([0, 0, 8, 1, 0, 0, 0, 3, 5, 6, 7]), "tiny-idx1-ubyte")
    array([5, 6, 7], dtype=uint8)
    """
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise _damaged(name, f"{type(error).__name__}: {error}") from error
    axes = content[3] if len(content) > 3 else 0
    lengths = tuple(numpy.frombuffer(content[4 : 4 + 4 * axes], ">u4").tolist()) if axes else ()
    body = content[4 + 4 * axes :]
    if content[:3] != b"\0\0\x08" or len(lengths) != axes or not axes or numpy.prod(lengths) != len(body):
        raise _damaged(name, f"a heading of {content[:4].hex(' ') or 'no bytes'} and {len(content):,} bytes")
    return numpy.frombuffer(bytearray(body), numpy.uint8).reshape(lengths)


def read_png(content: bytes, name: str) -> Array:
    """The red, green and blue of a PNG picture: height, width, 3."""
    from matplotlib.image import imread

    try:
        values = imread(io.BytesIO(content), format="png")
    except (OSError, ValueError, SyntaxError, EOFError, zlib.error) as error:
        raise _damaged(name, f"{type(error).__name__}: {error}") from error
    if values.ndim != 3 or values.shape[2] < 3:
        raise _damaged(name, f"an array of shape {tuple(values.shape)}, and a colour picture was expected")
    return (values[..., :3] * 255).round().astype(numpy.uint8)


def _damaged(name: str, got: str) -> RegardError:
    return RegardError(f"{name} is no file of pictures that can be read", got, "remove it and fetch it again")
