"""What a layer can see, what it costs, and what heads are for. About 12 s on a CPU.   regard run receptive-field"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf, log
from typing import Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from regard.claims import Claim
from regard.core.attend import attend
from regard.core.position import LearnedRelative
from regard.core.similarity import Dot
from regard.core.support import Causal, Full, Support, Window
from regard.lab.book.style import mark_height, panels, plot_runs, show_image, style
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Distinct
from regard.training import PLAIN, TorchOptimiser, Training


@dataclass(frozen=True, kw_only=True)
class Settings:
    length: int = 33
    "Places, for what can be seen."
    width: int = 16
    "Channels."
    depth: int = 4
    "Layers of the stacks."
    lengths: Annotated[tuple[int, ...], Distinct(2)] = (64, 128, 256, 512, 1024)
    "Lengths at which operations are counted."
    steps: int = 150
    "Training steps of the head comparison."
    heads: tuple[int, ...] = (1, 2, 4)
    "Heads compared at equal width."
    seeds: int = 3
    "Repeats of the head comparison."


def stack(kind: str, settings: Settings, generator: torch.Generator) -> Callable[[Tensor], Tensor]:
    """A stack of random layers of one kind over (places, channels)."""
    scale = settings.width**-0.5
    weights = [
        torch.randn(3, settings.width, settings.width, generator=generator, dtype=torch.float64) * scale
        for _ in range(settings.depth)
    ]
    supports: dict[str, Support] = {
        "attention": Full(),
        "causal attention": Causal(),
        "window attention": Window(1),
    }

    def layer(x: Tensor, w: Tensor) -> Tensor:
        if kind == "convolution":
            return F.conv1d(x.T[None], w.permute(2, 1, 0), padding=1)[0].T
        q, k, v = (x @ one for one in w)
        return attend(q[None, None], k[None, None], v[None, None], support=supports[kind]).output[0, 0]

    def through(x: Tensor, depth: int = settings.depth) -> Tensor:
        for w in weights[:depth]:
            x = layer(x, w)
        return x

    return through


def sight(
    through: Callable[..., Tensor], settings: Settings, depth: int, generator: torch.Generator
) -> Tensor:
    """How strongly each place of the input moves each place of the output: gradient norms (out, in)."""
    x = torch.randn(
        settings.length, settings.width, generator=generator, dtype=torch.float64
    ).requires_grad_()
    output = through(x, depth).sum(1)
    rows = [torch.autograd.grad(one, x, retain_graph=True)[0].norm(dim=1) for one in output]
    return torch.stack(rows)


def in_windows(q: Tensor, k: Tensor, v: Tensor, reach: int) -> Tensor:
    """Attention of (places, channels) in windows of 2·reach + 1 places: no score outside a window is computed."""
    around = torch.arange(len(q))[:, None] + torch.arange(-reach, reach + 1)
    outside = (around < 0) | (around >= len(q))
    near = around.clamp(0, len(q) - 1)
    scores = torch.einsum("nd,nwd->nw", q, k[near]) / q.shape[1] ** 0.5
    return torch.einsum("nw,nwd->nd", scores.masked_fill(outside, -inf).softmax(1), v[near])


def operations(length: int, width: int) -> dict[str, int]:
    """Multiplications and additions of one layer, counted while it runs."""
    x, w = torch.zeros(1, 1, length, width), torch.zeros(width, width, 3)
    layers = {
        "attention": lambda: attend(x, x, x, backend="reference"),
        "window attention": lambda: in_windows(x[0, 0], x[0, 0], x[0, 0], 1),
        "convolution": lambda: F.conv1d(x[0, 0].T[None], w, padding=1),
    }
    counts = {}
    for name, layer in layers.items():
        with FlopCounterMode(display=False) as counter:
            layer()
        counts[name] = counter.get_total_flops()
    return counts


class TwoPlaces(nn.Module):
    """Attention by learned relative positions alone, asked for two places at once: x_(i-1) and x_(i-3)."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.position = LearnedRelative(heads, 4)
        self.value, self.out = (
            nn.Linear(width, 2 * width, bias=False),
            nn.Linear(2 * width, 2 * width, bias=False),
        )
        nn.init.normal_(self.position.p, std=0.5)

    def forward(self, x: Tensor) -> Tensor:
        v = self.value(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        nothing = v.new_zeros(*v.shape[:3], 1)
        mixed = attend(nothing, nothing, v, similarity=Dot(1.0), position=self.position).output
        return self.out(mixed.transpose(1, 2).flatten(2))


def trained(heads: int, settings: Settings, seed: int) -> list[float]:
    """The loss through training: mean squared error per entry against the two places, targets of variance one."""
    torch.manual_seed(seed)
    model = TwoPlaces(4, heads)
    batches = torch.randn(settings.steps, 32, 24, 4)

    def loss(model: nn.Module, x: Tensor) -> Tensor:
        target = torch.cat([x[:, 2:-1], x[:, :-3]], -1)
        return (model(x)[:, 3:] - target).square().mean()

    adam = TorchOptimiser("Adam")
    plan = replace(PLAIN, steps=settings.steps, optimiser=adam, learning_rate=0.03, schedule="linear")
    return [step.loss for step in Training(model, lambda index: batches[index], loss, plan)]


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """What is seen, what it costs, what heads bring."""
    yield from _seen(settings, context)
    counts = {length: operations(length, settings.width) for length in settings.lengths}
    yield from _costs(settings, counts)
    yield Metric(
        "gap between attention in windows and attention under the window's mask",
        _window_gap(settings, context),
    )
    yield from _two_heads(settings, context, counts)


def _seen(settings: Settings, context: Context) -> Iterator[Event]:
    """Which places move which outputs, by kind of layer and depth."""
    seen: dict[str, Tensor] = {}
    rows = []
    middle = settings.length // 2
    for kind in ("convolution", "window attention", "attention", "causal attention"):
        yield ProgressEvent(f"gradients through {kind}", 0.05)
        generator = torch.Generator().manual_seed(context.seed)
        through = stack(kind, settings, generator)
        counts = []
        for depth in range(1, settings.depth + 1):
            sights = sight(through, settings, depth, generator)
            counts.append(int((sights[middle] > 0).sum()))
            yield Metric(f"places seen from the middle, {kind}", counts[-1], at={"depth": depth})
            if depth == 1 or kind in ("convolution", "window attention"):
                seen[kind] = sights
        rows.append((kind, *counts))
    yield TableEvent(
        "seen",
        ("layer", *(f"depth {depth}" for depth in range(1, settings.depth + 1))),
        rows,
        f"How many of the {settings.length} input places move the output in the middle, by kind of layer and number of layers.",
    )
    table = {row[0]: row[1:] for row in rows}
    yield Metric(
        "convolutions: largest difference of the places seen from 1 + 2·depth",
        max(abs(seen - 1 - 2 * depth) for depth, seen in enumerate(table["convolution"], 1)),
    )
    yield Metric("places not seen by one attention layer", settings.length - table["attention"][0])
    yield Metric("later places seen by causal attention", table["causal attention"][0] - (middle + 1))
    yield FigureEvent("sight", _sight(seen, settings), SIGHT)


def _costs(settings: Settings, counts: dict[int, dict[str, int]]) -> Iterator[Event]:
    for name in ("attention", "window attention", "convolution"):
        for length in settings.lengths:
            yield Metric(f"operations, {name}", counts[length][name], at={"length": length})
        first, last = settings.lengths[0], settings.lengths[-1]
        yield Metric(
            f"exponent of the cost in the length, {name}",
            log(counts[last][name] / counts[first][name]) / log(last / first),
        )


def _window_gap(settings: Settings, context: Context) -> float:
    """How far attention computed in windows alone is from all scores with those outside the window masked."""
    generator = torch.Generator().manual_seed(context.seed)
    q, k, v = torch.randn(3, settings.length, settings.width, generator=generator, dtype=torch.float64)
    whole = attend(q[None, None], k[None, None], v[None, None], support=Window(1)).output[0, 0]
    return (in_windows(q, k, v, 1) - whole).abs().max().item()


def _two_heads(settings: Settings, context: Context, counts: dict[int, dict[str, int]]) -> Iterator[Event]:
    """One head and two, taught to copy two places at once."""
    curves: dict[int, list[list[float]]] = {heads: [] for heads in settings.heads}
    for seed in range(settings.seeds):
        for heads in settings.heads:
            yield ProgressEvent(
                f"training with {heads} heads, seed {seed}", 0.1 + 0.9 * seed / settings.seeds
            )
            curves[heads].append(trained(heads, settings, 1000 * context.seed + seed))
            yield Metric(
                f"error with {heads} head{'s' if heads > 1 else ''}", sum(curves[heads][-1][-10:]) / 10, seed
            )
    ends = {
        heads: {seed: sum(losses[-10:]) / 10 for seed, losses in enumerate(found)}
        for heads, found in curves.items()
    }
    if len(settings.heads) > 1:
        yield PairedMetric(
            "what a second head takes off the error",
            ("one head", "two heads"),
            ends[settings.heads[0]],
            ends[settings.heads[1]],
        )
    yield FigureEvent("heads", _heads(counts, curves), HEADS)


def _sight(seen: dict[str, Tensor], settings: Settings):
    with style():
        figure, axes = panels(4, width=8.0, height=2.3)
        for axis, (kind, sights) in zip(axes, seen.items(), strict=True):
            depth = settings.depth if kind in ("convolution", "window attention") else 1
            title = f"{kind},\n{depth} layer{'s' if depth > 1 else ''}"
            show_image(axis, (sights / sights.amax(1, keepdim=True)).sqrt(), title, vmin=0)
            axis.set_xlabel("input place")
        axes[0].set_ylabel("output place")
        return figure


def _heads(counts: dict, curves: dict):
    with style():
        figure, (left, right) = panels(2, width=7.4, height=3.1)
        for name in ("attention", "window attention", "convolution"):
            left.plot(list(counts), [count[name] for count in counts.values()], label=name)
        left.set(title="operations of one layer", xlabel="length", xscale="log", yscale="log")
        left.legend()
        for heads, found in curves.items():
            label = f"{heads} head{'s' if heads > 1 else ''}"
            plot_runs(right, range(len(found[0])), found, marker="", label=label)
        mark_height(right, 0.5, "best possible with one head: 1/2", at=0.33, above=-12)
        right.set(title="error, asked for two places at once", xlabel="step", ylim=(0, 1.3))
        right.legend()
        return figure


SIGHT = "How strongly each input place (across) moves each output place (down), by gradient; each row scaled to its own maximum. The darkest colour is not seen at all: look how wide the band of a local layer is, and on which side of the diagonal a causal one sees nothing."
HEADS = "Left: operations of one layer against the length, counted while it runs; on these axes n² is a line twice as steep as n. Right: training error when each place is asked for two other places at once; same width, same operations, other numbers of heads (mean over seeds; thin: each seed)."

CLAIMS = (
    Claim("convolutions: largest difference of the places seen from 1 + 2·depth", low=0, high=0,
          why="each layer of width 3 adds one place a side", source="Amsterdam A2, 2.1b", items=(63,),
          says="A stack of convolutions of width 3 sees exactly 1 + 2·depth places: one more on each side with every layer.",
          otherwise="A stack of convolutions does not see 1 + 2·depth places: the count is off by {value}.",
          asks="whether convolutions see 1 + 2·depth places"),
    Claim("places not seen by one attention layer", low=0, high=0,
          why="every weight is positive after the softmax", source="Amsterdam A2, 2.1b", items=(63,),
          says="One layer of attention sees every place, however far.",
          otherwise="One layer of attention does not see {value} of the places.",
          asks="whether one attention layer sees every place"),
    Claim("later places seen by causal attention", low=0, high=0,
          why="the mask", source="Amsterdam A2, 2.1b", items=(63,),
          says="With the causal mask one layer of attention sees every earlier place and none that is later.",
          otherwise="With the causal mask the count of places seen is off by {value}.",
          asks="whether causal attention sees later places"),
    Claim("exponent of the cost in the length, attention", low=1.99, high=2.01,
          why="n² scores, quadratic and not exponential", source="Amsterdam A2, 2.1a, corrected", items=(63,),
          says="One layer of attention leaves {of[places not seen by one attention layer]} places unseen and pays for it with n² scores: its counted operations grow with the length to the power {value:.2f}, those of a convolution, which sees one place more a side with every layer, to the power {of[exponent of the cost in the length, convolution]:.2f}.",
          otherwise="Counted operations of attention grow with the length to the power {value:.2f}, which is not 2.",
          asks="how the cost of attention grows"),
    Claim("exponent of the cost in the length, window attention", low=0.99, high=1.01,
          why="three scores a place, whatever the length", source="Amsterdam A2, 2.1a", items=(63,),
          says="What helps on long sequences is to look into a window only: operations then grow with the length to the power {value:.2f}, and far places are reached through depth, as with convolutions.",
          otherwise="Looking into a window only does not make the cost linear: it grows with the length to the power {value:.2f}.",
          asks="whether attention in windows costs less"),
    Claim("gap between attention in windows and attention under the window's mask", high=1e-12,
          why="what is masked has no weight", source="this experiment", items=(63,),
          says="Attention in windows is exactly attention with everything outside the window masked (gap {value:.2g}).",
          otherwise="Attention in windows differs from attention with the outside masked, by {value:.2g}.",
          asks="whether attention in windows is attention under a mask"),
    Claim("exponent of the cost in the length, convolution", low=0.99, high=1.01,
          why="each place costs the same", source="Amsterdam A2, 2.1a", items=(63,),
          says="A convolution's operations grow with the length to the power {value:.2f}.",
          otherwise="A convolution's operations grow with the length to the power {value:.2f}, which is not 1.",
          asks="how the cost of a convolution grows"),
    Claim("error with 1 head", low=0.49, high=0.55,
          why="half the variance of two independent signals is lost in any one mixture", source="this experiment", items=(63,),
          says="One head, asked for two places at once, gives a mixture of both: its error stays at {value:.2f}, and 1/2 is the least that any mixture can have.",
          otherwise="One head, asked for two places at once, ends with an error of {value:.2f}, away from the 1/2 that a mixture costs.",
          asks="what one head can do with two places at once"),
    Claim("error with 2 heads", high=0.05, why="each head looks at one place", source="Amsterdam A2, 2.1d", items=(63,),
          says="Several heads can look at several places at once: asked for two, two heads of half the width end with an error of {value:.3f} where one head ends with {of[error with 1 head]:.2f}, at the same cost.",
          otherwise="Two heads of half the width still have an error of {value:.3f}.",
          asks="whether two heads can keep two places apart"),
    Claim("what a second head takes off the error", low=0.4, why="1/2 − 0", source="this experiment", items=(63,),
          says="The second head takes {value:.2f} off the error, seed by seed.",
          otherwise="The second head takes only {value:.2f} off the error.",
          asks="what a second head brings"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="What can a convolution stack and an attention layer see, what does it cost, and why several heads?",
    method="""Sight is measured: the gradient of each output place with respect to each input place, through
        random stacks of convolutions of width 3, attention in windows of width 3, full and causal attention.
        A place is seen where the gradient is not zero.

        Cost is counted while the layer runs, by torch's operation counter: for all scores, for attention that
        computes only the scores inside a window of three places, and for a convolution of width 3.

        Heads are put to a task with a known answer: every place must report two other places, $x_{i-1}$ and
        $x_{i-3}$, which are independent. One head has one set of weights: its output is a mixture
        $p x_{i-1} + (1 - p) x_{i-3}$ through a matrix, and of a mixture of two independent signals a linear map
        can recover 1/2 of the variance of the pair at most, whatever $p$ is. Two heads can look at one place
        each. The width, and with it the operations, is the same for all.""",
    see=r"""What a layer reaches in one step and what it costs go together: all pairs, or a window. Other ways
        out of the square are a kernel or low rank ([[linear-attention]]), and, for memory alone, not to store
        the scores ([[exactness]], derived in [[theory-flash-attention]]). Why scores are divided by $\sqrt{d}$
        is asked in [[scaled-dot-product]] and derived in [[theory-dot-product]], with what several heads are
        for; how far convolutions see is derived in [[theory-convolution-sizes]].""",
    correction="""The answer to Amsterdam A2, 2.1(a), calls the cost of attention exponential: $n^2$ is
        quadratic, a polynomial. The answer to question 2.1(d) says that the rank of the output equals the smallest
        rank among its factors; that is an upper bound.""",
    claims=CLAIMS,
    opens_with=("exponent of the cost in the length, attention", "error with 2 heads"),
    presets={"quick": Settings(), "full": Settings(steps=1500, seeds=20, heads=(1, 2, 4, 8))},
    seconds=12,
    run=run,
)  # fmt: skip
