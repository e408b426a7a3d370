"""Where a run happened: versions, machine, commit."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("regard", "torch", "numpy", "matplotlib")


def environment() -> dict[str, Any]:
    """What one needs to know to judge a number later."""
    import torch

    return {
        **{name: _version(name) for name in PACKAGES},
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "accelerator": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "commit": commit(),
    }


def commit() -> str | None:
    """The commit of the code that runs, marked '+' where files differ from it; None outside a checkout."""
    root = Path(__file__).parents[4]
    if not (root / ".git").exists():
        return None
    try:
        head = _git(root, "rev-parse", "--short=12", "HEAD")
        return head + ("+" if _git(root, "status", "--porcelain", "--", "src") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(root: Path, *words: str) -> str:
    answer = subprocess.run(
        ["git", "-C", str(root), *words], capture_output=True, text=True, timeout=10, check=True
    )
    return answer.stdout.strip()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
