"""Generation of a GPT-2 of 124M parameters on a GPU, top-k 50.   regard bench --device cuda generation

256 tokens after a prompt of 8, the reading of the prompt counted. In float32 the tokens are those of the
uncached model; in bfloat16 the log-probabilities of a text that is given are at most twice as far from
float32's as those of the uncached model in bfloat16.
"""

from collections.abc import Iterator
from typing import Any

from regard.claims import Claim
from regard.errors import RegardError
from regard.lab.bench import BenchMetric, Comparison, Reading, interleave
from regard.lab.bench_gpu import device_floor, waited

SOURCE = "a limit set in advance"
PROMPT, TOKENS, FORCED = 8, 256, 64
FARTHEST = 2.0
"In bfloat16, how far from float32's log-probabilities the steps may be, in distances of the uncached model."
SHAPE = {"vocabulary": 50_257, "context": 1024, "depth": 12, "heads": 12, "width": 768}


def models() -> tuple[Any, Any]:
    """The same weights in float32 and bfloat16, so large that no token is a matter of rounding."""
    import torch

    from regard import GPT, GPTConfig

    torch.manual_seed(0)
    model = GPT(GPTConfig(**SHAPE)).eval().cuda()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.08)
    half = GPT(GPTConfig(**SHAPE)).eval().cuda()
    half.load_state_dict(model.state_dict())
    return model, half.bfloat16()


def equal_tokens(model: Any, rows: int, steps: int = 40) -> float:
    """The share of greedy tokens in float32 that the uncached model says too, after the same text.

    Raises where another was more than a matter of rounding.
    """
    import torch

    from regard.generation.engine import continuation
    from regard.generation.sampling import GREEDY

    known = torch.randint(SHAPE["vocabulary"], (rows, PROMPT), device="cuda")
    found = continuation(model, known, steps=steps, sampler=GREEDY)
    with torch.inference_mode():
        logits = model(torch.cat([known, found], 1))[:, PROMPT - 1 : -1]
    best = logits.max(-1)
    short = best.values - logits.gather(2, found.unsqueeze(2)).squeeze(2)
    if float(short.max()) > 1e-5 * float(logits.abs().max()):
        raise RegardError(
            "the captured step says other tokens than the model",
            f"a logit {float(short.max()):.3g} below the largest",
            "mend it before timing it",
        )
    return float((best.indices == found).double().mean())


def drift(model: Any, half: Any, rows: int) -> tuple[float, float]:
    """The largest differences from float32 in the log-probability of given tokens, all in bfloat16.

    First of the steps, then of the uncached model, which rounds as often.
    """
    import torch

    ids = torch.randint(SHAPE["vocabulary"], (rows, PROMPT + FORCED), device="cuda")
    with torch.inference_mode():
        wanted, whole = (
            one(ids)[:, PROMPT - 1 : -1].float().log_softmax(-1).gather(2, ids[:, PROMPT:, None])[..., 0]
            for one in (model, half)
        )
        steps, found = half.device_steps(rows), []
        steps.read(ids[:, :PROMPT])
        for place in range(PROMPT, PROMPT + FORCED):
            found.append(steps.logits.float().log_softmax(-1).gather(1, ids[:, place, None]))
            steps.ids.copy_(ids[:, place])
            steps.advance()
        return float((torch.cat(found, 1) - wanted).abs().max()), float((whole - wanted).abs().max())


def run() -> Iterator[BenchMetric]:
    """Tokens a second of one text, and of 64 at a time."""
    import torch

    from regard.generation.engine import continuation
    from regard.generation.sampling import Sampler

    model, half = models()
    weights = half.size - SHAPE["context"] * SHAPE["width"]
    for rows in (1, 64):
        share = equal_tokens(model, rows)
        gap, usual = drift(model, half, rows)
        prompt = torch.randint(SHAPE["vocabulary"], (rows, PROMPT), device="cuda")
        call = waited(
            lambda prompt=prompt: continuation(half, prompt, steps=TOKENS, sampler=Sampler(top_k=50))
        )
        times = interleave({"ours": call}, rounds=9, warm=2)["ours"]
        speed = Reading.of([rows * TOKENS / one for one in times], "tokens/s")
        keys = rows * SHAPE["depth"] * 2 * SHAPE["width"] * (PROMPT + TOKENS / 2)
        work = device_floor(
            bytes=2 * TOKENS * (weights + keys),
            operations=2 * TOKENS * (rows * weights + keys),
            dtype="bfloat16",
        )
        yield BenchMetric(
            name=f"batch-{rows}",
            value=speed if gap <= FARTHEST * usual else None,
            ours=Reading.of(times),
            floor=work,
            gap=gap,
            shapes=f"{rows} x {TOKENS} tokens, 124M parameters, top-k 50",
            dtype="bfloat16",
            reason=f"float32: {share:.2%} of tokens equal the uncached model's, others to rounding; "
            f"bfloat16: log-probabilities within {gap:.3f} of float32's, uncached within {usual:.3f}",
        )


COMPARISON = Comparison(
    question="How many tokens a second does a GPT-2 of 124M parameters say on a GPU?",
    bars=(
        Claim(name="batch-1", low=1600.0, why="tokens/s; transformers 82", source=SOURCE),
        Claim(name="batch-64", low=60_000.0, why="tokens/s; transformers 6,114", source=SOURCE),
    ),
    run=run,
)
