"""Two real processes, started once for all tests of sharding."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import regard

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def two(tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    """The folder in which two processes have saved their trainings, and what they found."""
    place = tmp_path_factory.mktemp("two")
    source = str(Path(regard.__file__).parents[1])
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(HERE / "worker.py")]
    done = subprocess.run(
        [sys.executable, *words, str(place)],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": source},
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert "Warning" not in done.stderr, done.stderr
    return place, json.loads((place / "result.json").read_text())


@pytest.fixture(scope="session")
def worker():
    """The module that the processes run, to make the same trainings here."""
    found = importlib.util.spec_from_file_location("worker", HERE / "worker.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module
