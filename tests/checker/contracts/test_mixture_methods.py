"""Samples are judged by their moments, and chance alone is no finding."""

import numpy as np
import pytest

from regard.checker.contracts.mixture_methods import moments

MEAN, DEVIATION = np.array([3.0, -1.0]), np.array([0.5, 2.0])


def samples(rng: np.random.Generator, deviation: np.ndarray, noise: int = 2) -> np.ndarray:
    return MEAN + deviation * rng.standard_normal((1000, noise))


def test_good_samples_pass_under_many_seeds() -> None:
    assert not [
        s
        for s in range(300)
        if moments(samples(np.random.default_rng(s), DEVIATION), MEAN, DEVIATION, "samples")
    ]


@pytest.mark.parametrize(
    ("deviation", "slug"),
    [
        (DEVIATION**2, "sample-variance"),
        (2 * np.log(DEVIATION), "sample-log-variance"),
        (np.ones(2), "sample-unit"),
        (np.sqrt(DEVIATION), "sample-deviation-rooted"),
    ],
)
def test_a_wrong_deviation_is_named(deviation: np.ndarray, slug: str) -> None:
    broken = moments(samples(np.random.default_rng(0), deviation), MEAN, DEVIATION, "samples")
    assert broken
    assert broken.slug == slug


def test_shared_noise_is_named() -> None:
    rng = np.random.default_rng(0)
    for drawn in (samples(rng, DEVIATION, noise=1), np.repeat(samples(rng, DEVIATION)[:1], 1000, 0)):
        broken = moments(drawn, MEAN, DEVIATION, "samples")
        assert broken
        assert broken.slug == "sample-noise-shared"


def test_an_unknown_deviation_has_no_name() -> None:
    broken = moments(samples(np.random.default_rng(0), 3.3 * DEVIATION), MEAN, DEVIATION, "samples")
    assert broken
    assert broken.slug == ""
