"""A person's file runs in a process of its own; whatever it does, the answer is maps or three lines."""

from pathlib import Path

import pytest
import torch
from torch import nn

from regard.errors import RegardError
from regard.lab.look.own import attention_of_file

FUSED = """
import torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(3)
class Fused(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.MultiheadAttention(8, 2, batch_first=True)
    def forward(self, x):
        b, n, c = x.shape
        q, k, v = F.linear(x, self.inner.in_proj_weight, self.inner.in_proj_bias).chunk(3, -1)
        q, k, v = (p.view(b, n, 2, 4).transpose(1, 2) for p in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
example = torch.linspace(-1, 1, 40).view(1, 5, 8)
"""


@pytest.mark.slow
def test_the_weights_behind_a_fused_kernel_are_true_to_1e_5(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FUSED)
    seen = attention_of_file(f"{tmp_path}/mine.py:Fused")
    torch.manual_seed(0)
    layer, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.linspace(-1, 1, 40).view(1, 5, 8)
    right = layer(x, x, x, need_weights=True, average_attn_weights=False)[1]
    assert seen.weights[0].shape == (1, 2, 5, 5) and (seen.weights[0] - right).abs().max() < 1e-5
    assert seen.notes == ("fed with the example of the file",)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / 0", "the file raised an error\n  got: ZeroDivisionError: division by zero (mine.py, line 1: 1 / 0)\n  fix: make it run first"),
        ("import os; os._exit(3)", "the file could not be run\n  got: its process ended itself with status 3\n  fix: make it smaller, or quicker to import"),
        ("x = 1", "the file defines no model\n  got: mine.py\n  fix: define an nn.Module, or name a function that makes one: FILE.py:name"),
    ],
)  # fmt: skip
def test_a_file_that_fails_is_told_in_three_lines(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(RegardError) as error:
        attention_of_file(f"{tmp_path}/mine.py")
    assert str(error.value) == said


def test_no_file_is_told() -> None:
    with pytest.raises(RegardError, match=r"there is no such file to look into\n  got: 'nope\.py:Model'"):
        attention_of_file("nope.py:Model")
