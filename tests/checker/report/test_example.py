"""Each contract has an example that its reference answers, and mistakes show in it."""

import numpy as np
import pytest

from regard.checker.contract import Contract
from regard.checker.contracts.table import CONTRACTS
from regard.checker.report.behaviour import BEHAVIOUR
from regard.checker.report.example import compared, drawn, examples


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_the_reference_answers_the_examples(contract: Contract) -> None:
    for case, frame in examples(contract):
        assert np.isfinite(contract.reference(case, frame, {})).all()


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_right_and_wrong_stand_side_by_side(contract: Contract) -> None:
    for mistake in contract.mistakes:
        lines = list(drawn(contract, mistake))
        assert lines, f"{mistake.slug} has no picture"
        if mistake.slug not in BEHAVIOUR:
            assert lines[1].split() == ["right", "with", "the", "mistake"]


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_a_picture_differs_as_it_is_printed(contract: Contract) -> None:
    for mistake in contract.mistakes:
        if mistake.slug not in BEHAVIOUR:
            found = compared(contract, mistake)
            assert found and (found.right.shape != found.wrong.shape or found.differs.any()), mistake.slug


def test_a_softmax_over_heads_is_not_one_over_queries() -> None:
    function = next(one for one in CONTRACTS if one.name == "scaled-dot-product")
    heads, queries = (
        compared(function, function.mistake(f"softmax-{over}")) for over in ("heads", "queries")
    )
    assert heads and queries and not np.allclose(heads.wrong, queries.wrong, equal_nan=True)


def test_a_maximum_has_no_matrix_so_that_its_output_is_shown() -> None:
    layer = next(one for one in CONTRACTS if one.name == "gcn-layer")
    shown = {slug: compared(layer, layer.mistake(slug)) for slug in ("neighbour-maximum", "left-only")}
    assert {slug: one and one.weights for slug, one in shown.items()} == {
        "neighbour-maximum": False,
        "left-only": True,
    }
