"""Each contract has an example that its reference answers, and mistakes show in it."""

import numpy as np
import pytest

from regard.checker.contract import Contract
from regard.checker.contracts.table import CONTRACTS
from regard.checker.report.behaviour import BEHAVIOUR
from regard.checker.report.example import drawn, examples


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
