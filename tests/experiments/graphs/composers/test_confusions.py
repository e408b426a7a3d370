import torch

from regard.data.sets.music import COMPOSERS
from regard.experiments.graphs.composers.confusions import (
    BORN,
    by_age,
    confused_pairs,
    f1,
    f1_by_composer,
    most_confused,
    share,
)

BACH, BEETHOVEN, MOZART = (COMPOSERS.index(name) for name in ("Bach", "Beethoven", "Mozart"))


def counts(**taken: int) -> torch.Tensor:
    """Twenty scraps of each composer; so many of Beethoven's are taken for those named."""
    table = torch.diag(torch.full((6,), 20))
    for name, number in taken.items():
        table[BEETHOVEN, COMPOSERS.index(name)] += number
        table[BEETHOVEN, BEETHOVEN] -= number
    return table


def test_every_composer_has_a_year() -> None:
    assert set(BORN) == set(COMPOSERS)


def test_a_share_is_of_the_true_composers_scraps() -> None:
    table = counts(Mozart=5)
    assert share(table, BEETHOVEN, MOZART) == 25 and share(table, MOZART, BEETHOVEN) == 0


def test_f1_counts_what_is_missed_and_what_is_taken() -> None:
    table = counts(Mozart=5)
    assert f1(table, BEETHOVEN) == 2 * 15 / 35 and f1(table, MOZART) == 40 / 45 and f1(table, BACH) == 1
    assert [row[1:] for row in f1_by_composer(table).rows][BEETHOVEN] == (20, "0.857")


def test_confusions_count_by_the_years_between_births() -> None:
    """Four pairs were born within a century, eleven were not; each is read both ways."""
    near, far = counts(Mozart=4), counts(Ciconia=4)
    assert by_age(near, near=True) == 20 / 8 and by_age(near, near=False) == 0
    assert by_age(far, near=True) == 0 and abs(by_age(far, near=False) - 20 / 22) < 1e-12


def test_the_pair_most_often_confused_comes_first() -> None:
    rows = confused_pairs(counts(Mozart=5, Bach=2)).rows
    assert rows[0] == ("Beethoven, Mozart", "25.0", "0.0", 14)
    assert rows[1] == ("Bach, Beethoven", "0.0", "10.0", 85) and len(rows) == 15


def test_the_pair_most_often_confused_is_told_with_both_ways() -> None:
    assert most_confused(counts(Mozart=5)).startswith(
        "Most often confused are Beethoven and Mozart, mostly one way: 25 %"
    )
    assert most_confused(counts()) == "No scrap is given to another composer."
