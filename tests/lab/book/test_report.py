import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from regard.lab import registry, theorems
from regard.lab.book.report import (
    COLUMN,
    LEGIBLE,
    READABLE,
    claim_ids,
    figure_id,
    figures,
    page,
    paragraphs,
    prose,
    spoken,
    words,
    wordy,
)
from regard.lab.book.style import panels, style
from regard.lab.book.svg import smallest_letter, width
from regard.lab.events import FigureEvent, TableEvent
from regard.lab.experiment import Experiment
from regard.lab.runner import run
from regard.theory import library

TESTS = Path(__file__).parents[2]
LINKS = Path(__file__).with_name("links.txt")
FILMS = {"mixtures": {"training"}}
"Figures that a golden record has nothing of: a film draws no axes of its own."


@pytest.mark.slow
def test_the_report_tells_everything_and_needs_nothing(experiment, store, source) -> None:
    text = page(run(experiment, experiment.presets["quick"], store, source=source, preset="quick"))
    for part in ("How high is it?", "With", "That it is 1.5 &amp; more.", "The assignment says 2.", "the plan", "1.4 to 1.6", "held",
                 "only the full preset settles it", "Sizes of things.", "A line.", "new minus old, paired", "<svg", "curve (3 points)"):  # fmt: skip
        assert part.lower() in text.lower(), part
    assert not re.search(r'(src|href)="(?!#)', re.sub(r"xmlns[^ ]*", "", text))
    assert "<script" not in text


@pytest.mark.slow
def test_hostile_text_stays_text(experiment, store, source) -> None:
    text = page(run(experiment, experiment.presets["quick"], store, source=source, preset="quick"))
    assert "a &lt;b&gt;" in text and "to be &lt;or&gt; not" in text and "a <b>" not in text


def test_prose_escapes_and_marks_code() -> None:
    assert prose("a <i>\n b\n\n`c`") == "<p>a &lt;i&gt; b</p><p><code>c</code></p>"


def test_formulas_become_mathml_and_a_star_of_its_own_stays() -> None:
    assert (
        prose("*so* $a$ `$b$` 2 * 3, a*b*c")
        == "<p><em>so</em> <math><mi>a</mi></math> <code>$b$</code> 2 * 3, a*b*c</p>"
    )
    assert (
        prose("$$a$$")
        == '<p><span class="formula"><math display="block"><mrow><mi>a</mi></mrow></math></span></p>'
    )
    assert prose("by [[pca]]") == '<p>by <a href="/experiments/pca.html"><code>pca</code></a></p>'


def test_a_run_that_was_cut_off_has_a_report_too(experiment, store, source) -> None:
    cut = run(experiment, experiment.presets["quick"], store, source=source, preset="quick", minutes=1e-9)
    assert "This run is out of time." in page(cut)


def test_a_figure_whose_file_is_damaged_is_named_as_such(experiment, store, source) -> None:
    done = run(experiment, experiment.presets["quick"], store, source=source, preset="quick")
    (done.path / "figures" / "line.svg").write_bytes(b"\xff\xfe")
    assert "The file of this figure is gone or damaged." in page(done)


@pytest.fixture
def shown(experiment, store, source):
    """A figure of some width and letters as a page shows it, and its file."""

    def show(across: float, letters: float, caption: str = "A line."):
        with style():
            figure, (axis,) = panels(width=across)
            axis.plot([0, 1], [0, 1])
            axis.set(xticks=[], yticks=[])
            axis.set_title("a line", fontsize=letters)

        def draw(settings, context):
            yield FigureEvent("line", figure, caption)

        done = run(
            replace(experiment, run=draw, claims=()),
            experiment.presets["quick"],
            store,
            source=source,
            preset="quick",
        )
        (one,) = figures(done)
        return one, done.figure("line")

    return show


@pytest.mark.slow
def test_a_figure_with_small_letters_reaches_beyond_the_text_and_scrolls_on_a_phone(shown) -> None:
    for across, letters in ((5.6, 10.5), (8.0, 10.5), (8.0, 6.0), (12.0, 10.5)):
        one, svg = shown(across, letters)
        assert one.least * smallest_letter(svg) / width(svg) == pytest.approx(READABLE, abs=0.1)
        assert one.broad or COLUMN * smallest_letter(svg) / width(svg) >= LEGIBLE
    assert shown(8.0, 6.0)[0].broad and not shown(8.0, 10.5)[0].broad and not shown(5.6, 10.5)[0].wide


@pytest.mark.slow
def test_a_figure_whose_caption_speaks_of_white_keeps_its_white_ground(shown) -> None:
    one, _ = shown(5.6, 10.5, "What is white is the sea.")
    assert one.fixed and "var(--" not in one.drawing
    one, _ = shown(5.6, 10.5, "Whiter than snow.")
    assert not one.fixed and "var(--" in one.drawing


def test_a_column_of_sentences_is_told_from_one_of_words() -> None:
    table = TableEvent("t", ("a", "b", "c"), [("a word", "a" * 31, 1.0), ("two", "b", 2.0)], "A table.")
    assert wordy(table) == [False, True, False]


def test_sentences_are_paragraphs_and_samples_stay_as_they_are() -> None:
    assert paragraphs("valid gets 0.2 % right.\n\nreflect gets 0.0 % of them right.") == [
        "valid gets 0.2 % right.",
        "reflect gets 0.0 % of them right.",
    ]
    assert paragraphs("plain | the to be or not to be.\ntop-k | and so it goes on.") == []
    assert paragraphs("Carve onat hin Areatty of,\nRen the hats yous.") == []


def test_indices_of_three_letters_are_set_low_where_they_are_max_or_min() -> None:
    assert words("σ_max(W) and x_min, not x_val") == "σ<sub>max</sub>(W) and x<sub>min</sub>, not x_val"


def test_a_short_time_is_not_none() -> None:
    assert spoken(0.04) == "under 0.1 s" and spoken(1.4) == "1.4 s" and spoken(2.4) == "2 s"


def drawn(experiment: Experiment, source: Path) -> set[str]:
    """The figures of an experiment, as its golden record has them."""
    if experiment.chapter == "theory":
        theorem = library.find(experiment.name.removeprefix(theorems.PREFIX))
        parted = len(theorem.trials) + len(theorem.breaks) > theorems.PANELS
        return recorded(TESTS / "lab" / "test_theorems.json") | ({"breaks"} if parted else set())
    inside = source.relative_to(registry.FOLDER)
    return recorded(TESTS / "experiments" / inside.parent / f"test_{inside.stem}.json") | FILMS.get(
        experiment.name, set()
    )


def recorded(golden: Path) -> set[str]:
    records = json.loads(golden.read_text(encoding="utf-8")).values()
    return {
        found[1] for record in records for name in record if (found := re.match("figure: ([^,]+),", name))
    }


def links() -> list[str]:
    """The id of every claim and of every figure of every experiment, with its page."""
    made = []
    for name in registry.names():
        experiment, source = registry.find(name)
        ids = [figure_id(name, one) for one in sorted(drawn(experiment, source))]
        ids += claim_ids(name, [claim.name for claim in experiment.claims]).values()
        made += [f"experiments/{name}.html#{one}" for one in ids]
    return made


def test_the_link_to_every_claim_and_figure_is_the_one_that_was_given_out() -> None:
    """A link that someone has kept must not die: another name of a claim or a figure is a change to links.txt.

    REGARD_GOLDEN=write writes it anew.
    """
    made = links()
    if os.environ.get("REGARD_GOLDEN") == "write":
        LINKS.write_text("\n".join(made) + "\n", encoding="utf-8")
    known = LINKS.read_text(encoding="utf-8").split()
    assert sorted(made) == sorted(known)
    assert len(made) == len(set(made)) > 300
