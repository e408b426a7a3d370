"""A digest sees every bit; parts are found by the beginning of their names."""

import re

import pytest
import torch

from regard.errors import RegardError
from regard.training.plan import Plan
from regard.training.state import TrainingState, plain


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


def test_the_same_plan_and_model_go_on_and_others_are_refused() -> None:
    plan = Plan(steps=5)
    made = state(plan=plain(plan))
    model = {"w": torch.zeros(2, 3)}
    made.require_same(plan, model)
    made.require_same(Plan(steps=5, sharded=True), model)
    with pytest.raises(RegardError, match="another plan\n  got: steps was 5, is 6\n"):
        made.require_same(Plan(steps=6), model)
    for other, got in (
        ({"w": torch.zeros(3, 3)}, "'w' is (2, 3) there and (3, 3) here"),
        ({}, "'w' is (2, 3) there and absent here"),
        ({**model, "v": torch.zeros(1)}, "'v' is absent there and (1,) here"),
    ):
        with pytest.raises(RegardError, match=f"another model\n  got: {re.escape(got)}\n"):
            made.require_same(plan, other)
