"""Repeats of an autoencoder as one batched model, or in turn.   regard bench autoencoder-repeats"""

from collections.abc import Callable, Iterator

from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Reading, agree, floor, interleave, ratio

WIDTH, BATCH, RATE, SEEDS = 100, 100, 5e-4, (0, 1, 2)
BOTTLENECKS, STEPS = (5, 10, 100, 1000), 20


def points():
    """Berkeley HW6's synthetic points, as many as the steps of one call need."""
    from regard.experiments.unsupervised.autoencoders.factors import draw_factors

    return draw_factors(samples=20_000).points["train"][: STEPS * BATCH]


def together(bottleneck: int) -> Callable[[], object]:
    """All repeats as one model with a leading axis; a call makes the same steps again from where it is."""
    return _ours(bottleneck, SEEDS)


def apart(bottleneck: int) -> Callable[[], object]:
    """The same code, one repeat after the other."""
    calls = [_ours(bottleneck, (seed,)) for seed in SEEDS]
    return lambda: [call() for call in calls]


def plain(bottleneck: int) -> Callable[[], object]:
    """torch's own layers, one repeat after the other, as Berkeley HW6 does it; with the same fused Adam."""
    import torch
    from torch import nn

    batches, models = points().split(BATCH), []
    for seed in SEEDS:
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Linear(WIDTH, bottleneck), nn.Linear(bottleneck, WIDTH))
        models.append((model, torch.optim.Adam(model.parameters(), lr=RATE, fused=True)))

    def call() -> None:
        for model, optimiser in models:
            for x in batches:
                loss = nn.functional.mse_loss(model(x), x)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()

    return call


def _ours(bottleneck: int, seeds: tuple[int, ...]) -> Callable[[], object]:
    import torch
    from torch import nn

    from regard.models.autoencoder import Autoencoder

    batches = points().split(BATCH)
    model = Autoencoder((WIDTH, bottleneck), activation=nn.Identity, seeds=seeds)
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE, fused=True)

    def call() -> torch.Tensor:
        for x in batches[:-1]:
            model.learn(x, optimiser)
        return model.learn(batches[-1], optimiser)

    return call


def gap(bottleneck: int) -> float:
    """How far the losses after some steps lie apart, together and one after the other."""
    import torch

    return agree(together(bottleneck)(), torch.cat(apart(bottleneck)()), within=1e-3)


def run() -> Iterator[BenchMetric]:
    """For each bottleneck: one model against the same code apart, and against torch's own layers apart."""
    for bottleneck in BOTTLENECKS:
        same, rounds = gap(bottleneck), 15 if bottleneck <= 100 else 7
        calls = {"together": together(bottleneck), "apart": apart(bottleneck), "plain": plain(bottleneck)}
        times = interleave(calls, rounds=rounds)
        weights = len(SEEDS) * 2 * WIDTH * bottleneck
        # Three products for each layer and a step of Adam, which reads four tensors and writes three.
        least = floor(bytes=STEPS * 7 * 4 * weights, operations=STEPS * 6 * BATCH * weights)
        for name, peer in (("", "apart"), (" beside torch's own layers", "plain")):
            yield BenchMetric(
                name=f"speed-up at k = {bottleneck}{name}",
                value=ratio(times[peer], times["together"]),
                ours=Reading.of(times["together"]),
                peer=Reading.of(times[peer]),
                floor=least,
                gap=same if peer == "apart" else None,
                shapes=f"{len(SEEDS)} models x {STEPS} steps x {BATCH} points, {WIDTH} to {bottleneck}",
                dtype="float32",
            )


COMPARISON = Comparison(
    question="What does it save to train the repeats of an autoencoder as one batched model?",
    bars=tuple(
        Claim(
            name=f"speed-up at k = {bottleneck}",
            low=2.0,
            why="three small models cost three times the calls and hardly any arithmetic",
            source="a limit set in advance",
        )
        for bottleneck in BOTTLENECKS
        if bottleneck <= 10
    ),
    run=run,
)
