"""The same command in one process and, under torchrun, in two: what each left behind."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from regard.lab.store.run import Run
from regard.lab.store.runs import Store

TWO = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")


def measured(run: Run, counts: Callable[[str], bool] = lambda name: True) -> list[tuple[str, float]]:
    """The figures of a run in their order, of those names that count."""
    return [(one.name, one.value) for one in run.measured if counts(one.name)]


def alone_and_together(place: Path, name: str, *settings: str) -> tuple[Run, Run]:
    """A run of an experiment by one process and by two, which leave one run and nothing beside it."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    words = ["-m", "regard", "run", name, *(word for pair in settings for word in ("--set", pair))]
    found = []
    for start in ((), TWO):
        here = place / f"by{len(start)}"
        here.mkdir()
        command = [sys.executable, *start, *words]
        done = subprocess.run(
            command, cwd=here, env=environment, timeout=200, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert [one.name for one in here.iterdir()] == ["runs"]
        (only,) = Store(here / "runs").runs()
        assert only.state == "finished"
        found.append(only)
    first, second = found
    assert {one.name for one in first.path.iterdir()} == {one.name for one in second.path.iterdir()}
    return first, second
