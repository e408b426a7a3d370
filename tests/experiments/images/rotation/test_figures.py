"""The figures show what they say they show."""

import pytest
import torch

from regard.data.sets.images import Pictures
from regard.experiments.images.rotation.figures import draw_classes, draw_curves, draw_first, draw_turned


def pictures(channels: int) -> Pictures:
    generator = torch.Generator().manual_seed(0)
    shown = torch.randint(0, 256, (30, channels, 8, 8), generator=generator).byte()
    labels = torch.arange(30) % 3
    return Pictures(
        name="set",
        train=shown,
        train_labels=labels,
        test=shown,
        test_labels=labels,
        classes=("a", "b", "c"),
        said="",
    )


@pytest.mark.slow
def test_the_first_25_are_shown_with_their_names() -> None:
    for channels in (1, 3):
        figure = draw_first(pictures(channels))
        assert [panel.get_title(loc="left") for panel in figure.axes] == [
            ("a", "b", "c")[at % 3] for at in range(25)
        ]


def test_a_quarter_turn_is_the_same_picture_turned() -> None:
    panels = draw_turned(pictures(1), (0, 90)).axes
    upright, turned = (torch.from_numpy(panel.images[0].get_array().data) for panel in panels[:2])
    assert torch.equal(upright.rot90(1, (0, 1)), turned)


def test_curves_are_means_over_seeds_and_what_was_published_is_black() -> None:
    curve = torch.tensor([[10.0, 20.0], [30.0, 40.0]])
    (panel,) = draw_curves({"one": curve}, (0, 30), {"one": (50.0, 60.0)}).axes
    mean, thin, other, published = (list(line.get_ydata()) for line in panel.lines[:4])
    assert (thin, other, mean, published) == ([10, 20], [30, 40], [20, 30], [50, 60])
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["one", "Amsterdam A2"]


def test_classes_are_rows() -> None:
    figure = draw_classes(
        {"one": torch.rand(3, 13), "two": torch.rand(3, 13)}, ("a", "b", "c"), range(0, 361, 30)
    )
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["a", "b", "c"]
    assert [label.get_text() for label in figure.axes[1].get_xticklabels()] == [
        "0",
        "90",
        "180",
        "270",
        "360",
    ]
