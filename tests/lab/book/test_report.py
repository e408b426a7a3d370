import re

import pytest

from regard.lab.book.report import page, prose
from regard.lab.runner import run


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
