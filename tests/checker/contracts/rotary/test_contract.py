"""Rotary positions in the styles people write."""

from collections.abc import Callable

import pytest

from regard.checker.contracts.rotary.contract import decide, suits
from regard.checker.live import check
from regard.checker.reading.source import Source

NAMES = [
    "rope_half",
    "rope_pairs",
    "RotaryModule",
    "RotaryBoth",
    "rope_mixed",
    "rope_forgets",
    "rope_one",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_style_is_judged_as_it_is(name: str, style: Callable) -> None:
    module = style("functions")
    contract, expected = module.EXPECTED[name]
    verdict = check(getattr(module, name), contract=contract, strict=bool(expected)).verdicts[0]
    assert verdict.slugs == expected, verdict.sentence
    assert verdict.state == ("mistake" if expected else "correct"), verdict.sentence


@pytest.mark.parametrize(
    ("line", "slug"), [("f = 1e4 ** x", "exponent-without-two"), ("f = 100.0 ** x  # 10000", "base-wrong")]
)
def test_the_source_tells_mistakes_apart_that_are_the_same_numbers(line: str, slug: str) -> None:
    assert decide(Source(line), "f", {"base-wrong", "exponent-without-two"}, {}) == slug
    assert decide(Source(line), "f", {"base-wrong", "axis-wrong"}, {}) is None


@pytest.mark.parametrize(
    ("asks", "turns"), [(("n", "head_dim"), False), (("x", "positions"), True), (("t",), True)]
)
def test_what_is_told_sizes_alone_turns_nothing(asks: tuple[str, ...], turns: bool) -> None:
    parameters = [{"name": name, "required": True} for name in asks]
    assert bool(suits({"name": "rotary_some", "kind": "function", "parameters": parameters}, "")) is turns


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("rotary")
