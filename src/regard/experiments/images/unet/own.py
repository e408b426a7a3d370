"""Segmentation data of one's own: a folder of pictures and a folder of masks, paired by their names."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy
import torch
from torch import Tensor

from regard.data.sets.masks import Segmented, standard
from regard.errors import RegardError
from regard.experiments.images.unet.segmentation import Scores
from regard.lab.experiment import OwnWords
from regard.lab.statistics import difference

SIDE = 96
"Height and width to which pictures and masks are brought."
FEWEST, CLASSES = 4, 20
"Pairs that there are at least, and values that masks have at most."
PICTURES, MASKS = ("images", "image", "imgs", "pictures"), ("masks", "mask", "labels", "label", "annotations")
"What the two folders are called."


def read_own(folder: Path) -> Segmented:
    """The pictures and masks of a folder that has `images` and `masks` in it; the last quarter is for the test.

    A mask has its picture's name, or that with `_mask`; each of its values, or colours, is a class. The commonest
    class comes first, as that which surrounds the others.
    """
    pairs = _pairs(folder)
    pictures = [_fitted(picture, smooth=True) for picture, _ in pairs]
    grey = all(one.ndim == 2 for one in pictures)
    shown = [one if grey else one if one.ndim == 3 else one[..., None].repeat(3, 2) for one in pictures]
    images = torch.stack([_channels(one) for one in shown]).float()
    codes = torch.stack([_codes(_fitted(mask, smooth=False)) for _, mask in pairs])
    counts = Counter(dict(zip(*(one.tolist() for one in codes.unique(return_counts=True)), strict=True)))
    if not 2 <= len(counts) <= CLASSES:
        raise RegardError(
            f"masks have 2 to {CLASSES} values, a class each",
            f"{len(counts)} in {len(pairs)} masks of {folder}",
            "save the masks as PNG: JPEG blurs the values at every outline",
        )
    values = [value for value, _ in counts.most_common()]
    masks = torch.stack([codes == value for value in values]).int().argmax(0)
    first = len(pairs) - max(1, len(pairs) // 4)
    names = tuple(str(value) if value < 256 else f"#{value - 256:06x}" for value in values)
    return Segmented(
        name=folder.name,
        images=standard(images),
        masks=masks,
        classes=names,
        splits={"train": torch.arange(first), "test": torch.arange(first, len(pairs))},
        said=f"The pictures are your own: {folder.name}, {len(pairs)} with their masks, {'grey' if grey else 'in colour'}, "
        f"brought to {SIDE} × {SIDE}; {first} to learn from, {len(pairs) - first} to be tried on.",
    )


def _pairs(folder: Path) -> list[tuple[Path, Path]]:
    """Each picture with its mask, by name."""
    inside = {path.name.lower(): path for path in folder.iterdir() if path.is_dir()}
    places = [next((inside[name] for name in names if name in inside), None) for names in (PICTURES, MASKS)]
    if places[0] is None or places[1] is None:
        raise RegardError(
            "pictures with masks lie in two folders",
            f"{folder} with {', '.join(sorted(inside)) or 'no folders'}",
            "put them into images and masks in it, under the same names",
        )
    pictures, masks = (
        {path.stem: path for path in sorted(place.iterdir()) if path.is_file()} for place in places if place
    )
    masks |= {name.removesuffix("_mask"): path for name, path in masks.items()}
    both = [(pictures[name], masks[name]) for name in pictures if name in masks]
    if len(both) < FEWEST:
        raise RegardError(
            f"there are fewer than {FEWEST} pictures with a mask",
            f"{len(both)} pairs of {len(pictures)} pictures and {len(masks)} masks in {folder}",
            "give a mask the name of its picture, or that with _mask",
        )
    return both


def _fitted(path: Path, *, smooth: bool) -> numpy.ndarray:
    """The middle square of a file, brought to size: rows and columns of values or of colours."""
    from PIL import Image, ImageOps

    try:
        with Image.open(path) as opened:
            picture: Any = opened if opened.mode in ("L", "P", "1") else opened.convert("RGB")
            picture = (
                picture.convert("RGB" if picture.mode == "P" else "L")
                if smooth and picture.mode != "RGB"
                else picture
            )
            way = Image.Resampling.BILINEAR if smooth else Image.Resampling.NEAREST
            return numpy.array(ImageOps.fit(picture, (SIDE, SIDE), way))
    # Pillow says what is wrong with a file by many kinds of errors, a bomb included.
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        got = f"{path}: {type(error).__name__}"
        raise RegardError("this is no picture that can be read", got, "mend it, or remove it") from error


def _channels(values: numpy.ndarray) -> Tensor:
    return torch.from_numpy(values.reshape(*values.shape[:2], -1)).movedim(-1, 0)


def _codes(values: numpy.ndarray) -> Tensor:
    """A number for each pixel of a mask: its value, or its colour above 255."""
    if values.ndim == 2:
        return torch.from_numpy(values.astype(numpy.int64))
    return 256 + torch.from_numpy(values.astype(numpy.int64) @ numpy.array([65536, 256, 1]))


def said_of_own(skips: Mapping[int, Scores], none: Mapping[int, Scores]) -> str:
    """What was found in pictures of a person's own: by area and by outline, with skips and without, seed by seed."""
    told = []
    for name in ("Dice", "outline F"):
        first, second = ({seed: one.named()[name] for seed, one in found.items()} for found in (skips, none))
        gap = difference(first, second)
        means = (sum(found.values()) / len(found) for found in (first, second))
        sure = (
            "one seed cannot say whether that is chance"
            if gap.count < 2
            else f"95 % interval of the difference {gap.low:+.3f} to {gap.high:+.3f}"
            + ("" if gap.low > 0 or gap.high < 0 else ", which settles nothing")
        )
        told.append("{} {:.3f} with skips and {:.3f} without ({})".format(name, *means, sure))
    return f"On your test pictures the networks have, over {len(skips)} seeds: {'; '.join(told)}."


WORDS = OwnWords(
    data="folder",
    question="What do the skips of a U-Net carry on your pictures, and what does it do without them?",
    method="""A U-Net halves a picture several times, each time with more channels, and brings it back to full
        size; at each size a skip hands the picture from the way down to the way up. It gives each pixel a class.
        It is trained with all skips and with none, from the same seeds and on the same pieces, and tried on
        pictures that it has not seen: the last quarter of yours, by name. Where neighbours in that order are alike, they are
        no fair test of what is new.

        Dice is 2|A∩B| / (|A|+|B|) for the found and the true pixels of a class, IoU is |A∩B| / |A∪B|, and
        the outline F-score is the same idea for the pixels at the edge of a class. The loss is −log p of the true
        class. A rule that sees nothing but a pixel's own brightness says how much of the task needs a network.

        Then, in the trained network, each skip in turn is replaced by its mean over the picture, which leaves what
        it says and takes away where. Last, a picture is shifted and the answer moved back.""",
    see="""Without skips everything that is finer than the smallest size has to be made up again on the way up: look for errors along
        outlines. Cutting a skip after training shows which one carries where things are. A U-Net is not
        equivariant to all shifts: its pooling has a grid, and shifts by whole squares of the coarsest grid leave
        the answer as it was.

        Whether a task needs a network at all is a question of its own: compare the rule that sees one pixel in the table.
        How the sizes of maps follow from padding and strides is in [[theory-convolution-sizes]], what borders
        tell about the place in [[padding]].""",
)
"How the experiment speaks over pictures of a person's own."
