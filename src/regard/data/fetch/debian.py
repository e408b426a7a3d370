"""Debian packages as an origin of data: brought by the machine's own apt, opened here, never installed."""

import io
import lzma
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from regard.data.fetch.origin import File
from regard.data.fetch.tool import run_tool
from regard.data.fetch.web import NotReached, Patience, Progress
from regard.errors import RegardError

SIGN = b"!<arch>\n"
"How an archive of this kind begins."
HEAD = 60
"Bytes that stand before each member: its name in 16, its length as ten digits from the 48th on."


@dataclass(frozen=True)
class Apt:
    """A package from the archive that apt is configured with.

    >>> Apt("dataset-fashion-mnist", "0.0").said
    'apt: dataset-fashion-mnist=0.0'
    """

    package: str
    "The package."
    version: str
    "Its version."

    @property
    def said(self) -> str:
        """The package and its version, as apt names them."""
        return f"apt: {self.package}={self.version}"

    def bring(self, file: File, folder: Path, patience: Patience, progress: Progress | None) -> Path:
        """Put the package into the folder; apt installs nothing."""
        apt = shutil.which("apt-get")
        if apt is None:
            raise NotReached(f"{self.said} needs apt-get, which is not here")
        command = [apt, "download", "-q", f"{self.package}={self.version}"]
        run_tool("apt-get", command, seconds=patience.whole, folder=folder)
        if progress:
            progress(file.size, file.size)
        return folder / file.name


def read_deb(path: Path, folder: str) -> dict[str, bytes]:
    """The files that a package would put below a folder, by their last names.

    A package is a row of members; the one called data.tar.xz holds the files.
    """
    content = path.read_bytes()
    place = len(SIGN) if content.startswith(SIGN) else len(content)
    while place + HEAD <= len(content):
        head = content[place : place + HEAD]
        name, length = head[:16].decode("latin-1").strip(" /"), head[48:58].strip()
        if not length.isdigit():
            break
        place += HEAD
        if name == "data.tar.xz":
            return _files(path, content[place : place + int(length)], folder)
        # Members begin at even places.
        place += int(length) + int(length) % 2
    raise _unread(path, "no member called data.tar.xz")


def _files(path: Path, packed: bytes, folder: str) -> dict[str, bytes]:
    found = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(lzma.decompress(packed))) as archive:
            for member in archive:
                if member.isreg() and Path(member.name).parent == Path(folder):
                    file = archive.extractfile(member)
                    assert file is not None, "a regular member has content"
                    found[Path(member.name).name] = file.read()
    except (lzma.LZMAError, tarfile.TarError, EOFError) as error:
        raise _unread(path, f"{type(error).__name__}: {error}") from error
    return found


def _unread(path: Path, got: str) -> RegardError:
    return RegardError(f"{path.name} cannot be read as a Debian package", got, "remove it and fetch it again")
