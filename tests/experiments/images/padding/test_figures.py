"""The figures show what they say they show."""

import torch

from regard.experiments.images.padding.figures import (
    draw_courses,
    draw_maps,
    draw_patterns,
    draw_rows,
    draw_unmet,
)
from regard.experiments.images.padding.networks import BORDERS

SCORES = {
    name: torch.randn(29, 23, generator=torch.Generator().manual_seed(at)) for at, name in enumerate(BORDERS)
}


def test_patterns_are_shown_by_class() -> None:
    titles = [panel.get_title(loc="left") for panel in draw_patterns().axes]
    assert (
        titles
        == ["learnt, class 0"] * 2
        + ["learnt, class 1"] * 2
        + ["tested, class 0"] * 2
        + ["tested, class 1"] * 2
    )


def test_unmet_pixels_are_counted_in_the_picture() -> None:
    valid, same, full = draw_unmet().axes
    assert [text.get_text() for text in valid.texts] == ["24"] * 9
    assert [text.get_text() for text in same.texts] == ["13", "7", "13", "7", "0", "7", "13", "7", "13"]
    assert [text.get_text() for text in full.texts] == ["0"] * 9


def test_maps_are_scaled_by_their_largest_score() -> None:
    figure = draw_maps(SCORES)
    for panel, score in zip(figure.axes[:6], SCORES.values(), strict=True):
        shown = torch.from_numpy(panel.images[0].get_array().data)
        torch.testing.assert_close(shown, score / score.abs().max())


def test_rows_are_one_column_of_the_maps() -> None:
    left, right = draw_rows(SCORES).axes
    assert [text.get_text() for panel in (left, right) for text in panel.get_legend().get_texts()] == [
        "valid", "sconv", "reflect", "fconv", "circular", "replicate",
    ]  # fmt: skip
    drawn = torch.as_tensor(right.lines[0].get_ydata())
    torch.testing.assert_close(drawn, SCORES["fconv"][:, 8] / SCORES["fconv"].abs().max())


def test_courses_end_beside_what_was_published() -> None:
    (panel,) = draw_courses(
        {"valid": [50.0, 9.0, 1.0], "fconv": [50.0, 70.0]}, {"valid": 0.5, "fconv": 88.0}
    ).axes
    valid, published, fconv, _, guess = panel.lines
    assert list(valid.get_xdata()) == [1, 2, 3] and list(fconv.get_ydata()) == [50.0, 70.0]
    assert list(published.get_ydata()) == [0.5] and published.get_xdata()[0] > 3
    assert set(guess.get_ydata()) == {50}
