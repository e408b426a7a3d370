from dataclasses import replace

import pytest

from regard.lab.answer import opening
from regard.lab.book.coverage import ItemClaim
from regard.lab.book.site import courses
from regard.lab.book.site.courses import answered, course_page, progress
from regard.lab.book.site.page import plain
from regard.lab.book.sources import SOURCES
from regard.lab.store.run import Run


def item(contents, number):
    return next(one for one in contents.items if one.item == number)


@pytest.mark.slow
def test_a_course_has_its_questions_in_order_with_our_answer_and_its_link(contents) -> None:
    page = course_page(SOURCES[0], contents)
    assert page.path == "courses/duke.html" and "Duke University" in page.body
    numbers = [page.body.index(f'<div class="number">{one.question}</div>') for one in SOURCES[0].items]
    assert numbers == sorted(numbers)
    part = page.body[page.body.index('id="course-duke-6"') : page.body.index('id="course-duke-8"')]
    assert "It is 1.51 m high." in part and 'href="/experiments/heights.html#heights-claim-height-m"' in part
    assert "failed" in part and "It is only 0.1 m deep." in part
    assert "2 of 20 questions are settled" in page.body


@pytest.mark.slow
def test_the_sentence_is_that_of_a_claim_which_decides_the_state(contents) -> None:
    assert answered(item(contents, 7), contents).said == "It is only 0.1 m deep."
    nobody = answered(item(contents, 1), contents)
    assert (nobody.said, nobody.link) == ("", "")


@pytest.mark.slow
def test_a_theorem_answers_with_the_claim_that_its_steps_hold(contents) -> None:
    run = contents.by_name["theory-beam-search"]
    one = answered(replace(item(contents, 1), owner="theory-beam-search"), contents)
    assert one.said == opening(run)[0] and one.link == "/experiments/theory-beam-search.html"


@pytest.mark.slow
def test_a_question_lists_the_claims_that_settle_it_here_and_as_recorded(contents) -> None:
    six = item(contents, 6)
    known = replace(six, claims=(replace(six.claims[0], recorded="failed"), ItemClaim("gone", "not run", "")))
    shown = replace(contents, items=[known if one.item == 6 else one for one in contents.items])
    body = course_page(SOURCES[0], shown).body
    part = body[body.index('id="course-duke-6"') : body.index('id="course-duke-7"')]
    told = " ".join(plain(one) for one in part.split("<li>"))
    assert "The 2 claims that settle it" in told and "height, m: here ✓ held, recorded ✗ failed" in told
    assert "gone: here not run, no record" in told
    assert 'href="/experiments/heights.html#heights-claim-height-m">height, m</a>' in part


@pytest.mark.slow
def test_a_question_whose_experiment_was_left_out_of_the_book_is_not_run_here(contents) -> None:
    left = replace(item(contents, 6), owner="unet", state="not run")
    body = course_page(SOURCES[0], replace(contents, items=[left])).body
    assert "not run here" in body


@pytest.mark.slow
def test_what_asks_nothing_is_not_counted_and_everything_else_is(contents) -> None:
    counts = {source.word: found for source, found in progress(contents)}
    assert counts["duke"] == {"held": 1, "failed": 1, "not settled": 18, "not run": 0}
    left = [replace(one, state="not run") if one.item == 6 else one for one in contents.items]
    counts = {source.word: found for source, found in progress(replace(contents, items=left))}
    assert counts["duke"] == {"held": 0, "failed": 1, "not settled": 18, "not run": 1}
    assert sum(counts["berkeley"].values()) == len(SOURCES[1].items) - 1


def claims_of(contents, *changes: dict):
    """The book with an experiment whose two claims settle item 6, and that item."""
    run = contents.by_name["heights"]
    verdicts = [replace(one, **change) for one, change in zip(run.verdicts, changes, strict=False)]
    parts = {
        "request": run.request | {"opens_with": ["depth, m"]},
        "verdicts": [replace(one, claim=replace(one.claim, items=(6,))) for one in verdicts],
    }
    stub = type("OtherRun", (Run,), parts)(run.path)
    states = [one.state for one in stub.verdicts]
    claims = tuple(ItemClaim(one.claim.name, one.state, one.state) for one in stub.verdicts)
    whole = "failed" if "failed" in states else "not settled" if "not settled" in states else "held"
    known = replace(item(contents, 6), claims=claims, state=whole, recorded=whole)
    return known, replace(contents, runs=[stub], items=[known])


@pytest.mark.slow
def test_the_sentence_is_what_the_experiment_opens_with_unless_that_is_open(contents) -> None:
    known, book = claims_of(contents, {}, {"state": "held", "value": 2.0})
    assert answered(known, book).said == "It is deep."
    known, book = claims_of(contents, {}, {"state": "not settled", "reason": "too shallow"})
    assert answered(known, book).said == "It is 1.51 m high."


@pytest.mark.slow
def test_a_claim_that_is_named_for_a_question_is_quoted_before_what_the_experiment_opens_with(
    contents, monkeypatch
) -> None:
    known, book = claims_of(contents, {}, {"state": "held", "value": 2.0})
    monkeypatch.setitem(courses.REPLIES, 6, "height, m")
    assert answered(known, book).said == "It is 1.51 m high."


@pytest.mark.slow
def test_a_claim_by_which_the_question_ends_otherwise_is_named_beside_the_sentence(contents) -> None:
    known, book = claims_of(contents, {"state": "failed"}, {"state": "held", "value": 2.0})
    one = answered(known, book)
    assert (one.state, one.recorded, one.item.state) == ("held", "held", "failed")
    assert [claim.name for claim, _ in one.decided] == ["height, m"]
    assert [claim.name for claim, _ in one.decided_by_record] == ["height, m"]
    told = plain(course_page(SOURCES[0], book).body)
    assert "✓ held It is deep. The claim At full size, as recorded: ✓ held" in told
    assert "The question as a whole: ✗ failed here, by: height, m." in told
    assert "The question as a whole at full size: ✗ failed, by: height, m." in told
