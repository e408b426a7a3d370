"""The network at its worst: a real server that cuts, lies, hangs and sends people in circles."""

import base64
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from regard.data.fetch.web import NotReached, Patience, Remote

BODY = random.Random(3).randbytes(200_003)


def got(remote: Remote, part: Path) -> bytes:
    remote.download(part, len(BODY))
    return part.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("cut", [1 + k * len(BODY) // 21 for k in range(21)])
def test_a_download_goes_on_where_it_was_cut(server: Any, tmp_path: Path, cut: int, haste: Patience) -> None:
    remote = Remote(server.plan("/file", server.send(BODY, upto=cut), server.send(BODY)), haste)
    assert got(remote, tmp_path / "part") == BODY
    assert [headers.get("Range") for _, headers in server.asked] == [None, f"bytes={cut}-"]


@pytest.mark.slow
def test_many_cuts_in_a_row_do_not_use_up_patience(server: Any, tmp_path: Path, haste: Patience) -> None:
    cuts = [server.send(BODY, upto=k * 20_000) for k in range(1, 10)]
    assert got(Remote(server.plan("/file", *cuts, server.send(BODY)), haste), tmp_path / "part") == BODY


def test_a_server_without_ranges_is_asked_from_the_start(
    server: Any, tmp_path: Path, haste: Patience
) -> None:
    plan = server.plan("/file", server.send(BODY, upto=77), server.send(BODY, ranges=False))
    assert got(Remote(plan, haste), tmp_path / "part") == BODY


def test_a_range_that_starts_elsewhere_is_not_appended(server: Any, tmp_path: Path, haste: Patience) -> None:
    def elsewhere(handler: Any) -> None:
        handler.start(206, len(BODY), Content_Range=f"bytes 0-{len(BODY) - 1}/{len(BODY)}")
        handler.wfile.write(BODY)

    plan = server.plan("/file", server.send(BODY, upto=77), elsewhere)
    assert got(Remote(plan, haste), tmp_path / "part") == BODY


def test_a_chunked_body_that_is_cut_goes_on(server: Any, tmp_path: Path, haste: Patience) -> None:
    def chunked(handler: Any) -> None:
        handler.start(200, None, Transfer_Encoding="chunked")
        handler.wfile.write(b"3e8\r\n" + BODY[:1000] + b"\r\n3e8\r\n" + BODY[1000:1100])

    assert got(Remote(server.plan("/file", chunked, server.send(BODY)), haste), tmp_path / "part") == BODY


def test_a_server_that_recovers_is_asked_again(server: Any, tmp_path: Path, haste: Patience) -> None:
    plan = server.plan("/file", server.status(500), server.status(503), server.send(BODY))
    assert got(Remote(plan, haste), tmp_path / "part") == BODY


@pytest.mark.slow
@pytest.mark.parametrize("code", [500, 503, 429])
def test_a_server_that_does_not_recover_is_given_up(
    server: Any, tmp_path: Path, code: int, haste: Patience
) -> None:
    with pytest.raises(NotReached) as raised:
        got(Remote(server.plan("/file", server.status(code)), haste), tmp_path / "part")
    assert str(raised.value) == f"{server.host} answered {code}"
    assert len(server.asked) == haste.attempts


@pytest.mark.parametrize("code", [401, 403, 404, 410])
def test_a_refusal_is_not_asked_again(server: Any, tmp_path: Path, code: int, haste: Patience) -> None:
    with pytest.raises(NotReached, match=f"answered {code}$"):
        got(Remote(server.plan("/file", server.status(code)), haste), tmp_path / "part")
    assert len(server.asked) == 1


def test_a_body_that_is_too_long_is_stopped(server: Any, tmp_path: Path, haste: Patience) -> None:
    with pytest.raises(NotReached) as raised:
        got(Remote(server.plan("/file", server.send(BODY + b"!")), haste), tmp_path / "part")
    assert str(raised.value) == f"{server.host} sent more than the {len(BODY)} bytes expected"
    assert (tmp_path / "part").stat().st_size <= len(BODY)


def test_a_body_that_stays_too_short_is_given_up(server: Any, tmp_path: Path, haste: Patience) -> None:
    with pytest.raises(NotReached) as raised:
        got(Remote(server.plan("/file", server.send(BODY[:-1], ranges=False)), haste), tmp_path / "part")
    assert str(raised.value) == f"{server.host} stopped at {len(BODY) - 1} of {len(BODY)} bytes"


@pytest.mark.slow
@pytest.mark.parametrize("first", [b"", BODY[:100]], ids=["from the start", "half way"])
def test_a_silent_server_is_left_in_time(server: Any, tmp_path: Path, first: bytes, haste: Patience) -> None:
    began = time.monotonic()
    with pytest.raises(NotReached) as raised:
        got(Remote(server.plan("/file", server.hang(first)), replace(haste, silence=0.4)), tmp_path / "part")
    assert str(raised.value) == f"{server.host} was silent for 0.4 s"
    assert time.monotonic() - began < 10


def test_a_trickle_cannot_outlast_the_whole(server: Any, tmp_path: Path, haste: Patience) -> None:
    with pytest.raises(NotReached) as raised:
        got(Remote(server.plan("/file", server.trickle(BODY)), replace(haste, whole=0.5)), tmp_path / "part")
    assert str(raised.value) == f"{server.host} took longer than 0.5 s"


def test_a_redirect_is_followed(server: Any, tmp_path: Path, haste: Patience) -> None:
    plan = server.plan(
        "/old", server.redirect(server.plan("/new", server.send(BODY, upto=55), server.send(BODY)))
    )
    assert got(Remote(plan, haste), tmp_path / "part") == BODY


@pytest.mark.parametrize("to", ["/file", "file:///etc/hostname", "ftp://127.0.0.1/file", "data:,x"])
def test_a_redirect_in_circles_or_out_of_the_web_is_not(
    server: Any, tmp_path: Path, to: str, haste: Patience
) -> None:
    with pytest.raises(NotReached, match=r"answered 302$"):
        got(Remote(server.plan("/file", server.redirect(to)), haste), tmp_path / "part")


@pytest.mark.parametrize("address", ["file:///etc/hostname", "ftp://127.0.0.1/x", "data:,x", "tales.txt"])
def test_only_the_web_is_asked(tmp_path: Path, address: str, haste: Patience) -> None:
    with pytest.raises(NotReached, match=r"addresses are not followed$"):
        got(Remote(address, haste), tmp_path / "part")


def test_a_closed_port_is_told_at_once(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(NotReached) as raised:
        got(Remote("http://127.0.0.1:9/file"), tmp_path / "part")
    assert str(raised.value) == "no connection to 127.0.0.1:9"
    assert time.monotonic() - began < 2


def test_a_certificate_file_that_is_missing_is_named(server: Any, tmp_path: Path, haste: Patience) -> None:
    with pytest.raises(NotReached, match=r"^no certificates can be read from /no/such.pem$"):
        Remote(server.plan("/file", server.send(b"")), haste, "/no/such.pem").read()


def test_a_password_goes_to_its_own_machine_and_into_no_message(server: Any, haste: Patience) -> None:
    page = server.plan("/page", server.send(b"page")).replace("127.0.0.1", "localhost")
    plan = server.plan("/login", server.redirect(page)).replace("//", "//me:se%40cret@")
    assert Remote(plan, haste).read() == b"page"
    (_, first), (_, second) = server.asked
    assert first["Authorization"] == "Basic " + base64.b64encode(b"me:se@cret").decode()
    assert "Authorization" not in second
    with pytest.raises(NotReached) as raised:
        Remote("http://me:secret@127.0.0.1:9/page", haste).read()
    assert str(raised.value) == "no connection to 127.0.0.1:9"


def test_a_page_is_read_after_a_failure_and_bounded(
    server: Any, monkeypatch: pytest.MonkeyPatch, haste: Patience
) -> None:
    assert Remote(server.plan("/page", server.status(502), server.send(b"page")), haste).read() == b"page"
    monkeypatch.setattr("regard.data.fetch.web.PAGE", 3)
    with pytest.raises(NotReached, match=r"sent a page of more than 3 bytes$"):
        Remote(server.plan("/page", server.send(b"page")), haste).read()


def test_progress_ends_at_the_whole(server: Any, tmp_path: Path, haste: Patience) -> None:
    told: list[tuple[int, int]] = []
    remote = Remote(server.plan("/file", server.send(BODY, upto=99), server.send(BODY)), haste)
    remote.download(tmp_path / "part", len(BODY), lambda done, size: told.append((done, size)))
    assert told == sorted(told)
    assert told[-1] == (len(BODY), len(BODY))
