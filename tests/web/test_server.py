"""`regard serve` as a person starts it: the address, the port, the end; and what is told in three lines."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from regard.cli.main import main
from regard.errors import RegardError
from regard.web import server
from regard.web.server import listen


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_address_answers_and_ends_without_a_word_though_pages_wait(
    tmp_path: Path, end: signal.Signals
) -> None:
    words = [sys.executable, "-m", "regard", "serve", "--no-open", "--port", "0"]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        env=os.environ | {"REGARD_RUNS": str(tmp_path / "runs")},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]{20,})", line)
        assert found, line

        def asked(path: str) -> http.client.HTTPConnection:
            connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=30)
            connection.request("GET", path, headers={"authorization": f"Bearer {found[2]}"})
            return connection

        with closing(asked("/api/lab")) as connection:
            reply = connection.getresponse()
            assert reply.status == 200 and b'"chapters"' in reply.read()
        with closing(asked("/api/events")) as listening, closing(asked("/api/experiments/karate")) as waiting:
            stream = listening.getresponse()
            assert b"lab-change" in stream.readline()
            began = time.monotonic()
            process.send_signal(end)
            refused = waiting.getresponse()  # torch is being loaded still
            assert refused.status == 503 and b"has ended" in refused.read()
            assert stream.read().strip() in (b"", b": still here"), "the stream has an end"
    finally:
        process.send_signal(end)
        out, err = process.communicate(timeout=30)
    assert "Traceback" not in out + err and "Cancel" not in out + err, err
    assert time.monotonic() - began < 5
    assert not (tmp_path / "runs").exists()


def test_a_port_that_is_named_and_taken_is_told() -> None:
    first = listen(0)
    port = first.port
    with pytest.raises(RegardError) as error:
        listen(port)
    first.listening.close()
    assert str(error.value).splitlines() == [
        "this port is in use",
        f"  got: {port}",
        "  fix: --port 0 takes any that is free, or name another",
    ]


def test_the_usual_port_gives_way_to_the_next(monkeypatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(server, "PORT", taken.getsockname()[1])
        found = listen()
        assert found.port > taken.getsockname()[1]
        found.listening.close()


def test_tokens_differ_and_the_address_has_it() -> None:
    first, second = listen(0), listen(0)
    assert first.token != second.token and first.url.endswith(first.token) and len(first.token) >= 40
    first.listening.close()
    second.listening.close()


def test_without_the_extra_it_says_what_to_install(monkeypatch, capsys) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["serve"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "the lab in the browser needs an extra",
        "  got: starlette and uvicorn not installed",
        "  fix: pip install 'regard[serve]'",
    ]


def test_a_port_that_is_none_is_told(capsys) -> None:
    assert main(["serve", "--port", "70000"]) == 2
    assert "from 0 to 65,535" in capsys.readouterr().err


LOADED = """
import sys
from regard.web.server import serve
print(sorted({"torch", "matplotlib", "jinja2"} & set(sys.modules)))
"""


def test_the_server_itself_loads_no_torch() -> None:
    said = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
