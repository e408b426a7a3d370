"""The figures of a GPU where nothing can be installed: torch, numpy and Triton are all it needs.

python bench/gpu/_run.py                 every comparison
python bench/gpu/_run.py graphs          some of them

What it measures goes, one line of JSON for each figure, to bench/gpu/DATE.jsonl, and to the screen. A
comparison that fails leaves a line that says why, and the others go on. Where there is no GPU, or no
comparison of that name, nothing is measured and nothing written.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "src"))


def main(words: list[str]) -> int:
    """Measure, and keep the lines; the exit status is 1 where a comparison failed or a bar was missed."""
    from regard.errors import RegardError
    from regard.lab.bench import load, measure

    if {"-h", "--help"} & set(words):
        print(__doc__)
        return 0
    known, bad = load(HERE), False
    try:
        require(words, known)
    except RegardError as error:
        print(error, file=sys.stderr)
        return 2
    record = HERE / f"{time.strftime('%Y-%m-%d')}.jsonl"
    for name in words or known:
        began = time.perf_counter()
        try:
            lines = [asdict(one) for one in measure(known[name])]
        except Exception as error:  # a crash in one must not lose the others
            lines = [{"comparison": name, "state": "failed", "reason": f"{type(error).__name__}: {error}"}]
        took, head = time.perf_counter() - began, {"when": time.strftime("%Y-%m-%dT%H:%M:%S"), **origin(name)}
        with record.open("a", encoding="utf-8") as file:
            for line in lines:
                bad |= line["state"] == "failed"
                file.write(json.dumps(head | line) + "\n")
                print(told(line), flush=True)
        print(f"  {name}: {took:.0f} s", flush=True)
    return int(bad)


def require(words: Iterable[str], known: Iterable[str]) -> None:
    """Refuse names that no comparison has, and a machine without a GPU."""
    import torch

    from regard.errors import RegardError

    unknown = [word for word in words if word not in known]
    if unknown:
        raise RegardError(
            "no comparison of that name", f"'{unknown[0]}'", f"name some of: {', '.join(known)}"
        )
    if not torch.cuda.is_available():
        raise RegardError(
            "these comparisons need a GPU",
            "torch finds none",
            "run them where one is, or 'regard bench' here",
        )


def origin(name: str) -> dict[str, Any]:
    """The code that a figure is of: the commit, where git knows it, and a hash of its files."""
    import regard

    words = ["git", "-C", str(HERE), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        commit = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        commit = ""
    package = Path(str(regard.__file__)).parent
    files = [
        HERE / f"{name.replace('-', '_')}.py",
        *sorted(package.rglob("*.py")),
        *sorted(package.rglob("*.cpp")),
    ]
    digests = (f"{file.name} {sha256(file.read_bytes()).hexdigest()}" for file in files)
    return {"commit": commit, "code": sha256("\n".join(digests).encode()).hexdigest()[:16]}


def told(line: dict[str, Any]) -> str:
    """One figure in a line."""
    value = line.get("value")
    if value is None:
        return f"{line['comparison']} {line.get('name', '')}: {line['state']}: {line['reason']}"
    far = f", {line['distance']:.2f} times its floor" if line["distance"] else ""
    figure = f"{value['median']:.5g} [{value['low']:.5g}, {value['high']:.5g}] {value['unit']}"
    state = f"({line['bar']}: {line['state']}) {line['reason']}"
    return f"{line['comparison']} {line['name']}: {figure}{far} {state}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
