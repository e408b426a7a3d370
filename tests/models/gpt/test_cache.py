"""A cache grows in room made once, forgets its end, moves its rows, and lets go of what a window has left."""

import pytest
import torch

from regard.core.mask import Mask
from regard.core.similarity import Kernel, elu_plus_one
from regard.core.support import Causal, Window
from regard.errors import RegardError
from regard.models.gpt.cache import Cache, KVCache, LinearState, Move


def keys(n: int, rows: int = 3) -> torch.Tensor:
    return torch.randn(rows, 2, n, 5)


def test_a_memory_gives_back_all_that_it_was_given() -> None:
    memory, first, then = KVCache(room=7), keys(4), keys(2)
    memory.extend(first, -first)
    k, v, support = memory.extend(then, -then)
    assert torch.equal(k, torch.cat([first, then], 2))
    assert torch.equal(v, -k)
    assert memory.length == 6 and isinstance(support, Causal)


def test_a_memory_makes_its_room_once() -> None:
    memory = KVCache(room=7)
    k, _, _ = memory.extend(keys(4), keys(4))
    later, _, _ = memory.extend(keys(2), keys(2))
    assert k.data_ptr() == later.data_ptr()


def test_a_window_shows_what_the_first_new_query_sees_and_moves_now_and_then() -> None:
    memory, given, moves = KVCache(room=3, window=3), [], 0
    for n in (2, 1, 1, 1, 1, 1, 1, 4, 1):
        new, base = keys(n), memory.base
        given.append(new)
        k, v, support = memory.extend(new, -new)
        assert torch.equal(k, torch.cat(given, 2)[:, :, -(n + 2) :]) and torch.equal(v, -k)
        assert isinstance(support, Causal if n == 1 else Window)
        moves += memory.base != base
    assert memory.length == 13 and moves == 3 and memory.room == 6


def test_a_chunk_larger_than_the_room_finds_room() -> None:
    memory, new = KVCache(room=3, window=3), keys(11)
    assert torch.equal(memory.extend(new, new).keys, new)
    then = keys(1)
    assert torch.equal(memory.extend(then, then).keys, torch.cat([new[:, :, -2:], then], 2))


def test_pads_are_hidden_from_all_but_themselves() -> None:
    memory = KVCache(room=7, pads=torch.tensor([0, 2, 0]))
    support = memory.extend(keys(4), keys(4)).support
    assert isinstance(support, Mask)
    lower = torch.ones(4, 4, dtype=torch.bool).tril()
    assert torch.equal(support.allowed[0, 0], lower)
    assert support.allowed[1, 0].int().tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]
    assert memory.positions(2, torch.device("cpu")).tolist() == [[4, 5], [2, 3], [4, 5]]


def test_a_state_is_a_loop_over_the_past() -> None:
    state, kernel = LinearState(), Kernel(elu_plus_one)
    q, k, v = (torch.randn(2, 2, 7, 5, dtype=torch.float64) for _ in range(3))
    parts = [state.attend(*(x[:, :, a:b] for x in (q, k, v)), kernel) for a, b in ((0, 3), (3, 4), (4, 7))]
    found = torch.cat(parts, 2)
    for i in range(7):
        weights = [(elu_plus_one(q[:, :, i]) * elu_plus_one(k[:, :, j])).sum(-1) for j in range(i + 1)]
        expected = sum(w[..., None] * v[:, :, j] for j, w in enumerate(weights)) / sum(weights)[..., None]
        torch.testing.assert_close(found[:, :, i], expected)
    assert state.sums is not None
    assert state.sums.shape == (2, 2, 5, 6) and state.length == 7


def filled(rows: int = 3) -> tuple[Cache, torch.Tensor]:
    cache, first = Cache([KVCache(room=7)], ngram=2), keys(4, rows)
    cache.read(torch.arange(4 * rows).view(rows, 4))
    cache.layers[0].extend(first, -first)
    return cache, first


def test_a_crop_forgets_the_end_and_what_comes_is_written_there() -> None:
    (cache, first), then = filled(), keys(2)
    cache.crop(1)
    assert cache.length == cache.layers[0].length == 1
    assert cache.ids is not None
    assert cache.ids.flatten().tolist() == [0, 4, 8]
    k, _, _ = cache.layers[0].extend(then, then)
    assert torch.equal(k, torch.cat([first[:, :, :1], then], 2))


@pytest.mark.parametrize("rows", [[2, 0, 2], [1], [0, 0, 1, 2, 2]])
def test_selected_rows_come_in_their_order_and_as_often_as_named(rows: list[int]) -> None:
    (cache, first), then = filled(), keys(1, len(rows))
    cache.select(torch.tensor(rows))
    assert cache.ids is not None
    assert cache.ids[:, 0].tolist() == [4 * row for row in rows]
    k, v, _ = cache.layers[0].extend(then, then)
    assert torch.equal(k, torch.cat([first[rows], then], 2))
    assert torch.equal(v, torch.cat([-first[rows], then], 2))


def test_pads_move_with_their_rows() -> None:
    memory, state = (
        kind(pads=torch.tensor([3, 0, 1])) for kind in (lambda pads: KVCache(7, pads=pads), LinearState)
    )
    for past in (memory, state):
        past.select(Move.of(torch.tensor([2, 0])))
        assert past.pads is not None
        assert past.pads.tolist() == [1, 3]


def test_beyond_the_context_only_the_last_ids_are_kept() -> None:
    cache = Cache([KVCache(room=7)], ngram=2, endless=True)
    cache.read(torch.tensor([[3, 1, 4]]))
    cache.read(torch.tensor([[1, 5]]))
    assert cache.ids is not None
    assert cache.ids.tolist() == [[1, 5]] and cache.length == 5


def test_an_empty_cache_can_be_moved_and_cropped_too() -> None:
    cache = Cache([KVCache(room=7), KVCache(room=7)])
    cache.select(torch.tensor([0]))
    cache.crop(0)
    assert cache.length == 0


@pytest.mark.parametrize(
    ("layer", "endless", "n", "message"),
    [
        (KVCache(7), False, 4, "a cache can only be made shorter\n  got: n=4, length 3\n  fix: 0 <= n <= 3"),
        (LinearState(), False, 2, "linear attention keeps sums, from which no token can be taken back\n  got: n=2, length 0\n  fix: read the shorter text anew"),
        (KVCache(7, window=5), True, 2, "a cache that goes beyond the context has let go of what a shorter text would see\n  got: n=2, length 3\n  fix: read the shorter text anew"),
    ],
)  # fmt: skip
def test_what_cannot_be_cropped_is_told_in_three_lines(layer, endless: bool, n: int, message: str) -> None:
    cache = Cache([layer], endless=endless)
    cache.read(torch.zeros(1, 3, dtype=torch.long))
    with pytest.raises(RegardError) as caught:
        cache.crop(n)
    assert str(caught.value) == message


def test_gradients_through_a_cache_are_refused() -> None:
    with pytest.raises(RegardError) as caught:
        KVCache(room=7).extend(keys(2).requires_grad_(), keys(2))
    assert str(caught.value) == (
        "a cache is overwritten as it grows, so no gradient passes through it\n"
        "  got: gradients are on\n"
        "  fix: generate under torch.inference_mode(), train without a cache"
    )


def test_linear_sums_hold_every_token_but_the_pads() -> None:
    kernel, q, v = Kernel(elu_plus_one), keys(4), keys(4)
    padded = LinearState(torch.tensor([2, 0, 1]))
    whole = padded.attend(q, q, v, kernel)
    for row, pads in enumerate((2, 0, 1)):
        alone = [x[row : row + 1, :, pads:] for x in (q, q, v)]
        found = LinearState(None).attend(*alone, kernel)
        assert torch.allclose(whole[row : row + 1, :, pads:], found, atol=1e-5)
