"""The checker's own mixture beside scipy."""

import numpy as np
from scipy.stats import multivariate_normal

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.mixture.reference import likelihood, log_softmax, logsumexp


def test_the_density_is_a_weighted_sum_of_normal_densities() -> None:
    rng = np.random.default_rng(0)
    x, logits, means, logs = (
        rng.standard_normal((7, 3)),
        rng.standard_normal(4),
        rng.standard_normal((4, 3)),
        rng.uniform(-1, 1, (4, 3)),
    )
    weights = np.exp(logits) / np.exp(logits).sum()
    wanted = np.log(
        sum(
            w * multivariate_normal(m, np.diag(np.exp(v))).pdf(x)
            for w, m, v in zip(weights, means, logs, strict=True)
        )
    )
    frame = WeightMap(weights={"logits": logits, "means": means, "log_variances": logs})
    np.testing.assert_allclose(likelihood(Case(name="", inputs={"x": x}), frame, {}), wanted, rtol=1e-12)


def test_logarithms_of_sums_do_not_underflow() -> None:
    assert logsumexp(np.array([-1e4, -1e4])) == -1e4 + np.log(2)
    np.testing.assert_allclose(np.exp(log_softmax(np.array([1000.0, 1000.0]))), 0.5)


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("gaussian-mixture")
