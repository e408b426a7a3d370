"""Greedy, beam and exhaustive search, samplers and what they cost. About 8 s on a CPU.   regard run decoding"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.claims import Claim
from regard.experiments.text.decoding.beams import (
    WORDS,
    berkeley_tree,
    counted_beam_search,
    every_text,
    formula,
    small_model,
    worst_rank,
)
from regard.experiments.text.decoding.figures import (
    COST,
    DRAWS,
    SEARCH,
    TREE,
    draw_costs,
    draw_samplers,
    draw_searches,
    draw_tree,
)
from regard.generation.beam import Beam, Node, beam_search
from regard.generation.sampling import Sampler
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent
from regard.lab.experiment import Context, Experiment
from regard.training import is_main

BERKELEY = {1: (-0.65, -0.73), 2: (-1.25, -1.33), 3: (-1.85, -1.93)}
"Berkeley HW6, 5a to 5c: what a beam of two holds after each step."
SAMPLERS = {
    "plain": Sampler(),
    "temperature 0.5": Sampler(temperature=0.5),
    "temperature 2": Sampler(temperature=2.0),
    "top-k 5": Sampler(top_k=5),
    "top-p 0.9": Sampler(top_p=0.9),
    "min-p 0.1": Sampler(min_p=0.1),
    "top-k 20, top-p 0.8": Sampler(top_k=20, top_p=0.8),
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    models: int = 40
    "Random small models that are searched."
    length: int = 5
    "Tokens that each search is for; a model has 5 tokens, so that 5^length texts can all be tried."
    widths: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 16, 32)
    "Widths of the beam."
    draws: int = 40_000
    "Draws from each sampler."
    sizes: tuple[int, ...] = (64, 256, 1024, 4096)
    "Vocabularies for which operations are counted and timed."
    beams: tuple[int, ...] = (1, 2, 4, 8)
    "Widths for which operations are counted and timed."
    lengths: tuple[int, ...] = (2, 3, 5, 8)
    "Lengths for which operations are counted and timed."


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Berkeley HW6's tree, beams on random models, samplers, then the cost."""
    if not is_main():  # of several processes: nothing is trained, and they would disturb what is timed
        return
    yield from _berkeley()
    yield from _searches(settings, context)
    yield from _samplers(settings, context)
    yield from _costs(settings, context)


def _berkeley() -> Iterator[Event]:
    found = beam_search(berkeley_tree, torch.tensor([[0]]), width=2, steps=3)
    levels: dict[int, list[Node]] = {}
    for node in found.tree():
        levels.setdefault(len(node.ids), []).append(node)
    apart = [
        abs(node.log_probability - known)
        for length, totals in BERKELEY.items()
        for node, known in zip(levels[length], totals, strict=False)
    ]
    yield Metric("largest gap to Berkeley HW6's six log-probabilities", max(apart))
    everything = beam_search(berkeley_tree, torch.tensor([[0]]), width=8, steps=3).best[0]
    yield Metric("log-probability of the most probable text of three words", everything.log_probability)
    yield Metric("the beam of two finds the most probable text", float(found.best[0].ids == everything.ids))
    yield TableEvent(
        "beams",
        ("step", "the beam holds", "log-probability", "Berkeley HW6"),
        [
            (length, " ".join(WORDS[one] for one in node.ids), node.log_probability, known)
            for length, totals in BERKELEY.items()
            for node, known in zip(levels[length], totals, strict=False)
        ],
        "What a beam of two holds after each step. Berkeley HW6's log-probabilities are rounded to two digits, so "
        "that those of a pair do not sum to exactly one; ours are divided by their sum.",
    )
    yield FigureEvent("tree", draw_tree(found, everything), TREE)


def _searches(settings: Settings, context: Context) -> Iterator[Event]:
    gaps: dict[int, list[float]] = {width: [] for width in settings.widths}
    ranks: list[int] = []
    apart, missed = 0.0, 0
    start = torch.tensor([[0]])
    for index in range(settings.models):
        yield ProgressEvent(f"model {index + 1} of {settings.models}", 0.05 + 0.4 * index / settings.models)
        model = small_model(1000 * context.seed + index)
        texts, totals = every_text(model, start, settings.length)
        best = float(totals[:, -1].max())
        ranks.append(worst_rank(texts, totals))
        for width in settings.widths:
            found: Beam = beam_search(model, start, width=width, steps=settings.length).best[0]
            place = sum(token * 5 ** (settings.length - 1 - at) for at, token in enumerate(found.ids))
            apart = max(apart, abs(float(totals[place, -1]) - found.log_probability))
            gaps[width].append(best - found.log_probability)
        wide = beam_search(model, start, width=ranks[-1], steps=settings.length).best[0]
        missed += best - wide.log_probability > 1e-9
    found_it = {width: sum(gap < 1e-9 for gap in each) / len(each) for width, each in gaps.items()}
    for width in settings.widths:
        yield Metric(
            "mean log-probability short of the best", sum(gaps[width]) / len(ranks), at={"width": width}
        )
        yield Metric("share of models in which the best text is found", found_it[width], at={"width": width})
    yield Metric("largest gap between a beam's score and a full pass", apart)
    yield Metric("greedy finds the best text, share of models", found_it[1])
    yield Metric("models in which a beam as wide as the worst rank misses the best text", missed)
    yield Metric("the widest beam finds the best text, share of models", found_it[settings.widths[-1]])
    yield Metric("worst rank of a beginning of the best text, over models", max(ranks))
    yield FigureEvent("search", draw_searches(gaps, found_it, ranks), SEARCH)


def surprise(counts: Tensor, p: Tensor) -> float:
    """The probability that draws from p differ at least so much from what is expected: Pearson's chi-square.

    >>> round(surprise(torch.tensor([60, 40]), torch.tensor([0.5, 0.5])), 4)
    0.0455
    """
    there = p > 0
    expected = p[there].double() * counts.sum()
    statistic = ((counts[there] - expected) ** 2 / expected).sum()
    freedom = torch.tensor((int(there.sum()) - 1) / 2, dtype=torch.float64)
    return float(torch.special.gammaincc(freedom, statistic / 2))


def _samplers(settings: Settings, context: Context) -> Iterator[Event]:
    generator = torch.Generator().manual_seed(context.seed)
    logits = 1.5 * torch.randn(1, 30, generator=generator, dtype=torch.float64)
    rows, pictures, strays = [], {}, 0
    for index, (name, sampler) in enumerate(SAMPLERS.items()):
        yield ProgressEvent(f"draws, {name}", 0.5 + 0.03 * index)
        p = sampler.distribution(logits)[0]
        drawn = sampler.choose(logits.expand(settings.draws, -1), generator=generator)
        counts = drawn.bincount(minlength=30)
        strays += int(counts[p == 0].sum())
        rows.append((name, int((p > 0).sum()), surprise(counts, p)))
        pictures[name] = (p, counts / settings.draws)
    # The smallest of seven is small by chance: what is judged is how small it is for that.
    yield Metric(
        "smallest p-value of the samplers, times their number",
        min(1.0, min(row[2] for row in rows) * len(rows)),
    )
    yield Metric("draws of tokens that the sampler forbids", float(strays))
    wrong = surprise(
        pictures["plain"][1] * settings.draws, SAMPLERS["temperature 0.5"].distribution(logits)[0]
    )
    yield Metric("p-value of plain draws held against temperature 0.5", wrong)
    yield TableEvent(
        "samplers",
        ("sampler", "tokens that may be drawn", "p-value"),
        rows,
        "Draws against the exact distribution, by Pearson's chi-square: a p-value is the chance of a difference at "
        "least so large if the draws are right. Right samplers give p-values spread evenly over 0 to 1.",
    )
    yield FigureEvent("samplers", draw_samplers(pictures), DRAWS)


def _costs(settings: Settings, context: Context) -> Iterator[Event]:
    generator = torch.Generator().manual_seed(context.seed)
    ratios, counts, times = [], {}, {}
    middle = settings.sizes[1]
    grid = [(size, 4, 3) for size in settings.sizes] + [(middle, width, 3) for width in settings.beams]
    grid = list(dict.fromkeys(grid + [(middle, 4, steps) for steps in settings.lengths]))
    for index, (size, width, steps) in enumerate(grid):
        yield ProgressEvent(f"a vocabulary of {size}, a beam of {width}", 0.75 + 0.2 * index / len(grid))
        logs = torch.randn(steps, size, generator=generator).log_softmax(-1)
        best, count = counted_beam_search(logs, width, steps)
        ratios.append(count / formula(width, steps, size))
        counts[size, width, steps] = count
        found, times[size, width, steps] = _timed(logs, width)
        at = {"vocabulary": size, "width": width, "length": steps}
        yield Metric("comparisons", count, at=at)
        yield Metric("milliseconds a step", 1000 * times[size, width, steps], at=at)
        yield Metric("gap between Berkeley HW6's algorithm and ours", abs(best - found), at=at)
    yield Metric("smallest comparisons / formula", min(ratios))
    yield Metric("largest comparisons / formula", max(ratios))
    varied = {"sizes": settings.sizes, "beams": settings.beams, "lengths": settings.lengths}
    yield FigureEvent("cost", draw_costs(counts, times, **varied), COST)


def _timed(logs: Tensor, width: int) -> tuple[float, float]:
    """The best total that our beam search finds on the same words, and its seconds a step, the least of three."""

    def model(ids: Tensor) -> Tensor:
        return logs[ids.shape[1] - 1].expand(*ids.shape, -1)

    least, total = float("inf"), 0.0
    for _ in range(3):
        began = time.perf_counter()
        found = beam_search(model, torch.tensor([[0]]), width=width, steps=len(logs)).best[0]
        total = found.log_probability
        least = min(least, (time.perf_counter() - began) / len(logs))
    return total, least


CLAIMS = (
    Claim("largest gap to Berkeley HW6's six log-probabilities", high=0.01,
          why="−.65, −.73; −1.25, −1.33; −1.85, −1.93; rounded pairs sum to one within 0.4 %, three times", source="Berkeley HW6, 5a-c", items=(39,),
          says="On Berkeley HW6's tree the beam of two holds what the solution says after each step: its six log-probabilities are met within {value:.3f}.",
          otherwise="On Berkeley HW6's tree the beam of two is off the solution's log-probabilities by {value:.3f}.",
          asks="whether the beam of two holds what the solution says"),
    Claim("log-probability of the most probable text of three words", low=-1.47, high=-1.45,
          why="neural neural neural: −.65 − .8 − .01 = −1.46", source="Berkeley HW6, 5d", items=(40,),
          says="On Berkeley HW6's tree the most probable text of three words has a log-probability of {value:.2f}.",
          otherwise="On Berkeley HW6's tree the most probable text of three words has a log-probability of {value:.2f}, not −1.46.",
          asks="what the most probable text of the tree is"),
    Claim("the beam of two finds the most probable text", low=0.0, high=0.0,
          why="neural neural ranks third at step 2", source="Berkeley HW6, 5d", items=(40,),
          says="Beam search does not always find the best text: on Berkeley HW6's tree a beam of two misses the most probable text, whose first two words it drops.",
          otherwise="On Berkeley HW6's tree the beam of two does find the most probable text.",
          asks="whether the beam of two finds the most probable text"),
    Claim("largest gap between a beam's score and a full pass", high=1e-9,
          why="a score is the sum of log-probabilities, with a cache that moves with the beams", source="this experiment", items=(39,),
          says="A beam's score is the log-probability of its text by one full pass (largest gap {value:.2g}).",
          otherwise="A beam's score is off the log-probability of its text by {value:.2g}.",
          asks="whether a beam's score is a log-probability"),
    Claim("greedy finds the best text, share of models", high=0.9,
          why="the best first word is not always the first word of the best text", source="Berkeley HW6, 5", items=(40,),
          says="Greedy search, a beam of one, finds the best text in {value:.0%} of random small models; the widest beam tried in {of[the widest beam finds the best text, share of models]:.0%}.",
          otherwise="Greedy search finds the best text in {value:.0%} of random small models: here the best text mostly begins with the best word.",
          asks="how often greedy search finds the best text"),
    Claim("models in which a beam as wide as the worst rank misses the best text", low=0.0, high=0.0,
          why="a beginning that is among the k best of all is among the k best of those looked at", source="this experiment", items=(40,),
          says="A beam finds the best text whenever it is as wide as the worst rank of a beginning of that text (a width of {of[worst rank of a beginning of the best text, over models]} at most here): so it was in every model.",
          otherwise="In {value} models a beam as wide as the worst rank of a beginning of the best text still misses it.",
          asks="how wide a beam must be to find the best text"),
    Claim("smallest p-value of the samplers, times their number", low=0.001,
          why="draws follow the distribution; by chance it is smaller once in a thousand runs", source="this experiment",
          says="All seven samplers draw what they should: the smallest p-value of a chi-square test, times seven and cut off at 1, is {value:.2g}.",
          otherwise="At least one sampler draws something else than it should: the smallest p-value of a chi-square test, times seven and cut off at 1, is {value:.2g}.",
          asks="whether samplers draw from their distributions"),
    Claim("draws of tokens that the sampler forbids", low=0.0, high=0.0,
          why="top-k, top-p and min-p leave them no probability", source="Jerusalem ex. 5 and Amsterdam A2",
          says="No token was drawn that top-k, top-p or min-p had cut off.",
          otherwise="There were {value} draws of tokens that top-k, top-p or min-p had cut off.",
          asks="whether samplers draw tokens that they cut off"),
    Claim("p-value of plain draws held against temperature 0.5", high=1e-6,
          why="the test must be able to fail", source="this experiment",
          says="The test itself can tell samplers apart: plain draws held against temperature 1/2 have a p-value of {value:.1g}.",
          otherwise="The test cannot tell samplers apart: plain draws held against temperature 1/2 have a p-value of {value:.2g}.",
          asks="whether the test can tell samplers apart"),
    Claim("smallest comparisons / formula", low=0.7,
          why="sorting M in random order takes at least log2 M! ≥ M log2 M − 1.44 M comparisons", source="Berkeley HW6, 5e", items=(41,),
          says="Comparisons counted are never below {value:.0%} of T (K M log₂ M + K² log₂ K²), as the vocabulary M, the width K and the length T vary.",
          otherwise="Comparisons counted fall to {value:.0%} of T (K M log₂ M + K² log₂ K²).",
          asks="whether the cost grows as the formula says, from below"),
    Claim("largest comparisons / formula", high=1.0,
          why="merging sorts take at most M log2 M", source="Berkeley HW6, 5e", items=(41,),
          says="A beam of width K costs of the order of T K M log M comparisons for T of M tokens, if it sorts: those counted are at most {value:.0%} of T (K M log₂ M + K² log₂ K²).",
          otherwise="Counted comparisons exceed the formula T (K M log₂ M + K² log₂ K²): {value:.0%} of it.",
          asks="whether the cost grows as the formula says, from above"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="When does a beam find the most probable text, and what does it cost?",
    method="""Beam search keeps the k most probable beginnings of each length, follows each by every word, and
        keeps the k best of the results. Berkeley HW6's tree is searched first: two words, three steps, k = 2. Its
        figure is known by the numbers in its solution; what they leave open is one minus the other word's
        probability, and after "network network" it cannot matter, since −1.53 is below the best total already.

        Then 40 random models of five tokens, each small enough to try all $5^5$ texts by one full pass: the best of
        all against the best of beams of several widths, 1 being greedy search. For each model the worst rank is
        noted that a beginning of the best text has among all beginnings of its length, and a beam of that width
        is run.

        Seven samplers make draws from one distribution of 30 tokens; Pearson's chi-square tells how surprising
        their counts are. As a check of the check, plain draws are held against the distribution of another
        temperature. Finally Berkeley HW6's algorithm is written out with a comparison that counts itself.""",
    see="""A beam misses the best text if that text begins badly: its beginning is dropped before it can pay off,
        and nothing later brings it back. That a beam as wide as the worst rank of a beginning cannot miss it, and
        what beams cost, is derived in [[theory-beam-search]].""",
    correction=r"""Berkeley HW6, 5e, gives $O(T K M \log M)$, that of sorting, and names a heap as another way. Sorting is not needed to find the k largest: selection
        makes it $O(T K M)$, which is what is run here; the term $K^2 \log K^2$ is of no higher order where $M \ge K$.""",
    claims=CLAIMS,
    opens_with=("models in which a beam as wide as the worst rank misses the best text", "largest comparisons / formula"),
    presets={
        "quick": Settings(),
        "full": Settings(models=400, draws=1_000_000, sizes=(64, 256, 1024, 4096, 16384)),
    },
    seconds=8,
    run=run,
)  # fmt: skip
