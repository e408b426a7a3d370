"""Causal linear attention beside torch's fused softmax attention.   regard bench linear-attention"""

from collections.abc import Callable, Iterator

from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Floor, Reading, agree, floor, growth, interleave, ratio

HEADS, WIDTH, SHORT, LONG = 8, 64, 4_096, 65_536


def ours(length: int) -> Callable[[], object]:
    """A call of attend with a kernel, forward and backward."""
    from regard import Causal, Divide, Kernel, attend, elu_plus_one

    factors = {
        "similarity": Kernel(elu_plus_one),
        "support": Causal(),
        "normalise": Divide(),
        "backend": "linear",
    }
    return both_ways(lambda q, k, v: attend(q, k, v, **factors).output, length)


def peer(length: int) -> Callable[[], object]:
    """The same tensors through softmax attention."""
    from torch.nn.functional import scaled_dot_product_attention

    return both_ways(lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=True), length)


def both_ways(forward: Callable, length: int) -> Callable[[], object]:
    """Forward and backward over fixed tensors."""
    import torch

    generator = torch.Generator().manual_seed(length)
    q, k, v, slope = (torch.randn(1, HEADS, length, WIDTH, generator=generator) for _ in range(4))
    leaves = [x.requires_grad_() for x in (q, k, v)]
    return lambda: torch.autograd.grad(forward(*leaves), leaves, slope)


def difference_from_reference(length: int = 517) -> float:
    """How far output and gradients lie from the reference's; softmax computes something else."""
    import torch

    from regard import Causal, Divide, Kernel, attend, elu_plus_one

    generator = torch.Generator().manual_seed(0)
    q, k, v, slope = (torch.randn(1, HEADS, length, WIDTH, generator=generator) for _ in range(4))
    leaves, sides = [x.requires_grad_() for x in (q, k, v)], []
    for backend in ("linear", "reference"):
        output = attend(
            *leaves, similarity=Kernel(elu_plus_one), support=Causal(), normalise=Divide(), backend=backend
        ).output
        sides.append((output, *torch.autograd.grad(output, leaves, slope)))
    return agree(*sides, within=1e-4)


def least(length: int) -> Floor:
    """Each tensor moved once per pass, and the recurrence's products, the row of sums included."""
    tokens, product = HEADS * length, 2 * WIDTH * (WIDTH + 1)
    # Forward adds to a state and reads it; backward does so again, adds to its own and reads it twice.
    return floor(bytes=12 * tokens * WIDTH * 4, operations=7 * tokens * product)


def run() -> Iterator[BenchMetric]:
    """Speed beside the peer, time per token against length, memory beside the peer."""
    gap, shape = difference_from_reference(), f"1 x {HEADS} heads x {{}} tokens x {WIDTH}"
    times = interleave({"ours": ours(SHORT), "peer": peer(SHORT)}, rounds=11)
    yield BenchMetric(
        name="speed-up",
        value=ratio(times["peer"], times["ours"]),
        ours=Reading.of(times["ours"]),
        peer=Reading.of(times["peer"]),
        floor=least(SHORT),
        gap=gap,
        shapes=shape.format(SHORT),
        dtype="float32",
    )
    times = interleave({"long": ours(LONG), "short": ours(SHORT)}, rounds=7, warm=1)
    per_token = [
        [second / length for second in times[name]] for name, length in (("long", LONG), ("short", SHORT))
    ]
    yield BenchMetric(
        name="growth-per-token",
        value=ratio(*per_token),
        ours=Reading.of(times["long"]),
        peer=Reading.of(times["short"]),
        floor=least(LONG),
        gap=gap,
        shapes=f"{shape.format(LONG)}, beside ours at {SHORT}",
        dtype="float32",
    )
    grown = [growth(side, SHORT) for side in (ours, peer)]
    sizes = [Reading.of([float(each.bytes)], "bytes") if each.bytes else None for each in grown]
    yield BenchMetric(
        name="memory",
        value=ratio([sizes[0].median], [sizes[1].median]) if sizes[0] and sizes[1] else None,
        ours=sizes[0],
        peer=sizes[1],
        shapes=shape.format(SHORT),
        dtype="float32",
        reason=f"growth of a fresh process over three calls, by {grown[0].how}",
    )


COMPARISON = Comparison(
    question="What does causal linear attention cost beside softmax, and per token as length grows?",
    bars=(
        Claim(
            name="speed-up",
            low=5.0,
            why="4,096 keys per query against one state, on 2 cores",
            source="a first prototype with automatic gradients: 6 times",
        ),
        Claim(
            name="growth-per-token",
            high=1.5,
            why="the work per token is the same at every length; only the caches are left behind",
            source="the recurrence",
        ),
    ),
    run=run,
)
