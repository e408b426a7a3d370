"""The picture: as many maps as heads, shades that are the weights, labels where they can be read."""

import base64
import io
import re

import numpy as np
import pytest
import torch

from regard.lab.look.attention import Attention
from regard.lab.look.figure import LEVELS, PIXELS, _names, printable, svg
from regard.lab.look.maps import AttentionLayer


def maps(layers: int, heads: int, n: int, labels: str = "") -> Attention:
    torch.manual_seed(0)
    found = (
        AttentionLayer(f"block{i}", torch.rand(1, heads, n, n).softmax(-1), "softmax") for i in range(layers)
    )
    return Attention(tuple(found), tuple(labels))


def images(text: str) -> list[np.ndarray]:
    from matplotlib.image import imread

    return [imread(io.BytesIO(base64.b64decode(one))) for one in re.findall(r"base64,([^\"]+)", text)]


@pytest.mark.parametrize(("layers", "heads"), [(2, 2), (12, 12), (1, 1), (1, 32)])
def test_there_is_a_map_for_each_head_and_the_colours(layers: int, heads: int) -> None:
    text = svg(maps(layers, heads, 5))
    assert text.count("<image") == layers * heads + 1
    width, height = map(float, re.search(r'width="([\d.]+)" height="([\d.]+)"', text).groups())  # type: ignore[union-attr]
    places = re.findall(r'<image x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', text)
    assert all(float(x) + float(w) <= width and float(y) + float(h) <= height for x, y, w, h in places)
    assert float(places[0][2]) >= 69 and width <= max(1100, 80 * heads + 160)


def test_the_shades_are_the_weights() -> None:
    weights = torch.tensor([[1.0, 0.0], [0.25, 0.75]])
    one = Attention((AttentionLayer("a", weights[None, None], "softmax"),), ("x", "y"))
    image, scale = images(svg(one))
    times = PIXELS // 2
    assert image.shape[:2] == (2 * times, 2 * times) and len(scale) >= PIXELS
    assert image[0, -1, :3].tolist() == [1.0, 1.0, 1.0]
    dark = [float(image[i, j, :3].sum()) for i, j in ((0, 0), (-1, -1), (-1, 0), (0, -1))]
    assert dark == sorted(dark) and len(set(dark)) == 4 and LEVELS > 2


@pytest.mark.parametrize(
    ("heads", "n", "there"), [(2, 19, True), (12, 19, False), (2, 60, False), (1, 50, True)]
)
def test_labels_are_drawn_where_they_can_be_read(heads: int, n: int, there: bool) -> None:
    text = svg(maps(1, heads, n, "q" * n))
    assert text.count(">q<") == (n * (heads + 1) if there else 0)


def test_a_label_cannot_break_the_picture() -> None:
    text = svg(maps(1, 1, 2, "<&"))
    assert "&lt;" in text and "&amp;" in text and "<<" not in text
    assert printable("\x1b[31m") == "?[31m" and printable("a" * 40) == "a" * 13 + "…"


def test_over_patches_the_picture_and_the_grid_are_drawn() -> None:
    weights = torch.rand(1, 2, 7, 7).softmax(-1)
    one = Attention((AttentionLayer("a", weights, ""),), (), grid=(2, 3), picture=torch.rand(3, 4, 6))
    found = images(svg(one))
    assert [x.shape[:2] for x in found] == [(160, 240), (160, 240), (4, 6), found[-1].shape[:2]]


def test_each_label_stands_at_the_middle_of_its_row_and_column() -> None:
    """A letter's middle is about 3.5 above its baseline, and beside it where it is turned."""
    parts = _names(["a", "b"], 10, 20, 40, 60, rows=True)
    places = [tuple(float(one) for one in re.findall(r' [xy]="([0-9.]+)"', part)) for part in parts]
    (first, left, second, below) = places
    assert (left[1] - 3.5, below[1] - 3.5) == (20 + 15, 20 + 45) and left[0] == below[0] < 10
    assert (first[0] - 3.5, second[0] - 3.5) == (10 + 10, 10 + 30) and first[1] == second[1] > 20 + 60
    assert f"rotate(-90 {first[0]:g} {first[1]:g})" in parts[0]
