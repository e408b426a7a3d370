"""Several texts: files, packed files, folders of them and known names, as one list of sources."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.data.sets.stream import stream_text
from regard.data.sets.text import TEXTS, Text, load_text, read_text
from regard.errors import RegardError, nearest


@dataclass(frozen=True)
class TextSources:
    """Where texts are to be read, and what was found beside them."""

    sources: tuple[str, ...]
    "Files by their whole path, or names of known texts."
    passed: tuple[str, ...] = ()
    "Files in folders that are no texts, and were passed over."


def find_texts(names: Sequence[str]) -> TextSources:
    """The texts that some names stand for: a file, a folder of files, or a known text.

    A file that is named must be a text. In a folder, and in the folders in it, files that are none are passed
    over, and so are hidden ones.
    """
    if not names:
        raise RegardError("there is no text", "no name", "name a text file, or a folder of them")
    sources: list[str] = []
    passed: list[str] = []
    for name in names:
        found, left = _meant(name)
        sources += found
        passed += left
    for place, source in enumerate(sources):
        if source in sources[:place]:
            raise RegardError("a text is named twice", f"'{source}'", "name it once")
    return TextSources(tuple(sources), tuple(passed))


def load_texts(sources: Sequence[str]) -> list[Text]:
    """The texts of some sources, each whole."""
    return [load_text(one) if one in TEXTS else read_text(one) for one in sources]


def _meant(name: str) -> tuple[list[str], list[str]]:
    path = Path(name)
    if name and path.is_dir():
        return _inside(path)
    if name and path.is_file():
        return [str(path.resolve())], []
    if name in TEXTS:
        return [name], []
    fix = nearest(name.replace("_", "-"), TEXTS, "name a text file, a folder of them, or a known text")
    raise RegardError("no such text", f"'{name}'", fix)


def _inside(folder: Path) -> tuple[list[str], list[str]]:
    texts: list[str] = []
    passed: list[str] = []
    for file in _files(folder):
        try:
            for _ in stream_text(file):
                pass
            texts.append(str(file.resolve()))
        except RegardError:
            passed.append(str(file.relative_to(folder)))
    if not texts:
        files = f"{len(passed)} file that is" if len(passed) == 1 else f"{len(passed)} files that are"
        got = f"'{folder}' with {files} none"
        raise RegardError("no text in that folder", got, "name a folder that holds texts in UTF-8")
    return texts, passed


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path
