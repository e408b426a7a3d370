"""The figures of a GPU where nothing can be installed: torch, numpy and Triton are all it needs.

python bench/gpu/_run.py                 every comparison
python bench/gpu/_run.py graphs          some of them

What it measures goes, one line of JSON for each figure, to bench/gpu/DATE.jsonl, and to the screen. A
comparison that fails leaves a line that says why, and the others go on.
"""

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "src"))


def main(words: list[str]) -> int:
    """Measure, and keep the lines; the exit status is 1 where a comparison failed or a bar was missed."""
    from regard.lab.bench import load, measure

    known, bad = load(HERE), False
    record = HERE / f"{time.strftime('%Y-%m-%d')}.jsonl"
    for name in words or known:
        began = time.perf_counter()
        try:
            lines = [asdict(one) for one in measure(known[name])]
        except Exception as error:  # a crash in one must not lose the others
            lines = [{"comparison": name, "state": "failed", "reason": f"{type(error).__name__}: {error}"}]
        took = time.perf_counter() - began
        with record.open("a", encoding="utf-8") as file:
            for line in lines:
                bad |= line["state"] == "failed"
                file.write(json.dumps({"when": time.strftime("%Y-%m-%dT%H:%M:%S"), **line}) + "\n")
                print(told(line), flush=True)
        print(f"  {name}: {took:.0f} s", flush=True)
    return int(bad)


def told(line: dict) -> str:
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
