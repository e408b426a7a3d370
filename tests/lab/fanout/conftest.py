"""An experiment in a file of its own, one run of which kills its worker once."""

from pathlib import Path

import pytest

COIN = """
import os, random, signal
from dataclasses import dataclass
from pathlib import Path
from regard.claims import Claim
from regard.lab.events import Metric
from regard.lab.experiment import Experiment

@dataclass(frozen=True)
class Settings:
    tosses: int = 1000
    "How many."
    killed: str = ""
    "A folder; while it is not there, the run of seed 2 makes it and kills its worker."

def run(settings, context):
    if settings.killed and context.seed == 2 and not Path(settings.killed).exists():
        Path(settings.killed).mkdir()
        os.kill(os.getpid(), signal.SIGKILL)
    if context.seed == 7:
        raise ValueError("seven is bad luck")
    heads = sum(random.random() < 0.5 for _ in range(settings.tosses))
    yield Metric("share of heads", heads / settings.tosses)
    print("printed by an experiment")

claim = Claim("share of heads", low=0.47, high=0.53, why="half of many tosses")
EXPERIMENT = Experiment(question="How often heads?", claims=(claim,), presets={"quick": Settings()}, run=run)
"""


@pytest.fixture
def coin(tmp_path: Path) -> Path:
    path = tmp_path / "coin.py"
    path.write_text(COIN)
    return path
