"""Tables of cosines and sines are found in the file and passed on."""

from pathlib import Path

import pytest

from regard.checker.target import check_file as check

ROTATE = """
import torch
from torch import nn

def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)
"""
LLAMA = """
def precompute_freqs_cis(dim, end, theta=10000.0):
    freqs = 1.0 / theta ** (torch.arange(0, dim, 2).float() / dim)
    return torch.polar(torch.ones(end, dim // 2), torch.outer(torch.arange(end).float(), freqs))

def apply_rotary_emb(xq, xk, freqs_cis):
    turn = lambda x: torch.view_as_real(torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * freqs_cis[None, :, None]).flatten(3)
    return turn(xq), turn(xk)
"""
FACE = """
class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=10000):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / base ** (torch.arange(0, dim, 2).float() / dim))
    def forward(self, x, position_ids):
        f = position_ids[..., None].to(x.dtype) * self.inv_freq
        e = torch.cat([f, f], dim=-1)
        return e.cos(), e.sin()

def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
"""


@pytest.mark.parametrize(
    ("text", "conventions"), [(LLAMA, {"heads-axis-layout"}), (FACE, {"half-split"})], ids=["llama", "face"]
)
@pytest.mark.slow
def test_tables_of_the_same_file_are_used(text: str, conventions: set[str], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ROTATE + text, encoding="utf-8")
    (verdict,) = check(str(tmp_path / "mine.py")).verdicts
    assert verdict.state == "correct", verdict.sentence
    assert {f.slug for f in verdict.findings} == conventions
