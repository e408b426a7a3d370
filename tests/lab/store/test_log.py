import errno
import os
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.files import Damaged, OtherFormat
from regard.lab.store import log
from regard.lab.store.log import FORMAT, Log, check, read

LINES = [{"kind": "metric", "name": "ß", "value": float(value)} for value in range(3)]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def written(place: Path) -> bytes:
    one = Log(place)
    for line in LINES:
        one.add(line)
    one.close()
    return place.read_bytes()


def test_lines_come_back_and_a_log_is_gone_on_with(place: Path) -> None:
    written(place)
    written(place)
    assert read(place).lines == LINES + LINES


def test_a_log_that_is_not_there_is_empty(place: Path) -> None:
    assert read(place).lines == []


def test_every_cut_leaves_whole_lines_and_the_next_line_is_whole_too(place: Path) -> None:
    data = written(place)
    for at in range(len(data) + 1):
        place.write_bytes(data[:at])
        whole = read(place).lines
        assert whole == LINES[: len(whole)]
        written(place)
        assert read(place).lines == whole + LINES


def test_every_changed_byte_is_seen(place: Path) -> None:
    data = written(place)
    for at in range(len(data) - 1):
        for other in b"0x}\x00\n":
            if data[at] != other:
                place.write_bytes(data[:at] + bytes([other]) + data[at + 1 :])
                with pytest.raises((Damaged, OtherFormat)):
                    read(place)


def test_a_line_that_is_gone_or_moved_is_seen(place: Path) -> None:
    head, first, second, third = written(place).splitlines(keepends=True)
    for lines in ([head, first, third], [head, second, first, third], [first, second], [head, first, first]):
        place.write_bytes(b"".join(lines))
        with pytest.raises(Damaged, match=r"log\.jsonl, line \d, is not what was written"):
            read(place)


def test_another_version_is_refused_in_three_lines(place: Path, monkeypatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(log, "FORMAT", log.Format("log", 3, ""))
        written(place)
    with pytest.raises(OtherFormat) as caught:
        read(place)
    assert str(caught.value) == (
        f"this log was written by a newer version of regard\n  got: {place}: format 3, this version reads {FORMAT.version}\n"
        "  fix: run the experiment again, or read it with the version that wrote it"
    )


def test_a_closed_log_is_held_to_its_voucher(place: Path) -> None:
    one = Log(place)
    one.add(LINES[0])
    voucher = one.vouch()
    one.close()
    check(place, voucher)
    data = place.read_bytes()
    for other in (data[:-5], data + b"\n", data.replace(b"0.0", b"1.0"), b""):
        place.write_bytes(other)
        with pytest.raises(Damaged):
            check(place, voucher)


def test_a_line_that_a_full_disk_cut_does_not_stay(place: Path, monkeypatch) -> None:
    one, real = Log(place), os.write
    one.add(LINES[0])
    parts = iter([5])

    def half(handle: int, data: bytes) -> int:
        for size in parts:
            return real(handle, data[:size])
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        with pytest.raises(RegardError, match="the disk is full"):
            one.add(LINES[1])
    one.add(LINES[2])
    one.close()
    assert read(place).lines == [LINES[0], LINES[2]]
