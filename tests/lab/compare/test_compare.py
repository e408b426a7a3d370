"""Comparing: it stops as soon as the answer is clear, and says when it cannot come."""

from math import ceil
from pathlib import Path

import pytest

from regard.data.sets.text import Text
from regard.lab.compare import compare as module
from regard.lab.compare.compare import MOST, HeldOut, _end, compare, held_out
from regard.lab.compare.contenders import contender
from regard.lab.compare.sequential import stand

TEXT = Text("abc", "the quick brown fox jumps over the lazy dog " * 60, "")


def losses(monkeypatch, first: list[float], second: list[float]) -> None:
    queue = iter([x for pair in zip(first, second, strict=True) for x in pair])
    monkeypatch.setattr(module, "held_out", lambda *_: HeldOut(1.5 * (end := next(queue)), end))


def run(seconds: float, step: float = 1.0, margin: float = 0.02) -> list:
    ticks = iter(range(10**6))
    a, b = contender("position=none"), contender("position=rotary")
    return list(compare(a, b, TEXT, seconds=seconds, margin=margin, clock=lambda: step * next(ticks)))


def test_it_stops_as_soon_as_it_is_settled(monkeypatch) -> None:
    losses(monkeypatch, [2.0, 2.1, 1.9, 0, 0], [1.5, 1.61, 1.4, 0, 0])
    found = run(1000)
    assert len(found) == 3 and found[-1][0].answer == "second" and found[-1][1] == "settled"
    assert found[-1][0].losses == pytest.approx((2.0, 4.51 / 3))
    assert found[-1][0].learning == pytest.approx((1.0, 4.51 / 6)) and found[-1][0].may_turn


def test_the_minutes_that_would_do_are_said_rounded_up() -> None:
    now = stand([2.0, 2.1, 1.9, 2.0], [2.06, 2.04, 1.99, 2.07], 0.02)
    pairs = now.needed(0.02)
    assert 4 < pairs < MOST
    told = "not settled, and it cannot be within the budget: "
    assert _end(now, 0.02, 0.001, 0.0005) == f"{told}about {pairs} pairs; --minutes 1 would do"
    assert _end(now, 0.02, 240, 250) == f"{told}about {pairs} pairs; --minutes {ceil(1.1 * pairs)} would do"
    far = stand([2.0, 2.1, 1.9, 2.0], [2.3, 1.8, 2.2, 1.7], 0.02)
    assert far.needed(0.02) > MOST and _end(far, 0.02, 60, 50).endswith("try a larger --margin")


def test_it_says_so_where_the_budget_cannot_settle_it(monkeypatch) -> None:
    losses(monkeypatch, [2.0, 2.1, 1.9, 2.0], [2.3, 1.8, 2.2, 1.7])
    found = run(60)
    assert found[-1][1].startswith("not settled, and it cannot be within the budget: ")
    losses(monkeypatch, [2.0] * 4, [2.3, 1.8, 2.2, 1.7])
    assert (
        run(1.5)[-1][1]
        == "not settled: the budget ends after 1 of the 3 pairs that are needed; --minutes 1 would do"
    )


@pytest.mark.slow
def test_the_same_seed_gives_the_same_loss_and_learning_lowers_it() -> None:
    from regard.data.tokens.tokenizer import Character
    from regard.data.tokens.windows import Windows, cut

    letters = Character(TEXT.characters)
    windows = Windows(cut(letters.encode(TEXT.characters), {"train": 0.9, "validation": 0.1}), 64)
    one = contender("position=rotary")
    first, again, longer = (held_out(one, windows, letters.size, 0, steps) for steps in (2, 2, 12))
    assert first == again and longer.end < first.end and longer.end < longer.half


LAYER = """
import math, torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads, self.mix, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)))

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (part.view(b, n, self.heads, -1).transpose(1, 2) for part in self.mix(x).split(c, 2))
        scores = (q @ k.mT / math.sqrt(SIZE)).masked_fill(self.mask[:n, :n] == 0, -math.inf)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
"""
"The layer of README, divided by the square root of a size: c is the mistake, q.size(-1) is right."


@pytest.fixture
def layers(tmp_path: Path) -> tuple[str, str]:
    for name, size in (("mine", "c"), ("right", "q.size(-1)")):
        (tmp_path / f"{name}.py").write_text(LAYER.replace("SIZE", size))
    return str(tmp_path / "mine.py"), str(tmp_path / "right.py")


@pytest.mark.slow
def test_a_large_difference_is_settled_by_three_pairs_of_trainings() -> None:
    found = list(compare(contender("width=64"), contender("width=8"), TEXT, seconds=600, steps=10))
    (*_, (standing, reason)) = found
    assert reason == "settled" and standing.answer == "first" and len(found) == 3 and standing.low > 0.2


@pytest.mark.slow
def test_two_files_with_one_layer_are_alike(layers: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "again.py").write_text((tmp_path / "mine.py").read_text())
    two = contender(layers[0]), contender(str(tmp_path / "again.py"))
    (*_, (standing, reason)) = compare(*two, TEXT, seconds=600, steps=2)
    assert (standing.answer, reason, standing.mean, standing.pairs) == ("alike", "settled", 0.0, 3)


@pytest.mark.slow
def test_the_right_scale_is_ahead_of_the_wrong_one(layers: tuple[str, str]) -> None:
    (*_, (standing, _)) = compare(*map(contender, layers), TEXT, seconds=0.0, steps=8)
    assert standing.pairs == 1 and standing.mean < 0


@pytest.mark.slow
def test_one_layer_from_other_first_weights_cannot_be_settled_within_the_budget(
    layers: tuple[str, str], tmp_path: Path
) -> None:
    moved = LAYER.replace("SIZE", "c").replace("super().__init__()", "super().__init__(); torch.rand(9)")
    (tmp_path / "moved.py").write_text(moved)
    both, ticks = (contender(one) for one in (layers[0], str(tmp_path / "moved.py"))), iter(range(100))
    found = list(compare(*both, TEXT, seconds=3.5, margin=1e-5, steps=2, clock=lambda: next(ticks)))
    standing, reason = found[-1]
    assert standing.answer == "open" and standing.pairs == 3 and 0 < abs(standing.mean) < standing.floor
    assert reason.startswith("not settled, and it cannot be within the budget: ")
