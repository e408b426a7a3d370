"""The worker from inside: lines in, lines out, in this process."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from regard.errors import RegardError
from regard.web.worker import tasks
from regard.web.worker.inside import Bench


def played(lines: list[dict[str, Any]], monkeypatch) -> list[dict[str, Any]]:
    def fails(models: Any, fields: Any) -> Any:
        raise {"ours": RegardError("a", "b", "c"), "other": ZeroDivisionError("oh")}[fields["how"]]

    def counts(models: Any, fields: Any) -> Any:
        yield from ({"number": n} for n in range(fields["n"]))

    monkeypatch.setattr(tasks, "TASKS", {"echo": lambda models, fields: fields, "fails": fails})
    monkeypatch.setattr(tasks, "STREAMS", {"counts": counts})
    out = io.BytesIO()
    Bench([Path()], io.BytesIO(b"".join(json.dumps(one).encode() + b"\n" for one in lines)), out).run()
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_an_answer_and_its_end(monkeypatch) -> None:
    said = played([{"id": 5, "do": "echo", "fields": {"a": float("inf")}}], monkeypatch)
    assert said == [{"id": 0, "ready": True}, {"id": 5, "answer": {"a": "inf"}}, {"id": 5, "end": True}]


@pytest.mark.parametrize(
    ("how", "status", "what"), [("ours", 400, "a"), ("other", 503, "this could not be computed")]
)
def test_a_mistake_is_told_and_the_process_goes_on(how: str, status: int, what: str, monkeypatch) -> None:
    said = played(
        [{"id": 1, "do": "fails", "fields": {"how": how}}, {"id": 2, "do": "echo", "fields": {}}], monkeypatch
    )
    assert said[1]["refused"][:2] == [status, what] and said[-1] == {"id": 2, "end": True}


def test_a_stream_that_is_called_off_says_no_more(monkeypatch) -> None:
    said = played([{"id": 3, "do": "counts", "fields": {"n": 10**9}}, {"id": 3, "do": "cancel"}], monkeypatch)
    assert said[-1] == {"id": 3, "end": True}
    assert all(one["id"] in (0, 3) for one in said)
