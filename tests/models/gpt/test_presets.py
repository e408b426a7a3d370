"""Each preset has the number of parameters that its assignment, or the published model, has."""

import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from regard.errors import RegardError
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.models.gpt.presets import AMSTERDAM, DUKE, GPT2, JERUSALEM, SIZES, SWIFT, sized


def size(config: GPTConfig) -> int:
    with torch.device("meta"):
        return GPT(config).size


def test_duke_has_the_parameters_of_the_recipe_it_cuts_down() -> None:
    assert size(DUKE) == 804_096


def test_jerusalem_has_the_parameters_counted_by_hand() -> None:
    tables, head, norm = 65 * 48 + 10 * 48, 48 * 65, 2 * 48
    block = 2 * norm + (48 * 144 + 144) + (48 * 48 + 48) + (48 * 192 + 192) + (192 * 48 + 48)
    assert size(JERUSALEM) == tables + 3 * block + norm + head == 91_632


def test_amsterdam_has_the_parameters_of_its_log() -> None:
    """The log counts a position table that rotary positions leave unused, and leaves out the head."""
    head, table = 384 * 87, 128 * 384
    assert round((size(AMSTERDAM) - head + table) / 1e6, 2) == 10.73
    assert size(AMSTERDAM) == 10_709_376


def test_swift_has_the_parameters_counted_by_hand() -> None:
    assert size(SWIFT) == (1 + 3 + 1) * 65 * 96 + 2 * 12 * 96**2 == 252_384


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("gpt2", 124_439_808),
        ("gpt2-medium", 354_823_168),
        ("gpt2-large", 774_030_080),
        ("gpt2-xl", 1_557_611_200),
    ],
)
def test_the_sizes_of_gpt2_are_the_published_ones(name: str, published: int) -> None:
    assert size(sized(GPT2, name)) == published


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_every_size_is_a_model_of_amsterdam(name: str) -> None:
    config = sized(AMSTERDAM, name)
    assert (config.depth, config.heads, config.width) == SIZES[name]
    block = 2 * config.width + 12 * config.width**2 + 9 * config.width
    assert size(config) == config.depth * block + config.width + 2 * 87 * config.width


def test_an_unknown_size_is_told_the_nearest() -> None:
    with pytest.raises(RegardError) as caught:
        sized(GPT2, "gpt2-xxl")
    assert str(caught.value) == "no size of that name\n  got: 'gpt2-xxl'\n  fix: did you mean 'gpt2-xl'?"


@pytest.mark.slow
@pytest.mark.parametrize(
    "config",
    [DUKE, JERUSALEM, AMSTERDAM, SWIFT, sized(GPT2, "gpt-nano")],
    ids=["000", "002", "003", "swift", "gpt2"],
)
def test_the_first_loss_is_that_of_a_guess(config: GPTConfig) -> None:
    torch.manual_seed(0)
    model, ids = GPT(config).eval(), torch.randint(config.vocabulary, (3, 11))
    ids = ids[:, : config.context + 1]
    with torch.no_grad():
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    assert abs(float(loss) - math.log(config.vocabulary)) < 0.2


def test_loud_weights_miss_the_loss_of_a_guess() -> None:
    from dataclasses import replace

    loud: Any = replace(JERUSALEM, init_std=0.5)
    with pytest.raises(AssertionError):
        test_the_first_loss_is_that_of_a_guess(loud)
