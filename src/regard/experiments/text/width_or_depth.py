"""The MLP of a block, wide or deep at equal parameters. About 35 s on a CPU.   regard run width-or-depth"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from statistics import median
from typing import Annotated

import torch

from regard.claims import Claim
from regard.experiments.text.corpus import Corpus, TextSource, load_corpus
from regard.lab.book.style import panels, plot_runs, style
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.training import Plan, Training, cross_entropy, evaluate

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
    seeds: int = 3
    "Repeats, the same batches for all."


def config_of(shape: tuple[int, float], settings: Settings, vocabulary: int) -> GPTConfig:
    """The model with an MLP of that shape."""
    return GPTConfig(
        vocabulary=vocabulary, context=settings.context, depth=settings.depth, heads=4, width=settings.width, position="rotary",
        biases=False, layers=shape[0], ratio=shape[1], init_std=0.05,
    )  # fmt: skip


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Train each shape on the same batches and compare held-out losses pair by pair."""
    corpus = load_corpus(settings.text, shares={"train": 0.9, "test": 0.1}, context=settings.context)
    yield TextEvent("The text", corpus.text.said)
    shapes = SHAPES | {NARROW: (1, 1.0)}
    ends: dict[str, dict[int, float]] = {name: {} for name in shapes}
    paces: dict[str, list[float]] = {name: [] for name in shapes}
    curves: dict[str, list[list[float]]] = {name: [] for name in shapes}
    sizes: dict[str, int] = {}
    for seed in range(settings.seeds):
        for place, (name, shape) in enumerate(shapes.items()):
            yield ProgressEvent(f"{name}, seed {seed}", (seed + place / len(shapes)) / settings.seeds)
            model, losses, pace = _trained(shape, settings, corpus, 100 * context.seed + seed)
            sizes[name] = model.size
            ends[name][seed] = evaluate(
                model, (corpus.windows.batch("test", index, size=64, seed=0) for index in range(16))
            )
            paces[name].append(pace)
            curves[name].append(losses)
            yield Metric(f"held-out loss, {name}", ends[name][seed], seed)
    wide, deep, deeper = SHAPES
    yield Metric(
        "largest difference in parameters, as a share",
        max(abs(sizes[name] / sizes[wide] - 1) for name in SHAPES),
    )
    yield PairedMetric("loss, 2 hidden layers minus 1", ("2 layers", "1 layer"), ends[deep], ends[wide])
    yield PairedMetric("loss, 3 hidden layers minus 1", ("3 layers", "1 layer"), ends[deeper], ends[wide])
    yield PairedMetric("loss, 1 × wide minus 4 × wide", ("1 × wide", "4 × wide"), ends[NARROW], ends[wide])
    yield Metric("time of a step, 3 hidden layers / 1", median(paces[deeper]) / median(paces[wide]))
    rows = [
        (name, sizes[name], sum(found.values()) / settings.seeds, 1000 * median(paces[name]))
        for name, found in ends.items()
    ]
    yield TableEvent(
        "shapes",
        ("MLP", "parameters of the model", "held-out loss", "ms a step"),
        rows,
        f"Means over {settings.seeds} seeds.",
    )
    yield FigureEvent("curves", _figure(curves), CURVES)


def _trained(
    shape: tuple[int, float], settings: Settings, corpus: Corpus, seed: int
) -> tuple[GPT, list[float], float]:
    torch.manual_seed(seed)
    model = GPT(config_of(shape, settings, corpus.tokenizer.size))
    plan = Plan(steps=settings.steps, optimiser="muon", learning_rate=4e-3, seed=seed)
    steps = list(
        Training(model, corpus.batches("train", size=settings.batch, seed=seed), cross_entropy, plan)
    )
    return model, [step.loss for step in steps], median(step.seconds for step in steps)


def _figure(curves: dict[str, list[list[float]]]):
    with style():
        figure, (axis,) = panels(width=6.2, height=3.2)
        for name, found in curves.items():
            smooth = torch.tensor(found).unfold(1, min(20, len(found[0])), 1).mean(-1)
            plot_runs(axis, range(smooth.shape[1]), smooth, marker="", label=name)
        axis.set(xlabel="step", ylabel="training loss, 20 steps averaged", yscale="log")
        axis.legend()
        return figure


CURVES = "Training loss of the same model with four MLPs (mean over seeds; thin: each seed). The first three have the same number of weights; the last has a quarter of them."

CLAIMS = (
    Claim("largest difference in parameters, as a share", high=0.01,
          why="h² + 2wh = 8w² gives h = 2w, and 2h² + 2wh = 8w² gives h = 1.56w", source="this experiment"),
    Claim("loss, 1 × wide minus 4 × wide", low=0.0,
          why="capacity of the hidden layer", source="Amsterdam A2, 2.3c"),
    Claim("loss, 3 hidden layers minus 1", low=-0.02,
          why="depth inside a block brings nothing at equal parameters", source="Amsterdam A2, 2.3c"),
    Claim("time of a step, 3 hidden layers / 1", low=1.0,
          why="the same operations, one after another", source="this experiment"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Why is the MLP of a transformer block wide, and would a deep one do better with the same parameters?",
    answers=(65,),
    method="""One small GPT is trained with MLPs of one, two and three hidden layers. Their widths are chosen
        so that all have 8 width² weights: 4 times the width with one hidden layer, 2 times with two, 1.56
        times with three. A fourth has one hidden layer of the model's own width, to say what width is worth.
        Seeds are paired; the loss is that on held-out text.""",
    see="""More hidden channels help: the narrow MLP is worse. At equal parameters a deeper MLP does not beat
        the wide one here, and it is slower, since its layers wait for one another; depth is better bought by
        more blocks, each of which also looks around. The intervals say how sure that is at this size.""",
    correction="""The answer to Amsterdam A2, 2.3(c), argues for a wide MLP from capacity alone: the comparison
        needs equal parameters, which is what is done here.""",
    claims=CLAIMS,
    presets={
        "quick": Settings(),
        "full": Settings(width=128, depth=4, context=64, steps=2000, batch=32, seeds=5),
    },
    seconds=35,
    run=run,
)
