"""Functions that fit and give a mixture back are held to a step of EM."""

from pathlib import Path

import pytest

from regard.checker.contracts.mixture.fits import FEW, further
from regard.checker.selftest import judge


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name"), [("correct", "fits_and_returns"), ("mutants", "fits_and_returns_about_old_means")]
)
def test_one_iteration_more_is_one_step_of_em(kind: str, name: str) -> None:
    here = Path(__file__).parents[2]
    found = judge(here / kind / "gaussian-mixture" / f"{name}.py", kind, 0, here)
    assert found.right, (found.state, found.named, found.said)


def test_a_fit_is_told_what_it_must_be_told_and_no_more() -> None:
    asks = [{"name": n, "required": n != "seed", "star": False} for n in ("X", "k", "n_iter", "tol", "seed")]
    assert further(asks, FEW, 2, every=False) == {"k": 2, "n_iter": FEW, "tol": 1e-6}
    assert further(asks, FEW, 2, every=True)["seed"] == 0
