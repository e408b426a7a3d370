"""`regard.show`: a run in a notebook."""

from pathlib import Path

import pytest

import regard
from regard.errors import RegardError
from regard.lab.documents import embed
from regard.lab.look import run as module
from regard.lab.look.run import ShownRun, show
from regard.lab.runner import run
from regard.lab.store.run import REQUEST, Run


@pytest.fixture
def done(experiment, store, source) -> Run:
    return run(experiment, experiment.presets["quick"], store, source=source, preset="quick")


def test_a_run_is_found_by_its_id_its_folder_or_its_name(done: Run, monkeypatch) -> None:
    monkeypatch.setenv("REGARD_RUNS", str(done.path.parent))
    for word in (done, done.id, "heights", done.path):
        assert show(word).run.id == done.id
    assert regard.show is show
    with pytest.raises(RegardError, match="show takes a run"):
        show(3)


def test_it_is_the_report_where_there_are_no_views(done: Run, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "embedded", lambda *given: embed.embedded(*given, tmp_path / "none.js"))
    page = ShownRun(done)._repr_html_()
    assert page.startswith('<iframe sandbox=""') and "How high is it?" in page
    assert "to be &amp;lt;or&amp;gt; not" in page


def test_with_views_the_document_is_inside(done: Run, monkeypatch, tmp_path: Path) -> None:
    views = tmp_path / "views.js"
    views.write_text("// elements")
    monkeypatch.setattr(module, "embedded", lambda *given: embed.embedded(*given, views))
    page = ShownRun(done)._repr_html_()
    assert page.startswith('<iframe sandbox="allow-scripts"') and "regard-run" in page and "noscript" in page


def test_it_tells_its_claims_and_its_damage(done: Run) -> None:
    assert "As expected (1.4 to 1.6), the height is 1.51." in str(ShownRun(done))
    (done.path / REQUEST).write_text("<b>")
    damaged = ShownRun(Run(done.path))
    assert "damaged" in str(damaged) and damaged._repr_html_().startswith("<pre>this run")
