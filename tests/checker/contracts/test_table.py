"""All contracts are offered, each once."""

from pathlib import Path

from regard.checker.contracts import table


def test_every_contract_is_in_the_table_once() -> None:
    names = [contract.name for contract in table.CONTRACTS]
    assert len(set(names)) == len(names) == 9
    folder = Path(table.__file__).parent
    written = {
        path.stem.replace("_", "-")
        for path in folder.glob("*.py")
        if "CONTRACT = Contract(" in path.read_text(encoding="utf-8")
    }
    assert written == set(names)


def test_files_of_stubs_do_not_collide() -> None:
    assert len({contract.file for contract in table.CONTRACTS}) == len(table.CONTRACTS)
