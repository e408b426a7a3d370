"""A cache grows in room made once, forgets its end, and moves its rows."""

import pytest
import torch

from regard.errors import RegardError
from regard.models.cache import Cache, Memory


def keys(n: int, rows: int = 3) -> torch.Tensor:
    return torch.randn(rows, 2, n, 5)


def test_a_memory_gives_back_all_that_it_was_given() -> None:
    memory, first, then = Memory(room=7), keys(4), keys(2)
    memory.extend(first, -first)
    k, v = memory.extend(then, -then)
    assert torch.equal(k, torch.cat([first, then], 2))
    assert torch.equal(v, -k)
    assert memory.length == 6


def test_a_memory_makes_its_room_once() -> None:
    memory = Memory(room=7)
    k, _ = memory.extend(keys(4), keys(4))
    later, _ = memory.extend(keys(2), keys(2))
    assert k.data_ptr() == later.data_ptr()


def test_a_crop_forgets_the_end_and_what_comes_is_written_there() -> None:
    cache, first, then = Cache(depth=1, room=7), keys(4), keys(2)
    cache.read(torch.arange(12).view(3, 4))
    cache.layers[0].extend(first, first)
    cache.crop(1)
    assert cache.length == cache.layers[0].length == 1
    assert cache.ids is not None
    assert cache.ids.flatten().tolist() == [0, 4, 8]
    k, _ = cache.layers[0].extend(then, then)
    assert torch.equal(k, torch.cat([first[:, :, :1], then], 2))


def test_selected_rows_come_in_their_order_and_as_often_as_named() -> None:
    cache, first, then = Cache(depth=1, room=7), keys(4), keys(1)
    cache.read(torch.arange(12).view(3, 4))
    cache.layers[0].extend(first, -first)
    rows = torch.tensor([2, 0, 2])
    cache.select(rows)
    assert cache.ids is not None
    assert cache.ids[:, 0].tolist() == [8, 0, 8]
    k, v = cache.layers[0].extend(then, then)
    assert torch.equal(k, torch.cat([first[rows], then], 2))
    assert torch.equal(v, torch.cat([-first[rows], then], 2))


def test_an_empty_cache_can_be_moved_and_cropped_too() -> None:
    cache = Cache(depth=2, room=7)
    cache.select(torch.tensor([0]))
    cache.crop(0)
    assert cache.length == 0


def test_a_cache_cannot_be_cropped_to_more_than_it_holds() -> None:
    cache = Cache(depth=1, room=7)
    cache.read(torch.zeros(1, 3, dtype=torch.long))
    with pytest.raises(RegardError) as caught:
        cache.crop(4)
    assert str(caught.value) == "a cache can only be made shorter\n  got: n=4, length 3\n  fix: 0 <= n <= 3"


def test_gradients_through_a_cache_are_refused() -> None:
    with pytest.raises(RegardError) as caught:
        Memory(room=7).extend(keys(2).requires_grad_(), keys(2))
    assert str(caught.value) == (
        "a cache is overwritten as it grows, so no gradient passes through it\n"
        "  got: gradients are on\n"
        "  fix: generate under torch.inference_mode(), train without a cache"
    )
