"""Brain slices for segmentation: one averaged brain, with its grey and white matter."""

import torch
from torch import Tensor

from regard.data.fetch.archive import read_members
from regard.data.fetch.catalogue import entry
from regard.data.fetch.download import fetch_file
from regard.data.fetch.web import Patience, Progress
from regard.data.formats.nifti import read_nifti
from regard.data.sets.masks import Segmented, shrink, standard
from regard.errors import RegardError
from regard.shapes import Float, Int

TISSUES = ("other", "grey matter", "white matter")
"What a pixel shows."


def load_slices(
    *,
    step: int = 2,
    test: tuple[int, int] = (84, 108),
    gap: int = 12,
    factor: int = 2,
    patience: Patience | None = None,
    progress: Progress | None = None,
) -> Segmented:
    """Every `step`-th axial slice of the averaged brain ICBM 152, a millimetre each, shrunk by a factor.

    Slices next to each other are nearly the same picture, so the test slices are a block of their own and no
    training slice is nearer to them than `gap`. It is one brain: nothing follows for another.
    """
    known = entry("brain")
    members = read_members(fetch_file(known, patience=patience, progress=progress), known.members)
    volumes = {
        name.split("mni_icbm152_")[1][:2]: read_nifti(content, name) for name, content in members.items()
    }
    labels = tissues(volumes["gm"], volumes["wm"])
    # Only where there is enough brain to see: the lowest and highest slices are neck and air.
    used = torch.tensor(
        [z for z in range(0, labels.shape[2], step) if (labels[..., z] > 0).float().mean() > 0.1]
    )
    images, masks = shrink(upright(volumes["t1"], used)[:, None], upright(labels, used), factor)
    return Segmented(
        name="brain",
        images=standard(images),
        masks=masks,
        classes=TISSUES,
        splits=distant(used, test, gap),
        said=f"The pictures are axial slices of {known.what}.",
    )


def tissues(grey: Float[Tensor, "x y z"], white: Float[Tensor, "..."]) -> Int[Tensor, "x y z"]:
    """The likeliest of grey matter, white matter and all else, from two maps of 0 (none) to 255 (all)."""
    if grey.shape != white.shape:
        raise RegardError(
            "the two tissue maps are not of one brain",
            f"grey {tuple(grey.shape)}, white {tuple(white.shape)}",
            "remove the brain and fetch it again",
        )
    return torch.stack([255 - grey - white, grey, white]).argmax(0)


def upright(volume: Tensor, slices: Int[Tensor, " b"]) -> Tensor:
    """Axial slices as pictures are looked at: the front of the head up."""
    return volume[:, :, slices].permute(2, 1, 0).flip(1)


def distant(places: Int[Tensor, " b"], test: tuple[int, int], gap: int) -> dict[str, Int[Tensor, " _"]]:
    """Which slices are tried on (from the first of `test` to below the second), which are learned from.

    >>> distant(torch.arange(0, 20, 2), (8, 12), 4)
    {'train': tensor([0, 1, 2, 8, 9]), 'test': tensor([4, 5])}
    """
    first, last = test
    inside = (places >= first) & (places < last)
    far = (places <= first - gap) | (places >= last - 1 + gap)
    if not inside.any() or not (far & ~inside).any():
        raise RegardError(
            "a part of the slices is empty",
            f"test={test}, gap={gap}, slices from {int(places.min())} to {int(places.max())}",
            "choose a test block and a gap that leave slices on both sides",
        )
    return {"train": (far & ~inside).nonzero().flatten(), "test": inside.nonzero().flatten()}
