"""Albums: pictures and masks in a file each, known by a list of hashes; cell membranes and pets."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

import numpy
import torch
from torch import Tensor

from regard.arguments import check_sizes, kinds
from regard.data.fetch.catalogue import Entry
from regard.data.fetch.download import fetch_file
from regard.data.fetch.origin import Address, File
from regard.data.fetch.web import Patience
from regard.data.sets.masks import Segmented, shrink, standard
from regard.errors import RegardError, nearest
from regard.shapes import Float, Int


@dataclass(frozen=True, kw_only=True)
class Album:
    """Many small files of one origin: what they hold, where they lie, and what the values of a mask mean."""

    name: str
    "What people call it; the list of its hashes is NAME.sha256 beside this file."
    what: str
    "What it holds."
    licence: str
    "Its licence, or that it is unclear."
    address: str
    "The public folder that holds the files."
    folder: str
    "Where they lie below `REGARD_DATA` or the cache."
    images: str
    "The folder of the pictures, there and here."
    masks: str
    "The folder of the masks."
    labels: Mapping[int, int]
    "The class of each value that a mask may have."
    classes: tuple[str, ...]
    "What the classes are called."

    def files(self) -> list[File]:
        """Every file, by the list of hashes."""
        lines = (files("regard.data.sets") / f"{self.name}.sha256").read_text(encoding="utf-8").splitlines()
        parts = [line.split(" ", 2) for line in lines]
        return [File(path=path, sha256=sha256, size=int(size)) for sha256, size, path in parts]

    def pairs(self) -> list[tuple[File, File]]:
        """Pictures and masks that have the same name but for its ending."""
        found: dict[str, dict[str, File]] = {self.images: {}, self.masks: {}}
        for file in self.files():
            folder, _, name = file.path.removeprefix(f"{self.folder}/").rpartition("/")
            found[folder][name.rpartition(".")[0]] = file
        names = sorted(found[self.images], key=lambda name: (len(name), name))
        return [(found[self.images][name], found[self.masks][name]) for name in names]

    def entry(self, file: File) -> Entry:
        """A file as a dataset of its own."""
        path = file.path.removeprefix(f"{self.folder}/")
        return Entry(
            name=f"{self.name} ({path})",
            what=self.what,
            licence=self.licence,
            file=file,
            origins=(Address(f"{self.address}/{path}"),),
        )

    def read(self, file: File, patience: Patience | None = None) -> bytes:
        """The bytes of a file, brought here first if need be."""
        return fetch_file(self.entry(file), patience=patience).read_bytes()


ALBUMS = (
    Album(
        name="membranes",
        what="30 slices of a fruit fly's nerve cord (ISBI 2012), with the membranes of its cells",
        licence="unclear: the repository is MIT, the challenge asks for research use",
        address="https://raw.githubusercontent.com/zhixuhao/unet/b45af4d458437d8281cc218a07fd4380818ece4a/data/membrane/train",
        folder="isbi2012_membrane",
        images="image",
        masks="label",
        labels={255: 0, 0: 1},
        classes=("cell", "membrane"),
    ),
    Album(
        name="pets",
        what="370 pictures of cats and dogs, ten of each of 37 breeds, with their outlines (Oxford-IIIT Pet)",
        licence="for research; see the terms of the Oxford-IIIT Pet dataset",
        address="https://raw.githubusercontent.com/guebin/oxford-pets-cascam/36828edfb04cfee9427c63b0a9074088a633f9f3",
        folder="pets",
        images="original",
        masks="annotations/trimaps",
        labels={2: 0, 1: 1, 3: 2},
        classes=("background", "pet", "border"),
    ),
)
"The albums that are known by name."


@kinds
def load_album(
    name: str,
    *,
    factor: int = 4,
    limit: int | None = None,
    test: float = 0.25,
    patience: Patience | None = None,
) -> Segmented:
    """The pictures of an album, or `limit` of them, shrunk by a factor; the last share is for the test.

    Pictures are taken evenly from the whole album. Those of `membranes` lie on one another in the order of
    their numbers, so its parts are distant slices but for those at the border.
    """
    album = find_album(name)
    check_sizes("load_album", factor=factor, limit=1 if limit is None else limit)
    if not 0 < test <= 1:
        raise RegardError("the test gets a share of the pictures", f"test={test}", "0 < test <= 1")
    pairs = album.pairs()
    chosen = (
        pairs if limit is None else [pairs[len(pairs) * i // limit] for i in range(min(limit, len(pairs)))]
    )
    images, masks = [], []
    for picture, outline in chosen:
        image = decode(album.read(picture, patience), picture.path)
        mask = decode(album.read(outline, patience), outline.path)
        classes = relabel(mask, album.labels, outline.path)
        small, labels = shrink(image[None], classes[None], factor)
        images.append(small)
        masks.append(labels)
    first = len(chosen) - max(1, round(test * len(chosen)))
    return Segmented(
        name=name,
        images=standard(torch.cat(images)),
        masks=torch.cat(masks),
        classes=album.classes,
        splits={"train": torch.arange(first), "test": torch.arange(first, len(chosen))},
        said=f"The pictures are {len(chosen)} of {album.what}.",
    )


@kinds
def find_album(name: str) -> Album:
    """The album of that name."""
    for known in ALBUMS:
        if known.name == name:
            return known
    names = [known.name for known in ALBUMS]
    raise RegardError("no album of that name", repr(name), nearest(name, names, f"one of {', '.join(names)}"))


def decode(content: bytes, name: str) -> Float[Tensor, "c y x"]:
    """A picture file (PNG, JPEG, TIFF) as numbers from 0 to 255: one channel if it is grey, else three."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content)) as picture:
            shown = picture if picture.mode == "L" else picture.convert("RGB")
            values = numpy.asarray(shown, numpy.float32)
    # Pillow says what is wrong with a file by many kinds of errors, a bomb included.
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise RegardError(
            f"{name} is no picture that can be read",
            f"{type(error).__name__}: {error}",
            "remove it and fetch it again",
        ) from error
    return torch.from_numpy(values.reshape(*values.shape[:2], -1)).movedim(-1, 0).contiguous()


def relabel(mask: Float[Tensor, "c y x"], labels: Mapping[int, int], name: str) -> Int[Tensor, "y x"]:
    """The class of each pixel of a mask.

    >>> relabel(torch.tensor([[[0.0, 255.0]]]), {255: 0, 0: 1}, "mask.png")
    tensor([[1, 0]])
    """
    values = mask[0].long()
    if unknown := sorted(set(values.unique().tolist()) - set(labels)):
        raise RegardError(
            f"the mask {name} has values without a class",
            f"value {unknown[0]}, and known are {sorted(labels)}",
            "remove it and fetch it again",
        )
    return sum(label * (values == value) for value, label in labels.items()) + torch.zeros_like(values)
