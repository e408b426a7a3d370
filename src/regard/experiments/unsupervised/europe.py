"""Mixtures over the map of Europe: the places, the descent Jerusalem ex. 5 asks for, and the pictures of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from regard.data.sets.places import EAST, NORTH, SOUTH, WEST, Places, load_outlines, load_places
from regard.errors import Unreachable
from regard.lab.book.style import BLUE, RED, film, panels, style
from regard.models.mixture.gaussian import GaussianMixtureModel, Mixture, unlikelihood
from regard.models.mixture.uniform import UniformMixtureModel, annealed
from regard.training import Plan, Training

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GRID = 120
"Points to a side of the grid on which densities are drawn."


@dataclass(frozen=True)
class Europe:
    """Places to learn from, and lines to draw them on."""

    places: Places
    outlines: Sequence[Tensor]
    "Coasts and borders in degrees; none where they cannot be had."

    @property
    def said(self) -> str:
        """Which places these are."""
        train, test = (len(self.places.splits[name]) for name in ("train", "test"))
        (east, north), (wide, high) = self.places.mean.tolist(), self.places.deviation.tolist()
        return (
            f"{train:,} places to learn from and {test:,} to test on, from the "
            f"{len(self.places.codes)} European countries with most places ({', '.join(self.places.codes)}). "
            f"Longitude and latitude are brought to mean 0 and deviation 1 by the training places alone: "
            f"mean {east:.2f}° E, {north:.2f}° N, deviations {wide:.2f}° and {high:.2f}°. "
            "Data: GeoNames; outlines: Natural Earth."
            + ("" if self.outlines else " The outlines are not reachable from here, and are not drawn.")
        )


def load_europe(countries: int, limit: int | None) -> Europe:
    """The places, and the outlines where they are reachable."""
    places = load_places(countries, limit=limit)
    try:
        return Europe(places, load_outlines())
    except Unreachable:
        return Europe(places, [])


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


def strip(europe: Europe, models: Mapping[str, Mixture]) -> "Figure":
    """For each model, 1000 of its samples, and below them 100 of each component, coloured by component."""
    with style():
        figure, axes = panels(len(models), 2, width=2.15 * len(models), height=1.75)
        for column, (title, model) in enumerate(models.items()):
            above, below = axes[column], axes[column + len(models)]
            generator = torch.Generator().manual_seed(0)
            _map(above, europe, title)
            _map(below, europe, "")
            _scatter(above, europe, model.sample(1000, generator=generator), BLUE)
            each = [model.conditional_sample(100, k, generator=generator) for k in range(model.components)]
            colours = [one for k in range(model.components) for one in 100 * [_colour(k, model.components)]]
            _scatter(below, europe, torch.cat(each), colours)
        axes[0].set_ylabel("1000 samples", fontsize=8)
        axes[len(models)].set_ylabel("100 of each component", fontsize=8)
        return figure


def contours(europe: Europe, models: Mapping[str, Mixture]) -> "Figure":
    """The density of each model in levels, and some of the places it was fitted to."""
    with style():
        figure, axes = panels(len(models), width=2.6 * len(models), height=2.3)
        for axis, (title, model) in zip(axes, models.items(), strict=True):
            _density(axis, europe, model, title)
        return figure


def moving(europe: Europe, trainings: Mapping[str, Mapping[str, GaussianMixtureModel]]) -> "Figure":
    """A film of trainings side by side: by epoch, the density, and the means, the larger the heavier."""
    frames = []
    for moment in zip(*(models.items() for models in trainings.values()), strict=True):
        named = zip(trainings, moment, strict=True)
        frames.append(_moment(europe, {f"{name}, {epoch}": model for name, (epoch, model) in named}))
    return film(frames)


def _moment(europe: Europe, models: Mapping[str, GaussianMixtureModel]) -> "Figure":
    with style():
        figure, axes = panels(len(models), width=3.6 * len(models), height=3.2)
        for axis, (title, model) in zip(axes, models.items(), strict=True):
            _density(axis, europe, model, title, size=1.5)
            for one in axis.collections:
                one.set_rasterized(True)
            east, north = europe.places.degrees(model.means.detach()).T.numpy()
            weights = model.logits.detach().softmax(0).numpy()
            axis.scatter(
                east, north, s=700 * weights, color=RED, edgecolors="white", linewidths=0.5, zorder=3
            )
        return figure


def _density(axis: "Axes", europe: Europe, model: Mixture, title: str, size: float = 0.6) -> None:
    east, north = torch.linspace(WEST, EAST, GRID), torch.linspace(SOUTH, NORTH, GRID)
    with torch.no_grad():
        density = model(europe.places.normal(torch.cartesian_prod(east, north))).view(GRID, GRID).T
    levels = [float(density.max()) - step for step in (6, 5, 4, 3, 2, 1, 0.0)]
    axis.contourf(east, north, density, levels=levels, cmap="Blues", alpha=0.8)
    _scatter(axis, europe, europe.places.splits["test"][:700], "#555555", size=size)
    _map(axis, europe, title)


def _map(axis: "Axes", europe: Europe, title: str) -> None:
    from matplotlib.collections import LineCollection

    # Coasts, points and a film's levels are pixels: as vectors they would make a page of megabytes.
    lines: Any = [line.numpy() for line in europe.outlines]
    axis.add_collection(LineCollection(lines, colors="#888888", linewidths=0.35, rasterized=True, zorder=1.5))
    # A degree of longitude is shorter than one of latitude: by about a third in the middle of Europe.
    axis.set(xlim=(WEST, EAST), ylim=(SOUTH, NORTH), xticks=[], yticks=[], aspect=1.55)
    axis.set_title(title, fontsize=9)
    axis.grid(visible=False)


def _scatter(axis: "Axes", europe: Europe, points: Tensor, colour: Any, size: float = 1.2) -> None:
    east, north = europe.places.degrees(points.detach()).T.numpy()
    axis.scatter(east, north, s=size, color=colour, linewidths=0, rasterized=True, zorder=2)


def _colour(component: int, components: int) -> Any:
    from matplotlib import colormaps

    # Neighbours in number are often neighbours on the map: a step of 0.382 turns keeps their colours apart.
    return colormaps["hsv"](component * 0.381966 % 1) if components > 1 else BLUE
