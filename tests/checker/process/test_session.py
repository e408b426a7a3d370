"""The child answers, is watched, and is ended with everything it started."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from regard.checker.process import nursery
from regard.checker.process.limits import ProcessLimits, members
from regard.checker.process.session import INSIDE, Lost, Raised, Session
from regard.checker.reading.source import Source
from regard.checker.target import refused

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups and /proc")
QUICK = ProcessLimits(load=5.0, call=2.0, whole=600.0, memory=1 << 30)

CODE = """
import ctypes, os, signal, sys, subprocess, time
import torch

def double(x): return 2 * x
def loop(x):
    while True: pass
def crash(x): ctypes.string_at(0)
def leave(x): os._exit(7)
def polite(x): sys.exit(3)
def grow(x):
    kept = []
    while True: kept.append(torch.ones(20_000_000))
def huge(x): return torch.ones(4_000_000_000)
def fork(x):
    os.fork()
    return x + 1
def stray(x):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    return x
def bomb(x):
    while True: subprocess.Popen(["sleep", "600"])
def shout(x):
    for _ in range(2000): print("a" * 4096)
    return x
def secret(x): return torch.tensor(float("REGARD_SECRET" in os.environ))
def big(x): return torch.zeros(20_000_000)
def fill(x):
    with open("junk", "wb") as file:
        while True: file.write(bytes(1 << 20))
def where(x): return os.getcwd()
def patched(x):
    torch.Tensor.detach = None
    torch.from_numpy = None
    return x
def jam(x):
    os.write(3, b"x" * 100) if False else None
    for fd in range(3, 60):
        try: os.write(fd, b"junk" * 50)
        except OSError: pass
    return x
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory, each_way: str):
    file = tmp_path_factory.mktemp("person") / "mine.py"
    file.write_text(CODE, encoding="utf-8")
    os.environ["REGARD_SECRET"] = "1"
    with Session(QUICK) as session:
        session.ask("load", str(file))
        yield session
    del os.environ["REGARD_SECRET"]


def call(session: Session, name: str, number: int = 1):
    session.ask("make", name, number, [], {})
    return session.ask("call", number, [np.arange(3.0)], named={}, method="", kind="float64", seed=0)[
        "answer"
    ]


def test_an_answer_comes_back_as_an_array(session: Session) -> None:
    assert call(session, "double").tolist() == [0.0, 2.0, 4.0]


def test_an_exception_comes_back_with_the_persons_line(session: Session) -> None:
    with pytest.raises(Raised) as caught:
        call(session, "polite")
    assert caught.value.kind == "SystemExit"
    assert caught.value.text == "def polite(x): sys.exit(3)"


ONCE = """
import os
def unlucky(x):
    if not os.path.exists({mark!r}):
        open({mark!r}, "w").close()
        os._exit(1)
    return 2 * x
def leave(x): os._exit(7)
"""


@pytest.mark.slow
def test_what_is_lost_once_is_asked_again_before_anybody_is_blamed(tmp_path: Path, each_way: str) -> None:
    file = tmp_path / "once.py"
    file.write_text(ONCE.format(mark=str(tmp_path / "mark")), encoding="utf-8")
    with Session(QUICK) as session:
        session.ask("load", str(file))
        assert call(session, "unlucky").tolist() == [0.0, 2.0, 4.0]
        assert session.restarts == 1
        with pytest.raises(Lost, match="status 7"):
            call(session, "leave")
        assert session.restarts == 1


STARTER = """#!/bin/sh
if [ ! -e {mark} ]; then touch {mark} 2>/dev/null; echo "no room left" >&2; exit 1; fi
exec {python} "$@"
"""


@pytest.mark.slow
@pytest.mark.parametrize("lucky", [True, False])
def test_a_process_that_cannot_start_is_not_the_codes_fault(lucky: bool, tmp_path: Path, monkeypatch) -> None:
    file, starter = tmp_path / "mine.py", tmp_path / "python"
    file.write_text("def double(x): return 2 * x", encoding="utf-8")
    mark = tmp_path / "mark" if lucky else tmp_path / "no folder" / "mark"
    starter.write_text(STARTER.format(mark=f"'{mark}'", python=sys.executable), encoding="utf-8")
    starter.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(starter))
    monkeypatch.setattr(nursery, "_opened", [])
    with Session(QUICK) as session:
        if lucky:
            assert session.ask("load", str(file))["members"][0]["name"] == "double"
            return
        with pytest.raises(Lost) as caught:
            session.ask("load", str(file))
    assert caught.value.slug == "not-started"
    wanted = "its process ended itself with status 1 before your file was looked at: no room left"
    assert caught.value.sentence == wanted
    verdict = refused(caught.value, "mine.py", Source(""))
    assert verdict.state == "undecided"


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("loop", "too-slow"),
        ("crash", "crashed"),
        ("leave", "exited"),
        ("bomb", "too-many-processes"),
        ("jam", "broken-answer"),
    ],
)
@pytest.mark.slow
def test_what_is_fatal_is_told_and_the_next_call_works(session: Session, name: str, slug: str) -> None:
    child = session.child
    start = time.monotonic()
    session.restarts = 0
    with pytest.raises(Lost) as caught:
        call(session, name)
    assert caught.value.slug == slug
    assert time.monotonic() - start < QUICK.call + 20
    assert child
    assert members(child.token) == []
    assert call(session, "double", 2).tolist() == [0.0, 2.0, 4.0]


@pytest.mark.slow
def test_too_much_memory_is_an_exception_or_a_loss(session: Session, monkeypatch) -> None:
    session.restarts = 0
    # On a busy machine memory fills slowly.
    monkeypatch.setattr(session, "limits", replace(session.limits, call=60.0))
    for name in ("grow", "huge"):
        with pytest.raises((Lost, Raised)) as caught:
            call(session, name)
        assert getattr(caught.value, "slug", "too-much-memory") == "too-much-memory"


def test_a_fork_answers_once(session: Session) -> None:
    assert call(session, "fork").tolist() == [1.0, 2.0, 3.0]
    assert call(session, "double", 2).tolist() == [0.0, 2.0, 4.0]


@pytest.mark.slow
def test_a_stray_process_is_ended_with_the_rest(tmp_path: Path, each_way: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(CODE, encoding="utf-8")
    with Session(QUICK) as session:
        session.ask("load", str(file))
        call(session, "stray")
        child = session.child
        assert child
        until = time.monotonic() + 10  # a process that has just begun has no environment yet
        while len(members(child.token)) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        assert len(members(child.token)) == 2
    assert members(child.token) == []
    assert not Path(child.folder).exists()


def test_what_is_printed_is_kept_up_to_a_limit(session: Session) -> None:
    assert call(session, "shout").tolist() == [0.0, 1.0, 2.0]
    assert session.child
    assert 0 < len(session.child.said) <= QUICK.output


def test_nothing_secret_is_inherited(session: Session) -> None:
    assert call(session, "secret") == 0.0


def test_an_answer_too_large_is_refused_by_the_child(session: Session) -> None:
    with pytest.raises(Raised, match="Unsendable"):
        call(session, "big")


def test_a_file_has_a_largest_size(session: Session) -> None:
    with pytest.raises((Raised, Lost)):
        call(session, "fill")


@pytest.mark.slow
def test_words_are_named_not_sent(session: Session) -> None:
    assert call(session, "where") == {"other": "str"}


@pytest.mark.slow
def test_a_patched_torch_does_not_reach_the_checker(session: Session) -> None:
    assert call(session, "patched").tolist() == [0.0, 1.0, 2.0]


FORGER = """
import os, struct
word = b'{"value": {"result": {"members": [{"name": "forged"}]}}, "arrays": []}'
for descriptor in range(3, 12):
    try:
        os.write(descriptor, struct.pack(">II", len(word), 0) + word)
    except OSError:
        pass
"""


@pytest.mark.slow
def test_an_answer_that_somebody_else_wrote_is_none(tmp_path: Path, each_way: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(FORGER, encoding="utf-8")
    with Session(QUICK) as session, pytest.raises(Lost) as caught:
        session.ask("load", str(file))
    assert caught.value.slug == "broken-answer"


@pytest.mark.slow
def test_where_the_nursery_is_gone_a_process_is_started_anew(tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "mine.py"
    file.write_text(CODE, encoding="utf-8")
    own = nursery.Nursery(INSIDE)
    monkeypatch.setattr(nursery, "_opened", [own])
    kinds = []
    for _ in range(2):
        with Session(QUICK) as session:
            session.ask("load", str(file))
            assert call(session, "double").tolist() == [0.0, 2.0, 4.0]
            assert session.child
            kinds.append(type(session.child.process))
        assert own._process
        own._process.kill()
        own._process.wait()
    own.close()
    assert kinds == [nursery.Forked, subprocess.Popen]
