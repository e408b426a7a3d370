"""Documents over the wire: every state a person can reach, and a hundred hostile strings in every field."""

import json
import re
import time
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import pytest

from regard.claims import Claim
from regard.errors import RegardError
from regard.lab.book.style import panels, style
from regard.lab.events import FigureEvent, Metric, TableEvent, TextEvent
from regard.lab.store.checks import keep
from regard.web.bundle import FOLDER
from serving import HOSTILE, Client, Running, made

ALL = "\n".join(HOSTILE)
"Of a field that holds one text: all hundred in it."


class Elements(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        assert not [
            value for name, value in attrs if name in ("href", "src") and "javascript:" in (value or "")
        ]


def texts(value: Any) -> set[str]:
    """Every text of a document."""
    if isinstance(value, dict):
        return set().union(*(texts(one) for one in value.values()), *({str(name)} for name in value))
    if isinstance(value, list):
        return set().union(*(texts(one) for one in value)) if value else set()
    return {value} if isinstance(value, str) else set()


def test_there_are_a_hundred() -> None:
    assert len(set(HOSTILE)) == 100


@dataclass(frozen=True)
class Odd:
    label: str = "<b>"
    "What <it> is called."


def all_in_run(document: dict[str, Any]) -> None:
    """Each field of a run has all hundred, as they were."""
    for field in ("question", "method", "see", "correction", "error"):
        assert document[field] == ALL, field
    assert document["settings"] == {"label": ALL} and document["figures"][0]["caption"] == ALL
    assert [(one["name"], one["why"], one["source"]) for one in document["claims"]] == [
        (one,) * 3 for one in HOSTILE
    ]
    assert {(one["name"], one["text"]) for one in document["texts"]} >= {(one, one) for one in HOSTILE}
    tables = {
        (one["name"], one["caption"], one["columns"][0], one["rows"][0][0]) for one in document["tables"]
    }
    assert tables >= {(one,) * 4 for one in HOSTILE}
    assert set(HOSTILE) <= {one["name"] for one in document["numbers"]}
    assert all(any(evil in text for text in texts(document["curves"])) for evil in HOSTILE)


def all_in_check(told: dict[str, Any]) -> None:
    """Each field of a check has all hundred, as they were."""
    assert told["evidence"] == HOSTILE == told["notes"] and told["verdict"] == "mistake"
    for field in ("contract", "member", "slug", "code", "fix", "law", "title"):
        assert told[field] == ALL, field
    assert told["sentences"] == [ALL, ALL]


@pytest.mark.slow
def test_a_hundred_hostile_strings_stay_data_in_every_field(client: Client, running: Running) -> None:
    def measure(settings: Any, context: Any) -> Any:
        for n, evil in enumerate(HOSTILE):
            yield Metric(evil, 1.0, n)
            yield Metric(f"curve {evil}", 1.0, 0, {evil: n, "step": n})
            yield TextEvent(evil, evil)
            yield TableEvent(evil, (evil, "b"), [(evil, 1)], evil)
        with style():
            yield FigureEvent("picture", panels()[0], ALL)
        raise RegardError(ALL, ALL, ALL)

    said = dict.fromkeys(("question", "method", "see", "correction"), ALL)
    claims = tuple(Claim(evil, low=0.0, why=evil, source=evil) for evil in HOSTILE)
    with pytest.raises(RegardError):
        made(running.store, "hostile", measure=measure, claims=claims, preset=Odd(label=ALL), **said)
    (odd,) = [one for one in running.store.runs() if one.name == "hostile"]
    odd.path.rename(odd.path.with_name("<img src=x onerror=alert(1)>"))
    finding = {"kind": "mistake", "slug": ALL, "sentence": ALL, "law": ALL, "evidence": HOSTILE,
               "place": {"line": 3, "text": ALL}, "remedy": ALL}  # fmt: skip
    picture = {"title": ALL, "expected": [[1.0]], "actual": [[2.0]]}
    verdict = {"contract": ALL, "member": ALL, "state": "mistake", "sentence": ALL, "findings": [finding], "picture": picture}  # fmt: skip
    check = keep(running.store, {"target": ALL.replace("/", ""), "verdicts": [verdict], "read": HOSTILE})
    time.sleep(0.5)
    (line,) = [one for one in client.get("/api/runs")["runs"] if one["name"] == "hostile"]
    assert re.fullmatch(r"run-[0-9a-f]{20}", line["id"])
    reply = client.ask("GET", f"/api/runs/{line['id']}")
    assert (
        reply.headers["content-type"] == "application/json"
        and reply.headers["x-content-type-options"] == "nosniff"
    )
    document = reply.json()
    assert document["state"] == "broken"
    all_in_run(document)
    all_in_check(client.get(f"/api/checks/{check}"))
    # The one page that the server makes: nothing of the data is an element or an attribute.
    share = client.ask("GET", f"/api/runs/{line['id']}/share.html")
    assert (
        share.headers["content-security-policy"].startswith("default-src 'none'")
        and "sandbox" in share.headers["content-security-policy"]
    )
    assert share.headers["content-disposition"].startswith("attachment")
    found = Elements(share.body.decode())
    assert not found.tags & {"script", "img", "iframe", "object", "video", "marquee", "input", "source"}
    assert not [name for name in found.attributes if name.startswith("on")]
    for evil in HOSTILE:
        for path in (f"/api/runs/{line['id']}{evil}", f"/api/graphs/{evil}", f"/{evil}"):
            from urllib.parse import quote

            refused = client.ask("GET", quote(path))
            assert refused.status in (400, 404) and refused.headers["content-type"] == "application/json"
    for field in ("model", "text"):
        refused = client.post("/api/next", {"model": "none", field: HOSTILE[0]})
        assert refused.status in (400, 404) and json.loads(refused.body)["kind"] == "error"


def test_attention_next_and_generation_over_the_wire(client: Client) -> None:
    found = client.post(
        "/api/attention", {"model": "shakespeare", "text": "ROMEO: <b>", "ablate": [[0, 0]]}
    ).json()
    assert found["kind"] == "attention" and found["before"] and found["name"] == "shakespeare"
    found = client.post("/api/next", {"model": "shakespeare", "text": "ROMEO:", "top_k": 3}).json()
    assert (found["kind"], found["kept"]) == ("next", 3)
    events = client.events("POST", "/api/generate", {"model": "shakespeare", "text": "ROMEO:", "tokens": 3})
    assert [one["kind"] for one in events] == ["token", "token", "token", "end"]
    events = client.events(
        "POST", "/api/beam", {"model": "shakespeare", "text": "ROMEO:", "tokens": 2, "beams": 2}
    )
    assert [one["kind"] for one in events] == ["beam-step", "beam-step", "end"]


def test_graphs_mixtures_models_and_the_operator(client: Client) -> None:
    assert {one["id"] for one in client.get("/api/graphs")["graphs"]} == {"karate", "cora"}
    assert client.get("/api/graphs/karate?centre=0&hops=1")["centre"] == 0
    assert client.get("/api/mixtures")["kind"] == "mixture"
    assert client.get("/api/operator?support=causal&n=4")["refused"] is None
    assert client.get("/api/operator?normalise=divide")["refused"]["what"]
    models = {one["id"]: one for one in client.get("/api/models")["models"]}
    assert models["shakespeare"]["bundled"] and models["shakespeare"]["parameters"] > 100_000
    assert "regard train" in models["shakespeare"]["made"]


@pytest.mark.parametrize(
    ("path", "status"),
    [("/api/runs/none", 404), ("/api/experiments/none", 404), ("/api/graphs/none", 404), ("/api/checks/none", 404),
     ("/api/jobs/none", 404), ("/api/graphs/karate?hops=9", 400), ("/api/operator?n=1000", 400), ("/api/operator?support=x", 400),
     ("/api/compare?first=a", 400), ("/api/compare?first=a&second=b", 404), ("/api/nothing", 404), ("/nothing.js", 404)],
)  # fmt: skip
def test_what_is_not_there_is_told_as_a_document(client: Client, path: str, status: int) -> None:
    reply = client.ask("GET", path)
    found = reply.json()
    assert (reply.status, found["kind"]) == (status, "error") and found["what"] and found["fix"]


def test_the_page_of_a_mistake_is_a_page_without_script(client: Client) -> None:
    reply = client.ask("GET", "/docs/check/causal-attention/scale-width.html")
    assert reply.status == 200 and reply.headers["content-type"].startswith("text/html")
    assert reply.headers["content-security-policy"].startswith(
        "default-src 'none'; style-src 'unsafe-inline'"
    )
    assert "script" not in Elements(reply.body.decode()).tags and b"Remedy" in reply.body
    assert client.ask("GET", "/docs/check/causal-attention.html").status == 200
    for path in ("/docs/check/none.html", "/docs/check/causal-attention/none.html"):
        refused = client.ask("GET", path)
        assert (refused.status, refused.json()["what"]) == (404, "no such contract or mistake")


def test_a_busy_lab_says_so(client: Client, running: Running, monkeypatch) -> None:
    from regard.web.worker import process

    assert running.services is not None
    monkeypatch.setattr(process, "QUEUE", 0)
    lane = running.services.worker.lanes["speak"]
    monkeypatch.setattr(lane._turn, "locked", lambda: True)
    reply = client.post("/api/generate", {"model": "shakespeare", "text": "a", "tokens": 1})
    assert (reply.status, reply.json()["what"]) == (429, "the lab is busy generating")


def test_a_reader_who_leaves_ends_the_generation(client: Client, running: Running) -> None:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", client.address.port, timeout=20)
    body = json.dumps({"model": "shakespeare", "text": "a", "tokens": 512})
    connection.request("POST", "/api/generate", body, client.good | {"content-type": "application/json"})
    connection.getresponse().read(10)
    connection.close()
    begun = time.monotonic()
    assert client.events("POST", "/api/generate", {"model": "shakespeare", "text": "a", "tokens": 1})
    assert running.services is not None and not running.services.worker.lanes["speak"]._turn.locked()
    assert time.monotonic() - begun < 20


def test_the_shipped_model_lies_in_the_bundle() -> None:
    assert (FOLDER / "models" / "shakespeare" / "model.json").is_file()
