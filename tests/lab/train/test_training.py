"""A whole training as a run: what it measures, keeps and says, and how it goes on after it was stopped."""

from math import inf
from pathlib import Path

import pytest
import torch

from regard.data.tokens.token_file import write_tokens
from regard.data.tokens.tokenizer import Character
from regard.errors import RegardError
from regard.lab.events import Event, Metric, ProgressEvent
from regard.lab.runner import resume, run
from regard.lab.store.run import Run
from regard.lab.store.runs import Store
from regard.lab.text_model import load_text_model
from regard.lab.train.choice import Asked, choose
from regard.lab.train.settings import TrainSettings, stored_settings
from regard.lab.train.training import SOURCE, Pace, trainer
from regard.training import Checkpoints, Plan, Training, TrainingState
from regard.training.budget import Budget
from regard.training.schedule import Course

SMALL = ("model.depth=1", "model.heads=1", "model.width=8", "batch=2")


def small(*changes: str, text: str = "mine.txt", **words) -> TrainSettings:
    return choose(Asked(texts=(text,), changes=SMALL + changes, **words)).settings


def trained(settings: TrainSettings, **words) -> Run:
    return run(trainer(("because",)), settings, Store(Path("runs")), source=SOURCE, preset="mine", **words)


@pytest.mark.usefixtures("mine")
def test_a_training_measures_speaks_keeps_its_best_and_has_no_claims() -> None:
    done = trained(small(steps=24))
    assert (
        done.state == "finished"
        and done.name == "train"
        and done.verdicts == []
        and done.request["verb"] == "train"
    )
    numbers = {one.name: one.value for one in done.measured if not one.at}
    held = {one.at["step"]: one.value for one in done.measured if one.name == "held-out loss"}
    assert list(held) == [0, *range(2, 25, 2)] and held[24] < held[0]
    assert numbers["steps"] == 24 and numbers["step of the best checkpoint"] == min(
        held, key=held.__getitem__
    )
    assert (
        numbers["held-out loss of the best checkpoint"]
        == numbers["held-out loss of the best checkpoint, nats a character"]
    )
    assert numbers["passes over the texts"] == pytest.approx(24 * 2 * 61 / 1107)
    said = {one.name: one.text for one in done.said}
    assert said["What was chosen"] == "because" and said["A sample after step 24"].startswith("to be")
    assert sum(name.startswith("A sample") for name in said) == 3
    checkpoints = Checkpoints(done.path / "model")
    assert checkpoints.best().metric == min(list(held.values())[1:]) and checkpoints.last().state.step == 24
    assert [name for name, _, _ in done.figures] == ["loss"] and "without claims" in (
        done.path / "report.html"
    ).read_text()


@pytest.mark.usefixtures("mine")
def test_the_best_model_speaks_unless_the_last_is_asked_for() -> None:
    done = trained(small(steps=4))
    checkpoints = Checkpoints(done.path / "model")
    best = checkpoints.best()
    assert best is not None
    worse = {name: one + 1 if one.is_floating_point() else one for name, one in best.state.tensors.items()}
    checkpoints.save(TrainingState(worse, {**best.state.facts, "step": 9}), metric=99.0)
    for which, tensors in (("best", best.state.tensors), ("last", worse)):
        model = load_text_model(done.path, checkpoint=which).model
        assert torch.equal(model.tokens.weight, tensors["model.tokens.weight"])


class Stopper:
    """Stops a run after some steps, as Ctrl-C does."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def __call__(self, event: Event) -> None:
        if isinstance(event, ProgressEvent):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize("text", ["mine.txt", "mine.tokens"])
def test_a_training_that_is_stopped_ends_as_if_it_had_not_been(text: str) -> None:
    characters = Path("mine.txt").read_text()
    write_tokens(Path("mine.tokens"), Character(characters), [characters])
    settings = small(text=text, steps=12)
    whole = trained(settings)
    with pytest.raises(KeyboardInterrupt):
        trained(settings, watch=Stopper(7))
    stopped = Store(Path("runs")).runs()[-1]
    assert stopped.state == "stopped" and Checkpoints(stopped.path / "model").last().state.step == 7
    again = resume(stopped, trainer(), stored_settings(stopped.request), source=SOURCE)
    assert again.state == "finished"
    for name in ("held-out loss of the best checkpoint", "steps"):
        first, second = (
            next(one.value for one in each.measured if one.name == name) for each in (whole, again)
        )
        assert first == second
    ends = [Checkpoints(one.path / "model").last() for one in (whole, again)]
    digests = [TrainingState(one.state.part("model."), {}).digest() for one in ends]
    assert digests[0] == digests[1]
    assert "goes on after step 7" in {one.name: one.text for one in again.said}["Taken up"]


@pytest.mark.usefixtures("mine")
def test_a_text_that_has_changed_is_not_read_on() -> None:
    with pytest.raises(KeyboardInterrupt):
        trained(small(steps=12), watch=Stopper(3))
    stopped = Store(Path("runs")).runs()[-1]
    Path("mine.txt").write_text("something else " * 99)
    with pytest.raises(RegardError, match="this run was begun with other data"):
        resume(stopped, trainer(), stored_settings(stopped.request), source=SOURCE)


@pytest.mark.slow
@pytest.mark.usefixtures("mine")
def test_minutes_end_a_training_with_its_rates_brought_down() -> None:
    done = trained(small(minutes=0.05))
    assert done.state == "finished"
    steps = next(one.value for one in done.measured if one.name == "steps")
    assert 3 < steps == max(one.at["step"] for one in done.measured if one.at)
    last = Checkpoints(done.path / "model").last()
    assert last is not None and last.state.facts["course"]["steps"] == steps


@pytest.mark.slow
@pytest.mark.usefixtures("mine")
def test_one_that_is_taken_up_has_the_rest_of_its_minutes_or_new_ones(monkeypatch) -> None:
    given: list[float] = []

    def noted(seconds: float) -> Budget:
        given.append(seconds)
        return Budget(0.5 if len(given) % 2 == 0 else seconds)

    monkeypatch.setattr("regard.lab.train.training.Budget", noted)
    for minutes, low, high in ((None, 400, 540), (2.0, 90, 120)):
        with pytest.raises(KeyboardInterrupt):
            trained(small(minutes=9.0), watch=Stopper(5))
        stopped = Store(Path("runs")).runs()[-1]
        done = resume(stopped, trainer(minutes=minutes), stored_settings(stopped.request), source=SOURCE)
        assert done.state == "finished" and 500 < given[-2] < 540 and low < given[-1] < high


@pytest.mark.usefixtures("mine")
def test_progress_tells_how_long_it_will_take() -> None:
    seen: list[str] = []
    trained(
        small(steps=3),
        watch=lambda event: seen.append(event.told) if isinstance(event, ProgressEvent) else None,
    )
    *steps, end = seen
    assert len(steps) == 3 and steps[-1].startswith("step 3, loss ") and steps[-1].endswith("about 0:00 left")
    assert end == "judging the best model on all that was held out"


@pytest.mark.parametrize(
    ("deadline", "fitted", "left"),
    [(60.0, 10, 4.0), (9.0, 10, 1.0), (60.0, 9, 52.0), (inf, 10, 4.0)],
)
def test_what_ends_first_says_how_long_it_takes(deadline: float, fitted: int, left: float) -> None:
    training = Training(
        torch.nn.Linear(1, 1), lambda index: index, lambda model, batch: batch, Plan(steps=10)
    )
    training.step, training.course = 4, Course(fitted)
    now = [0.0, 8.0]
    pace = Pace(training, deadline=deadline, clock=lambda: now.pop(0))
    training.step = 8  # taken up at step 4: four steps in eight seconds, two are left
    assert pace.left() == left


@pytest.mark.usefixtures("mine")
def test_a_mistake_leaves_no_run_behind() -> None:
    Path("mine.txt").write_text("a")
    with pytest.raises(RegardError, match="the text is too short to learn from"):
        trained(small(steps=3))
    assert Store(Path("runs")).runs() == []


def test_a_metric_of_the_end_has_no_place_on_a_curve() -> None:
    assert Metric("held-out loss of the best checkpoint", 1.0).at == {}
