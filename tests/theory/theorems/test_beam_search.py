from itertools import product

import numpy as np
import pytest

import golden
from regard.theory.theorems.beam_search import THEOREM, best, search, table, trap, worst_rank

# Berkeley HW6's tree: words 0 neural, 1 network; what the figure leaves out is far below.
TREE = [
    np.array([-0.65, -0.73]),
    np.array([[-0.8, -0.6], [-0.6, -9.0]]),
    np.array([[[-0.01, -9.0], [-9.0, -0.6]], [[-9.0, -0.6], [-9.0, -9.0]]]),
]


def test_berkeley_s_tree_has_the_known_answers() -> None:
    assert search(TREE, 2)[0] == pytest.approx(-1.85) and best(TREE) == pytest.approx(-1.46)
    assert [search(TREE[:length], 2)[0] for length in (1, 2)] == pytest.approx([-0.65, -1.25])


def test_as_many_beams_as_the_worst_rank_find_the_best_and_one_less_may_not() -> None:
    assert worst_rank(TREE) == 3 and search(TREE, 3)[0] == pytest.approx(best(TREE))
    for seed in range(20):
        made = table(np.random.default_rng(seed))
        assert search(made, worst_rank(made))[0] == pytest.approx(best(made))
    assert worst_rank(trap(np.random.default_rng(41))) == 27


def test_the_best_is_that_of_trying_everything() -> None:
    made = table(np.random.default_rng(39))
    totals = [
        sum(one[words[: step + 1]] for step, one in enumerate(made)) for words in product(range(3), repeat=4)
    ]
    assert best(made) == pytest.approx(max(totals)) and search(made, 27)[0] == pytest.approx(max(totals))


def test_probabilities_sum_to_one_and_greedy_search_counts_its_words() -> None:
    made = table(np.random.default_rng(40))
    assert all(np.exp(one).sum(-1) == pytest.approx(1.0) for one in made)
    assert search(made, 1)[1] == 12


def test_for_every_number_of_beams_short_of_all_there_is_a_tree_on_which_the_best_is_lost() -> None:
    made = trap(np.random.default_rng(41))
    assert all(np.exp(one).sum(-1) == pytest.approx(1.0) for one in made)
    assert all(best(made) - search(made, beams)[0] > 0.5 for beams in range(1, 27))
    assert search(made, 27)[0] == pytest.approx(best(made))


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
