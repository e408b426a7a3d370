"""The descent over places, the likelihood, and the pictures: on places made up here."""

import re

import pytest
import torch

from regard.data.sets.places import Places, arrange
from regard.errors import Unreachable
from regard.experiments.unsupervised import europe as home
from regard.experiments.unsupervised.europe import (
    Europe,
    contours,
    descend,
    likelihood,
    load_europe,
    moving,
    strip,
)
from regard.lab.book.style import picture
from regard.models.mixture.gaussian import GaussianMixtureModel
from regard.models.mixture.uniform import UniformMixtureModel


@pytest.fixture
def places() -> Places:
    generator = torch.Generator().manual_seed(0)
    points = torch.randn(360, 2, generator=generator) * 3 + 45
    return arrange([(x - 35, y, ("DE", "FR")[n % 2]) for n, (x, y) in enumerate(points.tolist())], 2)


@pytest.fixture
def map_of(places: Places) -> Europe:
    return Europe(places, [torch.tensor([[0.0, 50.0], [10.0, 55.0]])])


def test_a_descent_is_the_loop_of_the_assignment(places: Places) -> None:
    """Adam on −mean log p over shuffled batches, written out."""
    torch.manual_seed(1)
    ours, theirs = GaussianMixtureModel(3), GaussianMixtureModel(3)
    theirs.load_state_dict(ours.state_dict())
    assert list(descend(ours, places, epochs=3, batches=4, rate=0.01, seed=5)) == [1, 2, 3]
    optimiser = torch.optim.Adam(theirs.parameters(), lr=0.01)
    for index in range(12):
        optimiser.zero_grad()
        loss = -theirs(places.batch("train", index, size=80, seed=5)).mean()
        loss.backward()
        optimiser.step()
    for name, parameter in ours.named_parameters():
        assert torch.allclose(parameter, theirs.get_parameter(name), atol=1e-5), name


def test_edges_harden_on_the_way(places: Places) -> None:
    torch.manual_seed(1)
    model, seen = UniformMixtureModel(3, softness=0.5), []
    for _ in descend(model, places, epochs=4, batches=5, rate=0.01, seed=0, softness=(0.5, 0.005)):
        seen.append(model.softness)
    assert seen == sorted(seen, reverse=True) and seen[-1] == pytest.approx(0.005)
    assert seen[1] == pytest.approx(0.05)


def test_the_likelihood_is_a_mean_without_a_graph(places: Places) -> None:
    model, points = GaussianMixtureModel(2), places.splits["test"]
    assert likelihood(model, points) == pytest.approx(-model.loss(points).item(), abs=1e-6)


@pytest.mark.slow
def test_the_pictures_show_every_model(map_of: Europe) -> None:
    torch.manual_seed(0)
    models = {"one": GaussianMixtureModel(1), "boxes": UniformMixtureModel(4)}
    figure = strip(map_of, models)
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["one", "boxes", "", ""]
    counts = [sum(len(one.get_offsets()) for one in axis.collections[1:]) for axis in figure.axes]
    assert counts == [1000, 1000, 100, 400]
    assert len(picture(figure)) < 500_000
    assert len(contours(map_of, models).axes) == 2


@pytest.mark.slow
def test_a_film_shows_all_trainings_at_each_epoch(map_of: Europe) -> None:
    torch.manual_seed(0)
    frames = {f"epoch {epoch}": GaussianMixtureModel(3) for epoch in (1, 10, 20)}
    svg = picture(moving(map_of, {"a": frames, "b": dict(frames)})).decode()
    assert svg.count('<g class="film-3-') == 3 and len(svg) < 500_000
    titles = re.findall(r"<!-- ([ab], epoch \d+) -->", svg)
    assert titles == [f"{name}, epoch {epoch}" for epoch in (1, 10, 20) for name in "ab"]


def test_the_means_of_a_film_are_as_large_as_their_weights(map_of: Europe) -> None:
    model = GaussianMixtureModel(2)
    with torch.no_grad():
        model.logits.copy_(torch.tensor([0.75, 0.25]).log())
        model.means.copy_(torch.tensor([[0.0, 0.0], [1.0, -1.0]]))
    (axis,) = home._moment(map_of, {"a": model}).axes
    means = axis.collections[-1]
    first, second = means.get_sizes()
    assert first == pytest.approx(3 * second)
    east, north = map_of.places.mean + map_of.places.deviation * torch.tensor([1.0, -1.0])
    assert means.get_offsets()[1].tolist() == pytest.approx([east.item(), north.item()], abs=1e-4)


def test_a_map_without_outlines_says_so(
    monkeypatch: pytest.MonkeyPatch, places: Places, map_of: Europe
) -> None:
    def unreachable() -> list[torch.Tensor]:
        raise Unreachable("no outlines", "no network", "connect")

    monkeypatch.setattr(home, "load_places", lambda countries, limit: places)
    monkeypatch.setattr(home, "load_outlines", unreachable)
    assert load_europe(2, None).said.endswith("The outlines are not reachable from here, and are not drawn.")
    assert "320 places to learn from and 40 to test on, from the 2 European" in map_of.said
    assert map_of.said.endswith("Natural Earth.")
