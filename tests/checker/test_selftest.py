"""The checker's own figures: a sample here, everything in the proof."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from regard.checker.selftest import Figures, SelftestOutcome, selftest
from regard.errors import RegardError

HERE = Path(__file__).parent
BESSEL = """
def layer_norm(x, weight, bias, eps):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt() * weight + bias
"""


def outcome(
    kind: str, *, right: bool, state: str = "mistake", expected: tuple[str, ...] = ("a",)
) -> SelftestOutcome:
    return SelftestOutcome(
        file=f"{kind}/x.py",
        kind=kind,
        expected=expected,
        named=(),
        state=state,
        right=right,
        seconds=1.0,
        first=0.5,
    )


def test_figures_count_what_they_say() -> None:
    figures = Figures([
        outcome("mutants", right=True),
        outcome("mutants", right=False),
        outcome("mutants", right=True, expected=("unknown",)),
        outcome("mutants", right=False, state="correct"),
        outcome("correct", right=True, state="correct"),
        outcome("correct", right=False),
        outcome("hostile", right=True),
    ])  # fmt: skip
    assert figures.share("mutants", "detected") == 0.75
    assert figures.share("mutants", "named") == 1 / 3
    assert figures.plain()["false_alarms"] == 1
    assert (figures.plain()["first_finding"], figures.plain()["whole_check"]) == (0.5, 1.0)
    assert Figures().plain()["whole_check"] is None
    assert list(figures.lines())[:3] == [
        "mutants   4: detected 75.0%, named 33.3%",
        "correct   2 runs of 1 files: 1 false alarms",
        "hostile   1: 1 verdicts, 0 processes left",
    ]


def test_it_tells_how_many_minutes_are_left(tmp_path: Path, monkeypatch) -> None:
    """Four files of 90 seconds each."""
    (tmp_path / "mutants").mkdir()
    for name in "abcd":
        (tmp_path / "mutants" / f"{name}.py").touch()
    module, now, told = sys.modules["regard.checker.selftest"], [1000.0], []

    def judged(tasks, jobs):
        for _ in tasks:
            now[0] += 90.0
            yield outcome("mutants", right=True), []

    monkeypatch.setattr(module, "judged", judged)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    selftest(tmp_path, tell=told.append)
    assert told == [
        f"{done} of 4 judged, about {left} min left: mutants/x.py"
        for done, left in ((1, 4), (2, 3), (3, 2), (4, 0))
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cause", "right"),
    [("bessel", True), ("bessel, eps-missing", False), ("mean-kept", False), ("unknown", True)],
)
def test_a_mutant_is_right_if_all_its_causes_are_named(cause: str, right: bool, tmp_path: Path) -> None:
    file = tmp_path / "mutants" / "one.py"
    file.parent.mkdir()
    file.write_text(f"# contract: layer-norm\n# cause: {cause}\n{BESSEL}", encoding="utf-8")
    (found,) = selftest(tmp_path).outcomes
    assert found.named == ("bessel",)
    assert found.right is right


def folder(tmp_path: Path, **files: str) -> Path:
    for name, text in files.items():
        kind, _, rest = name.partition("_")
        file = tmp_path / kind / f"{rest}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


STRAY = """# contract: layer-norm
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
"""
MUTANT = f"# contract: layer-norm\n# cause: bessel\n{BESSEL}"
ENDLESS = "# contract: layer-norm\nwhile True: pass\n"


@pytest.mark.slow
def test_several_at_once_say_what_one_after_the_other_says(tmp_path: Path) -> None:
    right = f"# contract: layer-norm\n{BESSEL.replace('keepdim=True) + eps', 'keepdim=True, unbiased=False) + eps')}"
    selves = folder(tmp_path, mutants_b=MUTANT, mutants_a=MUTANT, correct_a=right, hostile_a=STRAY)
    told: list[str] = []
    figures = selftest(selves, seeds=2, jobs=2, tell=told.append)
    assert [o.file for o in figures.outcomes] == [
        "mutants/a.py", "mutants/b.py", "correct/a.py", "correct/a.py", "hostile/a.py",
    ]  # fmt: skip
    assert all(o.right for o in figures.outcomes), "\n".join(figures.lines())
    assert figures.left == []
    assert [words.partition(",")[0] for words in told] == [f"{i} of 5 judged" for i in range(1, 6)]


@pytest.mark.slow
def test_an_interrupt_ends_everything(tmp_path: Path) -> None:
    folder(tmp_path, hostile_a=ENDLESS, hostile_b=ENDLESS, hostile_c=ENDLESS)
    command = [sys.executable, "-m", "regard", "check", "--selftest", str(tmp_path), "--jobs", "2"]
    process = subprocess.Popen(
        command,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Where the tests run in the background, Ctrl-C would be ignored, and a child inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    until, judged = time.monotonic() + 60, list[int]()
    while len(judged) < 2 and time.monotonic() < until:
        time.sleep(0.1)
        judged = alive(process.pid)
    assert len(judged) == 2
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert [pid for pid in judged if running(pid)] == []


def running(pid: int) -> bool:
    try:
        return b"REGARD_CHECK=" in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def alive(group: int) -> list[int]:
    """Processes whose own code is being judged for a self-test, by the session of those that judge."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            token = re.search(rb"REGARD_CHECK=(\d+)-", (entry / "environ").read_bytes())
            if token and os.getsid(int(token[1])) == group:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("jobs", [0, -2])
def test_no_jobs_are_told(jobs: int, tmp_path: Path) -> None:
    with pytest.raises(RegardError) as told:
        selftest(folder(tmp_path, mutants_a=MUTANT), jobs=jobs)
    assert str(told.value).splitlines()[0] == "files are judged one at a time or several at once"


def test_nothing_to_test_with_is_told(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="there is nothing to test the checker with"):
        selftest(tmp_path)


@pytest.mark.slow
def test_a_sample_is_detected_named_and_survived() -> None:
    figures = selftest(HERE, every=60, seeds=1)
    assert figures.share("mutants", "detected") >= 0.99, "\n".join(figures.lines())
    assert figures.share("mutants", "named") >= 0.95, "\n".join(figures.lines())
    assert figures.plain()["false_alarms"] == 0, "\n".join(figures.lines())
    assert figures.share("hostile", "right") == 1.0
    assert figures.left == []


@pytest.mark.proof
def test_the_figures_that_were_promised() -> None:
    figures = selftest(HERE, jobs=os.cpu_count() or 1)
    print("\n".join(figures.lines()))
    assert len(figures.of("mutants")) >= 100
    assert len({o.file for o in figures.of("correct")}) >= 40
    assert len(figures.of("hostile")) == 141
    assert figures.share("mutants", "detected") >= 0.99
    assert figures.share("mutants", "named") >= 0.95
    assert figures.plain()["false_alarms"] == 0
    assert figures.plain()["first_finding"] <= 3.0
    assert figures.plain()["whole_check"] <= 6.0
    assert figures.share("hostile", "right") == 1.0
    assert figures.left == []
