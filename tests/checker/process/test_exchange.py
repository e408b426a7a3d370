"""Values on their way in and out of a person's code."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import nn

from regard.checker.process.exchange import Configuration, argument, plain, tensors


@dataclass
class Record:
    weights: torch.Tensor
    output: torch.Tensor


@pytest.mark.parametrize(
    "pack", [tuple, lambda two: dict(zip("ab", two, strict=True)), lambda two: Record(*two)]
)
def test_tuples_dictionaries_and_records_hold_their_parts_in_order(pack: Callable) -> None:
    found = plain(pack([torch.zeros(2), torch.ones(3)]))
    assert [part.tolist() for part in found] == [[0.0, 0.0], [1.0, 1.0, 1.0]]


def test_settings_are_attributes_and_entries() -> None:
    settings = Configuration(n_head=3)
    assert settings.n_head == settings["n_head"] == settings.get("n_head") == 3
    assert settings.get("depth", 7) == 7
    assert "n_head" in settings
    assert "depth" not in settings
    with pytest.raises(KeyError):
        settings["depth"]


def test_answers_are_plain() -> None:
    assert plain((torch.tensor([True]), 1.5, None))[1:] == [1.5, None]
    assert plain(torch.ones(2, dtype=torch.bfloat16)).dtype == np.float32
    assert plain(torch.eye(2).to_sparse()).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert plain(nn.Linear(1, 1)) == {"other": "Linear"}
    assert plain(np.float64(2.0)) == 2.0


def test_what_goes_in_has_the_precision_asked_for_and_is_a_copy() -> None:
    given = np.ones((2, 3))
    found = argument(given, "float32")
    found += 1
    assert found.dtype == torch.float32
    assert given.tolist() == np.ones((2, 3)).tolist()
    assert argument(np.array([1, 2])).dtype == torch.int64
    assert argument({"config": {"width": 4}})["width"] == 4
    assert argument({"sparse": np.eye(2)}).is_sparse
    assert argument({"complex": np.ones((3, 2))}, "float64").dtype == torch.complex128


def test_arrays_come_in_the_order_in_which_they_are_sent() -> None:
    answer = {"first": torch.zeros(2), "rest": [np.ones(1), {"last": torch.ones(3)}], "word": "no"}
    assert [tuple(one.shape) for one in tensors(answer)] == [(2,), (1,), (3,)]
