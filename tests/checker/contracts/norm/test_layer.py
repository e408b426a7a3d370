"""Gain, bias and epsilon by name."""

import numpy as np
import pytest

from regard.checker.contracts.norm.layer import VALUES, WIDTH, read
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
    assert len(found) == len(VALUES)
    assert {frame.conventions for frame in found[1:]} == {("eps-value",)}


def test_a_layer_without_a_gain_is_told() -> None:
    with pytest.raises(Unfit) as caught:
        read({}, None, WIDTH, optional=False, said={})
    assert caught.value.slug == "gain-missing"
    assert read({}, None, WIDTH, optional=True, said={})[0]["gain"].tolist() == [1.0] * WIDTH


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("layer-norm", "rms-norm")
