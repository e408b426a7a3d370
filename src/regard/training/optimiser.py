"""Optimisers: AdamW or another of torch's, and Muon for the matrices, with their state as named tensors."""

from collections.abc import Collection, Mapping

import torch
from torch import Tensor, nn

from regard.shapes import Float
from regard.training.muon import orthogonal
from regard.training.plan import Plan
from regard.training.sharded.layout import local, own_rows, put, rows_like, whole
from regard.training.torch_optimiser import TorchOptimiser

LAYERS = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)


def matrices(model: nn.Module, exclude: tuple[str, ...]) -> dict[str, nn.Parameter]:
    """The weights that Muon moves: those of linear and convolution layers that no embedding shares.

    >>> model = nn.ModuleDict({"token": nn.Embedding(5, 3), "mix": nn.Linear(3, 3), "head": nn.Linear(3, 5)})
    >>> list(matrices(model, exclude=("head",)))
    ['mix.weight']
    """
    modules = dict(model.named_modules())
    shared = {id(one.weight) for one in modules.values() if isinstance(one, nn.Embedding)}
    chosen = {
        id(one.weight)
        for name, one in modules.items()
        if isinstance(one, LAYERS) and name.rsplit(".", 1)[-1] not in exclude
    }
    return {
        name: one
        for name, one in model.named_parameters()
        if id(one) in chosen - shared and one.requires_grad
    }


class Muon:
    """Moves each matrix by the orthogonal factor of its momentum; matrices of one shape go together.

        M ← μ M + (1 − μ) G        W ← (1 − η λ) W − η √max(1, rows / columns) polar((1 − μ) G + μ M)

    On a CPU it computes in the matrix's own precision; on a GPU the polar factor is found in bfloat16.
    Of sharded matrices it remembers the rows that are here; for the polar factor all rows are gathered.
    """

    def __init__(self, named: Mapping[str, nn.Parameter], *, momentum: float, weight_decay: float) -> None:
        self.momentum, self.weight_decay = momentum, weight_decay
        alike: dict[tuple[int, int], list[str]] = {}
        for name, one in named.items():
            alike.setdefault((len(one), one[0].numel()), []).append(name)
        self.names = list(alike.values())
        self.groups = [[named[name] for name in names] for names in self.names]
        self.memories = [
            torch.stack([torch.zeros_like(local(one)).flatten(1) for one in group]) for group in self.groups
        ]

    @torch.no_grad()
    def step(self, rate: float | Tensor, fine: Tensor | None = None) -> None:
        """Move every matrix by its gradient, if all is fine; one without a gradient counts as flat."""
        if fine is not None:
            rate = rate * fine
        for group, memory in zip(self.groups, self.memories, strict=True):
            flat = [torch.zeros_like(one) if one.grad is None else one.grad for one in group]
            first, flat, group = group[0], [local(one) for one in flat], [local(one) for one in group]
            gradients = torch.stack([one.flatten(1) for one in flat])
            if fine is not None:
                gradients = torch.where(fine, gradients, memory)
            memory.lerp_(gradients, 1 - self.momentum)
            momenta = whole(rows_like(gradients.lerp_(memory, self.momentum), first, axis=1))
            move = own_rows(direction(momenta), first, axis=1)
            stretch = max(1.0, momenta.shape[-2] / momenta.shape[-1]) ** 0.5
            if isinstance(rate, Tensor):
                torch._foreach_mul_(group, 1 - rate * self.weight_decay)  # type: ignore[attr-defined]
                parts = [
                    part.view_as(one)
                    for one, part in zip(group, (move * (rate * stretch)).unbind(), strict=True)
                ]
                torch._foreach_sub_(group, parts)  # type: ignore[attr-defined]
                continue
            for one, part in zip(group, move.unbind(), strict=True):
                one.mul_(1 - rate * self.weight_decay).add_(part.view_as(one), alpha=-rate * stretch)

    def tensors(self) -> dict[str, Tensor]:
        """The momentum of each matrix; writing into one changes it."""
        return {
            f"muon.{name}": rows_like(part, one)
            for names, group, memory in zip(self.names, self.groups, self.memories, strict=True)
            for name, one, part in zip(names, group, memory.unbind(), strict=True)
        }


def direction(momenta: Float[Tensor, "b n m"]) -> Float[Tensor, "b n m"]:
    """The orthogonal factor of each, in bfloat16 where that is quick."""
    if momenta.is_cuda:
        return orthogonal(momenta.bfloat16()).to(momenta.dtype)
    return orthogonal(momenta).contiguous()


class Optimiser:
    """Everything that moves a model under a plan."""

    def __init__(self, model: nn.Module, plan: Plan) -> None:
        self.named = {name: one for name, one in model.named_parameters() if one.requires_grad}
        chosen = matrices(model, plan.exclude) if plan.optimiser == "muon" else {}
        self.muon = Muon(chosen, momentum=plan.momentum, weight_decay=plan.weight_decay)
        self.matrix_rate = plan.matrix_learning_rate
        self.others = {name: one for name, one in self.named.items() if name not in chosen}
        if isinstance(plan.optimiser, TorchOptimiser):
            self.kind, self.wrapped = (
                plan.optimiser.name,
                plan.optimiser.build(self.others, plan.learning_rate),
            )
        else:
            self.kind, self.wrapped = "adamw", adamw(self.others.values(), plan)
        self.rates = [group["lr"] for group in self.wrapped.param_groups]
        self.matrix_now: float | Tensor = self.matrix_rate

    def step(self, factor: float) -> None:
        """Move every parameter by its gradient, at the highest learning rates times `factor`."""
        self.set_rates(factor)
        self.move()

    def set_rates(self, factor: float) -> None:
        """Take the highest learning rates times `factor`."""
        for group, rate in zip(self.wrapped.param_groups, self.rates, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate * factor)
            else:
                group["lr"] = rate * factor
        if isinstance(self.matrix_now, Tensor):
            self.matrix_now.fill_(self.matrix_rate * factor)
        else:
            self.matrix_now = self.matrix_rate * factor

    def move(self, fine: Tensor | None = None) -> None:
        """Move every parameter by its gradient; where told, only if all is fine, of which a GPU knows."""
        # Fused AdamW makes no step where it is told that it found an infinity.
        self.wrapped.found_inf = None if fine is None else (~fine).float()  # type: ignore[attr-defined]
        self.wrapped.step()
        self.muon.step(self.matrix_now, fine)

    def hold_rates(self) -> None:
        """Keep the learning rates in tensors beside the parameters, so that a captured move can read them."""
        device = next(iter(self.named.values())).device
        for group in self.wrapped.param_groups:
            group["lr"], group["capturable"] = torch.zeros((), device=device), True
        self.matrix_now = torch.zeros((), device=device)

    def tensors(self) -> dict[str, Tensor]:
        """All that it remembers; a parameter that never had a gradient has nothing to remember."""
        return self.muon.tensors() | {
            f"{self.kind}.{name}.{slot}": value
            for name, one in self.others.items()
            for slot, value in sorted(self.wrapped.state[one].items())
        }

    def blank(self, outline: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Room for what `tensors` gave of these shapes and types, laid out as the parameters are."""
        live = self.muon.tensors()
        found = {}
        for key, one in outline.items():
            like = live.get(key, self.others.get(key.removeprefix(f"{self.kind}.").rpartition(".")[0]))
            found[key] = (
                torch.empty_like(one, device="cpu")
                if like is None or like.shape != one.shape
                else torch.empty_like(like, dtype=one.dtype)
            )
        return found

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Remember what `tensors` gave."""
        for name, one in self.muon.tensors().items():
            put(tensors[name], one)
        names = {id(one): name for name, one in self.others.items()}
        order = (names[id(one)] for group in self.wrapped.param_groups for one in group["params"])
        # A name may begin another: 'a' and 'a.b'. What is before the last dot of a key is the whole name.
        memory: dict[str, dict[str, Tensor]] = {}
        for key, value in tensors.items():
            name, slot = key.rsplit(".", 1)
            memory.setdefault(name, {})[slot] = value.clone()
        found = {at: memory.get(f"{self.kind}.{name}", {}) for at, name in enumerate(order)}
        # torch knows on which device each of them belongs.
        self.wrapped.load_state_dict(self.wrapped.state_dict() | {"state": found})


def adamw(parameters: Collection[nn.Parameter], plan: Plan) -> torch.optim.AdamW:
    """AdamW, with weight decay of what has two axes or more."""
    groups = [
        {"params": [one for one in parameters if one.ndim >= 2], "weight_decay": plan.weight_decay},
        {"params": [one for one in parameters if one.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=plan.learning_rate, betas=plan.betas, fused=True)
