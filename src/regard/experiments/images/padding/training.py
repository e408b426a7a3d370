"""The red-green pictures, and the training that Amsterdam A2 gave its networks, to the letter."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.experiments.images.padding.borders import columns, in_one_window
from regard.experiments.images.padding.fast_convolution import Lit, light, score
from regard.experiments.images.padding.networks import BORDERS, Border, Net1, Net2
from regard.experiments.images.padding.pictures import red_green
from regard.lab.workers import one_thread_each
from regard.shapes import Bool
from regard.training import PLAIN, EarlyStopping, TorchOptimiser, Training

NETS = {"Net1": Net1, "Net2": Net2}
Batches = Sequence[tuple[Lit, Tensor]]
ADADELTA = TorchOptimiser("Adadelta", {"rho": 0.9, "eps": 1e-6, "weight_decay": 5e-5})


@dataclass(frozen=True, kw_only=True)
class Draws:
    """The seeds from which pictures are drawn: equal seeds draw equal pictures."""

    train: int
    validation: int
    test: int


PROTOCOLS = {
    "original": Draws(train=42, validation=42, test=42),
    "clean": Draws(train=42, validation=43, test=44),
}
"Amsterdam A2's script draws all pictures from one seed, and so validates on what it learnt; the clean one does not."


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """How a network is trained."""

    pictures: int = 2000
    "Pictures to learn from."
    held: int = 1000
    "Pictures to validate on, and to test on."
    batch: int = 200
    "Pictures in a step; they come in the same order in each epoch."
    epochs: int = 50
    "Passes over the pictures at most."
    patience: int = 9
    "Epochs without a lower validation loss after which training ends."


@dataclass(frozen=True)
class Material:
    """What a network learns from, is validated on, and is tested on, made ready for one border."""

    train: Batches
    validation: Batches
    test: Batches
    together: Tensor
    "Which test pictures have both squares in one window of full convolution."


@dataclass(frozen=True, kw_only=True)
class TrainedNet:
    """What became of a network."""

    validation: float
    "Validation accuracy after the last epoch, in percent, as Amsterdam A2's script reports it."
    test: float
    "Accuracy of the best weights on the pictures whose bands are swapped, in percent."
    together: float
    "The same where one window of full convolution sees both squares."
    apart: float
    "The same where none does."
    epochs: int
    "Epochs until it stopped."
    course: tuple[float, ...] = ()
    "Accuracy on the test pictures after each epoch, in percent."


def prepare(border: Border, draws: Draws, lesson: Lesson) -> Material:
    """Draw the pictures, and find what light can reach in them."""

    def ready(count: int, size: int, seed: int, swapped: bool = False) -> Batches:
        pictures, classes = red_green(count, seed=seed, swapped=swapped)
        parts = zip(pictures.split(size), classes.split(size), strict=True)
        return [(light(part, border), answer) for part, answer in parts]

    return Material(
        ready(lesson.pictures, lesson.batch, draws.train),
        ready(lesson.held, lesson.held, draws.validation),
        ready(lesson.held, lesson.held, draws.test, swapped=True),
        in_one_window(*columns(red_green(lesson.held, seed=draws.test, swapped=True)[0]).unbind(1)),
    )


def teach(net: Net1 | Net2, material: Material, lesson: Lesson) -> TrainedNet:
    """Train a network by Adadelta until its validation loss stops falling, and put its best weights back."""
    epoch = len(material.train)
    stopping = EarlyStopping(patience=lesson.patience, every=epoch)
    steps = lesson.epochs * epoch
    plan = replace(PLAIN, steps=steps, optimiser=ADADELTA, learning_rate=1.0, early_stopping=stopping)
    course: list[float] = []

    def validate(_: nn.Module) -> tuple[float, float]:
        course.append(percent(right(net, material.test)))
        return judge(net, material.validation)

    training = Training(
        net,
        lambda index: material.train[index % epoch],
        lambda _, batch: F.cross_entropy(score(net, batch[0]), batch[1]),
        plan,
        validation=validate,
    )
    *_, (_, accuracy) = [step.validation for step in training if step.validation]
    found = right(net, material.test)
    return TrainedNet(
        validation=accuracy,
        test=percent(found),
        together=percent(found[material.together]),
        apart=percent(found[~material.together]),
        epochs=training.step // epoch,
        course=tuple(course),
    )


@torch.no_grad()
def judge(net: Net1 | Net2, batches: Batches) -> tuple[float, float]:
    """Mean cross-entropy, and accuracy in percent."""
    scores = torch.cat([score(net, batch) for batch, _ in batches])
    classes = torch.cat([answer for _, answer in batches])
    return F.cross_entropy(scores, classes).item(), percent(scores.argmax(1) == classes)


@torch.no_grad()
def right(net: Net1 | Net2, batches: Batches) -> Bool[Tensor, " n"]:
    """Which pictures get their class."""
    return torch.cat([score(net, batch).argmax(1) == classes for batch, classes in batches])


def percent(found: Tensor) -> float:
    """The share of what is true, in percent."""
    return 100 * found.double().mean().item()


@dataclass(frozen=True)
class Cell:
    """One training: a network, a type of convolution, a protocol, and the seed of its first weights."""

    net: str
    border: str
    protocol: str
    seed: int


def build(cell: Cell) -> Net1 | Net2:
    """The untrained network of a cell, the same whatever was drawn before."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(cell.seed)
        return NETS[cell.net](BORDERS[cell.border])


def teach_all(
    lessons: Mapping[Cell, Lesson],
) -> Iterator[tuple[Cell, Net1 | Net2, TrainedNet]]:
    """Train every cell, as many at a time as torch may use threads, one thread each; as they are done."""
    with one_thread_each() as pool:
        wanted = {_material(cell, lesson) for cell, lesson in lessons.items()}
        ready = dict(zip(wanted, pool.map(lambda one: prepare(*one), wanted), strict=True))
        # All before the first begins: trainings set the random numbers that they share.
        nets = {cell: build(cell) for cell in lessons}
        tasks = {
            pool.submit(teach, nets[cell], ready[_material(cell, lesson)], lesson): cell
            for cell, lesson in lessons.items()
        }
        for task in as_completed(tasks):
            yield tasks[task], nets[tasks[task]], task.result()


def _material(cell: Cell, lesson: Lesson) -> tuple[Border, Draws, Lesson]:
    """What a cell needs to be prepared: it does not depend on how long the lesson is."""
    alike = replace(lesson, epochs=Lesson.epochs, patience=Lesson.patience)
    return BORDERS[cell.border], PROTOCOLS[cell.protocol], alike
