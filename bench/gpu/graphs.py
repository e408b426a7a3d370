"""GAT and GCN layers over 20 million edges on a GPU, and over six graphs with skewed degrees.

regard bench --device cuda graphs
"""

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Reading, agree, interleave, ratio
from regard.lab.bench_gpu import device_floor, peak, waited

SOURCE = "a limit set in advance"
NODES, EDGES, WIDTH, HEADS = 1_000_000, 20_000_000, 128, 8
SMALL = 170_000, 1_200_000
DEVICE = "cuda"
SKEWS = {
    "mild": (2, 2),
    "targets": (1, 3),
    "sources": (3, 1),
    "both": (3, 3),
    "steep": (6, 6),
    "star": (1, 60),
}
"Ends are nodes · u ** power for uniform u: the powers of sources and targets."
LONG_ROWS = 1e-3
"How far float32 may be from float64 where up to a million edges meet in a node."
KINDS = ("gat", "gcn")


def ends(nodes: int, edges: int, powers: tuple[int, int]) -> tuple[Any, Any]:
    """Random ends of edges."""
    import torch

    generator = torch.Generator(DEVICE).manual_seed(0)
    drawn = (torch.rand(edges, generator=generator, device=DEVICE, dtype=torch.float64) for _ in powers)
    source, target = (
        (u**power * nodes).long().clamp(max=nodes - 1) for u, power in zip(drawn, powers, strict=True)
    )
    return source, target


def layer(kind: str) -> Any:
    """A layer of ours."""
    import torch

    from regard import GraphAttention, GraphConvolution

    torch.manual_seed(0)
    if kind == "gat":
        return GraphAttention(WIDTH, WIDTH // HEADS, heads=HEADS).to(DEVICE)
    return GraphConvolution(WIDTH, WIDTH).to(DEVICE)


def both_ways(model: Any, nodes: int, edges: Any) -> Callable[[], Any]:
    """Forward and backward: output and gradients."""
    import torch

    generator = torch.Generator(DEVICE).manual_seed(1)
    x, slope = (torch.randn(nodes, WIDTH, generator=generator, device=DEVICE) for _ in range(2))
    leaves = [x.requires_grad_(), *model.parameters()]

    def call() -> list[Any]:
        y = model(x, edges)
        return [y, *torch.autograd.grad(y, leaves, slope)]

    return call


def difference(kind: str, graph: Any, within: float) -> float:
    """The gap of output and gradients to those of the same layer on the CPU in float64."""
    import torch

    model, found = layer(kind), []
    generator = torch.Generator().manual_seed(2)
    shape = graph.sizes[0], WIDTH
    x, slope = (torch.randn(shape, generator=generator, dtype=torch.float64) for _ in range(2))
    for device, dtype in ((DEVICE, torch.float32), ("cpu", torch.float64)):
        own, given = model.to(device, dtype), x.to(device, dtype).requires_grad_()
        y = own(given, graph.to(device))
        grads = torch.autograd.grad(y, [given, *own.parameters()], slope.to(device, dtype))
        found.append([one.detach().cpu() for one in (y, *grads)])
    return agree(*found, within=within)


def run() -> Iterator[BenchMetric]:
    """Milliseconds and memory at full size, then the ratio to torch_geometric where that is installed."""
    from regard import Edges

    small = Edges(*ends(3000, 40_000, (2, 4)), nodes=3000, duplicates="keep")
    gaps = {kind: difference(kind, small, 1e-4) for kind in KINDS}
    graph = Edges(*ends(NODES, EDGES, (1, 1)), nodes=NODES, duplicates="keep")
    assert graph.sorted.count == EDGES
    for kind in KINDS:
        call = both_ways(layer(kind), NODES, graph)
        above, most = peak(call)
        times = interleave({"ours": waited(call)}, rounds=9, warm=2)["ours"]
        row, products = 4 * WIDTH, 3 * 2 * NODES * WIDTH * WIDTH
        # Each edge reads a node's row in both passes: of a million in no order, none is in a cache.
        by_edge = 2 * (row + 8) + (2 * 4 * HEADS + 4 * 4 * HEADS if kind == "gat" else 2 * 4)
        work = device_floor(
            bytes=EDGES * by_edge + 8 * NODES * row, operations=products + 4 * EDGES * WIDTH, dtype="float32"
        )
        same = {"shapes": f"{NODES} nodes, {EDGES} edges, {WIDTH} channels", "dtype": "float32"}
        yield BenchMetric(
            name=kind,
            value=Reading.of([1e3 * one for one in times], "ms"),
            ours=Reading.of(times),
            floor=work,
            gap=gaps[kind],
            **same,
        )
        yield BenchMetric(
            name=f"{kind}-memory",
            value=Reading.of([above / 1e9], "GB"),
            reason=f"above what was there; {most / 1e9:.2f} GB with features, edges and their order",
            **same,
        )
        del call
    yield from skewed()


def skewed() -> Iterator[BenchMetric]:
    """Six graphs beside torch_geometric."""
    import torch

    from regard import Edges

    if importlib.util.find_spec("torch_geometric") is None:
        return
    from torch_geometric.nn import GATConv, GCNConv

    nodes, edges = SMALL
    for name, powers in SKEWS.items():
        source, target = ends(nodes, edges, powers)
        graph, pairs = Edges(source, target, nodes=nodes, duplicates="keep"), torch.stack([source, target])
        assert graph.sorted.count == edges
        for kind in KINDS:
            gap = difference(kind, graph, LONG_ROWS)
            ours = both_ways(layer(kind), nodes, graph)
            kinds = {"gat": lambda: GATConv(WIDTH, WIDTH // HEADS, heads=HEADS, add_self_loops=False)}
            kinds["gcn"] = lambda: GCNConv(WIDTH, WIDTH, add_self_loops=False)
            peer = kinds[kind]().cuda()
            calls = {"ours": waited(ours), "peer": waited(both_ways(peer, nodes, pairs))}
            times = interleave(calls, rounds=5, warm=2)
            yield BenchMetric(
                name=f"{kind}-{name}",
                value=ratio(times["peer"], times["ours"]),
                ours=Reading.of(times["ours"]),
                peer=Reading.of(times["peer"]),
                gap=gap,
                shapes=f"{nodes} nodes, {edges} edges, at most {int(graph.targets.count.max())} to one node",
                dtype="float32",
            )


COMPARISON = Comparison(
    question="What do layers over a graph of 20 million edges cost on a GPU?",
    bars=(
        Claim(name="gat", high=35.0, why="milliseconds; torch_geometric 182", source=SOURCE),
        Claim(name="gat-memory", high=4.5, why="GB; torch_geometric 44.8", source=SOURCE),
        Claim(name="gcn", high=9.0, why="milliseconds; torch_geometric 77", source=SOURCE),
        *(
            Claim(
                name=f"{kind}-{name}",
                low=1.0,
                why="never slower than torch_geometric",
                source=SOURCE,
            )
            for name in SKEWS
            for kind in KINDS
        ),
    ),
    run=run,
)
