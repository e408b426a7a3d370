"""Archives made to do harm are refused, damaged ones are told, and nothing is ever written."""

import gzip
import io
import random
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from regard.data.fetch.archive import ArchiveLimits, read_members
from regard.errors import RegardError

LIMITS = ArchiveLimits(member=3_000_000, total=5_000_000, ratio=100, count=50)
EVERY = ("*",)


def make_tar(
    path: Path, *members: tuple[str, bytes] | tarfile.TarInfo, form: int = tarfile.PAX_FORMAT
) -> Path:
    with tarfile.open(path, "w:gz", format=form) as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
            else:
                named = tarfile.TarInfo(member[0])
                named.size = len(member[1])
                archive.addfile(named, io.BytesIO(member[1]))
    return path


def make_zip(path: Path, *members: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def special(kind: bytes, name: str = "a/evil.txt", target: str = "a/fine.txt") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def zipped(name: str, mode: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)
    member.external_attr = mode << 16
    return member


@pytest.mark.parametrize("make", [make_tar, make_zip])
def test_the_wanted_members_come_back_in_order_of_name(tmp_path: Path, make: Callable[..., Path]) -> None:
    path = make(
        tmp_path / "a", ("x/b.txt", b"second"), ("x/c.csv", b"other"), ("x/a.txt", b"first"), ("d/", b"")
    )
    found = read_members(path, ("x/*.txt",))
    assert list(found.items()) == [("x/a.txt", b"first"), ("x/b.txt", b"second")]
    assert [p.name for p in tmp_path.iterdir()] == ["a"], "something was written"


NAMES = [
    "../evil.txt",
    "a/../../evil.txt",
    "/evil.txt",
    "a\\evil.txt",
    "..\\evil.txt",
    "C:evil.txt",
    "a\nevil.txt",
]


@pytest.mark.parametrize("name", [*NAMES, "//host/evil.txt", "..", "\u202egnp.txt"])
@pytest.mark.parametrize("make", [make_tar, make_zip])
def test_a_name_that_leads_out_is_refused(tmp_path: Path, make: Callable[..., Path], name: str) -> None:
    path = make(tmp_path / "a", ("fine.txt", b"fine"), (name, b"evil"))
    with pytest.raises(RegardError) as raised:
        read_members(path, EVERY)
    assert str(raised.value) == (
        "a is not an archive to trust\n"
        f"  got: a member is called {name!r}\n"
        "  fix: remove it and fetch it again"
    )


SPECIAL = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE)


@pytest.mark.parametrize("kind", SPECIAL)
def test_a_member_that_is_no_plain_file_is_refused_in_a_tar(tmp_path: Path, kind: bytes) -> None:
    path = make_tar(tmp_path / "a", ("a/fine.txt", b"fine"), special(kind))
    with pytest.raises(RegardError, match=r"got: 'a/evil.txt' is no plain file\n"):
        read_members(path, EVERY)


def test_a_chain_of_links_is_refused_at_its_first(tmp_path: Path) -> None:
    first = special(tarfile.SYMTYPE, "a", "..")
    path = make_tar(tmp_path / "a", first, special(tarfile.SYMTYPE, "a/b", ".."), ("a/b/evil.txt", b"evil"))
    with pytest.raises(RegardError, match=r"got: 'a' is no plain file\n"):
        read_members(path, EVERY)


def test_a_sparse_member_is_refused(tmp_path: Path) -> None:
    """A few bytes that claim to be a file of a gigabyte of zeros."""
    sparse = tarfile.TarInfo("evil.txt")
    sparse.type = tarfile.GNUTYPE_SPARSE
    block = bytearray(sparse.tobuf(tarfile.GNU_FORMAT))
    block[386:398] = block[398:410] = b"%011o\0" % 0
    block[483:495] = b"%011o\0" % 2**30
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    (tmp_path / "a").write_bytes(gzip.compress(bytes(block) + bytes(1024)))
    with pytest.raises(RegardError, match=r"got: 'evil.txt' is no plain file\n"):
        read_members(tmp_path / "a", EVERY)


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFCHR | 0o666, stat.S_IFIFO | 0o666])
def test_a_member_that_is_no_plain_file_is_refused_in_a_zip(tmp_path: Path, mode: int) -> None:
    path = make_zip(tmp_path / "a", (zipped("evil.txt", mode), b"/etc/passwd"))
    with pytest.raises(RegardError, match=r"got: 'evil.txt' is no plain file\n"):
        read_members(path, EVERY)


def test_a_locked_member_is_refused(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a", ("evil.txt", b"locked"))
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(RegardError, match=r"got: 'evil.txt' is no plain file\n"):
        read_members(path, EVERY)


@pytest.mark.parametrize("make", [make_tar, make_zip])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused(tmp_path: Path, make: Callable[..., Path]) -> None:
    path = make(tmp_path / "a", ("twin.txt", b"one"), ("twin.txt", b"two"))
    with pytest.raises(RegardError, match=r"got: two members are called 'twin.txt'\n"):
        read_members(path, EVERY)


@pytest.mark.parametrize("make", [make_tar, make_zip])
def test_a_pattern_that_finds_nothing_is_told(tmp_path: Path, make: Callable[..., Path]) -> None:
    path = make(tmp_path / "a", ("a.txt", b"one"))
    with pytest.raises(RegardError, match=r"got: no member matches '\*.csv'\n"):
        read_members(path, ("*.txt", "*.csv"))


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    zeros = bytes(2_500_000)
    for make, name in ((make_tar, "the archive"), (make_zip, "evil.txt")):
        path = make(tmp_path / "a", ("evil.txt", zeros))
        with pytest.raises(RegardError, match=rf"got: {name} unpacks to more than \d+ bytes\n"):
            read_members(path, EVERY, LIMITS)


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_tar, make_zip])
def test_a_member_and_a_sum_of_members_are_bounded(tmp_path: Path, make: Callable[..., Path]) -> None:
    noise = random.Random(5).randbytes
    path = make(tmp_path / "a", ("big.txt", noise(3_000_001)))
    with pytest.raises(RegardError, match=r"got: big.txt unpacks to more than 3000000 bytes\n"):
        read_members(path, EVERY, LIMITS)
    path = make(tmp_path / "a", *((f"{k}.txt", noise(1_000_001)) for k in range(5)))
    with pytest.raises(RegardError, match=r"unpacks to more than 5000000 bytes\n"):
        read_members(path, EVERY, LIMITS)
    path = make(tmp_path / "a", *((f"{k}.txt", noise(900_000)) for k in range(5)))
    assert len(read_members(path, EVERY, LIMITS)) == 5


def test_a_header_that_claims_gigabytes_is_bounded(tmp_path: Path) -> None:
    """An extended header is read whole by tarfile: the bound on the stream is what stops it."""
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, 4 * 2**30
    (tmp_path / "a").write_bytes(gzip.compress(header.tobuf(tarfile.USTAR_FORMAT) + bytes(20_000_000)))
    with pytest.raises(RegardError, match=r"got: the archive unpacks to more than \d+ bytes\n"):
        read_members(tmp_path / "a", EVERY, LIMITS)


@pytest.mark.parametrize("make", [make_tar, make_zip])
def test_more_members_than_anyone_needs_are_refused(tmp_path: Path, make: Callable[..., Path]) -> None:
    path = make(tmp_path / "a", *((f"{k}.txt", b"") for k in range(51)))
    with pytest.raises(RegardError, match=r"got: more than 50 members\n"):
        read_members(path, ("none",), LIMITS)


def test_a_zip_whose_member_ends_early_is_refused(tmp_path: Path) -> None:
    """The directory says 400 bytes and gives the checksum of the 4 that there are: zipfile lets it pass."""
    path = make_zip(tmp_path / "a", ("evil.txt", b"four"))
    content = path.read_bytes()
    at = content.index(b"PK\x01\x02")
    path.write_bytes(content[: at + 24] + struct.pack("<I", 400) + content[at + 28 :])
    with zipfile.ZipFile(path) as archive:
        assert archive.read("evil.txt") == b"four", "zipfile has learned to see it"
    with pytest.raises(RegardError, match=r"got: 'evil.txt' is not as long as the archive says\n"):
        read_members(path, EVERY)


def damaged(content: bytes, times: int) -> Iterator[bytes]:
    """Cut, flipped, swapped and zeroed."""
    chance = random.Random(11)
    for k in range(1, 20):
        yield content[: k * len(content) // 20]
    for _ in range(times):
        copy = bytearray(content)
        for _ in range(chance.choice((1, 1, 2, 8))):
            copy[chance.randrange(len(copy))] = chance.randrange(256)
        yield bytes(copy)
    half = len(content) // 2
    yield from (
        b"",
        b"\0" * 2000,
        content[half:] + content[:half],
        b"PK\x05\x06" + bytes(18),
        b"\x1f\x8b\x08",
    )


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_tar, make_zip])
def test_a_damaged_archive_is_three_lines_or_unharmed(tmp_path: Path, make: Callable[..., Path]) -> None:
    members = {f"a/{k}.txt": random.Random(k).randbytes(50 * k) for k in range(7)}
    whole = make(tmp_path / "a", *members.items()).read_bytes()
    told = 0
    for content in damaged(whole, 500):
        (tmp_path / "a").write_bytes(content)
        try:
            read_members(tmp_path / "a", ("a/*",))
        except RegardError:
            told += 1
    assert told > 100


@pytest.mark.slow
def test_damage_inside_the_tar_is_told_too(tmp_path: Path) -> None:
    """Most damage is seen by gzip's own checksum: here it is packed again, so that tarfile meets it."""
    whole = gzip.decompress(
        make_tar(tmp_path / "a", *((f"a/{k}.txt", b"x" * 99) for k in range(3))).read_bytes()
    )
    for content in damaged(whole, 500):
        (tmp_path / "a").write_bytes(gzip.compress(content, 1, mtime=0))
        try:
            found = read_members(tmp_path / "a", ("a/*",))
        except RegardError:
            found = {}
        assert all(len(member) <= len(content) for member in found.values())


def test_what_is_no_archive_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"once upon a time")
    with pytest.raises(RegardError) as raised:
        read_members(tmp_path / "a", EVERY)
    assert str(raised.value) == (
        "a cannot be read as an archive\n"
        "  got: BadGzipFile: Not a gzipped file (b'on')\n"
        "  fix: remove it and fetch it again"
    )
