"""A folder is listed by its syntax: nothing is run."""

from pathlib import Path

import pytest

from regard.checker.survey import Candidate, survey
from regard.errors import RegardError


def test_candidates_are_found_without_running_anything(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / ".venv").mkdir()
    layer = "class RMSNorm:\n    def __init__(self, dim): ...\n    def forward(self, x): ...\n"
    (tmp_path / "deep" / "a.py").write_text(
        f"raise SystemExit\n{layer}def attention(q, k, v, mask=None): ...\n"
    )
    (tmp_path / ".venv" / "b.py").write_text(layer)
    (tmp_path / "c.py").write_text("def (:")
    assert survey(tmp_path) == [
        Candidate(tmp_path / "deep" / "a.py", "RMSNorm", "rms-norm"),
        Candidate(tmp_path / "deep" / "a.py", "attention", "scaled-dot-product"),
    ]


def test_a_folder_that_is_not_there_is_told() -> None:
    with pytest.raises(RegardError, match="there is no such folder to check"):
        survey(Path("nowhere"))


NORM = '''class {name}(nn.Module):
    """{words}"""
    def __init__(self, width):
        self.gain = nn.Parameter(torch.ones(width)){more}
    def forward(self, x):
        return {answer}
'''
SQUARED = "x * x.square().mean(-1, keepdim=True).add(1e-6).rsqrt() * self.gain"
CENTRED = "(x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True) * self.gain"
BIASED = "\n        self.bias = nn.Parameter(torch.zeros(width))"
INNER = """class Part(nn.Module):
    def __init__(self, c, d{asked}):
        self.k, self.q, self.v = nn.Linear(c, d), nn.Linear(c, d), nn.Linear(c, d)
    def forward(self, x):
        s = self.q(x) @ self.k(x).mT
        return s.masked_fill(torch.ones_like(s).triu(1) == 1, float("-inf")).softmax(-1) @ self.v(x)

class MultiHead(nn.Module):
    def __init__(self, c, h):
        self.parts = nn.ModuleList(Part(c, c // h) for _ in range(h))
    def forward(self, x):
        return torch.cat([part(x) for part in self.parts], -1)
"""
ATTEND = """class AttendSettings:
    rate: float = 0.1

class Attend(nn.Module):
    def forward(self, q, k, v, mask=None):
        return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v{more}
"""
OPERATION = """class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v): ...

def attend(q, k, v):
    return _Attention.apply(q, k, v)
"""
ONE = "class {name}(nn.Module):\n    {words}\n    def __init__(self, c): ...\n    def forward(self, x): ..."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (NORM.format(name="LayerNorm", words="", more="", answer=SQUARED), {"LayerNorm": "rms-norm"}),
        (NORM.format(name="LayerNorm", words="", more=BIASED, answer=SQUARED), {"LayerNorm": "layer-norm"}),
        (NORM.format(name="Norm", words="", more="", answer=CENTRED), {"Norm": "layer-norm"}),
        (
            NORM.format(name="LayerNorm", words="No centring.", more="", answer=CENTRED),
            {"LayerNorm": "rms-norm"},
        ),
        (
            NORM.format(name="LayerNorm", words="Rows without their mean.", more="", answer=CENTRED),
            {"LayerNorm": "layer-norm"},
        ),
        (INNER.format(asked=""), {"MultiHead": "causal-attention"}),
        (INNER.format(asked=", causal=False"), {"MultiHead": "multi-head-attention"}),
        (ATTEND.format(more=""), {"Attend": "scaled-dot-product"}),
        (ATTEND.format(more="\n    heads = nn.Linear(3, 3)"), {"Attend": "multi-head-attention"}),
        (OPERATION, {"attend": "scaled-dot-product"}),
        (
            ONE.format(name="StreamingAttention", words="'''Causal, token by token.'''"),
            {"StreamingAttention": "causal-attention"},
        ),
        (
            ONE.format(name="SelfAttention", words="'''Not causal: all see all.'''"),
            {"SelfAttention": "multi-head-attention"},
        ),
        (ONE.format(name="MyGatLayer", words=""), {"MyGatLayer": "gat-layer"}),
    ],
)
def test_the_code_and_its_words_count_where_a_name_may_mean_either(
    text: str, found: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text(text)
    assert {one.name: one.contract for one in survey(tmp_path)} == found
