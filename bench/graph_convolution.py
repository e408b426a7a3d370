"""A GCN layer beside torch_geometric's.   regard bench graph-convolution"""

import os
from collections.abc import Callable, Iterator
from typing import Any

from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Floor, Reading, agree, floor, growth, interleave, ratio

NODES, PAIRS, WIDTH = 100_000, 500_000, 64
SHAPE = f"{NODES} nodes, {2 * PAIRS} edges and loops, {WIDTH} -> {WIDTH}"
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
    from torch_geometric.nn import GCNConv

    from regard import Constant, Symmetric, attend

    torch.manual_seed(0)
    graph, x, slope = edges(), torch.randn(NODES, WIDTH), torch.randn(NODES, WIDTH)
    peer, pairs = GCNConv(WIDTH, WIDTH, cached=True), torch.stack([graph.source, graph.target])
    leaves = [x.requires_grad_(), peer.lin.weight, peer.bias]

    def attended() -> torch.Tensor:
        os.environ["REGARD_NATIVE"] = WAYS[who]
        h = peer.lin(x).view(1, 1, NODES, WIDTH)
        factors = {"similarity": Constant(), "normalise": Symmetric(), "support": graph}
        return attend(h, h, h, **factors, backend="edges").output.view(NODES, WIDTH) + peer.bias

    def both_ways() -> list[torch.Tensor]:
        y = peer(x, pairs) if who == "peer" else attended()
        return [y, *torch.autograd.grad(y, leaves, slope)]

    both_ways()  # the peer keeps its normalisation from the first call on
    return both_ways


def least(count: int) -> Floor:
    """Every tensor of nodes moved once in each step that needs it, every edge's numbers once in each pass.

    What it leaves out is that edges read their nodes' rows in no order: were none in a cache, that alone
    would move two rows for each edge.
    """
    nodes, by_edge = NODES * 4 * WIDTH * 10, count * 2 * 8
    return floor(bytes=nodes + by_edge, operations=3 * 2 * NODES * WIDTH * WIDTH + 2 * 2 * count * WIDTH)


def run() -> Iterator[BenchMetric]:
    """Speed and memory of both ways beside the peer."""
    from regard.core.backends.edges import native

    os.environ.pop("REGARD_NATIVE", None)
    missing = native.missing()
    calls = {who: layer(who) for who in ("peer", *WAYS) if who != "compiled" or missing is None}
    found = {who: call() for who, call in calls.items()}
    gaps = {who: agree(found[who], found["peer"], within=1e-5) for who in calls}
    del found
    times, least_cost = interleave(calls, rounds=11, warm=1), least(2 * PAIRS + NODES)
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


COMPARISON = Comparison(
    question="Does a GCN layer over sorted edges cost less than torch_geometric's gather and scatter?",
    bars=(
        Claim(
            name="speed-up, compiled",
            low=7.0,
            why="one sum per row, no message",
            source="a limit set in advance",
        ),
        Claim(
            name="speed-up, torch alone",
            low=7.0,
            why="one sparse product",
            source="a limit set in advance",
        ),
        Claim(
            name="memory, compiled",
            high=1 / 3,
            why="nothing per edge is made",
            source="a limit set in advance",
        ),
        Claim(
            name="memory, torch alone",
            high=1 / 3,
            why="one number per edge is made",
            source="a limit set in advance",
        ),
    ),
    run=run,
    peers=("torch_geometric",),
)
