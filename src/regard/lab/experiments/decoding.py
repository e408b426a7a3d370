"""Greedy, beam and exhaustive search, samplers and what they cost. About 8 s on a CPU.   regard run decoding"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import product
from math import exp, log, log2

import torch
from torch import Tensor

from regard.claims import Claim
from regard.generation.beam import Beam, Node, Search, beam_search
from regard.generation.sampling import Sampler
from regard.lab.events import Doing, Drawn, Event, Measured, Tabled
from regard.lab.experiment import Experiment, Session
from regard.lab.figures import BLACK, BLUE, GREEN, ORANGE, RED, panels, style
from regard.models.config import Config
from regard.models.gpt import GPT

WORDS = ("neural", "network")
AFTER: dict[tuple[int, ...], tuple[float, float]] = {
    (): (-0.65, -0.73), (0,): (-0.8, -0.6), (1,): (-0.6, -0.8),
    (0, 0): (-0.01, log(1 - exp(-0.01))), (0, 1): (-0.8, -0.6), (1, 0): (-0.8, -0.6), (1, 1): (-0.6, -0.8),
}  # fmt: skip
"Figure 2 of document 001: the log-probability of each word after each beginning."
DOCUMENT = {1: (-0.65, -0.73), 2: (-1.25, -1.33), 3: (-1.85, -1.93)}
"Document 001, 5a to 5c: what a beam of two holds after each step."
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


def documents_model(ids: Tensor) -> Tensor:
    """Document 001's decoder as a model: a first id that stands for the start, then the two words."""
    rows = [[AFTER[tuple(row[1 : end + 1])] for end in range(len(row))] for row in ids.tolist()]
    return torch.tensor(rows, dtype=torch.float64)


def run(settings: Settings, session: Session) -> Iterator[Event]:
    """The document's tree, beams on random models, samplers, then the cost."""
    yield from _document()
    yield from _searches(settings, session)
    yield from _samplers(settings, session)
    yield from _costs(settings, session)


def _document() -> Iterator[Event]:
    found = beam_search(documents_model, torch.tensor([[0]]), width=2, steps=3)
    levels: dict[int, list[Node]] = {}
    for node in found.tree():
        levels.setdefault(len(node.ids), []).append(node)
    apart = [
        abs(node.log_probability - known)
        for length, totals in DOCUMENT.items()
        for node, known in zip(levels[length], totals, strict=False)
    ]
    yield Measured("largest gap to the document's six log-probabilities", max(apart))
    everything = beam_search(documents_model, torch.tensor([[0]]), width=8, steps=3).best[0]
    yield Measured("log-probability of the most probable text of three words", everything.log_probability)
    yield Measured("the beam of two finds it", float(found.best[0].ids == everything.ids))
    yield Tabled(
        "beams",
        ("step", "the beam holds", "log-probability", "document"),
        [
            (length, " ".join(WORDS[one] for one in node.ids), node.log_probability, known)
            for length, totals in DOCUMENT.items()
            for node, known in zip(levels[length], totals, strict=False)
        ],
        "What a beam of two holds after each step. The document's log-probabilities are rounded to two digits, so "
        "that those of a pair do not sum to exactly one; ours are divided by their sum.",
    )
    yield Drawn("tree", _tree(found, everything), TREE)


def small_model(seed: int) -> GPT:
    """A random model of five tokens whose next token depends on all before."""
    torch.manual_seed(seed)
    config = Config(
        vocabulary=5, context=16, depth=2, heads=2, width=8, position="rotary", tied=False, deviation=0.5
    )
    return GPT(config).double().eval()


@torch.no_grad()
def every_text(model: GPT, start: Tensor, length: int) -> tuple[Tensor, Tensor]:
    """All texts of a length, and the log-probabilities of all their beginnings, by one full pass."""
    texts = torch.tensor(list(product(range(5), repeat=length)))
    ids = torch.cat([start.expand(len(texts), -1), texts], 1)
    each = model(ids[:, :-1]).log_softmax(-1)[:, start.shape[1] - 1 :].gather(2, texts[..., None])[..., 0]
    return texts, each.cumsum(1)


def worst_rank(texts: Tensor, totals: Tensor) -> int:
    """The worst place that a beginning of the most probable text has among all of its length."""
    best, worst = int(totals[:, -1].argmax()), 1
    for length in range(1, texts.shape[1]):
        step = 5 ** (texts.shape[1] - length)  # texts are in order, so that each beginning comes in a block
        worst = max(worst, 1 + int((totals[::step, length - 1] > totals[best, length - 1]).sum()))
    return worst


def _searches(settings: Settings, session: Session) -> Iterator[Event]:
    gaps: dict[int, list[float]] = {width: [] for width in settings.widths}
    ranks: list[int] = []
    apart, kept_promise = 0.0, True
    start = torch.tensor([[0]])
    for index in range(settings.models):
        yield Doing(f"model {index + 1} of {settings.models}", 0.05 + 0.4 * index / settings.models)
        model = small_model(1000 * session.seed + index)
        texts, totals = every_text(model, start, settings.length)
        best = float(totals[:, -1].max())
        ranks.append(worst_rank(texts, totals))
        for width in settings.widths:
            found: Beam = beam_search(model, start, width=width, steps=settings.length).best[0]
            place = sum(token * 5 ** (settings.length - 1 - at) for at, token in enumerate(found.ids))
            apart = max(apart, abs(float(totals[place, -1]) - found.log_probability))
            gaps[width].append(best - found.log_probability)
            kept_promise &= ranks[-1] > width or gaps[width][-1] < 1e-9
    found_it = {width: sum(gap < 1e-9 for gap in each) / len(each) for width, each in gaps.items()}
    for width in settings.widths:
        yield Measured(
            "mean log-probability short of the best", sum(gaps[width]) / len(ranks), at={"width": width}
        )
        yield Measured(
            "share of models in which the best text is found", found_it[width], at={"width": width}
        )
    yield Measured("largest gap between a beam's score and a full pass", apart)
    yield Measured("smallest log-probability short of the best", min(min(each) for each in gaps.values()))
    yield Measured("greedy finds the best text, share of models", found_it[1])
    yield Measured("a beam as wide as the worst rank of a beginning always finds it", float(kept_promise))
    yield Measured("the widest beam finds the best text, share of models", found_it[settings.widths[-1]])
    yield Drawn("search", _search_figure(settings, gaps, found_it, ranks), SEARCH)


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


def _samplers(settings: Settings, session: Session) -> Iterator[Event]:
    generator = torch.Generator().manual_seed(session.seed)
    logits = 1.5 * torch.randn(1, 30, generator=generator, dtype=torch.float64)
    rows, pictures, strays = [], {}, 0
    for index, (name, sampler) in enumerate(SAMPLERS.items()):
        yield Doing(f"draws, {name}", 0.5 + 0.03 * index)
        p = sampler.distribution(logits)[0]
        drawn = sampler.choose(logits.expand(settings.draws, -1), generator=generator)
        counts = drawn.bincount(minlength=30)
        strays += int(counts[p == 0].sum())
        rows.append((name, int((p > 0).sum()), surprise(counts, p)))
        pictures[name] = (p, counts / settings.draws)
    # The smallest of seven is small by chance: what is judged is how small it is for that.
    yield Measured(
        "smallest p-value of the samplers, times their number",
        min(1.0, min(row[2] for row in rows) * len(rows)),
    )
    yield Measured("draws of tokens that the sampler forbids", float(strays))
    wrong = surprise(
        pictures["plain"][1] * settings.draws, SAMPLERS["temperature 0.5"].distribution(logits)[0]
    )
    yield Measured("p-value of plain draws held against temperature 0.5", wrong)
    yield Tabled(
        "samplers",
        ("sampler", "tokens that may be drawn", "p-value"),
        rows,
        "Draws against the exact distribution, by Pearson's chi-square: a p-value is the chance of a difference at "
        "least so large if the draws are right. Right samplers give p-values spread evenly over 0 to 1.",
    )
    yield Drawn("samplers", _sampler_figure(pictures), DRAWS)


def document_beam(logs: Tensor, width: int, steps: int) -> tuple[float, int]:
    """Document 001's algorithm as it is analysed there, for a model whose words do not depend on each other.

    Sorts the words after each beam, keeps the best `width` of each, and sorts those of all beams; gives the best
    total and how many comparisons were made.
    """
    count = 0

    def compare(a: tuple, b: tuple) -> int:
        nonlocal count
        count += 1
        return -1 if a[0] > b[0] else 1

    beams: list[float] = [0.0]
    for step in range(steps):
        each = logs[step].tolist()
        candidates = []
        for total in beams:
            after = sorted(
                ((total + value, token) for token, value in enumerate(each)), key=cmp_to_key(compare)
            )
            candidates += after[:width]
        beams = [total for total, _ in sorted(candidates, key=cmp_to_key(compare))[:width]]
    return beams[0], count


def formula(width: int, steps: int, size: int) -> float:
    """K M log M + K² log K² for each step; in the first there is one beam, whose words are sorted already."""
    later = width * size * log2(size) + width**2 * log2(max(2, width**2))
    return size * log2(size) + (steps - 1) * later


def _costs(settings: Settings, session: Session) -> Iterator[Event]:
    generator = torch.Generator().manual_seed(session.seed)
    ratios, counts, times = [], {}, {}
    middle = settings.sizes[1]
    grid = [(size, 4, 3) for size in settings.sizes] + [(middle, width, 3) for width in settings.beams]
    grid = list(dict.fromkeys(grid + [(middle, 4, steps) for steps in settings.lengths]))
    for index, (size, width, steps) in enumerate(grid):
        yield Doing(f"a vocabulary of {size}, a beam of {width}", 0.75 + 0.2 * index / len(grid))
        logs = torch.randn(steps, size, generator=generator).log_softmax(-1)
        best, count = document_beam(logs, width, steps)
        ratios.append(count / formula(width, steps, size))
        counts[size, width, steps] = count
        found, times[size, width, steps] = _timed(logs, width)
        at = {"vocabulary": size, "width": width, "length": steps}
        yield Measured("comparisons", count, at=at)
        yield Measured("milliseconds a step", 1000 * times[size, width, steps], at=at)
        yield Measured("gap between the document's algorithm and ours", abs(best - found), at=at)
    yield Measured("smallest comparisons / formula", min(ratios))
    yield Measured("largest comparisons / formula", max(ratios))
    yield Drawn("cost", _cost_figure(settings, counts, times), COST)


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


def _tree(found: Search, best: Beam):
    states = {node.ids: node.state for node in found.tree()} | {(): "kept"}
    place: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, 3.5)}
    for length in (1, 2, 3):
        for index, ids in enumerate(product((0, 1), repeat=length)):
            place[ids] = (float(length), 7 - (index + 0.5) * 8 / 2**length + 0.5)
    with style():
        figure, (axis,) = panels(width=7.4, height=4.0)
        for ids, (x, y) in place.items():
            on_best, kept = best.ids[: len(ids)] == ids, states.get(ids) == "kept"
            colour = BLUE if kept else "#999999"
            if ids:
                before = place[ids[:-1]]
                axis.plot(
                    (before[0], x), (before[1], y), marker="", color=RED if on_best else colour,
                    linestyle="-" if kept else ":", linewidth=1.8 if kept or on_best else 1.0, zorder=1,
                )  # fmt: skip
                total = sum(AFTER[ids[:end]][ids[end]] for end in range(len(ids)))
                label = f"{WORDS[ids[-1]]}  {total:.2f}"
            else:
                label = "start"
            axis.text(
                x, y, label, ha="center", va="center", fontsize=9.5, color=colour if not on_best else RED,
                bbox={"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": colour}, zorder=2,
            )  # fmt: skip
        axis.set(xlim=(-0.3, 3.5), ylim=(-0.3, 7.8), xticks=range(4), yticks=[], xlabel="words so far")
        axis.set_title("a beam of two on document 001's tree")
        axis.grid(False)
        axis.spines["left"].set_visible(False)
        return figure


def _search_figure(
    settings: Settings, gaps: dict[int, list[float]], found_it: dict[int, float], ranks: list[int]
):
    with style():
        figure, (left, right) = panels(2, width=7.6, height=3.2)
        means = [sum(each) / len(each) for each in gaps.values()]
        left.plot(settings.widths, means, color=BLUE)
        left.set(
            xscale="log", xticks=settings.widths, xticklabels=settings.widths, xlabel="width of the beam",
            title="log-probability short of the best", ylim=(0, None),
        )  # fmt: skip
        left.minorticks_off()
        right.plot(settings.widths, list(found_it.values()), color=BLUE, label="the beam finds the best")
        below = [sum(rank <= width for rank in ranks) / len(ranks) for width in settings.widths]
        right.plot(
            settings.widths,
            below,
            color=BLACK,
            marker="",
            linestyle=":",
            label="no beginning of the best ranks worse",
        )
        right.set(
            xscale="log", xticks=settings.widths, xticklabels=settings.widths, xlabel="width of the beam",
            title="share of models", ylim=(0, 1.05),
        )  # fmt: skip
        right.minorticks_off()
        right.legend(loc="lower right")
        return figure


def _sampler_figure(pictures: dict[str, tuple[Tensor, Tensor]]):
    shown = ("plain", "temperature 0.5", "top-k 5", "top-p 0.9")
    order = pictures["plain"][0].argsort(descending=True)
    with style():
        figure, axes = panels(2, 2, width=7.6, height=2.4)
        for axis, name in zip(axes, shown, strict=True):
            exact, drawn = (part[order].tolist() for part in pictures[name])
            axis.bar(range(30), drawn, color=ORANGE, label="drawn")
            axis.plot(range(30), exact, color=BLACK, marker="_", markersize=7, linestyle="", label="exact")
            axis.set_title(name)
        for axis in axes[2:]:
            axis.set_xlabel("token, the most probable first")
        for axis in axes[::2]:
            axis.set_ylabel("probability")
        axes[0].legend()
        return figure


def _cost_figure(
    settings: Settings, counts: dict[tuple[int, int, int], int], times: dict[tuple[int, int, int], float]
):
    middle = settings.sizes[1]
    varied = {
        f"M from {settings.sizes[0]} to {settings.sizes[-1]}": [(size, 4, 3) for size in settings.sizes],
        f"K from {settings.beams[0]} to {settings.beams[-1]}": [
            (middle, width, 3) for width in settings.beams
        ],
        f"T from {settings.lengths[0]} to {settings.lengths[-1]}": [
            (middle, 4, one) for one in settings.lengths
        ],
    }
    with style():
        figure, (left, right) = panels(2, width=7.6, height=3.4)
        for name, cases in varied.items():
            expected = [formula(width, steps, size) for size, width, steps in cases]
            left.plot(expected, [counts[case] for case in cases], linestyle="", markersize=6, label=name)
        ends = [min(counts.values()), max(counts.values()) / 0.8]
        left.plot(ends, ends, color=BLACK, marker="", linestyle=":", label="equal")
        left.set(
            xscale="log", yscale="log", xlabel="T (K M log₂ M + K² log₂ K²)", title="comparisons counted"
        )
        left.legend()
        milliseconds = [1e3 * times[size, 4, 3] for size in settings.sizes]
        right.plot(range(len(settings.sizes)), milliseconds, color=GREEN)
        right.set(
            xlabel="vocabulary M", title="our milliseconds a step, K = 4", ylim=(0, 1.15 * max(milliseconds)),
            xticks=range(len(settings.sizes)), xticklabels=settings.sizes,
        )  # fmt: skip
        return figure


TREE = (
    "Boxes are beginnings with their log-probabilities, the sums along their paths. Blue: what the beam of two holds "
    "after each step. Dotted: dropped, or never looked at. Red: the most probable text of three words; its first two "
    "words rank third, so the beam loses it at step 2."
)
SEARCH = (
    "Left: how much log-probability the best text of a beam lacks, on average over random models, against all texts "
    "tried one by one; a width of 1 is greedy search. Right: how often the beam finds the best text. It always does "
    "where every beginning of the best text is among the `width` most probable of its length (dotted), and sometimes "
    "by luck where one is not: then those ranked before it were themselves dropped earlier."
)
DRAWS = "Bars: the share of draws of each token. Marks: the exact probability that the sampler gives it."
COST = (
    "Left: comparisons of the document's algorithm (sort the words after each beam, then the best of all beams), "
    "counted, against its formula, as the vocabulary M, the width K and the length T are varied one at a time around "
    "M = 256, K = 4, T = 3. Right: what our beam search takes on the same words; it selects the largest in place "
    "of sorting, and at small vocabularies most of the time goes into calls, not into words."
)

EXPERIMENT = Experiment(
    chapter="text",
    question="When does a beam find the most probable text, do samplers draw what they should, and what does a beam cost?",
    answers=(39, 40, 41),
    method="""Beam search keeps the k most probable beginnings of each length, follows each by every word, and
        keeps the k best of the results. Document 001's tree is searched first: two words, three steps, k = 2. Its
        figure is known by the numbers in its solution; what they leave open is one minus the other word's
        probability, and after "network network" it cannot matter, since −1.53 is below the best total already.

        Then 40 random models of five tokens, each small enough to try all 5⁵ texts by one full pass: the best of
        all against the best of beams of several widths, 1 being greedy search. For each model the worst rank is
        noted that a beginning of the best text has among all beginnings of its length.

        Seven samplers make draws from one distribution of 30 tokens; Pearson's chi-square tells how surprising
        their counts are. As a check of the check, plain draws are held against the distribution of another
        temperature. Finally the document's algorithm is written out with a comparison that counts itself.""",
    see="""A beam fails where the best text begins badly: it then drops the beginning before it can pay off, and
        nothing later brings it back. Wider beams fail less, and one as wide as the worst rank never does. Greedy
        search is the narrowest beam and fails most. The price is linear in k, in the length T and nearly so in the
        vocabulary M.""",
    correction="""Document 001, 5e, gives O(T K M log M). Sorting is not needed to find the k largest: selection
        makes it O(T K M), which is what is run here; the sum K² log K² is smaller where M ≥ K.""",
    claims=(
        Claim(
            name="largest gap to the document's six log-probabilities",
            high=0.01,
            why="−.65, −.73; −1.25, −1.33; −1.85, −1.93; rounded pairs sum to one within 0.4 %, three times",
            source="document 001, 5a-c",
        ),
        Claim(
            name="log-probability of the most probable text of three words",
            low=-1.47,
            high=-1.45,
            why="neural neural neural: −.65 − .8 − .01 = −1.46",
            source="document 001, 5d",
        ),
        Claim(
            name="the beam of two finds it",
            low=0.0,
            high=0.0,
            why="neural neural ranks third at step 2",
            source="document 001, 5d",
        ),
        Claim(
            name="largest gap between a beam's score and a full pass",
            high=1e-9,
            why="a score is the sum of log-probabilities, with a cache that moves with the beams",
            source="this experiment",
        ),
        Claim(
            name="smallest log-probability short of the best",
            low=-1e-9,
            why="no search finds more than there is",
            source="this experiment",
        ),
        Claim(
            name="greedy finds the best text, share of models",
            high=0.9,
            why="the best first word is not always the first word of the best text",
            source="document 001, 5",
        ),
        Claim(
            name="a beam as wide as the worst rank of a beginning always finds it",
            low=1.0,
            high=1.0,
            why="a beginning that is among the k best of all is among the k best of those looked at",
            source="this experiment",
        ),
        Claim(
            name="smallest p-value of the samplers, times their number",
            low=0.001,
            why="draws follow the distribution; by chance it is smaller once in a thousand runs",
            source="this experiment",
        ),
        Claim(
            name="draws of tokens that the sampler forbids",
            low=0.0,
            high=0.0,
            why="top-k, top-p and min-p leave them no probability",
            source="documents 002 and 003",
        ),
        Claim(
            name="p-value of plain draws held against temperature 0.5",
            high=1e-6,
            why="the test must be able to fail",
            source="this experiment",
        ),
        Claim(
            name="smallest comparisons / formula",
            low=0.7,
            why="sorting M in random order takes at least log2 M! ≥ M log2 M − 1.44 M comparisons",
            source="document 001, 5e",
        ),
        Claim(
            name="largest comparisons / formula",
            high=1.0,
            why="merging sorts take at most M log2 M",
            source="document 001, 5e",
        ),
    ),
    presets={
        "quick": Settings(),
        "full": Settings(models=400, draws=1_000_000, sizes=(64, 256, 1024, 4096, 16384)),
    },
    seconds=8,
    run=run,
)
