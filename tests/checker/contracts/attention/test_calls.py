"""What a mask means, and what else a call needs."""

import numpy as np
import pytest

from regard.checker.contracts.attention.calls import meanings, takes, told
from regard.checker.reading.source import Source
from regard.checker.workbench import Workbench


class Nobody:
    def ask(self, verb: str, *values: object, **named: object) -> object:
        raise AssertionError("nobody is asked")


def bench(**said) -> Workbench:
    return Workbench(Nobody(), {"name": "A", "kind": "class", "parameters": []}, [], Source(""), **said)


@pytest.mark.parametrize(
    ("said", "name", "first"),
    [
        ({}, "mask", "seen"),
        ({}, "key_padding_mask", "hide"),
        ({"said": {"mask": "additive"}}, "mask", "additive"),
        ({"wanted": ("mask=hidden",)}, "mask", "hide"),
    ],
)
def test_the_likeliest_meaning_comes_first(said: dict, name: str, first: str) -> None:
    assert meanings(bench(**said), name)[0] == first


def test_held_strictly_there_is_one_meaning() -> None:
    assert meanings(bench(strict=True), "mask") == ("seen",)
    assert meanings(bench(), "mask") == ("seen", "hide", "additive")


def test_a_mask_in_each_meaning() -> None:
    mask = np.array([True, False])
    assert told(mask, "seen").tolist() == [True, False]
    assert told(mask, "hide").tolist() == [False, True]
    assert told(mask, "additive").tolist() == [0.0, -np.inf]


def test_inputs_and_masks_are_told_from_what_else_is_asked_for() -> None:
    names = ("x", "start_pos", "freqs_cis", "mask", "key", "context")
    parameters = [{"name": n, "required": True, "star": False} for n in names]
    assert takes(parameters, bench(calling={"mask": 1})) == ("x", "key", "context")


def test_a_flag_is_no_mask() -> None:
    call = [
        {"name": n, "required": n == "x", "star": False, "default": d}
        for n, d in (("x", None), ("masked", False))
    ]
    assert takes(call, bench()) == ("x",)


@pytest.mark.parametrize(
    ("name", "meaning"), [("attn_mask", "additive"), ("pad_or_not", "hide"), ("mask", "hide")]
)
def test_the_words_beside_a_masks_own_name_count_first(name: str, meaning: str) -> None:
    text = '''
class Attention:
    """attn_mask is added to the scores. pad_or_not: True is hidden"""
    def forward(self, x, attn_mask=None, pad_or_not=None, mask=None): ...
'''
    call = [{"name": n} for n in ("x", "attn_mask", "pad_or_not", "mask")]
    own = Workbench(Nobody(), {"name": "Attention", "forward": call}, [], Source(text))
    assert meanings(own, name)[0] == meaning
