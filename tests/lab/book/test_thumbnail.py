"""A figure at the size of a card: what its letters said is told in words, and nothing of the drawing is lost."""

import re

from regard.lab.book.style import BLUE, GREEN, panels, picture, style
from regard.lab.book.thumbnail import KeyEntry, thumbnail, told_apart


def drawn(*, key: int = 0, name: str = "loss (nats)", image: bool = False) -> str:
    with style():
        figure, axes = panels(2)
        for axis in axes:
            axis.plot([1, 10, 100], [-0.5, 0.0, 1.0], color=BLUE, label="trained <b>")
            axis.plot([1, 100], [0.2, 0.2], color=GREEN, linestyle="--", label="by chance")
            axis.set(title="how it falls", xlabel="step", ylabel=name, yticks=[-0.5, 0.0, 1.0])
            axis.set_xscale("linear" if image else "log")
            if image:
                axis.imshow([[0.0, 1.0], [1.0, 0.0]])
                axis.text(0.5, 0.5, "7", color="white")
        axes[key].legend()
        return picture(figure).decode()


def test_the_axes_and_the_key_are_told_in_words() -> None:
    made = thumbnail(drawn(), "x")
    assert made is not None
    assert (made.above, made.below) == ("loss (nats), −0.5 to 1.0", "step, 10⁰ to 10²")
    assert made.key == [
        KeyEntry("var(--series-1)", False, "trained <b>"),
        KeyEntry("var(--series-3)", True, "by chance"),
    ]


def test_entries_of_a_key_that_look_alike_are_one_by_what_they_share() -> None:
    looks = [("blue", False, "GCN, best"), ("blue", False, "GCN, last"), ("red", False, "GAT, best"), ("red", False, "GAT, last")]  # fmt: skip
    assert [one.name for one in told_apart([KeyEntry(*one) for one in looks])] == ["GCN", "GAT"]
    dashed = [KeyEntry("blue", True, "all, training"), KeyEntry("blue", False, "all, test")]
    assert told_apart(dashed) == dashed, "a dash tells them apart"
    other = [KeyEntry("grey", False, "a mark"), KeyEntry("grey", False, "another")]
    assert told_apart(other) == other, "nothing is shared"


def test_one_key_is_enough_for_all_panels() -> None:
    first, second = thumbnail(drawn(), "x"), thumbnail(drawn(key=1), "x")
    assert first is not None and second is not None and first.key == second.key


def test_a_unit_alone_stands_after_the_heading_and_a_formula_is_left_out() -> None:
    made = thumbnail(drawn(name="%"), "x")
    assert made is not None and made.above == "how it falls, %, −0.5 to 1.0"
    made = thumbnail(drawn(name=r"$\sqrt{d}$"), "x")
    assert made is not None and made.above == "how it falls, −0.5 to 1.0"


def test_the_drawing_is_the_first_panel_without_letters() -> None:
    svg = drawn()
    made = thumbnail(svg, "x")
    assert made is not None and "glyph" not in made.drawing and "DejaVu" not in made.drawing
    assert made.drawing.count("fill: none; stroke: var(--series-1)") == 1, (
        "the line of the other panel and of the key are gone"
    )
    across, whole = (
        float(re.search(r'viewBox="\S+ \S+ (\S+) ', one)[1])  # type: ignore[index]
        for one in (made.drawing, svg)
    )
    assert 0.25 * whole < across < 0.5 * whole
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', made.drawing)) == set(
        re.findall(r' id="([^"]+)"', made.drawing)
    ), "a mark refers to what is not there"


def test_pictures_are_shown_whole_and_follow_the_theme_once_nothing_is_written_on_them() -> None:
    made = thumbnail(drawn(image=True), "x")
    assert made is not None and made.drawing.count("<image") == 2
    assert not made.fixed and (made.above, made.below, made.key) == ("", "", [])


def test_what_is_no_figure_gives_none() -> None:
    assert thumbnail("<svg", "x") is None and thumbnail("<svg></svg>", "x") is None


def test_ticks_that_say_words_are_no_range() -> None:
    with style():
        figure, (axis,) = panels()
        axis.bar([0, 1], [1.0, 2.0])
        axis.set(xlabel="level", xticks=[0, 1], xticklabels=["0\nfull size", "1\n1/2 size"], yticks=[1, 2])
        made = thumbnail(picture(figure).decode(), "x")
    assert made is not None and (made.above, made.below) == ("1 to 2", "level")
