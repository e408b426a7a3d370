from regard.lab.book.titles import TITLES
from regard.lab.registry import everything, names


def test_every_experiment_and_theorem_has_a_title_and_no_title_is_left_over() -> None:
    assert set(TITLES) == set(names())


def test_a_title_is_a_question_that_fits_a_line_and_is_one_experiments_own() -> None:
    titles = [one.title for one in everything()]
    assert not [one for one in titles if not (one[0].isupper() and one.endswith("?") and len(one) <= 80)]
    assert len(set(titles)) == len(titles)
