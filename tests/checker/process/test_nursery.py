"""What is forked is what would be started anew: its folder, variables, token, output and end."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from regard.checker.process.limits import ProcessLimits, members
from regard.checker.process.nursery import Forked, Nursery, new_token
from regard.checker.process.session import INSIDE

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing can be forked")]


Fork = Callable[[Nursery, str], Forked]


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    own = Nursery(INSIDE)
    yield own
    own.close()


@pytest.fixture
def forked(tmp_path: Path) -> Iterator[Fork]:
    made: list[Forked] = []

    def fork(nursery: Nursery, token: str) -> Forked:
        found = nursery.fork(ProcessLimits(), str(tmp_path), token)
        assert found
        made.append(found)
        assert found.stdout.read(1)  # it says that it is ready: everything is in place
        return found

    yield fork
    for child in made:
        child.kill()
        for stream in (child.stdin, child.stdout, child.stderr):
            stream.close()


def test_its_token_is_in_its_environment_and_nobody_elses(nursery: Nursery, forked: Fork) -> None:
    tokens = [new_token(), new_token()]
    children = [forked(nursery, token) for token in tokens]
    assert [members(token) for token in tokens] == [[child.pid] for child in children]
    for child in children:
        child.kill()
        assert child.wait(10) == -signal.SIGKILL
    assert [members(token) for token in tokens] == [[], []]


def test_it_ends_with_its_line_and_says_how(nursery: Nursery, forked: Fork) -> None:
    child = forked(nursery, new_token())
    assert child.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.1)
    child.stdin.close()
    assert child.wait(10) == 0
    assert child.poll() == 0
    child.kill()  # what has ended is not ended again


def test_it_leads_a_session_of_its_own_and_holds_no_line_but_its_three(
    nursery: Nursery, forked: Fork
) -> None:
    forked(nursery, new_token())  # whose lines are open when the next begins
    two = forked(nursery, new_token())
    assert os.getsid(two.pid) == two.pid != os.getsid(0)
    held = {os.readlink(f"/proc/{two.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{two.pid}/fd")}
    ours = {os.readlink(f"/proc/self/fd/{stream.fileno()}") for stream in (two.stdin, two.stdout, two.stderr)}
    assert {name for name in held if not name.startswith("/dev/")} == ours


def test_a_token_of_another_length_is_left_to_a_process_of_its_own(nursery: Nursery) -> None:
    assert nursery.fork(ProcessLimits(), ".", "short") is None


def test_nothing_is_started_before_the_first_check_and_nothing_left_after_it(forked: Fork) -> None:
    own = Nursery(INSIDE)
    own.close()
    token = new_token()
    child = forked(own, token)
    own.close()
    until = time.monotonic() + 10
    child.stdin.close()
    while members(token) and time.monotonic() < until:
        time.sleep(0.05)
    assert members(token) == []
