"""All contracts are offered, each once."""

import re
from pathlib import Path

from regard.checker.contracts import table


def test_every_contract_is_in_the_table_once() -> None:
    names = [contract.name for contract in table.CONTRACTS]
    assert len(set(names)) == len(names) == 9
    folder = Path(table.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    written = {name for text in texts for name in re.findall(r'CONTRACT = Contract\(\s*name="([^"]+)"', text)}
    assert written == set(names)


def test_files_of_stubs_do_not_collide() -> None:
    assert len({contract.file for contract in table.CONTRACTS}) == len(table.CONTRACTS)
