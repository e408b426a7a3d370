import pytest

from regard.lab.book.site.contents import BookContents, first_sentence, told_claims


@pytest.mark.slow
def test_chapters_stand_in_the_order_of_reading(contents) -> None:
    found = [(chapter, [run.name for run in group]) for chapter, group in contents.chapters]
    assert found == [("text", ["heights", "others"]), ("theory", ["theory-beam-search"])]


@pytest.mark.slow
def test_verdicts_are_counted(contents) -> None:
    assert contents.counts([contents.by_name["heights"]]) == {"held": 1, "failed": 1, "not settled": 2}
    assert not contents.recorded(contents.runs)


@pytest.mark.slow
def test_a_page_is_called_by_its_title_or_else_by_its_question(contents) -> None:
    assert contents.title("heights") == "How high things are" and contents.title("unknown") == "unknown"
    assert BookContents(contents.runs, {}).title("heights") == "How high is heights?"


@pytest.mark.slow
def test_claims_are_told_with_their_sentence_and_a_link_of_their_own(contents) -> None:
    told = told_claims(contents.by_name["heights"])
    assert [one.said for one in told[:2]] == ["It is 1.51 m high.", "It is only 0.1 m deep."]
    assert told[0].link == "/experiments/heights.html#heights-claim-height-m"
    assert len({one.link for one in told}) == len(told), (
        "two claims whose names differ by a blank share a link"
    )
    assert first_sentence(contents.by_name["heights"]) == "It is 1.51 m high."
