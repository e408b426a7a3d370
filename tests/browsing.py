"""Chromium without a window or any business of its own, and `regard serve` in a process and a folder of its own."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
Opened = Callable[..., Any]
"Opens a view in a page of its own: place, width, scheme, lab."
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Any]:
    """A running browser. Its driver runs an event loop in this thread: close it before `asyncio.run` is called.

    A fixture around it is of one module, so that no test of another one meets that loop.
    """
    reason = "what a browser must show is left out: no {}"
    api = pytest.importorskip(
        "playwright.sync_api", reason=reason.format("playwright; pip install playwright brings it")
    )
    named = [os.environ.get("REGARD_BROWSER", ""), *BROWSERS]
    program = next((found for name in named if name and (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(reason.format("Chromium; apt-get install chromium brings it, or REGARD_BROWSER names it"))
    with api.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=program, headless=True, args=FLAGS)
        try:
            yield running
        finally:
            running.close()


def axe_script() -> str:
    """The accessibility checker's own code, which a page is given past its policy."""
    file = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
    if not file.exists():
        pytest.skip("accessibility is left out: no axe-core; npm ci --prefix frontend brings it")
    return file.read_text(encoding="utf-8")


SERIOUS = ("serious", "critical")


def troubles(page: Any, impacts: tuple[str, ...] = SERIOUS) -> list[str]:
    """What axe finds in a page that has its script: the rule, where, and how to mend it."""
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{trouble['id']}: {node['target']} {node['failureSummary']}"
        for trouble in found["violations"]
        if trouble["impact"] in impacts
        for node in trouble["nodes"][:3]
    ]


@dataclass
class Lab:
    """`regard serve` in a process and a folder of its own."""

    folder: Path
    port: int = 0
    process: subprocess.Popen[str] = field(init=False)
    address: str = field(init=False)

    @property
    def variables(self) -> dict[str, str]:
        path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
        own = {"PYTHONPATH": path, "REGARD_RUNS": str(self.folder / "runs"), "OMP_NUM_THREADS": "1"}
        return {**os.environ, **own}

    def start(self) -> None:
        words = [sys.executable, "-m", "regard", "serve", "--no-open", "--port", str(self.port)]
        self.process = subprocess.Popen(
            words, cwd=self.folder, env=self.variables, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/\?token=\S+", line):
                self.address, self.port = found[0], int(found[1])
                return
        raise AssertionError("the server ended before it told its address")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        assert self.process.stdout
        self.process.stdout.close()

    @property
    def base(self) -> str:
        return self.address.split("?")[0]

    def command(self, *words: str) -> None:
        """Run `regard` in the lab's folder."""
        subprocess.run(
            [sys.executable, "-m", "regard", *words],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            check=False,
        )
