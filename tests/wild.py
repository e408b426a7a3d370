"""The checker among files as people have them: `python tests/wild.py FOLDER` judges the rows of checker/wild/rows.json.

FOLDER holds clones by their name with a plus (`karpathy+nanoGPT`) or its second half (`nanoGPT`). What stands in them
is never committed here. `--set second` judges the set that was taken by the rule in checker/wild/rule.md, `--set third`
the one by rule-3.md, `--set fourth` the one by rule-4.md, `--set fifth` the one by rule-5.md, `--set sixth` the one
by rule-6.md, `--set seventh` the one by rule-7.md.
"""

import argparse
import ast
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "checker" / "wild"


def rows(name: str = "rows") -> list[dict[str, Any]]:
    """What is tried: repository, target, contract, what is true of it."""
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def cloned(row: dict[str, Any], folder: Path) -> Path:
    """Where the repository of a row lies."""
    whole = folder / row["repository"].replace("/", "+")
    return whole if whole.is_dir() else folder / row["repository"].partition("/")[2]


def filled(skeleton: str, fill: str) -> str:
    """A skeleton whose methods are replaced by those of the same class and name in a fill.

    >>> print(filled("class A:\\n    def f(self):\\n        ...\\n", "class A:\\n    def f(self):\\n        return 1\\n"))
    class A:
        def f(self):
            return 1
    """
    lines = skeleton.splitlines()
    ours = _methods(fill)
    found = [(node, ours[name]) for name, node in _nodes(skeleton).items() if name in ours]
    for node, text in sorted(found, key=lambda pair: -pair[0].lineno):
        lines[node.lineno - 1 : node.end_lineno] = text
    return "\n".join(lines) + "\n"


def _nodes(text: str) -> dict[tuple[str, str], ast.FunctionDef]:
    classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    return {(c.name, f.name): f for c in classes for f in c.body if isinstance(f, ast.FunctionDef)}


def _methods(text: str) -> dict[tuple[str, str], list[str]]:
    lines = text.splitlines()
    return {name: lines[node.lineno - 1 : node.end_lineno] for name, node in _nodes(text).items()}


def judge(row: dict[str, Any], folder: Path, seed: int = 0) -> dict[str, Any]:
    """The verdict on one row, from inside its own checkout."""
    from regard.checker.target import check_file

    clone = cloned(row, folder)
    name, _, member = row["target"].rpartition(":")
    place = clone / name
    made = None
    if "fill" in row:
        made = Path(tempfile.mkdtemp())
        shutil.copytree(place.parent, made, dirs_exist_ok=True)
        place = made / place.name
        text = filled(
            (clone / name).read_text(encoding="utf-8"),
            (HERE / "fill" / row["fill"]).read_text(encoding="utf-8"),
        )
        place.write_text(text, encoding="utf-8")
    before, start = Path.cwd(), time.monotonic()
    os.chdir(clone)
    try:
        report = check_file(f"{place}:{member}", contract=row["contract"], seed=seed)
    finally:
        os.chdir(before)
        shutil.rmtree(made or "/nonexistent", ignore_errors=True)
    state = {0: "correct", 1: "mistake", 3: "undecided"}[report.code]
    named = sorted({slug for verdict in report.verdicts for slug in verdict.slugs})
    right = state == row["true"] and set(row.get("names", [])) <= set(named)
    said = " / ".join(verdict.sentence for verdict in report.verdicts)
    return {"state": state, "named": named, "right": right, "said": said, "seconds": time.monotonic() - start}


def main() -> None:
    """Judge the rows whose repository is there, and print one line for each."""
    words = argparse.ArgumentParser()
    words.add_argument("folder", type=Path)
    words.add_argument("--only", default="", help="rows whose repository, target or contract holds this word")
    words.add_argument("--set", default="rows", help="rows, second, third, fourth, fifth, sixth or seventh")
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--out", type=Path, help="a file for the figures")
    asked = words.parse_args()
    found = []
    for row in rows(asked.set):
        key = f"{row['repository']} {row['target']} {row['contract']} {row.get('fill', '')}"
        if asked.only not in key or not cloned(row, asked.folder).is_dir():
            continue
        try:
            said = judge(row, asked.folder, asked.seed)
        except Exception as error:
            said = {
                "state": "refused",
                "named": [],
                "right": False,
                "said": str(error).splitlines()[0],
                "seconds": 0.0,
            }
        found.append(row | said)
        mark = (
            "right"
            if said["right"]
            else "alarm"
            if (said["state"], row["true"]) == ("mistake", "correct")
            else "  -  "
        )
        print(f"{mark} {said['state']:9} {said['seconds']:5.1f} s  {key}  {said['said'][:160]}", flush=True)
    listed = [one for one in found if one.get("listed")]
    alarms = [one for one in found if (one["state"], one["true"]) == ("mistake", "correct")]
    print(
        f"{sum(o['right'] for o in found)} of {len(found)} right ({sum(o['right'] for o in listed)} of {len(listed)} listed), {len(alarms)} false alarms"
    )
    if asked.out:
        asked.out.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
