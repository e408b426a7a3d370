"""How often the lab's own verdicts are wrong. About 3 s on a CPU.   regard run error-rate"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt
from typing import Annotated

import numpy as np

from regard.claims import Claim, State
from regard.lab.book.style import mark_height, panels, style
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Range
from regard.lab.runner import settle

EDGE = 1.0
"The end of the band that every planted effect is claimed to reach: any number would do."
Law = Callable[[np.random.Generator, int], np.ndarray]
LAWS: dict[str, Law] = {
    "normal": lambda random, count: random.standard_normal(count),
    "uniform": lambda random, count: (random.random(count) - 0.5) * 12**0.5,
    "skewed": lambda random, count: random.exponential(size=count) - 1,
    "rounded": lambda random, count: np.round(4 * random.standard_normal(count)) / 4,
}
"Laws of the measurements, each with mean zero and standard deviation one."


def coin(random: np.random.Generator, count: int) -> np.ndarray:
    """Two values only: seeds that agree by chance have an interval of no width."""
    return np.where(random.random(count) < 0.5, -1.0, 1.0)


ALL = tuple(LAWS.values())


@dataclass(frozen=True, kw_only=True)
class Settings:
    planted: Annotated[int, Range(10, 10**6)] = 1000
    "Planted truths of each kind."
    seeds: tuple[int, ...] = (2, 3, 5, 10, 20)
    "Seeds that an experiment has; the lab's own have between two and a hundred."
    size: Annotated[float, Range(above=0, high=100)] = 1.0
    "How far the truth lies from the end of the band, in standard deviations between seeds."
    distances: tuple[float, ...] = (0.0, 0.25, 0.5, 1.0, 2.0)
    "Distances at which the error is drawn."


def verdict(values: np.ndarray) -> State:
    """What the lab says of a claim that the mean is at least `EDGE`: its own rule, by its own code."""
    claim = Claim("effect", low=EDGE)
    found = [Metric("effect", value, seed) for seed, value in enumerate(values.tolist())]
    return settle([claim], found, preset="quick")[0].state


def wrong(
    truth: float, word: State, count: int, seeds: int, random: np.random.Generator, laws: Sequence[Law] = ALL
) -> float:
    """The share of `count` experiments with that truth of which the lab says that word; the laws in turn."""
    said = [verdict(truth + laws[place % len(laws)](random, seeds)) for place in range(count)]
    return said.count(word) / count


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Nulls below the band and effects inside it, for each number of seeds."""
    rates: dict[tuple[str, int, float], float] = {}
    kinds = {"held": -1.0, "failed": 1.0}
    cells = list(product(kinds.items(), settings.seeds, settings.distances))
    for step, ((word, side), seeds, distance) in enumerate(cells):
        yield ProgressEvent(f"{seeds} seeds, {distance:g} standard deviations away", step / len(cells))
        random = np.random.default_rng([context.seed, step])
        truth = EDGE + side * distance
        rates[word, seeds, distance] = wrong(truth, word, settings.planted // 4, seeds, random)  # type: ignore[arg-type]
        at = {"seeds": seeds, "distance": distance}
        yield Metric(f"share of wrong '{word}'", rates[word, seeds, distance], at=at)
    for place, (word, side) in enumerate(kinds.items()):
        random = np.random.default_rng([context.seed, len(cells) + place])
        share = settings.planted // len(settings.seeds)
        found = [wrong(EDGE + side * settings.size, word, share, seeds, random) for seeds in settings.seeds]  # type: ignore[arg-type]
        yield Metric(RATES[word], sum(found) / len(found))
    yield Metric(DISTANCE, settings.size)
    yield from _edge(settings, np.random.default_rng([context.seed, len(cells) + 3]))
    random = np.random.default_rng([context.seed, len(cells) + 2])
    coins = [
        (seeds, wrong(EDGE - settings.size, "held", settings.planted // 4, seeds, random, (coin,)))
        for seeds in settings.seeds
    ]
    inside = [
        verdict(EDGE + 4 * settings.size + LAWS["normal"](random, 5)) for _ in range(settings.planted // 4)
    ]
    yield Metric("large effects that are called held", inside.count("held") / len(inside))
    rows = [
        (seeds, distance, rates["held", seeds, distance], rates["failed", seeds, distance])
        for seeds, distance in product(settings.seeds, settings.distances)
    ]
    yield TableEvent("rates", COLUMNS, rows, TABLE)
    yield TableEvent("coin", ("seeds", "nulls called held"), coins, COIN)
    yield FigureEvent("rates", _figure(settings, rates), FIGURE)


def _edge(settings: Settings, random: np.random.Generator) -> Iterator[Event]:
    """Truths on the very end of the band, of each law by itself: how often they are called held, and failed."""
    share, told = max(settings.planted // 5, 1), []
    found = {
        name: [verdict(EDGE + law(random, seeds)) for seeds in settings.seeds for _ in range(share)]
        for name, law in LAWS.items()
    }
    for word, name in EDGES.items():
        by_law = {law: said.count(word) / len(said) for law, said in found.items()}  # type: ignore[arg-type]
        rate, worst = sum(by_law.values()) / len(by_law), max(by_law, key=lambda law: by_law[law])
        yield Metric(name, rate)
        told.append(_reason(word, rate, worst, by_law[worst], draws=sum(map(len, found.values()))))
    yield TextEvent("Truths on the very end of the band", " ".join(told))


def _reason(word: str, rate: float, worst: str, most: float, *, draws: int) -> str:
    """How often a truth on the end of the band gets a word, and whence what is above the interval's share."""
    said = f"A truth on the very end of the band is called {word} in {100 * rate:.1f} % of the experiments, where an interval of 95 % allows {100 * ALLOWED:g} %"
    if rate <= ALLOWED:
        return f"{said}."
    if rate <= ALLOWED + 2 * sqrt(ALLOWED * (1 - ALLOWED) / draws):
        return f"{said}: no more than chance makes of that in {draws:,} experiments."
    if worst == "normal":
        return f"{said}: more than allowed, and under the normal law too."
    return f"{said}: more than allowed, most under the {worst} law ({100 * most:.1f} %), since the interval takes the mean of few seeds as normal."


def _figure(settings: Settings, rates: dict[tuple[str, int, float], float]):
    with style():
        figure, axes = panels(2, height=3.2)
        for axis, (word, title) in zip(axes, TITLES.items(), strict=True):
            for seeds in settings.seeds:
                heights = [100 * rates[word, seeds, distance] for distance in settings.distances]
                axis.plot(settings.distances, heights, label=f"{seeds} seeds")
            mark_height(axis, 1.0, "1 % is allowed", at=0.55)
            axis.set(title=title, xlabel="distance of the truth (standard deviations)", ylabel="wrong (%)")
            axis.set_ylim(0, None)
        axes[1].legend()
        return figure


RATES = {
    "held": "nulls that are called held",
    "failed": "true effects that are called failed",
}
EDGES = {
    "held": "truths on the end of the band that are called held",
    "failed": "truths on the end of the band that are called failed",
}
DISTANCE = "distance of the planted truths, standard deviations between seeds"
ALLOWED = 0.025
"What an interval of 95 % leaves out on either side."
TITLES = {"held": "nulls called held", "failed": "effects called failed"}
COLUMNS = ("seeds", "distance in standard deviations", "nulls called held", "effects called failed")
TABLE = (
    "Share of wrong verdicts by the number of seeds and the distance of the truth from the end of the band. A truth "
    "on the very end (distance 0) is wrong in either direction; a two-sided interval of 95 % allows 2.5 % there."
)
COIN = "Planted nulls of a measurement that takes two values only, one of which reaches the band: how often all seeds agree on it by chance, and the lab says held."
FIGURE = (
    "Left: planted nulls, whose true mean lies outside the band, and how often the lab says held. Right: true effects "
    "inside the band, and how often it says failed. Each against the distance of the truth from the end of the band."
)
HALF = "half of what a 95 % interval leaves out, and less the further the truth lies from the end of the band; at most 1 % is what the lab allows itself"
CLAIMS = (
    Claim(RATES["held"], high=0.01, why=HALF, source="this experiment",
          says=f"Of experiments in which the truth misses the band by {{of[{DISTANCE}]}} × the standard deviation between seeds, the lab calls {{value:.1%}} held; of those in which it lies on the band's own edge, where an interval of 95 % allows {100 * ALLOWED:g} %, {{of[{EDGES['held']}]:.1%}}.",
          otherwise=f"The lab is too ready to believe: {{value:.1%}} of experiments in which the truth misses the band by {{of[{DISTANCE}]}} × the standard deviation between seeds are called held.",
          asks="how often the lab calls a null held"),
    Claim(RATES["failed"], high=0.01, why=HALF, source="this experiment",
          says=f"Of experiments in which the truth lies as far inside the band, it calls {{value:.1%}} failed; of those on the edge, {{of[{EDGES['failed']}]:.1%}}; the others are held, or stay open.",
          otherwise="The lab throws away what is true: {value:.1%} of effects that lie as far inside the band are called failed.",
          asks="how often the lab calls a true effect failed"),
    Claim("large effects that are called held", low=0.95, source="this experiment",
          why="five seeds and a truth four standard deviations inside the band: an interval that never settles anything would be wrong in neither way",
          says="Large effects are recognised: of effects four times that size, over five seeds, {value:.0%} are called held.",
          otherwise="Hardly anything is decided: even of effects four times that size only {value:.0%} are called held.",
          asks="whether large effects are recognised"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="How often is a verdict of this lab wrong?",
    method="""A claim about a mean over seeds is settled by its interval at 95 %: held where the whole interval lies in the
        band, failed where all of it lies outside, not settled where it crosses an end. Here the truth is planted: measurements
        are drawn around a mean that is known, for a claim that this mean is at least 1, and handed to the code that settles every
        claim of this book.

        A *null* has its true mean outside the band, by one standard deviation between seeds; a *true effect* has it inside by as
        much. The measurements follow four laws in turn (normal, uniform, exponential, and normal rounded to quarters, as accuracies over few samples are), because nothing
        promises that losses are normal, and there are as many of each number of seeds: 2, 3, 5, 10 and 20.""",
    see="""Two errors are possible: to call held what is not so, and to call failed what is. A verdict *not settled* is neither: with two
        or three seeds that is what most small effects get, and more seeds are the remedy. Truths that lie on the very end of a band
        are the hardest; the table has them in its rows with distance 0. What a claim of this book denies should lie well outside its band.

        An interval needs values that differ. A measurement that can take two values only, over two or three seeds that happen to agree, gets an interval of no width,
        and the rates here do not hold for it: the last column of the second table says how often that deceives.""",
    claims=CLAIMS,
    opens_with=(RATES["held"], RATES["failed"]),
    presets={"quick": Settings(), "full": Settings(planted=20_000)},
    seconds=3,
    run=run,
)
