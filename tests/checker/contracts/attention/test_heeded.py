"""What is asked of a constructor is heeded everywhere, and what is built is used."""

from pathlib import Path

import pytest

from regard.checker.target import check_file

LAYER = """
import math
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads, qkv_bias=False):
        super().__init__()
        self.h = heads
        self.W_query = nn.Linear(d_model, d_model, bias=qkv_bias)
        self.W_key = nn.Linear(d_model, d_model, bias=qkv_bias)
        self.W_value = nn.Linear(d_model, d_model, bias=qkv_bias)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, mask=None):
        cut = lambda t: t.view(t.size(0), t.size(1), self.h, -1).transpose(1, 2)
        q, k, v = cut(self.W_query(q)), cut(self.W_key(k)), cut(self.W_value(v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        y = scores.softmax(-1) @ v
        return self.out(y.transpose(1, 2).flatten(2))
"""
LISTED = """
import math
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.h = heads
        self.linears = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(COUNT)])

    def forward(self, q, k, v, mask=None):
        cut = lambda t: t.view(t.size(0), t.size(1), self.h, -1).transpose(1, 2)
        q, k, v = (cut(one(t)) for one, t in zip(self.linears, (q, k, v)))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        return self.linears[-1]((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
"""
KEYS = "self.W_key = nn.Linear(d_model, d_model, bias=qkv_bias)"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LAYER, ""),
        (
            LAYER.replace(KEYS, KEYS.replace(", bias=qkv_bias", "")),
            "is not passed on to every one of them",
        ),
        (LISTED.replace("COUNT", "4"), ""),
        (LISTED.replace("COUNT", "5"), "every matrix that is built is used"),
    ],
    ids=["heeded", "not for keys", "all used", "one too many"],
)
def test_an_argument_holds_everywhere_and_every_matrix_is_used(
    tmp_path: Path, text: str, sentence: str
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    found = check_file(str(path), contract="multi-head-attention")
    assert found.code == bool(sentence)
    said = (found.verdicts[0].sentence, *(f.sentence for f in found.verdicts[0].findings))
    assert not sentence or any(sentence in words for words in said), said


CONTEXT = """
import torch
from torch import nn

class CrossAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_q, self.to_k = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.to_v, self.to_out = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x, context=None):
        context = x if context is None else context
        parts = self.to_q(x), self.to_k(SEEN), self.to_v(SEEN)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in parts)
        weights = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1)
        return self.to_out((weights @ v).transpose(1, 2).flatten(2))
"""


@pytest.mark.parametrize(("seen", "heard"), [("context", True), ("x", False)])
def test_a_context_that_is_given_is_looked_at(tmp_path: Path, seen: str, heard: bool) -> None:
    path = tmp_path / "mine.py"
    path.write_text(CONTEXT.replace("SEEN", seen))
    verdict = check_file(str(path), contract="multi-head-attention").verdicts[0]
    assert verdict.state == ("correct" if heard else "mistake"), verdict.sentence
    assert verdict.laws["context"] is heard
