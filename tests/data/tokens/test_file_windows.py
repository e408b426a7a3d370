"""Windows of a token file: each token once a pass, pure, exactly as several processes and batches need them."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.data.tokens.file_windows import FileWindows
from regard.data.tokens.token_file import TokenFile, write_tokens
from regard.data.tokens.tokenizer import Character
from regard.errors import RegardError

ALPHABET = "".join(chr(0x4E00 + at) for at in range(211))
"A text of as many characters as tokens: a token tells where it stands."


@pytest.fixture(scope="module")
def tokens(tmp_path_factory) -> TokenFile:
    return write_tokens(tmp_path_factory.mktemp("tokens") / "t", Character(ALPHABET), [ALPHABET])


def test_every_token_is_met_once_in_each_pass(tokens: TokenFile) -> None:
    windows = FileWindows(tokens, context=7, held=30)
    count = (211 - 30 - 1) // 7
    passes = []
    for epoch in range(3):
        rows = [windows.batch("train", epoch * count + at, size=1, seed=5)[0][0] for at in range(count)]
        passes.append([int(one[0]) for one in rows])
        assert sorted(torch.cat(rows).tolist()) == list(range(count * 7))
    assert passes[0] != passes[1] != passes[2] and passes[0] != sorted(passes[0])
    other = [int(windows.batch("train", at, size=1, seed=6)[0][0][0]) for at in range(count)]
    assert other != passes[0]


def test_targets_come_one_later_and_nothing_held_out_is_seen(tokens: TokenFile) -> None:
    windows = FileWindows(tokens, context=7, held=30)
    for number in range(40):
        inputs, targets = windows.batch("train", number, size=9, seed=0)
        assert torch.equal(targets, inputs + 1) and inputs.dtype == torch.int64
        assert targets.max() < 211 - 30


@given(st.integers(0, 10**9), st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**63))
def test_one_large_batch_is_several_small_ones(
    tokens, index: int, size: int, several: int, seed: int
) -> None:
    windows = FileWindows(tokens, context=7, held=30)
    whole, _ = windows.batch("train", index, size=size * several, seed=seed)
    small = [windows.batch("train", index * several + k, size=size, seed=seed)[0] for k in range(several)]
    assert torch.equal(whole, torch.cat(small))


def test_the_end_is_held_out(tokens: TokenFile) -> None:
    windows = FileWindows(tokens, context=7, held=30)
    assert (
        windows.splits["held-out"].tolist() == list(range(181, 211)) and len(windows.splits["train"]) == 181
    )
    covered = torch.cat([targets.flatten() for _, targets in windows.cover("held-out", size=2)])
    assert covered.tolist() == list(range(182, 211))
    assert windows.batch("held-out", 0, size=3, seed=0)[0].min() >= 181
    with pytest.raises(RegardError, match="no split of that name"):
        windows.batch("test", 0, size=1, seed=0)


@pytest.mark.parametrize(("context", "held"), [(0, 30), (30, 30), (7, 205), (200, 5)])
def test_a_file_too_short_for_its_window_is_told(tokens: TokenFile, context: int, held: int) -> None:
    with pytest.raises(RegardError, match="the token file is too short for its context"):
        FileWindows(tokens, context, held)
