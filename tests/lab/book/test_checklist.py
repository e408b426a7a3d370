from regard.lab.book.checklist import ITEMS, NOT_APPLICABLE


def test_there_are_93_items_each_said_once() -> None:
    assert list(ITEMS) == list(range(1, 94)) and len(set(ITEMS.values())) == 93 and all(ITEMS.values())


def test_only_the_administrative_item_does_not_apply() -> None:
    assert list(NOT_APPLICABLE) == [42]
