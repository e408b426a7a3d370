"""A training on one's own texts (`regard train`), as a run without claims: losses, samples, checkpoints."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import inf
from pathlib import Path

from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TextEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.store.run import Run
from regard.lab.train.corpus import read_corpus
from regard.lab.train.figure import HELD, JUDGED, LOSS, TRAINED, draw_losses, losses_of
from regard.lab.train.lesson import GLIMPSE, TextLesson, prepare
from regard.lab.train.settings import TrainSettings
from regard.training import Training, checkpointed, distributed, save
from regard.training.budget import Budget

NAME = "train"
SOURCE = Path(__file__)
EVALUATIONS, SAMPLES = (3, 12), 3
"How often the held-out loss is taken, at least and at most, and how often a sample."
AWAY = 0.03
"The share of its time that a training may spend on being judged before its end."
NOTED = 0.01
"Share of the training from one note of its loss to the next."


def trainer(why: Sequence[str] = (), minutes: float | None = None) -> Experiment:
    """The run of a training; `minutes` are those that one which is taken up is given anew."""
    return Experiment(
        name=NAME,
        verb=NAME,
        question="What does a GPT learn from these texts?",
        method="""A run of `regard train`. It has no claims: a GPT is trained on the beginning of each text,
            the end of each is held out, and the model is judged by that.""",
        see="""The loss on held-out text falls as long as something is learned that is not learned by heart;
            the best checkpoint is the one where it was lowest.""",
        claims=(),
        presets={},
        seconds=1,
        run=partial(train, why=tuple(why), minutes=minutes),
    )


def train(
    settings: TrainSettings, context: Context, *, why: tuple[str, ...] = (), minutes: float | None = None
) -> Iterator[Event]:
    """Train, judge and sample; the best and the last model are kept, however it ends."""
    began = time.monotonic()
    with distributed() as group:
        lesson = prepare(settings, context, read_corpus(settings.texts), group)
        if why:
            yield TextEvent("What was chosen", "\n".join(why))
        if lesson.sentence:
            yield TextEvent("Taken up", lesson.sentence)
        yield TextEvent("The model", _described(lesson))
        wanted = (settings.minutes or inf) * (1 - lesson.share) if minutes is None else minutes
        yield from _steps(lesson, began, 60 * wanted)
        yield from _ended(lesson, context)


def _described(lesson: TextLesson) -> str:
    sizes = {name: len(ids) for name, ids in lesson.windows.splits.items()}
    return (
        f"{lesson.model.size:,} parameters, {lesson.tokenizer.size:,} different tokens; {sizes['train']:,} "
        f"tokens to learn from, {sizes['held-out']:,} held out, in windows of {lesson.windows.context}\n"
        f"to lose little time, it is judged on the way by {lesson.glimpsed():,} windows of what is held out, "
        "always the same; at its end by all of it"
    )


def _steps(lesson: TextLesson, began: float, seconds: float) -> Iterator[Event]:
    """Every step, and what is noted, judged and said after some of them."""
    training = lesson.training
    lesson.glimpse(GLIMPSE // 8)  # what is computed first takes longer, and says nothing about the others
    looked = time.monotonic()
    loss = lesson.glimpse()
    looked = training.group.mean(time.monotonic() - looked)
    if not training.step:
        yield Metric(HELD, loss, at={"step": 0})
    if seconds < inf:
        training.budget = Budget(_left(lesson, began + seconds, looked))
    least, most = EVALUATIONS
    times = most if seconds == inf else max(least, min(most, int(AWAY * seconds / looked)))
    marks = [at / times for at in range(1, times + 1) if at / times > lesson.share]
    heard = [at / SAMPLES for at in range(1, SAMPLES + 1) if at / SAMPLES > lesson.share]
    noted, losses = lesson.share, list[float]()
    pace = Pace(training, deadline=began + seconds)
    for step in checkpointed(training, lesson.checkpoints):
        share = lesson.share
        losses.append(step.loss)
        yield ProgressEvent(f"step {training.step:,}, loss {step.loss:.3f}", share, left=pace.left())
        if share >= noted + NOTED or share == 1:
            yield Metric(TRAINED, sum(losses) / len(losses), at={"step": training.step})
            noted, losses = share, []
        if marks and share >= marks[0]:
            marks = [one for one in marks if one > share]
            loss = lesson.glimpse()
            save(training, lesson.checkpoints, metric=loss)
            yield Metric(HELD, loss, at={"step": training.step})
            if heard and share >= heard[0]:
                heard = [one for one in heard if one > share]
                if training.group.is_main or training.sharded:
                    said = lesson.sample(min(2.0, 0.005 * seconds) if training.group.is_main else 0.0)
                    yield TextEvent(f"A sample after step {training.step:,}", said)


def _left(lesson: TextLesson, deadline: float, looked: float) -> float:
    """Seconds for the steps: what is left less what it takes to judge and to say what came of it."""
    left = deadline - time.monotonic()
    judged = looked * max(1.0, len(lesson.windows.splits["held-out"]) / GLIMPSE)
    return max(left - judged - 1.0, 0.4 * left, 0.05)


class Pace:
    """How long a training still takes: to the end of its time or of its plan's steps, whichever is first."""

    def __init__(
        self, training: Training, deadline: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._training, self._deadline, self._clock = training, deadline, clock
        self._began, self._first = clock(), training.step

    def left(self) -> float:
        """Seconds."""
        step, steps, now = self._training.step, self._training.course.steps, self._clock()
        left = self._deadline - now
        if steps == self._training.plan.steps:  # not fitted to the time
            left = min(left, (steps - step) * (now - self._began) / max(1, step - self._first))
        return max(0.0, left)


def _ended(lesson: TextLesson, context: Context) -> Iterator[Event]:
    """The best model on all that was held out; the curve."""
    training = lesson.training
    yield ProgressEvent("judging the best model on all that was held out", 1.0)
    best = lesson.checkpoints.best() if training.group.is_main or training.sharded else None
    if best is not None and best.state.step != training.step:
        training.take_weights(best.state)
    loss, held = lesson.judge(), lesson.windows.splits["held-out"]
    characters = len(lesson.tokenizer.decode(held.cpu()))
    yield Metric(JUDGED, loss)
    yield Metric(f"{JUDGED}, nats a character", loss * len(held) / characters)
    yield Metric("step of the best checkpoint", training.step if best is None else best.state.step)
    yield Metric("steps", training.step)
    read = training.step * lesson.batch * lesson.windows.context * training.plan.accumulate
    yield Metric("passes over the texts", read / len(lesson.windows.splits["train"]))
    curves = losses_of(Run(context.folder).measured)
    yield FigureEvent("loss", draw_losses(curves, lesson.tokenizer.size), LOSS)
