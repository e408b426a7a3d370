"""Attention on the pixels of digits beside a convolutional network. About 35 s on a CPU.   regard run pixels"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from statistics import median
from typing import Annotated

import torch
from torch import Tensor, nn

from regard.claims import Claim
from regard.core.trace import trace
from regard.experiments.images.own import OwnPictures
from regard.experiments.images.pixels.digits import Digits, accuracy, answers, load
from regard.experiments.images.pixels.figures import draw_changes, draw_filter, draw_looks, draw_places
from regard.experiments.images.rotate import rotate
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import FOUND, Context, Experiment, OwnWords
from regard.lab.ranges import Device
from regard.lab.vision_model import save_vision_model
from regard.models.cnn import ConvNet
from regard.models.vit import Convolving, GridRelative, PatchTransformer, Sight
from regard.training import Plan, Training, cross_entropy, find_device

CNN, GLOBAL, LOCAL, BLIND = "CNN", "all patches", "3 × 3 patches", "no positions"


@dataclass(frozen=True, kw_only=True)
class Settings(OwnPictures):
    pictures: int = 20_000
    "Digits to learn from."
    tests: int = 600
    "Digits to be tried on."
    steps: int = 75
    "Training steps, the same for all."
    batch: int = 32
    "Digits in a batch."
    seeds: int = 3
    "Repeats; the same batches for all models."
    width: int = 60
    "Channels of a patch."
    depth: int = 2
    "Blocks of a transformer: with 60 channels it has about as many parameters as the CNN."
    shifts: tuple[int, ...] = (0, 1, 2, 3, 4, 6, 8)
    "Pixels by which the test digits are shifted."
    angles: tuple[int, ...] = (0, 15, 30, 45, 90, 135, 180)
    "Degrees by which they are turned."
    device: Annotated[str, Device()] = "cpu"
    "Where the networks are trained: cpu or cuda."


@dataclass
class PatchResults:
    """What the trainings of one model gave."""

    models: list[nn.Module] = field(default_factory=list)
    right: dict[int, float] = field(default_factory=dict)
    losses: list[float] = field(default_factory=list)
    paces: list[float] = field(default_factory=list)


def builders(settings: Settings, classes: int = 10) -> dict[str, Callable[[], nn.Module]]:
    """The four models, by name."""
    whole = Sight(width=settings.width, depth=settings.depth, classes=classes)
    return {
        CNN: lambda: ConvNet(channels=1, side=28, classes=classes),
        GLOBAL: lambda: PatchTransformer(whole),
        LOCAL: lambda: PatchTransformer(replace(whole, reach=1, position="relative")),
        BLIND: lambda: PatchTransformer(replace(whole, position="none")),
    }


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Train all models on the same batches; then shift, turn, look, and set heads to a filter."""
    digits, said = load(settings.pictures, settings.tests, settings.folder)
    yield TextEvent("Your pictures" if settings.folder else "The pictures", said)
    makers = builders(settings, digits.classes)
    found = {name: PatchResults() for name in makers}
    for seed in range(settings.seeds):
        for turn, (name, make) in enumerate(makers.items()):
            yield ProgressEvent(f"{name}, seed {seed}", 0.8 * (seed + turn / len(makers)) / settings.seeds)
            _train(found[name], make, digits, settings, 100 * context.seed + seed)
            found[name].right[seed] = accuracy(found[name].models[-1], digits.test, digits.answers)
            yield Metric(f"accuracy, {name}", found[name].right[seed], seed)
    yield from _compare(found, digits)
    if settings.folder is not None:
        yield TextEvent(FOUND, said_of_own({name: one.right for name, one in found.items()}, digits))
    yield ProgressEvent("shifting and turning", 0.82)
    yield from _changes(found, digits, settings)
    yield ProgressEvent("looking", 0.95)
    yield from _looks(found, digits)
    _keep(found, digits, context)
    yield from _filter(found, digits)


def _train(
    found: PatchResults, make: Callable[[], nn.Module], digits: Digits, settings: Settings, seed: int
) -> None:
    torch.manual_seed(seed)
    model = make().to(find_device(settings.device))
    plan = Plan(
        steps=settings.steps,
        optimiser="muon",
        learning_rate=3e-3,
        exclude=("head", "hidden"),
        warmup=0.1,
        seed=seed,
    )
    steps = list(Training(model, digits.batches(settings.batch, seed), cross_entropy, plan, capture=True))
    found.models.append(model.cpu())
    found.losses.append(sum(step.loss for step in steps[-10:]) / len(steps[-10:]))
    found.paces.append(median(step.seconds for step in steps))


def _compare(found: dict[str, PatchResults], digits: Digits) -> Iterator[Event]:
    for first, second in ((CNN, GLOBAL), (CNN, LOCAL), (LOCAL, GLOBAL), (GLOBAL, BLIND)):
        yield PairedMetric(
            f"accuracy, {first} minus {second}", (first, second), found[first].right, found[second].right
        )
    rows = []
    for name, one in found.items():
        size, count = sum(p.numel() for p in one.models[0].parameters()), len(one.right)
        right, loss = sum(one.right.values()) / count, sum(one.losses) / count
        rows.append((name, size, 1000 * median(one.paces), loss, right))
    columns = ("model", "parameters", "ms a step", "training loss at the end", "test accuracy")
    yield TableEvent("budget", columns, rows, TABLE.format(digit=digits.word))


def said_of_own(right: Mapping[str, Mapping[int, float]], digits: Digits) -> str:
    """What was found in pictures of a person's own: who knows how many, beside the most frequent class."""
    means = {name: 100 * sum(found.values()) / len(found) for name, found in right.items()}
    told = "; ".join(f"{name} {value:.1f} %" for name, value in means.items())
    lone = "one seed" if len(right[CNN]) == 1 else f"mean of {len(right[CNN])} seeds"
    usual = 100 * digits.answers.bincount().max().item() / len(digits.answers)
    return (
        f"The share of your {len(digits.answers):,} test pictures whose class each network gets right, {lone}: {told}. Always "
        f"naming the commonest class would be right on {usual:.1f} %; the highest is that of {max(means, key=means.__getitem__)}."
    )


def _changes(found: dict[str, PatchResults], digits: Digits, settings: Settings) -> Iterator[Event]:
    count = max(1, settings.tests // 4)
    some, labels = digits.test[:count], digits.answers[:count]
    black_beside = ", where a digit has only black" if settings.folder is None else ""
    # Turned pictures come from outside black: black is the lowest value here, not zero.
    black = some.min()
    shifts: dict[str, dict[int, float]] = {}
    angles: dict[str, dict[int, float]] = {}
    for name, one in found.items():
        model = one.models[0]
        shifts[name] = {by: accuracy(model, some.roll(by, 3), labels) for by in settings.shifts}
        angles[name] = {
            by: accuracy(model, rotate(some - black, by, sampling="bilinear") + black, labels)
            for by in settings.angles
        }
        for kind, curve in (("pixels", shifts[name]), ("degrees", angles[name])):
            for by, value in curve.items():
                yield Metric(f"accuracy under change, {name}", value, 0, {kind: by})
    if 90 in settings.angles:
        yield Metric(
            "largest accuracy at 90 degrees, of any model", max(curve[90] for curve in angles.values())
        )
    yield from _exact(found, digits)
    yield FigureEvent(
        "changes",
        draw_changes(shifts, angles, 4),
        CHANGES.format(count=count, digit=digits.word, black=black_beside),
    )


def _exact(found: dict[str, PatchResults], digits: Digits) -> Iterator[Event]:
    """What must not change at all, in float64; and how much a whole and a half patch change with relative steps."""
    some = digits.test[:50].double()
    for name in (GLOBAL, LOCAL, BLIND):
        moved: dict[int, dict[int, float]] = {2: {}, 4: {}}
        for seed, model in enumerate(found[name].models):
            model.double()
            still = answers(model, some).softmax(1)
            for by, values in moved.items():
                values[seed] = float(
                    (answers(model, some.roll(by, 3)).softmax(1) - still).abs().sum(1).mean() / 2
                )
                yield Metric(f"change of the answer, {name}", values[seed], seed, {"pixels": by})
            if name == BLIND and seed == 0:
                change = (answers(model, some.roll(4, 3)).softmax(1) - still).abs().max()
                yield Metric("largest change under a shift by a patch, no positions", float(change))
            model.float()
        yield PairedMetric(
            f"change of the answer by a whole patch minus half a patch, {name}",
            ("4 pixels", "2 pixels"), moved[4], moved[2],
        )  # fmt: skip


def _looks(found: dict[str, PatchResults], digits: Digits) -> Iterator[Event]:
    """Weights of every head and layer for one digit; how far heads look; what positions learned."""
    picture = digits.test[:1]
    for name, word in ((GLOBAL, "looks"), (LOCAL, "local looks")):
        model = found[name].models[0]
        assert isinstance(model, PatchTransformer)
        with trace(model) as seen:
            answers(model, picture)
        looks = [one[0].weights[0].detach() for one in seen.looks.values()]
        grid = model.sight.grid
        for layer, weights in enumerate(looks):
            for head, distance in enumerate(distances(weights, grid).tolist()):
                yield Metric(f"how far a head looks, {name}", distance, 0, {"layer": layer, "head": head})
        ink = picture[0, 0].unfold(0, model.sight.patch, model.sight.patch).unfold(1, 4, 4).sum((2, 3))
        query = int(ink.argmax())
        caption = LOOKS.format(digit=digits.word) if name == GLOBAL else LOCAL_LOOKS
        yield FigureEvent(word, draw_looks(picture[0, 0], looks, query, grid), caption)
    whole, local = found[GLOBAL].models[0], found[LOCAL].models[0]
    assert (
        isinstance(whole, PatchTransformer)
        and whole.positions is not None
        and isinstance(local, PatchTransformer)
    )
    position = local.get_submodule("blocks.0.attention.position")
    assert isinstance(position, GridRelative)
    rows, columns = position.shape
    table = position.p.detach()[:, rows - 2 : rows + 1, columns - 2 : columns + 1]
    yield FigureEvent("places", draw_places(whole.positions.detach(), table, whole.sight.grid), PLACES)


def _keep(found: dict[str, PatchResults], digits: Digits, context: Context) -> None:
    """Leave a transformer to be looked into, where checkpoints can be written."""
    model = found[GLOBAL].models[0]
    if find_spec("safetensors") and isinstance(model, PatchTransformer):
        save_vision_model(context.folder / "all-patches", model, digits.names, digits.mean, digits.spread)


def distances(weights: Tensor, grid: tuple[int, int]) -> Tensor:
    """The mean distance at which each head looks, in patches: sum over j of w_ij |i − j|, averaged over i."""
    cells = torch.cartesian_prod(torch.arange(grid[0]), torch.arange(grid[1])).to(weights)
    return (weights * torch.cdist(cells, cells)).sum(-1).mean(-1)


def _filter(found: dict[str, PatchResults], digits: Digits) -> Iterator[Event]:
    """The CNN's own first convolution as nine heads of attention, exactly."""
    network = found[CNN].models[0]
    assert isinstance(network, ConvNet)
    convolution = network.double().layers[0]
    assert isinstance(convolution, nn.Conv2d)
    picture = digits.test[:1].double()
    layer = Convolving.from_torch(convolution, (28, 28))
    with torch.no_grad():
        ours, theirs = layer(picture)[0], convolution(picture)[0]
        with trace(layer) as seen:
            layer(picture)
    yield Metric(
        "largest gap between nine heads and the CNN's convolution", float((ours - theirs).abs().max())
    )
    channel = int(convolution.weight.detach().flatten(1).std(1).argmax())
    kernel = convolution.weight.detach()[channel, 0]
    taken = seen.looks[""][0].weights[0] @ picture[0].flatten(1).mT
    heads = kernel.flatten()[:, None, None] * taken[..., 0].unflatten(1, (28, 28))
    drawn = draw_filter(picture[0, 0], kernel, heads, ours[channel], theirs[channel], digits.word)
    yield FigureEvent("filter", drawn, FILTER)
    network.float()


TABLE = "The same batches and steps for all, about as many parameters. Training loss: mean of the last ten steps, in nats; test accuracy: the share of right answers on {digit}s that were not learned from; both are means over the seeds. 'ms a step' is the median on this machine."
CHANGES = (
    "Accuracy on the first {count} test {digit}s, shifted (what leaves on the right comes back on the left{black}) and turned, by the networks of seed 0; no training {digit} was so. Dotted lines: whole patches. "
    "To a model without positions a picture is a set of patches: a shift by a whole patch gives it the same set, one by other distances another. Look for curves that rise again at the dotted lines."
)
LOOKS = (
    "A {digit} of the test, with one patch marked, and how much each head of each layer of the transformer over all patches looks at every patch from there: bright is much. "
    "Each small picture has its own scale. A head whose picture is even has not learned where to look."
)
LOCAL_LOOKS = "The same for the transformer that sees 3 × 3 patches: what is dark outside the square cannot be seen. Layers upon each other see farther, as convolutions do."
PLACES = (
    "Above: how alike the learned vector of a marked place is to that of every other (1: the same direction). They start at random; if neighbours have become alike, training has found that places lie on a grid. "
    "Below: what the local transformer's first layer adds to the score of each of its nine steps, head by head; the middle is the patch itself."
)
FILTER = (
    "The CNN's own filter, as it was learned, as nine heads of attention: each head looks at one pixel, a step away, and nowhere else. Nine small pictures: what the heads bring, multiplied by the filter's weight for that step. "
    "Their sum is the convolution's map."
)
HERE = "this experiment"


def _two(first: str, second: str) -> str:
    """Two accuracies, for a sentence."""
    return f"{{of[accuracy, {first}]:.1%}} of the test digits against {{of[accuracy, {second}]:.1%}}"


CLAIMS = (
    Claim(f"accuracy, {CNN} minus {GLOBAL}", low=0.0,
          why="neighbourhood and sameness of places are built in, and need no examples", source="Dosovitskiy and others, 2021", data="folder",
          says=f"With the same batches, steps and number of parameters, the convolutional network is ahead of attention over all patches: {_two(CNN, GLOBAL)}.",
          otherwise=f"With the same batches, steps and number of parameters, attention over all patches is ahead of the convolutional network: {_two(GLOBAL, CNN)}.",
          asks="whether a convolutional network is ahead of attention over all patches"),
    Claim(f"accuracy, {CNN} minus {LOCAL}", low=0.0,
          why="the same at the scale of pixels inside a patch", source=HERE, data="folder",
          says=f"The CNN is ahead of attention over 3 × 3 patches, too: {_two(CNN, LOCAL)}.",
          otherwise=f"Attention over 3 × 3 patches is ahead of it: {_two(LOCAL, CNN)}.",
          asks="whether the convolutional network is ahead of attention over 3 × 3 patches"),
    Claim(f"accuracy, {GLOBAL} minus {BLIND}", low=0.0,
          why="a set of patches does not say how they were arranged", source=HERE, data="folder",
          says=f"Attention needs positions: {_two(GLOBAL, BLIND)} without them.",
          otherwise=f"Attention does without positions: {_two(BLIND, GLOBAL)} with them.",
          asks="whether attention needs positions"),
    Claim("largest change under a shift by a patch, no positions", high=1e-9,
          why="the same set of patches; rounding in float64", source=HERE,
          says="Without positions a shift by a whole patch changes no probability (at most {value:.0e}): the picture is a set of patches.",
          otherwise="Even without positions a shift by a whole patch changes a probability, by {value:.2g}.",
          asks="whether a model without positions sees a set of patches"),
    Claim(f"change of the answer by a whole patch minus half a patch, {LOCAL}", high=0.0,
          why="steps between patches stay what they are under a shift by whole patches, but at the border", source=HERE, data="folder",
          says="Attention over 3 × 3 patches with relative positions minds a shift by a whole patch less than one by half a patch ({value:+.1%} of the probability).",
          otherwise="Attention over 3 × 3 patches minds a shift by a whole patch no less than one by half a patch ({value:+.1%} of the probability).",
          asks="whether relative positions make whole-patch shifts the smaller change"),
    Claim("largest accuracy at 90 degrees, of any model", high=0.5,
          why="neither filters nor patches turn with the picture", source="Amsterdam A2, 1.2", data="folder",
          says="No model knows digits that are turned by 90 degrees: at most {value:.0%} are right.",
          otherwise="Some model still knows {value:.0%} of the digits that are turned by 90 degrees.",
          asks="whether any model knows digits that are turned by 90 degrees"),
    Claim("largest gap between nine heads and the CNN's convolution", high=1e-10,
          why="a convolution is a sum over steps, and each head is one step; in float64", source="this experiment",
          says="Attention can be a convolution exactly: nine heads, one for each step, give the map of the network's own first filter (a gap of {value:.0e}).",
          otherwise="Nine heads of attention do not give the convolution's map: a gap of {value:.2g}.",
          asks="whether nine heads of attention are a convolution"),
)  # fmt: skip

METHOD = """{digits} of 28 × 28 pixels are cut into 7 × 7 patches of 4 × 4 pixels; each patch is a token. Three
        transformers on `attend` get the same batches and steps as a convolutional network (CNN), and about as many
        parameters. One sees all patches, and has a learned vector for each place (a vision transformer). One
        sees only the 3 × 3 patches around each (`Grid`), and has a learned number for each of these steps and
        each head. One sees all patches and knows no places.

        The test {digit}s are then shifted and turned, which no training {digit} was. `trace` shows where each head
        looks. Last, heads that see one pixel each are given the weights of the CNN's first convolution:
        `Constant`, one `Grid` offset per head and `Raw`."""
SEE = """That a pixel belongs with its neighbours, and that a {stroke} means the same everywhere, is built into a CNN and has to be learned by
        the others: compare how many {digit}s each knows after the same few steps. Without places a {digit} is a set
        of patches. The transformer with steps in place of places knows how patches lie to each other, not where. Attention can be a
        convolution, as [[one-operator]] and [[theory-relative-attention]] show in general; training does not tell it to be. What rotation does to a CNN
        is the question of [[rotation]]."""
EXPERIMENT = Experiment(
    question="How does attention on the patches of a picture compare with a convolutional network of the same budget?",
    method=METHOD.format(digit="digit", digits="Digits"),
    see=SEE.format(digit="digit", stroke="stroke"),
    claims=CLAIMS,
    own=OwnWords(
        data="folder",
        question="How does attention on the patches of your pictures compare with a convolutional network of the same budget?",
        method=METHOD.format(digit="picture", digits="Your pictures, in grey"),
        see=SEE.format(digit="picture", stroke="shape"),
    ),
    opens_with=(
        f"accuracy, {CNN} minus {GLOBAL}",
        "largest gap between nine heads and the CNN's convolution",
    ),
    presets={
        "quick": Settings(),
        "full": Settings(
            pictures=60_000,
            tests=10_000,
            steps=1500,
            batch=64,
            shifts=tuple(range(9)),
            angles=tuple(range(0, 181, 15)),
        ),
    },
    seconds=35,
    run=run,
)
