"""What `attend` adds to a direct call of torch's fused attention.   regard bench attend-overhead"""

from collections.abc import Iterator

from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Reading, agree, difference, floor, interleave

HEADS, WIDTH, KEYS, LIMIT = 8, 64, 256, 5e-6


def run() -> Iterator[BenchMetric]:
    """Seconds added, without a mask and as a cached model decodes."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    from regard import Causal, attend

    generator = torch.Generator().manual_seed(0)
    q = torch.randn(1, HEADS, 1, WIDTH, generator=generator)
    k, v = (torch.randn(1, HEADS, KEYS, WIDTH, generator=generator) for _ in range(2))
    causal = Causal()
    calls = {
        "added": lambda: attend(q, k, v).output,
        "added-causal": lambda: attend(q, k, v, support=causal).output,
        "peer": lambda: scaled_dot_product_attention(q, k, v),
    }
    gaps = {name: agree(call(), calls["peer"](), within=0.0) for name, call in calls.items()}
    # Keys and values stay in the cache from call to call: what memory would take is no floor here.
    least = floor(bytes=0, operations=4 * KEYS * HEADS * WIDTH)
    times = interleave(calls, rounds=60, warm=50, repeats=50)
    for name in ("added", "added-causal"):
        yield BenchMetric(
            name=name,
            value=difference(times[name], times["peer"]),
            ours=Reading.of(times[name]),
            peer=Reading.of(times["peer"]),
            floor=least,
            gap=gaps[name],
            shapes=f"1 x {HEADS} heads x 1 query, {KEYS} keys x {WIDTH}",
            dtype="float32",
        )


COMPARISON = Comparison(
    question="How long does attend take to check a call and choose a backend?",
    bars=tuple(
        Claim(
            name=name,
            high=LIMIT,
            why="checks cost less than the smallest kernel",
            source="a limit set in advance",
        )
        for name in ("added", "added-causal")
    ),
    run=run,
)
