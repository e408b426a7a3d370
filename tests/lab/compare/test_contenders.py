"""Contenders: a layer of one's own in the place of attention, or settings; what cheats is refused."""

from pathlib import Path

import pytest
import torch

from regard.errors import RegardError
from regard.lab.compare.contenders import contender, unlike

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


@pytest.mark.parametrize(
    "words",
    [
        "width=32, heads=2, length=32",
        "dim=32, n_head=2, block_size=1024",
        "embed_dim=32, num_heads=8, max_len=16",
    ],
)
def test_a_size_with_a_default_is_that_of_the_small_model(tmp_path: Path, words: str) -> None:
    names = [one.partition("=")[0].strip() for one in words.split(",")]
    text = LAYER.replace("n_embd, n_head, block_size", words).replace("CAUSAL", "True")
    (tmp_path / "mine.py").write_text(text.replace("n_embd", names[0]).replace("= n_head", f"= {names[1]}"))
    layer = contender(f"{tmp_path}/mine.py").model(9, 0).blocks[0].attention.layer
    assert layer.mix.in_features == 64 and layer.heads == 4


def test_a_choice_of_the_layer_stays_and_a_settings_object_gets_the_sizes(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import dataclasses\nfrom torch import nn\n"
        "@dataclasses.dataclass\nclass Config:\n    dim: int = 32\n    heads: int = 2\n    bias: bool = True\n    dropout: float = 0.5\n"
        "class Mine(nn.Module):\n"
        "    def __init__(self, config: Config, window=8, max_len=2048, causal=True):\n"
        "        super().__init__()\n        self.told = config, window, max_len, causal\n"
        "    def forward(self, x):\n        return x\n"
    )
    config, *others = contender(f"{tmp_path}/mine.py").model(9, 0).blocks[0].attention.layer.told
    assert others == [8, 2048, True]
    assert (config.dim, config.heads, config.bias, config.dropout) == (64, 4, True, 0.5)


def test_a_file_finds_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from scale import SCALE\n" + LAYER.replace("CAUSAL", "SCALE > 0"))
    (tmp_path / "scale.py").write_text("SCALE = 2\n")
    assert contender(f"{tmp_path}/mine.py").model(9, 0).blocks[0].attention.layer.heads == 4


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
        ("raise SystemExit(1)", "the file raised an error"),
        ("from regard import GPTConfig\nGPTConfig(vocabulary=0, context=8, depth=1, heads=1, width=4)", "GPTConfig: vocabulary is a whole number from 1 to 1000000000"),
        ("x = 1", "the file defines no layer of that name"),
    ],
)  # fmt: skip
def test_a_layer_that_cheats_or_fails_is_told(text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(RegardError) as error:
        contender(f"{tmp_path}/mine.py").model(9, 0)
    assert error.value.what == what


def test_in_what_else_two_differ_is_told_and_settings_of_the_model_stand_after_a_layer(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.py").write_text(LAYER.replace("CAUSAL", "True"))
    mine, rotary = f"{tmp_path}/mine.py:Fused", contender("position=rotary")
    assert unlike(contender(mine), rotary) == [
        f"{mine} has a table of learned positions, position=rotary has no table of positions"
    ]
    even = contender(f"{mine},position=none")
    assert even.model(9, 3).positions is None and even.model(9, 3).blocks[0].attention.layer.heads == 4
    assert unlike(even, rotary) == unlike(contender(mine), contender("heads=2")) == []
    assert unlike(contender("depth=1"), rotary) == []
    assert unlike(even, contender("depth=1,position=none")) == [
        f"{mine},position=none has depth=2, depth=1,position=none has depth=1"
    ]


@pytest.mark.parametrize("setting", ["heads=2", "width=32", "position=rotary"])
def test_what_would_have_its_effect_in_the_layer_is_no_setting_beside_it(
    setting: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(LAYER.replace("CAUSAL", "True"))
    with pytest.raises(RegardError, match="your layer stands where that setting would have its effect"):
        contender(f"{tmp_path}/mine.py,{setting}")
