"""The axis along which a person's code turns is found."""

from pathlib import Path

import numpy as np
import pytest

from regard.checker.contracts.rotary.adapt import length_kept, ruled_out, turning
from regard.checker.contracts.rotary.forms import case
from regard.checker.target import check_file as check
from regard.checker.wishes import Wishes


@pytest.mark.parametrize(("told", "axis"), [(-2, 2), (1, 1)])
def test_the_axis_that_is_turned_is_seen_from_the_answers(told: int, axis: int, puppet) -> None:
    subject = puppet("rotary", {})
    subject.frames[0].facts["axis"] = told
    assert turning(subject, case(np.random.default_rng(0), "b h n d", 10, two=False)) == axis


def test_what_turns_nothing_or_along_every_axis_has_no_axis(puppet) -> None:
    trial = case(np.random.default_rng(0), "b h n d", 10, two=False)
    assert turning(puppet("rotary", {"turn": lambda x, partner, cos, sin: x}), trial) is None
    chance = {"turn": lambda x, partner, cos, sin: x + np.random.default_rng(1).standard_normal(x.shape)}
    assert turning(puppet("rotary", chance), trial) is None


def test_lengths_are_kept_by_turning_alone(puppet) -> None:
    trial = case(np.random.default_rng(0), "b h n d", 10, two=False)
    assert length_kept(puppet("rotary", {}), trial) < 1e-9
    assert length_kept(puppet("rotary", {"turn": lambda x, partner, cos, sin: x * cos}), trial) > 0.1


@pytest.mark.parametrize(
    ("text", "layouts"),
    [
        ("x: (b, h, n, d)", ("b n h d",)),
        ("q of shape (batch, seq_len, n_heads, head_dim)", ("b h n d",)),
        ("x: [seq, batch, heads, dim]", ("b h n d", "b n h d")),
        ("x of any shape", ()),
    ],
)
def test_words_about_the_axes_rule_layouts_out(text: str, layouts: tuple[str, ...]) -> None:
    assert ruled_out(text) == layouts


TURN = """
import torch

def rope(x, base=10000.0):
    {axes} = x.shape
    angle = torch.arange(n, dtype=x.dtype)[:, None] * {frequencies}
    angle = angle.view({laid})
    a, b = x.chunk(2, dim=-1)
    {rest}
"""
FALLING = "base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)"
RIGHT = "return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)"
OVERWRITTEN = """a = a * angle.cos() - b * angle.sin()
    b = b * angle.cos() + a * angle.sin()
    return torch.cat([a, b], -1)"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("axes", "laid", "frequencies", "rest", "sentence"),
    [
        (
            "b, n, h, d",
            "1, n, 1, -1",
            FALLING.replace("0, d, 2", "d // 2"),
            RIGHT,
            "the exponent is -i/d instead",
        ),
        (
            "b, h, n, d",
            "1, 1, n, -1",
            FALLING,
            OVERWRITTEN,
            "the second channel of each pair is computed from",
        ),
        (
            "b, h, n, d",
            "1, 1, n, -1",
            "torch.exp(-torch.arange(0, d, 2, dtype=x.dtype) / d * torch.log2(torch.tensor(base, dtype=x.dtype)))",
            RIGHT,
            "the logarithm of the base is taken to the base 2",
        ),
    ],
)
def test_axes_are_read_as_the_code_writes_them_and_mistakes_have_names(
    axes: str, laid: str, frequencies: str, rest: str, sentence: str, tmp_path: Path
) -> None:
    text = TURN.format(axes=axes, laid=laid, frequencies=frequencies, rest=rest)
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    (verdict,) = check(str(tmp_path / "mine.py"), wishes=Wishes(strict=True)).verdicts
    assert verdict.state == "mistake"
    assert verdict.sentence.startswith(sentence)
