"""Set up .venv once, then run one of the project's commands in it.

python bootstrap.py book     the lab book, book/index.html
python bootstrap.py test     every test (fast: the engine and the house, in 30 s)
python bootstrap.py proof    every test at full size, and which recorded runs are to be renewed
python bootstrap.py check    format, lint, types, the import rule
python bootstrap.py bench    ratios to peers
python bootstrap.py serve    the lab in the browser
python bootstrap.py          set up and stop

It needs Python and nothing else. Words after the command are handed on to it. Old Pythons must be able to
read this file in order to be told that they are too old: nothing in it is newer than Python 3.6 until then.
"""

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

OLDEST = (3, 11)
ROOT = Path(__file__).resolve().parent
WINDOWS = os.name == "nt"


class Trouble(Exception):
    """What is wrong, what was got, how to mend it."""

    def __init__(self, what, got, fix):
        super().__init__(f"{what}\n  got: {got}\n  fix: {fix}")


class Environment:
    """A virtual environment beside the source, with a note in it that says what it was made from.

    The note is written last and taken away first: an environment without it is unfinished, and is made again.
    """

    def __init__(self, root):
        self.root = root
        self.place = root / ".venv"
        self.note = self.place / "made-from.txt"
        self.latch = root / ".venv.lock"
        self.log = root / ".venv.log"
        self.programs = self.place / ("Scripts" if WINDOWS else "bin")
        self.python = self.programs / ("python.exe" if WINDOWS else "python")

    def soil(self):
        """What cannot change under an environment: the interpreter and the place."""
        return digest(sys.version, sys.base_prefix, str(self.root))

    def plan(self):
        """What is to be installed. The settings of tools live in the same file and are no part of it."""
        import tomllib

        project = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))
        pins = (self.root / "constraints.txt").read_text(encoding="utf-8")
        return digest(repr(project["project"]), repr(project["build-system"]), pins)

    def made_from(self):
        """Soil and plan as noted; nothing where no finished environment is."""
        if not (self.note.exists() and self.python.exists()):
            return []
        return self.note.read_text(encoding="utf-8").split()

    def ready(self):
        """Whether nothing changed since the environment was made."""
        return self.made_from() == [self.soil(), self.plan()]

    def set_up(self):
        """Make the environment, or leave it as it is when nothing changed."""
        if self.ready():
            return
        if self.place.exists() and not self.latch.exists():
            raise Trouble(
                "the folder .venv was not made by this set-up", self.place, "move it away, then run again"
            )
        with alone(self.latch):
            if not self.ready():
                self.make()

    def make(self):
        """Make the environment: from nothing, unless only the plan changed."""
        start = time.monotonic()
        if self.made_from()[:1] == [self.soil()]:
            say("what is to be installed has changed: bringing .venv up to date")
            self.note.unlink()
        else:
            say("setting up .venv with Python {}.{} (once; some minutes)".format(*sys.version_info))
            self.clear()
            # Inside an environment `sys.executable` may be the very one that is being replaced.
            python = getattr(sys, "_base_executable", sys.executable)
            self.step("making .venv", [python, "-m", "venv", str(self.place)])
        pip = [str(self.python), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
        self.step("installing packages", [*pip, "-e", ".[dev]"])
        self.note.write_text(f"{self.soil()}\n{self.plan()}\n", encoding="utf-8")
        say(f"set up in {time.monotonic() - start:.0f} s")

    def clear(self):
        """Move what is there away in one step, so that nothing half removed stays in its place."""
        old = self.root / ".venv.old"
        shutil.rmtree(str(old), ignore_errors=True)
        if self.place.exists():
            self.place.rename(old)
            shutil.rmtree(str(old), ignore_errors=True)

    def step(self, doing, words):
        """Run one step of the set-up: all it says goes to the log, its last complaint to the person."""
        start = time.monotonic()
        # As variables the pins also hold for what pip builds with: one name for old pips, two for new ones.
        pins = {"PIP_CONSTRAINT": "constraints.txt", "PIP_BUILD_CONSTRAINT": "constraints.txt"}
        variables = dict(os.environ, PIP_USER="0", PYTHONNOUSERSITE="1", **pins)
        with open(str(self.log), "w", encoding="utf-8") as log:
            # The lock is inherited: a step that outlives a killed set-up keeps the next one waiting.
            process = subprocess.Popen(
                words, cwd=str(self.root), env=variables, stdout=log, stderr=log, close_fds=False
            )
            try:
                while process.poll() is None:
                    progress(f"  {doing} ... {time.monotonic() - start:.0f} s")
                    time.sleep(0.1)
            except KeyboardInterrupt:
                process.terminate()
                process.wait()
                raise
            finally:
                progress("")
        if process.returncode:
            raise Trouble(f"{doing} failed", *diagnose(self.log))
        say(f"  {doing}: {time.monotonic() - start:.0f} s")

    def run(self, *words, **variables):
        """Run a program of the environment; give its exit status."""
        program = shutil.which(words[0], path=str(self.programs))
        if program is None:
            raise Trouble(
                "a program is missing from .venv", words[0], "remove .venv, then run the same command again"
            )
        path = str(self.programs) + os.pathsep + os.environ.get("PATH", "")
        variables = dict(os.environ, VIRTUAL_ENV=str(self.place), PATH=path, **variables)
        process = subprocess.Popen([program, *words[1:]], cwd=str(self.root), env=variables)
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:  # the program heard it too, and has its own rule for it
                continue


def digest(*words):
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


def say(line):
    print(line, file=sys.stderr, flush=True)


def progress(line):
    """One line that is written over, where somebody watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def diagnose(log):
    """What a log complains of last, and what to do about it."""
    text = log.read_text(encoding="utf-8", errors="replace")
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    errors = errors or [line for line in lines if "error" in line.lower()]
    got, text = (errors or lines or ["not a word of explanation"])[-1][:300], text.lower()
    if "ensurepip" in text:
        return (
            got,
            "install Python's venv module (on Debian and Ubuntu: apt install python3-venv), then run again",
        )
    if "no space left" in text:
        return got, "make room (2 GB will do), then run the same command again"
    if "connection" in text or "no matching distribution" in text:
        return got, f"check the network, then run the same command again; {log.name} has every word"
    return got, f"{log.name} has every word; mend that, then run the same command again"


@contextmanager
def alone(path):
    """Hold the lock at `path`, which the system frees when its last holder ends, however it ends."""
    with open(str(path), "a") as file:
        os.set_inheritable(file.fileno(), True)
        if not taken(file):
            say("another set-up of this folder is under way: waiting for it")
            while not taken(file):
                time.sleep(0.1)
        yield


def taken(file):
    """Whether the lock on an open file is ours now. A file system without locks cannot refuse it."""
    try:
        if WINDOWS:
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # pyright: ignore
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as refusal:
        return refusal.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
    return True


def require_python(version):
    if tuple(version[:2]) < OLDEST:
        newer = [name for name in ("python3.13", "python3.12", "python3.11") if shutil.which(name)]
        fix = (
            f"make PYTHON={newer[0]} test, or {newer[0]} bootstrap.py test"
            if newer
            else "install a newer one"
        )
        what = f"regard needs Python {OLDEST[0]}.{OLDEST[1]} or newer"
        raise Trouble(what, "Python {}.{}.{}".format(*version[:3]), fix)


def pytest(environment, *words, profile="test", seconds=300):
    """Run the tests on every core, with one thread each: more would fight over the same cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
    runner = ["pytest", "-q", "-n", str(min(cores, 8)), "--timeout", str(seconds)]
    return environment.run(*runner, *words, OMP_NUM_THREADS="1", REGARD_PROFILE=profile)


def proof(environment, *words):
    """Run the tests at full size, then list the records: where code has changed, one is to be renewed."""
    tests = pytest(environment, "-m", "", *words, profile="proof", seconds=7200)
    say("proof: the recorded runs")
    records = environment.run("regard", "reproduce")
    failed = [name for name, status in (("the tests", tests), ("the records", records)) if status]
    say(f"proof: failed at {', '.join(failed)}" if failed else "proof: all passed")
    return tests or records


def check(environment, *words):
    """Run every gate, also after one failed: a person wants the whole list."""
    if words:
        raise Trouble("check takes no words", " ".join(words), "run check alone")
    gates = {
        "format": ("ruff", "format", "--check", "--output-format", "concise"),
        "lint": ("ruff", "check", "--output-format", "concise"),
        "types": ("pyright", "--pythonpath", str(environment.python)),
        "import rule": ("pytest", "-q", "tests/test_layers.py"),
    }
    failed = []
    for name, gate in gates.items():
        say(f"check: {name}")
        if environment.run(*gate):
            failed.append(name)
    say(f"check: failed at {', '.join(failed)}" if failed else "check: all passed")
    return int(bool(failed))


ENGINE = tuple(
    f"tests/{name}"
    for name in ("core", "training", "generation", "models/gpt", "test_layers.py", "test_mirror.py")
)

COMMANDS = {
    "book": lambda environment, *words: environment.run("regard", "book", *words),
    "test": pytest,
    "fast": lambda environment, *words: pytest(
        environment, "-m", "not slow and not proof", *(words or ENGINE)
    ),
    "proof": proof,
    "check": check,
    "bench": lambda environment, *words: environment.run("regard", "bench", *words),
    "serve": lambda environment, *words: environment.run("regard", "serve", *words),
}


def main(words):
    try:
        require_python(sys.version_info)
        if words and words[0] not in COMMANDS:
            raise Trouble("no command of that name", words[0], f"one of {', '.join(COMMANDS)}")
        environment = Environment(ROOT)
        environment.set_up()
        return COMMANDS[words[0]](environment, *words[1:]) if words else 0
    except Trouble as trouble:
        say(str(trouble))
        return 2
    except OSError as refusal:
        say(
            str(
                Trouble(
                    "the set-up cannot write here", refusal, "check the rights and the room of this folder"
                )
            )
        )
        return 2
    except KeyboardInterrupt:
        say("\nstopped; the same command sets up again")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
