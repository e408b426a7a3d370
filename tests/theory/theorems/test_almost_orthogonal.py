import numpy as np
import pytest
from scipy.stats import binom

import golden
from regard.theory.theorems.almost_orthogonal import (
    COUNT,
    THEOREM,
    above,
    coherence,
    directions,
    distortion,
    fitting,
    packed,
)


@pytest.mark.parametrize(("terms", "least"), [(1, 0), (8, 2), (255, -32.5), (256, 0)])
def test_a_sum_of_signs_has_the_binomial_law(terms: int, least: float) -> None:
    heads = (terms + least) / 2
    assert above(terms, least) == pytest.approx(binom.sf(np.floor(heads), terms, 0.5), abs=1e-12)


def test_directions_have_length_one_and_the_mean_product_asked_for() -> None:
    vectors = directions(np.random.default_rng(29), (200, 400), 0.2)
    products = vectors @ vectors.T
    assert np.diag(products) == pytest.approx(np.ones(200))
    assert products[np.triu_indices(200, 1)].mean() == pytest.approx(0.2, abs=0.01)


def test_coherence_by_a_loop() -> None:
    vectors = np.random.default_rng(30).standard_normal((6, 4))
    assert coherence(vectors) == pytest.approx(
        max(abs(a @ b) for i, a in enumerate(vectors) for b in vectors[:i])
    )


def test_distortion_is_seen_and_falls_with_the_width() -> None:
    random = np.random.default_rng(31)
    points = random.standard_normal((20, 50))
    assert distortion(points, 16, random) > distortion(points, 4096, random)


def test_more_directions_than_dimensions_fit() -> None:
    assert coherence(directions(np.random.default_rng(32), (800, 400))) < 0.35


def test_packing_keeps_only_what_is_almost_orthogonal() -> None:
    assert (
        packed(np.random.default_rng(45), 6, 0.0) == 1
        and packed(np.random.default_rng(45), 6, 1.0, tries=50) == 50
    )
    assert 6 < packed(np.random.default_rng(46), 6, 0.6) < 60


def test_bounds_beside_the_measured_are_those_of_their_names() -> None:
    sweep = fitting(np.random.default_rng(47), 1)
    for name, factor in (("by the lemma, δ = √(128 ln N / n)", 128), ("√(4 ln N / n)", 4)):
        shares = np.square(sweep.also[name]) * sweep.at
        assert shares == pytest.approx(np.full(len(sweep.at), factor * np.log(COUNT)))


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
