"""Larger sizes and later calls: what was recognised must stay what it is."""

from collections.abc import Callable

import numpy as np
import pytest

from regard.checker.contract import Case, Contract
from regard.checker.contracts.table import CONTRACTS, named
from regard.checker.family import Member
from regard.checker.growth import grown, stayed

GROWING = [c for c in CONTRACTS if c.name != "gaussian-mixture"]


@pytest.mark.parametrize("contract", GROWING, ids=lambda c: c.name)
def test_the_reference_is_the_same_at_every_size(contract: Contract, puppet: Callable) -> None:
    subject, rng = puppet(contract.name, {}), np.random.default_rng(0)
    sizes = [case.name for case in contract.growing(subject, rng)]
    assert len(set(sizes)) >= 2
    assert grown(contract, subject, Member(subject.frames[0], {}), rng) == []


def test_the_first_size_at_which_it_parts_is_said(puppet: Callable) -> None:
    contract = named("causal-attention")
    subject = puppet(contract.name, {})
    subject.facts["most"] = 70
    whole = subject.answer
    subject.answer = lambda case, seed=0: whole(case) * (1.0 if case["query"].shape[1] < 20 else 1.5)
    ((law, broken),) = grown(contract, subject, Member(subject.frames[0], {}), np.random.default_rng(0))
    assert (law.name, broken.slug) == ("sizes", "size-dependent")
    assert broken.words.startswith("2 sequences of 20 tokens: it differs by 50 %")


def test_the_first_case_is_asked_again(puppet: Callable) -> None:
    subject = puppet("rms-norm", {})
    case = Case(name="rows", inputs={"x": np.random.default_rng(0).standard_normal((3, 7, 24))})
    answer = subject.answer(case)
    assert stayed(subject, case, answer) == []
    ((law, broken),) = stayed(subject, case, answer * 2)
    assert (law.name, broken.slug) == ("stays", "state-between-calls")
