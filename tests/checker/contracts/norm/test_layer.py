"""Gain, bias and epsilon by name."""

from pathlib import Path

import numpy as np
import pytest

from regard.checker.contracts.norm.layer import VALUES, WIDTH, read
from regard.checker.target import check_file
from regard.checker.workbench import Unfit


@pytest.mark.parametrize(
    "names", [("weight", "bias"), ("gamma", "beta"), ("a_2", "b_2"), ("g", "b"), ("first", "second")]
)
def test_gain_and_bias_by_name_then_by_order(names: tuple[str, str]) -> None:
    weights = {names[0]: np.full(WIDTH, 2.0), names[1]: np.full(WIDTH, 3.0)}
    frame = read(weights, 1e-6, WIDTH, optional=False, said={})[0]
    assert frame["gain"][0] == 2.0
    assert frame["bias"][0] == 3.0
    assert frame.facts["eps"] == 1e-6
    assert frame.conventions == ()


def test_another_epsilon_is_a_convention() -> None:
    found = read({"weight": np.ones(WIDTH)}, 1e-5, WIDTH, optional=False, said={})
    assert [frame.facts["eps"] for frame in found] == [*VALUES, 1e-5 / WIDTH]
    assert {frame.conventions for frame in found[1:-1]} == {("eps-value",)}
    assert found[-1].conventions == ("eps-placement",)


SUMMED = """
import torch
from torch import nn

class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight, self.eps, self.dim = nn.Parameter(torch.ones(dim)), eps, dim

    def forward(self, x):
        return x / torch.sqrt((x.square().sum(dim=-1, keepdim=True) + self.eps) / self.dim) * self.weight
"""


def test_an_epsilon_in_the_sum_of_the_squares_is_a_smaller_one(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SUMMED, encoding="utf-8")
    (verdict,) = check_file(str(tmp_path / "mine.py")).verdicts
    assert verdict.state == "correct", verdict.sentence
    assert [f.slug for f in verdict.findings] == ["eps-placement"]


def test_a_width_may_have_to_be_a_list_of_axes(tmp_path: Path) -> None:
    text = SUMMED.replace("eps, dim", "eps, dim[0]")
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    (verdict,) = check_file(str(tmp_path / "mine.py")).verdicts
    assert verdict.state == "correct", verdict.sentence


def test_a_layer_without_a_gain_is_told() -> None:
    with pytest.raises(Unfit) as caught:
        read({}, None, WIDTH, optional=False, said={})
    assert caught.value.slug == "gain-missing"
    assert read({}, None, WIDTH, optional=True, said={})[0]["gain"].tolist() == [1.0] * WIDTH


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("layer-norm", "rms-norm")
