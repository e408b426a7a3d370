"""The training loop: iterate a `Training` for its steps; between two it can be saved and restored exactly."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import inf, isfinite
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grads_with_norm_
from torch.utils._pytree import tree_map_only

import regard.training.nonfinite as nonfinite
import regard.training.rng as rng
from regard.errors import RegardError
from regard.training.budget import Budget
from regard.training.objective import Objective
from regard.training.optimiser import Optimiser
from regard.training.parallel import ALONE, ProcessGroup
from regard.training.plan import Plan
from regard.training.precision import autocast
from regard.training.schedule import Course
from regard.training.state import TrainingState
from regard.training.stopping import Best, Validation

Batches = Callable[[int], Any]
"Batch number i: the same whenever it is asked for, so that going on needs one integer."


@dataclass(frozen=True)
class Step:
    """What a step did."""

    step: int
    "How many steps lie behind, this one counted."
    loss: float
    "The loss before it, averaged over its batches."
    learning_rate: float
    "Its learning rate; that of Muon is in proportion."
    norm: float
    "The norm of the gradient, before it was clipped."
    seconds: float
    "How long it took, validation not counted."
    validation: Sequence[Any] | None = None
    "What the validation said after it, where one was due."


class Training:
    """A model on its way to a small loss. It yields a `Step` after each step, and has no callbacks.

    Step k of a plan that accumulates a batches, on the r-th of w processes, takes the batches (k a + i) w + r
    with i < a: two batches of 8, or two processes with 8 each, are one batch of 16. All that is random in it
    follows from the plan's seed, k and r: what is done between two steps cannot change those that come.

    Where the plan has early stopping, `validation` is asked after every so many steps, in eval mode and
    without gradients; at its end the model has the parameters of the lowest figure, and `best` says which.

    >>> model, batches = nn.Linear(1, 1), lambda index: (torch.ones(2, 1), torch.ones(2, 1))
    >>> from regard.training.objective import mean_squared_error
    >>> steps = list(Training(model, batches, mean_squared_error, Plan(steps=50, learning_rate=0.1)))
    >>> steps[-1].step, steps[-1].loss < steps[0].loss
    (50, True)
    """

    def __init__(
        self,
        model: nn.Module,
        batches: Batches,
        objective: Objective,
        plan: Plan,
        *,
        validation: Validation | None = None,
        seconds: float = inf,
        group: ProcessGroup = ALONE,
    ) -> None:
        """`seconds` from now it will have ended: where its steps do not fit, with fewer, decay and all."""
        if (validation is None) != (plan.early_stopping is None):
            raise RegardError(
                "early stopping and validation belong together",
                f"early_stopping={plan.early_stopping}, validation={validation}",
                "give the plan early stopping and the training a validation, or neither",
            )
        self.model, self.batches, self.objective, self.validation = model, batches, objective, validation
        self.plan, self.group = plan, group
        self.step, self.best = 0, Best()
        self.course = Course(plan.steps)
        self.optimiser = Optimiser(model, plan)
        like = next(model.parameters())
        self.device, self._zero = like.device, torch.zeros((), device=like.device, dtype=like.dtype)
        self._own = _own(model)
        self._buffers = [one for one in self._own.values() if not isinstance(one, nn.Parameter)]
        self.budget = Budget(seconds)
        self.whole = True
        "Whether every parameter has made the same steps: not so while one is being made."
        group.spread([*model.parameters(), *model.buffers()])

    def __iter__(self) -> Iterator[Step]:
        away = self.budget.clock()
        self._validate()  # an interruption may have kept it from doing so
        while self.step < self.course.steps and not self._ends():
            began = self.budget.clock()
            loss, norm, rate = self._advance()
            seconds = self.budget.clock() - began
            self.budget.record(seconds, began - away)
            away = self.budget.clock()
            yield Step(self.step, loss, rate, norm, seconds, self._validate())
        _copy(self.best.tensors, self._own)

    def _ends(self) -> bool:
        return self.plan.early_stopping is not None and self.best.ends(self.plan.early_stopping)

    def _validate(self) -> Sequence[Any] | None:
        """What the validation says, if one is due; all processes go by the mean of their figures."""
        stopping, validation = self.plan.early_stopping, self.validation
        if stopping is None or validation is None or not self.best.due(self.step, stopping):
            return None
        rng.begin(self.plan.seed, self.step, self.group.rank)
        self.model.eval()
        with torch.no_grad():
            found = validation(self.model)
        figure = float(found[0])
        if self.group.world > 1:
            shared = self._zero + figure
            self.group.average([shared])
            figure = float(shared)
        self.best.see(self.step, figure, self._own)
        return found

    def _advance(self) -> tuple[float, float, float]:
        self.model.train()
        rng.begin(self.plan.seed, self.step, self.group.rank)
        buffers = [one.clone() for one in self._buffers]
        try:
            loss, norm = self._gradients()
        except BaseException:
            for one, value in zip(self._buffers, buffers, strict=True):
                one.copy_(value)
            raise
        if self.plan.clip is not None:
            clip_grads_with_norm_(self.optimiser.named.values(), self.plan.clip, torch.tensor(norm))
        factor = self.plan.factor(self.course.progress(self.step))
        self.whole = False
        self.optimiser.step(factor)
        self.step += 1
        self.whole = True
        return loss, norm, factor * self.plan.learning_rate

    def _gradients(self) -> tuple[float, float]:
        """Leave the mean gradient in every parameter; give the mean loss and its norm, both finite."""
        for one in self.optimiser.named.values():
            one.grad = None
        mean = self._zero.clone()
        for _, batch in self._batches():
            with autocast(self.device, self.plan.precision):
                loss = self.objective(self.model, batch)
            if self.plan.accumulate > 1:
                loss = loss / self.plan.accumulate
            loss.backward()
            mean += loss.detach()
        self._agree(mean)
        # What torch's get_total_norm gives, to the bit, in half its time.
        norms = torch._foreach_norm(self._present())  # type: ignore[attr-defined]
        norm = torch.linalg.vector_norm(torch.stack([one.to(mean) for one in norms]))
        loss, size = torch.stack([mean, norm]).tolist()
        if not (isfinite(loss) and isfinite(size)):
            raise self._not_finite(loss)
        return loss, size

    def _agree(self, mean: Tensor) -> None:
        """Average loss and gradient over the processes, and fit the course to the time left, in all alike."""
        room = min(self.budget.room(), float(self.plan.steps))
        if self.group.world > 1:
            for one in self.optimiser.named.values():
                one.grad = torch.zeros_like(one) if one.grad is None else one.grad
            shared = self._zero + room
            self.group.average([mean, shared, *self._present()])
            room = float(shared)
        if self.budget.deadline < inf:
            self.course = self.course.fitted(self.step, min(self.plan.steps, self.step + max(1, int(room))))

    def _batches(self) -> Iterator[tuple[int, Any]]:
        """The batches of this step with their numbers, moved where the model is unless that is the CPU."""
        move = partial(Tensor.to, device=self.device, non_blocking=True)
        for i in range(self.plan.accumulate):
            number = (self.step * self.plan.accumulate + i) * self.group.world + self.group.rank
            batch = self.batches(number)
            yield number, batch if self.device.type == "cpu" else tree_map_only(Tensor, move, batch)

    def _present(self) -> list[Tensor]:
        return [one.grad for one in self.optimiser.named.values() if one.grad is not None]

    def _not_finite(self, loss: float) -> RegardError:
        """What to say of a loss or gradient that is not finite; nothing has been moved by it."""
        what = "the gradient" if isfinite(loss) else "the loss"
        return RegardError(
            f"{what} is not finite at step {self.step + 1}",
            self._place() or "numbers too large to square, in every place a finite one",
            "the parameters are as before the step: use a lower learning rate, or look at that place",
        )

    def _place(self) -> str:
        if found := nonfinite.first(dict(self.model.named_parameters())):
            return f"the parameter {found}"
        rng.begin(self.plan.seed, self.step, self.group.rank)
        for number, batch in self._batches():
            with autocast(self.device, self.plan.precision):
                if found := nonfinite.blame(self.model, partial(self.objective, self.model, batch)):
                    return f"{found}, in batch {number}"
        found = nonfinite.first({name: one.grad for name, one in self.optimiser.named.items()})
        return found and f"the gradient of {found}"

    def state(self) -> TrainingState:
        """All that `restore` needs to go on as if nothing had happened."""
        if not self.whole:
            raise RegardError(
                "this training was stopped in the middle of a step",
                f"some parameters have made step {self.step + 1}, others have not",
                "go on from the last checkpoint",
            )
        tensors = {f"model.{name}": one for name, one in _own(self.model).items()}
        tensors |= {f"optimiser.{name}": one for name, one in self.optimiser.tensors().items()}
        tensors |= {f"rng.{name}": one for name, one in rng.capture().items()}
        tensors |= {f"best.{name}": one for name, one in self.best.tensors.items()}
        facts = {
            "step": self.step,
            "course": asdict(self.course),
            "best": self.best.facts(),
            "plan": _plain(self.plan),
            "ran on": self._ran_on(),
        }
        return TrainingState({name: one.detach().clone() for name, one in tensors.items()}, facts)

    @torch.no_grad()
    def restore(self, state: TrainingState) -> str:
        """Go on from a state. Gives a sentence if the numbers may differ in their last bits, else nothing."""
        self._require_same(state)
        _copy(state.part("model."), _own(self.model))
        self.optimiser.restore(state.part("optimiser."))
        rng.restore(state.part("rng."))
        self.step, self.course = state.step, Course(**state.facts["course"])
        self.best = Best(**state.facts["best"], tensors=state.part("best."))
        self.whole = True
        then, now = state.facts["ran on"], self._ran_on()
        changed = [
            f"{name} {then.get(name)} then, {now[name]} now" for name in now if then.get(name) != now[name]
        ]
        return f"equal to rounding only: {'; '.join(changed)}" if changed else ""

    def _require_same(self, state: TrainingState) -> None:
        then, now = state.facts["plan"], _plain(self.plan)
        changed = [
            f"{name} was {then.get(name)}, is {now[name]}" for name in now if then.get(name) != now[name]
        ]
        if changed:
            raise RegardError(
                "this checkpoint belongs to another plan",
                "; ".join(changed),
                "go on with the settings it was made with, or start anew",
            )
        there = {name: tuple(one.shape) for name, one in state.part("model.").items()}
        here = {name: tuple(one.shape) for name, one in _own(self.model).items()}
        odd = [name for name in {**here, **there} if there.get(name) != here.get(name)]
        if odd:
            raise RegardError(
                "this checkpoint belongs to another model",
                f"'{odd[0]}' is {there.get(odd[0], 'absent')} there and {here.get(odd[0], 'absent')} here",
                "build the model with the settings it was made with",
            )

    def _ran_on(self) -> dict[str, Any]:
        return {
            "torch": torch.__version__,
            "device": self.device.type,
            "threads": torch.get_num_threads(),
            "processes": self.group.world,
        }


def _own(model: nn.Module) -> dict[str, Tensor]:
    """Parameters and lasting buffers; one that has two names appears under its first."""
    named = dict(model.named_parameters())
    every = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    return {
        name: one
        for name, one in model.state_dict(keep_vars=True).items()
        if name in named or name not in every
    }


@torch.no_grad()
def _copy(source: Mapping[str, Tensor], target: Mapping[str, Tensor]) -> None:
    for name, value in source.items():
        target[name].copy_(value)


def _plain(plan: Plan) -> dict[str, Any]:
    """A plan as JSON gives it back."""
    return json.loads(json.dumps(asdict(plan)))
