"""Arguments: kinds as annotated, sizes, shares and tensors, each with the message that people see."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any, Literal

import numpy
import pytest
import torch
from torch import Tensor, nn

from regard.arguments import (
    MOST,
    called,
    check,
    check_fields,
    check_share,
    check_sizes,
    check_tensor,
    fits,
    kinds,
    told,
)
from regard.errors import RegardError

NONE = object()


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (int, [0, -3, numpy.int64(4)], [1.0, True, "1", None, nan, torch.tensor(1), [1]]),
        (float, [0, 1.5, inf, numpy.float32(2)], [nan, True, "1", None, torch.tensor(1.0)]),
        (bool, [True, False], [0, 1, "yes", None]),
        (str, ["", "word"], [0, None, b"word"]),
        (int | None, [3, None], ["3", 1.5]),
        (Tensor, [torch.zeros(2)], [numpy.zeros(2), [0.0], None]),
        (Literal["halves", "adjacent"], ["halves"], ["half", 0, None, ["halves"]]),
        (tuple[int, ...], [(), (1, 2)], [[1, 2], (1, "2"), 5, "12"]),
        (tuple[int, float], [(1, 2.5)], [(1,), (1, 2, 3), (1.5, 2)]),
        (Sequence[int], [[1], (2, 3), range(3)], ["12", 3, [1.5], torch.zeros(2), {1}]),
        (Mapping[str, int], [{"a": 1}], [[("a", 1)], 3]),
        (Callable[[int], int], [len, nn.Identity()], [3, "len"]),
        (type[nn.Module], [nn.ReLU], [nn.ReLU(), "ReLU"]),
        (nn.Module, [nn.ReLU()], [nn.ReLU, 3]),
        (Any, [None, 3, "word"], []),
    ],
    ids=str,
)
def test_a_value_fits_its_kind_or_not(kind, good, bad):
    assert [fits(value, kind) for value in good] == [True] * len(good)
    assert [fits(value, kind) for value in bad] == [False] * len(bad)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (int, "a whole number"),
        (float | None, "a number or None"),
        (Sequence[str], "several, each a text"),
        (tuple[int, float], "(a whole number, a number)"),
        (Mapping[str, int], "a mapping"),
        (Callable[[], None], "a function"),
        (type[nn.Module], "a class such as Module"),
        (nn.Linear, "a Linear"),
        (Tensor, "a tensor"),
        (None, "None"),
    ],
    ids=str,
)
def test_a_kind_has_words(kind, words):
    assert called(kind) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (torch.zeros(2, 3), "a tensor (2, 3) of torch.float32"),
        (numpy.zeros(4), "an array (4,) of float64"),
        ("word", "'word'"),
        (list(range(100)), "a list"),
        ("x" * 58, "'" + "x" * 58 + "'"),
        ("x" * 59, "a str"),
        (nn.Sequential(nn.ReLU(), nn.ReLU()), "a Sequential"),
    ],
)
def test_a_value_is_told_in_one_short_line(value, text):
    assert told(value) == text


class Layer:
    @kinds
    def __init__(self, width: int, *, share: float = 0.5, mode: Literal["on", "off"] = "on") -> None:
        self.width = width


def message(call: Callable[[], object]) -> str:
    with pytest.raises(RegardError) as error:
        call()
    return str(error.value)


def test_a_function_refuses_other_kinds_in_three_lines():
    assert Layer(3, share=1).width == 3
    assert (
        message(lambda: Layer("3"))
        == "Layer: width is a whole number\n  got: width='3'\n  fix: pass a whole number"
    )
    assert (
        message(lambda: Layer(3, mode="of"))
        == "no mode of that name\n  got: 'of'\n  fix: did you mean 'off'?"
    )
    assert message(lambda: Layer(3, mode=7)) == "no mode of that name\n  got: 7\n  fix: one of on, off"


def test_a_wrong_call_is_told_by_python_itself():
    with pytest.raises(TypeError, match=r"__init__\(\) missing 1 required positional argument: 'width'"):
        Layer()
    with pytest.raises(TypeError, match="unexpected keyword argument 'heads'"):
        Layer(3, heads=2)


def test_a_function_keeps_its_name_and_signature():
    @kinds
    def double(count: int) -> int:
        """Twice."""
        return 2 * count

    assert (double.__name__, double.__doc__, double(3)) == ("double", "Twice.", 6)
    assert message(lambda: double(1.5)).startswith("double: count is a whole number")


def test_names_for_the_type_checker_alone_are_left_out():
    @kinds
    def read(path: "Nowhere", count: int) -> int:  # noqa: F821
        return count

    assert read("anything", 3) == 3
    assert message(lambda: read("anything", "3")).startswith("read: count")


@dataclass
class Settings:
    depth: int
    rate: float | None = None


def test_fields_are_held_to_their_kinds():
    check_fields(Settings(3))
    assert message(lambda: check_fields(Settings(3, "fast"))) == (
        "Settings: rate is a number or None\n  got: rate='fast'\n  fix: pass a number or None"
    )


def test_sizes_lie_between_their_least_and_all_memory():
    check_sizes("Net", width=1, depth=MOST)
    check_sizes("Net", least=0, reach=0)
    assert message(lambda: check_sizes("Net", width=4, depth=0)) == (
        f"Net: depth is a whole number from 1 to {MOST}\n  got: depth=0\n  fix: pass depth=1 or more"
    )
    assert message(lambda: check_sizes("Net", least=0, reach=-1)).endswith("fix: pass reach=0 or more")
    assert message(lambda: check_sizes("Net", width=MOST + 1)).endswith(
        f"width={MOST + 1}\n  fix: pass a smaller width"
    )


def test_a_dropout_is_a_share():
    check_share("Net", dropout=0.0, attention_dropout=0.999)
    for wrong in (1.0, -0.1):
        assert message(lambda wrong=wrong: check_share("Net", dropout=wrong)) == (
            f"Net: dropout is the share that is dropped\n  got: dropout={wrong}\n  fix: 0 <= dropout < 1"
        )


def test_a_tensor_has_its_axes_its_type_and_its_width():
    x = torch.zeros(2, 3, 4)
    check_tensor("Net", "x", x, "b n c", width=4)
    check_tensor("Net", "x", x, "b n c")
    what = "Net: x is a tensor of real numbers with the axes (b n c)\n  got: x="
    convert = "  fix: give it 3 axes, and convert it with .float()"
    assert message(lambda: check_tensor("Net", "x", x[0], "b n c")) == f"{what}{told(x[0])}\n{convert}"
    assert (
        message(lambda: check_tensor("Net", "x", x.long(), "b n c")) == f"{what}{told(x.long())}\n{convert}"
    )
    assert message(lambda: check_tensor("Net", "x", [1.0], "b n c")) == (
        f"{what}[1.0]\n  fix: pass x=torch.as_tensor(...), of floats"
    )
    assert message(lambda: check_tensor("Net", "x", x, "b n c", width=5)) == (
        "Net: x has 5 channels, its last axis\n  got: x=a tensor (2, 3, 4) of torch.float32\n"
        "  fix: pass 5 channels, or build the layer for 4"
    )


def test_what_cannot_be_asked_is_let_through():
    check("Net", "anything", NONE, object)
    assert fits(3, "a name that nobody resolved")
