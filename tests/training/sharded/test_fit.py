"""When a model is sharded: as asked, else where its training state is more than the memory of a device."""

import pytest
import torch
from torch import nn

from regard.training.optimiser import Optimiser
from regard.training.parallel import ALONE, ProcessGroup
from regard.training.plan import Plan
from regard.training.sharded import fit
from regard.training.sharded.fit import SHARE, is_to_be_sharded, memory_of, state_bytes

CPU = torch.device("cpu")


class Pair(ProcessGroup):
    """Two processes, of which this one is heard by itself."""

    def tell(self, words: str) -> str:
        return words


PAIR = Pair(0, 2)


def test_state_is_what_a_training_keeps() -> None:
    """Counted after a real step: parameters, gradients, and AdamW's two moments."""
    model = nn.Sequential(nn.Linear(5, 7), nn.Linear(7, 3))
    model[1].bias.requires_grad_(False)
    model(torch.ones(1, 5)).sum().backward()
    optimiser = Optimiser(model, Plan(optimiser="adamw"))
    optimiser.step(1.0)
    kept = [*model.parameters(), *(one.grad for one in model.parameters() if one.grad is not None)]
    kept += [one for one in optimiser.tensors().values() if one.ndim]
    assert state_bytes(model) == sum(one.numel() * one.element_size() for one in kept)


@pytest.mark.parametrize(("share", "sharded"), [(0.99, True), (1.01, False)])
def test_what_does_not_fit_is_sharded(monkeypatch, share: float, sharded: bool) -> None:
    model = nn.Linear(64, 64)
    monkeypatch.setattr(fit, "memory_of", lambda device: share * state_bytes(model) / SHARE)
    assert is_to_be_sharded(None, model, CPU, PAIR) is sharded
    assert is_to_be_sharded(None, model, CPU, ALONE) is False


def test_what_just_fits_is_not_sharded(monkeypatch) -> None:
    model = nn.Linear(64, 64)
    monkeypatch.setattr(fit, "SHARE", 0.5)
    monkeypatch.setattr(fit, "memory_of", lambda device: 2 * state_bytes(model))
    assert is_to_be_sharded(None, model, CPU, PAIR) is False


@pytest.mark.parametrize("memory", [0, 10**30])
def test_what_is_asked_counts(monkeypatch, memory: int) -> None:
    monkeypatch.setattr(fit, "memory_of", lambda device: memory)
    assert is_to_be_sharded(True, nn.Linear(2, 2), CPU, PAIR) is True
    assert is_to_be_sharded(False, nn.Linear(2, 2), CPU, PAIR) is False
    assert is_to_be_sharded(True, nn.Linear(2, 2), CPU, ALONE) is False


def test_processes_of_one_host_share_its_memory(monkeypatch) -> None:
    monkeypatch.delenv("LOCAL_WORLD_SIZE", raising=False)
    whole = memory_of(CPU)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    assert memory_of(CPU) == whole / 4 > 2**20
    assert memory_of(torch.device("meta")) == float("inf")
