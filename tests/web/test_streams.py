"""Live events: a log as it grows, from where a reader left off; never more readers than eight."""

import http.client
import json
import threading
import time

import pytest

from regard.lab.events import Metric, ProgressEvent, TextEvent
from regard.lab.store.runs import Store
from regard.web import streams
from regard.web.streams import STREAMS, _grown
from serving import Client, Running, made


def opened(
    client: Client, path: str, **headers: str
) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", client.address.port, timeout=20)
    connection.request("GET", path, headers=client.good | headers)
    return connection, connection.getresponse()


def listened(reply: http.client.HTTPResponse, until: str) -> list[dict]:
    """Documents of a stream until one of that kind."""
    found = []
    while line := reply.readline():
        if line.startswith(b"data: "):
            found.append(json.loads(line[6:]))
            if found[-1]["kind"] == until:
                break
    return found


def begun(store: Store):
    request = {
        "name": "live",
        "started": "2026-01-01T00:00:00",
        "claims": [],
        "preset": "quick",
        "changes": [],
        "seed": 0,
    }
    return store.create("live", "quick", request)


def test_a_run_is_told_while_it_grows(client: Client, running: Running) -> None:
    writer = begun(running.store)
    writer.record(Metric("loss", 2.0, 0, {"step": 0}))
    time.sleep(0.5)
    connection, reply = opened(client, f"/api/runs/{writer.path.name}/events")
    first = listened(reply, "state")
    assert first == [
        {"kind": "points", "name": "loss", "seed": 0, "at": {"step": 0}, "value": 2.0},
        {"kind": "state", "state": "running"},
    ]
    writer.progress(ProgressEvent("training <b>", 0.25))
    assert listened(reply, "progress")[-1] == {"kind": "progress", "what": "training <b>", "share": 0.25}
    writer.record(Metric("loss", float("nan"), 0, {"step": 1}))
    writer.record(TextEvent("sample", "to <be>"))
    assert listened(reply, "text")[-2:] == [
        {"kind": "points", "name": "loss", "seed": 0, "at": {"step": 1}, "value": "nan"},
        {"kind": "text", "name": "sample", "text": "to <be>"},
    ]
    writer.finish("finished", [], seconds=1.0)
    writer.close()
    assert listened(reply, "state")[-1] == {"kind": "state", "state": "finished"}
    assert reply.read().strip() == b""
    connection.close()


def test_a_reader_goes_on_where_it_left_off(tmp_path, running: Running, client: Client) -> None:
    done = made(running.store)
    time.sleep(0.5)
    whole = client.ask("GET", f"/api/runs/{done.id}/events").body.decode()
    ids = [line[4:] for line in whole.splitlines() if line.startswith("id: ")]
    rest = client.ask(
        "GET", f"/api/runs/{done.id}/events", headers=client.good | {"last-event-id": ids[4]}
    ).body.decode()
    assert whole.endswith(rest) and rest.count("data: ") == whole.count("data: ") - 5
    assert (
        client.ask("GET", f"/api/runs/{done.id}/events", headers=client.good | {"last-event-id": "-3"}).status
        == 200
    )


def test_half_a_line_waits_and_nonsense_is_left_out(tmp_path) -> None:
    (tmp_path / "log.jsonl").write_bytes(
        b'{"kind": "text", "name": "a", "text": "b"}\nnonsense\n{"kind": "te'
    )
    events, at, more = _grown(tmp_path, 0)
    assert len(events) == 1 and at == 52 and not more
    assert _grown(tmp_path / "none", 7) == ([], 7, False)


def test_all_who_listen_share_the_work(tmp_path, monkeypatch) -> None:
    (tmp_path / "log.jsonl").write_bytes(b'{"kind": "text", "name": "a", "text": "b"}\n' * 50)
    parsed = []
    load = json.loads
    monkeypatch.setattr(streams.json, "loads", lambda line: parsed.append(1) or load(line))
    first = _grown(tmp_path, 0)
    assert all(_grown(tmp_path, 0) == first for _ in range(7)) and len(parsed) == 50


def test_the_lab_tells_that_a_run_appeared(client: Client, running: Running) -> None:
    connection, reply = opened(client, "/api/events")
    assert listened(reply, "lab-change")
    threading.Timer(0.2, made, [running.store]).start()
    assert listened(reply, "lab-change") == [{"kind": "lab-change"}]
    connection.close()


def test_the_ninth_reader_is_refused_and_a_place_becomes_free(
    client: Client, running: Running, monkeypatch
) -> None:
    monkeypatch.setattr(streams, "PAUSE", 0.1)
    time.sleep(1.0)  # those of other tests have gone
    held = [opened(client, "/api/events") for _ in range(STREAMS)]
    for _, reply in held:
        listened(reply, "lab-change")
    ninth = client.ask("GET", "/api/events")
    assert (ninth.status, ninth.json()["what"]) == (429, "too many pages listen")
    for connection, reply in held:
        reply.close()
        connection.close()
    limit = time.monotonic() + 10
    assert running.services is not None
    while running.services.streams.count and time.monotonic() < limit:
        time.sleep(0.1)
    assert running.services.streams.count == 0


@pytest.mark.parametrize("id", ["none", "..%2f"])
def test_an_unknown_run_has_no_events(client: Client, id: str) -> None:
    assert client.ask("GET", f"/api/runs/{id}/events").status in (400, 404)
