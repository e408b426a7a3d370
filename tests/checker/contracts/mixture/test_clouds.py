"""Points to which mixtures are fitted, and the names of what fits them."""

import re

import numpy as np
import pytest

from regard.checker.contracts.mixture.clouds import FITS, POINTS, cloud


def test_a_cloud_is_the_same_each_time_and_lies_along_no_axis() -> None:
    found = cloud(4)
    assert found.shape == (POINTS, 4)
    assert np.array_equal(found, cloud(4))
    apart = np.corrcoef(found.T) - np.eye(4)
    assert np.abs(apart).max() > 0.1


def test_each_place_has_its_points_and_near_places_overlap() -> None:
    place = np.array([0, 0, 0, 1, 1, 1, 2, 2])[np.arange(POINTS) % 8]
    assert np.bincount(place).min() > POINTS / 5

    def at_home(apart: float) -> float:
        """The share of the points that are nearest to the mean of their own place."""
        points = cloud(5, apart)
        means = np.stack([points[place == one].mean(0) for one in range(3)])
        return float((((points[:, None] - means) ** 2).sum(-1).argmin(1) == place).mean())

    assert at_home(30.0) == 1.0
    assert at_home(0.6) < 0.9


@pytest.mark.parametrize(
    ("name", "fits"),
    [("fit", True), ("_run_em", True), ("entrenar", True), ("predict", False), ("item", False)],
)
def test_what_fits_is_known_by_its_name(name: str, fits: bool) -> None:
    assert bool(re.search(FITS, name)) is fits
