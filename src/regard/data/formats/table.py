"""CSV and other tables of text: delimiter, header and encoding are found, gzip is unpacked."""

import codecs
import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy

from regard.errors import RegardError

Array = numpy.ndarray
DELIMITERS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", " ": "blanks"}
"What may part the values of a row, in the order in which they are tried: a comma may also stand in a number."
MISSING = frozenset(("", "na", "n/a", "#n/a", "nan", "null", "none", "?", "-", ".", "inf", "-inf", "+inf"))
"What stands in a table where there is no value."
LARGEST = 2**30
"Bytes that a table may have, unpacked."
BINARY = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"PK\x03\x04": "a packed folder, as a workbook of a spreadsheet is",
    b"%PDF": "a PDF",
    b"\x93NUMPY": "an array of numpy",
}
"How files begin that are no text, and what they are."


@dataclass(frozen=True)
class Table:
    """The columns of a table as text, and how it was read."""

    name: str
    "The file's name."
    header: tuple[str, ...]
    "The name of each column: from the first row, or 'column 1' and so on."
    columns: tuple[tuple[str, ...], ...]
    "The values of each column."
    delimiter: str
    "What parts the values of a row."
    encoding: str
    "How the bytes were read."
    before: int = 0
    "Lines above the table that are none of its rows."

    @property
    def rows(self) -> int:
        """How many rows there are, the header not counted."""
        return len(self.columns[0])

    def numbers(self, column: int) -> Array | None:
        """A column as numbers, NaN where there is none; None if something in it is no number.

        >>> table = read_table(b"x;name\\n1,5;a\\n;b\\n", "t.csv")
        >>> table.numbers(0), table.numbers(1)
        (array([1.5, nan]), None)
        """
        return next((numpy.array(found) for found, odd in self._read(column) if not odd), None)

    def strange(self, column: int) -> list[int]:
        """The rows of a column, from 0, whose values are no numbers where the others are.

        >>> read_table(b"x;name\\n1,5;a\\nabc;b\\n2,5;c\\n", "t.csv").strange(0)
        [1]
        """
        return min((odd for _, odd in self._read(column)), key=len)

    def _read(self, column: int) -> Iterator[tuple[list[float], list[int]]]:
        """A column with a decimal point, then with a comma: its numbers, and the rows that are none."""
        values = [value.strip() for value in self.columns[column]]
        values = ["nan" if value.lower() in MISSING else value for value in values]
        for decimal in (".", ",") if self.delimiter != "," else (".",):
            read = [_float(value.replace(decimal, ".")) for value in values]
            yield (
                [one for one in read if one is not None],
                [row for row, one in enumerate(read) if one is None],
            )


def open_table(path: Path) -> Table:
    """The table in a file."""
    return read_table(file_bytes(path), path.name)


def file_bytes(path: Path) -> bytes:
    """What a file holds, unpacked where it is packed by gzip."""
    try:
        content = path.read_bytes()
        if content.startswith(b"\x1f\x8b"):
            with gzip.open(io.BytesIO(content)) as stream:
                content = stream.read(LARGEST + 1)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        got = f"{path}: {getattr(error, 'strerror', None) or error}"
        raise RegardError("the file cannot be read", got, "name a file that can be read") from error
    if len(content) > LARGEST:
        got = f"{path.name}: more than {LARGEST:,} bytes"
        raise RegardError("the file is too large", got, "name a smaller one, or a part of it")
    return content


def read_table(content: bytes, name: str) -> Table:
    """The table that some bytes are.

    >>> table = read_table(b"x,y\\r\\n1,2\\r\\n3,4\\r\\n", "t.csv")
    >>> table.header, table.columns
    (('x', 'y'), (('1', '3'), ('2', '4')))
    """
    text, encoding = _decoded(content, name)
    lines = [line for line in re.split("\r\n|\r|\n", text) if line.strip() and line.lstrip()[0] not in "#%"]
    given = re.fullmatch(r"sep=(.)", lines[0].strip()) if lines else None
    lines = lines[1:] if given else lines
    if not lines:
        got = f"{len(content)} bytes in {name}"
        raise RegardError("the table is empty", got, "name a file with a row for each point or edge")
    delimiter = given[1] if given else _delimiter(lines)
    rows, before = _even(_split(lines, delimiter), name)
    header, body = _header(rows)
    if not body:
        got = f"{name}: '{lines[0][:60]}'"
        raise RegardError("the table has a header and no rows", got, "name a file that has rows")
    columns = [tuple(row[place] for row in body) for place in range(len(header))]
    kept = [place for place, one in enumerate(columns) if header[place].strip() or any(map(str.strip, one))]
    names = [header[place].strip() or f"column {place + 1}" for place in kept]
    return Table(name, tuple(names), tuple(columns[place] for place in kept), delimiter, encoding, before)


def _decoded(content: bytes, name: str) -> tuple[str, str]:
    for start, kind in BINARY.items():
        if content.startswith(start):
            raise RegardError(
                "the file is no table", f"{name}: {kind}", "save the table as CSV and name that"
            )
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace"), "UTF-16"
    if b"\0" in content[:4096]:
        got = f"{name}: a zero byte at position {content.index(0)}"
        raise RegardError("the file is no table", got, "save the table as CSV and name that")
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        return content.decode("latin-1"), "Latin-1"


def _delimiter(lines: list[str]) -> str:
    """What parts nearly every row into the same number of values, two or more; none parts a single column."""
    for one in DELIMITERS:
        counts = Counter(len(row) for row in _split(lines[1:200] or lines, one))
        ((most, times),) = counts.most_common(1)
        if most > 1 and times >= 0.8 * counts.total():
            return one
    return ","


def _split(lines: list[str], delimiter: str) -> list[list[str]]:
    if delimiter == " ":
        lines = [line.replace("\t", " ").strip() for line in lines]
    try:
        return list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        return [line.split(delimiter) for line in lines]


def _even(rows: list[list[str]], name: str) -> tuple[list[list[str]], int]:
    """Rows of one length, and how many lines stood above them; a header that names no row's name gets one."""
    ((length, _),) = Counter(map(len, rows[1:] or rows)).most_common(1)
    wide = (place for place, row in enumerate(rows) if len(row) >= max(2, length - 1))
    before = next(wide) if length > 2 else 0
    rows = rows[before:]
    if len(rows[0]) == length - 1 and len(rows) > 1:
        rows = [["", *rows[0]], *rows[1:]]
    for number, row in enumerate(rows, start=1):
        if len(row) != length:
            raise RegardError(
                "the rows of the table are not equally long",
                f"{name}, row {number + before}: {len(row)} in place of {length}: '{' '.join(row)[:60]}'",
                "mend that row, or remove it",
            )
    return rows, before


def _header(rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """The first row is a header if a word stands over numbers, or over words with one that is known."""
    first, rest = rows[0], rows[1:]
    below = rest[:200]
    words = [place for place, value in enumerate(first) if not _number(value)]
    over_numbers = any(_numbers(row[place] for row in below) for place in words)
    only_words = len(words) == len(first) == len(set(first)) and not any(
        value.strip() in {row[place].strip() for row in below} for place, value in enumerate(first)
    )
    lower = set(map(str.lower, first))
    known = bool(lower & HEADINGS) or {"u", "v"} <= lower or {"i", "j"} <= lower
    if rest and words and (over_numbers or (only_words and known)):
        return first, rest
    return [f"column {place + 1}" for place in range(len(first))], rows


HEADINGS = frozenset(
    ("source", "target", "from", "to", "src", "dst", "id", "node", "name", "label", "class", "type")
)
"Words by which a header is known where every column holds words."


def _numbers(values: Iterable[str]) -> bool:
    """Whether most of what is not missing is numbers."""
    given = [value for value in values if value.strip().lower() not in MISSING]
    return sum(map(_number, given)) > 0.5 * len(given)


def _float(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _number(value: str) -> bool:
    value = value.strip()
    if not value:
        return False
    try:
        float(value.replace(",", "."))
        return value.lower() not in MISSING
    except ValueError:
        return False
