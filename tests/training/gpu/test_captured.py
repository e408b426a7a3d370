"""A captured training is the training: the same losses, the same parameters; what cannot be captured goes on."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from regard.errors import RegardError
from regard.training import Plan, Training, mean_squared_error
from regard.training.gpu.captured import Captured

GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
pytestmark = pytest.mark.filterwarnings("ignore:The AccumulateGrad")


def training(
    capture: bool, device: str, optimiser: str = "muon", objective: Callable = mean_squared_error
) -> Training:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1)).to(device)

    def batches(index: int) -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.randn(16, 4, generator=torch.Generator().manual_seed(index))
        return x, x.sum(1, keepdim=True)

    plan = Plan(steps=12, optimiser=optimiser, learning_rate=0.01, weight_decay=0.1, precision="float32")  # type: ignore[arg-type]
    return Training(model, batches, objective, plan, capture=capture)


def test_on_a_cpu_nothing_is_captured() -> None:
    asked = training(True, "cpu")
    losses = [step.loss for step in asked]
    assert asked.captured is None
    assert losses == [step.loss for step in training(False, "cpu")]


def test_a_batch_of_other_shapes_or_another_form_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Captured, "_capture", lambda self, *parts: None)
    made = Captured(lambda batch: torch.zeros(2), print, (torch.zeros(2, 3), "word"), [], [], list)
    assert made.takes((torch.ones(2, 3), "another"))
    assert not made.takes((torch.ones(2, 4), "word"))
    assert not made.takes([torch.ones(2, 3), "word"])
    assert not made.takes((torch.ones(2, 3),))


@GPU
@pytest.mark.parametrize("optimiser", ["adamw", "muon"])
def test_losses_are_those_of_a_training_that_is_not_captured(optimiser: str) -> None:
    asked, plain = (training(capture, "cuda", optimiser) for capture in (True, False))
    found, wanted = ([step.loss for step in one] for one in (asked, plain))
    assert asked.captured is not None
    torch.testing.assert_close(torch.tensor(found), torch.tensor(wanted), rtol=1e-3, atol=1e-5)


@GPU
@pytest.mark.parametrize("optimiser", ["adamw", "muon"])
def test_a_captured_step_that_is_not_finite_moves_nothing(optimiser: str) -> None:
    whole, broken = training(True, "cuda", optimiser), training(True, "cuda", optimiser)
    batches = broken.batches
    broken.batches = lambda index: (batches(index)[0] * (torch.nan if index == 7 else 1.0), batches(index)[1])
    for step in whole:
        if step.step == 7:
            break
    with pytest.raises(RegardError, match="not finite at step 8"):
        list(broken)
    assert broken.step == 7
    for one, other in zip(whole.model.parameters(), broken.model.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)


@GPU
def test_what_is_drawn_in_a_captured_step_is_another_at_every_step() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5), nn.Linear(64, 1)).cuda()
    batch = torch.ones(8, 4), torch.zeros(8, 1)
    plan = Plan(steps=6, learning_rate=1e-30, precision="float32")
    asked = Training(model, lambda index: batch, mean_squared_error, plan, capture=True)
    found = [step.loss for step in asked]
    assert asked.captured is not None and len(set(found)) == 6


@GPU
def test_a_state_is_restored_into_a_captured_training() -> None:
    whole = training(True, "cuda")
    steps = iter(whole)
    for _ in range(5):
        next(steps)
    state, rest = whole.state(), [step.loss for step in steps]
    other = training(True, "cuda")
    other.restore(state)
    torch.testing.assert_close(
        torch.tensor([step.loss for step in other]), torch.tensor(rest), rtol=1e-3, atol=1e-5
    )


@GPU
def test_an_objective_that_looks_at_its_numbers_is_not_captured() -> None:
    def nosy(model: nn.Module, batch: tuple) -> torch.Tensor:
        loss = mean_squared_error(model, batch)
        assert float(loss.detach()) >= 0
        return loss

    asked = training(True, "cuda", objective=nosy)
    assert len(list(asked)) == 12
    assert asked.captured is None and asked.uncaptured
