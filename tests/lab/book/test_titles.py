from regard.lab.book.titles import TITLES
from regard.lab.registry import everything, rooms


def test_every_experiment_has_a_title_and_no_title_is_left_over() -> None:
    assert set(TITLES) == set(rooms())


def test_titles_are_short_and_each_is_one_experiments_own() -> None:
    titles = [one.title for one in everything()]
    assert all(0 < len(one) <= 80 and not one.endswith((".", "?")) for one in titles)
    assert len(set(titles)) == len(titles)
