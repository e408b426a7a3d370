"""The catalogue is complete, says its licences, and names no registry."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from regard.data.fetch import catalogue
from regard.data.fetch.archive import read_members
from regard.data.fetch.catalogue import CATALOGUE, Entry, entry
from regard.data.fetch.download import fetch_file
from regard.data.fetch.origin import Address
from regard.errors import RegardError


@pytest.mark.parametrize("known", CATALOGUE, ids=lambda known: known.name)
def test_each_entry_says_what_where_and_under_which_licence(known: Entry) -> None:
    assert re.fullmatch(r"[a-z0-9-]{1,64}", known.name)
    assert re.fullmatch(r"[0-9a-f]{64}", known.file.sha256)
    assert known.file.size > 0
    assert all((known.what, known.licence, known.origins))
    assert not Path(known.file.path).is_absolute()
    assert ".." not in Path(known.file.path).parts
    archived = known.file.name.endswith((".whl", ".tar.gz", ".tgz"))
    assert archived == bool(known.members), "an archive says which members are read"


def test_addresses_are_secure_and_pinned_to_a_commit() -> None:
    addresses = [o.url for known in CATALOGUE for o in known.origins if isinstance(o, Address)]
    assert addresses
    assert all(re.search(r"^https://[^/]+/[^/]+/[^/]+/[0-9a-f]{40}/", url) for url in addresses)


def test_names_and_places_are_distinct() -> None:
    assert (
        len({known.name for known in CATALOGUE})
        == len({known.file.path for known in CATALOGUE})
        == len(CATALOGUE)
    )


def test_an_unknown_name_gets_the_nearest() -> None:
    assert entry("cora").name == "cora"
    with pytest.raises(RegardError) as raised:
        entry("grim")
    assert str(raised.value) == "no dataset of that name\n  got: 'grim'\n  fix: did you mean 'grimm'?"
    with pytest.raises(RegardError) as raised:
        entry("xyz")
    listed = ", ".join(known.name for known in catalogue.CATALOGUE)
    assert str(raised.value) == f"no dataset of that name\n  got: 'xyz'\n  fix: one of {listed}"


@pytest.mark.proof
@pytest.mark.parametrize("known", CATALOGUE, ids=lambda known: known.name)
def test_each_entry_can_be_fetched_and_its_members_read(known: Entry) -> None:
    path = fetch_file(known)
    if known.members:
        found = read_members(path, known.members)
        assert all(any(fnmatchcase(name, pattern) for name in found) for pattern in known.members)
