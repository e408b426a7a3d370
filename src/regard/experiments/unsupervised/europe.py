"""Mixtures over the map of Europe, or over points of one's own: the places, the descent Jerusalem ex. 5 asks for, and the pictures of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import torch
from torch import Tensor

from regard.data.sets.places import EAST, NORTH, SOUTH, WEST, Places, arrange, load_outlines, load_places
from regard.data.sets.points import PointTable, read_points
from regard.errors import RegardError, Unreachable
from regard.lab.book.style import BLUE, RED, film, panels, style
from regard.lab.ranges import OwnPath
from regard.models.mixture.gaussian import GaussianMixtureModel, Mixture, unlikelihood
from regard.models.mixture.uniform import UniformMixtureModel, annealed
from regard.training import Plan, Training

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLACES = {
    "place": "place",
    "places": "places",
    "group": "country",
    "all": "all of Europe",
    "ground": "sea",
    "shapes": "lands",
}
"What is spoken of where the points are the places of Europe: by `Plane.say`."
POINTS = {
    "place": "point",
    "places": "points",
    "group": "group",
    "all": "all your points",
    "ground": "empty ground",
    "shapes": "groups of points",
}
"The same of a person's own points, without labels."
GRID = 120
"Points to a side of the grid on which densities are drawn."
FEWEST = 60
"Points that a person's own file has at least."


@dataclass(frozen=True)
class Plane:
    """Points of the plane to learn from, and what to draw them on: a map of Europe, or nothing."""

    places: Places
    said: str
    "Which points these are."
    outlines: Sequence[Tensor] = ()
    "Coasts and borders in degrees; none where they cannot be had, or there are none."
    own: PointTable | None = None
    "The table that they come from, where they are a person's own."
    words: Mapping[str, str] = field(default_factory=lambda: PLACES)
    "What the points are called, and the groups that they belong to."

    def say(self, text: str) -> str:
        """A text with the words for these points in its brackets."""
        return text.format_map(self.words)

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """Left, right, lower and upper border of what is drawn."""
        if self.own is None:
            return WEST, EAST, SOUTH, NORTH
        low, high = self.own.values.amin(0), self.own.values.amax(0)
        room = 0.08 * (high - low)
        (left, lower), (right, upper) = (low - room).tolist(), (high + room).tolist()
        return left, right, lower, upper


@dataclass(frozen=True, kw_only=True)
class OwnPlane:
    """The settings by which a person brings points of the plane."""

    points: Annotated[Path | None, OwnPath("file")] = None
    "A CSV of points of your own in place of Europe's; columns and label say what is read of it."
    columns: tuple[str, ...] = ()
    "The two columns of your points, by name or number; none given, the first two that are numbers."
    label: str = ""
    "The column of their labels, where its name does not tell."


def load_plane(source: OwnPlane, *, countries: int, limit: int | None) -> Plane:
    """The places of Europe, or points of a person's own."""
    if source.points is None:
        if source.columns or source.label:
            raise RegardError(
                "columns and label describe points of your own",
                f"columns={','.join(source.columns)}, label='{source.label}', and no points",
                "add --set points=FILE, or leave them out",
            )
        return load_europe(countries, limit)
    return own_plane(source.points, source.columns, source.label, groups=countries, limit=limit)


def load_europe(countries: int, limit: int | None) -> Plane:
    """The places of Europe, and the outlines where they are reachable."""
    places = load_places(countries, limit=limit)
    train, test = (len(places.splits[name]) for name in ("train", "test"))
    (east, north), (wide, high) = places.mean.tolist(), places.deviation.tolist()
    said = (
        f"{train:,} places to learn from and {test:,} to test on, from the "
        f"{len(places.codes)} European countries with most places ({', '.join(places.codes)}). "
        f"Longitude and latitude are brought to mean 0 and deviation 1 by the training places alone: "
        f"mean {east:.2f}° E, {north:.2f}° N, deviations {wide:.2f}° and {high:.2f}°. "
        "Data: GeoNames; outlines: Natural Earth."
    )
    try:
        return Plane(places, said, load_outlines())
    except Unreachable:
        return Plane(places, f"{said} The outlines are not reachable from here, and are not drawn.")


def own_plane(path: Path, columns: Sequence[str], label: str, *, groups: int, limit: int | None) -> Plane:
    """Points of a person's own in two columns of a CSV, grouped by their labels, or by nearness where they have none."""
    table = read_points(path, columns=columns, label=label, least=FEWEST)
    if len(table.columns) < 2 or (columns and len(columns) != 2):
        raise RegardError(
            "points of the plane have two columns",
            f"{', '.join(table.columns)} in {path.name}"
            + (f"; not used: {', '.join(table.unused)}" if table.unused else ""),
            "name two columns of numbers: --set columns=x,y",
        )
    table = replace(table, values=table.values[:, :2], columns=table.columns[:2])
    spread = table.values.std(0)
    if not (spread > 0).all():
        got = f"'{table.columns[int(spread.argmin())]}' of {path.name} is always the same"
        raise RegardError("a column does not vary", got, "name two that do: --set columns=x,y")
    count = len(table.values)
    named = table.labels is not None and int((table.labels.bincount() >= 5).sum()) > 1
    labels = table.labels if named else _near(table.values, min(groups, max(2, count // 20)))
    assert labels is not None
    codes = table.classes if named else [f"group {group + 1}" for group in range(int(labels.max()) + 1)]
    rows = [(x, y, codes[k]) for (x, y), k in zip(table.values.tolist(), labels.tolist(), strict=True)]
    places = arrange(rows, min(groups, len({code for *_, code in rows})), limit)
    train, test = (len(places.splits[name]) for name in ("train", "test"))
    start = "labels" if named else "groups of near points"
    said = f"{table.said} Of these '{table.columns[0]}' and '{table.columns[1]}' are the axes; the means of {len(places.codes)} {start} are one of the starts. {train:,} points are learned from, {test:,} test."
    words = POINTS | {"group": "label"} if named else POINTS
    return Plane(places, said, own=table, words=words)


def _near(points: Tensor, groups: int) -> Tensor:
    """Which of so many points, drawn at random, each point is nearest to."""
    normal = (points - points.mean(0)) / points.std(0)
    drawn = torch.randperm(len(points), generator=torch.Generator().manual_seed(1))[:groups]
    return torch.cdist(normal, normal[drawn]).argmin(1)


def descend(
    model: Mixture,
    places: Places,
    *,
    epochs: int,
    batches: int,
    rate: float,
    seed: int,
    softness: tuple[float, float] | None = None,
) -> Iterator[int]:
    """Adam on −mean log p(x); yields the number of each epoch when it has ended.

    `softness`, first and last, is that of boxes which harden on the way.
    """
    size = -(-len(places.splits["train"]) // batches)
    epoch = places.batches("train", size)
    plan = Plan(
        steps=epochs * epoch,
        learning_rate=rate,
        betas=(0.9, 0.999),
        schedule="constant",
        warmup=0.0,
        clip=None,
        seed=seed,
    )

    def batch(index: int) -> Tensor:
        return places.batch("train", index, size=size, seed=seed)

    for step in Training(model, batch, unlikelihood, plan):
        if softness and isinstance(model, UniformMixtureModel):
            model.softness = annealed(step.step / plan.steps, first=softness[0], last=softness[1])
        if step.step % epoch == 0:
            yield step.step // epoch


@torch.no_grad()
def likelihood(model: Mixture, points: Tensor) -> float:
    """The mean log-likelihood of points."""
    return model(points).double().mean().item()


def strip(plane: Plane, models: Mapping[str, Mixture]) -> "Figure":
    """For each model, 1000 of its samples, and below them 100 of each component, coloured by component."""
    with style():
        figure, axes = panels(len(models), 2, width=2.15 * len(models), height=1.75)
        for column, (title, model) in enumerate(models.items()):
            above, below = axes[column], axes[column + len(models)]
            generator = torch.Generator().manual_seed(0)
            _map(above, plane, title)
            _map(below, plane, "")
            _scatter(above, plane, model.sample(1000, generator=generator), BLUE)
            each = [model.conditional_sample(100, k, generator=generator) for k in range(model.components)]
            colours = [one for k in range(model.components) for one in 100 * [_colour(k, model.components)]]
            _scatter(below, plane, torch.cat(each), colours)
        axes[0].set_ylabel("1000 samples", fontsize=11)
        axes[len(models)].set_ylabel("100 of each component", fontsize=11)
        return figure


def contours(plane: Plane, models: Mapping[str, Mixture]) -> "Figure":
    """The density of each model in levels, and some of the places it was fitted to."""
    with style():
        figure, axes = panels(len(models), width=2.6 * len(models), height=2.3)
        for axis, (title, model) in zip(axes, models.items(), strict=True):
            _density(axis, plane, model, title)
        return figure


def moving(plane: Plane, trainings: Mapping[str, Mapping[str, GaussianMixtureModel]]) -> "Figure":
    """A film of trainings side by side: by epoch, the density, and the means, the larger the heavier."""
    frames = []
    for moment in zip(*(models.items() for models in trainings.values()), strict=True):
        named = zip(trainings, moment, strict=True)
        frames.append(_moment(plane, {f"{name}, {epoch}": model for name, (epoch, model) in named}))
    return film(frames)


def _moment(plane: Plane, models: Mapping[str, GaussianMixtureModel]) -> "Figure":
    with style():
        figure, axes = panels(len(models), width=2.6 * len(models), height=2.3)
        for axis, (title, model) in zip(axes, models.items(), strict=True):
            _density(axis, plane, model, title, size=1.5)
            east, north = plane.places.degrees(model.means.detach()).T.numpy()
            weights = model.logits.detach().softmax(0).numpy()
            look: Any = {"edgecolors": "white", "linewidths": 0.5, "rasterized": True, "zorder": 3}
            axis.scatter(east, north, s=700 * weights, color=RED, **look)
        return figure


def _density(axis: "Axes", plane: Plane, model: Mixture, title: str, size: float = 0.6) -> None:
    left, right, lower, upper = plane.frame
    east, north = torch.linspace(left, right, GRID), torch.linspace(lower, upper, GRID)
    with torch.no_grad():
        density = model(plane.places.normal(torch.cartesian_prod(east, north))).view(GRID, GRID).T
    levels = [float(density.max()) - step for step in (6, 5, 4, 3, 2, 1, 0.0)]
    axis.contourf(east, north, density, levels=levels, cmap="Blues", alpha=0.8).set_rasterized(True)
    _scatter(axis, plane, plane.places.splits["test"][:700], "#555555", size=size)
    _map(axis, plane, title)


def _map(axis: "Axes", plane: Plane, title: str) -> None:
    from matplotlib.collections import LineCollection

    # Coasts, points and levels are pixels: as vectors they would make a page of megabytes.
    lines: Any = [line.numpy() for line in plane.outlines]
    axis.add_collection(LineCollection(lines, colors="#888888", linewidths=0.35, rasterized=True, zorder=1.5))
    # A degree of longitude is shorter than one of latitude: by about a third in the middle of Europe.
    left, right, lower, upper = plane.frame
    axis.set(xlim=(left, right), ylim=(lower, upper), xticks=[], yticks=[])
    axis.set_aspect("auto" if plane.own else 1.55)
    axis.set_title(title, fontsize=11)
    axis.grid(visible=False)


def _scatter(axis: "Axes", plane: Plane, points: Tensor, colour: Any, size: float = 1.2) -> None:
    east, north = plane.places.degrees(points.detach()).T.numpy()
    axis.scatter(east, north, s=size, color=colour, linewidths=0, rasterized=True, zorder=2)


def _colour(component: int, components: int) -> Any:
    from matplotlib import colormaps

    # Neighbours in number are often neighbours on the map: a step of 0.382 turns keeps their colours apart.
    return colormaps["hsv"](component * 0.381966 % 1) if components > 1 else BLUE
