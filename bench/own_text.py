"""`regard train` beside the lab's own recipe, two minutes each. About 15 minutes.   regard bench own-text

Both learn from the first nine tenths of tiny Shakespeare on this machine, one after the other by turns, and
are judged by the loss over all the rest. The command is timed as a person would, from the moment it is typed
to its last word; the recipe by its training alone. Each is judged in windows of its own context, and the
command's model in the recipe's shorter ones too.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any

from regard.claims import Claim
from regard.errors import Unreachable
from regard.lab.bench import BenchMetric, Comparison, Reading

MINUTES, SEEDS = 2.0, (11, 12, 13)


def command(text: Path, seed: int, data: Any, minutes: float = MINUTES) -> dict[str, float]:
    """One run of `regard train`: its loss in its own windows and in those of the data, and its seconds."""
    from regard.lab.text_model import load_text_model
    from regard.training import evaluate

    with tempfile.TemporaryDirectory() as folder:
        words = ["train", str(text), "--minutes", str(minutes), "--seed", str(seed), "--json"]
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "regard", *words],
            env={**os.environ, "REGARD_RUNS": folder},
            check=True,
            capture_output=True,
        )
        took = time.perf_counter() - began
        (run,) = (path.parent for path in Path(folder).glob("*/run.json"))
        lines = [json.loads(line) for line in (run / "log.jsonl").read_text("utf-8").splitlines()]
        own = next(one["value"] for one in lines if one.get("name") == "held-out loss of the best checkpoint")
        model = load_text_model(run).model
        return {"own": own, "short": evaluate(model, data.cover("validation", size=256)), "seconds": took}


def run() -> Iterator[BenchMetric]:
    """Both sides with each seed; how much lower the command's loss is."""
    recipes = SimpleNamespace(**run_path(str(Path(__file__).with_name("shakespeare_training.py"))))
    try:
        data = recipes.windows()
    except Unreachable as error:
        yield from (BenchMetric(name=bar.name, value=None, reason=error.what) for bar in COMPARISON.bars)
        return
    from regard.data.sets.text import load_text

    recipe = replace(recipes.ours(), plan=replace(recipes.ours().plan, steps=1_000_000))
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "mine.txt"
        text.write_text(load_text("tiny-shakespeare").characters, "utf-8")
        for seed in SEEDS:
            ours.append(command(text, seed, data))
            theirs.append(recipes.train(recipe, data, seed, 60 * MINUTES))
    seconds = Reading.of([one["seconds"] for one in ours])
    peer = Reading.of([one.seconds for one in theirs])
    shapes = f"windows of {recipes.CONTEXT}: seeds {', '.join(map(str, SEEDS))}"
    for name, values in {
        "loss-minus-that-of-the-recipe": [a["own"] - b.loss for a, b in zip(ours, theirs, strict=True)],
        "loss-in-short-windows-minus-that-of-the-recipe": [
            a["short"] - b.loss for a, b in zip(ours, theirs, strict=True)
        ],
        "loss": [one["own"] for one in ours],
        "loss-in-short-windows": [one["short"] for one in ours],
        "loss-of-the-recipe": [one.loss for one in theirs],
    }.items():
        reading = Reading(sum(values) / len(values), min(values), max(values), "nats per character")
        yield BenchMetric(name=name, value=reading, ours=seconds, peer=peer, shapes=shapes, dtype="float32")


COMPARISON = Comparison(
    question="Does `regard train` learn in two minutes what the lab's own recipe learns in that time?",
    bars=(
        Claim(
            name="loss-minus-that-of-the-recipe",
            high=0.0,
            why="what a person gets without a word should be as good as what we know how to do",
            source="the lab's recipe, in the same run",
        ),
    ),
    run=run,
)
