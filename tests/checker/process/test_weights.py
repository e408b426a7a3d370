"""Weights of an object: what is registered, what only stands on it, what is one and the same."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from regard.checker.process.weights import cast, put, same, still, stray, unfilled, weights


class Loose(nn.Module):
    """A list of layers, a tensor that wants gradients, one that starts at random, and a plain table."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.layers = [nn.Linear(2, 2), {"deep": nn.Linear(2, 1, bias=False)}]
        self.gain = torch.ones(3, requires_grad=True)
        self.matrix = torch.randn(2, 2)
        self.table = torch.arange(4.0)
        self.own = nn.Parameter(torch.ones(1))
        self.again = (self.own,)


def test_what_no_optimiser_finds_is_stray() -> None:
    found = stray(Loose(0), lambda: Loose(1))
    assert found == ["layers.0.weight", "layers.0.bias", "layers.1.deep.weight", "gain", "matrix"]


def test_without_another_object_only_what_wants_gradients_is_stray() -> None:
    assert "matrix" not in stray(Loose())
    assert "gain" in stray(Loose())


class Buffered(nn.Module):
    """Buffers: one that starts at random, one of zeros, a table, a matrix of ones."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.register_buffer("vector", torch.randn(3))
        self.register_buffer("shift", torch.zeros(1, 3))
        self.register_buffer("table", torch.arange(4.0))
        self.register_buffer("mask", torch.ones(2, 2))
        self.gain = torch.ones(3)


def test_a_buffer_that_starts_at_random_is_stray() -> None:
    made = Buffered()
    assert stray(made, lambda: Buffered(1)) == ["vector"]
    assert {n: learned for n, _, _, learned in weights(made, ["vector"])}["vector"]


class Roomy(nn.Module):
    """A weight that nobody fills, one that is filled, and room for later."""

    def __init__(self) -> None:
        super().__init__()
        self.lost = nn.Parameter(torch.Tensor(2, 2))
        self.filled = nn.Parameter(torch.empty(2).fill_(1.0))
        self.register_buffer("room", torch.empty(3, 2))


def test_what_is_never_filled_is_found_among_weights_and_is_no_weight_elsewhere() -> None:
    assert unfilled(Roomy) == ["lost"]
    made = Roomy()
    nn.init.constant_(made.get_buffer("room"), 0.5)
    assert stray(made, Roomy) == []
    assert not torch.are_deterministic_algorithms_enabled()


def test_vectors_of_zeros_or_ones_may_be_weights() -> None:
    assert list(still(Buffered(), ["vector"])) == ["gain", "shift"]
    assert still(nn.Linear(2, 2)) == {}
    assert still(3) == {}


def test_stray_weights_are_told_beside_the_others() -> None:
    made = Loose()
    told = {name: (owner, learned) for name, _, owner, learned in weights(made, stray(made))}
    assert told["own"] == ("Loose", True)
    assert told["layers.0.weight"] == ("Linear", True)
    assert "table" not in told
    assert [name for name, *_ in weights(made)] == ["own"]


def test_names_of_one_weight_are_told_together() -> None:
    one = nn.Linear(2, 2, bias=False)
    assert same(nn.ModuleList([one, one, nn.Linear(2, 2)])) == [["0.weight", "1.weight"]]
    assert same(nn.Linear(2, 2)) == []
    assert same(3) == []


@pytest.mark.parametrize(
    ("kind", "wide"),
    [(torch.float64, torch.complex128), (torch.float32, torch.complex64), (torch.float16, torch.complex64)],
)
def test_a_complex_buffer_stays_complex(kind: torch.dtype, wide: torch.dtype) -> None:
    made = nn.Linear(2, 1)
    made.register_buffer("turn", torch.tensor([1j, 1 + 1j]))
    made.register_buffer("count", torch.tensor([3]))
    cast(made, kind)
    turn, count = made.get_buffer("turn"), made.get_buffer("count")
    assert (made.weight.dtype, turn.dtype, count.dtype) == (kind, wide, torch.int64)
    assert turn.imag.tolist() == [1.0, 1.0]


def test_tensors_of_an_object_that_is_no_module_are_cast_too() -> None:
    made = SimpleNamespace(
        mean=torch.ones(2), slope=torch.ones(2, requires_grad=True), count=torch.tensor([3])
    )
    cast(made, torch.float64)
    assert (made.mean.dtype, made.slope.dtype, made.count.dtype) == (
        torch.float64,
        torch.float64,
        torch.int64,
    )
    assert made.slope.requires_grad
    assert made.slope.is_leaf
    assert not made.mean.requires_grad


class Part:
    """A component of a mixture that is no module."""

    def __init__(self) -> None:
        self.weight, self.mean = 0.5, np.ones(2)


class Mixed:
    """Arrays in lists, in a dictionary and in objects; numbers in a list."""

    def __init__(self) -> None:
        self.tol, self.shares = 1e-3, [0.5, 0.5]
        self.means = [np.ones(2)] * 2
        self.table = {"cov": torch.ones(2)}
        self.parts = [Part(), Part()]


def test_arrays_and_numbers_of_lists_and_inner_objects_are_weights() -> None:
    found = {name: np.shape(value) for name, value, _, _ in weights(Mixed())}
    inner = {f"parts.{i}.{word}": shape for i in range(2) for word, shape in (("weight", ()), ("mean", (2,)))}
    assert found == {"shares": (2,), "means.0": (2,), "means.1": (2,), "table.cov": (2,)} | inner


def test_they_are_put_where_they_stand() -> None:
    made = Mixed()
    put(made, "means.0", np.zeros(2))
    put(made, "shares", np.array([0.2, 0.8]))
    put(made, "parts.1.weight", np.array(0.7))
    put(made, "table.cov", np.full(2, 3.0))
    assert made.means[0].tolist() == [0, 0]
    assert made.means[1].tolist() == [1, 1]
    assert made.shares == [0.2, 0.8]
    assert (made.parts[0].weight, made.parts[1].weight) == (0.5, 0.7)
    assert made.table["cov"].tolist() == [3, 3]


def test_an_array_of_the_object_itself_is_filled_in_place() -> None:
    made = SimpleNamespace(mu=np.ones(2))
    held = made.mu
    put(made, "mu", np.zeros(2))
    assert held.tolist() == [0, 0]
