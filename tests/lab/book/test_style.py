import base64
import io
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from PIL import Image

from regard.errors import RegardError
from regard.lab.book.style import (
    BLUE,
    RED,
    SECONDS,
    draw_changes,
    film,
    inline,
    log_ticks,
    mark_height,
    mark_place,
    panels,
    picture,
    plot_means,
    plot_runs,
    show_image,
    style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SVG = "{http://www.w3.org/2000/svg}"


def drawn() -> bytes:
    with style():
        figure, axes = panels(2)
        for axis in axes:
            axis.plot([1, 2], [3, 4], label="a")
            axis.legend()
    return picture(figure)


@pytest.mark.slow
def test_the_same_figure_gives_the_same_bytes() -> None:
    assert drawn() == drawn()


@pytest.mark.slow
def test_a_figure_is_a_vector_picture_without_text_that_needs_a_font() -> None:
    root = ElementTree.fromstring(drawn())
    assert root.tag.endswith("svg") and not root.findall(".//{http://www.w3.org/2000/svg}text")


@pytest.mark.slow
def test_two_figures_in_one_page_share_no_id_and_every_reference_is_met() -> None:
    first, second = (inline(drawn().decode(), name) for name in ("a", "b"))
    ids = [set(re.findall(r'\bid="([^"]+)"', one)) for one in (first, second)]
    assert ids[0] and not ids[0] & ids[1]
    for text, own in zip((first, second), ids, strict=True):
        assert set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text)) <= own


@pytest.mark.slow
def test_an_inlined_figure_takes_its_size_from_the_page() -> None:
    head = inline(drawn().decode(), "a").split(">", 1)[0]
    assert "viewBox" in head and not re.search(r'\b(width|height)="', head)


@pytest.fixture
def axis() -> "Iterator[Axes]":
    with style():
        yield panels()[1][0]


def test_runs_are_their_mean_and_each_one_thin_behind_it(axis: "Axes") -> None:
    plot_runs(axis, [1, 2], [torch.tensor([0.0, 2.0]), [2.0, 4.0]], label="a", linestyle="--")
    mean, *each = axis.lines
    assert [list(line.get_ydata()) for line in axis.lines] == [[1.0, 3.0], [0.0, 2.0], [2.0, 4.0]]
    assert {line.get_color() for line in axis.lines} == {mean.get_color()}
    for line in each:
        assert line.get_linewidth() < mean.get_linewidth() and line.get_zorder() < mean.get_zorder()
        assert line.get_marker() == "" and line.get_linestyle() == "--"
    assert axis.get_legend_handles_labels()[1] == ["a"]


def test_one_run_alone_is_drawn_once_and_the_next_curve_has_the_next_colour(axis: "Axes") -> None:
    plot_runs(axis, [1, 2], [[0.0, 2.0]])
    plot_runs(axis, [1, 2], [[1.0, 2.0], [1.0, 3.0]])
    axis.plot([1, 2], [1, 2])
    assert len(axis.lines) == 5
    assert [axis.lines[place].get_color() for place in (0, 1, 4)] == ["#0072B2", "#E69F00", "#009E73"]


def test_means_have_whiskers_from_the_smallest_to_the_largest(axis: "Axes") -> None:
    plot_means(axis, [1, 2], [[0.0, 1.0, 5.0], torch.tensor([3.0])], label="a")
    (drawn,) = axis.containers
    line, _, (bars,) = drawn.lines
    assert list(line.get_ydata()) == [2.0, 3.0]
    assert [path.vertices.tolist() for path in bars.get_paths()] == [[[1, 0], [1, 5]], [[2, 3], [2, 3]]]


def test_equal_values_have_no_whisker_of_negative_length(axis: "Axes") -> None:
    plot_means(axis, [1], [[0.1] * 3])
    ((_, _, (bars,)),) = (drawn.lines for drawn in axis.containers)
    assert [path.vertices.tolist() for path in bars.get_paths()] == [[pytest.approx([1, 0.1])] * 2]


def test_an_image_is_a_matrix_or_a_picture_of_three_colours_without_ticks(axis: "Axes") -> None:
    matrix = torch.arange(6.0).view(2, 3)
    image = show_image(axis, matrix, "weights", vmin=-1)
    assert image.get_array().tolist() == matrix.tolist() and image.get_clim() == (-1, 5)
    assert image.get_cmap().name == "cividis" and axis.get_title("left") == "weights"
    assert not list(axis.get_xticks()) and not list(axis.get_yticks())
    assert show_image(axis, torch.zeros(3, 4, 5)).get_array().shape == (4, 5, 3)


def test_marks_are_dotted_lines_whose_notes_keep_their_share_of_the_panel(axis: "Axes") -> None:
    mark_height(axis, 2.0, "theory", at=0.25, above=-9)
    mark_place(axis, 3.0, "here", colour=RED)
    mark_place(axis, 4.0)
    across, up, bare = axis.lines
    assert (
        list(across.get_ydata()) == [2, 2]
        and list(up.get_xdata()) == [3, 3]
        and bare.get_color() == "#000000"
    )
    assert {line.get_linestyle() for line in axis.lines} == {":"}
    assert [(note.get_text(), note.xy, note.get_color()) for note in axis.texts] == [
        ("theory", (0.25, 2.0), "#000000"),
        ("here", (3.0, 1.0), RED),
    ]
    assert [note.xyann for note in axis.texts] == [(4, -9), (4, -10)]
    before = [note.xycoords.transform(note.xy).tolist() for note in axis.texts]
    axis.set(xlim=(0, 30), ylim=(0, 20))
    after = [note.xycoords.transform(note.xy).tolist() for note in axis.texts]
    assert after[0][0] == before[0][0] and after[1][1] == before[1][1]


def test_ticks_of_a_logarithmic_axis_are_what_was_measured(axis: "Axes") -> None:
    axis.plot([2, 1024], [1, 2])
    log_ticks(axis, [2, 48, 1024])
    assert axis.get_xscale() == "log" and list(axis.get_xticks()) == [2, 48, 1024]
    assert [one.get_text() for one in axis.get_xticklabels()] == ["2", "48", "1024"]
    assert not list(axis.get_xticks(minor=True))


def frame(title: str, width: float = 3.0) -> "Figure":
    """A frame with what has an id: glyphs, a clip path, a marker."""
    with style():
        figure, (axis,) = panels(width=width)
        axis.plot([1, 2], [3, 4])
        axis.set(title=title, xlim=(1.2, 1.8))
    return figure


def moving(count: int) -> str:
    return picture(film([frame(f"epoch {number}") for number in range(count)])).decode()


def spans(svg: str) -> list[tuple[float, float]]:
    """When each frame begins and ends to be visible, in percent, as its keyframes say."""
    share = r"([\d.]+)%"
    found = re.findall(
        rf"0% {{ visibility: hidden; }} {share} {{ visibility: visible; }} {share} {{ visibility: hidden; }}",
        svg,
    )
    return [(float(first), float(last)) for first, last in found]


@pytest.mark.slow
def test_a_film_is_one_picture_with_every_frame_in_a_layer_and_the_last_one_seen_without_motion() -> None:
    root = ElementTree.fromstring(moving(3))
    assert not root.findall(f".//{SVG}svg")
    layers = [one for one in root if one.tag == f"{SVG}g"]
    assert [one.get("visibility") for one in layers] == ["hidden", "hidden", "visible"]
    assert all(len(one.findall(f".//{SVG}use")) > 5 for one in layers)
    (rule,) = [one.text or "" for one in root if one.tag == f"{SVG}style"]
    assert rule.startswith("@media screen and (prefers-reduced-motion: no-preference) {")
    assert rule.endswith("}") and rule.count("{") == rule.count("}")


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 6, 7])
def test_at_any_time_a_film_shows_one_frame(count: int) -> None:
    """The first begins at once, each begins where the one before ends, the last ends where all begins again."""
    svg = moving(count)
    shown = spans(svg)
    assert len(shown) == count and shown[0][0] == 0 and shown[-1][1] == 100
    assert all(before[1] == after[0] for before, after in pairwise(shown))
    assert [last - first for first, last in shown[:-1]] == pytest.approx(
        [100 / (count + 1)] * (count - 1), 1e-4
    )
    clocks = re.findall(r"\.(\S+) { animation: (\S+) ([\d.]+)s step-end infinite; } @keyframes (\S+) ", svg)
    classes = re.findall(r'<g class="([^"]+)"', svg)
    assert [(rule, used, defined) for rule, used, _, defined in clocks] == [
        (one, one, one) for one in classes
    ]
    assert [float(one[2]) for one in clocks] == pytest.approx([SECONDS * (count + 1)] * count)


@pytest.mark.slow
def test_the_frames_of_a_film_share_no_id_and_every_reference_is_met_in_a_page_too() -> None:
    for svg in (moving(3), inline(moving(3), "page")):
        ids = re.findall(r'\bid="([^"]+)"', svg)
        wanted = set(re.findall(r'href="#([^"]+)"', svg)) | set(re.findall(r"url\(#([^)]+)\)", svg))
        assert ids and len(ids) == len(set(ids)) and wanted and wanted <= set(ids)


@pytest.mark.slow
def test_the_frames_of_a_film_are_cut_alike() -> None:
    """A wide title would move the edge of a frame that is cut to what it shows."""
    short, long = (picture(film([frame(title)])).decode().split(">", 1)[0] for title in ("a", "a" * 60))
    assert short == long and "viewBox" in short


@pytest.mark.slow
def test_a_film_in_a_page_takes_its_size_from_the_page() -> None:
    head = inline(moving(2), "a").split(">", 1)[0]
    assert "viewBox" in head and not re.search(r'\b(width|height)="', head)


@pytest.mark.slow
def test_the_same_film_gives_the_same_bytes() -> None:
    assert moving(2) == moving(2)


def test_frames_of_two_sizes_or_none_are_refused() -> None:
    with pytest.raises(RegardError) as error:
        film([frame("a"), frame("b", width=4.0)])
    assert str(error.value) == (
        "a film needs frames, all of one size\n"
        "  got: 2 frames, sizes [(3.0, 3.0), (4.0, 3.0)]\n"
        "  fix: draw them alike"
    )
    with pytest.raises(RegardError, match="got: 0 frames"):
        film([])


def test_changes_show_every_pair_the_mean_and_its_interval() -> None:
    figure = draw_changes({0: 1.0, 1: 2.0}, {"less": {0: 0.0, 1: 1.5}}, "points")
    (axis,) = figure.axes
    pairs, interval, mean, zero = axis.lines
    assert list(pairs.get_xdata()) == [-1.0, -0.5] and list(mean.get_xdata()) == [-0.75]
    low, high = interval.get_xdata()
    assert low < -1.0 < -0.5 < high and list(zero.get_xdata()) == [0.0, 0.0]
    assert axis.get_xlabel() == "points" and [one.get_text() for one in axis.get_yticklabels()] == ["less"]


def test_very_many_marks_are_pixels_in_the_colours_of_the_plot_and_few_stay_vectors() -> None:
    with style():
        figure, (axis,) = panels()
        axis.scatter(*np.random.default_rng(0).normal(size=(2, 1500)), s=2, color=BLUE, linewidths=0)
        axis.plot([0, 1], [0, 1], "o", color=RED)
        svg = picture(figure).decode()
    assert svg.count("<image") == 1 and svg.count("<use") < 60 and RED.lower() in svg
    found = re.search(r'base64,\s*([^"]+)"', svg)
    assert found
    pixels = Image.open(io.BytesIO(base64.b64decode(found[1]))).convert("RGBA")
    assert {colour for _, colour in pixels.getcolors(1 << 20) if colour[3]} == {(0, 0x72, 0xB2, 255)}
