"""Four ways to tell a model where it is, and none. About 35 s on two cores.   regard run positions"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, NamedTuple

import torch
from torch import Tensor

from regard.claims import Claim
from regard.experiments.text.corpus import Corpus, TextSource, load_corpus
from regard.lab.book.style import mark_place, panels, plot_runs, style
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Device
from regard.lab.workers import shared_work
from regard.models.gpt.config import GPTConfig, PositionKind
from regard.models.gpt.model import GPT
from regard.training import Plan, ProcessGroup, Training, cross_entropy, distributed, find_device

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
    seeds: int = 4
    "Repeats of each kind, the same batches for all."
    device: Annotated[str, Device()] = "cpu"
    "Where the models are trained: cpu or cuda."


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

    curve: list[float]
    shuffling: float


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Train every kind on the same batches; test within and beyond the trained length, and with the past shuffled."""
    with distributed() as group:
        yield from _measured(settings, context, group)


def _measured(settings: Settings, context: Context, group: ProcessGroup) -> Iterator[Event]:
    corpus = load_corpus(settings.text, shares={"train": 0.9, "test": 0.1}, context=settings.length)
    yield TextEvent("The text", corpus.said)
    for depth in (1, 2):
        yield Metric(
            f"{depth} layer{'s' if depth > 1 else ''} without positions: change of the last output when the past is reversed",
            max(order_seen(depth, seed) for seed in range(5)),
        )
    within: dict[str, dict[int, float]] = {kind: {} for kind in KINDS}
    past: dict[str, dict[int, float]] = {kind: {} for kind in KINDS}
    mixed: dict[str, dict[int, float]] = {kind: {} for kind in KINDS}
    curves: dict[str, list[Tensor]] = {kind: [] for kind in KINDS}
    for done, (kind, seed, found) in enumerate(_trials(settings, corpus, 100 * context.seed, group), start=1):
        yield ProgressEvent(f"position '{kind}', seed {seed}", done / (settings.seeds * len(KINDS)))
        curve = torch.tensor(found.curve)
        curves[kind].append(curve)
        within[kind][seed] = curve[: settings.length].mean().item()
        past[kind][seed] = curve[settings.length :].mean().item()
        mixed[kind][seed] = found.shuffling
        yield Metric(f"loss within the trained length, {kind}", within[kind][seed], seed)
        yield Metric(f"loss beyond it, {kind}", past[kind][seed], seed)
        yield Metric(f"what shuffling the past costs, {kind}", mixed[kind][seed], seed)
    yield from _compared(settings, within, past, mixed)
    yield FigureEvent("length", _figure(settings, curves), LENGTH)


def _trials(
    settings: Settings, corpus: Corpus, first: int, group: ProcessGroup
) -> Iterator[tuple[PositionKind, int, PositionResults]]:
    """Every kind from every seed, trained and tested; several processes share them."""
    longer = load_corpus(settings.text, shares={"train": 0.9, "test": 0.1}, context=settings.beyond)
    cells: list[tuple[PositionKind, int]] = [(kind, seed) for seed in range(settings.seeds) for kind in KINDS]
    models = [model_of(kind, settings, corpus.tokenizer.size, first + seed) for kind, seed in cells]
    tasks = [
        partial(_tried, model, settings, corpus, longer, first, seed)
        for model, (_, seed) in zip(models, cells, strict=True)
    ]
    for (kind, seed), found in zip(cells, shared_work(tasks, group, settings.device), strict=True):
        yield kind, seed, PositionResults(*found)


def _tried(
    model: GPT, settings: Settings, corpus: Corpus, longer: Corpus, first: int, seed: int
) -> PositionResults:
    plan = Plan(steps=settings.steps, optimiser="muon", learning_rate=4e-3, seed=first + seed)
    batches = corpus.batches("train", size=settings.batch, seed=first + seed)
    device = find_device(settings.device)
    for _ in Training(model, batches, cross_entropy, plan, capture=True, device=device):
        pass
    model.cpu()
    near, far = (one.windows.batch("test", 0, size=256, seed=1) for one in (corpus, longer))
    other = shuffled(near, torch.Generator().manual_seed(seed))
    return PositionResults(
        losses(model, far).tolist(), float(losses(model, other)[-1] - losses(model, near)[-1])
    )


Losses = Mapping[str, Mapping[int, float]]
"Losses by kind and seed."


def _compared(settings: Settings, within: Losses, past: Losses, mixed: Losses) -> Iterator[Event]:
    yield PairedMetric(
        "loss within the trained length, no positions minus rotary",
        ("none", "rotary"),
        within["none"],
        within["rotary"],
    )
    ends = ("beyond", "within")
    for kind, name in (("learned", "learned table"), ("rotary", "rotary"), ("alibi", "ALiBi")):
        title = f"{name}: loss beyond the trained length minus within"
        yield PairedMetric(title, ends, past[kind], within[kind])
    yield PairedMetric(
        "loss beyond the trained length, rotary minus ALiBi",
        ("rotary", "ALiBi"),
        past["rotary"],
        past["alibi"],
    )
    yield PairedMetric(
        "no positions: loss with the past shuffled minus in order",
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
        f"Mean loss over {settings.seeds} seeds: within the trained {settings.length} characters, at characters {settings.length + 1} to {settings.beyond}, and what shuffling the past adds to the loss at the last character (a model that does not use order would have 0 there).",
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
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=5)
        return figure


LENGTH = "Loss at each place of windows three times as long as those trained on, by kind of position (mean over seeds; thin: each seed). A kind that carries over to longer texts goes on level past the mark; the loss of one that does not rises, at the mark or some way beyond it."

CLAIMS = (
    Claim("1 layer without positions: change of the last output when the past is reversed", high=1e-12,
          why="one softmax over a set", source="Amsterdam A2, 2.4a", items=(66,),
          says="Without positions one layer sees a bag of words: reversing the past changes its last output by {value:.2g}, which is rounding.",
          otherwise="Without positions even one layer tells the order of the past: reversing it changes the last output by {value:.2g}.",
          asks="whether one layer without positions sees order"),
    Claim("2 layers without positions: change of the last output when the past is reversed", low=1e-3,
          why="each token's own past differs", source="Amsterdam A2, 2.4a, corrected", items=(66,),
          says="Two causal layers do tell order without positions: reversing the past changes the last output by {value:.2g}, since each earlier token has itself seen another past.",
          otherwise="Two causal layers without positions do not tell order either: reversing the past changes the last output by {value:.2g}.",
          asks="whether two causal layers without positions see order"),
    Claim("loss within the trained length, no positions minus rotary", low=0.02,
          why="knowing distances helps", source="Amsterdam A2, 2.4", items=(66,),
          says="Positions pay: within the trained length a model without them loses {value:.2f} nats a character more than one with rotary positions ({low:.2f} to {high:.2f}).",
          otherwise="Positions hardly pay here: within the trained length the loss of a model without them is {value:+.2f} nats a character beside one with rotary positions.",
          asks="whether positions pay within the trained length"),
    Claim("learned table: loss beyond the trained length minus within", low=0.1,
          why="places that were never trained", source="Amsterdam A2, 2.4b", items=(66,),
          says="A learned table does not carry over: beyond the trained length its loss is {value:.2f} nats a character higher ({low:.2f} to {high:.2f}).",
          otherwise="A learned table carries over better than expected: beyond the trained length its loss changes by {value:+.2f} nats a character.",
          asks="whether a learned table carries over to longer texts"),
    Claim("rotary: loss beyond the trained length minus within", low=0.0,
          why="distances beyond those trained turn by angles that were never seen", source="Press, Smith and Lewis 2022", items=(66,),
          says="Rotary positions do not carry over by themselves: beyond the trained length the loss is {value:.2f} nats a character higher ({low:.2f} to {high:.2f}).",
          otherwise="Rotary positions carry over here: beyond the trained length the loss changes by {value:+.2f} nats a character.",
          asks="whether rotary positions carry over to longer texts"),
    Claim("ALiBi: loss beyond the trained length minus within", high=0.1,
          why="what is far gets a larger penalty, whatever the length", source="Press, Smith and Lewis 2022", items=(66,),
          says="ALiBi does carry over: beyond the trained length its loss changes by {value:+.2f} nats a character ({low:+.2f} to {high:+.2f}).",
          otherwise="ALiBi does not carry over here: beyond the trained length its loss is {value:.2f} nats a character higher.",
          asks="whether ALiBi carries over to longer texts"),
    Claim("loss beyond the trained length, rotary minus ALiBi", low=0.0,
          why="ALiBi was made for longer texts than those trained on", source="Press, Smith and Lewis 2022", items=(66,),
          says="A kind that speaks of distances is not enough: beyond the trained length rotary loses {value:.2f} nats a character against ALiBi ({low:.2f} to {high:.2f}).",
          otherwise="Beyond the trained length rotary does no worse than ALiBi: the difference is {value:+.2f} nats a character.",
          asks="whether rotary or ALiBi carries over better"),
    Claim("no positions: loss with the past shuffled minus in order", low=0.005,
          why="a deeper causal model uses order without being told; half a hundredth of a nat is more than evaluation noise", source="Haviv et al. 2022, on transformers without positions", items=(66,),
          says="The trained model without positions uses order all the same: shuffling its past costs {value:.2f} nats at the last character.",
          otherwise="The trained model without positions does not use order: shuffling its past costs {value:.3f} nats at the last character.",
          asks="whether a trained model without positions uses order"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Why does a transformer need positions, and which kind carries over to longer texts?",
    method="""The same small GPT is trained on windows of the text with five kinds of position: none, a
        learned table, rotary, ALiBi, and a learned scalar for each distance. Seeds are paired: for each seed
        every kind sees the same batches. The loss is then read place by place on windows three times as long.

        As a control, all characters before the last are shuffled: what that adds to the loss is what the model
        had from order. For random models without positions it is measured directly whether the order of the
        past moves the last output, with one layer and with two.""",
    see="""A learned table has rows for the places that it was trained on, and beyond them rows that are still random. Rotary,
        ALiBi and a scalar for each distance speak of distances, and a distance can be new too: rotary turns by
        angles that it never met, ALiBi extends its penalty. The curves show what that is worth. Why rotary
        products depend on the distance alone is derived in [[theory-positions]], where it is also tried what a causal mask
        tells about order; the rotation itself is shown in [[gpt-parts]].""",
    correction="""The answer to Amsterdam A2, 2.4(a), says that attention without positions sees a bag of words.
        That holds for attention without a mask, and for one causal layer; the mask itself tells a deeper
        causal model about order. Its two example sentences also differ in their characters (capital letters),
        not only in order. The answer to question 2.4(b) says of relative positions as such that they generalise to other
        lengths; the assignment's own kind, rotary, is measured here by itself.""",
    claims=CLAIMS,
    opens_with=("loss within the trained length, no positions minus rotary", "ALiBi: loss beyond the trained length minus within"),
    presets={
        "quick": Settings(),
        "full": Settings(steps=2000, batch=32, width=128, depth=4, length=64, beyond=256, seeds=5),
    },
    seconds=45,
    run=run,
)  # fmt: skip
