"""Sabotaged densities beside the same mistakes written with logarithms of normal densities."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.mixture.mistakes import DENSITY, MIXING
from regard.checker.contracts.mixture.reference import likelihood

SLUGS = {m.slug: m for m in (*DENSITY, *MIXING)}
RNG = np.random.default_rng(0)
X, Z, M, V = (
    RNG.standard_normal((7, 3)),
    RNG.standard_normal(4),
    RNG.standard_normal((4, 3)),
    RNG.uniform(0.2, 1.0, (4, 3)),
)
LOG = norm.logpdf(X[:, None], M, np.exp(V / 2)).sum(-1)
PI = Z - logsumexp(Z)
WRITTEN = {
    "logdet-half-missing": lambda: logsumexp(PI + LOG - V.sum(-1) / 2, 1),
    "logdet-missing": lambda: logsumexp(PI + LOG + V.sum(-1) / 2, 1),
    "logdet-sign": lambda: logsumexp(PI + LOG + V.sum(-1), 1),
    "two-pi-missing": lambda: logsumexp(PI + LOG, 1) + 1.5 * np.log(2 * np.pi),
    "two-pi-once": lambda: logsumexp(PI + LOG, 1) + np.log(2 * np.pi),
    "log-variance-as-deviation": lambda: logsumexp(PI + norm.logpdf(X[:, None], M, np.exp(V)).sum(-1), 1),
    "sum-over-samples": lambda: logsumexp(PI + LOG, 0),
    "mean-of-logs": lambda: (np.exp(PI) * LOG).sum(1),
    "maximum-for-sum": lambda: (PI + LOG).max(1),
    "weights-missing": lambda: logsumexp(LOG, 1),
    "weights-not-normalised": lambda: logsumexp(Z + LOG, 1),
    "weights-not-logged": lambda: logsumexp(np.exp(PI) + LOG, 1),
}


@pytest.mark.parametrize("slug", WRITTEN)
def test_a_sabotaged_reference_is_the_mistake_it_is_called(slug: str) -> None:
    frame = WeightMap(weights={"logits": Z, "means": M, "log_variances": V})
    found = likelihood(Case(name="", inputs={"x": X}), frame, SLUGS[slug].forms[0])
    np.testing.assert_allclose(found, WRITTEN[slug](), rtol=1e-10, atol=1e-12)


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("gaussian-mixture")
