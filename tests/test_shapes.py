"""A wrong shape fails here, and only here: the tests check the axis letters, people pay nothing for them."""

import doctest
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
import torch

import regard
from regard import shapes

PLANTED = '''
from torch import Tensor
from regard.shapes import Bool, Float, Int

def swap(q: Float[Tensor, "n d"], k: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    """A doctest that must be found.

    >>> 1 + 1
    2
    """
    return q @ k.T

def lie(q: Float[Tensor, "n d"]) -> Float[Tensor, "d n"]:
    return q

def pick(ids: Int[Tensor, " e"], keep: Bool[Tensor, " e"]) -> Int[Tensor, " k"]:
    return ids[keep]
'''

checked = pytest.mark.skipif(
    not (find_spec("jaxtyping") and find_spec("beartype")), reason="jaxtyping and beartype are not installed"
)


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module of regard like any other, so that the hook of conftest.py, and no other, checks it."""
    (tmp_path / "planted.py").write_text(PLANTED, encoding="utf-8")
    monkeypatch.setattr(regard, "__path__", [*regard.__path__, str(tmp_path)])
    yield import_module("regard.planted")
    del sys.modules["regard.planted"], regard.planted


@checked
def test_right_shapes_pass(planted: ModuleType) -> None:
    assert planted.swap(torch.zeros(3, 5), torch.zeros(7, 5)).shape == (3, 7)
    assert planted.pick(torch.arange(3), torch.tensor([True, False, True])).tolist() == [0, 2]


@checked
@pytest.mark.parametrize(
    ("function", "tensors"),
    [
        ("swap", (torch.zeros(3, 5), torch.zeros(5, 7))),
        ("swap", (torch.zeros(3, 5), torch.zeros(7, 5, 1))),
        ("swap", (torch.zeros(3, 5), torch.zeros(7, 5, dtype=torch.int64))),
        ("swap", (torch.zeros(3, 5), [[0.0] * 5])),
        ("lie", (torch.zeros(3, 5),)),
        ("pick", (torch.arange(3), torch.ones(2, dtype=torch.bool))),
        ("pick", (torch.arange(3), torch.ones(3))),
    ],
    ids=[
        "axes swapped",
        "an axis more",
        "integers for floats",
        "no tensor",
        "a false promise",
        "two lengths",
        "no bool",
    ],
)
def test_a_wrong_shape_fails(planted: ModuleType, function: str, tensors: tuple[object, ...]) -> None:
    from jaxtyping import TypeCheckError

    with pytest.raises(TypeCheckError, match=f"regard.planted.{function}"):
        getattr(planted, function)(*tensors)


@checked
def test_doctests_of_checked_functions_are_still_found(planted: ModuleType) -> None:
    found = {test.name for test in doctest.DocTestFinder().find(planted) if test.examples}
    assert found == {"regard.planted.swap"}


@checked
def test_the_letters_are_the_real_ones_in_the_tests() -> None:
    import jaxtyping

    assert (shapes.Float, shapes.Int, shapes.Bool) == (jaxtyping.Float, jaxtyping.Int, jaxtyping.Bool)


@pytest.mark.slow
def test_where_jaxtyping_is_not_loaded_the_letters_are_inert() -> None:
    script = f"""
import sys
{PLANTED}
import torch
assert "jaxtyping" not in sys.modules, "somebody loaded it"
assert Float[Tensor, "n d"] is Tensor and swap.__annotations__["q"] is Tensor
assert lie(torch.zeros(3, 5)).shape == (3, 5)
print("inert")
"""
    source, command = Path(__file__).parents[1] / "src", [sys.executable, "-c", script]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, cwd=source)
    assert (answer.stdout, answer.returncode) == ("inert\n", 0), answer.stderr
