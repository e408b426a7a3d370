"""Causal attention written out step by step, beside the layer of a GPT."""

from collections.abc import Iterator
from math import inf

import torch
from torch import Tensor

from regard.lab.events import Event, Metric, TableEvent
from regard.models.gpt.block import CausalAttention
from regard.models.gpt.model import GPT


def written_out(layer: CausalAttention, x: Tensor) -> tuple[list[tuple[str, str]], Tensor]:
    """Causal attention step by step, as Duke HW3 asks for it: what each step gives, and the output."""
    config, steps = layer.config, []

    def note(what: str, value: Tensor) -> Tensor:
        steps.append((what, " × ".join(map(str, value.shape))))
        return value

    mixed = note("one linear map gives queries, keys and values side by side", layer.mix(x))
    q, k, v = (part.unflatten(-1, (config.heads, -1)).transpose(1, 2) for part in mixed.chunk(3, -1))
    note("split, and cut into heads: batch, head, place, channel of the head", q)
    scores = note("q kᵀ / √(channels of a head)", q @ k.mT / config.head_width**0.5)
    future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    weights = note(
        "the future set to −∞, then softmax over the keys", scores.masked_fill(future, -inf).softmax(-1)
    )
    heads = note("weights times values", weights @ v)
    return steps, note("heads side by side again, and out", layer.out(heads.transpose(1, 2).flatten(2)))


def compare_written_out(model: GPT) -> Iterator[Event]:
    """How far the layer is from its formula, and the shapes on the way."""
    layer = model.blocks[0].attention
    assert isinstance(layer, CausalAttention)
    x = torch.randn(2, 10, model.config.width, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        steps, output = written_out(layer, x)
        yield Metric(
            "gap between attention written out and the layer", float((output - layer(x)).abs().max())
        )
    yield TableEvent(
        "steps",
        ("step", "shape"),
        steps,
        "Causal attention written out, for a batch of 2 and 10 places of Duke HW3's model.",
    )
