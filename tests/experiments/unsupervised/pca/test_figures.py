"""The figures show what they say they show."""

import pytest
import torch

from regard.experiments.unsupervised.pca.figures import draw_landscape, draw_training, draw_weights
from regard.experiments.unsupervised.pca.landscape import decay


def test_training_shows_every_seed_the_stairs_and_the_predicted_slope() -> None:
    at, values = [0, 5, 10], torch.tensor([4.0, 2.0, 1.0], dtype=torch.float64)
    angles = [torch.tensor(pair, dtype=torch.float64) for pair in ((80.0, 90.0), (0.5, 0.25), (0.125, 0.25))]
    losses = [torch.tensor(pair, dtype=torch.float64) for pair in ((7.0, 7.0), (4.0, 3.0), (3.0, 3.0))]
    left, right = draw_training(at, angles, losses, values, bottleneck=1, rate=0.01).axes
    first, second, nothing, one = (list(line.get_ydata()) for line in left.lines)
    assert (first, second) == ([7, 4, 3], [7, 3, 3]) and (nothing[0], one[0]) == (7, 3)
    assert [text.get_text() for text in left.texts] == ["nothing learned", "1 learned"]
    *seeds, slope = right.lines
    assert [list(line.get_ydata()) for line in seeds] == [[80, 0.5, 0.125], [90, 0.25, 0.25]]
    assert list(slope.get_xdata()) == [5, 10], "from where every angle is below one degree"
    shrunk = 0.375 * (1 - 2 * 0.01 * decay(values, 1)) ** 5
    assert list(slope.get_ydata()) == pytest.approx([0.375, shrunk])
    assert right.get_yscale() == "log" and right.get_legend().get_texts()[0].get_text() == slope.get_label()


def test_weights_stand_beside_the_eigenvectors_and_products_beside_the_projector() -> None:
    encoder, decoder = torch.randn(2, 2, 5), torch.randn(2, 5, 2)
    kept = torch.linalg.qr(torch.randn(5, 2)).Q
    *axes, bar = draw_weights(encoder, decoder, kept).axes
    shown = [torch.from_numpy(axis.images[0].get_array().data) for axis in axes]
    expected = [*decoder, kept, *(decoder @ encoder), kept @ kept.T]
    assert len(shown) == 6 and bar.get_ylabel() == "entry"
    for one, other in zip(shown, expected, strict=True):
        torch.testing.assert_close(one, other)
    assert [axis.get_title(loc="left") for axis in axes[:2]] == ["W₂, seed 0", "W₂, seed 1"]


def test_the_landscape_names_whole_sets_and_the_minimum() -> None:
    rows = [
        ("none", 9.0, 4, "4", 1),
        ("1", 5.0, 2, "–", 0),
        ("1, 2", 2.0, 0, "0", 7),
        ("1, 3", 4.0, 1, "1", 2),
    ]
    (axis,) = draw_landscape(rows, 2).axes
    whole, fewer = axis.collections
    assert whole.get_offsets().tolist() == [[0, 2], [1, 4]] and fewer.get_offsets().tolist() == [
        [4, 9],
        [2, 5],
    ]
    assert whole.get_sizes().tolist() == [12 + 3 * 7, 12 + 3 * 2]
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["2 eigenvectors", "fewer"]
    *names, minimum = axis.texts
    assert [text.get_text() for text in names] == ["1, 2", "1, 3"]
    assert minimum.xy == (0, 2.0) and minimum.get_text() == "the minimum: principal components"
