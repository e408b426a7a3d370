"""Four ways to tell a model where it is, and none. About 35 s on two cores.   regard run positions"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import torch
from torch import Tensor

from regard.claims import Claim
from regard.experiments.text.corpus import Corpus, TextSource, load_corpus
from regard.lab.book.style import mark_place, panels, plot_runs, style
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.workers import one_thread_each
from regard.models.gpt.config import GPTConfig, PositionKind
from regard.models.gpt.model import GPT
from regard.training import Plan, Training, cross_entropy

KINDS: tuple[PositionKind, ...] = ("none", "learned", "rotary", "alibi", "relative")


@dataclass(frozen=True, kw_only=True)
class Settings:
    text: Annotated[str, TextSource()] = "tiny-shakespeare"
    "A known text, or the path of a text file of your own."
    length: int = 32
    "Characters in a training window."
    beyond: int = 96
    "Characters in the windows that try the model beyond its training."
    width: int = 64
    "Width of the models."
    depth: int = 2
    "Layers of the models."
    steps: int = 150
    "Training steps."
    batch: int = 16
    "Windows in a batch."
    seeds: int = 3
    "Repeats of each kind, the same batches for all."


def model_of(kind: PositionKind, settings: Settings, vocabulary: int, seed: int) -> GPT:
    """An untrained model with that kind of position and room for the longer windows."""
    torch.manual_seed(seed)
    return GPT(
        GPTConfig(
            vocabulary=vocabulary,
            context=settings.beyond,
            depth=settings.depth,
            heads=4,
            width=settings.width,
            position=kind,
            reach=settings.length - 1,
            init_std=0.05,
        )
    )


def losses(model: GPT, windows: tuple[Tensor, Tensor]) -> Tensor:
    """The mean loss at each place of the windows."""
    model.eval()
    with torch.no_grad():
        scores = model(windows[0]).log_softmax(-1)
    return -scores.gather(-1, windows[1][..., None])[..., 0].mean(0)


def shuffled(windows: tuple[Tensor, Tensor], generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """The same windows with all but the last character of each in another order."""
    inputs = windows[0].clone()
    for row in inputs:
        row[:-1] = row[:-1][torch.randperm(len(row) - 1, generator=generator)]
    return inputs, windows[1]


def order_seen(depth: int, seed: int) -> float:
    """How far shuffling the past moves the last output of a random causal model without positions."""
    torch.manual_seed(seed)
    model = (
        GPT(
            GPTConfig(
                vocabulary=11, context=17, depth=depth, heads=2, width=16, position="none", init_std=0.5
            )
        )
        .double()
        .eval()
    )
    ids = torch.randint(0, 11, (1, 17), generator=torch.Generator().manual_seed(seed))
    other = ids.clone()
    other[0, :-1] = ids[0, :-1].flip(0)
    with torch.no_grad():
        return float((model(ids)[0, -1] - model(other)[0, -1]).abs().max())


class PositionResults(NamedTuple):
    """What a trained model loses at each place of the longer windows, and what shuffling the past adds."""

    curve: Tensor
    shuffling: float


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Train every kind on the same batches; test within and beyond the trained length, and with the past shuffled."""
    corpus = load_corpus(settings.text, shares={"train": 0.9, "test": 0.1}, context=settings.length)
    yield TextEvent("The text", corpus.text.said)
    for depth in (1, 2):
        yield Metric(
            f"shuffling the past moves the last output, {depth} layer{'s' if depth > 1 else ''} without positions",
            max(order_seen(depth, seed) for seed in range(5)),
        )
    within: dict[str, dict[int, float]] = {kind: {} for kind in KINDS}
    past: dict[str, dict[int, float]] = {kind: {} for kind in KINDS}
    mixed: dict[str, dict[int, float]] = {kind: {} for kind in KINDS}
    curves: dict[str, list[Tensor]] = {kind: [] for kind in KINDS}
    for done, (kind, seed, found) in enumerate(_trials(settings, corpus, 100 * context.seed), start=1):
        yield ProgressEvent(f"position '{kind}', seed {seed}", done / (settings.seeds * len(KINDS)))
        curves[kind].append(found.curve)
        within[kind][seed] = found.curve[: settings.length].mean().item()
        past[kind][seed] = found.curve[settings.length :].mean().item()
        mixed[kind][seed] = found.shuffling
        yield Metric(f"loss within the trained length, {kind}", within[kind][seed], seed)
        yield Metric(f"loss beyond it, {kind}", past[kind][seed], seed)
        yield Metric(f"what shuffling the past costs, {kind}", mixed[kind][seed], seed)
    yield from _compared(settings, within, past, mixed)
    yield FigureEvent("length", _figure(settings, curves), LENGTH)


def _trials(
    settings: Settings, corpus: Corpus, first: int
) -> Iterator[tuple[PositionKind, int, PositionResults]]:
    """Every kind from every seed, trained and tested, as many at a time as torch may use threads."""
    longer = load_corpus(settings.text, shares={"train": 0.9, "test": 0.1}, context=settings.beyond)
    cells: list[tuple[PositionKind, int]] = [(kind, seed) for seed in range(settings.seeds) for kind in KINDS]
    models = [model_of(kind, settings, corpus.tokenizer.size, first + seed) for kind, seed in cells]
    with one_thread_each() as pool:
        tasks = [
            pool.submit(_tried, model, settings, corpus, longer, first, seed)
            for model, (_, seed) in zip(models, cells, strict=True)
        ]
        for (kind, seed), task in zip(cells, tasks, strict=True):
            yield kind, seed, task.result()


def _tried(
    model: GPT, settings: Settings, corpus: Corpus, longer: Corpus, first: int, seed: int
) -> PositionResults:
    plan = Plan(steps=settings.steps, optimiser="muon", learning_rate=4e-3, seed=first + seed)
    batches = corpus.batches("train", size=settings.batch, seed=first + seed)
    for _ in Training(model, batches, cross_entropy, plan):
        pass
    near, far = (one.windows.batch("test", 0, size=256, seed=1) for one in (corpus, longer))
    other = shuffled(near, torch.Generator().manual_seed(seed))
    return PositionResults(losses(model, far), float(losses(model, other)[-1] - losses(model, near)[-1]))


Losses = Mapping[str, Mapping[int, float]]
"Losses by kind and seed."


def _compared(settings: Settings, within: Losses, past: Losses, mixed: Losses) -> Iterator[Event]:
    yield PairedMetric(
        "positions gain, within: none minus rotary", ("none", "rotary"), within["none"], within["rotary"]
    )
    ends = ("beyond", "within")
    for kind, name in (("learned", "a learned table"), ("alibi", "ALiBi")):
        title = f"{name} beyond its training: loss beyond minus within"
        yield PairedMetric(title, ends, past[kind], within[kind])
    yield PairedMetric(
        "no positions: shuffled past minus past as it is",
        ("shuffled", "as it is"),
        mixed["none"],
        dict.fromkeys(range(settings.seeds), 0.0),
    )
    rows = [
        (kind, *(sum(part[kind].values()) / settings.seeds for part in (within, past, mixed)))
        for kind in KINDS
    ]
    yield TableEvent(
        "kinds",
        ("position", "loss within", "loss beyond", "cost of a shuffled past"),
        rows,
        f"Mean loss over {settings.seeds} seeds: within the trained {settings.length} characters, at characters {settings.length + 1} to {settings.beyond}, and what shuffling the past adds at the last character.",
    )


def _figure(settings: Settings, curves: dict[str, list[Tensor]]):
    with style():
        figure, (axis,) = panels(width=6.4, height=3.4)
        for kind, found in curves.items():
            smooth = torch.stack(found).unfold(1, 5, 1).mean(-1)
            plot_runs(axis, range(3, smooth.shape[1] + 3), smooth, marker="", label=kind)
        mark_place(axis, settings.length, "trained length")
        axis.set(xlabel="place in the window", ylabel="loss (nats a character)")
        axis.set_title("loss by place, five places averaged")
        axis.legend(ncols=2)
        return figure


LENGTH = "Loss at each place of windows three times as long as those trained on, by kind of position (mean over seeds; thin: each seed). A learned table has nothing to say about places it never saw; distances carry over."

CLAIMS = (
    Claim("shuffling the past moves the last output, 1 layer without positions", high=1e-12,
          why="one softmax over a set", source="Amsterdam A2, 2.4a"),
    Claim("shuffling the past moves the last output, 2 layers without positions", low=1e-3,
          why="each token's own past differs", source="Amsterdam A2, 2.4a, corrected"),
    Claim("positions gain, within: none minus rotary", low=0.02,
          why="knowing distances helps", source="Amsterdam A2, 2.4"),
    Claim("a learned table beyond its training: loss beyond minus within", low=0.1,
          why="places that were never trained", source="Amsterdam A2, 2.4b"),
    Claim("ALiBi beyond its training: loss beyond minus within", high=0.1,
          why="a distance is a distance", source="Press, Smith and Lewis 2022"),
    Claim("no positions: shuffled past minus past as it is", low=0.0,
          why="a deeper causal model uses order without being told", source="this experiment"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Why does a transformer need positions, and which kind carries over to longer texts?",
    answers=(66,),
    method="""The same small GPT is trained on windows of the text with five kinds of position: none, a
        learned table, rotary, ALiBi, and a learned scalar for each distance. Seeds are paired: for each seed
        every kind sees the same batches. The loss is then read place by place on windows three times as long.

        As a control, all characters before the last are shuffled: a model that uses order loses by it. For
        random models without positions it is measured directly whether the order of the past moves the last
        output, with one layer and with two.""",
    see="""Without positions and with one layer, the past is a bag: shuffling it changes nothing, to the last
        bit. With two layers a causal model can tell order all the same, because each earlier token has itself
        looked at another past; the trained model without positions loses when its past is shuffled. All kinds
        of position beat none, and those that speak of distances go on working where the table ends.""",
    correction="""The answer to Amsterdam A2, 2.4(a), says that attention without positions sees a bag of words.
        That holds for attention without a mask, and for one causal layer; the mask itself tells a deeper
        causal model about order. Its two example sentences also differ in their characters (capital letters),
        not only in order.""",
    claims=CLAIMS,
    presets={
        "quick": Settings(),
        "full": Settings(steps=2000, batch=32, width=128, depth=4, length=64, beyond=256, seeds=5),
    },
    seconds=35,
    run=run,
)
