"""The files of the front end, in a table that is made once: no path of a request reaches the disk."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).with_name("static")
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".json": "application/json",
}
"Endings that are served, and what they are; no other file is."
INDEX = "/"


@dataclass(frozen=True)
class StaticFile:
    """A file of the front end, whole."""

    content: bytes
    kind: str
    tag: str
    "A hash by which a browser knows that it has this file already."


def static_files(folder: Path = FOLDER) -> Mapping[str, StaticFile]:
    """Every file of the front end by the path of its address; `index.html` is at '/'.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> _ = (place / "index.html").write_text("<p>"); _ = (place / "secret.py").write_text("")
    >>> list(static_files(place))
    ['/']
    """
    table = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix in KINDS:
            name = path.relative_to(folder).as_posix()
            content = path.read_bytes()
            found = StaticFile(content, KINDS[path.suffix], f'"{sha256(content).hexdigest()[:24]}"')
            table[INDEX if name == "index.html" else f"/{name}"] = found
    return table
