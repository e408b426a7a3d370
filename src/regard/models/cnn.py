"""Convolutional network (CNN): a small classifier of pictures."""

from itertools import pairwise

import torch.nn.functional as F
from torch import Tensor, nn

from regard.arguments import check_sizes, check_tensor, kinds
from regard.errors import RegardError
from regard.shapes import Float

KERNEL = 3
"Every filter is 3 by 3."


class ConvNet(nn.Module):
    """Three times a convolution, a ReLU and max pooling by 2; then a hidden layer and the classes."""

    @kinds
    def __init__(
        self,
        *,
        channels: int = 3,
        side: int = 32,
        classes: int = 10,
        widths: tuple[int, int, int] = (32, 64, 64),
    ) -> None:
        super().__init__()
        sizes = dict(zip(("widths[0]", "widths[1]", "widths[2]"), widths, strict=True))
        check_sizes("ConvNet", channels=channels, classes=classes, **sizes)
        check_sizes("ConvNet", least=0, side=side)
        if side < 8:
            raise RegardError(
                "the picture is too small to be halved three times", f"a side of {side}", "pass 8 or more"
            )
        self.channels, self.side = channels, side
        self.layers = nn.ModuleList(
            nn.Conv2d(inputs, outputs, KERNEL, padding=1) for inputs, outputs in pairwise((channels, *widths))
        )
        self.hidden = nn.Linear(widths[-1] * (side // 8) ** 2, 64)
        self.head = nn.Linear(64, classes)

    def forward(self, pictures: Float[Tensor, "b c y x"]) -> Float[Tensor, "b k"]:
        check_pictures("ConvNet", pictures, self.channels, self.side)
        for layer in self.layers:
            pictures = F.max_pool2d(F.relu(layer(pictures)), 2)
        return self.head(F.relu(self.hidden(pictures.flatten(1))))


def check_pictures(owner: str, pictures: Tensor, channels: int, side: int) -> None:
    """Refuse what is no picture of the network's channels and side."""
    check_tensor(owner, "pictures", pictures, "b c y x")
    if pictures.shape[-2:] != (side, side):
        raise RegardError(
            f"the network was built for pictures of {side} by {side} pixels",
            f"{pictures.shape[-2]} by {pictures.shape[-1]} pixels",
            f"pass pictures of that size, or build it with side={pictures.shape[-1]}",
        )
    check_channels(pictures, channels)


def check_channels(pictures: Tensor, channels: int) -> None:
    """Refuse pictures of other channels than the first filters have."""
    if pictures.shape[1] != channels:
        raise RegardError(
            "the pictures have other channels than the network's filters",
            f"{pictures.shape[1]} channels, filters for {channels}",
            "pass pictures as number, channel, row, column; grey has 1 channel, colour 3",
        )
