"""Makes the bundle anew, all of it or some parts: `python -m regard.web.recording.record karate runs`.

All of it takes about fifteen minutes of one core, and the data of its trainings.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from regard.errors import RegardError, nearest
from regard.files import write
from regard.lab import registry
from regard.lab.documents.plain import plain
from regard.lab.runner import run
from regard.lab.store.run import ASKED, LOCK, REPORT, REQUEST, Run
from regard.lab.store.runs import RUNS, Store
from regard.web.bundle import FOLDER
from regard.web.recording.graphs import record_cora, record_karate
from regard.web.recording.mixtures import record_mixtures
from regard.web.recording.models import MINUTES, SHAPE, record_text, record_vision

PRESETS = ("scaled-dot-product", "one-operator", "linear-attention", "karate", "theory-dot-product")
"Experiments whose quick preset is run and kept."
LARGEST = 150_000
"Bytes of a figure that is kept; the report of such a run says where a larger one is missing."


def record(parts: Sequence[str], folder: Path = FOLDER) -> None:
    """Make these parts of the bundle anew."""
    for name in parts:
        if name not in PARTS:
            raise RegardError("no such part", repr(name), nearest(name, PARTS, f"one of {', '.join(PARTS)}"))
    folder.mkdir(parents=True, exist_ok=True)
    for name in parts:
        print(f"recording {name}", flush=True)
        PARTS[name](folder)


def _document(name: str, make: Callable[[], dict[str, Any]]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        content = json.dumps(plain(make()), separators=(",", ":"), ensure_ascii=False)
        (folder / f"{name}.json").write_text(content, encoding="utf-8")

    return write


def _about(folder: Path, name: str, about: dict[str, Any]) -> None:
    """Note what a model is and how it was made."""
    file = folder / "models.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    file.write_text(json.dumps(plain(known | {name: about}), indent=1) + "\n", encoding="utf-8")


def _text(folder: Path) -> None:
    """Train as a person would, by the command."""
    sets = [word for name, value in SHAPE.items() for word in ("--set", f"{name}={value}")]
    with tempfile.TemporaryDirectory() as place:
        words = ["train", "tinyshakespeare", "--minutes", str(MINUTES), *sets, "--json"]
        _regard(words, Path(place))
        (trained,) = Store(Path(place)).runs()
        _about(folder, "shakespeare", record_text(trained, folder / "models" / "shakespeare"))


def _regard(words: list[str], runs: Path) -> None:
    subprocess.run([sys.executable, "-m", "regard", *words], env=os.environ | {RUNS: str(runs)}, check=True)


def _vision(folder: Path) -> None:
    _about(folder, "digits", record_vision(folder / "models" / "digits"))


def _runs(folder: Path) -> None:
    """Quick presets, each in a folder as every run has one, without its report, which is made when asked."""
    shutil.rmtree(folder / "runs", ignore_errors=True)
    store = Store(folder / "runs")
    for name in PRESETS:
        experiment, source = registry.find(name)
        settings = experiment.presets["quick"]
        keep(run(experiment, settings, store, source=source, preset="quick"))


def keep(done: Run) -> None:
    """Leave of a run what is shipped, and nothing of the machine's folders."""
    source = Path(done.request["source"])
    inside = source.relative_to(FOLDER.parents[2]).as_posix() if source.is_absolute() else str(source)
    write(done.path / REQUEST, ASKED.page(done.request | {"source": inside, "process": None}))
    for name in (REPORT, LOCK):
        (done.path / name).unlink(missing_ok=True)
    for file in (done.path / "figures").glob("*.svg"):
        if file.stat().st_size > LARGEST:
            file.unlink()


PARTS: dict[str, Callable[[Path], None]] = {
    "text-model": _text,
    "vision-model": _vision,
    "karate": _document("karate", record_karate),
    "cora": _document("cora", record_cora),
    "mixtures": _document("mixtures", record_mixtures),
    "runs": _runs,
}
"What there is to record."


if __name__ == "__main__":
    record(sys.argv[1:] or list(PARTS))
