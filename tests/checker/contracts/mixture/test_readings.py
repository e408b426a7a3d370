"""Readings of weights hold covariances along their axes."""

import numpy as np

from regard.checker.contract import Case
from regard.checker.contracts.mixture.forms import SpreadForm
from regard.checker.contracts.mixture.readings import drawn, frames
from regard.checker.contracts.mixture.reference import likelihood

ROLES = {name: name for name in ("logits", "means", "log_variances")}


def test_whole_covariances_give_the_density_of_matrices(puppet) -> None:
    rng = np.random.default_rng(2)
    like = {"logits": np.ones(3), "means": np.ones((3, 4)), "log_variances": np.ones((3, 4, 4))}
    form = SpreadForm(logged=False)
    values = drawn(ROLES, like, form, "plain", rng, square=True)
    subject = puppet("gaussian-mixture", {})
    subject.facts |= {"components": 3, "dimension": 4}
    (frame,) = frames(ROLES, values, [form], "plain", subject, module=False)
    x = rng.standard_normal((6, 4))
    apart = x[:, None] - values["means"]
    square = np.einsum("nki,kij,nkj->nk", apart, np.linalg.inv(values["log_variances"]), apart)
    size = np.linalg.slogdet(2 * np.pi * values["log_variances"])[1]
    expected = np.log((values["logits"] * np.exp(-0.5 * (square + size))).sum(1))
    assert np.allclose(likelihood(Case(name="", inputs={"x": x}), frame, {}), expected)


def test_plain_weights_of_a_module_may_be_logits_all_the_same(puppet) -> None:
    rng = np.random.default_rng(3)
    like = {"logits": np.ones(3), "means": np.ones((3, 2)), "log_variances": np.ones((3, 2))}
    form = SpreadForm()
    values = drawn(ROLES, like, form, "plain", rng, square=False)
    assert np.isclose(values["logits"].sum(), 1)
    subject = puppet("gaussian-mixture", {})
    subject.facts |= {"components": 3, "dimension": 2}
    found = frames(ROLES, values, [form], "plain", subject, module=True)
    assert [frame.conventions for frame in found] == [("plain-parameters",), ()]
