"""The built files are what the sources give, are small, parse no text as HTML, and name no registry."""

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from browsing import ROOT

FRONT = ROOT / "frontend"
STATIC = ROOT / "src" / "regard" / "web" / "static"
FILES = {"index.html", "app.js", "app.css", "views.js", "LICENSES.txt"}
PARSERS = r"\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser"


def sources() -> dict[str, str]:
    found = {path.relative_to(FRONT).as_posix(): path.read_text(encoding="utf-8") for path in sorted((FRONT / "src").rglob("*")) if path.is_file()}  # fmt: skip
    assert len(found) > 30, "no source was read"
    return found


def told(node: str) -> str:
    return subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout


def missing(version: str | None, tools: bool) -> str:
    """What a build lacks, and what brings it."""
    least = json.loads((FRONT / "package.json").read_text(encoding="utf-8"))["engines"]["node"].lstrip(">=")
    if version is None:
        return f"no node; Node.js {least} or newer brings it"
    numbers = [tuple(int(part) for part in re.findall(r"\d+", text)) for text in (version, least)]
    if numbers[0] < numbers[1]:
        return f"node is {version.strip()}; Node.js {least} or newer builds it"
    return "" if tools else "no node_modules; npm ci --prefix frontend brings them"


def test_what_a_build_lacks_is_told() -> None:
    assert missing(None, False) == "no node; Node.js 20.19 or newer brings it"
    assert missing("v18.20.4\n", True) == "node is v18.20.4; Node.js 20.19 or newer builds it"
    assert missing("v20.19.0\n", True) == "" == missing("v22.1.0", True)
    assert "npm ci" in missing("v24.0.0", False)


@pytest.mark.slow
def test_a_new_build_gives_the_same_bytes(tmp_path: Path) -> None:
    node, vite = shutil.which("node"), FRONT / "node_modules" / "vite" / "bin" / "vite.js"
    if lacking := missing(node and told(node), vite.exists()):
        pytest.skip(f"the front end is not built again: {lacking}")
    assert node is not None
    words = [node, str(vite), "build", "--outDir", str(tmp_path), "--logLevel", "error"]
    subprocess.run(words, cwd=FRONT, check=True, capture_output=True, text=True)
    assert {path.name for path in tmp_path.iterdir()} == FILES
    for name in sorted(FILES):
        same = (tmp_path / name).read_bytes() == (STATIC / name).read_bytes()
        assert same, f"{name} is not what its sources give: npm run build --prefix frontend"


def test_all_built_files_are_small() -> None:
    sizes = {name: len(gzip.compress((STATIC / name).read_bytes())) for name in FILES}
    assert sum(sizes.values()) < 300_000, sizes


def test_no_text_is_read_as_html() -> None:
    for name, text in sources().items():
        assert not re.search(PARSERS, text), name
        assert not re.search(r"\sstyle=\"", text), f"{name}: the policy forbids style attributes"
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\son\w+=", page), "nothing inline"


@pytest.mark.parametrize(
    "planted", ["{@html text}", "node.innerHTML = text", "eval(text)", "new Function(text)"]
)
def test_the_search_for_parsers_sees_one(planted: str) -> None:
    assert re.search(PARSERS, planted)


def test_no_registry_is_named() -> None:
    lock = json.loads((FRONT / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert len(packages) > 20
    assert not [name for name, one in packages.items() if "resolved" in one]
    assert all("integrity" in one for one in packages.values())


def test_every_package_in_the_bundle_has_its_licence() -> None:
    text = (STATIC / "LICENSES.txt").read_text(encoding="utf-8")
    for package in ("svelte", "uplot", "d3-force", "d3-hierarchy", "d3-shape"):
        assert re.search(rf"^{package} \d+\.\d+\.\d+$", text, re.MULTILINE), package
    assert "MIT" in text and "Mike Bostock" in text
