"""Mixtures of Gaussians in the styles people write."""

from collections.abc import Callable

import pytest

from regard.checker.live import check

NAMES = [
    "GMM",
    "WithDistributions",
    "AnyDimension",
    "AsPrinted",
    "WideSamples",
    "OneForAll",
    "Even",
    "SharedNoise",
    "WrongOne",
    "Gains",
    "Underflows",
    "TwoAtOnce",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_style_is_judged_as_it_is(name: str, style: Callable) -> None:
    module = style("mixtures")
    contract, expected = module.EXPECTED[name]
    verdict = check(getattr(module, name), contract=contract, strict=bool(expected)).verdicts[0]
    assert verdict.slugs == expected, verdict.sentence
    assert verdict.state == ("mistake" if expected else "correct"), verdict.sentence


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("gaussian-mixture")
