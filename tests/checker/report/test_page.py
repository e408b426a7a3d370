"""Every contract has its page, every slug its section; HTML holds no tag of a stranger's."""

import pytest

from regard.checker.contract import Contract
from regard.checker.contracts.table import CONTRACTS
from regard.checker.report.page import PAGES, page, reason, reasons
from regard.errors import RegardError


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_every_slug_has_its_section(contract: Contract) -> None:
    whole = page(contract.name)
    assert whole.startswith("# ")
    assert "It is not a sandbox" in whole
    for each in (*contract.mistakes, *contract.conventions):
        assert f"## {each.slug}\n" in whole
        assert page(f"{contract.name}#{each.slug}").startswith(f"## {each.slug}\n")


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_a_mistake_is_explained_and_not_only_named(contract: Contract) -> None:
    for mistake in contract.mistakes:
        text = page(f"{contract.name}#{mistake.slug}")
        assert "\nWhy it is wrong: " in text
        assert "\nThe right lines" in text and ("(those that matter" in text) == ("\n  > " in text)
        assert not mistake.forms or "\nPicture: " in text
        assert not mistake.forms or "\n  > " in text, f"no line of the right program does {mistake.slug}"


def test_the_picture_shows_what_the_mistake_does() -> None:
    lines = page("causal-attention#mask-missing").splitlines()
    rows = lines[lines.index("    right      with the mistake") + 1 :][:4]
    assert rows[0][6:12] == " " * 6, "rightly, the first token sees itself alone"
    assert rows[0][15:].strip() != rows[0][4:12].strip()


def test_every_reason_belongs_to_a_mistake() -> None:
    known = {(c.name, m.slug) for c in CONTRACTS for m in c.mistakes}
    own = {tuple(key.split("#")) for key in reasons() if "#" in key}
    assert {key for key in reasons() if "#" not in key} == {slug for _, slug in known} and own <= known


def test_the_words_of_one_contract_win() -> None:
    assert "1 / (d_i d_j)" in page("gcn-layer#root-missing")
    assert "1 / (d_i d_j)" not in page("rms-norm#root-missing")
    assert reason("rms-norm", "no-such") is None


def test_what_has_no_weights_lists_no_mistakes_of_weights() -> None:
    laws = {"weights-unregistered": "registered", "weights-shared": "unshared"}
    for contract in CONTRACTS:
        slugs = {mistake.slug for mistake in contract.mistakes}
        for slug, law in laws.items():
            assert (slug in slugs) == (law in {one.name for one in contract.laws}), (contract.name, slug)


def test_there_is_no_page_without_a_contract() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {c.name for c in CONTRACTS} | {"running"}


def test_a_missing_section_is_told_with_the_nearest() -> None:
    with pytest.raises(RegardError) as caught:
        page("rms-norm#eps-mising")
    assert (
        str(caught.value)
        == "the page has no such section\n  got: 'eps-mising'\n  fix: did you mean 'eps-missing'?"
    )
