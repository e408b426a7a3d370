"""The figures show what they say they show."""

from dataclasses import replace
from math import log
from pathlib import Path

import pytest
import torch

from regard.experiments.text.corpus import load_corpus
from regard.experiments.text.shakespeare.figures import draw_attention, draw_epochs, draw_losses
from regard.models.gpt.model import GPT
from regard.models.gpt.presets import DUKE


def test_losses_stand_beside_accuracies() -> None:
    left, right = draw_epochs([(1.0, 2.5, 2.6, 0.3, 0.25), (2.0, 2.0, 2.2, 0.4, 0.35)]).axes
    drawn = [[list(line.get_ydata()) for line in axis.lines] for axis in (left, right)]
    assert drawn == [[[2.5, 2.0], [2.6, 2.2]], [[0.3, 0.4], [0.25, 0.35]]]
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["training", "test"]
    assert list(left.get_xticks()) == [1, 2]


def test_the_loss_is_held_against_guessing() -> None:
    (axis,) = draw_losses([(0, 4.0), (1, 3.0), (2, 2.5)], [(0, 4.0), (2, 2.75)], 65).axes
    batches, held, guess = axis.lines
    assert list(batches.get_ydata()) == [4.0, 3.0, 2.5] and list(held.get_xdata()) == [0, 2]
    assert guess.get_ydata()[0] == pytest.approx(log(65))


def test_every_head_looks_back_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("ROMEO: What light through yonder window breaks?\n" * 40)
    corpus = load_corpus(str(tmp_path / "text.txt"), shares={"train": 0.5, "test": 0.5}, context=64)
    torch.manual_seed(0)
    model = GPT(replace(DUKE, vocabulary=corpus.tokenizer.size, width=12, heads=3, depth=2))
    axes = draw_attention(model, corpus).axes
    assert len(axes) == 6 and [axis.get_title(loc="left") for axis in axes[:3]] == [
        "head 1",
        "head 2",
        "head 3",
    ]
    assert [axes[i].get_ylabel() for i in (0, 3)] == ["layer 1", "layer 2"]
    for axis in axes:
        shown = torch.from_numpy(axis.images[0].get_array().data)
        assert shown.shape == (32, 32) and not shown.triu(1).any()
        torch.testing.assert_close(shown.square().sum(1), torch.ones(32))
