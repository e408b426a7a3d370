"""Spreads become covariances in the form that their name and their start tell."""

import numpy as np
import pytest

from regard.checker.contracts.mixture.forms import SpreadForm, axes_of, forms, matrices, spread_of

DEVIATIONS = np.array([[0.5, 2.0], [1.0, 3.0]])
WHOLE = [SpreadForm("deviation", False, d) for d in ("plain", "exponential", "softplus")]
WHOLE += [SpreadForm("precision", False, "plain"), SpreadForm("precision", False), SpreadForm(logged=False)]


@pytest.mark.parametrize("kind", ["variance", "deviation", "precision"])
@pytest.mark.parametrize("logged", [True, False])
def test_what_is_held_for_deviations_gives_their_squares(kind: str, logged: bool) -> None:
    form = SpreadForm(kind, logged)
    found = form.covariances(form.held(DEVIATIONS, square=False))
    assert np.allclose(np.diagonal(found, axis1=1, axis2=2), DEVIATIONS**2)


@pytest.mark.parametrize("form", WHOLE)
def test_matrices_are_held_for_deviations_too(form: SpreadForm) -> None:
    found = form.covariances(form.held(DEVIATIONS, square=True))
    assert np.allclose(found, DEVIATIONS[..., None] ** 2 * np.eye(2))


def test_a_triangular_factor_is_multiplied_by_its_own_transpose() -> None:
    factor = matrices((3, 4, 4), np.random.default_rng(0), triangular=True)
    found = SpreadForm("deviation", False, "plain").covariances(factor)
    assert np.allclose(found, factor @ factor.swapaxes(1, 2))


@pytest.mark.parametrize(
    ("name", "start", "kinds", "logged"),
    [
        ("log_std", 0.0, ["deviation"], True),
        ("variances", 1.0, ["variance"], False),
        ("stds", 1.0, ["deviation"], False),
        ("precisions", 1.0, ["precision"], False),
        ("sigma", 1.0, ["deviation", "variance"], False),
        ("s", 0.0, ["variance", "deviation", "precision"], True),
        ("s", 1.0, ["variance", "deviation", "precision"], False),
    ],
)
def test_names_and_starts_tell_the_form(name: str, start: float, kinds: list[str], logged: bool) -> None:
    found = forms(name, np.full((3, 2), start), "", square=False)
    assert ([form.kind for form in found], found[0].logged) == (kinds, logged)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (3,), (5,), (1,), (3, 5, 5), (5, 5), (3, 1, 5)])
def test_a_spread_belongs_to_all_components_and_axes_in_any_shape(shape: tuple[int, ...]) -> None:
    found = spread_of(np.ones(shape), 3, 5)
    assert found is not None
    assert found.shape in ((3, 5), (3, 5, 5))
    assert spread_of(np.ones(7), 3, 5) is None


def test_axes_give_the_covariances_back() -> None:
    whole = matrices((2, 3, 3), np.random.default_rng(1), triangular=False)
    logs, axes = axes_of(whole)
    assert axes is not None
    assert np.allclose(np.einsum("kij,kj,klj->kil", axes, np.exp(logs), axes), whole)
    assert axes_of(np.stack([np.eye(3)] * 2))[1] is None
