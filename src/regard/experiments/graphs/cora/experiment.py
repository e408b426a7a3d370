"""Graph convolution and graph attention on the papers of Cora. About 50 s on two cores.   regard run cora"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from statistics import mean

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.core.edges import Edges
from regard.core.similarity import Additive
from regard.data.sets.graphs import Network, load_cora
from regard.errors import RegardError
from regard.experiments.graphs.cora.claims import CLAIMS
from regard.experiments.graphs.cora.figures import (
    SHORT,
    draw_embedding,
    draw_entropy,
    draw_neighbours,
    draw_seeds,
    entropies,
)
from regard.experiments.graphs.cora.nodes import (
    ATTENTION,
    CONVOLUTION,
    NODES,
    PAPERS,
    STEPS,
    VARIANTS,
    WIDE,
    NodeTask,
    Recipe,
    Trained,
    train_all,
)
from regard.experiments.graphs.cora.own import WORDS, said_of_own
from regard.experiments.graphs.own import OwnGraph
from regard.lab.book.style import draw_changes
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import FOUND, Context, Experiment
from regard.lab.statistics import summarise
from regard.models.graph.layers import GAT, GraphAttention, GraphConvolution

MOST = 20_000
"Nodes that a graph of one's own may have."
WHOLE = 3000
"Nodes of the matrices that the layers are held against."


@dataclass(frozen=True, kw_only=True)
class Settings(OwnGraph):
    seeds: int = 6
    "Trainings of each network, from different random numbers."
    explained: int = 6
    "Seeds with which the networks beside GCN and GAT are trained that tell what makes the difference."
    ablated: int = 0
    "Seeds with which each variant of GAT is trained; with 0 only what needs no training of its own is shown."
    epochs: int = 1000
    "Epochs at most."


def dense_convolution(x: Tensor, weight: Tensor, edges: Edges) -> Tensor:
    """Toronto A4's formula D^-1/2 A D^-1/2 X W with matrices; A has the loops."""
    adjacency = _adjacency(edges).to(x.dtype)
    root = adjacency.sum(1).rsqrt()
    return (root[:, None] * adjacency * root) @ x @ weight


def dense_attention(x: Tensor, weight: Tensor, score: Additive, edges: Edges) -> Tensor:
    """softmax over the neighbours of LeakyReLU(a · [W x_i, W x_j]), times W x, with matrices, head by head."""
    joined, outputs = _adjacency(edges), []
    for h, own, other in zip(
        (x @ weight).chunk(len(score.target), 1), score.target, score.source, strict=True
    ):
        scores = F.leaky_relu((h @ own)[:, None] + (h @ other)[None, :], score.slope)
        outputs.append(scores.masked_fill(~joined, float("-inf")).softmax(1) @ h)
    return torch.cat(outputs, 1)


def first_nodes(edges: Edges, most: int) -> Edges:
    """The edges between the first so many nodes; all of them where there are no more nodes.

    >>> first_nodes(Edges(torch.tensor([0, 1, 2]), torch.tensor([1, 2, 0]), nodes=3), 2)
    Edges(1 edges, 2 targets, 2 sources)
    """
    if edges.sizes[0] <= most:
        return edges
    inside = (edges.source < most) & (edges.target < most)
    return Edges(edges.source[inside], edges.target[inside], nodes=most)


def _adjacency(edges: Edges) -> Tensor:
    whole = torch.zeros(edges.sizes, dtype=torch.bool)
    whole[edges.target, edges.source] = True
    return whole


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Check the layers, train both networks from the same seeds, look where they differ, and ablate."""
    yield ProgressEvent("loading the graph", 0.0)
    task = NodeTask(_network(settings), PAPERS if settings.graph is None else NODES)
    yield TextEvent("Your graph" if settings.graph else "The data", task.network.said)
    yield from _check_layers(task, context)
    runs = settings.seeds * 2 + settings.explained * len(steps_of(settings))
    found: dict[str, dict[int, Trained]] = {"GCN": {}, "GAT": {}}
    # The long trainings first, so that nobody waits for one at the end.
    places = [(recipe, place) for recipe in (ATTENTION, CONVOLUTION) for place in range(settings.seeds)]
    jobs = [
        (replace(recipe, epochs=settings.epochs), 1000 * context.seed + place) for recipe, place in places
    ]
    for done, ((recipe, place), one) in enumerate(zip(places, train_all(task, jobs), strict=True), start=1):
        yield ProgressEvent(f"{recipe.model}, seed {place}", 0.9 * done / runs)
        found[recipe.model][place] = one
        yield Metric(f"{recipe.model}: test accuracy, %", one.test, place)
        short = one.after(SHORT)
        yield Metric(f"{recipe.model}: test accuracy after {SHORT} epochs, %", short, place)
    yield from _compare(found, published=settings.graph is None)
    yield from _steps(task, settings, context, found)
    yield from _disagreement(task, found)
    yield from _attention(task, found["GAT"])
    yield FigureEvent("embedding", draw_embedding(task, found["GAT"][0]), task.say(EMBEDDING))
    yield from _ablation(task, settings, context, found["GAT"])


def _network(settings: Settings) -> Network:
    """Cora, or a graph of a person's own, whose nodes have classes."""
    network = settings.network() or load_cora()
    if len(network.classes) < 2 or network.nodes > MOST:
        raise RegardError(
            f"this experiment learns the classes of nodes: two or more, of at most {MOST:,} nodes",
            f"{len(network.classes)} classes and {network.nodes:,} nodes in {settings.graph}",
            "give the labels with --set nodes=FILE, a CSV with a row for each node: its name, its label",
        )
    return network


def _check_layers(task: NodeTask, context: Context) -> Iterator[Event]:
    """The layers against the formulas with matrices, in float64, on the whole of Cora, or a graph's first nodes."""
    torch.manual_seed(context.seed)
    edges = first_nodes(task.edges, WHOLE)
    x = torch.randn(edges.sizes[0], 11, dtype=torch.float64)
    convolution = GraphConvolution(11, 5, bias=False).double()
    attention = GraphAttention(11, 3, heads=2, bias=False).double()
    assert isinstance(attention.similarity, Additive)
    with torch.no_grad():
        gaps = {
            convolution: dense_convolution(x, convolution.weight, edges),
            attention: dense_attention(x, attention.weight, attention.similarity, edges),
        }
        for layer, expected in gaps.items():
            gap = (layer(x, edges) - expected).abs().max().item()
            yield Metric(f"{type(layer).__name__}: largest gap to the formula with matrices", gap)


def _compare(found: Mapping[str, Mapping[int, Trained]], *, published: bool) -> Iterator[Event]:
    tests = {name: {seed: one.test for seed, one in runs.items()} for name, runs in found.items()}
    yield PairedMetric("GAT minus GCN, test accuracy in points", ("GAT", "GCN"), tests["GAT"], tests["GCN"])
    rows = []
    for name, runs in found.items():
        whole, short = (
            summarise(values)
            for values in (
                [one.test for one in runs.values()],
                [one.after(SHORT) for one in runs.values()],
            )
        )
        rows.append((
            name, len(runs), f"{whole.mean:.2f} ± {whole.spread:.2f}", f"{short.mean:.2f} ± {short.spread:.2f}",
            f"{mean(one.tests[-1] for one in runs.values()):.2f}", round(mean(one.epoch for one in runs.values())),
            round(mean(one.epochs for one in runs.values())), f"{mean(one.loss for one in runs.values()):.3f}",
        ))  # fmt: skip
    yield TableEvent(
        "accuracy",
        (
            "network", "seeds", "test accuracy, %", f"after {SHORT} epochs", "after the last", "epoch chosen", "epochs trained",
            "validation loss",
        ),
        rows,
        "Mean ± standard deviation over seeds. The first accuracy is that of the protocol: the epoch of the lowest validation loss. The next two are read off the same trainings at a fixed epoch and at the end; they are shown, nothing is chosen by them.",
    )  # fmt: skip
    yield FigureEvent(
        "seeds", draw_seeds(found, published=published), f"{SEEDS} {PUBLISHED if published else TWO}"
    )


def steps_of(settings: Settings) -> dict[str, Recipe]:
    """The networks that tell what makes the difference; that of GAT's width is for many seeds alone."""
    return {name: recipe for name, recipe in STEPS.items() if settings.ablated or recipe != WIDE}


def _steps(
    task: NodeTask, settings: Settings, context: Context, found: Mapping[str, Mapping[int, Trained]]
) -> Iterator[Event]:
    """What makes the difference: networks between the words alone and GAT, paired by seed."""
    bases = {name: {seed: one.test for seed, one in runs.items()} for name, runs in found.items()}
    tests: dict[str, dict[int, float]] = {}
    done, runs = 2 * settings.seeds, 2 * settings.seeds + settings.explained * len(steps_of(settings))
    for title, recipe in steps_of(settings).items():
        name = task.say(title)
        jobs = [
            (replace(recipe, epochs=settings.epochs), 1000 * context.seed + place)
            for place in range(settings.explained)
        ]
        tests[name] = {}
        for place, one in enumerate(train_all(task, jobs)):
            tests[name][place], done = one.test, done + 1
            yield ProgressEvent(f"{name}, seed {place}", 0.9 * done / runs)
            yield Metric(f"{name}: test accuracy, %", one.test, place)
    pairs = [(name, "GCN") for name in tests] + [("GAT with equal weights", "GAT")]
    for name, base in pairs:
        paired = {seed: bases[base][seed] for seed in tests[name]}
        yield PairedMetric(f"{name} minus {base}, points", (name, base), tests[name], paired)
    if settings.graph is not None:
        yield TextEvent(FOUND, said_of_own(task, bases | tests))
    alone = task.say("GCN without {citations}")
    changed = {name: values for name, values in tests.items() if name != alone}
    shown = changed | {"GAT": bases["GAT"]}
    yield FigureEvent(
        "lead", draw_changes(bases["GCN"], shown, "test accuracy minus that of GCN, points"), LEAD
    )


def _disagreement(task: NodeTask, found: Mapping[str, Mapping[int, Trained]]) -> Iterator[Event]:
    """Where the two networks give a test paper different classes, seed by seed, and who is right."""
    truth = task.labels[task.test]
    rows = []
    for seed in found["GCN"]:
        first, second = (found[name][seed].answers(task.test) for name in ("GCN", "GAT"))
        yield Metric(
            task.say("GCN and GAT disagree, % of test {papers}"),
            100 * (first != second).float().mean().item(),
            seed,
        )
        right = (first == truth, second == truth)
        cells = (right[0] & right[1], ~right[0] & right[1], right[0] & ~right[1], ~right[0] & ~right[1])
        rows.append((seed, *(int(cell.sum()) for cell in cells), int((first != second).sum())))
    yield TableEvent(
        "disagreement",
        ("seed", "both right", "only GAT right", "only GCN right", "both wrong", "different answers"),
        rows,
        f"The {len(truth)} test {task.words['papers']}, for each pair of trainings from the same seed. The columns “only GAT right” and “only GCN right” are what the difference in accuracy comes from.",
    )
    yield FigureEvent("neighbours", draw_neighbours(task, found), task.say(NEIGHBOURS))


def _attention(task: NodeTask, runs: Mapping[int, Trained]) -> Iterator[Event]:
    pictured = {}
    for seed, one in runs.items():
        assert isinstance(one.model, GAT)
        with torch.no_grad():
            x = task.features[ATTENTION.normalised]
            _, first = one.model.first(x, task.edges, weights=True)
            _, second = one.model.second(one.model.embedding(x, task.edges), task.edges, weights=True)
        for name, weights in (("first", first), ("second", second)):
            own, uniform = entropies(weights, task.edges)
            several = uniform > 0
            yield Metric(
                f"entropy of attention / that of equal weights, {name} layer",
                (own[several] / uniform[several]).mean().item(),
                seed,
            )
            pictured.setdefault(name, (own, uniform))
    yield FigureEvent("entropy", draw_entropy(pictured), task.say(ENTROPY))


def _ablation(
    task: NodeTask, settings: Settings, context: Context, base: Mapping[int, Trained]
) -> Iterator[Event]:
    whole = {seed: one.test for seed, one in base.items()}
    short = {seed: one.after(SHORT) for seed, one in base.items()}
    last = {seed: one.tests[-1] for seed, one in base.items()}
    changed = {f"{SHORT} epochs, no early stopping": short, "the last epoch instead of the best": last}
    places = [(name, place) for name in VARIANTS for place in range(settings.ablated)]
    jobs = [
        (replace(VARIANTS[title], epochs=settings.epochs), 1000 * context.seed + place)
        for title, place in places
    ]
    for done, ((title, place), one) in enumerate(zip(places, train_all(task, jobs), strict=True), start=1):
        name = task.say(title)
        yield ProgressEvent(f"{name}, seed {place}", 0.9 + 0.1 * done / len(jobs))
        changed.setdefault(name, {})[place] = one.test
    for name, tests in changed.items():
        paired = {seed: whole[seed] for seed in tests}
        yield PairedMetric(f"GAT, {name}, minus the recipe, points", (name, "recipe"), tests, paired)
    yield FigureEvent(
        "ablation", draw_changes(whole, changed, "test accuracy minus that of the recipe, points"), ABLATION
    )


SEEDS = f"Each mark is one training: circles at the epoch of the lowest validation loss, crosses after {SHORT} epochs."
PUBLISHED = "Solid strokes are means, grey bands what the papers report. Compare the distance between circles and crosses of one network with that between the two networks."
TWO = "Solid strokes are means. Compare the distance between circles and crosses of one network with that between the two networks."
NEIGHBOURS = "Test {papers}, put together by how many of those they {joined} belong to their own {field} (in brackets: how many {papers}). Left: how often each network is right. Both add up what neighbours say, so that a {paper} among {papers} of other {fields} should be hard for both. Right: how often the two networks give different answers."
ENTROPY = "Each dot is a {paper} with at least one neighbour, in the first training: how many per cent the entropy of its weights lies below that of equal weights (0 would be equal weights, 100 one neighbour that takes all; the line is the median). The nearer to 0, the more GAT averages as a GCN does."
EMBEDDING = "Every {paper}, its vector scaled to length one, along the two directions in which these vectors vary most; coloured by its {field}. Left, by its {words} alone; right, by the hidden layer of the trained GAT. If {fields} lie further apart on the right, the network separates them, although it was shown the {field} of {shown} {papers} of each alone. Two of 64 directions cannot show all that is separate."
LEAD = "What lies between GCN and GAT, as the accuracy that each network has over GCN from the same seed (grey: one seed each; blue: the mean and its 95 % interval). Before GAT stands GAT with its attention switched off, so that all neighbours have the same weight; in the full preset also a GCN with GAT's width, dropout, rate and decay. If the last two rows agree, the attention is not what makes the difference."
ABLATION = "What the accuracy of GAT loses when one thing is changed. Grey: one seed each, against the same seed of the recipe. Blue: the mean and its 95 % interval. The first two rows read the recipe's own trainings at another epoch; the others, in the full preset, are trained anew."

EXPERIMENT = Experiment(
    question="How well do graph convolution and graph attention tell the fields of papers, and why do so many re-implementations get less?",
    method=r"""Cora: papers, the words each uses, who cites whom, seven fields. In Planetoid's split 20 papers of each
        field are trained on, 500 validate, 1000 test.

        GCN: $y = \mathrm{softmax}(\hat{A} \cdot \mathrm{Dropout}(\mathrm{ReLU}(\hat{A} X W_0)) \cdot W_1)$ with
        $\hat{A} = D^{-1/2} (A + I) D^{-1/2}$, 16 hidden channels, dropout 0.5, Adam with rate 0.01, weight decay 0.0005 on the first layer. GAT: 8 heads of 8 channels, ELU, one head
        for the classes, dropout 0.6 before each layer and on the weights of attention, rate 0.005, decay 0.0005 on
        everything. The words of a paper are shares that sum to one.

        The protocol was fixed before anything was measured: at most 1000 epochs; it ends when the validation loss has
        found no new low for 100 epochs; the epoch of the lowest validation loss is the one that is tested. Both
        networks start from the same seeds, so that differences are taken in pairs. Accuracies at other epochs are
        read off the same trainings and shown beside; nothing is chosen by them.

        More networks, trained alike, tell what makes the difference: GCN without citations, which sees the words of each
        paper alone; GAT whose scores stay zero, so that all neighbours of a paper have the same weight; and, in the full
        preset, GCN as wide as GAT and with its dropout, rate and decay.

        Both layers are first held against Toronto A4's formulas with whole matrices. The entropy of attention
        is that of the weights of a paper's neighbours (itself included), divided by that of equal weights.""",
    see="""Two comparisons. Between the networks: the lead of GAT over GCN, and which of the steps between them has it; a
        layer of attention with equal weights is a mean over neighbours, as [[graph-algebra]] shows and
        [[theory-graph-layers]] derives. Between moments of one training: the same network after 200 epochs, at its
        lowest validation loss, and at its end. Where the two networks disagree, the neighbours of a paper tell why: both
        add up what neighbours say, and can only be as right as those are.""",
    correction=r"""Toronto A4 counts 5429 links: that is the number of citations, in which some pairs cite one
        another and some papers themselves; 5278 pairs are left. It calls $D^{-1} A$ row-normalised in passing and then
        asks for the symmetric form, which is what is used; rows of the symmetric form do not sum to one. It
        names no accuracies; the 81-84 % and 83-85 % that are often quoted for the two networks belong to another
        split, which trains on the first 140 rows of a file.""",
    claims=CLAIMS,
    opens_with=tuple(claim.name for claim in CLAIMS[:2]),
    own=WORDS,
    presets={"quick": Settings(), "full": Settings(seeds=100, explained=30, ablated=10)},
    seconds=50,
    run=run,
)
