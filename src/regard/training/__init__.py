"""Training: the loop that yields steps, what it makes small, what moves the parameters, and checkpoints."""

from regard.training.checkpoint import Checkpoints
from regard.training.compiled import quickest
from regard.training.device import find_device
from regard.training.loop import Step, Training
from regard.training.objective import cross_entropy, held_out, mean_square
from regard.training.parallel import ALONE, Group, joined, leads
from regard.training.plan import Plan
from regard.training.resume import kept, resume
from regard.training.rng import aside
from regard.training.state import State

__all__ = [
    "ALONE",
    "Checkpoints",
    "Group",
    "Plan",
    "State",
    "Step",
    "Training",
    "aside",
    "cross_entropy",
    "find_device",
    "held_out",
    "joined",
    "kept",
    "leads",
    "mean_square",
    "quickest",
    "resume",
]
