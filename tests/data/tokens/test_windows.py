"""Batches: pure, inside their split, spread evenly; the whole of a split is covered exactly once."""

import numpy
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch import Tensor

from regard.data.tokens import windows as dataset
from regard.data.tokens.windows import Windows, cut
from regard.errors import RegardError

SIZES = st.integers(1, 13)
SEEDS = st.integers(0, 2**64 - 1)


def windows(length: int = 101, context: int = 7) -> Windows:
    """The tokens are their own places, so that a batch tells where it came from."""
    return Windows(cut(torch.arange(length), {"train": 0.7, "validation": 0.3}), context)


@given(st.integers(0, 10**12), SIZES, SEEDS)
def test_a_batch_is_a_pure_function_of_its_number(index: int, size: int, seed: int) -> None:
    first = windows().batch("train", index, size=size, seed=seed)
    torch.manual_seed(index % 997)
    numpy.random.seed(size)
    windows().batch("validation", index + 1, size=3, seed=seed)
    again = windows().batch("train", index, size=size, seed=seed)
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))


@given(st.integers(0, 10**6), SIZES, SEEDS, st.sampled_from(["train", "validation"]))
def test_windows_stay_in_their_split_and_targets_come_one_later(
    index: int, size: int, seed: int, split: str
) -> None:
    inputs, targets = windows().batch(split, index, size=size, seed=seed)
    low, high = {"train": (0, 70), "validation": (70, 101)}[split]
    assert inputs.shape == targets.shape == (size, 7)
    assert inputs.dtype == targets.dtype == torch.int64
    assert torch.equal(targets, inputs + 1)
    assert torch.equal(inputs.diff(dim=1), torch.ones(size, 6, dtype=torch.int64))
    assert low <= inputs.min()
    assert targets.max() < high


@given(st.integers(0, 10**6), SIZES, st.integers(1, 5), SEEDS)
def test_one_large_batch_is_several_small_ones(index: int, size: int, several: int, seed: int) -> None:
    """What accumulation and data-parallel training rest on."""
    whole, _ = windows().batch("train", index, size=size * several, seed=seed)
    small = [windows().batch("train", index * several + k, size=size, seed=seed)[0] for k in range(several)]
    assert torch.equal(whole, torch.cat(small))


def test_every_start_is_drawn_equally_often() -> None:
    inputs, _ = windows().batch("train", 0, size=63_000, seed=5)
    counts = torch.bincount(inputs[:, 0], minlength=63).double()
    assert len(counts) == 63, "the last window ends at the last token"
    # Chi-squared with 62 degrees of freedom passes 150 by chance less than once in a hundred million.
    assert ((counts - 1000) ** 2 / 1000).sum() < 150


def test_seeds_splits_and_numbers_all_matter() -> None:
    even = Windows({"one": torch.arange(10**6), "two": torch.arange(10**6)}, 3)
    draws = [
        even.batch(name, k, size=5, seed=s)[0] for name in ("one", "two") for k in (0, 1) for s in (0, 1)
    ]
    assert len({tuple(draw.flatten().tolist()) for draw in draws}) == 8


def test_the_draw_is_the_one_that_was_written_down() -> None:
    """Another draw would silently change every run that is resumed."""
    assert dataset._draw("train", 41, 3, 7).tolist() == [
        5687389752164111208,
        1483262670383421266,
        4932167713164712044,
    ]


@given(st.integers(2, 60), st.integers(1, 11), SIZES)
def test_cover_makes_each_token_but_the_first_a_target_once(length: int, context: int, size: int) -> None:
    context = min(context, length - 1)
    ids = torch.arange(length)
    batches = list(Windows({"validation": ids}, context).cover("validation", size=size))
    assert torch.equal(torch.cat([targets.flatten() for _, targets in batches]), ids[1:])
    assert torch.equal(torch.cat([inputs.flatten() for inputs, _ in batches]), ids[:-1])
    assert all(inputs.shape == targets.shape for inputs, targets in batches)
    assert all(len(inputs) <= size for inputs, _ in batches)
    assert {inputs.shape[1] for inputs, _ in batches[:-1]} <= {context}


@example(10, [1] * 10)
@given(st.integers(1, 10**6), st.lists(st.integers(1, 50), min_size=1, max_size=4))
def test_fractions_divide_a_text_without_gap_or_overlap(length: int, weights: list[int]) -> None:
    shares = {f"split {k}": weight / sum(weights) for k, weight in enumerate(weights)}
    parts = cut(torch.arange(length), shares)
    assert list(parts) == list(shares)
    assert torch.equal(torch.cat(list(parts.values())), torch.arange(length))
    assert all(abs(len(parts[name]) - share * length) <= 1 for name, share in shares.items())


@pytest.mark.parametrize(
    ("shares", "lengths"),
    [
        ({"train": 0.9, "validation": 0.1}, [1_003_854, 111_540]),
        ({"train": 0.95, "validation": 0.05}, [1_059_624, 55_770]),
        ({"train": 1_000_000, "validation": 17}, [1_000_000, 17]),
    ],
)
def test_a_known_text_is_divided_as_expected(shares: dict[str, float], lengths: list[int]) -> None:
    parts = cut(torch.arange(1_115_394), shares)
    assert [len(part) for part in parts.values()] == lengths


@pytest.mark.parametrize(
    "shares",
    [
        {"a": 0.5, "b": 0.4},
        {"a": 0.7, "b": 0.7},
        {"a": 6, "b": 6},
        {"a": 1.5, "b": -0.5},
        {"a": 0, "b": 3},
        {"a": 1, "b": 0.0},
    ],
)
def test_shares_that_do_not_fit_are_told(shares: dict[str, float]) -> None:
    with pytest.raises(RegardError) as raised:
        cut(torch.arange(11), shares)
    assert str(raised.value) == (
        "the parts do not fit the text\n"
        f"  got: {shares} of 11 tokens\n"
        "  fix: pass fractions that sum to 1, or numbers of tokens that sum to no more than the text has"
    )


def test_a_text_too_short_for_its_context_is_told() -> None:
    assert Windows({"train": torch.arange(8)}, 7).batch("train", 0, size=1, seed=0)[1].max() == 7
    with pytest.raises(RegardError) as raised:
        Windows({"train": torch.arange(50), "validation": torch.arange(7)}, 7)
    assert str(raised.value) == (
        "the text is too short for its context\n"
        "  got: validation has 7 tokens, a window needs 8\n"
        "  fix: pass a context below 7, or a longer text"
    )
    with pytest.raises(RegardError, match=r"^a window holds at least one token\n  got: context=0\n"):
        Windows({"train": torch.arange(50)}, 0)


@pytest.mark.parametrize(("index", "size", "seed"), [(-1, 1, 0), (0, 0, 0), (0, 1, -1), (0, 1, 2**64)])
def test_a_batch_that_cannot_be_is_told(index: int, size: int, seed: int) -> None:
    with pytest.raises(RegardError) as raised:
        windows().batch("train", index, size=size, seed=seed)
    assert str(raised.value) == (
        "no such batch\n"
        f"  got: index={index}, size={size}, seed={seed}\n"
        "  fix: index >= 0, size from 1 to 1000000000, seed from 0 to 2**64 - 1"
    )


def test_a_split_or_size_that_is_not_there_is_told() -> None:
    with pytest.raises(RegardError) as raised:
        windows().batch("validate", 0, size=1, seed=0)
    assert str(raised.value) == "no split of that name\n  got: 'validate'\n  fix: did you mean 'validation'?"
    with pytest.raises(RegardError, match=r"^a batch holds at least one window\n  got: size=0\n"):
        next(windows().cover("train", size=0))


def test_the_last_window_fits_and_a_draw_that_forgets_its_place_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The saboteurs: the largest start that is allowed, and a stream that forgets its counter."""
    monkeypatch.setattr(dataset, "_draw", lambda split, first, count, seed: numpy.full(count, 62))
    _, targets = windows().batch("train", 0, size=1, seed=0)
    assert targets.max() == 69, "the last window of a split of 70 ends at its last token"
    monkeypatch.setattr(dataset, "_draw", lambda split, first, count, seed: numpy.arange(count))
    whole: Tensor = windows().batch("train", 0, size=4, seed=0)[0]
    halves = torch.cat([windows().batch("train", k, size=2, seed=0)[0] for k in (0, 1)])
    assert not torch.equal(whole, halves)
