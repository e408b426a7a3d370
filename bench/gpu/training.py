"""Training a GPT-2 of 124M parameters on a GPU in bfloat16, context 1024.

regard bench --device cuda training

The shape is that of the public trainer it is measured against: no biases, no dropout, 50,304 classes.
"""

import time
from collections.abc import Iterator
from statistics import quantiles
from typing import Any

from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Reading
from regard.lab.bench_gpu import device_floor

BATCH, CONTEXT, STEPS = 128, 1024, 24
SHAPE = {
    "vocabulary": 50_304,
    "context": CONTEXT,
    "depth": 12,
    "heads": 12,
    "width": 768,
    "biases": False,
}


def gap() -> float:
    """How far the loss of a batch by the fused head lies from that in float32, relative to it."""
    import torch

    from regard import GPT, GPTConfig
    from regard.training import cross_entropy

    torch.manual_seed(0)
    model = GPT(GPTConfig(**SHAPE)).cuda()
    batch = torch.randint(SHAPE["vocabulary"], (2, 2, CONTEXT), device="cuda").unbind()
    whole = cross_entropy(model, batch)
    with torch.autocast("cuda", torch.bfloat16):
        fused = cross_entropy(model, batch)
    found = abs(float(fused.detach()) - float(whole.detach())) / float(whole.detach())
    assert found < 1e-3, f"the fused loss is off by {found}"
    return found


def run() -> Iterator[BenchMetric]:
    """Tokens a second of whole steps, each with its batch, loss, gradient, clip and AdamW."""
    import torch

    from regard import GPT, GPTConfig
    from regard.training import Plan, Training, cross_entropy

    off = gap()
    torch.manual_seed(0)
    model = GPT(GPTConfig(**SHAPE)).cuda()

    def batches(index: int) -> Any:
        generator = torch.Generator("cuda").manual_seed(index)
        return torch.randint(50_257, (2, BATCH, CONTEXT), generator=generator, device="cuda").unbind()

    plan = Plan(steps=STEPS, learning_rate=6e-4, betas=(0.9, 0.95), weight_decay=0.1)
    training = Training(model, batches, torch.compile(cross_entropy), plan, capture=True)
    began, times = time.perf_counter(), []
    for step in training:
        times.append(step.seconds)
        last = step
    whole, times = time.perf_counter() - began, times[6:]
    assert abs(last.loss - 10.8) < 0.4, f"the loss of random tokens is {last.loss}"
    low, middle, high = quantiles(times, n=4)
    tokens, matrices = BATCH * CONTEXT, model.size - CONTEXT * SHAPE["width"]
    pairs = 12 * 2 * SHAPE["depth"] * SHAPE["width"] * CONTEXT / 4
    yield BenchMetric(
        name="tokens-per-second",
        value=Reading(tokens / middle, tokens / high, tokens / low, "tokens/s"),
        ours=Reading.of(times),
        # Six operations for each weight and token, attention over half of all pairs; bytes are far below.
        floor=device_floor(
            bytes=40 * model.size, operations=tokens * (6 * matrices + pairs), dtype="bfloat16"
        ),
        gap=off,
        shapes=f"{BATCH} x {CONTEXT} tokens a step, {model.size:,} parameters",
        dtype="bfloat16",
        reason=f"captured: {training.captured is not None}; {STEPS} steps with compiling: {whole:.0f} s",
    )


COMPARISON = Comparison(
    question="How many tokens a second does a GPU train of a GPT-2 of 124M parameters?",
    bars=(
        Claim(
            name="tokens-per-second",
            low=620_000.0,
            why="tokens/s; a public trainer has 545,000",
            source="a limit set in advance",
        ),
    ),
    run=run,
)
