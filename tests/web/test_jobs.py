"""Jobs: a real run in its own process, stopped, resumed; and what is never started."""

import tempfile
import time
from asyncio.subprocess import Process
from typing import Any
from unittest.mock import Mock

import pytest

from regard.lab.store.run import REQUEST, Run
from regard.web.jobs import LabJob, built_in
from serving import Client, Running, made, told

SMALL = {"draws": 50, "seeds": 2}


def waited(client: Client, id: str, states: set[str], seconds: float = 90) -> dict[str, Any]:
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        job = client.get(f"/api/jobs/{id}")
        if job["state"] in states:
            return job
        time.sleep(0.2)
    raise AssertionError(job)


@pytest.mark.slow
def test_a_run_is_started_watched_stopped_and_resumed(client: Client, running: Running) -> None:
    begun = client.post("/api/jobs", {"experiment": "karate", "settings": {"epochs": 400_000}, "seed": 3})
    assert begun.status == 201, begun.body
    job = waited(client, begun.json()["id"], {"running"})
    events = client.ask("POST", f"/api/jobs/{job['id']}/stop")
    assert events.status == 200 and events.json()["state"] == "stopping"
    # Its training is one long step: asked twice, it stops at once.
    time.sleep(0.5)
    client.ask("POST", f"/api/jobs/{job['id']}/stop")
    assert waited(client, job["id"], {"stopped"})["error"] is None
    run = client.get(f"/api/runs/{job['run']}")
    assert (run["state"], run["seed"], run["changes"]) == ("stopped", 3, ["epochs=400000"])
    again = client.ask("POST", f"/api/runs/{job['run']}/resume")
    assert again.status == 201 and again.json()["run"] == job["run"]
    client.ask("POST", f"/api/jobs/{again.json()['id']}/stop")
    client.ask("POST", f"/api/jobs/{again.json()['id']}/stop")
    assert waited(client, again.json()["id"], {"stopped", "failed"})


@pytest.mark.slow
def test_a_run_goes_to_its_end_and_its_events_tell_it(client: Client) -> None:
    begun = client.post("/api/jobs", {"experiment": "scaled-dot-product", "settings": SMALL}).json()
    job = waited(client, begun["id"], {"running", "finished"})
    events = told(client.ask("GET", f"/api/runs/{job['run']}/events").body)
    assert events[-1] == {"kind": "state", "state": "finished"}
    assert {"points", "figure"} <= {one["kind"] for one in events}
    assert waited(client, job["id"], {"finished"})["run"] == job["run"]


@pytest.mark.parametrize(
    ("body", "status", "what"),
    [
        ({"experiment": "nothing"}, 404, "no experiment of that name"),
        ({"experiment": "mine.py"}, 404, "no experiment of that name"),
        ({"experiment": "../../mine.py"}, 400, "this is no id"),
        ({"experiment": "karate", "settings": {"seeds": 0}}, 400, "the setting 'seeds' is out of range"),
        ({"experiment": "karate", "settings": {"nothing": 1}}, 400, "no such setting in the browser"),
        (
            {"experiment": "karate", "settings": {"graph": "/etc/passwd"}},
            400,
            "no such setting in the browser",
        ),
        (
            {"experiment": "karate", "settings": {"rate": "--set"}},
            400,
            "the setting 'rate' is of another type",
        ),
        ({"experiment": "karate", "command": "rm"}, 400, "no field of that name here"),
    ],
)
def test_what_is_not_built_in_or_out_of_range_is_never_started(
    client: Client, body: dict, status: int, what: str
) -> None:
    before = len(client.get("/api/lab")["running"])
    reply = client.post("/api/jobs", body)
    assert (reply.status, reply.json()["what"]) == (status, what)
    assert len(client.get("/api/lab")["running"]) == before


def test_runs_of_ones_own_file_and_finished_runs_are_not_resumed(client: Client, running: Running) -> None:
    done = made(running.store, "karate")  # by its name built in, by its file not
    time.sleep(0.5)
    reply = client.ask("POST", f"/api/runs/{done.id}/resume")
    assert (reply.status, reply.json()["what"]) == (409, "this run is finished")
    (done.path / "result.json").unlink()
    time.sleep(0.5)
    reply = client.ask("POST", f"/api/runs/{done.id}/resume")
    assert reply.status == 409 and "built-in" in reply.json()["what"]
    recorded = next(one["id"] for one in client.get("/api/runs")["runs"] if one["recorded"])
    assert client.ask("POST", f"/api/runs/{recorded}/resume").status == 409
    assert client.ask("POST", "/api/jobs/0123456789abcdef/stop").status == 404


def test_only_the_packages_own_file_of_that_name_is_built_in() -> None:
    from regard.lab import registry
    from regard.theory import library

    rooms = registry.rooms()
    assert built_in("karate", str(rooms["karate"]))
    assert built_in("theory-dot-product", str(library.path("dot-product")))
    for name, source in (
        ("karate", str(rooms["cora"])),
        ("karate", __file__),
        ("mine", __file__),
        ("karate", ""),
    ):
        assert not built_in(name, source)


def test_a_process_that_the_signal_met_without_its_handler_was_stopped_if_it_was_asked_to() -> None:
    def job(code: int, stopping: bool) -> str:
        process = Mock(spec=Process, returncode=code)
        with tempfile.TemporaryFile() as words:
            return LabJob("0", "karate", "quick", process, words, stopping=stopping).state()

    assert [job(code, True) for code in (0, 130, -2, -15, -9, 1)] == [
        "finished", "stopped", "stopped", "stopped", "failed", "failed",
    ]  # fmt: skip
    assert job(-2, False) == "failed"


def test_a_third_job_is_refused(client: Client, running: Running, monkeypatch) -> None:
    from regard.web import jobs

    monkeypatch.setattr(jobs, "RUNNING", 0)
    reply = client.post("/api/jobs", {"experiment": "karate", "settings": {}})
    assert (reply.status, reply.json()["what"]) == (409, "other runs are under way")


def test_the_page_of_a_run_says_who_began_it(running: Running) -> None:
    import os

    (run,) = [one for one in running.store.runs() if one.name == "heights"][:1]
    assert isinstance(run, Run) and run.request["process"] == os.getpid()
    assert (run.path / REQUEST).is_file()
