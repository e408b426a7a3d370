"""Text data sets: the known ones, and any file of a person's own."""

import codecs
import hashlib
from dataclasses import dataclass
from pathlib import Path

from regard.arguments import kinds
from regard.data.fetch.archive import read_members
from regard.data.fetch.catalogue import entry
from regard.data.fetch.download import fetch_file
from regard.data.fetch.web import Patience, Progress
from regard.errors import RegardError, Unreachable

TEXTS = ("shakespeare", "tiny-shakespeare", "grimm", "andersen")
"The texts that are known by name."


@dataclass(frozen=True)
class Text:
    """A text, and a sentence that says which one it is and why."""

    name: str
    "What people call it."
    characters: str
    "The text itself: lines end in a single line feed."
    said: str
    "Which text it is, and why this one."

    @property
    def digest(self) -> str:
        """The sha256 of the text: equal texts are equal data."""
        return hashlib.sha256(self.characters.encode()).hexdigest()


def load_text(name: str, *, patience: Patience | None = None, progress: Progress | None = None) -> Text:
    """The known text of that name."""
    known = entry(name)
    if name not in TEXTS:
        raise RegardError(f"{name} is not a text", known.what, f"one of {', '.join(TEXTS)}")
    path = fetch_file(known, patience=patience, progress=progress)
    pieces = list(read_members(path, known.members).values()) if known.members else [path.read_bytes()]
    characters = "\n".join(_decode(piece, name) for piece in pieces)
    return Text(name, characters, f"The text is {known.what}.")


def load_text_or_shakespeare(
    name: str, *, patience: Patience | None = None, progress: Progress | None = None
) -> Text:
    """The known text of that name, or Shakespeare's works where it is not reachable; `said` tells which."""
    try:
        return load_text(name, patience=patience, progress=progress)
    except Unreachable as missing:
        if name == "shakespeare":
            raise
        other = load_text("shakespeare", patience=patience, progress=progress)
        said = f"{other.said} It stands in for {name}, which is not reachable from here ({missing.got})."
        return Text(other.name, other.characters, said)


@kinds
def read_text(path: Path | str) -> Text:
    """A text file of a person's own: UTF-8, with or without a byte-order mark."""
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RegardError(
            "the text cannot be read", f"{path}: {error.strerror}", "name a text file"
        ) from error
    return Text(path.name, _decode(content, path.name), f"The text is your own: {path.name}.")


def _decode(content: bytes, name: str) -> str:
    mark = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0
    try:
        characters = content[mark:].decode("utf-8")
    except UnicodeDecodeError as error:
        got = f"byte 0x{error.object[error.start]:02x} at position {mark + error.start} of {name}"
        raise RegardError("the text is not UTF-8", got, "save it as UTF-8") from error
    if not characters.strip():
        raise RegardError(
            "the text is empty",
            f"{len(content)} bytes in {name}, none but blanks",
            "name a text that has words",
        )
    return characters.replace("\r\n", "\n").replace("\r", "\n")
