"""What a model is fed: widths, words and pictures are read off its layers."""

from types import ModuleType

import torch
from torch import nn

from regard.lab.look.inputs import fed

EMPTY = ModuleType("empty")


def shapes(model: nn.Module) -> list[list[tuple[int, ...]]]:
    return [[tuple(x.shape) for x in inputs] for inputs, _, _ in fed(model, EMPTY, None, None)]


def test_ids_come_before_pictures_and_vectors() -> None:
    assert shapes(nn.Sequential(nn.Embedding(5, 8), nn.Linear(8, 3))) == [[(1, 5)], [(1, 12, 8)]]
    found = shapes(nn.Sequential(nn.Conv2d(3, 8, 4)))
    assert found[0] == [(1, 3, 224, 224)] and [(1, 3, 32, 32)] in found
    assert shapes(nn.Sequential(nn.LayerNorm(6), nn.Linear(6, 9), nn.Linear(9, 6))) == [
        [(1, 12, 6)],
        [(1, 12, 9)],
    ]


def test_a_shape_of_two_axes_is_ids_where_the_model_takes_them() -> None:
    ((ids,), _, _) = next(fed(nn.Sequential(nn.Embedding(5, 8)), EMPTY, None, [2, 4]))
    ((x,), _, _) = next(fed(nn.Linear(4, 2), EMPTY, None, [2, 4]))
    assert ids.dtype == torch.long and int(ids.max()) < 5 and x.is_floating_point()


def test_a_text_for_a_model_of_vectors_gives_the_same_vector_to_the_same_letter() -> None:
    ((x,), labels, note) = next(fed(nn.Linear(6, 2), EMPTY, "abba", None))
    assert labels == list("abba") and torch.equal(x[0, 0], x[0, 3]) and not torch.equal(x[0, 0], x[0, 1])
    assert note == "the model takes vectors: each character of the text is a random one of width 6"


def test_ids_stay_within_what_the_model_knows() -> None:
    ((ids,), _, note) = next(fed(nn.Sequential(nn.Embedding(65, 8)), EMPTY, "zz", None))
    assert int(ids.max()) < 65 and "modulo the 65 that the model knows" in note
