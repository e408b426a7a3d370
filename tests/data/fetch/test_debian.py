"""A package of Debian is opened without being installed; what is damaged is named."""

import io
import lzma
import os
import tarfile
from pathlib import Path

import pytest

from regard.data.fetch.debian import Apt, read_deb
from regard.data.fetch.origin import File
from regard.data.fetch.web import NotReached, Patience
from regard.errors import RegardError


def member(name: str, content: bytes) -> bytes:
    head = name.encode().ljust(48) + str(len(content)).encode().ljust(10) + b"`\n"
    return head + content + b"\n" * (len(content) % 2)


def data(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as archive:
        for name, content in files.items():
            one = tarfile.TarInfo(name)
            one.size = len(content)
            archive.addfile(one, io.BytesIO(content))
    return packed.getvalue()


def test_the_files_of_one_folder_are_read(tmp_path: Path) -> None:
    files = {"./usr/share/set/a.gz": b"one", "./usr/share/set/b.gz": b"two", "./usr/share/doc/a.gz": b"else"}
    parts = (
        member("debian-binary", b"2.0"),
        member("control.tar.xz", b"12345"),
        member("data.tar.xz", data(files)),
    )
    (tmp_path / "set.deb").write_bytes(b"!<arch>\n" + b"".join(parts))
    assert read_deb(tmp_path / "set.deb", "usr/share/set") == {"a.gz": b"one", "b.gz": b"two"}


@pytest.mark.parametrize(
    ("content", "got"),
    [
        (b"", "no member called data.tar.xz"),
        (b"!<arch>\n" + member("debian-binary", b"2.0"), "no member called data.tar.xz"),
        (b"!<arch>\n" + b"data.tar.xz".ljust(48) + b"many      `\n", "no member called data.tar.xz"),
        (b"!<arch>\n" + member("data.tar.xz", b"junk"), "LZMAError: Input format not supported by decoder"),
        (b"!<arch>\n" + member("data.tar.xz", lzma.compress(b"junk")), "ReadError: file could not be opened successfully"),
    ],
)  # fmt: skip
def test_a_damaged_package_is_named(tmp_path: Path, content: bytes, got: str) -> None:
    (tmp_path / "set.deb").write_bytes(content)
    with pytest.raises(RegardError) as raised:
        read_deb(tmp_path / "set.deb", "usr/share/set")
    assert str(raised.value).startswith(f"set.deb cannot be read as a Debian package\n  got: {got}")
    assert str(raised.value).endswith("\n  fix: remove it and fetch it again")


FILE = File(path="tales_1.0_all.deb", sha256="0" * 64, size=4)


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands in for apt-get")
def test_apt_is_asked_for_the_version_and_its_file_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "drop").mkdir()
    (tmp_path / "bin" / "apt-get").write_text('#!/bin/sh\nprintf "%s" "$*" > tales_1.0_all.deb\n')
    (tmp_path / "bin" / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    told: list[tuple[int, int]] = []
    brought = Apt("tales", "1.0").bring(FILE, tmp_path / "drop", Patience(), lambda *at: told.append(at))
    assert brought.read_text() == "download -q tales=1.0" and told == [(4, 4)]


def test_a_machine_without_apt_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotReached, match=r"^apt: tales=1\.0 needs apt-get, which is not here$"):
        Apt("tales", "1.0").bring(FILE, tmp_path, Patience(), None)
