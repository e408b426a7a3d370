"""Every contract has its page, every slug its section; HTML holds no tag of a stranger's."""

import pytest

from regard.checker.contract import Contract
from regard.checker.contracts.table import CONTRACTS
from regard.checker.report.page import PAGES, page
from regard.errors import RegardError


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_every_slug_has_its_section(contract: Contract) -> None:
    whole = page(contract.name)
    assert whole.startswith("# ")
    assert "It is not a sandbox" in whole
    for each in (*contract.mistakes, *contract.conventions):
        assert f"## {each.slug}\n" in whole
        assert page(f"{contract.name}#{each.slug}").startswith(f"## {each.slug}\n")


def test_there_is_no_page_without_a_contract() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {c.name for c in CONTRACTS} | {"running"}


def test_a_missing_section_is_told_with_the_nearest() -> None:
    with pytest.raises(RegardError) as caught:
        page("rms-norm#eps-mising")
    assert (
        str(caught.value)
        == "the page has no such section\n  got: 'eps-mising'\n  fix: did you mean 'eps-missing'?"
    )
