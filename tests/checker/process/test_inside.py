"""What is done to a person's code in its own process, tried here in ours."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from regard.checker.process.inside import Inside, told, weights

CODE = '''
import torch
from torch import nn
from math import sqrt

class Layer(nn.Module):
    """A layer."""
    def __init__(self, width, gain: float = 2.0):
        super().__init__()
        self.lin = nn.Linear(width, width, bias=False)
        self.register_buffer("mask", torch.ones(3))
        self.size = width
    def forward(self, x, mask=None):
        return self.lin(x)
    def sample(self, n):
        return torch.randn(n)

def spoil(x):
    x += 1
    return x

def fail(x):
    raise ValueError("no good")
'''


COUNTING = """
import torch
from torch import nn

seen = []
def count(x):
    seen.append(x)
    return x * len(seen)

class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.step, self.calls = nn.Parameter(torch.zeros(())), 0
    def forward(self, x):
        self.calls += 1
        return self.step * self.calls * (-1 if self.training else 1)
"""
ASKED = {"named": {}, "method": "", "kind": "float64"}


@pytest.fixture
def inside(tmp_path: Path) -> Inside:
    file = tmp_path / "layer_under_test.py"
    file.write_text(CODE, encoding="utf-8")
    inside = Inside()
    inside.listed = inside.load(str(file))["members"]  # type: ignore[attr-defined]
    return inside


def test_only_what_the_file_defines_is_listed(inside: Inside) -> None:
    listed = {m["name"]: m for m in inside.listed}  # type: ignore[attr-defined]
    assert set(listed) == {"Layer", "spoil", "fail"}
    assert [p["name"] for p in listed["Layer"]["parameters"]] == ["width", "gain"]
    assert [p["required"] for p in listed["Layer"]["parameters"]] == [True, False]
    assert [p["name"] for p in listed["Layer"]["forward"]] == ["x", "mask"]
    assert listed["Layer"]["doc"] == "A layer."


def test_weights_are_told_with_their_owners(inside: Inside) -> None:
    about = inside.make("Layer", 1, [], {"width": 4})
    assert about["owners"] == {"lin.weight": "Linear", "mask": "Layer"}
    assert about["learned"] == ["lin.weight"]
    assert about["numbers"]["size"] == 4
    assert list(about["methods"]) == ["sample"]


def test_weights_are_set_in_place_and_answers_follow(inside: Inside) -> None:
    inside.make("Layer", 1, [], {"width": 3})
    inside.cast(1, "float64")
    inside.set(1, {"lin.weight": 2 * np.eye(3)})
    reply = inside.call(1, [np.arange(3.0)], named={}, method="", kind="float64", seed=0)
    assert reply["answer"].dtype == np.float64
    assert reply["answer"].tolist() == [0.0, 2.0, 4.0]
    assert reply["changed"] == []


def test_an_input_passed_by_name_that_is_written_into_is_noticed(inside: Inside) -> None:
    inside.make("spoil", 1, [], {})
    reply = inside.call(1, [], named={"x": np.arange(3.0)}, method="", kind="float64", seed=0)
    assert reply["changed"] == ["x"]


def test_an_input_that_is_written_into_is_noticed(inside: Inside) -> None:
    inside.make("spoil", 1, [], {})
    given = np.arange(3.0)
    assert inside.call(1, [given], named={}, method="", kind="float64", seed=0)["changed"] == [0]
    assert given.tolist() == [0.0, 1.0, 2.0]


def test_gradients_of_weights(inside: Inside) -> None:
    inside.make("Layer", 1, [], {"width": 2})
    inside.cast(1, "float64")
    inside.set(1, {"lin.weight": np.array([[1.0, 2.0], [3.0, 4.0]])})
    found = inside.slope(1, [np.array([5.0, 6.0])], **ASKED, parts=[0], directions=[np.array([1.0, 0.0])])
    assert found["weights"]["lin.weight"].tolist() == [[5.0, 6.0], [0.0, 0.0]]
    assert found["inputs"]["0"].tolist() == [1.0, 2.0]


def test_a_fresh_call_is_the_first_of_its_file_and_its_object(tmp_path: Path) -> None:
    file = tmp_path / "counting_under_test.py"
    file.write_text(COUNTING, encoding="utf-8")
    inside = Inside()
    inside.load(str(file))
    for number, name in ((1, "count"), (2, "Counter")):
        inside.make(name, number, [], {})
        inside.cast(number, "float64")
    inside.set(2, {"step": np.array(3.0)})
    one = np.ones(())

    def answers(number: int, *, fresh: bool) -> list[float]:
        return [float(inside.call(number, [one], **ASKED, seed=0, fresh=fresh)["answer"]) for _ in range(2)]

    assert answers(1, fresh=False) == [1.0, 2.0]
    assert answers(1, fresh=True) == [1.0, 1.0]
    assert answers(1, fresh=False) == [3.0, 4.0]
    assert answers(2, fresh=False) == [3.0, 6.0]
    assert answers(2, fresh=True) == [3.0, 3.0]
    inside.mode(2, True)
    assert answers(2, fresh=True) == [-3.0, -3.0]


def test_gradients_of_inputs_that_are_written_into(inside: Inside) -> None:
    inside.make("spoil", 1, [], {})
    found = inside.slope(1, [np.ones(2)], **ASKED, parts=[0], directions=[np.array([2.0, 3.0])])
    assert found == {"weights": {}, "inputs": {"0": pytest.approx(np.array([2.0, 3.0]))}}


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor([2.0, 3.0], dtype=torch.float64))

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"weights": x.sum()[None], "output": self.w * x}


def test_gradients_are_those_of_the_part_that_is_the_output() -> None:
    found = Inside({1: Pair()}).slope(
        1, [np.array([5.0, 7.0])], **ASKED, parts=[1], directions=[np.array([1.0, 10.0])]
    )
    assert found["weights"]["w"].tolist() == [5.0, 70.0]
    assert found["inputs"]["0"].tolist() == [2.0, 30.0]


class Methods(nn.Module):
    def score(self, x: torch.Tensor) -> torch.Tensor:
        return x


def test_a_module_without_forward_is_not_called() -> None:
    about = Inside({1: Methods()}).about(1)
    assert about["call"] == []
    assert list(about["methods"]) == ["score"]


def test_the_seed_makes_chance_repeatable(inside: Inside) -> None:
    inside.make("Layer", 1, [], {"width": 2})
    draws = [
        inside.call(1, [4], named={}, method="sample", kind="float64", seed=s)["answer"].tolist()
        for s in (1, 1, 2)
    ]
    assert draws[0] == draws[1] != draws[2]


def test_an_exception_is_told_with_the_persons_line(inside: Inside) -> None:
    inside.make("fail", 1, [], {})
    try:
        inside.call(1, [1], named={}, method="", kind="float64", seed=0)
    except ValueError as error:
        said = told(error, inside.module)
    assert said["kind"] == "ValueError"
    assert said["words"] == "no good"
    assert said["text"] == 'raise ValueError("no good")'


def test_an_exception_whose_words_cannot_be_read_is_still_told() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert told(Mute(), None)["words"] == "(its message cannot be read)"


def test_a_thing_without_modules_has_its_arrays_for_weights() -> None:
    class Plain:
        def __init__(self) -> None:
            self.w, self.name = np.ones((2, 2)), "plain"

    assert [(name, owner) for name, _, owner, _ in weights(Plain())] == [("w", "Plain")]


NUMPY = """
import numpy as np

class Layer:
    def __init__(self, n):
        self.gain = np.ones(n)

    def forward(self, x):
        x *= 2
        return np.sum(x, axis=-1, keepdims=True) * self.gain
"""


def test_arrays_are_given_to_what_works_on_them_and_forward_is_called(tmp_path: Path) -> None:
    (tmp_path / "arrays_under_test.py").write_text(NUMPY, encoding="utf-8")
    inside = Inside()
    inside.load(str(tmp_path / "arrays_under_test.py"))
    inside.make("Layer", 1, [], {"n": 2}, arrays=True)
    asked = {"named": {}, "method": "", "kind": "float64"}
    reply = inside.call(1, [np.ones((1, 2))], **asked, seed=0)
    assert reply["answer"].tolist() == [[4.0, 4.0]]
    assert reply["changed"] == [0]
    assert inside.slope(1, [np.ones((1, 2))], **asked, parts=[0], directions=[np.ones((1, 2))]) is None


def test_one_weight_without_gradients_is_told_and_none_of_all() -> None:
    layer = torch.nn.Linear(2, 2)
    layer.bias.requires_grad_(False)
    inside = Inside({0: layer})
    asked = {"named": {}, "method": "", "kind": "float32", "parts": [0], "directions": [np.ones((1, 2))]}
    found = inside.slope(0, [np.ones((1, 2))], **asked)["weights"]
    assert found["bias"] is None
    assert found["weight"].shape == (2, 2)
    layer.weight.requires_grad_(False)
    assert inside.slope(0, [np.ones((1, 2))], **asked)["weights"] == {}


def test_private_methods_are_told_apart() -> None:
    class Steps:
        def fit(self, x: int) -> None: ...

        def _e_step(self, x: int) -> None: ...

    about = Inside({0: Steps()}).about(0)
    assert (list(about["methods"]), list(about["hidden"])) == (["fit"], ["_e_step"])


SCRIPTED = """
import torch

@torch.jit.script
def double(x: torch.Tensor, times: float = 2.0) -> torch.Tensor:
    return x * times
"""


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_a_scripted_function_is_a_member_with_its_arguments(tmp_path: Path) -> None:
    file = tmp_path / "scripted_under_test.py"
    file.write_text(SCRIPTED)
    inside = Inside()
    (found,) = inside.load(str(file))["members"]
    assert (found["name"], found["kind"], [p["name"] for p in found["forward"]]) == (
        "double",
        "function",
        ["x", "times"],
    )
    inside.make("double", 1, [], {})
    assert inside.call(1, [np.ones(2)], **ASKED, seed=0)["answer"].tolist() == [2.0, 2.0]
