"""Tables of angles that are handed in where the file makes none."""

from pathlib import Path

import numpy as np
import pytest

from regard.checker.contracts.rotary.tables import COUNT, LENGTH, batched, both, handed
from regard.checker.target import check_file as check

HALF = """
import torch

def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)
"""
BOTH = """
def apply_rope(q, k, cos, sin):
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
"""
BATCHED = """
def apply_rope(q, k, cos, sin):
    cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
"""
NARROW = """
def apply_rope(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
"""
COMPLEX = """
def apply_rotary_emb(x, freqs_cis):
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * freqs_cis).flatten(-2)
"""
ANGLES = """
def rope_angles(dim, end, theta=10000.0):
    one = torch.outer(torch.arange(end).double(), theta ** (-torch.arange(0, dim, 2).double() / dim))
    return torch.cat([one, one], dim=-1)
"""
SETTINGS = """
def precompute_freqs_cis(config):
    powers = torch.arange(0, config.head_dim, 2).double() / config.head_dim
    angles = torch.outer(torch.arange(config.max_seq_len).double(), config.rope_theta ** -powers)
    return torch.polar(torch.ones_like(angles), angles)
"""


@pytest.mark.parametrize(
    "text",
    [BOTH, BATCHED, NARROW, COMPLEX, ANGLES + BOTH, SETTINGS + COMPLEX],
    ids=["both", "batched", "narrow", "complex", "angles", "settings"],
)
def test_code_that_takes_its_tables_is_judged_with_tables_that_suit_it(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(HALF + text)
    name = "apply_rotary_emb" if text.endswith(COMPLEX) else "apply_rope"
    assert check(f"{path}:{name}", contract="rotary").code == 0
    wrong = text.replace("* sin", "* cos").replace("pairs *", "pairs +")
    path.write_text(HALF + wrong)
    assert check(f"{path}:{name}", contract="rotary").code == 1


def test_every_layout_is_there_once_and_begins_where_asked() -> None:
    found = handed(10)
    shapes = [table(3, ["cos", "sin"])[0].shape for table in found]
    assert len(shapes) == len(
        {(s, str(table(3, ["cos", "sin"])[0].ravel()[:9])) for s, table in zip(shapes, found, strict=True)}
    )
    assert {shape[-1] for shape in shapes} == {10, 5}
    assert all(COUNT in shape and LENGTH not in shape for shape in shapes)
    cos, sin = found[0](3, ["cos", "sin"])
    assert np.allclose(np.arctan2(sin, cos)[0], 3 * 10000.0 ** -(np.tile(np.arange(0, 10, 2), 2) / 10))
    assert batched(found[0])(3, ["cos"])[0].shape == (1, COUNT, 10)


def test_only_angles_have_cosines_and_sines() -> None:
    angles = np.array([0.0, np.pi / 2])
    assert np.allclose(both(angles), [[1, 0], [0, 1]])
    for other in (np.array([True, False]), np.array([1j]), None):
        assert both(other)[0] is other
