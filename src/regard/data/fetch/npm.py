"""npm packages as an origin of data; no script of a package runs."""

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from regard.data.fetch.origin import File, download
from regard.data.fetch.tool import run_tool
from regard.data.fetch.web import NotReached, Patience, Progress, Remote


@dataclass(frozen=True)
class Npm:
    """A package's archive: packed by npm where there is one, else from the registry that its settings name.

    >>> Npm("world-atlas", "2.0.2").said
    'npm: world-atlas@2.0.2'
    """

    package: str
    "The package."
    version: str
    "Its version."

    @property
    def said(self) -> str:
        """The package and its version, as npm names them."""
        return f"npm: {self.package}@{self.version}"

    def bring(self, file: File, folder: Path, patience: Patience, progress: Progress | None) -> Path:
        """Put the package's archive into the folder."""
        if npm := shutil.which("npm"):
            return self._pack(npm, file, folder, patience, progress)
        name = f"{self.package}/-/{self.package.rpartition('/')[2]}-{self.version}.tgz"
        return download(Remote(f"{_registry(os.environ)}/{name}", patience), file, folder, progress)

    def _pack(
        self, npm: str, file: File, folder: Path, patience: Patience, progress: Progress | None
    ) -> Path:
        options = ["--ignore-scripts", "--loglevel=error", "--fetch-retries=1"]
        # npm would take a folder of that name in the current one for the package: it works in the empty one.
        run_tool(
            "npm",
            [npm, "pack", *options, f"{self.package}@{self.version}"],
            seconds=patience.whole,
            folder=folder,
        )
        if progress:
            progress(file.size, file.size)
        return folder / file.name


def _registry(environment: Mapping[str, str]) -> str:
    """The registry that npm's own settings name."""
    named = next((value for name, value in environment.items() if name.lower() == "npm_config_registry"), "")
    settings = Path(environment.get("NPM_CONFIG_USERCONFIG") or Path.home() / ".npmrc")
    if not named and settings.is_file():
        found = re.search(r"^\s*registry\s*=\s*(\S+)", settings.read_text(errors="replace"), re.MULTILINE)
        named = found[1] if found else ""
    if not named:
        raise NotReached("npm is not installed, and no setting names its registry")
    return named.rstrip("/")
