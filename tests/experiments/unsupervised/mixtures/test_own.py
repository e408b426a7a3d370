"""Points of one's own: the best of several starts of EM, and sentences that follow the numbers."""

import pytest
import torch

from regard.data.sets.places import arrange
from regard.experiments.unsupervised.europe import POINTS, Plane
from regard.experiments.unsupervised.mixtures.own import MixtureFit, by_em, far_apart, fit_all, said_of_own
from regard.lab.statistics import difference


def three_heaps(each: int = 150) -> Plane:
    """Round heaps of so many points, which labels tell apart."""
    points = torch.randn(3 * each, 2, generator=torch.Generator().manual_seed(0)).tolist()
    homes = {"a": (0, 0), "b": (9, 1), "c": (3, 8)}
    codes = [code for code in homes for _ in range(each)]
    rows = [(homes[c][0] + x, homes[c][1] + y, c) for c, (x, y) in zip(codes, points, strict=True)]
    return Plane(arrange(rows, 3), "Made up.", words=POINTS | {"group": "label"})


def test_em_from_several_starts_finds_the_number_of_heaps() -> None:
    fits = fit_all(three_heaps(), (1, 3, 5), steps=100, seed=0)
    assert max(fits, key=lambda count: fits[count].mean) == 3
    sure = difference(*(dict(enumerate(fits[count].test.tolist())) for count in (3, 1)))
    assert sure.low > 0
    assert [row[0] for row in by_em(fits).rows] == [1, 3, 5]


def test_starts_are_points_that_lie_apart() -> None:
    points = torch.cat([torch.zeros(50, 2), torch.full((50, 2), 9.0)])
    drawn = far_apart(points, 2, torch.Generator().manual_seed(0))
    assert sorted(drawn[:, 0].tolist()) == [0, 9]
    assert len(far_apart(points, 5, torch.Generator().manual_seed(0))) == 5


def told(tests: dict[int, list[float]], descents: dict[int, float], starts: tuple[dict, dict]) -> str:
    fits = {count: MixtureFit(0.0, torch.tensor(values)) for count, values in tests.items()}
    return said_of_own(three_heaps(), fits, descents, difference(*starts), 50)


def test_a_descent_that_stops_short_of_em_is_said_to() -> None:
    said = told(
        {1: [-3.0, -3.1, -2.9], 3: [-1.5, -1.6, -1.4]}, {1: -3.0, 3: -1.9}, ({0: -1.4, 1: -1.5}, {0: -1.9, 1: -2.0})
    )  # fmt: skip
    assert "is -3.000 with 1, -1.500 with 3: highest with 3. One gradient descent" in said
    assert "over 50 epochs, ends at -3.000 with 1, -1.900 with 3: with 3 it stops short of EM" in said
    assert "ends higher on the test points from the means of your labels than from random means" in said
    assert said.endswith(
        "(95 % interval of the difference +0.500 to +0.500): the first start is the better one."
    )


@pytest.mark.parametrize(
    ("starts", "end"),
    [
        (({0: -1.0, 1: -2.0}, {0: -1.5, 1: -1.4}), "zero lies within it, so that it is not settled which start is better."),
        (({0: -1.0}, {0: -1.5}), "by 0.500 nats a point; one seed cannot say whether that is chance."),
        (({0: -2.0, 1: -2.0}, {0: -1.0, 1: -1.0}), "the second start is the better one."),
    ],
)  # fmt: skip
def test_what_is_not_settled_is_said_to_be_open(starts: tuple[dict, dict], end: str) -> None:
    said = told({3: [-1.5, -1.6, -1.4], 5: [-1.6, -1.5, -1.45]}, {3: -1.5, 5: -1.5}, starts)
    assert "highest with 3; over 3 points it is not settled that 5 would be worse" in said
    assert "stops short" not in said and said.endswith(end)
