"""Causal linear and softmax attention on a GPU, both ways.   regard bench --device cuda attention"""

from collections.abc import Callable, Iterator
from typing import Any

from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Reading, agree, interleave, ratio
from regard.lab.bench_gpu import device_floor, waited

HEADS, WIDTH, TOKENS, SHORT = 16, 64, 65_536, 1_000
SHAPE = f"1 x {HEADS} heads x {TOKENS} tokens x {WIDTH}"


def linear() -> dict[str, Any]:
    """The factors of linear attention."""
    from regard import Causal, Divide, Kernel, elu_plus_one

    return {"similarity": Kernel(elu_plus_one), "support": Causal(), "normalise": Divide()}


def draw(length: int, seed: int) -> list[Any]:
    """q, k, v and the slope of the output."""
    import torch

    generator = torch.Generator("cuda").manual_seed(seed)
    return [
        torch.randn(1, HEADS, length, WIDTH, generator=generator, device="cuda").bfloat16() for _ in range(4)
    ]


def both_ways(forward: Callable[..., Any], given: list[Any]) -> list[Any]:
    """Output and gradients."""
    import torch

    *leaves, slope = given
    leaves = [x.detach().requires_grad_() for x in leaves]
    output = forward(*leaves)
    return [output, *torch.autograd.grad(output, leaves, slope)]


def difference() -> float:
    """The largest gap to the reference in float64, of output and gradients, relative to the largest value."""
    from regard import attend

    given = draw(SHORT, 1)
    ours = both_ways(lambda q, k, v: attend(q, k, v, **linear(), backend="linear").output, given)
    wide = [x.double() for x in given]
    peer = both_ways(lambda q, k, v: attend(q, k, v, **linear(), backend="reference").output, wide)
    return agree(ours, peer, within=0.03)


def run() -> Iterator[BenchMetric]:
    """Linear attention beside its floor, softmax attention beside the fastest of torch's kernels."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    from regard import Causal, attend

    gap, given = difference(), draw(TOKENS, 2)
    times = interleave(
        {"ours": waited(lambda: both_ways(lambda q, k, v: attend(q, k, v, **linear()).output, given))},
        rounds=20,
        warm=3,
    )
    tokens = HEADS * TOKENS
    # Forward reads three tensors and writes one; backward reads four and the output, and writes three.
    work = device_floor(
        bytes=12 * tokens * WIDTH * 2, operations=7 * tokens * 2 * WIDTH * WIDTH, dtype="bfloat16"
    )
    milliseconds = Reading.of([1e3 * one for one in times["ours"]], "ms")
    same = {"shapes": SHAPE, "dtype": "bfloat16"}
    yield BenchMetric(
        name="linear", value=milliseconds, ours=Reading.of(times["ours"]), floor=work, gap=gap, **same
    )

    def peer(backend: SDPBackend) -> Callable[[], object]:
        def call() -> object:
            with sdpa_kernel(backend):
                return both_ways(lambda *x: scaled_dot_product_attention(*x, is_causal=True), given)

        return waited(call)

    calls = {"ours": waited(lambda: both_ways(lambda *x: attend(*x, support=Causal()).output, given))}
    calls |= {one.name: peer(one) for one in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION)}
    times = interleave(calls, rounds=5, warm=1)
    best = min(list(times)[1:], key=lambda name: Reading.of(times[name]).median)
    # Half of all pairs, two products forward and five backward.
    work = device_floor(
        bytes=12 * tokens * WIDTH * 2, operations=7 * tokens * TOKENS * WIDTH, dtype="bfloat16"
    )
    yield BenchMetric(
        name="softmax",
        value=ratio(times["ours"], times[best]),
        ours=Reading.of(times["ours"]),
        peer=Reading.of(times[best]),
        floor=work,
        reason=f"the fastest is {best}",
        **same,
    )


COMPARISON = Comparison(
    question="What does attention over 65,536 tokens cost on a GPU?",
    bars=(
        Claim(
            name="linear",
            high=9.0,
            why="milliseconds; the best public kernel takes 7.1",
            source="a limit set in advance",
        ),
        Claim(
            name="softmax",
            high=1.05,
            why="times the fastest of torch's kernels: it is one",
            source="a limit set in advance",
        ),
    ),
    run=run,
)
