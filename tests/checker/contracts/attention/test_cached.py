"""What goes wrong with a cache has a name; positions that are told with every call are nobody's mistake."""

from pathlib import Path

import pytest

from regard.checker.target import check_file

LAYER = """
import torch
from torch import nn

class CausalAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def rotary(self, x, first):
        n, d = x.shape[-2:]
        speed = 10000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
        angles = torch.arange(first, first + n, dtype=x.dtype)[:, None] * speed
        a, b = x.chunk(2, -1)
        return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)

    def forward(self, x, cache=NONE):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        first = PLACE
        q, k = self.rotary(q, first), self.rotary(k, first)
        if cache is not None:
            k, v = JOINED
        n, m = q.shape[-2], k.shape[-2]
        hidden = torch.ones(n, m).triu(DIAGONAL).bool()
        weights = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(hidden, float("-inf")).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2)), (k, v)
"""
RIGHT = {
    "NONE": "None",
    "PLACE": "0 if cache is None else cache[0].shape[-2]",
    "JOINED": "torch.cat([cache[0], k], -2), torch.cat([cache[1], v], -2)",
    "DIAGONAL": "m - n + 1",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "slug"),
    [
        ({}, ""),
        ({"PLACE": "0"}, "cache-positions"),
        ({"DIAGONAL": "1"}, "cache-mask"),
        ({"JOINED": "k, v"}, "cache-unused"),
        ({"NONE": "None, position_ids=None", "PLACE": "0"}, ""),
    ],
    ids=["right", "positions", "mask", "unused", "positions are told"],
)
def test_what_goes_wrong_with_a_cache_is_named(tmp_path: Path, change: dict[str, str], slug: str) -> None:
    text = LAYER
    for word, code in (RIGHT | change).items():
        text = text.replace(word, code)
    (tmp_path / "mine.py").write_text(text)
    (verdict,) = check_file(str(tmp_path / "mine.py"), contract="causal-attention").verdicts
    assert {f.slug for f in verdict.findings} == {"rotary-inside", *filter(None, [slug])}, verdict.sentence
