"""Any of torch's optimisers for a plan: its class by name, its arguments, and others for some modules."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from regard.errors import RegardError, nearest

UNFIT = ("Optimizer", "LBFGS", "SparseAdam")
"The base class; one that computes the loss several times in a step; one for sparse gradients."
FIT = sorted(
    name
    for name, one in vars(torch.optim).items()
    if isinstance(one, type) and issubclass(one, torch.optim.Optimizer) and name not in UNFIT
)


@dataclass(frozen=True)
class TorchOptimiser:
    """An optimiser of torch.optim; its learning rate is that of the plan.

    >>> bias = {"weight_decay": 0.0}
    >>> chosen = TorchOptimiser("SGD", {"momentum": 0.9, "weight_decay": 0.1}, groups={"bias": bias})
    >>> built = chosen.build(dict(nn.Linear(2, 3).named_parameters()), 0.5)
    >>> [(len(group["params"]), group["weight_decay"], group["lr"]) for group in built.param_groups]
    [(1, 0.0, 0.5), (1, 0.1, 0.5)]
    """

    name: str
    "Its class in torch.optim: Adam, Adadelta, SGD."
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    "Its arguments, as JSON can hold them."
    groups: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    "Other arguments for the parameters of some modules, by the name of the module or parameter."

    def __post_init__(self) -> None:
        if self.name not in FIT:
            fix = nearest(self.name, FIT, f"one of {', '.join(FIT)}")
            raise RegardError("no optimiser of that name can be used here", repr(self.name), fix)
        try:
            json.dumps([self.options, self.groups])
        except TypeError as error:
            raise RegardError(
                "the arguments of an optimiser are kept in checkpoints, as JSON",
                f"{error}",
                "give numbers, words, lists and none",
            ) from error

    def build(self, named: Mapping[str, nn.Parameter], rate: float) -> torch.optim.Optimizer:
        """The optimiser of these parameters."""
        left, groups = dict(named), []
        for start, options in self.groups.items():
            mine = [left.pop(name) for name in list(left) if f"{name}.".startswith(f"{start}.")]
            if not mine:
                raise RegardError(
                    "an optimiser has a group without parameters",
                    f"none of {', '.join(left)} is in {start!r}",
                    "give the name of a module or parameter",
                )
            groups.append({"params": mine, **options})
        return getattr(torch.optim, self.name)(
            [*groups, {"params": list(left.values())}], lr=rate, **self.options
        )
