"""The set-up: done once, noticed when interrupted, alone at its work, kind when it fails."""

import ast
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAKING, INSTALLING = "making .venv", "installing packages"

specification = spec_from_file_location("bootstrap", ROOT / "bootstrap.py")
assert specification is not None
assert specification.loader is not None
bootstrap = module_from_spec(specification)
specification.loader.exec_module(bootstrap)

PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "planted"
version = "1"
optional-dependencies = { dev = [] }
[tool.ruff]
line-length = 110
"""


class Rehearsal(bootstrap.Environment):
    """An environment whose steps are noted instead of done."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.steps: list[str] = []

    def step(self, doing: str, words: list[str]) -> None:
        self.steps.append(doing)
        self.python.parent.mkdir(parents=True, exist_ok=True)
        self.python.touch()


def steps(root: Path) -> list[str]:
    """What a set-up does now."""
    rehearsal = Rehearsal(root)
    rehearsal.set_up()
    assert rehearsal.ready()
    return rehearsal.steps


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "constraints.txt").write_text("torch==2.13.0\n", encoding="utf-8")
    return tmp_path


def test_a_set_up_is_done_once(root: Path) -> None:
    assert steps(root) == [MAKING, INSTALLING]
    assert steps(root) == []


def test_a_new_pin_is_installed_into_the_same_environment(root: Path) -> None:
    steps(root)
    (root / "constraints.txt").write_text("torch==2.14.0\n", encoding="utf-8")
    assert steps(root) == [INSTALLING]
    assert steps(root) == []


def test_a_new_dependency_is_installed_but_a_new_line_length_is_not(root: Path) -> None:
    steps(root)
    (root / "pyproject.toml").write_text(PROJECT.replace("110", "90"), encoding="utf-8")
    assert steps(root) == []
    (root / "pyproject.toml").write_text(PROJECT.replace("dev = []", 'dev = ["rich"]'), encoding="utf-8")
    assert steps(root) == [INSTALLING]


def test_another_python_or_another_place_starts_from_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps(root)
    monkeypatch.setattr(sys, "version", "3.99")
    assert steps(root) == [MAKING, INSTALLING]
    moved = root.rename(root.with_name("moved"))
    assert steps(moved) == [MAKING, INSTALLING]


@pytest.mark.parametrize("at", [MAKING, INSTALLING])
def test_an_interrupted_set_up_is_noticed_and_done_again(root: Path, at: str) -> None:
    class Interrupted(Rehearsal):
        def step(self, doing: str, words: list[str]) -> None:
            super().step(doing, words)
            (self.place / "half").touch()
            if doing == at:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Interrupted(root).set_up()
    assert steps(root) == [MAKING, INSTALLING]
    assert not (root / ".venv" / "half").exists()


def test_an_interrupted_update_is_noticed_too(root: Path) -> None:
    steps(root)
    (root / "constraints.txt").write_text("", encoding="utf-8")

    class Interrupted(Rehearsal):
        def step(self, doing: str, words: list[str]) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Interrupted(root).set_up()
    (root / "constraints.txt").write_text("torch==2.13.0\n", encoding="utf-8")
    assert steps(root) == [MAKING, INSTALLING]


def test_an_environment_that_lost_its_python_is_made_again(root: Path) -> None:
    steps(root)
    Rehearsal(root).python.unlink()
    assert steps(root) == [MAKING, INSTALLING]


def test_an_environment_made_by_somebody_else_is_left_alone(root: Path) -> None:
    (root / ".venv").mkdir()
    (root / ".venv" / "theirs").touch()
    with pytest.raises(bootstrap.Trouble) as caught:
        Rehearsal(root).set_up()
    place = root / ".venv"
    assert str(caught.value) == (
        f"the folder .venv was not made by this set-up\n  got: {place}\n  fix: move it away, then run again"
    )
    assert (root / ".venv" / "theirs").exists()


DRIVER = """
import sys, time
sys.path.insert(0, {folder!r})
from test_house import MAKING, Rehearsal
from pathlib import Path

class Slow(Rehearsal):
    def step(self, doing, words):
        time.sleep(0.3)
        super().step(doing, words)

slow = Slow(Path({root!r}))
slow.set_up()
print(len(slow.steps), slow.ready())
"""


@pytest.mark.slow
def test_two_set_ups_at_once_do_the_work_once(root: Path) -> None:
    script = DRIVER.format(folder=str(Path(__file__).parent), root=str(root))
    both = [
        subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60) for process in both]
    assert sorted(out for out, _ in said) == ["0 True\n", "2 True\n"], said
    assert sum("another set-up of this folder is under way" in err for _, err in said) == 1


ORPHAN = """
import sys
sys.path.insert(0, {folder!r})
from test_house import bootstrap
from pathlib import Path

environment = bootstrap.Environment(Path({root!r}))
with bootstrap.alone(environment.latch):
    sleep = "print('asleep', flush=True); import time; time.sleep(1.5)"
    environment.step("sleeping", [sys.executable, "-c", sleep])
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="locks are not inherited there")
def test_what_outlives_a_killed_set_up_keeps_the_lock(root: Path) -> None:
    script = ORPHAN.format(folder=str(Path(__file__).parent), root=str(root))
    killed = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
    log = root / ".venv.log"
    while not (log.exists() and log.read_text(encoding="utf-8")):
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    with open(root / ".venv.lock", "a") as file:
        assert not bootstrap.taken(file)
        start = time.monotonic()
        while not bootstrap.taken(file):
            time.sleep(0.02)
            assert time.monotonic() - start < 30


@pytest.mark.parametrize(
    ("log", "got", "fix"),
    [
        (
            "WARNING: noise\n  ERROR: No matching distribution found for torch==2.13.0\nnote: error below\n",
            "ERROR: No matching distribution found for torch==2.13.0",
            "check the network, then run the same command again; log has every word",
        ),
        (
            "Error: Command '['python', '-m', 'ensurepip']' returned non-zero exit status 1.\n",
            "Error: Command '['python', '-m', 'ensurepip']' returned non-zero exit status 1.",
            "install Python's venv module (on Debian and Ubuntu: apt install python3-venv), then run again",
        ),
        (
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n",
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
            "make room (2 GB will do), then run the same command again",
        ),
        ("killed\n", "killed", "log has every word; mend that, then run the same command again"),
        ("", "not a word of explanation", "log has every word; mend that, then run the same command again"),
    ],
    ids=["network", "venv module", "full disk", "something else", "silence"],
)
def test_a_failed_step_is_told_with_its_remedy(tmp_path: Path, log: str, got: str, fix: str) -> None:
    (tmp_path / "log").write_text(log, encoding="utf-8")
    assert bootstrap.diagnose(tmp_path / "log") == (got, fix)


def test_a_step_that_fails_is_trouble_in_three_lines(root: Path) -> None:
    with pytest.raises(bootstrap.Trouble) as caught:
        bootstrap.Environment(root).step(
            "counting", [sys.executable, "-c", "raise SystemExit('error: none')"]
        )
    fix = ".venv.log has every word; mend that, then run the same command again"
    assert str(caught.value) == f"counting failed\n  got: error: none\n  fix: {fix}"


@pytest.mark.parametrize(
    ("newest", "fix"),
    [
        ("python3.12", "make PYTHON=python3.12 test, or python3.12 bootstrap.py test"),
        (None, "install a newer one"),
    ],
)
def test_an_old_python_is_told_so(newest: str | None, fix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: name == newest or None)
    with pytest.raises(bootstrap.Trouble) as caught:
        bootstrap.require_python((3, 10, 13))
    assert str(caught.value) == f"regard needs Python 3.11 or newer\n  got: Python 3.10.13\n  fix: {fix}"
    bootstrap.require_python((3, 11, 0))


def test_an_old_python_can_read_the_file_that_tells_it_so() -> None:
    tree = ast.parse((ROOT / "bootstrap.py").read_text(encoding="utf-8"), feature_version=(3, 7))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert functions
    assert not [node.name for node in functions if node.returns or any(a.annotation for a in node.args.args)]


def test_an_unknown_command_is_told_in_three_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert bootstrap.main(["boko"]) == 2
    told = (
        "no command of that name\n  got: boko\n  fix: one of book, test, fast, proof, check, bench, serve\n"
    )
    assert capsys.readouterr().err == told


def test_a_folder_that_cannot_be_written_is_told_in_three_lines(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "ROOT", root / "not-there")
    assert bootstrap.main([]) == 2
    what, got, fix = capsys.readouterr().err.splitlines()
    assert what == "the set-up cannot write here"
    assert got.startswith("  got: [Errno 2] No such file or directory")
    assert fix == "  fix: check the rights and the room of this folder"


def test_check_runs_every_gate_and_fails_if_one_does(capsys: pytest.CaptureFixture[str]) -> None:
    class Gates:
        python = Path("python")

        def __init__(self, failing: str) -> None:
            self.failing, self.ran = failing, list[str]()

        def run(self, *words: str) -> int:
            self.ran.append(words[0])
            return int(words[0] == self.failing)

    verdicts = {"none": "all passed", "ruff": "failed at format, lint", "pyright": "failed at types"}
    for failing, verdict in verdicts.items():
        gates = Gates(failing)
        assert bootstrap.check(gates) == int(failing != "none")
        assert gates.ran == ["ruff", "ruff", "pyright", "pytest"]
        assert capsys.readouterr().err.endswith(f"check: {verdict}\n")


@pytest.mark.parametrize(
    ("tests", "records", "told"),
    [
        (0, 0, "all passed"),
        (1, 0, "failed at the tests"),
        (0, 1, "failed at the records"),
        (2, 1, "failed at the tests, the records"),
    ],
)
def test_proof_lists_the_records_whatever_the_tests_say(
    tests: int, records: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = []

    class Commands:
        def run(self, *words: str, **variables: str) -> int:
            ran.append((*words[:2], variables.get("REGARD_PROFILE")))
            return tests if words[0] == "pytest" else records

    assert bootstrap.COMMANDS["proof"](Commands()) == (tests or records)
    assert ran == [("pytest", "-q", "proof"), ("regard", "reproduce", None)]
    assert capsys.readouterr().err.endswith(f"proof: {told}\n")


def test_make_offers_every_command() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    offered = re.search(r"^(\w[\w ]+):\n\t@\$\(PYTHON\) bootstrap.py \$@", text, re.M)
    assert offered
    assert set(offered[1].split()) == set(bootstrap.COMMANDS)


def test_every_dependency_is_pinned_to_one_version() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9.]+", pin) for pin in pins)
    names = [pin.split("==")[0] for pin in pins]
    assert names == sorted(set(names))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    plain = {re.split(r"[\[<>=]", word)[0].replace("_", "-").lower() for words in lists for word in words} - {
        "regard"
    }
    assert plain <= set(names), sorted(plain - set(names))


BACKEND = """
import zipfile

def build_editable(folder, settings=None, metadata=None):
    with zipfile.ZipFile(f"{folder}/planted-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("planted.py", "ANSWER = 42")
        about = {
            "METADATA": "Metadata-Version: 2.1\\nName: planted\\nVersion: 1\\nProvides-Extra: dev\\n",
            "WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
            "RECORD": "",
        }
        for name, text in about.items():
            wheel.writestr(f"planted-1.dist-info/{name}", text)
    return "planted-1-py3-none-any.whl"
"""


@pytest.mark.slow
def test_a_bare_folder_becomes_an_environment_that_works(root: Path) -> None:
    """The whole set-up, with nothing rehearsed, of a project that needs no network."""
    (root / "backend.py").write_text(BACKEND, encoding="utf-8")
    (root / "constraints.txt").write_text("", encoding="utf-8")
    script = root / "bootstrap.py"
    script.write_text((ROOT / "bootstrap.py").read_text(encoding="utf-8"), encoding="utf-8")
    first = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    said = [re.sub(r"\d+ s$", "N s", line) for line in first.stderr.splitlines()[1:]]
    assert said == ["  making .venv: N s", "  installing packages: N s", "set up in N s"]

    python = bootstrap.Environment(root).python
    answer = subprocess.run(
        [python, "-c", "import planted; print(planted.ANSWER)"], capture_output=True, check=True
    )
    assert answer.stdout.split() == [b"42"]

    start = time.monotonic()
    again = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert (again.stdout, again.stderr) == ("", "")
    assert time.monotonic() - start < 2

    inside = subprocess.run([python, script], capture_output=True, text=True, check=True)
    assert inside.stderr == "", "the environment's own Python must not make it again"
