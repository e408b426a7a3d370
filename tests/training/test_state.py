"""A digest sees every bit; parts are found by the beginning of their names."""

import pytest
import torch

from regard.training.state import TrainingState


def state(**changes) -> TrainingState:
    tensors = {"model.w": torch.arange(6.0).view(2, 3), "optimiser.w": torch.ones(2, dtype=torch.int64)}
    return TrainingState({**tensors, **changes.pop("tensors", {})}, {"step": 3, "rate": 0.1, **changes})


@pytest.mark.parametrize(
    "other",
    [
        state(step=4),
        state(rate=0.1 + 2e-17 + 1e-16),
        state(tensors={"model.w": torch.arange(6.0).view(3, 2)}),
        state(tensors={"model.w": torch.arange(6.0, dtype=torch.float64).view(2, 3)}),
        state(tensors={"model.w": torch.arange(6.0).view(2, 3).nextafter(torch.tensor(9.0))}),
        state(tensors={"model.v": torch.zeros(0)}),
        state(tensors={"optimiser.w": torch.tensor([1, 2])}),
    ],
    ids=["step", "last bit of a fact", "shape", "type", "last bit of a tensor", "one more", "integer"],
)
def test_the_digest_sees_a_difference(other: TrainingState) -> None:
    assert other.digest() != state().digest()


def test_the_digest_is_of_the_values_not_of_their_place() -> None:
    turned = torch.arange(6.0).view(2, 3).mT.contiguous().mT
    assert not turned.is_contiguous()
    assert state(tensors={"model.w": turned}).digest() == state().digest()


def test_parts_lose_their_prefix() -> None:
    assert list(state().part("model.")) == ["w"]
    assert state().step == 3
