"""Who is let in: every route, by every method, under every identity, against the real server."""

import http.client
import socket
from pathlib import Path

import pytest

from regard.web.gate import HEADERS, new_token
from regard.web.routes import TABLE
from serving import PLACEHOLDER, Client, Running

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PATHS = sorted({path for _, path, _ in TABLE if path != "/{path:path}"} | {"/", "/app.js"})


def identities(client: Client) -> dict[str, dict[str, str]]:
    """Who asks, as headers; the last one alone is the page of this server."""
    port, token = client.address.port, {"authorization": f"Bearer {client.address.token}"}
    ours, host = f"http://127.0.0.1:{port}", f"127.0.0.1:{port}"
    cookie = {"cookie": f"regard-{port}={client.address.token}"}
    return {
        "no token": {"origin": ours},
        "wrong token": {"origin": ours, "authorization": f"Bearer {new_token()}"},
        "empty token": {"origin": ours, "authorization": "Bearer "},
        "another server's cookie": {"origin": ours, "cookie": f"regard-{port + 1}={client.address.token}"},
        "foreign Origin": token | {"origin": "http://evil.example"},
        "foreign Origin with our cookie": cookie | {"origin": "https://evil.example"},
        "Origin of another port": token | {"origin": f"http://127.0.0.1:{port + 1}"},
        "Origin that begins like ours": token | {"origin": f"{ours}.evil.example"},
        "null Origin": token | {"origin": "null"},
        "foreign Host": token | {"host": "evil.example"},
        "rebinding Host": token | {"host": f"evil.example:{port}", "origin": f"http://evil.example:{port}"},
        "Host without the port": token | {"host": "127.0.0.1", "origin": "http://127.0.0.1"},
        "good": token | {"host": host, "origin": ours},
        "good by cookie": cookie | {"host": host, "origin": ours},
    }


def asked(client: Client, method: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str]]:
    """Status and headers of an answer; a stream is not read to its end."""
    connection = http.client.HTTPConnection("127.0.0.1", client.address.port, timeout=30)
    try:
        body = b"{}" if method in ("POST", "PUT", "PATCH") else None
        kind = {"content-type": "application/json"} if body else {}
        connection.request(method, path, body, headers | kind)
        reply = connection.getresponse()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}
    finally:
        connection.close()


def concrete(path: str, run: str) -> str:
    """A path of the table with a run and an experiment that are there."""
    if "experiments" in path:
        return path.replace("{name}", "karate")
    return path.replace("{id}", run).replace("{number:int}", "0")


@pytest.mark.slow
def test_only_the_allowed_cells_of_route_method_and_identity_are_answered(client: Client) -> None:
    run = client.get("/api/runs")["runs"][0]["id"]
    client.get("/api/experiments/karate")  # the worker has started
    answered, cells = set(), 0
    for path in PATHS:
        registered = {one for one, known, _ in TABLE if known == path} or {"GET"}
        for method in METHODS:
            fits = method in registered or (method == "HEAD" and "GET" in registered)
            for who, headers in identities(client).items():
                status, given = asked(client, method, concrete(path, run), headers)
                cell, cells = (path, method, who, status), cells + 1
                assert given["content-security-policy"].startswith("default-src 'none'"), cell
                assert not [name for name in given if name.startswith("access-control")], cell
                if not who.startswith("good"):
                    assert status in (401, 403, 405), cell
                elif fits:  # let in; what it brings may still be no request, or name what is not there
                    assert status not in (401, 403, 405) and (status < 500 or path == "/"), cell
                else:
                    assert status in (404, 405), cell
                if status < 300:
                    answered.add((path, method, who))
    assert cells > 2000
    assert {who for _, _, who in answered} == {"good", "good by cookie"}
    pages = {path for path, method, _ in answered if method == "GET"}
    assert pages >= {"/", "/app.js", "/api/lab", "/api/runs", "/api/runs/{id}", "/api/runs/{id}/share.html",
                     "/api/experiments/{name}", "/api/models", "/api/operator", "/api/events", "/api/checks",
                     "/api/runs/{id}/events"}  # fmt: skip


def test_without_an_origin_one_may_read_and_nothing_else(client: Client) -> None:
    token = {"authorization": f"Bearer {client.address.token}"}
    assert asked(client, "GET", "/api/runs", token)[0] == 200
    assert asked(client, "POST", "/api/jobs", token)[0] == 403


def test_the_token_moves_from_the_address_into_a_cookie(client: Client) -> None:
    reply = client.ask("GET", f"/?token={client.address.token}", headers={})
    assert (reply.status, reply.headers["location"]) == (303, "/")
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/" in cookie
    page = client.ask("GET", "/", headers={"cookie": cookie.partition(";")[0]})
    assert (page.status, page.body.decode()) == (200, PLACEHOLDER)
    assert client.ask("GET", "/?token=wrong", headers={}).status == 401
    assert client.ask("GET", f"/api/lab?token={client.address.token}", headers={}).status == 401


def test_a_person_without_the_token_is_told_in_three_lines(client: Client) -> None:
    reply = client.ask("GET", "/", headers={})
    assert reply.headers["content-type"].startswith("text/plain")
    assert reply.body.decode().splitlines() == [
        "this address needs its token",
        "  got: no token, or another server's",
        "  fix: open the whole address that regard serve printed",
    ]


def test_every_answer_has_the_headers(client: Client) -> None:
    for path, headers in (
        ("/", None),
        ("/api/lab", None),
        ("/nowhere", None),
        ("/", {}),
        ("/api/runs/none", None),
    ):
        given = client.ask("GET", path, headers=headers).headers
        assert {name: given.get(name) for name in HEADERS} | {"cache-control": ""} == HEADERS | {
            "cache-control": ""
        }


@pytest.mark.parametrize(
    "path",
    ["/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "//etc/passwd", "/app.js/../../secret.txt",
     "/..\\secret.txt", "/app.js%00", "/index.html", "/C:/secret.txt"],
)  # fmt: skip
def test_no_path_reaches_the_disk(client: Client, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", client.address.port, timeout=30)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in {**client.good, "host": f"127.0.0.1:{client.address.port}"}.items():
        connection.putheader(name, value)
    connection.endheaders()
    reply = connection.getresponse()
    body = reply.read()
    connection.close()
    assert reply.status in (400, 404) and b"not to be served" not in body


def test_it_listens_on_this_machine_alone(running: Running) -> None:
    assert running.address.listening.getsockname()[0] == "127.0.0.1"


def test_a_websocket_is_not_opened(client: Client) -> None:
    headers = client.good | {
        "connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    }  # fmt: skip
    assert asked(client, "GET", "/api/events/none", headers)[0] != 101


def test_two_hosts_in_one_request_are_refused(client: Client) -> None:
    port = client.address.port
    lines = ["GET /api/lab HTTP/1.1", f"Host: 127.0.0.1:{port}", "Host: evil.example", "Connection: close",
             f"Authorization: Bearer {client.address.token}", "", ""]  # fmt: skip
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall("\r\n".join(lines).encode())
        assert connection.recv(4096).split()[1] in (b"400", b"403")


def test_static_files_are_a_table(running: Running, tmp_path: Path) -> None:
    assert running.services is not None
    assert set(running.services.files) == {"/", "/app.js"}
