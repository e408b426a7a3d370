"""A stub to fill in; what is there is never overwritten."""

from pathlib import Path

import pytest

from regard.checker.contract import Contract
from regard.checker.contracts.table import CONTRACTS
from regard.checker.start import start
from regard.errors import RegardError


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_the_stub_is_written_as_it_is(contract: Contract, tmp_path: Path) -> None:
    assert start(contract.name, tmp_path).read_text(encoding="utf-8") == f"# regard: strict\n{contract.stub}"


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = start("rotary", tmp_path)
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(RegardError) as caught:
        start("rotary", tmp_path)
    assert (
        str(caught.value)
        == f"a file of that name is there already\n  got: {path}\n  fix: move it away, or choose another folder"
    )
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="there is no such folder"):
        start("rotary", tmp_path / "no")


def test_an_unknown_contract_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(RegardError) as caught:
        start("rotery", tmp_path)
    assert str(caught.value) == "no contract of that name\n  got: 'rotery'\n  fix: did you mean 'rotary'?"
