"""Two small GPTs learn Shakespeare, character by character. About 60 s on a CPU.   regard run shakespeare"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Annotated

import torch
from torch import nn

from regard.claims import Claim
from regard.experiments.text.corpus import Corpus, TextSource, load_corpus, real_words, speak, words
from regard.experiments.text.shakespeare.figures import (
    ATTENTION,
    EPOCHS,
    LOSS,
    Epoch,
    draw_attention,
    draw_epochs,
    draw_losses,
)
from regard.experiments.text.shakespeare.written_out import compare_written_out
from regard.generation.sampling import Sampler
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TextEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Follows
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
    epochs: int = 2
    "Epochs of Jerusalem ex. 5's model, of 100,000 windows each."
    epoch: int = EPOCH
    "Steps of an epoch."
    plan: Annotated[Plan, Follows(seed="--seed")] = QUICK
    "How Duke HW3's model is trained."
    batch: int = 12
    "Windows in a batch of Duke HW3's model."
    rows: int = 8
    "Samples whose words are counted, for each way of sampling."


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
        small = load_corpus(settings.text, shares={"train": 0.95, "test": 0.05}, context=JERUSALEM.context)
        yield TextEvent("The text", small.text.said)
        known = small.text.name == "tiny-shakespeare"
        yield from _jerusalem(settings, context, small, known, group)
        large = load_corpus(settings.text, shares={"train": 0.9, "test": 0.1}, context=DUKE.context)
        yield from _duke(settings, context, large, known, group)


def _jerusalem(
    settings: Settings, context: Context, corpus: Corpus, known: bool, group: ProcessGroup
) -> Iterator[Event]:
    torch.manual_seed(context.seed)
    model = GPT(replace(JERUSALEM, vocabulary=corpus.tokenizer.size))
    plan = replace(ADAM, steps=settings.epochs * settings.epoch, seed=context.seed)
    seconds = inf if context.left() == inf else 0.4 * context.left()
    place = context.folder / "jerusalem"
    training, checkpoints = _begun(model, corpus, plan, place, batch=64, seconds=seconds, group=group)
    recent: list[float] = []
    curve: list[Epoch] = []
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
            curve.append((epoch, sum(recent) / len(recent), *_tested(model, corpus)))
            recent = []
            for name, value in zip(CURVES, curve[-1][1:], strict=True):
                yield Metric(f"{name} by epoch, Jerusalem ex. 5", value, at={"epoch": epoch})
            yield from _sentences(model, corpus, epoch)
            if epoch == 1 and known:
                yield Metric("Jerusalem ex. 5: test loss after the first epoch", curve[-1][2])
    if curve and known and training.step == plan.steps:
        for name, value in zip(
            ("training loss", "test loss", "training accuracy", "test accuracy"), curve[-1][1:], strict=True
        ):
            yield Metric(f"Jerusalem ex. 5: {name} at the end", value)
    if curve:
        yield FigureEvent("epochs", draw_epochs(curve), EPOCHS)


def _begun(
    model: GPT, corpus: Corpus, plan: Plan, folder: Path, *, batch: int, seconds: float, group: ProcessGroup
) -> tuple[Training, Checkpoints]:
    """A training that goes on from its last checkpoint; what its model needs to speak lies beside them."""
    batches = corpus.batches("train", size=batch // group.world, seed=plan.seed)
    training = Training(model, batches, cross_entropy, plan, seconds=seconds, group=group)
    checkpoints = Checkpoints(folder)
    if group.is_main:
        save_text_model(folder, model.config, corpus.tokenizer)
    resume(training, checkpoints)
    return training, checkpoints


def _tested(model: GPT, corpus: Corpus) -> tuple[float, float, float]:
    """The test loss, and the accuracy of the last character in training and test."""
    loss = evaluate(model, corpus.windows.cover("test", size=500))
    return loss, last_right(model, corpus, "train"), last_right(model, corpus, "test")


def _sentences(model: GPT, corpus: Corpus, epoch: float) -> Iterator[Event]:
    """Three sentences each way, as Jerusalem ex. 5 asks."""
    ways = {"plain": Sampler(), "top-k 5": Sampler(top_k=5)}
    said = {
        name: speak(model, corpus, "the ", steps=30, sampler=sampler, seed=42, rows=3)
        for name, sampler in ways.items()
    }
    yield TextEvent(
        f"Jerusalem ex. 5's model after epoch {epoch:g}",
        "\n".join(
            f"{name:8} | " + " | ".join(one.replace("\n", "⏎") for one in found)
            for name, found in said.items()
        ),
    )


def last_right(model: nn.Module, corpus: Corpus, split: str) -> float:
    """The share of windows whose last character's successor is the most probable one; at most 10,000 windows."""
    inputs, targets = next(iter(corpus.windows.cover(split, size=10_000)))
    with torch.no_grad():
        return float((model(inputs)[:, -1].argmax(-1) == targets[:, -1]).double().mean())


def _duke(
    settings: Settings, context: Context, corpus: Corpus, known: bool, group: ProcessGroup
) -> Iterator[Event]:
    torch.manual_seed(context.seed)
    model = GPT(replace(DUKE, vocabulary=corpus.tokenizer.size))
    start, began = corpus.tokenizer.decode([0]), time.monotonic()
    yield from compare_written_out(model)
    before = evaluate(model, [corpus.windows.batch("test", 0, size=64, seed=0)])
    if known:
        yield Metric("loss before training", before)
    yield TextEvent(
        "Duke HW3's model before training",
        speak(model, corpus, start, steps=200, sampler=Sampler(), seed=1)[0].strip(),
    )
    # What comes after the training takes some ten times what came before it: kept back by that, on a machine of any speed.
    after = max(0.15 * context.left(), 15 * (time.monotonic() - began))
    seconds = inf if context.left() == inf else max(context.left() - after, 0.3 * context.left())
    plan = replace(settings.plan, seed=context.seed)
    place = context.folder / "duke"
    training, checkpoints = _begun(
        model, corpus, plan, place, batch=settings.batch, seconds=seconds, group=group
    )
    losses: list[tuple[int, float]] = [(0, before)]
    tests: list[tuple[int, float]] = [(0, before)]
    for step in checkpointed(training, checkpoints):
        losses.append((step.step, step.loss))
        yield Metric("training loss, Duke HW3", step.loss, at={"step": step.step})
        if step.step % max(1, plan.steps // 10) == 0 and step.step < training.course.steps:
            some = (corpus.windows.batch("test", index, size=64, seed=0) for index in range(4))
            tests.append((step.step, evaluate(model, some)))
            yield Metric("held-out loss, Duke HW3", tests[-1][1], at={"step": step.step})
        yield ProgressEvent(
            f"Duke HW3's model, step {step.step}, loss {step.loss:.3f}",
            0.45 + 0.5 * step.step / plan.steps,
        )
    final = evaluate(model, corpus.windows.cover("test", size=256))
    tests.append((training.step, final))
    if known and training.step == plan.steps:
        yield Metric("Duke HW3: held-out loss at the end", final)
    yield TextEvent(
        "Duke HW3's model after training",
        speak(model, corpus, start, steps=500, sampler=Sampler(), seed=1)[0].strip(),
    )
    yield from _words(settings, model, corpus)
    yield FigureEvent("loss", draw_losses(losses, tests), LOSS)
    yield FigureEvent("attention", draw_attention(model, corpus), ATTENTION)


def _words(settings: Settings, model: GPT, corpus: Corpus) -> Iterator[Event]:
    """Plain sampling against top-k 5 by the share of real words, sample by sample."""
    known = set(words(corpus.text.characters))
    shares = {
        name: [
            real_words(one, known)
            for one in speak(model, corpus, "the ", steps=200, sampler=sampler, seed=7, rows=settings.rows)
        ]
        for name, sampler in (("top-k 5", Sampler(top_k=5)), ("plain", Sampler()))
    }
    top, plain = (dict(enumerate(found)) for found in shares.values())
    yield PairedMetric("share of real words", ("top-k 5", "plain"), top, plain)
    for name, found in shares.items():
        for row, value in enumerate(found):
            yield Metric(f"share of real words, {name}", value, row)


CLAIMS = (
    Claim("gap between attention written out and the layer", high=1e-5,
          why="the layer is the formula, in float32", source="Duke HW3, 3b"),
    Claim("loss before training", low=3.97, high=4.4,
          why="ln 65 = 4.17: nothing is known yet", source="Duke HW3, 3a"),
    Claim("Jerusalem ex. 5: test loss after the first epoch", low=2.05, high=2.25,
          why="a logged run of the course has 2.152", source="Jerusalem ex. 5, transformer 2"),
    Claim("Jerusalem ex. 5: training loss at the end", low=1.68, high=1.82,
          why="logged: 1.750 after ten epochs", source="Jerusalem ex. 5, transformer 2", preset="full"),
    Claim("Jerusalem ex. 5: test loss at the end", low=1.75, high=1.9,
          why="logged: 1.823 after ten epochs", source="Jerusalem ex. 5, transformer 2", preset="full"),
    Claim("Jerusalem ex. 5: test accuracy at the end", low=0.42, high=0.49,
          why="logged: 0.452 after ten epochs", source="Jerusalem ex. 5, transformer 2", preset="full"),
    Claim("Duke HW3: held-out loss at the end", high=2.15,
          why="2000 steps of AdamW end near 1.9; 250 of Muon come close", source="Duke HW3, 3c"),
    Claim("share of real words", low=0.0,
          why="top-k cuts off the tail in which misspellings live", source="Jerusalem ex. 5, transformer 4"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="What does a small GPT learn of Shakespeare, and how does it sound before, during and after?",
    answers=(6, 7, 8, 9, 51, 52, 53, 54),
    method="""Two models read characters. Jerusalem ex. 5's has 3 layers, 3 heads, width 48 and sees 10
        characters; it is trained by Adam at 3e-4 on batches of 64 windows, 1563 of them to an epoch, and is
        tested on the last 5 % of the text. Duke HW3's has 4 layers, 4 heads, width 128 and sees 64
        characters; its test text is the last tenth, read in windows that do not overlap.

        The full preset trains both as the assignments say. The quick preset stops the first after two epochs,
        and trains the second by Muon in 250 steps in place of 2000 by AdamW.

        Samples are drawn from the distribution as it is, and from its five most probable characters. The
        share of words said that occur in the text measures what the ear hears.""",
    see="""Before training every character is as likely as any other: a loss of ln 65 and noise. The first
        hundred steps bring spaces and letters in their frequencies, the next thousand words and speakers'
        names. Top-k sampling makes fewer misspelt words because it never draws from the long tail of
        improbable characters. The attention maps show heads that look at the last one or two characters, and
        others that look back to the start of the word or line.""",
    correction="""Duke HW3 calls training iterations epochs. Jerusalem ex. 5 says of its mask that a lower
        triangular matrix is added: what is added is 0 on and below the diagonal and −∞ above it. Its accuracy formula compares logits with a character:
        the arg max is meant. Its skeleton feeds the fixed start sentence again and again in place of the
        growing one, and calls torch.seed(42), which takes no seed.""",
    claims=CLAIMS,
    presets={"quick": Settings(), "full": Settings(epochs=10, plan=PLAIN, rows=32)},
    seconds=60,
    run=run,
)
