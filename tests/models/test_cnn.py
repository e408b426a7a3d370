"""The classifier against its formula, and what it refuses."""

import pytest
import torch

from regard.errors import RegardError
from regard.models.cnn import ConvNet


def test_the_classifier_is_its_formula() -> None:
    net, pictures = ConvNet(channels=1, side=11, classes=7, widths=(2, 3, 5)), torch.rand(2, 1, 11, 11)
    values = pictures
    for layer in net.layers:
        values = torch.nn.functional.conv2d(values, layer.weight, layer.bias, padding=1).clamp(min=0)
        values = values.unfold(2, 2, 2).unfold(3, 2, 2).amax((-2, -1))
    hidden = (values.flatten(1) @ net.hidden.weight.T + net.hidden.bias).clamp(min=0)
    torch.testing.assert_close(net(pictures), hidden @ net.head.weight.T + net.head.bias)
    with pytest.raises(RegardError) as raised:
        ConvNet(side=7)
    assert str(raised.value) == (
        "the picture is too small to be halved three times\n  got: a side of 7\n  fix: pass 8 or more"
    )
