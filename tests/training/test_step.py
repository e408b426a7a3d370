"""What a step says of itself: its loss and its norm, as they were computed."""

from math import inf, nan

import pytest
import torch

from regard.training.step import LossAndNorm, Step


def test_loss_and_norm_are_those_that_were_computed() -> None:
    figures = LossAndNorm(torch.tensor([0.5, 2.0], requires_grad=True))
    step = Step(step=3, figures=figures, learning_rate=0.1, seconds=1.0)
    assert (step.loss, step.norm, figures.finite) == (0.5, 2.0, True)


@pytest.mark.parametrize("computed", [[nan, 1.0], [1.0, inf], [-inf, nan]])
def test_what_is_no_number_or_infinite_is_not_finite(computed: list[float]) -> None:
    assert not LossAndNorm(torch.tensor(computed)).finite
