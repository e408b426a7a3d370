import numpy as np
import pytest
import torch
from scipy.signal import convolve2d

import golden
from regard.theory.theorem import bindings
from regard.theory.theorems.convolution_sizes import THEOREM, meetings, placements, seen
from regard.theory.value import value


@pytest.mark.parametrize(
    ("kernel", "padding", "stride"), [(3, 0, 1), (3, 1, 2), (5, 2, 3), (3, 2, 2), (4, 0, 5)]
)
def test_sizes_are_torchs(kernel: int, padding: int, stride: int) -> None:
    layer = torch.nn.Conv1d(1, 1, kernel, stride=stride, padding=padding)
    assert placements(32, kernel, padding, stride) == layer(torch.zeros(1, 1, 32)).shape[-1]


def test_the_four_layers_of_amsterdam_have_the_known_sizes() -> None:
    for padding, expected in ((0, [30, 14, 6, 2]), (1, [32, 16, 8, 4]), (2, [34, 18, 10, 6])):
        size, found = 32, []
        for stride in (1, 2, 2, 2):
            size = placements(size, 3, padding, stride)
            found.append(size)
        assert found == expected


def test_the_first_pixel_is_scipys() -> None:
    known = bindings(THEOREM, np.random.default_rng(41))
    image = np.array([[known["u"](i, j) for j in range(1, 4)] for i in range(1, 4)])
    kernel = np.array([[known["h"](a, b) for b in (-1, 0, 1)] for a in (-1, 0, 1)])
    four = value(r"g_{2,2} h_{-1,-1} + g_{2,1} h_{-1,0} + g_{1,2} h_{0,-1} + g_{1,1} h_{0,0}", known)
    assert four == pytest.approx(convolve2d(image, kernel, mode="same")[0, 0])


def test_only_full_padding_treats_the_corner_like_the_middle() -> None:
    image = torch.zeros(1, 1, 12, 12)
    image[0, 0, 0, 0] = 1.0
    for padding in range(5):
        met = torch.nn.functional.conv2d(image, torch.ones(1, 1, 5, 5), padding=padding).sum().item()
        assert meetings(12, 5, padding) == met


@pytest.mark.parametrize(
    ("kernels", "strides"), [((3, 3, 3), (1, 1, 1)), ((5, 3, 2), (2, 3, 1)), ((2, 4, 3), (1, 2, 2))]
)
def test_what_a_stack_sees_is_where_torch_has_a_gradient(kernels, strides) -> None:
    x = torch.zeros(1, 1, 60, requires_grad=True)
    y = x
    for kernel, stride in zip(kernels, strides, strict=True):
        y = torch.nn.functional.conv1d(y, torch.ones(1, 1, kernel), stride=stride)
    y[0, 0, 0].backward()
    places = x.grad[0, 0].nonzero()
    assert seen(kernels, strides) == int(places.max() - places.min()) + 1


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
