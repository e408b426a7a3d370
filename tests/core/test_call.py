"""What backends share: the draw of the dropout, and the wider type."""

import pytest
import torch

from regard.core.call import Call, drop, finite, kept, look, transformed, unseen, wide
from regard.core.normalise import Softmax
from regard.core.similarity import Dot
from regard.core.support import Full


def call(dropout: float, seed: int) -> Call:
    x = torch.zeros(1, 1, 1, 1)
    generator = torch.Generator().manual_seed(seed)
    return Call(x, x, x, Dot(), Full(), None, Softmax(), dropout, generator, False)


def test_the_draw_depends_on_the_generator_and_the_shape_alone():
    ones = torch.ones(3, 5)
    first = drop(ones, call(0.5, 1))
    assert torch.equal(first, drop(ones, call(0.5, 1)))
    assert torch.equal(first != 0, drop(ones.double() * 7, call(0.5, 1)) != 0)
    assert torch.equal(first != 0, kept((3, 5), call(0.5, 1), ones.device))
    assert not torch.equal(first, drop(ones, call(0.5, 2)))


def test_what_is_kept_is_scaled_up():
    assert set(drop(torch.ones(100), call(0.75, 1)).tolist()) == {0.0, 4.0}


def test_without_dropout_nothing_is_drawn():
    plain = call(0.0, 1)
    before = plain.generator.get_state()
    x = torch.ones(3)
    assert drop(x, plain) is x
    assert torch.equal(before, plain.generator.get_state())


@pytest.mark.parametrize(
    ("given", "wider"),
    [
        (torch.float16, torch.float32),
        (torch.bfloat16, torch.float32),
        (torch.float32, torch.float32),
        (torch.float64, torch.float64),
    ],
)
def test_half_precision_is_widened_and_nothing_else(given, wider):
    assert wide(torch.ones(2, dtype=given)).dtype is wider


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_one_number_that_is_not_finite_is_found(bad):
    x = torch.zeros(2, 3)
    assert finite(x)
    x[1, 2] = bad
    assert not finite(x)


def test_where_nobody_can_look_all_is_taken_to_be_finite(monkeypatch):
    assert finite(torch.zeros(2, device="meta"))
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    assert unseen(torch.zeros(2)) == "compiled"
    assert finite(torch.full((2, 3), float("nan")))


def test_mapped_calls_are_looked_at_together():
    seen, rows = [], torch.zeros(2, 3)
    rows[1, 1] = float("nan")
    torch.vmap(lambda x: seen.append((finite(x), look(x, lambda x: x.isnan().sum().item() == 1))) or x)(rows)
    torch.vmap(lambda x: seen.append(finite(x)) or x, 1)(torch.zeros(2, 3))
    assert seen == [(False, True), True]


def test_torch_func_is_noticed():
    seen = [transformed()]
    torch.func.grad(lambda x: seen.append(transformed()) or x.sum())(torch.zeros(2))
    assert seen == [False, True]


def test_a_draw_as_large_as_the_dropout_survives(monkeypatch):
    monkeypatch.setattr(torch, "rand", lambda shape, **options: torch.tensor([0.5, 0.75, 1.0]))
    assert kept((3,), call(0.75, 1), torch.device("cpu")).tolist() == [False, True, True]
