"""Tables of cosines and sines are found in the file and passed on."""

from pathlib import Path

import pytest

from regard.checker.selftest import judge
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


TOLD = """
import torch

def apply_rotary_emb(query, key, head_dim, max_seq_len, theta=10000.0):
    count = query.shape[1]
    assert head_dim == query.shape[-1] and count <= max_seq_len
    speed = theta ** (-torch.arange(0, head_dim, 2, dtype=query.dtype) / head_dim)
    angle = (torch.arange(count, dtype=query.dtype)[:, None] * speed)[None, :, None]

    def turn(x):
        even, odd = x[..., 0::2], x[..., 1::2]
        pair = even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos()
        return torch.stack(pair, dim=-1).flatten(-2)

    return turn(query), turn(key)
"""


def test_a_function_is_told_the_width_of_a_head_and_the_longest_sequence(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(TOLD, encoding="utf-8")
    (verdict,) = check(str(tmp_path / "mine.py")).verdicts
    assert verdict.state == "correct", verdict.sentence
    assert {f.slug for f in verdict.findings} == {"heads-axis-layout"}


STRANGE = """
import torch

def apply_rope(x, wavelengths_of_the_choir):
    speed = 10000.0 ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1]) / wavelengths_of_the_choir
    angle = torch.arange(x.shape[-2])[:, None] * speed
    even, odd = x[..., 0::2], x[..., 1::2]
    pair = even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos()
    return torch.stack(pair, dim=-1).flatten(-2)
"""


def test_what_raises_because_it_was_told_nothing_is_undecided(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(STRANGE, encoding="utf-8")
    (verdict,) = check(str(tmp_path / "mine.py")).verdicts
    assert verdict.state == "undecided", verdict.sentence
    (finding,) = verdict.findings
    assert finding.evidence == ("tried: wavelengths_of_the_choir given as None",)


ONE_SEQUENCE = """
def apply_rotary_pos_emb(q, k, cos, sin):
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin

class Rotary(nn.Module):
    def __init__(self, dim, base=10000):
        super().__init__()
        self.register_buffer("speed", 1.0 / base ** (torch.arange(0, dim, 2).float() / dim))
    def forward(self, x, seq_dim=0):
        angle = torch.outer(torch.arange(x.shape[seq_dim], device=x.device).type_as(self.speed), self.speed)
        angle = torch.cat((angle, angle), dim=-1)
        return angle.cos()[:, None, :], angle.sin()[:, None, :]
"""


def test_tables_with_a_place_for_the_heads_are_of_one_sequence(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ROTATE + ONE_SEQUENCE, encoding="utf-8")
    (verdict,) = check(f"{tmp_path / 'mine.py'}:apply_rotary_pos_emb").verdicts
    assert verdict.state == "correct", verdict.sentence


NO_TABLE = """
def build_cache(x):
    return torch.ones(1, x.shape[-1]), torch.zeros(1, x.shape[-1])

def apply_rotary(x, cos, sin):
    return x * cos + rotate_half(x) * sin
"""


def test_tables_without_a_row_for_each_position_are_not_understood(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ROTATE + NO_TABLE, encoding="utf-8")
    (verdict,) = check(f"{tmp_path / 'mine.py'}:apply_rotary").verdicts
    assert verdict.state == "undecided", verdict.sentence
    assert "no place for each position" in verdict.sentence


HERE = Path(__file__).parents[2]


@pytest.mark.slow
def test_an_argument_that_is_zero_unless_given_is_a_start_whatever_it_is_called() -> None:
    found = judge(HERE / "mutants" / "rotary" / "versatz_am_winkel.py", "mutants", 0, HERE)
    assert found.said == "the offset is added to the angles, after the frequencies, and not to the positions"
