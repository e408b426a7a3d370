"""What every contract must hold: slugs once, pages, places to look, and mistakes that laws name."""

import ast
import re

import pytest

from regard.checker.contract import Contract, each, forms
from regard.checker.contracts.table import CONTRACTS
from regard.checker.reading.source import FINDERS

SLUG = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_slugs_are_plain_and_once(contract: Contract) -> None:
    slugs = [m.slug for m in contract.mistakes] + [c.slug for c in contract.conventions]
    assert len(slugs) == len(set(slugs))
    assert all(SLUG.fullmatch(slug) for slug in slugs)
    assert SLUG.fullmatch(contract.name)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_every_mistake_says_why_and_how_to_mend_it(contract: Contract) -> None:
    for mistake in contract.mistakes:
        assert mistake.cause
        assert mistake.remedy
        assert not mistake.cause.endswith(".")
        assert set(mistake.look.split()) <= set(FINDERS), mistake.slug


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_the_stub_is_python_that_says_what_to_do(contract: Contract) -> None:
    tree = ast.parse(contract.stub)
    assert "fill me in" in contract.stub
    assert f"regard check {contract.file}" in (ast.get_docstring(tree) or "")


def test_forms_and_each() -> None:
    assert forms({"a": len}, {"b": len}) == ({"a": len}, {"b": len})
    assert [form["a"]() for form in each((1, 2), lambda value: {"a": lambda: value})] == [1, 2]


def test_a_slug_that_is_not_there_is_our_own_mistake() -> None:
    with pytest.raises(StopIteration):
        CONTRACTS[0].mistake("no-such")
