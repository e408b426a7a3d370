"""How many named mistakes `regard check --fix` mends: `python tests/fixed.py --count 60` tries planted ones.

Files are drawn by a seed from checker/mutants, each contract in turn. A mutant is named where the check, without
`--strict` as most people run it, names all of its causes; it is mended where a change of its own lines passes the whole
check on fresh seeds. `--diffs` shows the changes.
"""

import argparse
import os
import random
import time
from collections import defaultdict
from itertools import chain, zip_longest
from pathlib import Path

from regard.checker.fix.search import BUDGET, fixes
from regard.checker.selftest import header
from regard.checker.target import check_file

HERE = Path(__file__).parent / "checker" / "mutants"


def drawn(folder: Path, count: int, seed: int) -> list[Path]:
    """Files of every contract in turn, in an order that a seed gives."""
    kinds: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        kinds[path.parent.name].append(path)
    for name, paths in kinds.items():
        random.Random(f"{seed} {name}").shuffle(paths)
    turns = chain.from_iterable(zip_longest(*kinds.values()))
    return [path for path in turns if path][:count]


def mended(path: Path, budget: float) -> tuple[bool, str, float]:
    """Whether every cause of a mutant is named, the change that mends it, and the seconds that took."""
    head = header(path)
    causes = {word.strip() for word in head["cause"].split(",")} - {"unknown"}
    report = check_file(str(path), contract=head["contract"])
    named = {slug for verdict in report.verdicts for slug in verdict.slugs}
    if not causes or not causes <= named:
        return False, "", 0.0
    start = time.monotonic()
    found = fixes(str(path), report, budget=budget)
    diff = "\n".join(fix.diff for fix in found) if found and all(fix.diff for fix in found) else ""
    return True, diff, time.monotonic() - start


def main() -> None:
    """Try the mutants and print what is mended, what is not, and the share."""
    words = argparse.ArgumentParser()
    words.add_argument("--count", type=int, default=60)
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--budget", type=float, default=BUDGET, help="seconds of each search")
    words.add_argument("--only", default="", help="files whose path holds this word")
    words.add_argument("--diffs", action="store_true", help="show the changes")
    asked = words.parse_args()
    named = good = 0
    for path in drawn(HERE, 10**6 if asked.only else asked.count, asked.seed):
        if asked.only not in str(path):
            continue
        is_named, diff, seconds = mended(path, asked.budget)
        named, good = named + is_named, good + bool(diff)
        mark = "mended" if diff else "not   " if is_named else "unnamed"
        print(f"{mark} {seconds:5.1f} s  {path.relative_to(HERE)}  {header(path)['cause']}", flush=True)
        if diff and asked.diffs:
            print(diff, flush=True)
    share = 100 * good / max(named, 1)
    print(f"{good} of {named} named mistakes mended ({share:.0f} %), load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
