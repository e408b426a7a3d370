"""Confusion matrix of composers, told: who is taken for whom, both ways, F1, and whether time parts them."""

from itertools import combinations
from statistics import fmean

from torch import Tensor

from regard.data.sets.music import COMPOSERS
from regard.lab.events import TableEvent
from regard.shapes import Int

BORN = {
    "Bach": 1685, "Beethoven": 1770, "Ciconia": 1370, "Monteverdi": 1567, "Mozart": 1756, "Palestrina": 1525,
}  # fmt: skip
CENTURY = 100
PAIRS = tuple(combinations(range(len(COMPOSERS)), 2))


def share(counts: Int[Tensor, "k k"], truth: int, answer: int) -> float:
    """Of the scraps of one composer, the per cent that are given to another."""
    return 100 * counts[truth, answer].item() / max(1, int(counts[truth].sum()))


def f1(counts: Int[Tensor, "k k"], one: int) -> float:
    """2 · hits / (there + answered): 1 where nothing is missed and nothing is taken for it."""
    return 2 * counts[one, one].item() / max(1, int(counts[one].sum() + counts[:, one].sum()))


def by_age(counts: Int[Tensor, "k k"], *, near: bool) -> float:
    """The mean confusion of pairs born within a century of each other, or of all others, in per cent."""
    chosen = [(a, b) for a, b in PAIRS if (abs(BORN[COMPOSERS[a]] - BORN[COMPOSERS[b]]) <= CENTURY) == near]
    return fmean(share(counts, *way) for a, b in chosen for way in ((a, b), (b, a)))


def ranked(counts: Int[Tensor, "k k"]) -> list[tuple[float, int, int]]:
    """Each pair with both its confusions added, those most often confused first."""
    return sorted(
        ((share(counts, a, b) + share(counts, b, a), a, b) for a, b in PAIRS), key=lambda row: -row[0]
    )


def confused_pairs(counts: Int[Tensor, "k k"]) -> TableEvent:
    """Each pair, those most often confused first."""
    return TableEvent(
        "confused pairs",
        ("pair", "first taken for second, %", "second taken for first, %", "years between their births"),
        [
            (
                f"{COMPOSERS[a]}, {COMPOSERS[b]}",
                f"{share(counts, a, b):.1f}",
                f"{share(counts, b, a):.1f}",
                abs(BORN[COMPOSERS[a]] - BORN[COMPOSERS[b]]),
            )
            for _, a, b in ranked(counts)
        ],
        "Who is taken for whom, over all folds: each pair of composers, both ways round, those most often confused first.",
    )


def most_confused(counts: Int[Tensor, "k k"]) -> str:
    """The pair most often confused, and whether it goes both ways."""
    both, a, b = ranked(counts)[0]
    if not both:
        return "No scrap is given to another composer."
    there, back = share(counts, a, b), share(counts, b, a)
    ways = "mostly one way" if min(there, back) < max(there, back) / 3 else "both ways"
    return (
        f"Most often confused are {COMPOSERS[a]} and {COMPOSERS[b]}, {ways}: {there:.0f} % of {COMPOSERS[a]}'s scraps are given to "
        f"{COMPOSERS[b]}, {back:.0f} % of {COMPOSERS[b]}'s to {COMPOSERS[a]}."
    )


def f1_by_composer(counts: Int[Tensor, "k k"]) -> TableEvent:
    """How well each composer is told."""
    rows = [(name, int(counts[one].sum()), f"{f1(counts, one):.3f}") for one, name in enumerate(COMPOSERS)]
    return TableEvent(
        "F1 by composer",
        ("composer", "scraps", "F1"),
        rows,
        "F1 of each composer: 1 where no scrap is missed and none of another's is taken for his.",
    )
