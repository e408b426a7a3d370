"""How attention functions are called: where tokens lie, what masks look like, what else can be asked for."""

from pathlib import Path

import numpy as np
import pytest

from regard.checker.contract import Case
from regard.checker.contracts.attention.function_calls import by_name, output
from regard.checker.target import check_file

KERNEL = """
import torch

def attention(q, k, v, mask=None, causal=False, scale=None):
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    s = torch.einsum("bqhd,bkhd->bhqk", q, k) * scale
    if causal:
        s = s.masked_fill(torch.ones(s.shape[-2:], dtype=torch.bool).triu(1), float("-inf"))
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    return torch.einsum("bhqk,bkhd->bqhd", s.softmax(-1), v)
"""


def parameters(*names: str) -> list[dict]:
    return [{"name": name, "required": True, "named": False, "star": False} for name in names]


def test_roles_that_do_not_come_first_are_passed_by_name() -> None:
    assert by_name(parameters("mask", "q", "k", "v"))
    assert not by_name(parameters("q", "k", "v", "mask"))
    assert not by_name(parameters("a", "b", "c"))


def test_the_output_is_found_where_tokens_lie_elsewhere() -> None:
    case = Case(name="", inputs={"query": np.zeros((2, 3, 7, 8)), "value": np.zeros((2, 3, 5, 9))})
    weights, mixed = np.zeros((2, 3, 7, 5)), np.zeros((2, 7, 3, 9))
    assert output([weights, mixed], case, lambda x: x.swapaxes(1, 2)).shape == (2, 3, 7, 9)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("", ""), 0),
        (("triu(1)", "triu(2)"), 1),
        (("(q, k, v, mask=None", "(q, k, v, mask=None"), 0),
        ((", q, k) * scale", ", q, k) * q.shape[-1] ** -0.5"), 1),
        (("~mask", "~mask[:, :1]"), 1),
        (("~mask", "~mask[:1]"), 1),
    ],
)
def test_every_way_to_ask_is_held_to_the_reference(
    tmp_path: Path, change: tuple[str, str], code: int
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(KERNEL.replace(*change))
    found = check_file(str(path))
    assert found.code == code, found.verdicts[0].sentence
    if not code:
        assert "heads-after-tokens" in {f.slug for f in found.verdicts[0].findings}
