"""Places of Europe by country, made ready to learn from, and the outlines to draw them on."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy
import torch
from torch import Tensor

from regard.data.fetch.archive import read_members
from regard.data.fetch.catalogue import entry
from regard.data.fetch.download import fetch_file
from regard.data.fetch.web import Patience, Progress
from regard.errors import RegardError, nearest
from regard.shapes import Float, Int

_CODES = """
AD AL AT AX BA BE BG BY CH CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK
MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK
"""
EUROPE = frozenset(_CODES.split())
"Country codes, as ISO 3166 has them (XK is Kosovo's own)."
WEST, EAST, SOUTH, NORTH = -25.0, 45.0, 34.0, 72.0
"Degrees between which a place counts: Asian Russia and far islands lie outside."


@dataclass(frozen=True)
class Places:
    """Places in two splits, longitude and latitude brought to mean 0 and deviation 1 by the training split.

    The batches of an epoch are its places in random order; batch i is the same whenever it is asked for.
    """

    codes: tuple[str, ...]
    "The countries, those with most places first."
    splits: Mapping[str, Float[Tensor, "n 2"]]
    "The places of each split, normalised."
    country: Mapping[str, Int[Tensor, " n"]]
    "The country of each place, as its number in `codes`."
    mean: Float[Tensor, " 2"]
    "Mean longitude and latitude of the training split."
    deviation: Float[Tensor, " 2"]
    "Their deviations."

    def degrees(self, points: Float[Tensor, "n 2"]) -> Float[Tensor, "n 2"]:
        """Normalised points as longitude and latitude."""
        return points * self.deviation.to(points) + self.mean.to(points)

    def normal(self, degrees: Float[Tensor, "n 2"]) -> Float[Tensor, "n 2"]:
        """Longitude and latitude, normalised."""
        return (degrees - self.mean.to(degrees)) / self.deviation.to(degrees)

    def country_means(self) -> Float[Tensor, "k 2"]:
        """The middle of each country's places in the training split, or of all where it has none."""
        points, country = self.splits["train"], self.country["train"]
        own = [points[country == k] for k in range(len(self.codes))]
        return torch.stack([(one if len(one) else points).mean(0) for one in own])

    def batch(self, split: str, index: int, *, size: int, seed: int) -> Float[Tensor, "b 2"]:
        """Batch number `index`, counted through the epochs; the last of an epoch holds what is left."""
        if split not in self.splits:
            fix = nearest(split, self.splits, f"one of {', '.join(self.splits)}")
            raise RegardError("no split of that name", repr(split), fix)
        points = self.splits[split]
        epoch, part = divmod(index, self.batches(split, size))
        return points[_order(len(points), seed, epoch)[part * size : (part + 1) * size]]

    def batches(self, split: str, size: int) -> int:
        """Batches in an epoch."""
        return -(-len(self.splits[split]) // size)


def load_places(
    countries: int = 33,
    *,
    limit: int | None = None,
    patience: Patience | None = None,
    progress: Progress | None = None,
) -> Places:
    """The places of the European countries that have most of them; of all of these, `limit` at random."""
    known = entry("places")
    (content,) = read_members(fetch_file(known, patience=patience, progress=progress), known.members).values()
    return arrange(list(read_places(content)), countries, limit)


def read_places(content: bytes) -> Iterator[tuple[float, float, str]]:
    """Longitude, latitude and country code of each place of Europe in a table of the world's."""
    for row in csv.DictReader(io.StringIO(content.decode("utf-8"))):
        longitude, latitude = float(row["lon"]), float(row["lat"])
        if row["cc"] in EUROPE and WEST <= longitude <= EAST and SOUTH <= latitude <= NORTH:
            yield longitude, latitude, row["cc"]


def arrange(rows: list[tuple[float, float, str]], countries: int, limit: int | None = None) -> Places:
    """Keep the largest countries, hold out one place in nine at random, normalise by the rest."""
    found = Counter(code for _, _, code in rows)
    if not 0 < countries <= len(found):
        got = f"countries={countries}, of {len(found)}"
        raise RegardError("there are not so many countries", got, f"ask for 1 to {len(found)}")
    codes = tuple(code for code, _ in sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:countries])
    number = {code: k for k, code in enumerate(codes)}
    kept = [row for row in rows if row[2] in number]
    order = torch.randperm(len(kept), generator=torch.Generator().manual_seed(0))[:limit]
    points = torch.tensor([row[:2] for row in kept], dtype=torch.float64)[order]
    country = torch.tensor([number[row[2]] for row in kept])[order]
    held = len(points) // 9
    train = points[held:]
    mean, deviation = train.mean(0), train.std(0, correction=0)
    points = ((points - mean) / deviation).float()
    return Places(
        codes,
        {"train": points[held:], "test": points[:held]},
        {"train": country[held:], "test": country[:held]},
        mean,
        deviation,
    )


@lru_cache(maxsize=4)
def _order(count: int, seed: int, epoch: int) -> Tensor:
    return torch.from_numpy(numpy.random.default_rng([seed, epoch]).permutation(count))


def load_outlines(
    *, patience: Patience | None = None, progress: Progress | None = None
) -> list[Float[Tensor, "n 2"]]:
    """The coasts and borders of Europe as lines in degrees."""
    path = fetch_file(entry("world-atlas"), patience=patience, progress=progress)
    (content,) = read_members(path, ("package/countries-50m.json",)).values()
    return read_outlines(content)


def read_outlines(content: bytes) -> list[Float[Tensor, "n 2"]]:
    """The lines of a TopoJSON map that touch Europe: steps on a grid, each line stored once.

    >>> grid = {"scale": [1, 2], "translate": [0, 40]}
    >>> read_outlines(json.dumps({"transform": grid, "arcs": [[[3, 0], [1, 1]], [[99, 0], [1, 1]]]}).encode())
    [tensor([[ 3., 40.],
            [ 4., 42.]])]
    """
    map_ = json.loads(content)
    scale, start = (numpy.array(map_["transform"][key]) for key in ("scale", "translate"))
    lines = (part for arc in map_["arcs"] for part in _parts(numpy.cumsum(arc, 0) * scale + start))
    low, high = numpy.array([WEST, SOUTH]), numpy.array([EAST, NORTH])
    touching = (line for line in lines if ((line >= low) & (line <= high)).all(1).any())
    return [torch.from_numpy(line).float() for line in touching]


def _parts(line: numpy.ndarray) -> list[numpy.ndarray]:
    """The pieces of a line that goes around the edge of the map, from 180° east to 180° west."""
    return numpy.split(line, numpy.flatnonzero(abs(numpy.diff(line[:, 0])) > 180) + 1)
