"""Places by country: which are kept, how they are split and normalised, batches, outlines, the real thing."""

import json

import pytest
import torch

from regard.data.sets.places import (
    EAST,
    EUROPE,
    WEST,
    Places,
    arrange,
    load_outlines,
    load_places,
    read_outlines,
    read_places,
)
from regard.errors import RegardError, Unreachable

TABLE = """lat,lon,name,admin1,admin2,cc
48.85,2.35,"Paris, France",A,,FR
41.0,29.0,Istanbul,B,,TR
55.75,37.6,Moscow,C,,RU
56.8,60.6,Yekaterinburg,D,,RU
28.1,-15.4,Las Palmas,E,,ES
"""


def rows(count: int = 90) -> list[tuple[float, float, str]]:
    """Three countries of different size, each at a place of its own."""
    homes = {"DE": (10.0, 51.0), "FR": (2.0, 47.0), "IT": (12.0, 42.0)}
    order = ["DE"] * 3 + ["FR"] * 2 + ["IT"]
    return [
        (homes[code][0] + 0.01 * number, homes[code][1] - 0.02 * number, code)
        for number, code in enumerate(order * (count // 6))
    ]


def test_europe_is_kept_without_asia_and_far_islands() -> None:
    assert list(read_places(TABLE.encode())) == [(2.35, 48.85, "FR"), (37.6, 55.75, "RU")]
    assert len(EUROPE) == 52 and "TR" not in EUROPE


def test_the_largest_countries_come_first_and_the_others_go() -> None:
    places = arrange(rows(), 2)
    assert places.codes == ("DE", "FR")
    assert sum(len(split) for split in places.splits.values()) == 75
    assert [int((torch.cat(list(places.country.values())) == k).sum()) for k in (0, 1)] == [45, 30]


def test_the_training_places_alone_normalise() -> None:
    places = arrange(rows(), 3)
    train, test = places.splits["train"].double(), places.splits["test"].double()
    assert len(test) == 10 and len(train) == 80
    assert torch.allclose(train.mean(0), torch.zeros(2).double(), atol=1e-6)
    assert torch.allclose(train.std(0, correction=0), torch.ones(2).double(), atol=1e-6)
    assert test.mean(0).abs().max() > 1e-3  # its own statistics are not 0 and 1
    degrees = places.degrees(torch.cat([test, train]))
    found = {(round(a, 2), round(b, 2)) for a, b in degrees.tolist()}
    assert found == {(round(a, 2), round(b, 2)) for a, b, _ in rows()}
    assert torch.allclose(places.normal(degrees), torch.cat([test, train]), atol=1e-6)


def test_each_place_keeps_its_country() -> None:
    places = arrange(rows(), 3)
    means = places.degrees(places.country_means())
    assert places.codes == ("DE", "FR", "IT")
    assert torch.allclose(means, torch.tensor([[10.4, 50.1], [2.4, 46.1], [12.4, 41.1]]), atol=0.25)


def test_an_epoch_holds_every_place_once_in_an_order_of_its_own() -> None:
    places = arrange(rows(), 3)
    assert places.batches("train", 7) == 12
    epochs = [
        torch.cat([places.batch("train", 12 * epoch + part, size=7, seed=3) for part in range(12)])
        for epoch in (0, 1)
    ]
    whole = sorted(places.splits["train"].tolist())
    assert [sorted(epoch.tolist()) for epoch in epochs] == [whole, whole]
    assert not torch.equal(*epochs)
    again, other = (places.batch("train", 5, size=7, seed=seed) for seed in (3, 4))
    assert torch.equal(again, epochs[0][35:42]) and not torch.equal(again, other)
    assert len(places.batch("train", 11, size=7, seed=3)) == 3


def test_a_limit_takes_some_at_random() -> None:
    places = arrange(rows(), 3, limit=18)
    assert {name: len(split) for name, split in places.splits.items()} == {"train": 16, "test": 2}
    assert len(set(places.country["train"].tolist())) > 1


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: arrange(rows(), 4),
            "there are not so many countries\n  got: countries=4, of 3\n  fix: ask for 1 to 3",
        ),
        (
            lambda: arrange(rows(), 3).batch("tain", 0, size=2, seed=0),
            "no split of that name\n  got: 'tain'\n  fix: did you mean 'train'?",
        ),
    ],
)
def test_mistakes_are_told_in_three_lines(call, told: str) -> None:
    with pytest.raises(RegardError) as caught:
        call()
    assert str(caught.value) == told


def test_a_line_around_the_world_is_cut_at_its_edge() -> None:
    """A border that leaves the map in the east and comes back in the west is two lines, not one across Europe."""
    around = [[20, 60], [20, 0], [139, 0], [-358, 0], [170, 0]]
    found = read_outlines(
        json.dumps({"transform": {"scale": [1, 1], "translate": [0, 0]}, "arcs": [around]}).encode()
    )
    assert [line[:, 0].tolist() for line in found] == [[20.0, 40.0, 179.0], [-179.0, -9.0]]


@pytest.fixture(scope="module")
def europe() -> Places:
    try:
        return load_places()
    except Unreachable as missing:
        pytest.skip(missing.what)


@pytest.mark.slow
def test_the_real_places(europe: Places) -> None:
    train, test = europe.splits["train"], europe.splits["test"]
    assert len(train) + len(test) == 63_403 and len(test) == 63_403 // 9
    assert europe.codes[:4] == ("DE", "IT", "FR", "ES") and len(europe.codes) == 33
    madrid = europe.degrees(europe.country_means())[europe.codes.index("ES")]
    assert torch.allclose(madrid, torch.tensor([-3.7, 40.4]), atol=1.0)


@pytest.mark.slow
def test_the_real_outlines() -> None:
    try:
        lines = load_outlines()
    except Unreachable as missing:
        pytest.skip(missing.what)
    assert len(lines) > 200
    points = torch.cat(lines)
    assert points[:, 0].min() < WEST + 5 and points[:, 0].max() > EAST - 5
    assert max(line[:, 0].diff().abs().max().item() for line in lines if len(line) > 1) < 180
