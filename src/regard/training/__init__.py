"""Training: the loop that yields steps, what it makes small, what moves the parameters, and checkpoints."""

from regard.training.checkpoint import Checkpoints
from regard.training.compiled import compile_if_faster
from regard.training.device import find_device
from regard.training.loop import Step, Training
from regard.training.objective import cross_entropy, evaluate, mean_squared_error
from regard.training.parallel import ALONE, ProcessGroup, distributed, is_main
from regard.training.plan import PLAIN, Plan
from regard.training.resume import checkpointed, resume, save
from regard.training.rng import fork_rng
from regard.training.state import TrainingState
from regard.training.stopping import EarlyStopping
from regard.training.torch_optimiser import TorchOptimiser

__all__ = [
    "ALONE",
    "PLAIN",
    "Checkpoints",
    "EarlyStopping",
    "Plan",
    "ProcessGroup",
    "Step",
    "TorchOptimiser",
    "Training",
    "TrainingState",
    "checkpointed",
    "compile_if_faster",
    "cross_entropy",
    "distributed",
    "evaluate",
    "find_device",
    "fork_rng",
    "is_main",
    "mean_squared_error",
    "resume",
    "save",
]
