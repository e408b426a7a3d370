"""Streaming text files that are larger than memory: piece by piece, packed ones too, as `read_text` does."""

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from regard.data.sets.text import GZIP, TEXTS, load_text
from regard.errors import RegardError

PIECE = 2**20
"Bytes that are read at a time."


def stream_source(source: str) -> Iterator[str]:
    """A source of `find_texts`, piece by piece."""
    if source in TEXTS:
        yield load_text(source).characters
    else:
        yield from stream_text(Path(source))


def stream_text(path: Path, size: int = PIECE) -> Iterator[str]:
    """The pieces of a text in UTF-8, which together are the characters that `read_text` gives."""
    decoder = io.IncrementalNewlineDecoder(None, translate=True)
    empty, read = True, 0
    for part in _decoded(path, size):
        text = decoder.decode(part)
        empty, read = empty and not text.strip(), read + len(part)
        if text:
            yield text
    yield from filter(None, [decoder.decode("", final=True)])
    if empty:
        raise RegardError(
            "the text is empty",
            f"{read} characters in {path.name}, none but blanks",
            "name a text that has words",
        )


def _decoded(path: Path, size: int) -> Iterator[str]:
    decode, done = codecs.getincrementaldecoder("utf-8")(), 0
    for content in _bytes(path, size):
        if not done:
            _require_text(content, path.name)
            mark = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0
            content, done = content[mark:], mark
        yield _part(decode, content, done, path.name)
        done += len(content)
    yield _part(decode, b"", done, path.name, final=True)


def _part(
    decode: codecs.IncrementalDecoder, content: bytes, done: int, name: str, final: bool = False
) -> str:
    """The characters of some bytes, of which so many came before them."""
    begun = len(decode.getstate()[0])
    try:
        return decode.decode(content, final)
    except UnicodeDecodeError as error:
        got = f"byte 0x{error.object[error.start]:02x} at position {done - begun + error.start} of {name}"
        raise RegardError("the text is not UTF-8", got, "save it as UTF-8") from error


def _require_text(content: bytes, name: str) -> None:
    if b"\0" in content[:4096] and not content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        place = content.index(b"\0")
        raise RegardError(
            "the file is no text", f"a zero byte at position {place} of {name}", "name a text file"
        )


def _bytes(path: Path, size: int) -> Iterator[bytes]:
    """What a file holds, unpacked where it is packed."""
    try:
        with open(path, "rb") as file:
            packed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            stream: BinaryIO | gzip.GzipFile = gzip.GzipFile(fileobj=file) if packed else file
            while content := stream.read(size):
                yield content
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise RegardError(
            "the packed text cannot be unpacked", f"{path.name}: {error}", "get the file again"
        ) from error
    except OSError as error:
        raise RegardError(
            "the text cannot be read", f"{path}: {error.strerror}", "name a text file"
        ) from error
