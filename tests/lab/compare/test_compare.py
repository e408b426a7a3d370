"""Comparing: it stops as soon as the answer is clear, and says when it cannot come."""

import pytest

from regard.data.sets.text import Text
from regard.lab.compare import compare as module
from regard.lab.compare.compare import compare, held_out
from regard.lab.compare.contenders import contender

TEXT = Text("abc", "the quick brown fox jumps over the lazy dog " * 60, "")


def losses(monkeypatch, first: list[float], second: list[float]) -> None:
    queue = iter([x for pair in zip(first, second, strict=True) for x in pair])
    monkeypatch.setattr(module, "held_out", lambda *_: next(queue))


def run(seconds: float, step: float = 1.0, margin: float = 0.02) -> list:
    ticks = iter(range(10**6))
    a, b = contender("position=none"), contender("position=rotary")
    return list(compare(a, b, TEXT, seconds=seconds, margin=margin, clock=lambda: step * next(ticks)))


def test_it_stops_as_soon_as_it_is_settled(monkeypatch) -> None:
    losses(monkeypatch, [2.0, 2.1, 1.9, 0, 0], [1.5, 1.61, 1.4, 0, 0])
    found = run(1000)
    assert len(found) == 3 and found[-1][0].answer == "second" and found[-1][1] == "settled"


def test_it_says_so_where_the_budget_cannot_settle_it(monkeypatch) -> None:
    losses(monkeypatch, [2.0, 2.1, 1.9, 2.0], [2.3, 1.8, 2.2, 1.7])
    found = run(60)
    assert found[-1][1].startswith("not settled, and it cannot be within the budget: about ")
    losses(monkeypatch, [2.0] * 4, [2.3, 1.8, 2.2, 1.7])
    assert run(1.5)[-1][1] == "not settled: the budget ends after 1 pairs, 3 are needed"


@pytest.mark.slow
def test_the_same_seed_gives_the_same_loss_and_learning_lowers_it() -> None:
    from regard.data.tokens.tokenizer import Character
    from regard.data.tokens.windows import Windows, cut

    letters = Character(TEXT.characters)
    windows = Windows(cut(letters.encode(TEXT.characters), {"train": 0.9, "validation": 0.1}), 64)
    one = contender("position=rotary")
    first, again, longer = (held_out(one, windows, letters.size, 0, steps) for steps in (2, 2, 12))
    assert first == again and longer < first
