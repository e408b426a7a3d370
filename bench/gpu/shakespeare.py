"""How soon a GPU learns characters of Shakespeare.   regard bench --device cuda shakespeare

Six layers, six heads, width 384, windows of 256 characters; learned by gradient from nine tenths of tiny
Shakespeare, judged by the loss over all the rest, in windows that do not overlap. Every setting was chosen by
the loss on the last tenth of the training text, with that tenth left out of the training; the validation text
chose nothing. The clock runs over all steps but the first, which compiles and captures.
"""

import time
from collections.abc import Iterator
from typing import Any

from regard.claims import Claim
from regard.errors import Unreachable
from regard.lab.bench import BenchMetric, Comparison, Reading
from regard.lab.bench_gpu import device_floor

SOURCE = "a limit set in advance"
SEEDS = (1, 2, 3, 4, 5)
BATCH, WINDOW = 64, 256
STEPS = 1200


def recipe() -> tuple[Any, Any]:
    """The model and the plan."""
    from regard import GPTConfig
    from regard.training import Plan

    config = GPTConfig(
        vocabulary=65,
        context=WINDOW,
        depth=6,
        heads=6,
        width=384,
        dropout=0.2,
        norm="rms",
        gains=False,
        biases=False,
        activation="relu-squared",
        position="rotary",
        qk_norm=True,
        tied=False,
        init_std=0.05,
        init="zero",
    )
    plan = Plan(
        steps=STEPS, optimiser="muon", matrix_learning_rate=0.06, learning_rate=3e-3, weight_decay=0.3
    )
    return config, plan


def work() -> dict[str, float]:
    """The bytes and operations of the steps that are timed: what must be done, whoever does it.

    Six operations for each weight and character, attention over half of all pairs; the products of Muon, a
    tenth of that, are its own choice. Weights, gradients and moments are read and written once a step.
    """
    from regard import GPT

    config, _ = recipe()
    size, steps, characters = GPT(config).size, STEPS - 1, BATCH * WINDOW
    pairs = 6 * config.depth * config.width * WINDOW
    weights = size - config.vocabulary * config.width
    return {"bytes": 40.0 * size * steps, "operations": float(steps * characters * (6 * weights + pairs))}


def windows() -> Any:
    """Tiny Shakespeare as ids on the GPU, nine tenths to learn from."""
    from regard.data.sets.text import load_text
    from regard.data.tokens.tokenizer import Character
    from regard.data.tokens.windows import Windows, cut

    text = load_text("tiny-shakespeare").characters
    ids = Character(text).encode(text).cuda()
    return Windows(cut(ids, {"train": 0.9, "validation": 0.1}), WINDOW)


def train(data: Any, objective: Any, seed: int) -> tuple[float, float]:
    """One training from nothing: the loss over all that was held out, in float32, and the seconds."""
    from dataclasses import replace

    import torch

    from regard import GPT
    from regard.training import Training, cross_entropy, evaluate

    config, plan = recipe()
    torch.manual_seed(seed)
    model = GPT(config).cuda()

    def batches(index: int) -> Any:
        return data.batch("train", index, size=BATCH, seed=seed)

    steps = iter(Training(model, batches, objective, replace(plan, seed=seed), capture=True))
    next(steps)
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in steps:
        pass
    torch.cuda.synchronize()
    took = time.perf_counter() - began
    return evaluate(model, data.cover("validation", size=64), cross_entropy), took


def run() -> Iterator[BenchMetric]:
    """Loss and seconds, the median of five seeds."""
    import torch

    from regard.training import cross_entropy

    try:
        data = windows()
    except Unreachable as error:
        yield from (BenchMetric(name=bar.name, value=None, reason=error.what) for bar in COMPARISON.bars)
        return
    objective = torch.compile(cross_entropy)
    found = [train(data, objective, seed) for seed in SEEDS]
    seconds = Reading.of([one[1] for one in found])
    losses = ", ".join(f"{one[0]:.4f}" for one in found)
    same = {
        "shapes": f"{STEPS} steps of {BATCH} x {WINDOW} characters, {len(SEEDS)} seeds",
        "dtype": "bfloat16",
    }
    yield BenchMetric(
        name="loss",
        value=Reading.of([one[0] for one in found], "nats per character"),
        ours=seconds,
        reason=losses,
        **same,
    )
    least = device_floor(**work(), dtype="bfloat16")
    yield BenchMetric(name="seconds", value=seconds, ours=seconds, floor=least, **same)


COMPARISON = Comparison(
    question="How soon does a GPU learn characters of Shakespeare?",
    bars=(
        Claim(
            name="loss",
            high=1.47,
            why="a public trainer has 1.465 after 20 s",
            source=SOURCE,
        ),
        Claim(name="seconds", high=8.0, why="of training, after compiling", source=SOURCE),
    ),
    run=run,
)
