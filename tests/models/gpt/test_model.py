"""The laws of the text model: time, batches, caches, learning, and the words for what it refuses."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.core.position import Rotary
from regard.core.support import Full
from regard.core.trace import trace
from regard.errors import RegardError
from regard.models.gpt import block
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT

SMALL = GPTConfig(vocabulary=13, context=17, depth=2, heads=3, width=18)
VARIANTS: dict[str, dict[str, Any]] = {
    "none": {"position": "none"},
    "learned": {},
    "rotary": {"position": "rotary"},
    "alibi": {"position": "alibi"},
    "relative": {"position": "relative", "reach": 5},
    "linear": {"position": "none", "attention": "linear"},
    "linear-learned": {"attention": "linear"},
    "linear-rotary": {"position": "rotary", "attention": "linear"},
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
        "activation": "swiglu",
        "tied": False,
        "biases": False,
    },
}
TRACED = ("learned", "rotary", "alibi", "relative", "linear", "ngram", "shared")
every_variant = pytest.mark.parametrize("change", VARIANTS.values(), ids=VARIANTS)


def wake(change: dict[str, Any]) -> GPT:
    """A model in float64 whose every parameter counts."""
    torch.manual_seed(1)
    model = GPT(replace(SMALL, **change)).double().eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return model


def text(rows: int = 2, length: int = 17) -> torch.Tensor:
    return torch.randint(13, (rows, length), generator=torch.Generator().manual_seed(2))


def moved(model: GPT, at: int) -> torch.Tensor:
    """How far the logits of each place move when the tokens from `at` on are others."""
    ids = text()
    other = ids.clone()
    other[:, at:] = (other[:, at:] + 1 + text()[:, at:] % 12) % 13
    with torch.no_grad():
        return (model(ids) - model(other)).abs().amax((0, 2))


@pytest.mark.slow
@every_variant
@pytest.mark.parametrize("at", [1, 7, 16])
def test_the_future_cannot_move_the_past(change: dict[str, Any], at: int) -> None:
    shift = moved(wake(change), at)
    assert shift[:at].max() < 1e-12
    assert shift[at:].min() > 1e-6, "the tokens that changed must be noticed from there on"


def test_a_model_that_sees_the_future_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block, "Causal", Full)
    assert moved(wake({}), 7)[:7].min() > 1e-6


@every_variant
def test_a_row_alone_is_the_row_in_a_batch(change: dict[str, Any]) -> None:
    model, ids = wake(change), text(rows=3)
    with torch.no_grad():
        together = model(ids)
        for row in range(3):
            torch.testing.assert_close(model(ids[row : row + 1])[0], together[row], atol=1e-12, rtol=1e-12)


def in_parts(model: GPT, ids: torch.Tensor, cuts: list[int]) -> torch.Tensor:
    """The logits of a text that is read piece by piece."""
    cache = model.cache()
    with torch.inference_mode():
        parts = [model(piece, cache) for piece in ids.tensor_split(sorted(cuts), 1) if piece.shape[1]]
    assert cache.length == ids.shape[1]
    return torch.cat(parts, 1)


@pytest.mark.slow
@every_variant
@settings(max_examples=8)
@given(cuts=st.lists(st.integers(1, 16), max_size=16))
def test_a_text_read_in_parts_has_the_same_logits(change: dict[str, Any], cuts: list[int]) -> None:
    model, ids = wake(change), text()
    torch.testing.assert_close(in_parts(model, ids, cuts), model(ids).detach(), atol=1e-11, rtol=1e-11)


def test_keys_that_are_turned_to_wrong_places_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    rotate = Rotary.rotate
    monkeypatch.setattr(Rotary, "rotate", lambda self, x, at: rotate(self, x, at - at[0]))
    model, ids = wake({"position": "rotary"}), text()
    assert (in_parts(model, ids, [5]) - model(ids).detach())[:, 5:].abs().max() > 1e-3


@pytest.mark.parametrize("change", [one for one in VARIANTS.values() if one.get("attention") != "linear"])
def test_a_cropped_and_reordered_cache_goes_on_as_if_it_had_read_that(change: dict[str, Any]) -> None:
    model, ids, rows = wake(change), text(rows=3), torch.tensor([2, 0])
    cache = model.cache()
    with torch.inference_mode():
        model(ids[:, :9], cache)
        cache.crop(6)
        cache.select(rows)
        went_on = model(ids[rows][:, 6:11], cache)
        torch.testing.assert_close(went_on, model(ids[rows][:, :11])[:, 6:], atol=1e-11, rtol=1e-11)


def test_a_trace_tells_where_each_block_looks() -> None:
    model = wake({"position": "rotary", "kv_heads": 1})
    with trace(model) as seen:
        model(text())
    assert list(seen.looks) == ["blocks.0.attention", "blocks.1.attention"]
    weights = seen.looks["blocks.1.attention"][0].weights
    assert weights.shape == (2, 3, 17, 17)
    assert torch.equal(weights, weights.tril())
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, 17, dtype=torch.float64))
    assert seen.activations["blocks.0"][0].shape == (2, 17, 18)


@every_variant
def test_every_parameter_learns(change: dict[str, Any]) -> None:
    model = wake(change)
    model(text()).square().sum().backward()
    still = [name for name, x in model.named_parameters() if x.grad is None or not x.grad.any()]
    assert not still


def learn(model: GPT, ids: torch.Tensor, steps: int) -> list[float]:
    """The loss before each step of AdamW on one batch."""
    optimiser, losses = torch.optim.AdamW(model.parameters(), 2e-2), []
    for _ in range(steps):
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses


def riddle() -> torch.Tensor:
    """Rows that begin differently and go on at random: to know what follows, the past must be read."""
    ids = text(rows=5)
    ids[:, 0] = torch.arange(5)
    return ids


@pytest.mark.slow
@pytest.mark.parametrize("name", TRACED)
def test_one_batch_is_learned_by_heart(name: str) -> None:
    torch.manual_seed(0)
    assert learn(GPT(replace(SMALL, **VARIANTS[name])), riddle(), 100)[-1] < 0.05


def test_without_attention_nothing_is_learned_by_heart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block.CausalAttention, "forward", lambda self, x, memory: torch.zeros_like(x))
    torch.manual_seed(0)
    assert learn(GPT(replace(SMALL, position="none")), riddle(), 100)[-1] > 0.5


@pytest.mark.parametrize("init", ["shrunk", "attention", "zero"])
def test_weights_start_as_the_config_says(init: Any) -> None:
    torch.manual_seed(0)
    model = GPT(
        GPTConfig(
            vocabulary=211, context=97, depth=8, heads=4, width=128, init=init, init_std=0.03, tied=False
        )
    )
    small = {"zero": 0.0}.get(init, 0.03 / 4)
    for name, parameter in model.named_parameters():
        if "norm" in name or "bias" in name:
            assert torch.equal(parameter, torch.full_like(parameter, float(name.endswith("weight"))))
            continue
        added = name.endswith("attention.out.weight") or (
            name.endswith("mlp.out.weight") and init != "attention"
        )
        added = added or (name == "head.weight" and init == "zero")
        assert math.isclose(parameter.std().item(), small if added else 0.03, rel_tol=0.05), name
        assert abs(parameter.mean().item()) < 1e-3


def test_seeds_make_the_same_model_again() -> None:
    models = []
    for _ in range(2):
        torch.manual_seed(7)
        models.append(GPT(SMALL))
    assert all(torch.equal(a, b) for a, b in zip(*(model.parameters() for model in models), strict=True))


def test_dropout_is_drawn_while_training_alone() -> None:
    model, ids = GPT(replace(SMALL, dropout=0.3)), text()
    assert not torch.equal(model.train()(ids), model(ids))
    assert torch.equal(model.eval()(ids), model(ids))


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (
            [[3, 13, 2]],
            "a token id outside of the vocabulary\n  got: ids from 2 to 13\n  fix: ids go from 0 to 12",
        ),
        (
            [[3, -1, 2]],
            "a token id outside of the vocabulary\n  got: ids from -1 to 3\n  fix: ids go from 0 to 12",
        ),
        (
            [[1] * 18],
            "the text is longer than the model's context\n  got: 18 tokens\n"
            "  fix: pass the last 17 tokens, or build the model with context=18",
        ),
    ],
)
def test_what_cannot_be_read_is_told_in_three_lines(ids: list[list[int]], message: str) -> None:
    with pytest.raises(RegardError) as caught:
        GPT(SMALL)(torch.tensor(ids))
    assert str(caught.value) == message


def test_nothing_to_read_is_told_in_three_lines() -> None:
    nothing = torch.zeros(1, 0, dtype=torch.long)
    with pytest.raises(RegardError) as caught:
        GPT(SMALL)(nothing)
    assert str(caught.value) == (
        "a GPT reads at least one token\n  got: a tensor (1, 0) of torch.int64\n"
        "  fix: pass the ids of a text that is not empty"
    )


def test_a_cache_is_full_at_the_context() -> None:
    model = GPT(SMALL)
    cache = model.cache()
    with torch.inference_mode():
        model(text(length=16), cache)
        with pytest.raises(RegardError, match="got: 18 tokens"):
            model(text(length=2), cache)
        assert cache.length == 16


@pytest.mark.parametrize(
    ("change", "beyond", "message"),
    [
        ({}, "window", "learned positions have no place beyond the context\n  got: beyond='window', position='learned'\n  fix: use the rule 'recompute', or build the model with position='rotary'"),
        ({"position": "rotary"}, "endless", "softmax attention cannot go on like that beyond the context\n  got: beyond='endless'\n  fix: use the rule 'window', or 'recompute'"),
        ({"position": "none", "attention": "linear"}, "window", "linear attention cannot go on like that beyond the context\n  got: beyond='window'\n  fix: use the rule 'endless', or 'recompute'"),
    ],
)  # fmt: skip
def test_a_way_beyond_the_context_that_is_none_is_told_in_three_lines(
    change: dict[str, Any], beyond: Any, message: str
) -> None:
    with pytest.raises(RegardError) as caught:
        GPT(replace(SMALL, **change)).cache(beyond=beyond)
    assert str(caught.value) == message


GOLDEN = Path(__file__).parents[2] / "golden" / "gpt.json"


def losses_of(name: str) -> list[float]:
    """Twenty steps of a small model on one batch, in float64 so that machines agree."""
    torch.manual_seed(0)
    return learn(GPT(replace(SMALL, **VARIANTS[name])).double(), riddle(), 20)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRACED)
def test_the_first_twenty_losses_are_those_of_before(name: str) -> None:
    """A refactoring leaves them as they are; `python tests/models/gpt/test_model.py` writes them anew."""
    expected = json.loads(GOLDEN.read_text(encoding="utf-8"))[name]
    assert len(expected) == 20
    assert expected[-1] < expected[0] - 0.5
    torch.testing.assert_close(losses_of(name), expected, atol=1e-6, rtol=0.0)


if __name__ == "__main__":
    GOLDEN.write_text(
        json.dumps({name: losses_of(name) for name in TRACED}, indent=1) + "\n", encoding="utf-8"
    )


@every_variant
def test_every_variant_learns_under_autocast(change: dict[str, Any]) -> None:
    torch.manual_seed(0)
    model, ids = GPT(replace(SMALL, **change)), text()
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for _ in range(5):
        with torch.autocast(ids.device.type, dtype=torch.bfloat16):
            loss = F.cross_entropy(model(ids[:, :-1]).float().flatten(0, 1), ids[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] - 0.1
