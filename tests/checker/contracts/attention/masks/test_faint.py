"""What is hidden has no weight beside a small score, and other mistakes are no matter of this law."""

from collections.abc import Callable

import numpy as np
import pytest

from regard.checker.contracts.attention.masks.faint import FUNCTION, LAYER, PAST
from regard.checker.contracts.attention.mistakes import fill

LAWS = {"scaled-dot-product": FUNCTION, "multi-head-attention": LAYER, "causal-attention": PAST}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(
    ("number", "weak"), [(-np.inf, False), (-1e9, False), (-1e3, False), (-100.0, True), (0.0, False)]
)
def test_a_number_must_be_smaller_than_any_score(
    puppet: Callable, name: str, number: float, *, weak: bool
) -> None:
    broken = LAWS[name].test(puppet(name, fill(number)), np.random.default_rng(0))
    assert (broken is not None) is weak
    assert broken is None or broken.slug == "mask-weak"


def test_what_takes_no_mask_hides_nothing(puppet: Callable) -> None:
    subject = puppet("scaled-dot-product", {})
    subject.facts["mask"] = None
    assert FUNCTION.test(subject, np.random.default_rng(0)) is None
