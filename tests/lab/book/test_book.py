from dataclasses import replace

import pytest

from regard.claims import Claim
from regard.errors import RegardError
from regard.lab import registry
from regard.lab.book import book
from regard.lab.book.site.pages import single


@pytest.fixture
def one(experiment, source, monkeypatch):
    """A lab with one experiment."""
    monkeypatch.setattr(registry, "find", lambda name: (experiment, source))
    monkeypatch.setattr(registry, "everything", lambda: [experiment])
    return experiment


def made(store, place, **how):
    plans = book.plan(["heights"], store, preset="quick", seed=0)
    runs, problems = book.fill(
        plans, store, preset="quick", seed=0, watch=lambda experiment: lambda event: None
    )
    contents = book.gather(plans, runs, problems, store, preset="quick")
    return runs, problems, book.bind(contents, place, **how)


@pytest.mark.slow
def test_the_book_is_a_site_with_a_page_for_each_experiment_and_each_course(one, store, tmp_path) -> None:
    _, problems, path = made(store, tmp_path / "book")
    assert not problems and path == tmp_path / "book" / "index.html"
    assert "How high is it?" in (tmp_path / "book/experiments/heights.html").read_text()
    row = (tmp_path / "book/courses/duke.html").read_text().split('id="course-duke-6"')[1].split("</li>")[0]
    assert "A sample of an untrained GPT" in row and 'href="../experiments/heights.html' in row


@pytest.mark.slow
def test_a_single_book_is_one_file_and_takes_the_place_of_a_site(one, store, tmp_path) -> None:
    made(store, tmp_path / "book")
    _, _, path = made(store, tmp_path / "book", as_files=single)
    assert {file.name for file in (tmp_path / "book").rglob("*")} == {"index.html", "book.json"}
    text = path.read_text()
    assert 'id="experiments-heights"' in text and 'id="courses-duke"' in text and "<script" not in text


@pytest.mark.slow
def test_what_is_not_in_the_book_is_named_without_a_link(one, store, tmp_path, monkeypatch) -> None:
    other = replace(one, name="depths", title="How deep", claims=(Claim("depth", low=1.0, items=(7,)),))
    monkeypatch.setattr(registry, "everything", lambda: [one, other])
    made(store, tmp_path / "book")
    text = (tmp_path / "book/courses/duke.html").read_text()
    assert "<span>How deep</span>" in text and "depths.html" not in text


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


@pytest.mark.slow
def test_a_book_overwrites_a_book_and_nothing_else(one, store, tmp_path) -> None:
    made(store, tmp_path / "book")
    made(store, tmp_path / "book")
    (tmp_path / "book" / "index.html").write_text("<title>Mine</title>")
    with pytest.raises(RegardError, match="this page was changed since the book wrote it"):
        made(store, tmp_path / "book")


def test_a_book_knows_which_records_are_older_than_their_code(one, store, monkeypatch) -> None:
    monkeypatch.setattr(book, "stale", lambda: {"heights": ["claims.py"]})
    assert book.gather([], [], [], store, preset="quick").stale == {"heights": ["claims.py"]}
