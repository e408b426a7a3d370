"""A budget that ends a training a step after its calibration, on a machine of any speed."""

from math import inf

import pytest

from regard.training.budget import CALIBRATION, Budget


def end_early(patch: pytest.MonkeyPatch) -> None:
    """Whatever has a deadline has no room for more than the next step, once steps are timed."""
    patch.setattr(Budget, "room", lambda budget: inf if budget._count < CALIBRATION else 0.0)
