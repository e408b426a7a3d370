import pytest

from regard.errors import RegardError
from regard.lab import registry
from regard.lab.book import book


@pytest.fixture
def one(experiment, source, monkeypatch):
    """A lab with one experiment."""
    monkeypatch.setattr(registry, "find", lambda name: (experiment, source))
    monkeypatch.setattr(registry, "everything", lambda: [experiment])
    return experiment


def made(store, place):
    plans = book.plan(["heights"], store, preset="quick", seed=0)
    runs, problems = book.fill(
        plans, store, preset="quick", seed=0, watch=lambda experiment: lambda event: None
    )
    return runs, problems, book.bind(runs, problems, store, preset="quick", place=place)


@pytest.mark.slow
def test_the_book_holds_every_report_and_the_coverage(one, store, tmp_path) -> None:
    _, problems, path = made(store, tmp_path / "book")
    text = path.read_text()
    assert not problems and 'id="heights"' in text and "How high is it?" in text and 'id="coverage"' in text


@pytest.mark.slow
def test_an_unchanged_experiment_is_not_run_again_and_a_changed_one_is(
    one, store, tmp_path, monkeypatch
) -> None:
    first, _, _ = made(store, tmp_path / "book")
    again, _, _ = made(store, tmp_path / "book")
    assert [run.id for run in again] == [run.id for run in first]
    monkeypatch.setattr(book.fingerprint, "code", lambda source: {"changed": "yes"})
    later, _, _ = made(store, tmp_path / "book")
    assert [run.id for run in later] != [run.id for run in first]


def test_an_experiment_that_breaks_is_named_and_the_book_is_made_all_the_same(
    one, store, tmp_path, monkeypatch
) -> None:
    def broken(*words, **more):
        raise RegardError("it broke", "badly", "mend it")

    monkeypatch.setattr(book, "run", broken)
    runs, problems, path = made(store, tmp_path / "book")
    assert (
        runs == []
        and problems == ["heights: it broke, badly"]
        and "heights: it broke, badly" in path.read_text()
    )


def test_an_unknown_preset_is_told(one, store) -> None:
    with pytest.raises(RegardError, match="no preset of that name"):
        book.plan(["heights"], store, preset="nope", seed=0)


def test_a_book_overwrites_a_book_and_nothing_else(one, store, tmp_path) -> None:
    made(store, tmp_path / "book")
    made(store, tmp_path / "book")
    (tmp_path / "book" / "index.html").write_text("<title>Mine</title>")
    with pytest.raises(RegardError, match="this page is not a book of regard"):
        made(store, tmp_path / "book")
    with pytest.raises(RegardError, match="a book is written into a folder"):
        book.require_place(tmp_path / "book" / "index.html")
