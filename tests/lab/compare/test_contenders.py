"""Contenders: a layer of one's own in the place of attention, or settings; what cheats is refused."""

from pathlib import Path

import pytest
import torch

from regard.errors import RegardError
from regard.lab.compare.contenders import contender

LAYER = """
import torch, torch.nn.functional as F
from torch import nn
class Fused(nn.Module):
    def __init__(self, n_embd, n_head, block_size):
        super().__init__()
        self.heads, self.mix = n_head, nn.Linear(n_embd, 3 * n_embd)
    def forward(self, x):
        q, k, v = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in self.mix(x).chunk(3, -1))
        return F.scaled_dot_product_attention(q, k, v, is_causal=CAUSAL).transpose(1, 2).flatten(2)
"""


def test_a_layer_stands_in_the_place_of_attention_and_the_rest_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LAYER.replace("CAUSAL", "True"))
    own, ours = contender(f"{tmp_path}/mine.py:Fused").model(9, 3), contender("position=learned").model(9, 3)
    assert type(own.blocks[0].attention.layer).__name__ == "Fused"
    assert torch.equal(own.tokens.weight, ours.tokens.weight)
    pairs = zip(own.blocks[1].mlp.parameters(), ours.blocks[1].mlp.parameters(), strict=True)
    assert all(torch.equal(x, y) for x, y in pairs)


def test_settings_change_the_model() -> None:
    model = contender("position=rotary,heads=2").model(9, 0)
    assert (model.config.position, model.config.heads, model.config.width) == ("rotary", 2, 64)


@pytest.mark.parametrize(
    ("word", "what"),
    [
        ("posit=rotary", "no setting of that name"),
        ("context=3", "both are tried in one model, on one text"),
        ("rotary", "there is nothing to compare"),
        ("", "there is nothing to compare"),
        ("heads=5", "heads share the width evenly"),
        ("nope.py:Layer", "there is no such file to compare"),
    ],
)
def test_what_cannot_be_compared_is_told(word: str, what: str) -> None:
    with pytest.raises(RegardError) as error:
        contender(word)
    assert what in error.value.what and error.value.got and error.value.fix


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (LAYER.replace("CAUSAL", "False"), "the layer sees what comes after"),
        (LAYER.replace("CAUSAL", "True").replace("transpose(1, 2).flatten(2)", "flatten(1)"), "the layer does not run in the place of attention"),
        ("1 / 0", "the file raised an error"),
        ("x = 1", "the file defines no layer of that name"),
    ],
)  # fmt: skip
def test_a_layer_that_cheats_or_fails_is_told(text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(RegardError) as error:
        contender(f"{tmp_path}/mine.py").model(9, 0)
    assert error.value.what == what
