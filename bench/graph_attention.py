"""A GAT layer beside torch_geometric's.   regard bench graph-attention"""

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Floor, Reading, agree, floor, growth, interleave, ratio

NODES, PAIRS, WIDTH, HEADS, CHANNELS = 100_000, 500_000, 64, 8, 8
SHAPE = f"{NODES} nodes, {2 * PAIRS} edges and loops, {WIDTH} -> {HEADS} heads x {CHANNELS}"
WAYS = {"compiled": "1", "torch alone": "0"}


def edges() -> Any:
    """A random graph, both ways, with loops; in no order."""
    import torch

    from regard import Edges

    generator = torch.Generator().manual_seed(0)
    i, j = torch.randint(NODES, (2, PAIRS + PAIRS // 10), generator=generator)
    keys = torch.unique(torch.minimum(i, j)[i != j] * NODES + torch.maximum(i, j)[i != j])
    keys = keys[torch.randperm(len(keys), generator=generator)[:PAIRS]]
    return Edges(keys % NODES, keys // NODES, nodes=NODES).both_ways().with_loops()


def layer(who: str) -> Callable[[], object]:
    """Forward and backward of one side, 'peer' or the name of a way: the output, then the gradients."""
    import torch
    from torch_geometric.nn import GATConv

    from regard import Additive, attend

    torch.manual_seed(0)
    graph, x, slope = edges(), torch.randn(NODES, WIDTH), torch.randn(NODES, HEADS * CHANNELS)
    peer, ours = GATConv(WIDTH, CHANNELS, heads=HEADS, add_self_loops=False), Additive(HEADS, CHANNELS)
    ours.load_state_dict({"target": peer.att_dst[0], "source": peer.att_src[0]})
    pairs = torch.stack([graph.source, graph.target])
    assert graph.sorted.count == graph.count
    x.requires_grad_()

    def theirs() -> torch.Tensor:
        return peer(x, pairs)

    def attended() -> torch.Tensor:
        os.environ["REGARD_NATIVE"] = WAYS[who]
        h = peer.lin(x).view(1, NODES, HEADS, CHANNELS).transpose(1, 2)
        y = attend(h, h, h, similarity=ours, support=graph, backend="edges").output
        return y.transpose(1, 2).reshape(NODES, -1) + peer.bias

    vectors = [peer.att_dst, peer.att_src] if who == "peer" else [ours.target, ours.source]
    leaves = [x, peer.lin.weight, peer.bias, *vectors]

    def both_ways() -> list[torch.Tensor]:
        y = theirs() if who == "peer" else attended()
        return [y, *torch.autograd.grad(y, leaves, slope)]

    return both_ways


def least(count: int) -> Floor:
    """Every tensor of nodes moved once in each step that needs it, every edge's numbers once in each pass.

    What it leaves out is that edges read their nodes' rows in no order: were none in a cache, that alone
    would move three rows for each edge.
    """
    row = 4 * HEADS * CHANNELS
    nodes = NODES * row * 12
    by_edge = count * (3 * 8 + 2 * 4 * HEADS)
    products, sums = 3 * 2 * NODES * WIDTH * HEADS * CHANNELS, 3 * 2 * count * HEADS * CHANNELS
    return floor(bytes=nodes + by_edge, operations=products + sums)


def run() -> Iterator[BenchMetric]:
    """Speed and memory of both ways beside the peer, and the time to sort the edges."""
    from regard.core.backends.edges import native

    os.environ.pop("REGARD_NATIVE", None)
    missing = native.missing()
    ways = [way for way in WAYS if way != "compiled" or missing is None]
    calls = {who: layer(who) for who in ("peer", *ways)}
    found = {who: call() for who, call in calls.items()}
    gaps = {way: agree(found[way][0], found["peer"][0], within=1e-5) for way in ways}
    for way in ways:
        agree([x.flatten() for x in found[way][1:]], [x.flatten() for x in found["peer"][1:]], within=1e-4)
    del found
    times, least_cost = interleave(calls, rounds=9, warm=1), least(2 * PAIRS + NODES)
    memory = {who: growth(layer, who) for who in calls}
    peak = memory["peer"].bytes
    for way in WAYS:
        if way not in calls:
            yield BenchMetric(name=f"speed-up, {way}", value=None, reason=missing or "")
            yield BenchMetric(name=f"memory, {way}", value=None, reason=missing or "")
            continue
        same = {"gap": gaps[way], "shapes": SHAPE, "dtype": "float32"}
        sides = {"ours": Reading.of(times[way]), "peer": Reading.of(times["peer"])}
        value = ratio(times["peer"], times[way])
        yield BenchMetric(name=f"speed-up, {way}", value=value, **sides, floor=least_cost, **same)
        mine = memory[way].bytes
        value = Reading.of([mine / peak], "times") if mine is not None and peak else None
        sizes = {"ours": Reading.of([mine], "bytes"), "peer": Reading.of([peak], "bytes")} if value else {}
        yield BenchMetric(name=f"memory, {way}", value=value, **sizes, **same, reason=memory[way].how)
    yield BenchMetric(
        name="seconds to build the edges",
        value=Reading.of([seconds_to_sort() for _ in range(3)]),
        shapes=SHAPE,
    )


def seconds_to_sort() -> float:
    """Seconds to check and sort the edges, both ways round, once they are tensors."""
    from regard import Edges

    given = edges()
    start = time.perf_counter()
    assert Edges(given.source, given.target, nodes=NODES).sorted.count == given.count
    return time.perf_counter() - start


COMPARISON = Comparison(
    question="Does a GAT layer over sorted edges cost less than torch_geometric's gather and scatter?",
    bars=(
        Claim(
            name="speed-up, compiled",
            low=7.0,
            why="no message per edge and channel",
            source="a limit set in advance",
        ),
        Claim(
            name="speed-up, torch alone",
            low=2.5,
            why="sparse products head by head",
            source="a limit set in advance",
        ),
        Claim(
            name="memory, compiled",
            high=1 / 3,
            why="a few numbers per node and head are kept",
            source="a limit set in advance",
        ),
        Claim(
            name="memory, torch alone",
            high=1 / 3,
            why="one weight per edge and head is kept",
            source="a limit set in advance",
        ),
    ),
    run=run,
    peers=("torch_geometric",),
)
