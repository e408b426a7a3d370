from pathlib import Path

import pytest
import torch

from regard.lab.experiment import Context
from regard.lab.text_model import load_text_model
from regard.lab.train.choice import Asked, choose
from regard.lab.train.corpus import read_corpus
from regard.lab.train.lesson import FOLDER, TextLesson, prepare
from regard.training import ALONE, evaluate

SMALL = ("model.depth=1", "model.heads=1", "model.width=8", "batch=2")


def prepared(folder: Path, *changes: str, **words) -> TextLesson:
    settings = choose(Asked(texts=("mine.txt",), steps=4, changes=SMALL + changes, **words)).settings
    return prepare(settings, Context(folder=folder), read_corpus(settings.texts), ALONE)


def test_a_lesson_goes_on_where_its_checkpoint_left_it(mine: Path) -> None:
    first = prepared(mine / "run")
    assert first.share == 0.0 and first.sentence == ""
    steps = iter(first.training)
    next(steps)
    first.checkpoints.save(first.training.state(), metric=2.0)
    again = prepared(mine / "run")
    assert again.training.step == 1 and 0.25 <= again.share < 0.5 and "goes on after step 1" in again.sentence
    for one, other in zip(first.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(one, other)
    list(again.training)
    assert again.share == 1.0


def test_it_is_judged_by_what_was_held_out(mine: Path) -> None:
    lesson = prepared(mine / "run")
    ids = lesson.windows.splits["held-out"]
    assert lesson.tokenizer.decode(ids) == Path("mine.txt").read_text()[-123:]
    whole = evaluate(lesson.model, lesson.windows.cover("held-out", size=1))
    assert lesson.judge() == pytest.approx(whole) and lesson.glimpse() == lesson.glimpse()


def test_a_sample_begins_with_a_line_of_the_text_and_ends_in_time(mine: Path) -> None:
    lesson = prepared(mine / "run")
    said = lesson.sample(60.0)
    assert said.startswith("to be or") and len(said) == 8 + 160 and said == lesson.sample(60.0)
    assert len(lesson.sample(0.0)) == 9


def test_the_tokenizer_of_a_run_that_is_taken_up_is_its_own(mine: Path, monkeypatch) -> None:
    prepared(mine / "run")
    monkeypatch.setattr("regard.lab.train.lesson.make_tokenizer", None)
    assert prepared(mine / "run").tokenizer.size == 15


def test_it_begins_with_the_weights_of_a_run(mine: Path) -> None:
    first = prepared(mine / "run")
    list(first.training)
    first.checkpoints.save(first.training.state(), metric=2.0)
    onward = prepare(
        choose(Asked(texts=("mine.txt",), steps=4, start=mine / "run")).settings,
        Context(folder=mine / "other"), read_corpus(("mine.txt",)), ALONE,
    )  # fmt: skip
    for one, other in zip(first.model.parameters(), onward.model.parameters(), strict=True):
        assert torch.equal(one, other)
    onward.checkpoints.save(onward.training.state())
    assert load_text_model(mine / "other").model.config == first.model.config and FOLDER == "model"
