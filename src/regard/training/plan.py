"""Plan of a training (hyperparameters): all of it that is neither the model nor the data."""

from dataclasses import dataclass
from typing import Literal

from regard.arguments import MOST, check_fields
from regard.errors import RegardError
from regard.training.schedule import Schedule, factor
from regard.training.stopping import EarlyStopping
from regard.training.torch_optimiser import TorchOptimiser


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Steps, optimiser, schedule and precision of a training.

    >>> plan = Plan(steps=100, learning_rate=0.01, warmup=0.1)
    >>> plan.factor(0.05), plan.factor(1.0)
    (0.5, 0.0)
    """

    steps: int = 1000
    "Steps to make, unless the time ends first."
    optimiser: Literal["adamw", "muon"] | TorchOptimiser = "adamw"
    "Muon moves the weights of linear and convolution layers, AdamW all else; or one optimiser everything."
    learning_rate: float = 3e-3
    "Highest learning rate, but for what Muon moves."
    matrix_learning_rate: float = 0.02
    "Highest learning rate of Muon."
    exclude: tuple[str, ...] = ("head",)
    "Modules, by the last word of their name, whose weights Muon leaves to AdamW."
    betas: tuple[float, float] = (0.9, 0.95)
    "How much AdamW remembers of the gradient and of its square."
    momentum: float = 0.95
    "How much Muon remembers of the gradient."
    weight_decay: float = 0.0
    "Weight decay of AdamW and Muon, of all that has two axes or more, times the learning rate."
    schedule: Schedule = "linear"
    "How the learning rate comes down."
    warmup: float = 0.02
    "Share of the training in which the learning rate rises."
    floor: float = 0.0
    "The share of the learning rate that is left at the end."
    clip: float | None = 1.0
    "Largest norm of the gradient; none leaves it as it is."
    accumulate: int = 1
    "Batches whose gradients are averaged for one step."
    early_stopping: EarlyStopping | None = None
    "When it ends by the figure of its validation; none makes all steps."
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    "What the model computes in: auto is bfloat16 on a GPU that has it, float32 elsewhere."
    sharded: bool | None = None
    "Whether each process holds a part of the model only (FSDP2); none: where it would not fit otherwise."
    seed: int = 0
    "Where the random numbers of its steps start."

    def __post_init__(self) -> None:
        check_fields(self)
        low, high = self.betas
        for fine, got, fix in (
            (self.steps >= 1, f"steps={self.steps}", "make at least one step"),
            (self.learning_rate > 0, f"learning_rate={self.learning_rate}", "a learning rate is above 0"),
            (
                self.matrix_learning_rate > 0,
                f"matrix_learning_rate={self.matrix_learning_rate}",
                "a learning rate is above 0",
            ),
            (0 <= low < 1 and 0 <= high < 1, f"betas={self.betas}", "both lie from 0 to below 1"),
            (0 <= self.momentum < 1, f"momentum={self.momentum}", "it lies from 0 to below 1"),
            (self.weight_decay >= 0, f"weight_decay={self.weight_decay}", "weight decay is 0 or more"),
            (0 <= self.warmup < 1, f"warmup={self.warmup}", "give the share of the steps, from 0 to below 1"),
            (0 <= self.floor <= 1, f"floor={self.floor}", "give a share of the learning rate, from 0 to 1"),
            (self.clip is None or self.clip > 0, f"clip={self.clip}", "a norm above 0, or none"),
            (1 <= self.accumulate <= MOST, f"accumulate={self.accumulate}", "average at least one batch"),
            (0 <= self.seed < 2**63, f"seed={self.seed}", "give a whole number from 0 to 2**63 - 1"),
        ):
            if not fine:
                raise RegardError("the plan of the training does not hold", got, fix)

    def factor(self, progress: float) -> float:
        """What both learning rates are multiplied by at this progress."""
        return factor(progress, schedule=self.schedule, warmup=self.warmup, floor=self.floor)


PLAIN = Plan(schedule="constant", warmup=0.0, clip=None, precision="float32")
"A plan that leaves learning rate, gradient and precision as they are."
