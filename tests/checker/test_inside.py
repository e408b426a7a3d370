"""What is done to a person's code in its own process, tried here in ours."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from regard.checker.inside import Inside, member, plain, told, weights

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


def test_an_input_that_is_written_into_is_noticed(inside: Inside) -> None:
    inside.make("spoil", 1, [], {})
    given = np.arange(3.0)
    assert inside.call(1, [given], named={}, method="", kind="float64", seed=0)["changed"] == [0]
    assert given.tolist() == [0.0, 1.0, 2.0]


def test_gradients_of_input_and_weights(inside: Inside) -> None:
    inside.make("Layer", 1, [], {"width": 2})
    inside.cast(1, "float64")
    inside.set(1, {"lin.weight": np.array([[1.0, 2.0], [3.0, 4.0]])})
    found = inside.slope(1, [np.array([5.0, 6.0])], named={}, direction=np.array([1.0, 0.0]), kind="float64")
    assert found["input"].tolist() == [1.0, 2.0]
    assert found["weights"]["lin.weight"].tolist() == [[5.0, 6.0], [0.0, 0.0]]


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


def test_answers_are_plain() -> None:
    assert plain((torch.tensor([True]), 1.5, None))[1:] == [1.5, None]
    assert plain(torch.ones(2, dtype=torch.bfloat16)).dtype == np.float32
    assert plain(torch.eye(2).to_sparse()).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert plain(nn.Linear(1, 1)) == {"other": "Linear"}
    assert plain(np.float64(2.0)) == 2.0


def test_a_thing_without_modules_has_its_arrays_for_weights() -> None:
    class Plain:
        def __init__(self) -> None:
            self.w, self.name = np.ones((2, 2)), "plain"

    assert [(name, owner) for name, _, owner, _ in weights(Plain())] == [("w", "Plain")]


def test_a_class_without_forward_is_a_member_too() -> None:
    class Bare:
        def __init__(self, n: int) -> None:
            self.n = n

    assert member("Bare", Bare)["forward"] == []
