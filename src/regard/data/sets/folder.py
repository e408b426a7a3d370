"""Pictures of one's own: a folder with one folder in it for each class, brought to one size."""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy
import torch
from torch import Tensor

from regard.arguments import check_sizes, kinds
from regard.data.sets.images import Pictures
from regard.errors import RegardError

PARTS = {
    "train": "train",
    "training": "train",
    "test": "test",
    "val": "test",
    "valid": "test",
    "validation": "test",
}
"Folders that part the pictures into those to learn from and those to be tried on."
MOST = 100_000
"Pictures that are read, at most."
Colour = Literal["as they are", "grey"]


@kinds
def read_pictures(folder: Path | str, *, side: int = 28, colour: Colour = "as they are") -> Pictures:
    """The pictures of a folder that has one folder in it for each class: PNG, JPEG, or whatever Pillow reads.

    Each is cut to its middle square and brought to `side` × `side`. They are grey if all are, else in colour;
    what is transparent becomes black. Where the classes lie in `train` and `test`, that is the split; else
    every fifth picture of a class is to be tried on. Files that are no pictures are passed over, and counted.
    """
    folder = Path(folder)
    check_sizes("read_pictures", side=side)
    found, passed = _find(folder)
    names = sorted({name for _, name, _ in found})
    if len(names) < 2:
        raise RegardError(
            "pictures need two classes or more",
            f"{folder} with {_found(names, found, passed)}",
            "put the pictures of each class into a folder of its own: mine/cats/1.png, mine/dogs/1.png",
        )
    opened = [(part, names.index(name), _open(path, side)) for part, name, path in found]
    whole = [(part, label, picture) for part, label, picture in opened if picture is not None]
    passed += len(opened) - len(whole)
    grey = colour == "grey" or all(picture.grey for *_, picture in whole)
    sizes = Counter(picture.size for *_, picture in whole)
    pixels = torch.stack([_pixels(picture, grey) for *_, picture in whole]) if whole else torch.empty(0)
    labels = torch.tensor([label for _, label, _ in whole], dtype=torch.long)
    test = _tested([part for part, *_ in whole], labels)
    counts = labels.bincount(minlength=len(names)).tolist()
    if min(counts) < 2 or not test.any() or test.all():
        told = ", ".join(f"{name} {count}" for name, count in zip(names, counts, strict=True))
        raise RegardError(
            "a class has too few pictures",
            f"{told} in {folder}",
            "give each class two that can be read, or more",
        )
    said = (
        f"The pictures are your own: {folder.name}, {len(whole):,} pictures in {len(names)} classes "
        f"({', '.join(f'{name} {count}' for name, count in list(zip(names, counts, strict=True))[:12])}), "
        f"{'grey' if grey else 'in colour'}, {_sizes_said(sizes)} brought to {side} × {side}; "
        f"{int((~test).sum()):,} to learn from, {int(test.sum()):,} to be tried on."
        + (f" {passed:,} files that are no pictures were passed over." if passed else "")
    )
    # In an order of their own, so that the first so many are of all classes.
    order = torch.randperm(len(pixels), generator=torch.Generator().manual_seed(0))
    learn, tried = order[~test[order]], order[test[order]]
    return Pictures(
        name=folder.name,
        train=pixels[learn],
        train_labels=labels[learn],
        test=pixels[tried],
        test_labels=labels[tried],
        classes=tuple(names),
        said=said,
    )


def _found(names: list[str], found: list, passed: int) -> str:
    if not names:
        return f"no folder that holds pictures, and {passed} files"
    return f"{len(found)} pictures in one folder, '{names[0]}'"


def _find(folder: Path) -> tuple[list[tuple[str, str, Path]], int]:
    """Part, class and path of each file that may be a picture, and how many files are none."""
    if not os.path.isdir(folder):  # a name too long is none, without an error
        raise RegardError(
            "no folder of that name", f"'{folder}'", "name a folder that has one for each class"
        )
    found, passed = [], 0
    for path in _files(folder):
        words = path.relative_to(folder).parts[:-1]
        part = PARTS.get(words[0].lower(), "") if words else ""
        words = words[1:] if part else words
        if not words or path.suffix.lower() not in _endings():
            passed += 1
        else:
            found.append((part, words[0], path))
    if len(found) > MOST:
        raise RegardError(
            "too many pictures", f"{len(found):,} in {folder}", f"name a folder of {MOST:,} or fewer"
        )
    return found, passed


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(
            part.startswith((".", "__MACOSX")) for part in path.relative_to(folder).parts
        ):
            yield path


def _endings() -> set[str]:
    from PIL import Image

    return {ending for ending, kind in Image.registered_extensions().items() if kind in Image.OPEN}


class Fitted(NamedTuple):
    """A picture brought to size: red, green and blue; whether it was grey; how large it was."""

    pixels: Tensor
    grey: bool
    size: tuple[int, int]


def _open(path: Path, side: int) -> Fitted | None:
    """A picture, upright, its middle square brought to size; None where it cannot be read."""
    from PIL import Image, ImageOps

    try:
        with Image.open(path) as picture:
            shown = ImageOps.exif_transpose(picture)
            fitted = ImageOps.fit(_opaque(shown), (side, side), Image.Resampling.BILINEAR)
            values = torch.from_numpy(numpy.array(fitted, numpy.uint8)).movedim(-1, 0).contiguous()
            return Fitted(values, shown.mode[0] in "1LIF", shown.size)
    # Pillow says what is wrong with a file by many kinds of errors, a bomb included.
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError):
        return None


def _opaque(picture: Any) -> Any:
    """A picture in red, green and blue, on black; numbers beyond 255 are shares of 65535."""
    from PIL import Image

    if picture.mode[0] in "IF":
        values = numpy.asarray(picture, numpy.float64)
        top = 65535 if values.max() > 255 else 255
        return Image.fromarray((values * 255 / top).clip(0, 255).astype(numpy.uint8)).convert("RGB")
    ground = Image.new("RGBA", picture.size, (0, 0, 0, 255))
    return Image.alpha_composite(ground, picture.convert("RGBA")).convert("RGB")


def _pixels(picture: Fitted, grey: bool) -> Tensor:
    if not grey:
        return picture.pixels
    shares = torch.tensor([0.299, 0.587, 0.114])[:, None, None]
    return (shares * picture.pixels).sum(0, keepdim=True).round().byte()


def _tested(parts: list[str], labels: Tensor) -> Tensor:
    """Which pictures are to be tried on: by their folder, else every fifth of a class."""
    if "test" in parts and "train" in parts:
        return torch.tensor([part == "test" for part in parts])
    test = torch.zeros(len(labels), dtype=torch.bool)
    for one in labels.unique():
        mine = (labels == one).nonzero().flatten()
        test[mine[4::5] if len(mine) > 4 else mine[-1:]] = True
    return test


def _sizes_said(sizes: Counter) -> str:
    if len(sizes) == 1:
        ((width, height),) = sizes
        return f"{width} × {height}"
    low, high = min(sizes), max(sizes)
    return f"of {len(sizes)} sizes from {low[0]} × {low[1]} to {high[0]} × {high[1]},"
