import base64
import io
import re

import numpy as np
import pytest
from matplotlib.colors import hsv_to_rgb
from matplotlib.path import Path as Outline
from PIL import Image

from regard.lab.book.style import BLUE, PALETTE, panels, picture, style
from regard.lab.book.svg import as_picture, inlined, is_fixed, share_glyphs, smallest_letter, width


def drawn(white: bool = False, marks: int = 5) -> str:
    with style():
        figure, (axis,) = panels()
        axis.plot(range(marks), range(marks), color=BLUE)
        axis.set(title="ab", xlabel="ab")
        if white:
            axis.text(0, 0, "a", color="white")
        return picture(figure).decode()


def test_colours_of_the_palette_and_greys_follow_the_theme() -> None:
    made = inlined(drawn(), "x")
    assert "var(--series-1)" in made and "var(--grey-1)" in made and "var(--paper)" in made
    assert not re.search(r": #[0-9a-f]{6}", made)


def test_a_picture_brings_the_colours_of_both_themes_unless_it_must_keep_its_own() -> None:
    made = as_picture(drawn())
    style, _, body = made.partition("</style>")
    assert "prefers-color-scheme: dark" in style and "--grey-1:" in style and "fill: var(--ink)" in style
    assert "var(--series-1)" in body and not re.search(r": #[0-9a-f]{6}", body)
    names = re.findall(r"var\((--[\w-]+)\)", made)
    assert all(f"{name}:" in style for name in names), "every colour that is used is there"
    assert as_picture(drawn(white=True)) == drawn(white=True)


def test_the_smallest_letters_of_a_drawing_are_known_in_points() -> None:
    with style():
        figure, (axis,) = panels()
        axis.set_title("large", fontsize=20)
        axis.text(0, 0, "small", fontsize=7)
    assert smallest_letter(picture(figure).decode()) == pytest.approx(7.0)
    assert smallest_letter("<svg></svg>") == 0.0


def test_whoever_knows_better_says_whether_a_drawing_keeps_its_colours() -> None:
    assert "var(--series-1)" not in inlined(drawn(), "x", fixed=True)
    assert "var(--series-1)" in inlined(drawn(), "x", fixed=False)


def test_a_drawing_with_white_letters_keeps_its_colours() -> None:
    assert is_fixed(drawn(white=True)) and not is_fixed(drawn())
    made = inlined(drawn(white=True), "x")
    assert "#0072b2" in made and "var(" not in made


def test_a_drawing_that_writes_on_a_picture_keeps_its_colours_and_a_title_above_does_not_count() -> None:
    with style():
        made = {}
        for word, place in (("inside", (0.5, 0.5)), ("above", (0.5, -0.7))):
            figure, (axis,) = panels()
            axis.imshow([[0.0, 1.0], [1.0, 0.0]])
            axis.set(title="a title", xlabel="a label", xticks=[0, 1])
            axis.text(*place, "x")
            made[word] = is_fixed(picture(figure).decode())
    assert made == {"inside": True, "above": False}


def test_it_is_smaller_takes_the_width_of_the_page_and_keeps_its_form() -> None:
    svg = drawn()
    made = inlined(svg, "x")
    assert len(made) < 0.7 * len(svg) and width(svg) > 300
    assert re.match(r'<svg viewBox="[^"]+">', made)


def test_two_figures_of_a_page_share_letters_and_nothing_else() -> None:
    page = share_glyphs(inlined(drawn(), "first") + inlined(drawn(), "second"))
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids)) and any(one.startswith("glyph-") for one in ids)
    assert {one.split("-")[0] for one in ids} == {"glyph", "first", "second"}
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', page)) == set(ids), (
        "a mark refers to what is not there"
    )


def test_a_path_by_steps_is_the_path_to_a_tenth_of_a_point() -> None:
    points = np.cumsum(np.random.default_rng(0).normal(size=(400, 2)), 0) + 50
    with style():
        figure, (axis,) = panels()
        axis.plot(*points.T, marker="")
        svg = picture(figure).decode()
    lines = [max(re.findall(r' d="(M[^"]*)"', text), key=len) for text in (svg, inlined(svg, "x"))]
    before, after = (walked(one) for one in lines)
    assert before.shape == after.shape and len(before) > 100
    assert np.abs(before - after).max() <= 0.051
    assert len(lines[1]) < 0.5 * len(lines[0])


def walked(path: str) -> np.ndarray:
    """The points of a path of moves and lines, read apart from the code under test."""
    here, found = np.zeros(2), []
    for sign, numbers in re.findall(r"([MLl])([^MLlz]*)", path):
        step = np.array([float(one) for one in re.findall(r"-?\d*\.?\d+", numbers)])
        here = here + step if sign == "l" else step
        found.append(here)
    return np.array(found)


def test_a_picture_of_a_thousand_dots_has_few_colours_and_looks_the_same() -> None:
    with style():
        figure, (axis,) = panels()
        axis.scatter(*np.random.default_rng(0).normal(size=(2, 3000)), s=3)
        svg = picture(figure).decode()
    assert svg.count("<use") < 100, "three thousand marks are paths"
    before, after = (opened(text) for text in (svg, inlined(svg, "x")))
    assert before.size == after.size
    assert len(after.getcolors(1 << 20)) <= 64
    ground = [
        np.asarray(Image.alpha_composite(Image.new("RGBA", one.size, "white"), one), float)
        for one in (before, after)
    ]
    assert np.abs(ground[0] - ground[1]).mean() < 4


def test_marks_that_are_pixels_follow_the_theme_and_a_heat_map_keeps_its_colours() -> None:
    with style():
        figure, (dots, cells) = panels(2)
        dots.scatter(*np.random.default_rng(0).normal(size=(2, 3000)), s=3)
        cells.imshow([[0.0, 1.0], [1.0, 0.0]])
        svg = picture(figure).decode()
    assert not is_fixed(svg)
    for made in (inlined(svg, "x"), as_picture(svg)):
        classes = [re.search(r'class="(\w+)"', tag) for tag in re.findall(r"<image [^>]*>", made)]
        assert [found and found[1] for found in classes] == ["marks", None]
    assert ".marks { filter: var(--marks); }" in as_picture(svg).partition("</style>")[0]


def opened(svg: str) -> Image.Image:
    found = re.search(r'href="data:image/\w+;base64,\s*([^"]+)"', svg)
    assert found
    return Image.open(io.BytesIO(base64.b64decode(found[1]))).convert("RGBA")


def test_curves_keep_their_form() -> None:
    circle = Outline.circle((30, 30), 20)
    with style():
        figure, (axis,) = panels()
        from matplotlib.patches import PathPatch

        axis.add_patch(PathPatch(circle))
        axis.set(xlim=(0, 60), ylim=(0, 60))
        svg = picture(figure).decode()
    count = [
        len(re.findall(r"[Cc]", max(re.findall(r' d="(M[^"]*)"', text), key=lambda d: d.upper().count("C"))))
        for text in (svg, inlined(svg, "x"))
    ]
    assert count[0] == count[1] > 3


@pytest.mark.parametrize(("colours", "kept"), [(12, True), (3, False)])
def test_marks_of_many_colours_keep_them_and_those_of_the_palette_or_few_follow_the_theme(
    colours, kept
) -> None:
    def dots(colour: list) -> str:
        with style():
            figure, (axis,) = panels()
            axis.scatter(range(len(colour)), range(len(colour)), s=60, color=colour, rasterized=True)
            return picture(figure).decode()

    wheel = [hsv_to_rgb((k / colours, 1.0, 1.0)) for k in range(colours)]
    assert is_fixed(dots(wheel)) == kept
    assert not is_fixed(dots(list(PALETTE)))
