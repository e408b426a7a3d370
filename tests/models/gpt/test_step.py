"""A token at a time is the forward pass: for every kind of model, beyond the context, with pads, when rows move."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.core.support import Window
from regard.core.trace import trace
from regard.models.gpt import block
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.models.gpt.step import Layer

SMALL = GPTConfig(vocabulary=13, context=17, depth=2, heads=3, width=18)
VARIANTS: dict[str, dict[str, Any]] = {
    "none": {"position": "none"},
    "learned": {},
    "rotary": {"position": "rotary"},
    "alibi": {"position": "alibi"},
    "relative": {"position": "relative", "reach": 5},
    "linear": {"position": "none", "attention": "linear"},
    "linear-learned": {"attention": "linear"},
    "linear-rotary": {"position": "rotary", "attention": "linear", "kv_heads": 1},
    "ngram": {
        "position": "rotary",
        "ngram": 3,
        "qk_norm": True,
        "gains": False,
        "activation": "relu-squared",
    },
    "shared": {
        "position": "rotary",
        "kv_heads": 1,
        "norm": "rms",
        "qk_norm": True,
        "activation": "swiglu",
        "tied": False,
        "biases": False,
    },
}
SLIDING = ("none", "rotary", "alibi", "relative", "ngram", "shared")
every_variant = pytest.mark.parametrize("change", VARIANTS.values(), ids=VARIANTS)
every_window = pytest.mark.parametrize("name", SLIDING)
close = {"atol": 1e-11, "rtol": 1e-11}


def wake(change: dict[str, Any]) -> GPT:
    """A model in float64 whose every parameter counts."""
    torch.manual_seed(1)
    model = GPT(replace(SMALL, **change)).double().eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return model


def longer(model: GPT, context: int) -> GPT:
    """The same weights with more context; for positions that have no table."""
    other = GPT(replace(model.config, context=context)).double().eval()
    other.load_state_dict(model.state_dict())
    return other


def text(rows: int = 2, length: int = 17) -> torch.Tensor:
    return torch.randint(13, (rows, length), generator=torch.Generator().manual_seed(2))


def nexts(model: GPT, ids: torch.Tensor, cache: Any, sizes: list[int]) -> list[torch.Tensor]:
    """What follows each piece of a text that is read in pieces of these sizes, the last one repeated."""
    found, start = [], 0
    while start < ids.shape[1]:
        size = sizes[min(len(found), len(sizes) - 1)]
        found.append(model.next(ids[:, start : start + size], cache))
        start += size
    return found


@pytest.mark.slow
@every_variant
def test_token_by_token_is_the_forward_pass(change: dict[str, Any]) -> None:
    model, ids = wake(change), text()
    whole = model(ids).detach()
    for place, logits in enumerate(nexts(model, ids, model.cache(), [5, 1]), 4):
        torch.testing.assert_close(logits, whole[:, place], **close)


@pytest.mark.slow
@every_variant
@settings(max_examples=6)
@given(sizes=st.lists(st.integers(1, 4), min_size=1, max_size=9))
def test_chunks_of_any_size_and_single_tokens_may_alternate(change: dict[str, Any], sizes: list[int]) -> None:
    model, ids, cache = wake(change), text(), None
    cache, whole, end = model.cache(), model(ids).detach(), 0
    for size in sizes:
        if end + size > 17:
            break
        logits = model.next(ids[:, end : end + size], cache)
        end += size
        torch.testing.assert_close(logits, whole[:, end - 1], **close)


@pytest.mark.slow
@every_variant
@pytest.mark.parametrize("sizes", [[6, 1], [2, 3, 1], [1]])
def test_left_padding_changes_nothing(change: dict[str, Any], sizes: list[int]) -> None:
    model, ids, pads = wake(change), text(rows=3), torch.tensor([0, 5, 3])
    found = nexts(model, ids, model.cache(pads=pads), sizes)
    ends = [sum(sizes[min(i, len(sizes) - 1)] for i in range(count + 1)) - 1 for count in range(len(found))]
    for row, pad in enumerate(pads.tolist()):
        alone = model(ids[row : row + 1, pad:]).detach()[0]
        for place, logits in zip(ends, found, strict=True):
            if place >= pad:
                torch.testing.assert_close(logits[row], alone[place - pad], **close)


@pytest.mark.slow
@every_variant
def test_pads_may_be_any_tokens(change: dict[str, Any]) -> None:
    model, ids, pads = wake(change), text(rows=2, length=9), torch.tensor([0, 4])
    other = ids.clone()
    other[1, :4] = (other[1, :4] + 5) % 13
    found = [nexts(model, one, model.cache(pads=pads), [6, 1])[-1] for one in (ids, other)]
    assert torch.equal(*found)


@pytest.mark.slow
@every_window
@pytest.mark.parametrize("sizes", [[1], [11, 1], [11, 9, 1], [40, 3, 1]])
def test_a_window_is_a_full_pass_under_window(name: str, sizes: list[int], monkeypatch) -> None:
    model, ids = wake(VARIANTS[name]), text(length=59)
    found = nexts(model, ids, model.cache(beyond="window"), sizes)
    monkeypatch.setattr(block, "Causal", lambda: Window(16, causal=True))
    whole = longer(model, 59)(ids).detach()
    torch.testing.assert_close(found[-1], whole[:, -1], **close)
    place = -1
    for count, logits in enumerate(found):
        place = min(place + sizes[min(count, len(sizes) - 1)], 58)
        torch.testing.assert_close(logits, whole[:, place], **close)


@pytest.mark.slow
@every_window
def test_a_window_with_pads_is_each_row_alone(name: str) -> None:
    model, ids, pads = wake(VARIANTS[name]), text(rows=2, length=41), torch.tensor([0, 7])
    together = nexts(model, ids, model.cache(pads=pads, beyond="window"), [9, 4, 1])
    alone = nexts(model, ids[1:, 7:], model.cache(beyond="window"), [2, 4, 1])
    for one, other in zip(together, alone, strict=True):
        torch.testing.assert_close(one[1:], other, **close)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["linear", "linear-rotary"])
def test_endless_is_a_full_pass_of_a_longer_model_in_constant_memory(name: str) -> None:
    model, ids = wake(VARIANTS[name]), text(length=53)
    cache = model.cache(beyond="endless")
    found = nexts(model, ids, cache, [5, 1])
    whole = longer(model, 53)(ids).detach()
    torch.testing.assert_close(torch.stack(found, 1), whole[:, 4:], **close)
    heads, width = model.config.kv_count, model.config.head_width
    assert [past.sums.shape for past in cache.layers] == [(2, heads, width, width + 1)] * 2
    assert cache.ids is None


@pytest.mark.slow
@every_variant
def test_moved_rows_go_on_as_if_they_had_always_been_there(change: dict[str, Any]) -> None:
    model, ids, rows = wake(change), text(rows=3), torch.tensor([2, 0, 2])
    cache = model.cache()
    nexts(model, ids[:, :7], cache, [5, 1])
    cache.select(rows)
    ids = torch.cat([ids[rows, :7], text(rows=3)[:, 7:]], 1)
    whole = model(ids).detach()
    for place in range(7, 17):
        logits = model.next(ids[:, place : place + 1], cache)
        torch.testing.assert_close(logits, whole[:, place], **close)
    cache.select(torch.tensor([1]))
    assert cache.layers[0].length == 17


def test_rows_that_share_a_beginning_are_moved_from_there_on_alone() -> None:
    model, ids = wake({"position": "rotary"}), text(rows=2, length=12)
    ids[1, :6] = ids[0, :6]
    cache = model.cache()
    model.next(ids, cache)
    assert cache.layers[0].both is not None
    cache.layers[0].both[0, :, :, :6] = 7.0  # what is shared is not touched
    cache.select(torch.tensor([1, 0]), since=6)
    assert (cache.layers[0].both[0, :, :, :6] == 7.0).all()
    expected = model.cache()
    model.next(ids.flip(0), expected)
    torch.testing.assert_close(
        cache.layers[1].both[:, :, :, :12], expected.layers[1].both[:, :, :, :12], **close
    )


def test_half_precision_takes_the_same_way() -> None:
    for name in ("rotary", "linear-rotary", "relative"):
        model, ids = wake(VARIANTS[name]), text(length=9)
        exact, half = model(ids).detach()[:, -1], model.to(torch.bfloat16)
        found = nexts(half, ids, half.cache(), [4, 1])[-1]
        assert found.dtype is torch.bfloat16
        assert (found - half(ids)[:, -1]).abs().max() < 0.1 * exact.abs().max()


def test_a_watched_model_goes_through_its_modules(monkeypatch) -> None:
    calls: list[int] = []
    step = Layer.step
    monkeypatch.setattr(Layer, "step", lambda self, x, now: (calls.append(1), step(self, x, now))[1])
    model, ids = wake({}), text()
    cache = model.cache()
    model.next(ids[:, :4], cache)
    with trace(model) as seen:
        traced = model.next(ids[:, 4:5], cache)
    assert not calls and seen.looks
    cache.crop(4)
    torch.testing.assert_close(model.next(ids[:, 4:5], cache), traced, **close)
    assert len(calls) == 2
    cache.crop(4)
    model.train()
    model.next(ids[:, 4:5], cache)
    assert len(calls) == 2


def test_a_step_that_forgets_its_own_key_is_caught(monkeypatch) -> None:
    look = Layer._look
    monkeypatch.setattr(
        Layer, "_look", lambda self, past, now: look(self, past, now._replace(end=now.end - 1))
    )
    model, ids = wake({}), text()
    found = nexts(model, ids[:, :8], model.cache(), [5, 1])[-1]
    assert (found - model(ids[:, :8])[:, -1]).abs().max() > 1e-3
