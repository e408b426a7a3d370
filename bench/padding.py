"""Training on pictures that are mostly black, beside torch's convolutions.   regard bench padding"""

from collections.abc import Callable, Iterator
from typing import Any

from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Floor, Reading, agree, floor, interleave, ratio

BATCH, SEEDS, EPOCHS, CORES = 200, 10, 50, 2
SHAPE = f"{BATCH} pictures of 3 x 32 x 32, Net1, fconv, forward and backward"


def step(way: str) -> Callable[[], object]:
    """The loss and its gradients by windows (each different lit one once), or by torch's convolutions."""
    import torch
    import torch.nn.functional as F

    from regard.experiments.images.padding.fast_convolution import light, score
    from regard.experiments.images.padding.networks import BORDERS, Net1
    from regard.experiments.images.padding.pictures import red_green

    torch.manual_seed(0)
    net, border = Net1(BORDERS["fconv"]), BORDERS["fconv"]
    pictures, classes = red_green(BATCH, seed=42)
    batch, dense = light(pictures, border), pictures.float()
    if way == "channels last":
        net, dense = net.to(memory_format=torch.channels_last), dense.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def both_ways() -> list[Any]:
        loss = F.cross_entropy(score(net, batch) if way == "windows" else net(dense), classes)
        return [loss, *torch.autograd.grad(loss, list(net.parameters()))]

    return both_ways


def epoch(net: str, border: str) -> Callable[[], object]:
    """One epoch of one cell of the table, validation and test included."""
    from regard.experiments.images.padding.training import PROTOCOLS, Cell, Lesson, build, prepare, teach
    from regard.models.cnn import BORDERS

    lesson = Lesson(epochs=1)
    material = prepare(BORDERS[border], PROTOCOLS["original"], lesson)
    return lambda: teach(build(Cell(net, border, "original", 0)), material, lesson)


def least() -> Floor:
    """The products of the windows that differ, forward and twice backward; the first layer's once back."""
    from regard.experiments.images.padding.fast_convolution import light
    from regard.experiments.images.padding.pictures import red_green
    from regard.models.cnn import BORDERS, WIDTHS

    reaches = light(red_green(BATCH, seed=42)[0], BORDERS["fconv"]).reaches
    products = [
        2 * 9 * len(reach.seen) * a * b for reach, a, b in zip(reaches, WIDTHS[:-1], WIDTHS[1:], strict=True)
    ]
    return floor(bytes=0, operations=3 * sum(products) - products[0])


def run() -> Iterator[BenchMetric]:
    """A step three ways, then every cell's epoch on one thread, and what the whole table takes at most."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        calls = {way: step(way) for way in ("torch", "channels last", "windows")}
        found = {way: call() for way, call in calls.items()}
        times = interleave(calls, rounds=9, warm=1)
        for way in ("torch", "channels last"):
            yield BenchMetric(
                name=f"speed-up over {way}",
                value=ratio(times[way], times["windows"]),
                ours=Reading.of(times["windows"]),
                peer=Reading.of(times[way]),
                floor=least(),
                gap=agree(found["windows"], found[way], within=1e-4),
                shapes=SHAPE,
                dtype="float32",
            )
        yield BenchMetric(
            name="minutes for the whole table", value=_table(), shapes="2 networks, 6 types, 10 seeds"
        )
    finally:
        torch.set_num_threads(threads)


def _table() -> Reading:
    """Were no training to end early: each cell's epoch, 50 times, for 10 seeds, two cells at a time."""
    from regard.experiments.images.padding.training import NETS
    from regard.models.cnn import BORDERS

    cells = {f"{net} {border}": epoch(net, border) for net in NETS for border in BORDERS}
    times = interleave(cells, rounds=5, warm=1)
    samples = [sum(row) * EPOCHS * SEEDS / CORES / 60 for row in zip(*times.values(), strict=True)]
    return Reading.of(samples, "min")


COMPARISON = Comparison(
    question="Does computing each different lit window once make the table of Amsterdam A2 affordable?",
    bars=(
        Claim(
            name="speed-up over torch",
            low=8.0,
            why="most windows are black, and most of the lit ones are alike",
            source="a limit set in advance",
        ),
        Claim(name="speed-up over channels last", low=8.0, why="the same", source="a limit set in advance"),
        Claim(
            name="minutes for the whole table",
            high=15.0,
            why="the bound that was set",
            source="a limit set in advance",
        ),
    ),
    run=run,
)
