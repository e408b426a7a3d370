"""A config says its sizes, and refuses what no model can be."""

import ast
import inspect
from copy import copy
from dataclasses import FrozenInstanceError, fields, replace
from itertools import pairwise
from typing import Any

import pytest

from regard.errors import RegardError
from regard.models.gpt import config as module
from regard.models.gpt.config import GPTConfig

SMALL = GPTConfig(vocabulary=11, context=7, depth=2, heads=3, width=18)


def test_the_sizes_that_follow_from_others() -> None:
    assert (SMALL.head_width, SMALL.kv_count, SMALL.hidden) == (6, 3, 72)
    assert replace(SMALL, kv_heads=1).kv_count == 1
    assert replace(SMALL, ratio=8 / 3).hidden == 48


def test_a_config_is_frozen_and_takes_keywords_alone() -> None:
    with pytest.raises(FrozenInstanceError):
        SMALL.depth = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        GPTConfig(11, 7, 2, 3, 18)  # type: ignore[misc]


def test_a_sentence_stands_under_each_field() -> None:
    body = next(n for n in ast.parse(inspect.getsource(module)).body if isinstance(n, ast.ClassDef)).body
    said = {
        a.target.id: b.value.value
        for a, b in pairwise(body)
        if isinstance(a, ast.AnnAssign)
        and isinstance(a.target, ast.Name)
        and isinstance(b, ast.Expr)
        and isinstance(b.value, ast.Constant)
    }
    assert [field.name for field in fields(GPTConfig)] == list(said)
    assert all(str(sentence).endswith(".") for sentence in said.values())


SHARE = "heads share the width evenly, and key/value heads the heads"
DIVIDE = "choose heads that divide the width, and key/value heads that divide the heads"


@pytest.mark.parametrize(
    ("change", "what", "got", "fix"),
    [
        (
            {"context": 0},
            "GPTConfig: context is a whole number from 1 to 1000000000",
            "context=0",
            "pass context=1 or more",
        ),
        (
            {"depth": -1},
            "GPTConfig: depth is a whole number from 1 to 1000000000",
            "depth=-1",
            "pass depth=1 or more",
        ),
        ({"heads": 4}, SHARE, "width=18, heads=4, kv_heads=4", DIVIDE),
        ({"kv_heads": 2}, SHARE, "width=18, heads=3, kv_heads=2", DIVIDE),
        ({"kv_heads": 0}, SHARE, "width=18, heads=3, kv_heads=0", DIVIDE),
        ({"norm": "layr"}, "no norm of that name", "'layr'", "did you mean 'layer'?"),
        ({"norm": "batch"}, "no norm of that name", "'batch'", "one of layer, rms"),
        ({"activation": "swigl"}, "no activation of that name", "'swigl'", "did you mean 'swiglu'?"),
        ({"position": "rotery"}, "no position of that name", "'rotery'", "did you mean 'rotary'?"),
        ({"attention": "soft"}, "no attention of that name", "'soft'", "did you mean 'softmax'?"),
        ({"init": "zeros"}, "no init of that name", "'zeros'", "did you mean 'zero'?"),
        ({"dropout": 1.0}, "dropout is the share that is dropped", "dropout=1.0", "0 <= dropout < 1"),
        ({"ratio": 0.0}, "the MLP has no hidden channel", "ratio=0.0", "pass a ratio above 1 / width"),
        ({"ngram": -1}, "ngram counts earlier tokens", "ngram=-1", "pass ngram=0 or more, up to the context"),
        ({"reach": -2}, "reach is a distance", "reach=-2", "pass reach=0 or more"),
        (
            {"position": "rotary", "width": 15},
            "rotary positions turn pairs of channels",
            "width 5 per head",
            "choose width and heads so that width / heads is even",
        ),
        (
            {"position": "alibi", "attention": "linear"},
            "linear attention divides scores by their sum, and a position's bias may make them negative",
            "attention='linear', position='alibi'",
            "choose position 'none', 'learned' or 'rotary'",
        ),
    ],
)
def test_what_no_model_can_be_is_told_in_three_lines(
    change: dict[str, Any], what: str, got: str, fix: str
) -> None:
    wrong = copy(SMALL)
    # Behind the constructor's back: where shapes are checked it refuses unknown names in other words.
    for name, value in change.items():
        object.__setattr__(wrong, name, value)
    with pytest.raises(RegardError) as caught:
        wrong.__post_init__()
    assert str(caught.value) == f"{what}\n  got: {got}\n  fix: {fix}"
