"""The index that pip is configured with: a real pip, and an archive that would do harm if it were built."""

import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from regard.data.fetch import pypi as index
from regard.data.fetch.origin import File
from regard.data.fetch.pypi import Sdist, Wheel, configured
from regard.data.fetch.web import NotReached, Patience

HARM = """
import pathlib, setuptools
pathlib.Path({marker!r}).touch()
setuptools.setup(name="tales", version="1")
"""


def make_sdist(path: Path, marker: Path) -> File:
    """A source archive whose build leaves a mark."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in (("setup.py", HARM.format(marker=str(marker))), ("tales.txt", "once")):
            member = tarfile.TarInfo(f"tales-1/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content.encode()))
    return of(path)


def make_wheel(path: Path) -> File:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tales/tales.txt", "once")
        tag = "-".join(path.stem.split("-")[-3:])
        archive.writestr(
            "tales-1.dist-info/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n"
        )
        # No Python alive: it is read, never installed.
        archive.writestr(
            "tales-1.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: tales\nVersion: 1\nRequires-Python: <3\n",
        )
        archive.writestr("tales-1.dist-info/RECORD", "")
    return of(path)


def of(path: Path) -> File:
    content = path.read_bytes()
    return File(path=path.name, sha256=hashlib.sha256(content).hexdigest(), size=len(content))


def make_index(folder: Path, page: str) -> str:
    """A local index with one page; the address pip would be given."""
    (folder / "simple" / "tales").mkdir(parents=True, exist_ok=True)
    (folder / "simple" / "tales" / "index.html").write_text(page)
    return (folder / "simple").as_uri()


def link(file: File, where: str = "../..") -> str:
    return f'<!DOCTYPE html><a href="{where}/{file.name}#sha256={file.sha256}">{file.name}</a>'


@pytest.fixture
def drop(tmp_path: Path) -> Path:
    folder = tmp_path / "drop"
    folder.mkdir()
    return folder


@pytest.mark.slow
def test_pip_says_which_indexes_it_asks(tmp_path: Path, unconfigured: pytest.MonkeyPatch) -> None:
    (tmp_path / "pip.ini").write_text(
        "[global]\nindex-url = http://first/simple\nextra-index-url =\n  http://second/simple\n  file:///third\n"
        "cert = /some.pem\n[install]\nindex-url = http://not-for-us/simple\n"
    )
    unconfigured.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.ini"))
    unconfigured.delenv("PIP_INDEX_URL")
    assert configured() == (("http://first/simple", "http://second/simple", "file:///third"), "/some.pem")
    unconfigured.setenv("PIP_INDEX_URL", "http://zeroth/simple")
    assert configured()[0][0] == "http://zeroth/simple"


@pytest.mark.slow
def test_without_a_setting_it_is_pips_own_index(unconfigured: pytest.MonkeyPatch) -> None:
    unconfigured.delenv("PIP_INDEX_URL")
    unconfigured.setenv("COLUMNS", "20")
    own = subprocess.run(
        [sys.executable, "-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert own.startswith("https://")
    assert configured() == ((own,), "")


@pytest.mark.slow
def test_no_index_means_none(
    tmp_path: Path, drop: Path, unconfigured: pytest.MonkeyPatch, haste: Patience
) -> None:
    unconfigured.setenv("PIP_NO_INDEX", "1")
    assert configured() == ((), "")
    file = make_sdist(tmp_path / "tales-1.tar.gz", tmp_path / "marker")
    with pytest.raises(NotReached, match=r"^pip is configured without an index$"):
        Sdist("tales").bring(file, drop, haste, None)


@pytest.mark.slow
def test_a_source_archive_comes_from_a_local_index_and_is_not_built(
    tmp_path: Path, drop: Path, unconfigured: pytest.MonkeyPatch, haste: Patience
) -> None:
    marker = tmp_path / "marker"
    file = make_sdist(tmp_path / "tales-1.tar.gz", marker)
    unconfigured.setenv("PIP_EXTRA_INDEX_URL", make_index(tmp_path, link(file)))
    assert file.is_at(Sdist("Tales").bring(file, drop, haste, None))
    assert not marker.exists()


@pytest.mark.slow
def test_the_trap_is_real(tmp_path: Path, unconfigured: pytest.MonkeyPatch) -> None:
    """Had pip been left to download that source archive, its code would have run."""
    pytest.importorskip("setuptools")
    marker = tmp_path / "marker"
    file = make_sdist(tmp_path / "tales-1.tar.gz", marker)
    unconfigured.setenv("PIP_INDEX_URL", make_index(tmp_path, link(file)))
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--no-build-isolation",
        "-d",
        str(tmp_path / "x"),
    ]
    subprocess.run([*command, "tales==1"], capture_output=True, check=False)
    assert marker.exists()


@pytest.mark.slow
def test_a_source_archive_comes_over_the_web_after_an_index_that_is_away(
    server: Any, tmp_path: Path, drop: Path, unconfigured: pytest.MonkeyPatch, haste: Patience
) -> None:
    file = make_sdist(tmp_path / "tales-1.tar.gz", tmp_path / "marker")
    body = (tmp_path / file.name).read_bytes()
    server.plan("/simple/the-tales/", server.send(link(file, "/files").encode()))
    server.plan(f"/files/{file.name}", server.send(body, upto=100), server.send(body))
    unconfigured.setenv("PIP_EXTRA_INDEX_URL", f"http://{server.host}/simple/")
    told: list[tuple[int, int]] = []
    brought = Sdist("The_Tales").bring(file, drop, haste, lambda *at: told.append(at))
    assert file.is_at(brought)
    assert told[-1] == (file.size, file.size)


@pytest.mark.slow
def test_each_index_that_misses_says_why(
    server: Any, tmp_path: Path, drop: Path, unconfigured: pytest.MonkeyPatch, haste: Patience
) -> None:
    file = make_sdist(tmp_path / "tales-1.tar.gz", tmp_path / "marker")
    server.plan("/simple/tales/", server.send(b"<a href='tales-2.tar.gz'>tales-2.tar.gz</a>"))
    local = make_index(tmp_path, link(replace(file, path="tales-9.tar.gz")))
    unconfigured.setenv("PIP_EXTRA_INDEX_URL", f"http://{server.host}/simple {local}")
    with pytest.raises(NotReached) as raised:
        Sdist("tales").bring(file, drop, haste, None)
    assert str(raised.value) == (
        f"no connection to 127.0.0.1:9; {server.host} has no tales-1.tar.gz; "
        "a local index has no tales-1.tar.gz"
    )


@pytest.mark.parametrize("local", [True, False])
def test_a_link_is_chosen_by_name_hash_and_place(
    server: Any, tmp_path: Path, haste: Patience, local: bool
) -> None:
    file = make_sdist(tmp_path / "tales-1.tar.gz", tmp_path / "marker")
    denied = link(replace(file, sha256="0" * 64), "/denied")
    inside = f'<a href="file:///inside/{file.name}">{file.name}</a>'
    other, plain = '<a>empty</a><a href="/other/tales-1.zip">x</a>', f'<a href="/plain/{file.name}">tales</a>'
    page = denied + other + inside + plain
    address = make_index(tmp_path, page) if local else f"http://{server.host}/simple"
    server.plan("/simple/tales/", server.send(page.encode()))
    chosen = index._choose(index.Remote(f"{address}/tales/", haste), file)
    wanted = f"file:///inside/{file.name}" if local else f"http://{server.host}/plain/{file.name}"
    assert chosen == wanted


@pytest.mark.slow
def test_a_local_index_that_lost_its_file_says_so(
    tmp_path: Path, drop: Path, unconfigured: pytest.MonkeyPatch, haste: Patience
) -> None:
    file = make_sdist(tmp_path / "tales-1.tar.gz", tmp_path / "marker")
    (tmp_path / file.name).unlink()
    unconfigured.setenv("PIP_INDEX_URL", make_index(tmp_path, link(file)))
    with pytest.raises(NotReached, match=r"^a local index names tales-1.tar.gz but does not have it$"):
        Sdist("tales").bring(file, drop, haste, None)


@pytest.mark.slow
@pytest.mark.parametrize("tag", ["py3-none-any", "cp37-cp37m-manylinux1_x86_64"])
def test_a_wheel_comes_through_pip_whatever_it_was_built_for(
    tmp_path: Path, drop: Path, unconfigured: pytest.MonkeyPatch, tag: str
) -> None:
    file = make_wheel(tmp_path / f"tales-1-{tag}.whl")
    unconfigured.setenv("PIP_INDEX_URL", make_index(tmp_path, link(file)))
    told: list[tuple[int, int]] = []
    brought = Wheel("tales==1").bring(file, drop, Patience(), lambda *at: told.append(at))
    assert file.is_at(brought)
    assert told == [(file.size, file.size)]


@pytest.mark.slow
def test_a_wheel_that_only_exists_as_source_is_not_built(
    tmp_path: Path, drop: Path, unconfigured: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "marker"
    file = make_sdist(tmp_path / "tales-1.tar.gz", marker)
    unconfigured.setenv("PIP_INDEX_URL", make_index(tmp_path, link(file)))
    with pytest.raises(NotReached) as raised:
        Wheel("tales==1").bring(replace(file, path="tales-1-py3-none-any.whl"), drop, Patience(), None)
    assert str(raised.value) == (
        "pip: Could not find a version that satisfies the requirement tales==1 (from versions: none)"
    )
    assert not marker.exists()


@pytest.mark.slow
def test_a_file_called_pip_in_the_current_folder_is_not_run(
    tmp_path: Path, unconfigured: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("open('ran', 'w')")
    unconfigured.chdir(tmp_path)
    assert configured() == (("http://127.0.0.1:9/simple",), "")
    assert not (tmp_path / "ran").exists()


def test_a_pip_without_words_about_its_index_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_pip", lambda *arguments, seconds: "")
    with pytest.raises(NotReached, match=r"^pip does not say which index it asks$"):
        configured()
