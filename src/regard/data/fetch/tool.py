"""Subprocess calls of pip and npm, which bring a file."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from regard.data.fetch.web import NotReached


def run_tool(name: str, command: Sequence[str], *, seconds: float, folder: Path | None = None) -> str:
    """What the program prints; its failure in a few words."""
    # A narrow terminal would break the lines that are read back.
    wide = {**os.environ, "COLUMNS": "500"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            cwd=folder,
            env=wide,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise NotReached(f"{name} took longer than {seconds:g} s") from error
    if done.returncode:
        raise NotReached(f"{name}: {_reason(done.stderr)}")
    return done.stdout


def _reason(stderr: str) -> str:
    """The first line that pip or npm marks as an error, else the last line."""
    marked = re.search(r"^(?:npm )?error:? +(\S.*)$", stderr, re.IGNORECASE | re.MULTILINE)
    last = (stderr.strip().splitlines() or ["nothing said"])[-1]
    return (marked[1] if marked else last).strip()[:200]
