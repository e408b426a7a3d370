"""Does a linear autoencoder learn the principal components? About 5 s on a CPU.   regard run pca"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import torch
from torch import Tensor

from regard.claims import Claim
from regard.errors import RegardError
from regard.experiments.unsupervised.linear_autoencoder import critical, gradients, loss, principal
from regard.experiments.unsupervised.pca.figures import (
    LANDSCAPE_FIGURE,
    TRAINING,
    WEIGHTS,
    draw_landscape,
    draw_training,
    draw_weights,
)
from regard.experiments.unsupervised.pca.landscape import angle, decay, nearest_signed, search
from regard.experiments.unsupervised.pca.own import rank, read_own
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import FOUND, Context, Experiment
from regard.lab.ranges import OwnPath, Range

Draw = Callable[[int, int, torch.Generator], Tensor]
"Gives points as columns (m × n): how many are asked for, their width, and where chance comes from."


@dataclass(frozen=True, kw_only=True)
class Settings:
    data: Annotated[Path | None, OwnPath("file")] = None
    "A CSV of points of your own in place of random ones; its width is then the number of its columns of numbers."
    columns: tuple[str, ...] = ()
    "The columns of your points, by name or number; none given, all that are numbers."
    points: Annotated[int, Range(100, 10**6)] = 2000
    "Points from which the covariance is computed."
    width: int = 20
    "Entries m of a point, in the training."
    bottleneck: int = 3
    "Width k of the code, in the training."
    steps: int = 1500
    "Steps of gradient descent."
    rate: Annotated[float, Range(above=0, high=0.02)] = 0.01
    "Learning rate of gradient descent."
    seeds: Annotated[int, Range(2, 1000)] = 8
    "Trainings, each from small random weights of its own."
    search_width: int = 6
    "Entries m of a point, in the search for critical points."
    search_bottleneck: int = 2
    "Width k of the code, in the search for critical points."
    starts: int = 600
    "Random starts of the search."

    def __post_init__(self) -> None:
        for width, code in ((self.width, self.bottleneck), (self.search_width, self.search_bottleneck)):
            if code >= width:
                raise RegardError(
                    "a code is narrower than its point",
                    f"a bottleneck of {code} in a width of {width}",
                    "choose a wider point, or a narrower code",
                )


def draw(points: int, width: int, generator: torch.Generator) -> Tensor:
    """Centred points as columns (m × n), with variances 10, 7.4, 5.6, ... towards 1.4 along random directions."""
    deviations = (1.4 + 8.6 * 0.7 ** torch.arange(width, dtype=torch.float64)).sqrt()
    turn = torch.linalg.qr(torch.randn(width, width, generator=generator, dtype=torch.float64)).Q
    x = turn @ (deviations[:, None] * torch.randn(width, points, generator=generator, dtype=torch.float64))
    return x - x.mean(1, keepdim=True)


def fitted(settings: Settings, own: Tensor) -> Settings:
    """The settings with the width of a person's own points, and codes that are narrower than what varies."""
    first = own[: settings.search_width]
    return replace(
        settings,
        width=len(own),
        bottleneck=min(settings.bottleneck, rank(own) - 1),
        search_width=len(first),
        search_bottleneck=max(1, min(settings.search_bottleneck, rank(first) - 1)),
    )


def weights(shape: tuple[int, int, int], scale: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random encoders (count × k × m) and decoders (count × m × k)."""
    count, code, width = shape
    noise = scale * torch.randn(2, count, code, width, generator=generator, dtype=torch.float64)
    return noise[0], noise[1].mT.contiguous()


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """The conditions first, then the training, then the landscape."""
    if settings.data is None and settings.columns:
        raise RegardError(
            "columns describe points of your own",
            f"columns={','.join(settings.columns)}, and no data",
            "add --set data=FILE, or leave them out",
        )
    if settings.data is not None:
        own, said = read_own(settings.data, settings.columns)
        settings = fitted(settings, own)
        yield TextEvent("Your points", f"{said} The code has a width of {settings.bottleneck}.")
        draws: Draw = lambda points, width, generator: own[:width]  # noqa: E731
    else:
        draws = draw
    generator = torch.Generator().manual_seed(context.seed)
    yield ProgressEvent("first-order conditions", 0.05)
    yield from _conditions(settings, generator, draws)
    yield ProgressEvent("training from small weights", 0.2)
    yield from _training(settings, generator, draws)
    yield ProgressEvent("searching for critical points", 0.5)
    yield from _landscape(settings, generator, draws)


def _conditions(settings: Settings, generator: torch.Generator, draws: Draw) -> Iterator[Event]:
    x = draws(settings.points, settings.width, generator)
    n, covariance = x.shape[1], x @ x.T / x.shape[1]
    (encoder,), (decoder,) = weights((1, settings.bottleneck, settings.width), 0.3, generator)
    for weight in (encoder, decoder):
        weight.requires_grad_()
    objective = (x - decoder @ encoder @ x).square().sum() / n
    truth = torch.autograd.grad(objective, (encoder, decoder))
    ours = gradients(encoder.detach(), decoder.detach(), covariance)
    gap = max(((a - b).norm() / b.norm()).item() for a, b in zip(ours, truth, strict=True))
    yield Metric("relative gap of the gradients to automatic differentiation", gap)
    rest = (torch.eye(settings.width, dtype=x.dtype) - decoder @ encoder).detach() @ x @ x.T
    printed = rest @ decoder.detach(), rest @ encoder.detach().T
    ratio = (truth[1] / printed[1]).mean().item() * n
    yield Metric("∂L/∂W₂ / Berkeley HW6's expression, times n", ratio)
    kept = principal(covariance)[1][:, : settings.bottleneck]
    vanish = max(one.norm().item() for one in gradients(kept.mT, kept, covariance)) / covariance.norm().item()
    yield Metric("gradient at W₂ = W₁ᵀ = U_k, relative to the covariance", vanish)
    mix = torch.randn(settings.bottleneck, settings.bottleneck, generator=generator, dtype=x.dtype)
    other = torch.linalg.inv(mix) @ kept.mT, kept @ mix
    spread = max(one.norm().item() for one in gradients(*other, covariance)) / covariance.norm().item()
    yield Metric("gradient at W₂ = U_k C, W₁ = C⁻¹ U_kᵀ for a random C, relative to the covariance", spread)
    shape = "{} × {}".format
    rows = [
        (name, shape(*weight.shape), right, shape(*weight.shape), wrong, shape(*expression.shape))
        for name, weight, right, wrong, expression in (
            ("W₁", encoder, "−(2/n) W₂ᵀ (I − W₂W₁) XXᵀ", "(I − W₂W₁) XXᵀ W₂", printed[0]),
            ("W₂", decoder, "−(2/n) (I − W₂W₁) XXᵀ W₁ᵀ", "(I − W₂W₁) XXᵀ W₁ᵀ", printed[1]),
        )
    ]
    columns = ("weight", "shape", "gradient of the loss", "shape", "printed in Berkeley HW6", "shape")
    yield TableEvent("conditions", columns, rows, CONDITIONS)


def _training(settings: Settings, generator: torch.Generator, draws: Draw) -> Iterator[Event]:
    x = draws(settings.points, settings.width, generator)
    covariance = x @ x.T / x.shape[1]
    values, vectors = principal(covariance)
    kept = vectors[:, : settings.bottleneck]
    encoder, decoder = weights((settings.seeds, settings.bottleneck, settings.width), 1e-6, generator)
    angles, losses, at = [], [], []
    every = max(1, settings.steps // 300)
    for step in range(settings.steps + 1):
        if step % every == 0:
            at.append(step)
            angles.append(angle(decoder, kept))
            losses.append(loss(encoder, decoder, covariance))
        first, second = gradients(encoder, decoder, covariance)
        encoder, decoder = encoder - settings.rate * first, decoder - settings.rate * second
    for seed in range(settings.seeds):
        yield Metric("angle to the principal subspace after training, degrees", angles[-1][seed].item(), seed)
        excess = losses[-1][seed].item() / float(values[settings.bottleneck :].sum()) - 1
        yield Metric("loss after training / sum of the discarded eigenvalues − 1", excess, seed)
        for step, each in list(zip(at, angles, strict=True))[:: max(1, len(at) // 20)]:
            yield Metric("angle", each[seed].item(), seed, {"step": step})
    products = decoder @ encoder
    between = torch.cdist(products.flatten(1), products.flatten(1)).max().item()
    yield Metric("largest distance between the products W₂W₁ of two trainings", between)
    apart = torch.pdist(decoder.flatten(1)).min().item()
    yield Metric("smallest distance between the decoders W₂ of two trainings", apart)
    signed = min(nearest_signed(one, kept) for one in decoder)
    yield Metric("smallest distance of a decoder to U_k, whatever the order and the signs", signed)
    if settings.data is not None:
        yield TextEvent(FOUND, said_of_own(settings, values, angles[-1], losses[-1]))
    if slope := _slope(at, angles, settings.rate):
        theory = decay(values, settings.bottleneck)
        yield Metric("decay of the angle / decay from the curvature", slope / theory)
    drawn = draw_training(at, angles, losses, values, bottleneck=settings.bottleneck, rate=settings.rate)
    yield FigureEvent("training", drawn, TRAINING)
    yield FigureEvent("weights", draw_weights(encoder, decoder, kept), WEIGHTS)


def said_of_own(settings: Settings, values: Tensor, angles: Tensor, losses: Tensor) -> str:
    """What was found in points of a person's own: what the kept directions hold, and how near the training came."""
    k, share = settings.bottleneck, 100 * values / values.sum()
    each = ", ".join(f"{one:.1f} %" for one in share[:k].tolist())
    excess = 100 * (losses.mean() / values[k:].sum() - 1).item()
    return (
        f"Of the variance of your points, which have {settings.width} columns, {share[:k].sum().item():.1f} % lies along the first "
        f"{'principal direction' if k == 1 else f'{k} principal directions ({each})'}. After {settings.steps:,} steps the decoder of a linear autoencoder with a code of {k} "
        f"is off by {angles.min().item():.2g} to {angles.max().item():.2g} degrees in {settings.seeds} trainings, and its mean loss is {excess:.2g} % above the least possible."
    )


def _slope(at: list[int], angles: list[Tensor], rate: float) -> float | None:
    """The curvature that the decay of the angle speaks of, where it is below 1 degree and above 0.0001."""
    curve = torch.stack(angles).log().mean(1)
    inside = [i for i, one in enumerate(angles) if one.max() < 1 and one.min() > 1e-4]
    if len(inside) < 2:
        return None
    first, last = inside[0], inside[-1]
    shrunk = ((curve[last] - curve[first]) / (at[last] - at[first])).exp().item()
    return (1 - shrunk) / (2 * rate)


def _landscape(settings: Settings, generator: torch.Generator, draws: Draw) -> Iterator[Event]:
    x = draws(settings.points, settings.search_width, generator)
    covariance = x @ x.T / x.shape[1]
    values, vectors = principal(covariance)
    encoder, decoder, sizes, downward = search(
        covariance, settings.search_bottleneck, settings.starts, generator
    )
    theory = list(critical(values, settings.search_bottleneck))
    there = torch.stack([vectors[:, list(one)] @ vectors[:, list(one)].mT for one, _, _ in theory])
    settled = sizes < 1e-8 * covariance.trace()
    yield Metric("share of the starts that reached a vanishing gradient", settled.double().mean().item())
    products = (decoder @ encoder)[settled]
    distance, which = torch.cdist(products.flatten(1), there.flatten(1)).min(1)
    yield Metric(
        "largest distance of a critical point's W₂W₁ to the projector on a set of eigenvectors",
        distance.max().item(),
    )
    rows, missed, wrong = [], 0, 0
    for number, (chosen, value, index) in enumerate(theory):
        hits = which == number
        found = sorted(set(downward[settled][hits].tolist()))
        if len(chosen) == settings.search_bottleneck:
            missed += not hits.any()
        wrong += bool(found) and found != [index]
        label = ", ".join(str(one + 1) for one in chosen) or "none"
        rows.append((label, value, index, ", ".join(map(str, found)) or "–", int(hits.sum())))
    yield Metric("sets of k eigenvectors that the search did not find", missed)
    yield Metric(
        "critical points found whose number of descending directions is not the predicted one", wrong
    )
    minima = {int(number) for number, down in zip(which, downward[settled], strict=True) if down == 0}
    yield Metric("critical points found without a descending direction", len(minima))
    columns = (
        "eigenvectors in W₂W₁",
        "loss",
        "descending directions, predicted",
        "found",
        "starts that ended here",
    )
    yield TableEvent("landscape", columns, rows, LANDSCAPE)
    yield FigureEvent("landscape", draw_landscape(rows, settings.search_bottleneck), LANDSCAPE_FIGURE)


CONDITIONS = (
    "A gradient has the shape of its weight. The printed expression for W₁ has the shape of W₁ᵀ and is no transpose of the gradient either; "
    "both lack the factor −2/n. Wherever W₂W₁ projects on eigenvectors all four vanish, so that the printed conditions hold at the right points too."
)
LANDSCAPE = (
    "Every critical point is the projector on a set of at most k eigenvectors (1 is the one with the largest eigenvalue). Its loss is the sum of the other eigenvalues. It has a descending direction for each "
    "chosen eigenvector and each larger one left out, and, where fewer than k are chosen, one for each unused unit and each eigenvector left out."
)
SOURCE = "Berkeley HW6, question 4b"
CLAIMS = (
    Claim("relative gap of the gradients to automatic differentiation", high=1e-10,
          why="they are the same derivative in float64", source=SOURCE + "i, corrected", items=(37,),
          says="The two gradients derived here are those of automatic differentiation, to {value:.0e}.",
          otherwise="The two gradients derived here are not those of automatic differentiation: they are off by {value:.1e}.",
          asks="whether the derived gradients are right"),
    Claim("∂L/∂W₂ / Berkeley HW6's expression, times n", low=-2.001, high=-1.999,
          why="the factor −2/n is missing in print", source=SOURCE + "i, corrected", items=(37,),
          says="The printed condition for W₂ lacks the factor −2/n: the gradient is {value:.3f}/n times the printed expression.",
          otherwise="The gradient is {value:.4g}/n times the expression printed for W₂, which is not the factor −2/n.",
          asks="which factor the printed condition for W₂ lacks"),
    Claim("gradient at W₂ = W₁ᵀ = U_k, relative to the covariance", high=1e-12,
          why="(I − U_kU_kᵀ) Σ U_k = 0, since Σ maps eigenvectors to multiples of themselves", source=SOURCE + "ii", items=(38,),
          says="The principal components fulfil the first-order conditions: both gradients vanish there, to {value:.0e} of the covariance.",
          otherwise="The principal components do not fulfil the first-order conditions: the gradient there is {value:.1e} of the covariance.",
          asks="whether the gradients vanish at the principal components"),
    Claim("gradient at W₂ = U_k C, W₁ = C⁻¹ U_kᵀ for a random C, relative to the covariance", high=1e-10,
          why="W₂W₁ is the same for every invertible C", source="this experiment", items=(38,),
          says="Every mixture of the principal components fulfils the conditions too, W₂ = U_k C with W₁ = C⁻¹ U_kᵀ: the gradient for a random C is {value:.0e}.",
          otherwise="A mixture of the principal components does not fulfil them: the gradient for a random C is {value:.1e}.",
          asks="whether the gradients vanish at mixtures of the principal components"),
    Claim("angle to the principal subspace after training, degrees", high=0.01,
          why="the principal subspace is the only minimum, and no training can stay at a saddle", source=SOURCE, data="data", items=(38,),
          says="Yes, as a subspace: after training, the decoder spans the space of the principal components to {value:.1e} degrees.",
          otherwise="No: after training, the space that the decoder spans is {value:.2g} degrees from that of the principal components.",
          asks="whether training finds the subspace of the principal components"),
    Claim("loss after training / sum of the discarded eigenvalues − 1", low=-1e-9, high=1e-6,
          why="the loss at the minimum is the variance along the directions left out", source=SOURCE, data="data", items=(38,),
          says="The loss it ends at is the sum of the discarded eigenvalues: it differs by {value:+.0e} of it.",
          otherwise="The loss it ends at is not the sum of the discarded eigenvalues: it is off by {value:.1e} of it.",
          asks="whether training ends at the sum of the discarded eigenvalues"),
    Claim("decay of the angle / decay from the curvature", low=0.9, high=1.1,
          why="near the minimum the slowest turn shrinks by 1 − 2·rate·curvature a step, when W₁W₁ᵀ = W₂ᵀW₂, as it is from small weights on", source="this experiment", data="data", items=(38,),
          says="The angle shrinks at the rate that the curvature at the minimum predicts ({value:.3f} of it).",
          otherwise="The angle does not shrink at the rate that the curvature at the minimum predicts, but at {value:.3f} of it.",
          asks="whether the curvature predicts how fast the angle shrinks"),
    Claim("largest distance between the products W₂W₁ of two trainings", high=1e-3,
          why="the projector is unique", source="this experiment", data="data", items=(38,),
          says="The product W₂W₁ is the same in every training, to {value:.0e}.",
          otherwise="The product W₂W₁ differs between trainings, by up to {value:.2g}.",
          asks="whether all trainings end at one product W₂W₁"),
    Claim("smallest distance between the decoders W₂ of two trainings", low=0.1,
          why="the decoder is determined up to an invertible matrix only", source="this experiment", data="data", items=(38,),
          says="The decoders themselves differ between any two trainings, by at least {value:.2f}.",
          otherwise="Two trainings ended with nearly the same decoder: they are {value:.2g} apart.",
          asks="whether the decoders differ between trainings"),
    Claim("smallest distance of a decoder to U_k, whatever the order and the signs", low=0.1,
          why="nothing in the loss prefers the eigenvectors themselves to a rotation of them", source="this experiment, against Berkeley HW6, question 4b", data="data", items=(38,),
          says="The single directions it does not learn: no decoder has the principal components as its columns, whatever their order and signs; the nearest is {value:.2f} away (all differences of entries squared, summed, and the root taken, where every column has length 1).",
          otherwise="Even the single directions are learned: a decoder has the principal components as its columns, to {value:.2g} in all, up to order and signs.",
          asks="whether the single principal directions are learned"),
    Claim("largest distance of a critical point's W₂W₁ to the projector on a set of eigenvectors", high=1e-4,
          why="there are no other critical points", source="Baldi and Hornik 1989", data="data", items=(38,),
          says="Every point found where the gradient vanishes is the projector on a set of eigenvectors, to {value:.0e}.",
          otherwise="A point was found where the gradient vanishes and which is no projector on a set of eigenvectors: it is {value:.2g} from the nearest.",
          asks="whether all critical points are projectors on sets of eigenvectors"),
    Claim("sets of k eigenvectors that the search did not find", low=0, high=0,
          why="each of them is a critical point", source="Baldi and Hornik 1989", data="data", items=(38,),
          says="Every set of k eigenvectors was found as such a point.",
          otherwise="{value} sets of k eigenvectors were not found as such points.",
          asks="whether every set of k eigenvectors is a critical point"),
    Claim("critical points found whose number of descending directions is not the predicted one", low=0, high=0,
          why="one for each chosen eigenvector and larger one left out, one for each unused unit and eigenvector left out", source="this experiment", data="data", items=(38,),
          says="Each of them has as many directions of descent as the theory predicts.",
          otherwise="{value} of them have another number of descending directions than predicted.",
          asks="whether the number of descending directions is the predicted one"),
    Claim("critical points found without a descending direction", low=1, high=1,
          why="all but the principal components are saddles", source="Baldi and Hornik 1989", data="data", items=(38,),
          says="Of all the points where the gradient vanishes just one, the principal components, has no way down: the others are saddles, and there are no bad minima.",
          otherwise="Of the points where the gradient vanishes {value} have no way down, where one was expected.",
          asks="how many critical points have no way down"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Does a linear autoencoder learn the principal components?",
    method="""The loss is $L(W_1, W_2) = \\frac{1}{n} \\lVert X - W_2 W_1 X \\rVert^2$, with points as the columns of $X$ ($m \\times n$, mean zero), an
        encoder $W_1$ ($k \\times m$) and a decoder $W_2$ ($m \\times k$). All eigenvalues of the covariance $X X^\\top / n$ are different. $U_k$
        holds the eigenvectors of the $k$ largest as columns.

        First-order conditions: the gradients $-\\frac{2}{n} W_2^\\top (I - W_2 W_1) X X^\\top$ and $-\\frac{2}{n} (I - W_2 W_1) X X^\\top W_1^\\top$ are held
        against automatic differentiation at random weights, and evaluated at $W_2 = W_1^\\top = U_k$.

        Training: plain gradient descent from small random weights, several seeds. After every few steps the
        largest angle between the span of the columns of $W_2$ and that of $U_k$ is measured.

        Landscape: from many random starts, damped Newton steps make the length of the gradient zero. They do
        not go downhill and so stop at saddles as well. Every point found is compared with the projectors on
        all sets of at most $k$ eigenvectors, and the negative eigenvalues of its Hessian are counted.""",
    see="""Two things called "the principal components" must be told apart: the subspace they span, and the directions
        themselves. Look in the figure of weights whether the matrices agree between trainings. Of the points where the
        gradient vanishes, every set of eigenvectors is one; the last figure shows which of them can be left downhill.
        [[theory-linear-autoencoder]] proves it step by step; [[autoencoders]] asks what linear and nonlinear models learn
        from points and digits.""",
    correction="""Berkeley HW6 loses the factor 2 in the gradient of $\\lVert W A \\rVert^2$ and with it $-\\frac{2}{n}$ in both conditions.
        Its condition for $W_1$ has the shape of $W_1^\\top$; the right one is $W_2^\\top (I - W_2 W_1) X X^\\top = 0$. It writes
        $X = \\sum_i \\sigma_i u_i u_i^\\top$ for a matrix that is $m \\times n$: the right vectors $v_i$ are missing. $I - U_k U_k^\\top$ is diagonal only in the basis
        of eigenvectors. It calls the optimum unique up to signs: only the product $W_2 W_1$ is unique, since $W_2 C$ with
        $C^{-1} W_1$ is as good for every invertible $C$.""",
    claims=CLAIMS,
    opens_with=(
        "angle to the principal subspace after training, degrees",
        "smallest distance of a decoder to U_k, whatever the order and the signs",
    ),
    presets={
        "quick": Settings(),
        "full": Settings(
            points=20_000, width=50, steps=3000, seeds=32, starts=5000, search_width=7, search_bottleneck=3
        ),
    },
    seconds=5,
    run=run,
)
