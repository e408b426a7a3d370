import inspect

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from regard.errors import RegardError
from regard.generation.stopping import Stop

sequences = some.lists(
    some.lists(some.integers(0, 2), min_size=1, max_size=3).map(tuple), min_size=1, max_size=3
)


@given(sequences, some.lists(some.integers(0, 2), min_size=1, max_size=5))
def test_a_row_is_at_its_end_where_it_ends_in_one_of_the_sequences(ends, text) -> None:
    expected = any(tuple(text[-len(end) :]) == end for end in ends)
    assert Stop(*ends).reached(torch.tensor([text])).item() == expected


@given(sequences, some.lists(some.integers(0, 2), max_size=4))
def test_the_tokens_that_would_end_a_row_are_those_after_which_it_is_at_its_end(ends, text) -> None:
    stop, ids = Stop(*ends), torch.tensor([text], dtype=torch.long)
    would = stop.next(ids, 3)[0].tolist()
    assert would == [bool(stop.reached(torch.cat([ids, torch.tensor([[one]])], 1))) for one in range(3)]


@pytest.mark.parametrize(("ends", "got"), [((), "()"), (((1,), ()), "((1,), ())")])
def test_a_stop_after_nothing_is_told_in_three_lines(ends, got) -> None:
    with pytest.raises(RegardError) as caught:
        Stop(*ends)
    assert (
        str(caught.value)
        == f"a text stops after a sequence of tokens\n  got: {got}\n  fix: give tuples of ids, with at least one token each"
    )


@pytest.mark.parametrize("sequence", [(-1,), (1.5,), "ab", [1, 2]])
def test_a_stop_is_a_tuple_of_ids(sequence) -> None:
    with pytest.raises(RegardError, match="a text stops after a sequence of tokens"):
        inspect.unwrap(Stop.__init__)(Stop.__new__(Stop), sequence)


def test_the_lowest_and_the_highest_id_may_end_a_text() -> None:
    assert Stop((0,)).next(torch.tensor([[3]]), 5).nonzero().tolist() == [[0, 0]]
    assert Stop((4,)).next(torch.tensor([[3]]), 5).nonzero().tolist() == [[0, 4]]
    with pytest.raises(RegardError) as error:
        Stop((1,), (5,)).next(torch.tensor([[3]]), 5)
    assert str(error.value) == (
        "a stop holds a token outside of the vocabulary\n  got: ((1,), (5,))\n  fix: ids go from 0 to 4"
    )
