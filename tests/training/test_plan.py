"""A plan says what is wrong with it."""

import pytest

from regard.errors import RegardError
from regard.training.plan import Plan


@pytest.mark.parametrize(
    ("wrong", "got", "fix"),
    [
        ({"steps": 0}, "steps=0", "make at least one step"),
        ({"learning_rate": 0.0}, "learning_rate=0.0", "a learning rate is above 0"),
        ({"matrix_learning_rate": -1.0}, "matrix_learning_rate=-1.0", "a learning rate is above 0"),
        ({"matrix_learning_rate": 0.0}, "matrix_learning_rate=0.0", "a learning rate is above 0"),
        ({"betas": (0.9, 1.0)}, "betas=(0.9, 1.0)", "both lie from 0 to below 1"),
        ({"momentum": 1.0}, "momentum=1.0", "it lies from 0 to below 1"),
        ({"weight_decay": -0.1}, "weight_decay=-0.1", "weight decay is 0 or more"),
        ({"warmup": 1.0}, "warmup=1.0", "give the share of the steps, from 0 to below 1"),
        ({"floor": 1.5}, "floor=1.5", "give a share of the learning rate, from 0 to 1"),
        ({"clip": 0.0}, "clip=0.0", "a norm above 0, or none"),
        ({"accumulate": 0}, "accumulate=0", "average at least one batch"),
        ({"seed": -1}, "seed=-1", "give a whole number from 0 to 2**63 - 1"),
    ],
)
def test_what_cannot_be_is_told(wrong: dict, got: str, fix: str) -> None:
    with pytest.raises(RegardError) as caught:
        Plan(**wrong)
    assert str(caught.value) == f"the plan of the training does not hold\n  got: {got}\n  fix: {fix}"


def test_the_factor_is_that_of_its_schedule() -> None:
    plan = Plan(schedule="cosine", warmup=0.2, floor=0.1)
    assert [plan.factor(x) for x in (0.1, 0.2, 0.6, 1.0)] == pytest.approx([0.5, 1.0, 0.55, 0.1])


def test_one_step_is_a_training() -> None:
    assert Plan(steps=1).steps == 1
