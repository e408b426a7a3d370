"""Attention by its formula and by the layer."""

from dataclasses import replace

import torch

from regard.experiments.text.shakespeare.written_out import compare_written_out, written_out
from regard.lab.events import Metric, TableEvent
from regard.models.gpt.model import GPT
from regard.models.gpt.presets import DUKE


def test_attention_written_out_is_the_layer_and_a_wrong_scale_is_not() -> None:
    torch.manual_seed(0)
    model = GPT(replace(DUKE, width=24, heads=3, depth=1, init_std=0.5))
    layer, x = model.blocks[0].attention, torch.randn(2, 5, 24)
    steps, output = written_out(layer, x)
    assert (output - layer(x)).abs().max() < 1e-5 and len(steps) == 6
    layer.config = replace(layer.config, heads=3, width=48)
    assert layer.config.head_width == 16 and (written_out(layer, x)[1] - output).abs().max() > 1e-3


def test_the_comparison_tells_the_gap_and_the_shape_of_every_step() -> None:
    torch.manual_seed(0)
    gap, table = compare_written_out(GPT(replace(DUKE, width=24, heads=3, depth=1)))
    assert isinstance(gap, Metric) and gap.value < 1e-5
    assert isinstance(table, TableEvent) and [shape for _, shape in table.rows] == [
        "2 × 10 × 72", "2 × 3 × 10 × 8", "2 × 3 × 10 × 10", "2 × 3 × 10 × 10", "2 × 3 × 10 × 8", "2 × 10 × 24",
    ]  # fmt: skip
