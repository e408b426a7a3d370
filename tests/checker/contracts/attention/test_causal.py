"""Causal attention in the styles people write."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from regard.checker.contracts.attention.causal import _leak
from regard.checker.contracts.table import named
from regard.checker.live import check
from regard.checker.selftest import judge
from regard.checker.target import check_file

NAMES = [
    "NanoStyle",
    "FlashStyle",
    "KarpathyHeads",
    "EinsumStyle",
    "TorchStyle",
    "LoopStyle",
    "RawWeights",
    "NamesThatSayNothing",
    "KeyFirst",
    "PerHeadFused",
    "FloatOnly",
    "SingleHead",
    "TupleOut",
    "SwappedFused",
    "SdpaDropout",
    "TimeFirst",
    "EvalOnly",
    "FixedLength",
    "Detached",
    "InPlace",
    "Naive",
    "Remembers",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_style_is_judged_as_it_is(name: str, style: Callable) -> None:
    module = style("attention")
    contract, expected = module.EXPECTED[name]
    verdict = check(getattr(module, name), contract=contract, strict=bool(expected)).verdicts[0]
    assert verdict.slugs == expected, verdict.sentence
    assert verdict.state == ("mistake" if expected else "correct"), verdict.sentence


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("causal-attention")


def test_a_leak_is_shown_by_the_shortest_sequence_and_told_with_its_size(puppet: Callable) -> None:
    unmasked = next(one for one in named("causal-attention").mistakes if one.slug == "mask-missing")
    subject, answers = puppet("causal-attention", unmasked.forms[0]), []
    plain = subject.answer
    subject.answer = lambda case: answers.append(plain(case)) or answers[-1]
    subject.facts["most"] = 2
    found = _leak(subject, np.random.default_rng(0))
    size = np.abs(answers[0][:, :1] - answers[1][:, :1]).max()
    assert found and len(answers) == 2
    assert found.words == f"with 2 tokens, changing token 1 moves the outputs before it by {size:.3g}"
    subject.facts["most"] = 1
    assert _leak(subject, np.random.default_rng(0)) is None
    assert _leak(puppet("causal-attention", {}), np.random.default_rng(0)) is None


ONE_HEAD = """
import math
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, T_max, d_k, d_v, d_model):
        super().__init__()
        self.register_buffer("mask", torch.tril(torch.ones(T_max, T_max)).bool())
        self.d_k, self.d_v = d_k, d_v
        self.qkv_proj, self.out_proj = nn.Linear(d_model, 2 * d_k + d_v), nn.Linear(d_v, d_model)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = self.qkv_proj(x).split([self.d_k, self.d_k, self.d_v], dim=-1)
        scores = (q @ k.transpose(-1, -2) / math.sqrt(self.d_k)).masked_fill(~self.mask[:n, :n], -torch.inf)
        return self.out_proj(scores.softmax(-1) @ v)
"""


@pytest.mark.parametrize(("old", "new", "code"), [("", "", 0), ("math.sqrt(self.d_k)", "self.d_k", 1)])
def test_one_head_with_widths_of_its_own_is_read(tmp_path: Path, old: str, new: str, code: int) -> None:
    path = tmp_path / "mine.py"
    path.write_text(ONE_HEAD.replace(old, new) if old else ONE_HEAD)
    assert check_file(str(path), contract="causal-attention").code == code


@pytest.mark.slow
def test_biases_of_heads_that_stand_apart_are_biases() -> None:
    here = Path(__file__).parents[2]
    found = judge(here / "correct" / "causal-attention" / "one_matrix_a_head.py", "correct", 0, here)
    assert found.right
    assert found.said.startswith("it is causal self-attention")
