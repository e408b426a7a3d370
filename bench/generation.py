"""Generation with a cache beside transformers' generate. About 5 minutes.   regard bench generation

Same random weights on both sides, 500 tokens after a prompt of 8, each side with the number of threads with
which it is faster. Nothing is compiled during a call; our step was compiled by the system's compiler when it
was first used, and what it and torch.compile add is measured beside it.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Floor, Reading, agree, floor, interleave, ratio

TOKENS, PROMPT = int(os.environ.get("REGARD_BENCH_TOKENS", "500")), 8
ROUNDS = int(os.environ.get("REGARD_BENCH_ROUNDS", "7"))
SHAPE = {"vocabulary": 65, "context": 1024, "depth": 4, "heads": 4, "width": 128}
CASES = {"greedy-1": 1, "top-k-1": 1, "greedy-16": 16, "beam-4": 1}
"The name of each comparison, and how many prompts there are."


def pair() -> tuple[Any, Any]:
    """Our model and transformers', with the same weights, so large that no token is a matter of rounding."""
    import torch
    import transformers

    from regard import GPT, GPTConfig
    from regard.models.gpt.huggingface import save_gpt2

    torch.manual_seed(0)
    model = GPT(GPTConfig(**SHAPE)).eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.08)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        save_gpt2(model, folder)
        return model, transformers.GPT2LMHeadModel.from_pretrained(folder).eval()


def ours(model: Any, name: str, prompt: Any) -> Callable[[], Any]:
    """Our generation of a case: the ids that follow."""
    import torch

    from regard.generation.beam import beam_search
    from regard.generation.engine import continuation
    from regard.generation.sampling import GREEDY, Sampler

    if name == "beam-4":
        return lambda: torch.tensor([beam_search(model, prompt, width=4, steps=TOKENS).best[0].ids])
    sampler = Sampler(top_k=5) if name == "top-k-1" else GREEDY
    generator = torch.Generator().manual_seed(0)
    return lambda: continuation(model, prompt, steps=TOKENS, sampler=sampler, generator=generator)


def peers(model: Any, name: str, prompt: Any) -> Callable[[], Any]:
    """transformers' generation of the same."""
    import torch

    how = {"top-k-1": {"do_sample": True, "top_k": 5}, "beam-4": {"num_beams": 4, "length_penalty": 0.0}}
    words = {"do_sample": False} | how.get(name, {})
    words |= {"max_new_tokens": TOKENS, "use_cache": True, "pad_token_id": 0, "eos_token_id": None}
    mask = torch.ones_like(prompt)
    return lambda: model.generate(prompt, attention_mask=mask, **words)[:, PROMPT:]


def faster(call: Callable[[], Any]) -> tuple[Callable[[], Any], int]:
    """The call with the number of threads with which it is faster, and that number."""
    import torch

    times, most = {}, torch.get_num_threads()
    for threads in sorted({1, most}):
        torch.set_num_threads(threads)
        call()
        began = time.perf_counter()
        call()
        times[threads] = time.perf_counter() - began
    torch.set_num_threads(most)
    best = min(times, key=times.__getitem__)

    def run() -> Any:
        torch.set_num_threads(best)
        try:
            return call()
        finally:
            torch.set_num_threads(most)

    return run, best


def same(name: str, model: Any, other: Any, prompt: Any, calls: dict[str, Callable[[], Any]]) -> float:
    """How far the two sides are apart: in tokens, or where those are drawn, in the logits of one text."""
    import torch

    if name != "top-k-1":
        return agree(calls["ours"]().double(), calls["peer"]().double(), within=0.0)
    with torch.no_grad():
        return agree(model(prompt), other(prompt).logits, within=1e-4)


def least(model: Any, rows: int) -> Floor:
    """Weights read for every token, keys and values of all before it, and the products with both."""
    keys = SHAPE["depth"] * 2 * SHAPE["width"] * (PROMPT + TOKENS / 2) * rows
    weights = model.size - SHAPE["context"] * SHAPE["width"]
    return floor(bytes=4 * TOKENS * (weights + keys), operations=2 * TOKENS * (rows * weights + keys))


def run() -> Iterator[BenchMetric]:
    """Each case beside the peer, then what compiling adds."""
    import torch

    model, other = pair()
    for name, rows in CASES.items():
        prompt = torch.randint(65, (rows, PROMPT), generator=torch.Generator().manual_seed(1))
        plain = {"ours": ours(model, name, prompt), "peer": peers(other, name, prompt)}
        gap = same(name, model, other, prompt, plain)
        calls, threads = {}, {}
        for side, call in plain.items():
            calls[side], threads[side] = faster(call)
        times = interleave(calls, rounds=ROUNDS, warm=1)
        yield BenchMetric(
            name=name,
            value=ratio(times["peer"], times["ours"]),
            ours=Reading.of(times["ours"]),
            peer=Reading.of(times["peer"]),
            floor=least(model, 4 if name == "beam-4" else rows),
            gap=gap,
            shapes=f"{rows} prompts, {TOKENS} tokens, 4 layers, 4 heads, width 128",
            dtype="float32",
            reason=f"threads: ours {threads['ours']}, transformers {threads['peer']}",
        )
    yield from compiling(model)


def compiling(model: Any) -> Iterator[BenchMetric]:
    """What the compiled step adds to the way through torch, and what torch.compile would add to that."""
    import torch

    prompt = torch.randint(65, (1, PROMPT), generator=torch.Generator().manual_seed(1))
    call = ours(model, "greedy-1", prompt)

    def through_torch() -> Any:
        before, os.environ["REGARD_NATIVE"] = os.environ.get("REGARD_NATIVE", ""), "0"
        try:
            return call()
        finally:
            os.environ["REGARD_NATIVE"] = before

    times = interleave({"native": call, "torch": through_torch}, rounds=ROUNDS, warm=1)
    yield BenchMetric(
        name="compiled-step",
        value=ratio(times["torch"], times["native"]),
        ours=Reading.of(times["native"]),
        peer=Reading.of(times["torch"]),
        shapes=f"1 prompt, {TOKENS} tokens, greedy: C++ beside the same step through torch",
        dtype="float32",
    )
    began = time.perf_counter()
    block = torch.compile(model.blocks[0], dynamic=False)
    x = torch.randn(1, 1, SHAPE["width"])
    with torch.inference_mode():
        block(x)
        took = time.perf_counter() - began
        times = interleave(
            {"compiled": lambda: block(x), "eager": lambda: model.blocks[0](x)}, rounds=20, warm=5, repeats=50
        )
    yield BenchMetric(
        name="torch-compile",
        value=ratio(times["eager"], times["compiled"]),
        ours=Reading.of(times["compiled"]),
        peer=Reading.of(times["eager"]),
        shapes="one block, one token, no cache",
        dtype="float32",
        reason=f"compiling it took {took:.0f} s, about {took / median(times['compiled']):,.0f} calls of it",
    )


COMPARISON = Comparison(
    question="How much faster than transformers' generate is ours, with a cache on both sides?",
    bars=tuple(
        Claim(name=name, low=low, why=why, source="a limit set in advance")
        for name, low, why in (
            ("greedy-1", 5.0, "most of the peer's time goes into calls around small sums"),
            ("top-k-1", 5.0, "the same, with a draw"),
            ("greedy-16", 3.0, "the sums themselves take more of the time"),
            ("beam-4", 4.5, "beams that share a beginning are not moved, and nothing is concatenated"),
        )
    ),
    run=run,
    peers=("transformers",),
)
