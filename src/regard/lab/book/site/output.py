"""The files of a book: written whole or not at all, and never over what the book did not write.

A manifest beside the pages has the digest of each file. Before files change it names the old digests and the
new ones, so that a crash in between leaves files which the next book still knows as its own.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

from regard.errors import RegardError
from regard.files import Damaged, Format, OtherFormat, explained, write

MANIFEST = "book.json"
FORMAT = Format("book", 1, "name another folder with --out", fields=("files",))
COVER, MARK, LOOK = "index.html", b"<title>The lab book", 2000
"How a book of earlier versions, which had no manifest, is known, and how many bytes are looked at."


def require_place(place: Path, paths: Iterable[str] = (COVER,)) -> None:
    """Refuse a place where a book would overwrite what is no book, or what was changed since."""
    if place.exists() and not place.is_dir():
        raise RegardError("a book is written into a folder", f"{place}, a file", "name a folder with --out")
    known = _known(place)
    for path in paths:
        file = place / path
        if file.exists() and not _is_ours(file, known.get(path, ())):
            raise RegardError(
                "this page is not a book of regard"
                if path not in known
                else "this page was changed since the book wrote it",
                str(file),
                "name another folder with --out, or move the page away",
            )


def write_book(place: Path, files: Mapping[str, bytes]) -> None:
    """Write what has changed; take away what an earlier book wrote and this one has not."""
    require_place(place, files)
    known = _known(place)
    new = {path: [_digest(content)] for path, content in files.items()}
    with explained(place):
        for folder in {(place / path).parent for path in files}:
            folder.mkdir(parents=True, exist_ok=True)
    both = {path: sorted({*known.get(path, ()), *new.get(path, ())}) for path in {*known, *new}}
    write(place / MANIFEST, FORMAT.page({"files": both}))
    for path, content in files.items():
        if not (place / path).exists() or _digest((place / path).read_bytes()) != new[path][0]:
            write(place / path, content)
    for path in known.keys() - new.keys():
        _remove(place, path, known[path])
    write(place / MANIFEST, FORMAT.page({"files": new}))


def _remove(place: Path, path: str, digests: Iterable[str]) -> None:
    """Take away a file that an earlier book wrote, if it is as it was, and folders that are then empty."""
    file = place / path
    if file.is_file() and _is_ours(file, digests):
        with explained(file):
            file.unlink()
            for folder in file.relative_to(place).parents:
                if folder != Path() and not any((place / folder).iterdir()):
                    (place / folder).rmdir()


def _known(place: Path) -> dict[str, list[str]]:
    """The digests of each file that an earlier book wrote; none without a manifest that can be read."""
    if not (place / MANIFEST).exists():
        return {}
    try:
        files = FORMAT.read(place / MANIFEST)["files"]
    except (Damaged, OtherFormat):
        return {}
    # A path that leads out of the folder was not written by a book.
    return {
        path: digests
        for path, digests in files.items()
        if (place / path).resolve().is_relative_to(place.resolve())
    }


def _is_ours(file: Path, digests: Iterable[str]) -> bool:
    content = file.read_bytes() if file.is_file() else b""
    return _digest(content) in digests or (file.name == COVER and not digests and MARK in content[:LOOK])


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
