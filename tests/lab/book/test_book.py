from dataclasses import replace

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
def test_the_book_tells_what_each_assignment_asks_and_where_the_answer_is(one, store, tmp_path) -> None:
    text = made(store, tmp_path / "book")[2].read_text()
    part = text[text.index('id="source-duke"') : text.index('id="source-berkeley"')]
    assert "Duke University" in part and "Machine Learning (CS 671)" in part and "Homework 3" in part
    row = part[part.index("<td>3a</td>") :].split("</tr>")[0]
    assert "a sample of an untrained GPT" in row and '<a href="#heights">heights</a>' in row
    assert '<span class="state held">held</span>' in row
    assert '20 items: 1 <span class="held">held</span>, 19 <span class="unsettled">open</span>' in part
    assert all(
        f'href="#source-{word}"' in text for word in ("duke", "berkeley", "jerusalem", "amsterdam", "toronto")
    )


@pytest.mark.slow
def test_what_is_not_in_the_book_is_named_without_a_link(one, store, tmp_path, monkeypatch) -> None:
    other = replace(one, name="depths", answers=(7,))
    monkeypatch.setattr(registry, "everything", lambda: [one, other])
    text = made(store, tmp_path / "book")[2].read_text()
    assert "depths" in text and 'href="#depths"' not in text


@pytest.mark.slow
def test_an_experiment_says_which_questions_it_answers(one, store, tmp_path) -> None:
    assert "Answers Duke HW3: 3a" in made(store, tmp_path / "book")[2].read_text()


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
