"""Token file: the tokens of texts on disk (memory map), with their tokenizer; larger than memory if need be.

Eight bytes say what it is and eight how long its page is. The page is JSON with the tokenizer, the type and
number of tokens and their SHA-256; then come the tokens, from a multiple of 4,096 bytes on.
"""

import mmap
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy
import torch
from torch import Tensor

from regard.data.tokens.bpe import tokenizer_from_json
from regard.data.tokens.tokenizer import Tokenizer
from regard.errors import RegardError
from regard.files import Damaged, Format, explained, writing
from regard.shapes import Int

MAGIC = b"REGTOKEN"
PAGE = 4096
"The tokens begin at a multiple of this."
SPARE = 256
"Bytes of the page that are kept for the numbers which are known at the end."
TYPES = {"uint16": numpy.dtype("<u2"), "uint32": numpy.dtype("<u4")}
TOKENS = Format(
    "token file",
    1,
    "make it again with regard data tokenize",
    fields=("tokenizer", "type", "count", "characters", "sha256"),
)


def is_token_file(path: Path | str) -> bool:
    """Whether a file begins as a token file does."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def write_tokens(path: Path, tokenizer: Tokenizer, pieces: Iterable[str]) -> "TokenFile":
    """Write the tokens of a text that comes in pieces; the file is there once it is whole.

    >>> import tempfile
    >>> from regard.data.tokens.tokenizer import Bytes
    >>> made = write_tokens(Path(tempfile.mkdtemp()) / "t.tokens", Bytes(), ["to be ", "or not"])
    >>> made.count, Bytes().decode(made.read(3, 8))
    (12, 'be or')
    """
    name = "uint16" if tokenizer.size <= 2**16 else "uint32"
    body = {"tokenizer": tokenizer.to_json(), "type": name, "count": 0, "characters": 0, "sha256": "0" * 64}
    room = len(TOKENS.page(body).encode()) + SPARE
    start = -(-(len(MAGIC) + 8 + room) // PAGE) * PAGE
    digest, count, characters = sha256(), 0, 0
    with writing(path) as file:
        file.seek(start)
        for piece in pieces:
            ids = tokenizer.encode(piece).numpy().astype(TYPES[name])
            digest.update(ids.tobytes())
            file.write(ids.tobytes())
            count, characters = count + len(ids), characters + len(piece)
        page = TOKENS.page(body | {"count": count, "characters": characters, "sha256": digest.hexdigest()})
        file.seek(0)
        length = start - len(MAGIC) - 8
        file.write(MAGIC + length.to_bytes(8, "little") + page.encode().ljust(length))
    return TokenFile.open(path)


@dataclass(frozen=True)
class TokenFile:
    """Tokens on disk; reading some of them brings no others to memory for long."""

    path: Path
    tokenizer: Tokenizer
    "The tokenizer that made them."
    count: int
    "How many there are."
    characters: int
    "Characters that they were made of."
    digest: str
    "SHA-256 of the tokens' bytes, when they were written."
    type: numpy.dtype
    start: int
    "Where in the file they begin."

    @staticmethod
    def open(path: Path | str) -> "TokenFile":
        """The token file at a path, if it is whole; its tokens are not read yet."""
        path = Path(path)
        try:
            body, start = _page(path)
            kind, size = TYPES[body["type"]], path.stat().st_size
            if size != start + body["count"] * kind.itemsize:
                raise Damaged(
                    f"{path.name} has {size:,} bytes, not {start + body['count'] * kind.itemsize:,}"
                )
            tokenizer = tokenizer_from_json(body["tokenizer"])
        except (Damaged, KeyError, TypeError) as error:
            raise RegardError(
                "this token file is damaged", f"{path}: {error}", "make it again with regard data tokenize"
            ) from error
        return TokenFile(path, tokenizer, body["count"], body["characters"], body["sha256"], kind, start)

    def read(self, start: int, stop: int) -> Int[Tensor, " n"]:
        """The tokens from one place up to another."""
        return torch.from_numpy(self._map[start:stop].astype(numpy.int64))

    def rows(self, starts: numpy.ndarray, length: int) -> Int[Tensor, "b n"]:
        """So many tokens from each start on."""
        found = numpy.stack([self._map[at : at + length] for at in starts.tolist()]).astype(numpy.int64)
        # What was read is let go of, or resident memory would grow to the size of the file.
        if hasattr(self._bytes, "madvise"):
            self._bytes.madvise(mmap.MADV_DONTNEED)
        if found.max() >= self.tokenizer.size:
            self.verify()
        return torch.from_numpy(found)

    def verify(self) -> None:
        """Read every token, and raise unless they are those that were written."""
        total = sha256()
        with explained(self.path), open(self.path, "rb") as file:
            file.seek(self.start)
            while content := file.read(2**20):
                total.update(content)
        if total.hexdigest() != self.digest:
            raise RegardError(
                "this token file is damaged",
                f"{self.path}: its tokens are not those that were written",
                "make it again with regard data tokenize",
            )

    @cached_property
    def _bytes(self) -> mmap.mmap:
        with explained(self.path), open(self.path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    @cached_property
    def _map(self) -> numpy.ndarray:
        return numpy.frombuffer(self._bytes, self.type, self.count, self.start)


def _page(path: Path) -> tuple[Any, int]:
    """What the page of a token file says, and where the tokens begin."""
    try:
        with open(path, "rb") as file:
            magic, length = file.read(len(MAGIC)), int.from_bytes(file.read(8), "little")
            if magic != MAGIC or length > path.stat().st_size:
                raise Damaged("it does not begin as one")
            return TOKENS.parsed(file.read(length), path), len(MAGIC) + 8 + length
    except OSError as error:
        raise RegardError(
            "the token file cannot be read", f"{path}: {error.strerror}", "name a file that is there"
        ) from error
