"""Early stopping: when it ends, whose weights come back, and that an interruption changes nothing of it."""

import json
from collections.abc import Callable, Sequence
from math import nan
from typing import Any

import pytest
import torch
from torch import nn

from regard.errors import RegardError
from regard.training.loop import Training
from regard.training.parallel import ProcessGroup
from regard.training.plan import Plan
from regard.training.state import TrainingState
from regard.training.stopping import EarlyStopping


def training(
    toy, figures: Sequence[float], *, every: int = 1, patience: int = 3, see: Callable[[], Any] = lambda: None
) -> Training:
    """A training whose validation says these figures, one after every so many steps; `see` is called in each."""

    def validation(model: nn.Module) -> tuple[float, torch.Tensor]:
        assert not model.training and not torch.is_grad_enabled()
        see()
        return figures[made.step // every - 1], model.head.weight.clone()

    plan = Plan(
        steps=20,
        optimiser="muon",
        learning_rate=0.01,
        early_stopping=EarlyStopping(patience=patience, every=every),
    )
    start = toy.training()
    made = Training(start.model, start.batches, start.objective, plan, validation=validation)
    return made


FIGURES = [5.0, 3.0, 4.0, 3.0, 3.5, 1.0]


@pytest.mark.parametrize("every", [1, 2])
def test_it_ends_after_the_patience_with_the_best_weights(toy, every: int) -> None:
    """The second figure is the lowest, an equal one is no lower, and three after it the training ends."""
    made = training(toy, FIGURES, every=every)
    steps = list(made)
    assert len(steps) == made.step == 5 * every
    told = {step.step: step.validation for step in steps if step.validation is not None}
    assert [(step, found[0]) for step, found in told.items()] == [
        (every * number, figure) for number, figure in enumerate(FIGURES[:5], start=1)
    ]
    assert (made.best.step, made.best.figure) == (2 * every, 3.0)
    assert torch.equal(made.model.head.weight, told[2 * every][1])
    assert not torch.equal(told[2 * every][1], told[5 * every][1])
    assert list(made) == [] and torch.equal(made.model.head.weight, told[2 * every][1]), "it stays ended"


def test_the_steps_themselves_are_those_without_it(toy) -> None:
    plain = [step.loss for step in toy.training()]
    made = training(toy, [float(-number) for number in range(20)], see=lambda: torch.rand(3))
    assert [step.loss for step in made] == plain
    assert made.best.step == 20


def test_buffers_come_back_with_the_weights(toy) -> None:
    made = training(toy, FIGURES)
    seen = [made.model.seen.clone() for _ in made]
    assert torch.equal(made.model.seen, seen[1]) and not torch.equal(seen[1], seen[-1])


def test_figures_that_are_no_numbers_are_no_low(toy) -> None:
    made = training(toy, [nan] * 9)
    last = [made.model.head.weight.detach().clone() for _ in made][-1]
    assert (made.step, made.best.step, made.best.figure) == (3, 0, None)
    assert torch.equal(made.model.head.weight, last)


def test_processes_go_by_the_mean_of_their_figures(toy, monkeypatch) -> None:
    """With the other process played by the test: it has twice as much of everything."""
    monkeypatch.setattr(torch.distributed, "all_reduce", lambda flat: flat.mul_(3.0))
    monkeypatch.setattr(ProcessGroup, "spread", lambda group, tensors: None)
    made = training(toy, FIGURES)
    made.group = ProcessGroup(0, 2)
    assert len(list(made)) == 5 and made.best.figure == 4.5


@pytest.mark.parametrize("at", range(1, 6))
def test_going_on_changes_neither_the_end_nor_a_bit(toy, at: int) -> None:
    import safetensors.torch

    whole = training(toy, FIGURES)
    list(whole)
    first = training(toy, FIGURES)
    for step in first:
        if step.step == at:
            break
    state = first.state()
    content, facts = safetensors.torch.save(dict(state.tensors)), json.loads(json.dumps(state.facts))
    second = training(toy, FIGURES)
    second.restore(TrainingState(safetensors.torch.load(content), facts))
    assert len(list(second)) == 5 - at
    assert second.best.facts() == whole.best.facts()
    assert same(whole, second)


def test_a_state_that_forgets_the_best_is_seen(toy) -> None:
    whole = training(toy, FIGURES)
    list(whole)
    first = training(toy, FIGURES)
    for step in first:
        if step.step == 4:
            break
    state = first.state()
    tensors = {n: 0 * one if n.startswith("best.") else one for n, one in state.tensors.items()}
    second = training(toy, FIGURES)
    second.restore(TrainingState(tensors, state.facts))
    list(second)
    assert not same(whole, second)


@pytest.mark.parametrize("at", [2, 5])
def test_a_stop_in_the_middle_of_a_validation_only_puts_it_off(toy, at: int) -> None:
    """Even the random numbers that it draws are those that it would have drawn."""
    drawn: list[float] = []
    whole = training(toy, FIGURES, see=lambda: drawn.append(torch.rand(()).item()))
    list(whole)
    expected = drawn.copy()

    def stop() -> None:
        drawn.append(torch.rand(()).item())
        if first.step == at:
            raise KeyboardInterrupt

    first = training(toy, FIGURES, see=stop)
    with pytest.raises(KeyboardInterrupt):
        list(first)
    drawn.clear()
    second = training(toy, FIGURES, see=lambda: drawn.append(torch.rand(()).item()))
    second.restore(first.state())
    assert (second.step, second.best.validated) == (at, at - 1)
    assert len(list(second)) == 5 - at
    assert drawn == expected[at - 1 :]
    assert second.best.facts() == whole.best.facts()
    assert same(whole, second)


def same(one: Training, other: Training) -> bool:
    """Whether all parameters and buffers are equal, and what the optimisers remember."""
    mine, theirs = one.state(), other.state()
    names = [name for name in mine.tensors if not name.startswith("rng.")]
    return all(torch.equal(mine.tensors[name], theirs.tensors[name]) for name in names)


@pytest.mark.parametrize("wrong", [{"patience": 0}, {"patience": 1, "every": 0}])
def test_what_cannot_be_is_told(wrong: dict) -> None:
    full = {"every": 1, **wrong}
    with pytest.raises(RegardError) as caught:
        EarlyStopping(**wrong)
    assert str(caught.value) == (
        "this early stopping cannot be\n"
        f"  got: patience={full['patience']}, every={full['every']}\n"
        "  fix: both are 1 or more"
    )


def test_one_without_the_other_is_told(toy) -> None:
    start = toy.training()
    for plan, validation in (
        (Plan(early_stopping=EarlyStopping(patience=1)), None),
        (Plan(), lambda model: (0.0,)),
    ):
        with pytest.raises(RegardError) as caught:
            Training(start.model, start.batches, start.objective, plan, validation=validation)
        assert str(caught.value) == (
            "early stopping and validation belong together\n"
            f"  got: early_stopping={plan.early_stopping}, validation={validation}\n"
            "  fix: give the plan early stopping and the training a validation, or neither"
        )
