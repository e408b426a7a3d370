"""Edge lists as a stream of blocks: text of two columns, plain or gzip, or an array in .npy."""

import gzip
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy

from regard.errors import RegardError

Array = numpy.ndarray
BYTES = 1 << 23
"Bytes of text that are read at a time."
EDGES = 1 << 20
"Edges of an array that are read at a time."
BETWEEN = bytes.maketrans(b",;\t|", b"    ")
COMMENT = re.compile(rb"^[#%].*$", re.MULTILINE)
HEADING = re.compile(rb"\A(\s*)[^\d\n]+$", re.MULTILINE)
NUMBERS = re.compile(rb"\s*(\d{1,18}\s+\d{1,18})?\s*")
LARGEST = 3 * 10**9
"More nodes than that do not fit the keys by which edges are sorted."


def stream(path: Path) -> Iterator[Array]:
    """Blocks of edges, each an array of int64 with two columns: source and target."""
    try:
        if path.suffix == ".npy":
            yield from _array(path)
        else:
            with gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb") as file:
                yield from _text(file.read, path)
    except (OSError, EOFError) as error:
        raise RegardError(
            "the edge list cannot be read", f"{path}: {error}", "name a file with two columns of node numbers"
        ) from error


def _array(path: Path) -> Iterator[Array]:
    try:
        whole = numpy.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise _no_array(path, str(error)) from error
    if whole.ndim != 2 or 2 not in whole.shape or not numpy.issubdtype(whole.dtype, numpy.integer):
        raise _no_array(path, f"shape {whole.shape} of {whole.dtype}")
    pairs = whole if whole.shape[1] == 2 else whole.T
    for first in range(0, len(pairs), EDGES):
        # Opened anew for each block: pages that were read would stay in the process's memory.
        part = numpy.load(path, mmap_mode="r", allow_pickle=False)
        part = part if whole.shape[1] == 2 else part.T
        yield _checked(numpy.array(part[first : first + EDGES], dtype=numpy.int64), path)


def _no_array(path: Path, got: str) -> RegardError:
    return RegardError(
        "an edge list in .npy has two columns, or two rows, of whole numbers",
        f"{path.name}: {got}",
        "save it with numpy.save(path, edge_index)",
    )


def _text(read: Callable[[int], bytes], path: Path) -> Iterator[Array]:
    rest, lines, first = b"", 0, True
    while block := read(BYTES):
        block, rest = rest + block, b""
        cut = block.rfind(b"\n") + 1
        block, rest = block[:cut], block[cut:]
        if not block:
            continue
        edges = _parsed(block, path, lines, first)
        lines, first = lines + block.count(b"\n"), first and not len(edges)
        yield edges
    if rest.strip():
        yield _parsed(rest, path, lines, first)


def _parsed(block: bytes, path: Path, before: int, first: bool) -> Array:
    """The edges of whole lines; before the first edge there may be a heading, without digits."""
    plain = COMMENT.sub(b"", block).translate(BETWEEN)
    if first:
        plain = HEADING.sub(rb"\1", plain)
    words = _words_of_lines(plain)
    if not ((words == 0) | (words == 2)).all():
        raise _bad_line(plain, path, before, int(((words != 0) & (words != 2)).argmax()))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # numpy warns of what is no number, and stops there
            text = plain.decode("ascii") if words.any() else ""
            numbers = numpy.fromstring(text, dtype=numpy.int64, sep=" ") if text else words[:0]
    except (ValueError, DeprecationWarning):
        numbers = numpy.empty(0, numpy.int64)
    if len(numbers) != words.sum():
        bad = (at for at, line in enumerate(plain.split(b"\n")) if not NUMBERS.fullmatch(line))
        raise _bad_line(plain, path, before, next(bad, 0))
    return _checked(numbers.reshape(-1, 2), path)


def _words_of_lines(text: bytes) -> Array:
    """How many words each line has."""
    letters = numpy.frombuffer(text + b"\n", numpy.uint8)
    blank = (letters == ord(" ")) | (letters == ord("\n")) | (letters == ord("\r"))
    begins = ~blank
    begins[1:] &= blank[:-1]
    behind = begins.cumsum(dtype=numpy.int64)[letters == ord("\n")]
    return numpy.diff(behind, prepend=0)


def _bad_line(text: bytes, path: Path, before: int, at: int) -> RegardError:
    line = text.split(b"\n")[at].decode("utf-8", "replace").strip()
    return RegardError(
        "an edge list has two whole numbers on each line: source and target",
        f"{path.name}, line {before + at + 1}: {line[:60]!r}",
        "leave two columns, parted by blanks, commas or tabs; lines that begin with # are left out",
    )


def _checked(pairs: Array, path: Path) -> Array:
    if pairs.size and (pairs.min() < 0 or pairs.max() >= LARGEST):
        worst = pairs.min() if pairs.min() < 0 else pairs.max()
        raise RegardError(
            "nodes are numbered from 0", f"{path.name}: {worst}", "number the nodes that there are, from 0"
        )
    return pairs
