"""Masked attention in the styles people write."""

from collections.abc import Callable

import pytest

from regard.checker.contracts.attention import causal
from regard.checker.contracts.attention.multi_head import decide, suits
from regard.checker.live import check
from regard.checker.reading.source import Source

NAMES = [
    "Cross",
    "PaddingMask",
    "TorchPadding",
    "TiledMask",
    "QueryMask",
    "SelfOnly",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_style_is_judged_as_it_is(name: str, style: Callable) -> None:
    module = style("attention")
    contract, expected = module.EXPECTED[name]
    verdict = check(getattr(module, name), contract=contract, strict=bool(expected)).verdicts[0]
    assert verdict.slugs == expected, verdict.sentence
    assert verdict.state == ("mistake" if expected else "correct"), verdict.sentence


@pytest.mark.parametrize(
    ("text", "causal_first"), [("triu(1)", True), ("causal=False: triu(1)", False), ("", False)]
)
def test_a_layer_that_hides_the_future_by_itself_is_causal_first(text: str, causal_first: bool) -> None:
    forward = [{"name": "x", "required": True}, {"name": "mask", "required": False}]
    member = {"name": "SelfAttention", "kind": "class", "forward": forward, "parts": ""}
    assert (causal.suits(member, text) > suits(member, text)) is causal_first


def test_a_mask_that_nobody_looks_at_is_ignored_and_not_added() -> None:
    both = {"mask-ignored", "mask-added", "mask-weak"}
    assert decide(Source(""), "L", both, {"unread": True}) == "mask-ignored"
    assert decide(Source(""), "L", both, {"unread": False}) is None
    assert decide(Source(""), "L", both | {"scale-width"}, {"unread": True}) is None


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("multi-head-attention")
