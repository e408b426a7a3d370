"""The MLP of a block, wide or deep at equal parameters. About 35 s on a CPU.   regard run width-or-depth"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Annotated

import torch

from regard.claims import Claim
from regard.experiments.text.corpus import Corpus, TextSource, load_corpus
from regard.lab.book.style import panels, plot_runs, style
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import FOUND, Context, Experiment
from regard.lab.ranges import Device
from regard.lab.statistics import difference
from regard.lab.workers import shared_work
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.training import Plan, ProcessGroup, Training, cross_entropy, distributed, evaluate, find_device

SHAPES: dict[str, tuple[int, float]] = {
    "1 layer, 4 × wide": (1, 4.0),
    "2 layers, 2 × wide": (2, 2.0),
    "3 layers, 1.56 × wide": (3, (sqrt(17) - 1) / 2),
}
"Hidden layers and their width as a multiple of the model's: 8 width² weights in each."
NARROW = "1 layer, 1 × wide"


@dataclass(frozen=True, kw_only=True)
class Settings:
    text: Annotated[str, TextSource()] = "tiny-shakespeare"
    "A known text, or the path of a text file of your own."
    width: int = 64
    "Width of the models."
    depth: int = 2
    "Blocks of the models."
    context: int = 32
    "Characters in a window."
    steps: int = 250
    "Training steps."
    batch: int = 16
    "Windows in a batch."
    seeds: int = 6
    "Repeats, the same batches for all."
    device: Annotated[str, Device()] = "cpu"
    "Where the models are trained: cpu or cuda."


def config_of(shape: tuple[int, float], settings: Settings, vocabulary: int) -> GPTConfig:
    """The model with an MLP of that shape."""
    return GPTConfig(
        vocabulary=vocabulary, context=settings.context, depth=settings.depth, heads=4, width=settings.width, position="rotary",
        biases=False, layers=shape[0], ratio=shape[1], init_std=0.05,
    )  # fmt: skip


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Train each shape on the same batches and compare held-out losses pair by pair."""
    with distributed() as group:
        yield from _measured(settings, context, group)


def _measured(settings: Settings, context: Context, group: ProcessGroup) -> Iterator[Event]:
    """The same, its trainings shared by several processes where there are some."""
    corpus = load_corpus(settings.text, shares={"train": 0.9, "test": 0.1}, context=settings.context)
    yield TextEvent("The text", corpus.said)
    shapes = SHAPES | {NARROW: (1, 1.0)}
    ends: dict[str, dict[int, float]] = {name: {} for name in shapes}
    curves: dict[str, list[list[float]]] = {name: [] for name in shapes}
    sizes: dict[str, int] = {}
    cells = [(name, seed) for seed in range(settings.seeds) for name in shapes]
    models = [model_of(shapes[name], settings, corpus, 100 * context.seed + seed) for name, seed in cells]
    tasks = [
        partial(_trained, model, settings, corpus, 100 * context.seed + seed)
        for model, (_, seed) in zip(models, cells, strict=True)
    ]
    results = shared_work(tasks, group, settings.device)
    for done, ((name, seed), model, found) in enumerate(zip(cells, models, results, strict=True), start=1):
        losses, ends[name][seed] = found
        yield ProgressEvent(f"{name}, seed {seed}", done / len(cells))
        sizes[name] = model.size
        curves[name].append(losses)
        yield Metric(f"held-out loss, {name}", ends[name][seed], seed)
        if settings.text != Settings.text:
            yield TextEvent(FOUND, said_of_own(ends, settings.seeds))
    wide, deep, deeper = SHAPES
    yield Metric(
        "largest difference in parameters, as a share",
        max(abs(sizes[name] / sizes[wide] - 1) for name in SHAPES),
    )
    yield PairedMetric(
        "held-out loss, 2 hidden layers minus 1", ("2 layers", "1 layer"), ends[deep], ends[wide]
    )
    yield PairedMetric(
        "held-out loss, 3 hidden layers minus 1", ("3 layers", "1 layer"), ends[deeper], ends[wide]
    )
    yield PairedMetric(
        "held-out loss, 1 × wide minus 4 × wide", ("1 × wide", "4 × wide"), ends[NARROW], ends[wide]
    )
    rows = [
        (name, sizes[name], shapes[name][0] + 1, sum(found.values()) / settings.seeds)
        for name, found in ends.items()
    ]
    yield TableEvent(
        "shapes",
        ("MLP", "parameters of the model", "matrix products in a row", "held-out loss"),
        rows,
        f"The four MLPs: hidden layers and their width as a multiple of the model's; parameters of the whole model; "
        f"how many matrix products of the MLP wait for one another; loss on held-out text in nats a character, mean over {settings.seeds} seeds.",
    )
    yield FigureEvent("curves", _figure(curves), CURVES)


def said_of_own(ends: Mapping[str, Mapping[int, float]], seeds: int) -> str:
    """What was found in a text of a person's choice, by the trainings that are done: losses, and what differs beyond chance."""
    done = {name: found for name, found in ends.items() if found}
    losses = "; ".join(
        f"{name}, {sum(found.values()) / len(found):.3f} ({len(found)})" for name, found in done.items()
    )
    (wide, base), told = next(iter(done.items())), []
    for name, found in list(done.items())[1:]:
        gap = difference(found, {seed: base[seed] for seed in found})
        if gap.count > 1:
            sure = "" if gap.low > 0 or gap.high < 0 else ", which settles nothing"
            told.append(f"{name} {gap.mean:+.3f} ({gap.low:+.3f} to {gap.high:+.3f}{sure})")
    beside = f" Beside {wide}, over paired seeds with 95 % intervals: {'; '.join(told)}." if told else ""
    return f"On your text the MLPs end with these losses on held-out text, in nats a character (in brackets how many of {seeds} seeds): {losses}.{beside}"


def model_of(shape: tuple[int, float], settings: Settings, corpus: Corpus, seed: int) -> GPT:
    """An untrained model with an MLP of that shape."""
    torch.manual_seed(seed)
    return GPT(config_of(shape, settings, corpus.tokenizer.size))


def _trained(model: GPT, settings: Settings, corpus: Corpus, seed: int) -> tuple[list[float], float]:
    """The losses of training, and the loss on held-out text after it."""
    plan = Plan(steps=settings.steps, optimiser="muon", learning_rate=4e-3, seed=seed)
    batches = corpus.batches("train", size=settings.batch, seed=seed)
    device = find_device(settings.device)
    steps = list(Training(model, batches, cross_entropy, plan, capture=True, device=device))
    model.cpu()
    held_out = (corpus.windows.batch("test", index, size=64, seed=0) for index in range(16))
    return [step.loss for step in steps], evaluate(model, held_out)


def _figure(curves: dict[str, list[list[float]]]):
    with style():
        figure, (axis,) = panels(width=6.2, height=3.2)
        for name, found in curves.items():
            smooth = torch.tensor(found).unfold(1, min(20, len(found[0])), 1).mean(-1)
            plot_runs(axis, range(smooth.shape[1]), smooth, marker="", label=name)
        axis.set(xlabel="step", ylabel="training loss (nats a character)", yscale="log")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.yaxis.set_minor_formatter("{x:g}")
        axis.legend()
        return figure


CURVES = "Training loss of the same model with four MLPs, 20 steps averaged (mean over seeds; thin: each seed). The first three have the same number of weights; the last has a quarter of them. Look whether the curves part, and by how much beside their spread over seeds."

CLAIMS = (
    Claim("largest difference in parameters, as a share", high=0.01,
          why="h² + 2wh = 8w² gives h = 2w, and 2h² + 2wh = 8w² gives h = 1.56w", source="this experiment", items=(65,),
          says="The three shapes compared have the same number of parameters, within {value:.2%}.",
          otherwise="The three shapes do not have the same number of parameters: they differ by {value:.1%}.",
          asks="whether the shapes have equally many parameters"),
    Claim("held-out loss, 1 × wide minus 4 × wide", low=0.005,
          why="capacity of the hidden layer; half a hundredth of a nat is more than evaluation noise", source="Amsterdam A2, 2.3c", items=(65,),
          says="Width pays: with a hidden layer of the model's own width in place of four times that, the held-out loss is {value:.3f} nats a character higher ({low:.3f} to {high:.3f}).",
          otherwise="Width does not pay here: a quarter of the hidden channels changes the held-out loss by {value:+.3f} nats a character.",
          asks="whether a wide hidden layer pays"),
    Claim("held-out loss, 3 hidden layers minus 1", low=-0.02,
          why="depth inside a block brings nothing at equal parameters; a fiftieth of a nat is the least that would be worth two more layers", source="Amsterdam A2, 2.3c", items=(65,),
          says="A deep MLP with the same parameters is not worth a fiftieth of a nat: three hidden layers change the held-out loss by {value:+.3f} nats a character ({low:+.3f} to {high:+.3f}; two change it by {of[held-out loss, 2 hidden layers minus 1]:+.3f}), while four matrix products have to wait for one another in place of two.",
          otherwise="A deep MLP with the same parameters does better by a fiftieth of a nat or more: three hidden layers change the held-out loss by {value:+.3f} nats a character, two by {of[held-out loss, 2 hidden layers minus 1]:+.3f}.",
          asks="whether a deep MLP would do better by a fiftieth of a nat with the same parameters"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Why is the MLP of a transformer block wide, and would a deep one do better with the same parameters?",
    method="""One small GPT is trained with MLPs of one, two and three hidden layers. Their widths are chosen
        so that all have $8 w^2$ weights, with $w$ the model's width: 4 times the width with one hidden layer, 2 times with two, 1.56
        times with three. A fourth has one hidden layer of the model's own width, to say what width is worth.
        Seeds are paired; the loss is that on held-out text.""",
    see="""Three reasons are usually given: what a wide layer can hold, how well gradients pass a shallow one, and
        that its products can run side by side. The first is tried here by the narrow MLP, the second by what deep
        MLPs reach in the same number of steps; the third is counted in the table, as products that wait for one
        another. The intervals say how sure the differences are at this size. How gradients shrink with depth is
        derived in [[theory-gradient-products]], how sums of products grow with the width in [[theory-dot-product]]; the
        block is written out in [[gpt-parts]].""",
    correction="""The answer to Amsterdam A2, 2.3(c), argues from capacity (universal approximation), from
        gradients and stability, from parallelism, and from the stacking of blocks, but compares nothing: a
        comparison needs equal parameters, which is what is done here.""",
    claims=CLAIMS,
    opens_with=("held-out loss, 1 × wide minus 4 × wide", "held-out loss, 3 hidden layers minus 1"),
    presets={
        "quick": Settings(),
        "full": Settings(width=128, depth=4, context=64, steps=2000, batch=32),
    },
    seconds=35,
    run=run,
)
