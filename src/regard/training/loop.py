"""The training loop: iterate a `Training` for its steps; between two it can be saved and restored exactly."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from math import inf, isfinite
from typing import Any

import torch
from torch import Tensor, nn

import regard.training.nonfinite as nonfinite
import regard.training.rng as rng
from regard.errors import RegardError
from regard.training.budget import Budget
from regard.training.device import moved
from regard.training.gpu.captured import Captured
from regard.training.objective import Objective
from regard.training.optimiser import Optimiser
from regard.training.parallel import ALONE, ProcessGroup, backward, parallel_loss
from regard.training.plan import Plan
from regard.training.precision import autocast
from regard.training.schedule import Course
from regard.training.sharded.fit import is_to_be_sharded
from regard.training.sharded.layout import local
from regard.training.sharded.model import gathered, outline, shard
from regard.training.state import TrainingState, plain
from regard.training.step import LossAndNorm, Step
from regard.training.stopping import Best, Validation

Batches = Callable[[int], Any]
"Batch number i: the same whenever it is asked for, so that going on needs one integer."


class Training:
    """A model on its way to a small loss. It yields a `Step` after each step, and has no callbacks.

    Step k of a plan that accumulates a batches, on the r-th of w processes, takes the batches (k a + i) w + r
    with i < a: two batches of 8, or two processes with 8 each, are one batch of 16. All that is random in it
    follows from the plan's seed, k and r: what is done between two steps cannot change those that come.

    Where the plan has early stopping, `validation` is asked after every so many steps, in eval mode and
    without gradients; at its end the model has the parameters of the lowest figure, and `best` says which.

    Of several processes each has the whole model and they share the gradient (DDP), or each has a
    part of it (FSDP2) where `plan.sharded` says so or it would not fit. A sharded model is called by all
    processes together; for all else there is `whole_model`.

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
        capture: bool = False,
        device: torch.device | None = None,
    ) -> None:
        """`seconds` from now it will have ended: where its steps do not fit, with fewer, decay and all.

        It computes on `device`; none: where the model is.
        With `capture`, steps on a GPU are CUDA graphs where that can be done; `captured` says whether it was.
        """
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
        like = next(model.parameters())
        self.device = like.device if device is None else device
        self._zero = torch.zeros((), device=self.device, dtype=like.dtype)
        self._loss: Callable[[Any, bool], Tensor] = lambda batch, last: self.objective(self.model, batch)
        self._place()
        self.optimiser = Optimiser(model, plan)
        self._own = _own(model)
        self._buffers = [one for one in self._own.values() if not isinstance(one, nn.Parameter)]
        self.budget = Budget(seconds)
        self.captured: Captured | None = None
        self.uncaptured = ""
        "Why steps are not captured, where it was tried."
        self._ahead: tuple[int, Any] | None = None
        self._flying: deque[tuple[int, LossAndNorm]] = deque()
        "Captured steps whose figures nobody has looked at."
        self._capture = (
            capture and self.device.type == "cuda" and group.world == 1 and plan.accumulate == 1
        ) and isinstance(plan.optimiser, str)
        self.whole = True
        "Whether every parameter has made the same steps: not so while one is being made."

    def _place(self) -> None:
        """Put the model on its device, whole or in shards, the same in all processes."""
        self.sharded = is_to_be_sharded(self.plan.sharded, self.model, self.device, self.group)
        if not self.sharded:
            self.model.to(self.device)
        self.group.spread([*self.model.parameters(), *self.model.buffers()])
        if self.sharded:
            self._outline = outline(self.model)
            shard(self.model, self.device, self.group)
        elif self.group.world > 1:
            self._loss = parallel_loss(self.model, self.objective)

    def whole_model(self) -> Any:
        """The model; of a sharded one a whole copy in host memory, for which all processes ask together."""
        self._land()
        return gathered(self.model, self._outline) if self.sharded else self.model

    def __iter__(self) -> Iterator[Step]:
        away = self.budget.clock()
        self._validate()  # an interruption may have kept it from doing so
        while self.step < self.course.steps and not self._ends():
            began = self.budget.clock()
            figures, rate = self._advance()
            seconds = self.budget.clock() - began
            self.budget.record(seconds, began - away)
            away = self.budget.clock()
            yield Step(self.step, figures, rate, seconds, self._validate())
        self._land()
        _copy(self.best.tensors, self._own)

    def _ends(self) -> bool:
        return self.plan.early_stopping is not None and self.best.ends(self.plan.early_stopping)

    def _validate(self) -> Sequence[Any] | None:
        """What the validation says, if one is due; all processes go by the mean of their figures."""
        stopping, validation = self.plan.early_stopping, self.validation
        if stopping is None or validation is None or not self.best.due(self.step, stopping):
            return None
        self._land()
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

    def _advance(self) -> tuple[LossAndNorm, float]:
        """Make a step; its figures and its learning rate."""
        self.model.train()
        rng.begin(self.plan.seed, self.step, self.group.rank)
        replayed = (self._capture or self.captured is not None) and self._replays()
        figures = self._replayed() if replayed else self._made()
        rate = self._factor() * self.plan.learning_rate
        self.step += 1
        self.whole = True
        if replayed:
            self._flying.append((self.step, figures))
            if self.step < self.course.steps:
                self._ahead = (self.step, self._moved(self.step))
            self._land(leave=1)
        return figures, rate

    def _made(self) -> LossAndNorm:
        """A step whose figures are looked at before anything moves."""
        buffers = [one.clone() for one in self._buffers]
        try:
            for one in self.optimiser.named.values():
                one.grad = None
            figures = LossAndNorm(self._compute(batch for _, batch in self._batches()))
            if not figures.finite:
                raise self._not_finite(figures.loss)
            self.group.spread(self._buffers)  # those of a checkpoint are the first process's
        except BaseException:
            for one, value in zip(self._buffers, buffers, strict=True):
                one.copy_(value)
            raise
        self.whole = False
        self.optimiser.set_rates(self._factor())
        self._move(torch.tensor(figures.norm))
        return figures

    def _factor(self) -> float:
        return self.plan.factor(self.course.progress(self.step))

    def _compute(self, batches: Iterable[Any]) -> Tensor:
        """Leave the mean gradient in every parameter; the mean loss and its norm."""
        mean = self._zero.clone()
        for number, batch in enumerate(batches, start=1):
            with autocast(self.device, self.plan.precision):
                loss = self._loss(batch, number == self.plan.accumulate)
            if self.plan.accumulate > 1:
                loss = loss / self.plan.accumulate
            backward(loss)
            mean += loss.detach()
        self._agree(mean)
        # What torch's get_total_norm gives, to the bit, in half its time.
        norms = torch._foreach_norm(self._present())  # type: ignore[attr-defined]
        norm = torch.linalg.vector_norm(torch.stack([one.to(mean) for one in norms]))
        if self.sharded:
            squares = norm.square()
            self.group.average([squares])
            norm = (squares * self.group.world).sqrt()
        return torch.stack([mean, norm])

    def _move(self, norm: Tensor, fine: Tensor | None = None) -> None:
        """Move the parameters by their gradients, whose norm this is; where told, only if all is fine."""
        if self.plan.clip is not None:
            # What torch's clip_grads_with_norm_ does, on the part of each gradient that is here.
            factor = (self.plan.clip / (norm.to(self.device) + 1e-6)).clamp(max=1.0)
            torch._foreach_mul_(self._present(), factor)  # type: ignore[attr-defined]
        self.optimiser.move(fine)

    def _replays(self) -> bool:
        """Whether a captured graph can make this step: not that of a batch of another shape."""
        if self._ahead is None or self._ahead[0] != self.step:
            self._ahead = next(self._batches())
        if self._capture:
            self._try_to_capture(self._ahead[1])
        if self.captured is not None and self.captured.takes(self._ahead[1]):
            return True
        self._land()
        return False

    def _replayed(self) -> LossAndNorm:
        """A step that is asked for and not waited for."""
        assert self.captured is not None and self._ahead is not None
        self._agree(self._zero)
        self.whole = False
        self.optimiser.set_rates(self._factor())
        return LossAndNorm(self.captured.step(self._ahead[1]))

    def _land(self, leave: int = 0) -> None:
        """Wait for all replayed steps but the last few; one that is not finite has moved nothing."""
        while len(self._flying) > leave:
            step, figures = self._flying.popleft()
            if not figures.finite:
                self._flying.clear()
                self.captured = self._ahead = None
                self.step = step - 1
                raise self._not_finite(figures.loss)

    def _try_to_capture(self, batch: Any) -> None:
        """Capture the step; what cannot be captured, such as a look at a number, goes on as it was."""
        self._capture = False
        self.optimiser.hold_rates()
        parameters = list(self.optimiser.named.values())

        def keep() -> list[Tensor]:
            return [*parameters, *self._buffers, *self.optimiser.tensors().values()]

        try:
            self.captured = Captured(
                lambda one: self._compute([one]), self._move, batch, parameters, self._buffers, keep
            )
        except RuntimeError as error:
            self.uncaptured = str(error).splitlines()[0]
        rng.begin(self.plan.seed, self.step, self.group.rank)

    def _agree(self, mean: Tensor) -> None:
        """Average the loss over the processes, and fit the course to the time left, in all alike."""
        room = min(self.budget.room(), float(self.plan.steps))
        if self.group.world > 1:
            shared = self._zero + room
            self.group.average([mean, shared])
            room = float(shared)
        if self.budget.deadline < inf:
            self.course = self.course.fitted(self.step, min(self.plan.steps, self.step + max(1, int(room))))

    def _batches(self) -> Iterator[tuple[int, Any]]:
        """The batches of this step with their numbers, moved where the model is unless that is the CPU."""
        for i in range(self.plan.accumulate):
            number = (self.step * self.plan.accumulate + i) * self.group.world + self.group.rank
            ahead = self._ahead
            yield number, ahead[1] if ahead and ahead[0] == number else self._moved(number)

    def _moved(self, number: int) -> Any:
        """A batch by its number, where the model is."""
        return moved(self.batches(number), self.device)

    def _present(self) -> list[Tensor]:
        return [one for one in self._gradients_here() if one is not None]

    def _gradients_here(self) -> list[Tensor | None]:
        """The gradient of each parameter, of a sharded one the part that is here."""
        return [None if one.grad is None else local(one.grad) for one in self.optimiser.named.values()]

    def _not_finite(self, loss: float) -> RegardError:
        """What to say of a loss or gradient that is not finite; nothing has been moved by it."""
        what = "the gradient" if isfinite(loss) else "the loss"
        return RegardError(
            f"{what} is not finite at step {self.step + 1}",
            self._culprit() or "numbers too large to square, in every place a finite one",
            "the parameters are as before the step: use a lower learning rate, or look at that place",
        )

    def _culprit(self) -> str:
        """The first place that holds something not finite, in words."""
        named = {name: local(one) for name, one in self.model.named_parameters()}
        if found := nonfinite.first(named):
            return f"the parameter {found}"
        rng.begin(self.plan.seed, self.step, self.group.rank)
        for number, batch in self._batches():
            with autocast(self.device, self.plan.precision):
                if found := nonfinite.blame(self.model, partial(self.objective, self.model, batch)):
                    return f"{found}, in batch {number}"
        found = nonfinite.first(dict(zip(self.optimiser.named, self._gradients_here(), strict=True)))
        return found and f"the gradient of {found}"

    def state(self) -> TrainingState:
        """All that `restore` needs to go on as if nothing had happened."""
        now = self.current()
        return TrainingState({name: one.clone() for name, one in now.tensors.items()}, now.facts)

    def current(self) -> TrainingState:
        """The same without copies: its tensors are the training's own, and change with the next step."""
        self._land()
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
            "plan": plain(self.plan),
            "ran on": self._ran_on(),
        }
        return TrainingState({name: one.detach() for name, one in tensors.items()}, facts)

    @torch.no_grad()
    def restore(self, state: TrainingState) -> str:
        """Go on from a state. Gives a sentence if the numbers may differ in their last bits, else nothing."""
        own = _own(self.model)
        state.require_same(self.plan, own)
        self._capture, self.captured, self._ahead = self._capture or self.captured is not None, None, None
        self._flying.clear()
        memory = self.optimiser.blank(state.outline("optimiser."))
        best = {name: torch.empty_like(own[name]) for name in state.outline("best.")}
        parts = {"model.": own, "optimiser.": memory, "best.": best}
        state.fill({f"{prefix}{name}": one for prefix, part in parts.items() for name, one in part.items()})
        self.optimiser.restore(memory)
        rng.restore(state.part("rng."))
        self.step, self.course = state.step, Course(**state.facts["course"])
        self.best = Best(**state.facts["best"], tensors=best)
        self.whole = True
        then, now = state.facts["ran on"], self._ran_on()
        changed = [
            f"{name} {then.get(name)} then, {now[name]} now" for name in now if then.get(name) != now[name]
        ]
        return f"equal to rounding only: {'; '.join(changed)}" if changed else ""

    def take_weights(self, state: TrainingState) -> None:
        """Give the model the parameters of a state, and leave all else of the training as it is."""
        state.fill({f"model.{name}": one for name, one in _own(self.model).items()})

    def _ran_on(self) -> dict[str, Any]:
        return {
            "torch": torch.__version__,
            "device": self.device.type,
            "threads": torch.get_num_threads(),
            "processes": f"{self.group.world}, sharded" if self.sharded else self.group.world,
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
