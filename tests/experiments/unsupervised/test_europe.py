"""The descent over places, the likelihood, and the pictures: on places made up here."""

import re
from pathlib import Path

import pytest
import torch

from regard.data.sets.places import Places, arrange
from regard.errors import RegardError, Unreachable
from regard.experiments.unsupervised import europe as home
from regard.experiments.unsupervised.europe import (
    OwnPlane,
    Plane,
    contours,
    descend,
    likelihood,
    load_europe,
    load_plane,
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
def map_of(places: Places) -> Plane:
    return Plane(places, "Made up.", [torch.tensor([[0.0, 50.0], [10.0, 55.0]])])


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
def test_the_pictures_show_every_model(map_of: Plane) -> None:
    torch.manual_seed(0)
    models = {"one": GaussianMixtureModel(1), "boxes": UniformMixtureModel(4)}
    figure = strip(map_of, models)
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["one", "boxes", "", ""]
    counts = [sum(len(one.get_offsets()) for one in axis.collections[1:]) for axis in figure.axes]
    assert counts == [1000, 1000, 100, 400]
    assert len(picture(figure)) < 500_000
    assert len(contours(map_of, models).axes) == 2


@pytest.mark.slow
def test_a_film_shows_all_trainings_at_each_epoch(map_of: Plane) -> None:
    torch.manual_seed(0)
    frames = {f"epoch {epoch}": GaussianMixtureModel(3) for epoch in (1, 10, 20)}
    svg = picture(moving(map_of, {"a": frames, "b": dict(frames)})).decode()
    assert svg.count('<g class="film-3-') == 3 and len(svg) < 500_000
    titles = re.findall(r"<!-- ([ab], epoch \d+) -->", svg)
    assert titles == [f"{name}, epoch {epoch}" for epoch in (1, 10, 20) for name in "ab"]


def test_the_means_of_a_film_are_as_large_as_their_weights(map_of: Plane) -> None:
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


def test_what_a_film_shows_on_its_maps_are_pixels(map_of: Plane) -> None:
    """As vectors, the means of six epochs alone are a third of a megabyte."""
    figure = home._moment(map_of, {"a": GaussianMixtureModel(3)})
    drawn = [one for axis in figure.axes for one in axis.collections]
    assert len(drawn) > 2 and all(one.get_rasterized() for one in drawn)


def test_a_map_without_outlines_says_so(monkeypatch: pytest.MonkeyPatch, places: Places) -> None:
    def unreachable() -> list[torch.Tensor]:
        raise Unreachable("no outlines", "no network", "connect")

    monkeypatch.setattr(home, "load_places", lambda countries, limit: places)
    monkeypatch.setattr(home, "load_outlines", unreachable)
    assert load_europe(2, None).said.endswith("The outlines are not reachable from here, and are not drawn.")
    monkeypatch.setattr(home, "load_outlines", list)
    whole = load_europe(2, None)
    assert "320 places to learn from and 40 to test on, from the 2 European" in whole.said
    assert whole.said.endswith("Natural Earth.")


def flowers(folder: Path, *, labelled: bool = True) -> Path:
    """Three heaps in three columns, the middle one of which is always the same."""
    draw = torch.Generator().manual_seed(0)
    rows = ["x,same,y,kind" if labelled else "x,same,y"]
    for number, (x, y) in enumerate((torch.randn(90, 2, generator=draw)).tolist()):
        kind = number % 3
        rows.append(f"{x + 9 * kind},7,{y}" + (f",{'abc'[kind]}" if labelled else ""))
    (folder / "flowers.csv").write_text("\n".join(rows))
    return folder / "flowers.csv"


def test_points_of_ones_own_start_from_their_labels(tmp_path: Path) -> None:
    plane = load_plane(OwnPlane(points=flowers(tmp_path)), countries=33, limit=None)
    assert plane.own is not None and plane.own.columns == ("x", "y")
    assert sorted(plane.places.codes) == ["a", "b", "c"] and not plane.outlines
    assert plane.say("{places}, {group} means") == "points, label means"
    means = plane.places.degrees(plane.places.country_means())[:, 0]
    assert sorted(means.tolist()) == pytest.approx([0, 9, 18], abs=1)
    left, right, lower, upper = plane.frame
    assert (plane.own.values[:, 0] > left).all() and (plane.own.values[:, 1] < upper).all() and lower < right
    assert plane.said.endswith(
        "Of these 'x' and 'y' are the axes; the means of 3 labels are one of the starts. 80 points are learned from, 10 test."
    )


def test_points_without_labels_are_grouped_by_nearness(tmp_path: Path) -> None:
    path = flowers(tmp_path, labelled=False)
    plane = load_plane(OwnPlane(points=path, columns=("y", "x")), countries=3, limit=None)
    assert plane.own is not None and plane.own.columns == ("y", "x") and len(plane.places.codes) == 3
    assert "the means of 3 groups of near points are one of the starts" in plane.said
    assert plane.say("{places}, {group} means") == "points, group means"
    assert not plane.places.country_means().isnan().any()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"columns": ("x",)}, "points of the plane have two columns\n  got: x in flowers.csv\n  fix: name two columns of numbers: --set columns=x,y"),
        ({"columns": ("x", "same")}, "a column does not vary\n  got: 'same' of flowers.csv is always the same\n  fix: name two that do: --set columns=x,y"),
        ({"points": None, "label": "kind"}, "columns and label describe points of your own\n  got: columns=, label='kind', and no points\n  fix: add --set points=FILE, or leave them out"),
    ],
)  # fmt: skip
def test_points_that_do_not_fit_are_told(tmp_path: Path, words: dict, message: str) -> None:
    with pytest.raises(RegardError) as error:
        load_plane(OwnPlane(**{"points": flowers(tmp_path)} | words), countries=3, limit=None)
    assert str(error.value) == message


def test_why_a_column_was_left_out_stands_where_one_is_missing(tmp_path: Path) -> None:
    rows = "".join(f"{one},5;{one % 7}\n" for one in range(99))
    (tmp_path / "de.csv").write_text(f"höhe;breite\nabc;3\n{rows}")
    with pytest.raises(RegardError) as error:
        load_plane(OwnPlane(points=tmp_path / "de.csv"), countries=3, limit=None)
    assert error.value.got == "breite in de.csv; not used: 'höhe' ('abc' in row 1 is no number)"


def test_points_that_are_given_again_and_again_make_fewer_groups(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("x,y\n" + "1,2\n3,4\n5,0\n" * 40)
    plane = load_plane(OwnPlane(points=tmp_path / "mine.csv"), countries=33, limit=None)
    assert 2 <= len(plane.places.codes) <= 3 and not plane.places.country_means().isnan().any()
