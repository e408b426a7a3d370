"""Graph convolution in the styles people write."""

from collections.abc import Callable
from pathlib import Path

import pytest

from regard.checker.live import check
from regard.checker.selftest import judge

NAMES = [
    "KipfPlain",
    "KipfPrepared",
    "EdgeGCN",
    "LinearGCN",
    "Unnormalised",
    "Early",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_style_is_judged_as_it_is(name: str, style: Callable) -> None:
    module = style("graphs")
    contract, expected = module.EXPECTED[name]
    verdict = check(getattr(module, name), contract=contract, strict=bool(expected)).verdicts[0]
    assert verdict.slugs == expected, verdict.sentence
    assert verdict.state == ("mistake" if expected else "correct"), verdict.sentence


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("gcn-layer")


@pytest.mark.slow
def test_who_makes_the_normalised_adjacency_does_not_expect_it() -> None:
    here = Path(__file__).parents[3]
    found = judge(here / "correct" / "gcn-layer" / "makes_a_sparse_matrix.py", "correct", 0, here)
    assert found.right, found.said
