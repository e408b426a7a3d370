from regard.lab.book.checklist import ASKED, ITEMS, NOT_APPLICABLE


def test_there_are_93_items_each_said_once() -> None:
    texts = {one.text for one in ITEMS.values()}
    assert list(ITEMS) == list(range(1, 94)) and len(texts) == 93 and all(texts)


def test_an_item_knows_its_number_course_and_question() -> None:
    one = ITEMS[7]
    assert (one.number, one.course, one.question, one.text) == (
        7,
        "duke",
        "3b",
        "attention forward, step by step",
    )
    assert (ITEMS[93].course, ITEMS[93].question) == ("toronto", "4.2")
    assert all(one.question and one.question == one.question.strip() for one in ITEMS.values())


def test_every_line_is_a_course_or_an_item() -> None:
    lines = ASKED.splitlines()
    assert len(lines) == 93 + 5 and sum(" | " in line for line in lines) == 93


def test_only_the_administrative_item_does_not_apply() -> None:
    assert list(NOT_APPLICABLE) == [42] and ITEMS[42].question == "6"
