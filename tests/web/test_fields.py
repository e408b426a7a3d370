"""Fields of a request: every number has its bounds, every text its length, every body its size."""

import json

import pytest

from regard.web.fields import BODY, Fields, checked_id
from regard.web.refusal import Refusal


@pytest.mark.parametrize("value", [0, 513, 1.5, True, "5x", "1e2", [], float("nan"), 10**400, -1])
def test_a_whole_number_out_of_bounds_is_refused(value: object) -> None:
    with pytest.raises(Refusal) as error:
        Fields({"tokens": value}).whole("tokens", 1, 512)
    assert error.value.status == 400 and error.value.fix == "give a whole number from 1 to 512"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, "1", None, 5.01, 0.01, []])
def test_a_number_out_of_bounds_is_refused(value: object) -> None:
    with pytest.raises(Refusal):
        Fields({"t": value}).number("t", 0.05, 5.0)


def test_what_is_within_passes_and_what_is_missing_has_its_default() -> None:
    asked = Fields({"n": "12", "t": 1, "text": "so", "kind": "a"})
    assert (asked.whole("n", 1, 20), asked.number("t", 0, 2), asked.text("text", 2)) == (12, 1.0, "so")
    assert asked.choice("kind", ("a", "b")) == "a" and asked.whole("other", 1, 2, None) is None
    asked.end()


def test_odd_texts_choices_and_names_are_refused() -> None:
    for take in (
        lambda: Fields({"a": "xyz"}).text("a", 2),
        lambda: Fields({"a": 3}).text("a", 2),
        lambda: Fields({"a": "c"}).choice("a", ("a", "b")),
        lambda: Fields({"a": []}).choice("a", ("a", "b")),
        lambda: Fields({"a": 1}).end(),
        lambda: Fields({}).take("a"),
    ):
        with pytest.raises(Refusal):
            take()


@pytest.mark.parametrize(
    "id",
    ["", "..", "../a", "a/b", "a\\b", ".hidden", "a b", "a\n", "é", "x" * 129, 3, None, "%2e", "a;b", "-a"],
)
def test_what_is_no_id_is_refused(id: object) -> None:
    with pytest.raises(Refusal):
        checked_id(id)


def test_ids_of_runs_and_models_pass() -> None:
    for id in ("karate-quick-20261118-021326560-e4e78a", "shakespeare", "My_run.2~model"):
        assert checked_id(id) == id


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"x" * (BODY + 1), 413), (b"[" * 60_000, 400), (b"nonsense", 400), (b"[1]", 400), (b"", 400),
        (b'{"model": NaN}', 400), (b'{"a": ' + b"9" * 5000 + b"}", 400), (b"\xff\xfe", 400), (b'{"model": "x"}', 404),
    ],
)  # fmt: skip
def test_bodies_that_are_no_request(client, body: bytes, status: int) -> None:
    reply = client.ask("POST", "/api/next", body)
    assert (reply.status, reply.json()["kind"]) == (status, "error")


def test_a_body_that_hides_its_size_is_counted(client) -> None:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", client.address.port, timeout=30)
    parts = (b'{"a": "' if not n else b"x" * 8192 for n in range(20))
    headers = client.good | {"content-type": "application/json"}
    try:
        connection.request("POST", "/api/next", parts, headers, encode_chunked=True)
        status = connection.getresponse().status
    except (BrokenPipeError, ConnectionResetError):  # the server has heard enough
        status = 413
    finally:
        connection.close()
    assert status == 413


def test_another_kind_of_body_and_a_field_that_comes_twice_are_refused(client) -> None:
    form = client.good | {"content-type": "application/x-www-form-urlencoded"}
    assert client.ask("POST", "/api/jobs", b"experiment=karate", form).status == 415
    assert (
        client.ask(
            "POST", "/api/jobs", json.dumps({}).encode(), client.good | {"content-type": "text/plain"}
        ).status
        == 415
    )
    assert client.ask("GET", "/api/runs?limit=1&limit=2").status == 400
    assert client.ask("GET", "/api/runs?limit=100000").status == 400
    assert client.ask("GET", "/api/runs?nonsense=1").status == 400
