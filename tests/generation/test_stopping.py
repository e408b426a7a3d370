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
