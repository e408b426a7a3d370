from dataclasses import replace

import pytest

from regard.lab.book.site.courses import answered, course_page, progress
from regard.lab.book.sources import SOURCES


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
def test_a_theorem_answers_with_what_it_states(contents) -> None:
    one = answered(replace(item(contents, 1), owner="theory-beam-search"), contents)
    assert one.said.startswith("Beam search scores $C = M + (T - 1) K M$ continuations.")
    assert (one.link, one.kind) == (
        "/experiments/theory-beam-search.html#theory-beam-search-idea",
        "The theorem",
    )


@pytest.mark.slow
def test_what_asks_nothing_is_not_counted_and_everything_else_is(contents) -> None:
    counts = {source.word: found for source, found in progress(contents)}
    assert counts["duke"] == {"held": 1, "failed": 1, "not settled": 18}
    assert sum(counts["berkeley"].values()) == len(SOURCES[1].items) - 1
