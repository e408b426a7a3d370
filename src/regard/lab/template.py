"""An experiment of one's own to begin with (template): a file of twenty lines that runs, fails and passes."""

import re
from pathlib import Path

from regard import files
from regard.errors import RegardError

TEMPLATE = '''"""How often does a fair coin land heads?   regard run {file}"""
from dataclasses import dataclass
import torch
from regard.lab import Claim, Experiment, Metric

@dataclass(frozen=True)
class Settings:
    tosses: int = 10
    "How often the coin is tossed: ten tosses are too few, --set tosses=10000 is enough."

def run(settings, context):
    heads = torch.randint(2, (settings.tosses,))  # the run's seed makes this the same each time
    yield Metric("share of heads", heads.float().mean())

claim = Claim("share of heads", low=0.47, high=0.53, why="half of many tosses")
EXPERIMENT = Experiment(
    question="How often heads?",
    claims=(claim,), presets={{"quick": Settings()}},
    run=run,
)
'''
ENOUGH = "tosses=10000"
"The setting with which the claim of the template holds."


def start_experiment(name: str, folder: Path = Path()) -> Path:
    """Write an experiment to begin with; what is there already is never overwritten.

    >>> import tempfile
    >>> start_experiment("my-coin", Path(tempfile.mkdtemp())).name
    'my_coin.py'
    """
    if not re.fullmatch(r"[A-Za-z][\w-]{0,63}", name):
        raise RegardError(
            "an experiment is called by letters, digits and dashes", f"'{name}'", "such as my-experiment"
        )
    path = Path(folder) / f"{name.replace('-', '_')}.py"
    if path.exists():
        raise RegardError(
            "a file of that name is there already", str(path), "move it away, or choose another name"
        )
    if not path.parent.is_dir():
        raise RegardError("there is no such folder", str(path.parent), "make it first")
    files.write(path, TEMPLATE.format(file=path.name))
    return path
