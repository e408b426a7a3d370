"""Two small GPTs learn Shakespeare, character by character. About 60 s on a CPU.   regard run shakespeare"""

import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from math import inf, log
from statistics import fmean
from typing import Annotated

import torch

from regard.experiments.text.corpus import (
    Corpus,
    TextSource,
    letter_pairs,
    load_corpus,
    speak,
)
from regard.experiments.text.shakespeare.claims import (
    CLAIMS,
    EPOCHS_TEACH,
    TOP_K_HELPS,
    TRAINING_TEACHES,
)
from regard.experiments.text.shakespeare.figures import (
    ATTENTION,
    EPOCHS,
    LOSS,
    Epoch,
    draw_attention,
    draw_epochs,
    draw_losses,
)
from regard.experiments.text.shakespeare.parts import at_hand, compared, held_out, last_right, parts_right
from regard.experiments.text.shakespeare.sentences import (
    COLUMNS,
    SENTENCES,
    WAYS,
    Row,
    SmallEnd,
    row,
    said_of_own,
    sentences,
    spelling,
    told,
)
from regard.experiments.text.shakespeare.written_out import compare_written_out
from regard.generation.sampling import Sampler
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import FOUND, Context, Experiment, OwnWords
from regard.lab.ranges import Device, Follows
from regard.lab.text_model import save_text_model
from regard.models.gpt.model import GPT
from regard.models.gpt.presets import DUKE, JERUSALEM
from regard.training import (
    Checkpoints,
    Plan,
    ProcessGroup,
    Training,
    checkpointed,
    cross_entropy,
    distributed,
    evaluate,
    find_device,
    resume,
)

EPOCH = 1563
"Steps of 64 windows in the 100,000 windows that Jerusalem ex. 5 calls an epoch."
ADAM = Plan(steps=EPOCH, learning_rate=3e-4, betas=(0.9, 0.999), schedule="constant", warmup=0.0, clip=None)
"Jerusalem ex. 5's optimiser."
PLAIN = Plan(
    steps=2000,
    learning_rate=1e-3,
    betas=(0.9, 0.99),
    weight_decay=0.1,
    schedule="cosine",
    warmup=0.05,
    floor=0.1,
)
"The recipe usual for Duke HW3's sizes on a CPU."
QUICK = Plan(
    steps=250,
    optimiser="muon",
    learning_rate=4e-3,
    matrix_learning_rate=0.02,
    betas=(0.9, 0.95),
    schedule="linear",
    warmup=0.05,
)
"The same model by Muon, in an eighth of the steps."


@dataclass(frozen=True, kw_only=True)
class Settings:
    text: Annotated[str, TextSource()] = "tiny-shakespeare"
    "A known text (see 'regard data'), or the path of a text file of your own."
    epochs: int = 10
    "Epochs of Jerusalem ex. 5's model."
    epoch: int = 313
    "Steps of an epoch, of 64 windows each: 1563 in the assignment, a fifth of that in the quick preset."
    plan: Annotated[Plan, Follows(seed="--seed")] = QUICK
    "How Duke HW3's model is trained."
    batch: int = 12
    "Windows in a batch of Duke HW3's model."
    rows: int = 8
    "Samples whose words are counted, for each way of sampling."
    spoken: int = 200
    "Characters of such a sample."
    judged: int | None = 2048
    "Windows from anywhere in the held-out text by which Duke HW3's model is judged at its end; none: all of the text, once."
    device: Annotated[str, Device()] = "cpu"
    "Where the models are trained: cpu or cuda."


CURVES = (
    "training loss",
    "test loss",
    "accuracy of the last character, training",
    "accuracy of the last character, test",
)
"What is measured of Jerusalem ex. 5's model at the end of an epoch."


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Jerusalem ex. 5's model first, then Duke HW3's; each is saved as it goes."""
    with distributed() as group:
        # Where no checkpoint can be written, nothing begins.
        saved, last_saved = (Checkpoints(context.folder / name) for name in ("jerusalem", "duke"))
        small = load_corpus(settings.text, shares={"train": 0.95, "test": 0.05}, context=JERUSALEM.context)
        yield TextEvent("The text", small.said)
        known = small.text.name == "tiny-shakespeare"
        curve = yield from _jerusalem(settings, context, small, known, group, saved)
        last = None
        if curve and settings.text != Settings.text:
            last = SmallEnd(len(small.used), small.tokenizer.size, curve[-1], letter_pairs(small))
            yield TextEvent(FOUND, said_of_own(last))
        large = load_corpus(settings.text, shares={"train": 0.9, "test": 0.1}, context=DUKE.context)
        yield from _duke(settings, context, large, known, group, last_saved, last)


def _jerusalem(
    settings: Settings,
    context: Context,
    corpus: Corpus,
    known: bool,
    group: ProcessGroup,
    checkpoints: Checkpoints,
) -> Generator[Event, None, list[Epoch]]:
    torch.manual_seed(context.seed)
    model = GPT(replace(JERUSALEM, vocabulary=corpus.tokenizer.size))
    untrained = spelling(model, corpus, settings.rows, settings.spoken)
    plan = replace(ADAM, steps=settings.epochs * settings.epoch, seed=context.seed)
    seconds = inf if context.left() == inf else 0.4 * context.left()
    training = _begun(settings, model, corpus, plan, checkpoints, batch=64, seconds=seconds, group=group)
    recent: list[float] = []
    curve: list[Epoch] = []
    rows: list[Row] = []
    for step in checkpointed(training, checkpoints):
        recent.append(step.loss)
        if step.step % 50 == 0:
            yield Metric(
                "training loss, Jerusalem ex. 5",
                sum(recent[-50:]) / len(recent[-50:]),
                at={"step": step.step},
            )
            yield ProgressEvent(
                f"Jerusalem ex. 5's model, step {step.step}, loss {step.loss:.3f}",
                0.45 * step.step / plan.steps,
            )
        if step.step % settings.epoch == 0 or step.step == training.course.steps:
            epoch = step.step / settings.epoch
            now = at_hand(training.whole_model())
            curve.append((epoch, sum(recent) / len(recent), *_tested(now, corpus)))
            recent = []
            for name, value in zip(CURVES, curve[-1][1:], strict=True):
                yield Metric(f"{name} by epoch, Jerusalem ex. 5", value, at={"epoch": epoch})
            spelled = {
                way: spelling(now, corpus, settings.rows, settings.spoken, sampler)
                for way, sampler in WAYS.items()
            }
            said = sentences(now, corpus)
            rows.append(row(curve[-1], spelled, said))
            yield TextEvent(f"Jerusalem ex. 5's model after epoch {epoch:g}", told(said, rows))
            for way, shares in spelled.items():
                yield Metric(
                    f"share of real words by epoch, {way}, Jerusalem ex. 5",
                    fmean(shares.values()),
                    at={"epoch": epoch},
                )
            if step.step == plan.steps:
                yield from _taught(spelled, untrained)
            if known and is_logged(step.step, settings.epoch):
                yield Metric("Jerusalem ex. 5: test loss after 100,000 windows", curve[-1][2])
    if curve and training.step == plan.steps:
        pairs = letter_pairs(corpus)
        yield Metric("test loss of a table of letter pairs, Jerusalem ex. 5", pairs)
        yield Metric(
            "Jerusalem ex. 5: test loss after the last epoch minus that of a table of letter pairs",
            curve[-1][2] - pairs,
        )
        for name, value in zip(
            ("training loss", "test loss", "training accuracy", "test accuracy"), curve[-1][1:], strict=True
        ):
            yield Metric(f"Jerusalem ex. 5: {name} after the last epoch", value)
            if known:
                yield Metric(f"Jerusalem ex. 5: {name} at the end", value)
        yield TextEvent("Training and test text", compared(*curve[-1][3:], *parts_right(corpus)))
    if curve:
        yield TableEvent("epochs", COLUMNS, rows, SENTENCES)
        yield FigureEvent("epochs", draw_epochs(curve), EPOCHS)
    return curve


def is_logged(step: int, epoch: int) -> bool:
    """Whether 100,000 windows end with this epoch, to a hundredth of them: a logged run of the course has the loss there."""
    return step % epoch == 0 and step - epoch < EPOCH <= step <= 1.01 * EPOCH


def _taught(spelled: dict[str, dict[int, float]], untrained: dict[int, float]) -> Iterator[Event]:
    """What all epochs brought, and what top-k does to the model that they made."""
    shares = {"untrained": untrained, **spelled}
    for name, found in shares.items():
        yield Metric(f"Jerusalem ex. 5: share of real words, {name}", fmean(found.values()))
    yield PairedMetric(EPOCHS_TEACH, ("after the last epoch", "before training"), spelled["plain"], untrained)
    yield PairedMetric(TOP_K_HELPS, ("top-k 5", "plain"), spelled["top-k 5"], spelled["plain"])


def _begun(
    settings: Settings,
    model: GPT,
    corpus: Corpus,
    plan: Plan,
    checkpoints: Checkpoints,
    *,
    batch: int,
    seconds: float,
    group: ProcessGroup,
) -> Training:
    """A training that goes on from its last checkpoint; what its model needs to speak lies beside them."""
    batches = corpus.batches("train", size=batch // group.world, seed=plan.seed)
    device = find_device(settings.device)
    training = Training(
        model, batches, cross_entropy, plan, seconds=seconds, group=group, capture=True, device=device
    )
    if group.is_main:
        save_text_model(checkpoints.folder, model.config, corpus.tokenizer)
    resume(training, checkpoints)
    return training


def _tested(model: GPT, corpus: Corpus) -> tuple[float, float, float]:
    """The test loss, and the accuracy of the last character in training and test."""
    loss = evaluate(model, corpus.windows.cover("test", size=500))
    return loss, last_right(model, corpus, "train"), last_right(model, corpus, "test")


def _duke(
    settings: Settings,
    context: Context,
    corpus: Corpus,
    known: bool,
    group: ProcessGroup,
    checkpoints: Checkpoints,
    last: SmallEnd | None = None,
) -> Iterator[Event]:
    torch.manual_seed(context.seed)
    model = GPT(replace(DUKE, vocabulary=corpus.tokenizer.size))
    start, began = corpus.tokenizer.decode([0]), time.monotonic()
    yield from compare_written_out(model)
    before = evaluate(model, [corpus.windows.batch("test", 0, size=64, seed=0)])
    untrained = spelling(model, corpus, settings.rows, settings.spoken)
    yield Metric("Duke HW3: loss before training", before)
    yield Metric("different characters of the text", corpus.tokenizer.size)
    yield Metric(
        "Duke HW3: loss before training minus ln of the number of characters",
        before - log(corpus.tokenizer.size),
    )
    yield TextEvent(
        "Duke HW3's model before training",
        speak(model, corpus, start, steps=200, sampler=Sampler(), seed=1)[0].strip(),
    )
    # What comes after the training takes some ten times what came before it: kept back by that, on a machine of any speed.
    after = max(0.15 * context.left(), 15 * (time.monotonic() - began))
    seconds = inf if context.left() == inf else max(context.left() - after, 0.3 * context.left())
    plan = replace(settings.plan, seed=context.seed)
    training = _begun(
        settings, model, corpus, plan, checkpoints, batch=settings.batch, seconds=seconds, group=group
    )
    losses: list[tuple[int, float]] = [(0, before)]
    tests: list[tuple[int, float]] = [(0, before)]
    for step in checkpointed(training, checkpoints):
        losses.append((step.step, step.loss))
        yield Metric("training loss, Duke HW3", step.loss, at={"step": step.step})
        if step.step % max(1, plan.steps // 10) == 0 and step.step < training.course.steps:
            some = (corpus.windows.batch("test", index, size=64, seed=0) for index in range(4))
            tests.append((step.step, evaluate(at_hand(model), some)))
            yield Metric("held-out loss, Duke HW3", tests[-1][1], at={"step": step.step})
        yield ProgressEvent(
            f"Duke HW3's model, step {step.step}, loss {step.loss:.3f}",
            0.45 + 0.5 * step.step / plan.steps,
        )
    model = at_hand(training.whole_model())
    final = evaluate(model, held_out(corpus, settings.judged))
    tests.append((training.step, final))
    if last is not None:
        yield TextEvent(FOUND, said_of_own(last, (training.step, plan.steps, final)))
    if training.step == plan.steps:
        pairs = letter_pairs(corpus)
        yield Metric("held-out loss of a table of letter pairs", pairs)
        yield Metric(
            "Duke HW3: held-out loss at the end minus that of a table of letter pairs", final - pairs
        )
        yield Metric("Duke HW3: held-out loss at the end, this text", final)
        if known:
            yield Metric("Duke HW3: held-out loss at the end", final)
    yield TextEvent(
        "Duke HW3's model after training",
        speak(model, corpus, start, steps=500, sampler=Sampler(), seed=1)[0].strip(),
    )
    yield from _words(settings, model, corpus, untrained, whole=training.step == plan.steps)
    yield FigureEvent("loss", draw_losses(losses, tests, corpus.tokenizer.size), LOSS)
    yield FigureEvent("attention", draw_attention(model, corpus), ATTENTION)


def _words(
    settings: Settings, model: GPT, corpus: Corpus, untrained: dict[int, float], *, whole: bool
) -> Iterator[Event]:
    """The share of real words, and what the whole of the training taught, sample by sample."""
    trained = spelling(model, corpus, settings.rows, settings.spoken)
    if whole:
        yield PairedMetric(TRAINING_TEACHES, ("trained", "untrained"), trained, untrained)
    for name, found in (("trained", trained), ("untrained", untrained)):
        yield Metric(f"Duke HW3: share of real words, {name}", fmean(found.values()))


EXPERIMENT = Experiment(
    question="What does a small GPT learn of Shakespeare, and how does it sound before, during and after?",
    method="""Two models read characters. Jerusalem ex. 5's has 3 layers, 3 heads, width 48 and sees 10
        characters; it is trained by Adam at 3e-4 on batches of 64 windows for as many epochs as are set, ten in both presets, and is
        tested on the last 5 % of the text. Duke HW3's has 4 layers, 4 heads, width 128 and sees 64
        characters; its test text is the last tenth: all of it, or in the quick preset 2,048 windows from anywhere in it.

        The full preset trains both as the assignments say, with 1563 batches to an epoch. In the quick preset
        an epoch is a fifth of that, and Duke HW3's model has 250 steps of Muon in place of 2000 of AdamW.

        Samples are drawn from the distribution as it is, and from its five most probable characters. The
        share of words of three letters and more that occur in the text measures what a reader sees. A table
        of how often each character follows each in the training text is the yardstick for the loss.""",
    see=r"""The samples before and after training, and the sentences of every epoch, stand on this page: read them
        beside the curves. Guessing among V characters costs ln V nats a character. A plain sample draws now
        and then from the long tail of improbable characters, and one such character spoils a word; top-k
        cuts the tail off. What the attention written out computes is the operator of [[one-operator]]; why its
        scores are divided by $\sqrt{d}$, with $d$ the width of a head, is asked in [[scaled-dot-product]].""",
    correction="""Duke HW3 calls training iterations epochs. Jerusalem ex. 5 says of its mask that a lower
        triangular matrix is added: what is added is 0 on and below the diagonal and −∞ above it. Its accuracy formula compares logits with a character:
        the arg max is meant. Its skeleton feeds the fixed start sentence again and again in place of the
        growing one, and calls torch.seed(42), which takes no seed.""",
    claims=CLAIMS,
    own=OwnWords(
        data="text",
        question="What does a small GPT learn of the text that you name, and how does it sound before, during and after?",
    ),
    opens_with=("Duke HW3: held-out loss at the end minus that of a table of letter pairs", TRAINING_TEACHES),
    presets={"quick": Settings(), "full": Settings(epoch=EPOCH, plan=PLAIN, rows=32, judged=None)},
    seconds=65,
    run=run,
)  # fmt: skip
