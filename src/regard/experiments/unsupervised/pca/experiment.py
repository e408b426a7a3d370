"""Does a linear autoencoder learn the principal components? About 5 s on a CPU.   regard run pca"""

from collections.abc import Iterator
from dataclasses import dataclass
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
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Range


@dataclass(frozen=True, kw_only=True)
class Settings:
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


def weights(shape: tuple[int, int, int], scale: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random encoders (count × k × m) and decoders (count × m × k)."""
    count, code, width = shape
    noise = scale * torch.randn(2, count, code, width, generator=generator, dtype=torch.float64)
    return noise[0], noise[1].mT.contiguous()


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """The conditions first, then the training, then the landscape."""
    generator = torch.Generator().manual_seed(context.seed)
    yield ProgressEvent("first-order conditions", 0.05)
    yield from _conditions(settings, generator)
    yield ProgressEvent("training from small weights", 0.2)
    yield from _training(settings, generator)
    yield ProgressEvent("searching for critical points", 0.5)
    yield from _landscape(settings, generator)


def _conditions(settings: Settings, generator: torch.Generator) -> Iterator[Event]:
    x = draw(settings.points, settings.width, generator)
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


def _training(settings: Settings, generator: torch.Generator) -> Iterator[Event]:
    x = draw(settings.points, settings.width, generator)
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
    if slope := _slope(at, angles, settings.rate):
        theory = decay(values, settings.bottleneck)
        yield Metric("decay of the angle / decay from the curvature", slope / theory)
    drawn = draw_training(at, angles, losses, values, bottleneck=settings.bottleneck, rate=settings.rate)
    yield FigureEvent("training", drawn, TRAINING)
    yield FigureEvent("weights", draw_weights(encoder, decoder, kept), WEIGHTS)


def _slope(at: list[int], angles: list[Tensor], rate: float) -> float | None:
    """The curvature that the decay of the angle speaks of, where it is below 1 degree and above 0.0001."""
    curve = torch.stack(angles).log().mean(1)
    inside = [i for i, one in enumerate(angles) if one.max() < 1 and one.min() > 1e-4]
    if len(inside) < 2:
        return None
    first, last = inside[0], inside[-1]
    shrunk = ((curve[last] - curve[first]) / (at[last] - at[first])).exp().item()
    return (1 - shrunk) / (2 * rate)


def _landscape(settings: Settings, generator: torch.Generator) -> Iterator[Event]:
    x = draw(settings.points, settings.search_width, generator)
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
    "both lack the factor −2/n. Setting them to zero still finds the right points, because wherever W₂W₁ projects on eigenvectors both vanish."
)
LANDSCAPE = (
    "Every critical point is the projector on a set of at most k eigenvectors (1 is the one with the largest eigenvalue). Its loss is the sum of the other eigenvalues. It has a descending direction for each "
    "chosen eigenvector and each larger one left out, and, where fewer than k are chosen, one for each unused unit and each eigenvector left out."
)
SOURCE = "Berkeley HW6, question 4b"
CLAIMS = (
    Claim("relative gap of the gradients to automatic differentiation", high=1e-10,
          why="they are the same derivative in float64", source=SOURCE + "i, corrected"),
    Claim("∂L/∂W₂ / Berkeley HW6's expression, times n", low=-2.001, high=-1.999,
          why="the factor −2/n is missing in print", source=SOURCE + "i, corrected"),
    Claim("gradient at W₂ = W₁ᵀ = U_k, relative to the covariance", high=1e-12,
          why="(I − U_kU_kᵀ) Σ U_k = 0, since Σ maps eigenvectors to multiples of themselves", source=SOURCE + "ii"),
    Claim("gradient at W₂ = U_k C, W₁ = C⁻¹ U_kᵀ for a random C, relative to the covariance", high=1e-10,
          why="W₂W₁ is the same for every invertible C", source="this experiment"),
    Claim("angle to the principal subspace after training, degrees", high=0.01,
          why="the principal subspace is the only minimum, and no training can stay at a saddle", source=SOURCE),
    Claim("loss after training / sum of the discarded eigenvalues − 1", low=-1e-9, high=1e-6,
          why="the loss at the minimum is the variance along the directions left out", source=SOURCE),
    Claim("decay of the angle / decay from the curvature", low=0.9, high=1.1,
          why="near the minimum the slowest turn shrinks by 1 − 2·rate·curvature a step, when W₁W₁ᵀ = W₂ᵀW₂, as it is from small weights on", source="this experiment"),
    Claim("largest distance between the products W₂W₁ of two trainings", high=1e-3,
          why="the projector is unique", source="this experiment"),
    Claim("smallest distance between the decoders W₂ of two trainings", low=0.1,
          why="the decoder is determined up to an invertible matrix only", source="this experiment"),
    Claim("smallest distance of a decoder to U_k, whatever the order and the signs", low=0.1,
          why="nothing in the loss prefers the eigenvectors themselves to a rotation of them", source="this experiment, against Berkeley HW6, question 4b"),
    Claim("largest distance of a critical point's W₂W₁ to the projector on a set of eigenvectors", high=1e-4,
          why="there are no other critical points", source="Baldi and Hornik 1989"),
    Claim("sets of k eigenvectors that the search did not find", low=0, high=0,
          why="each of them is a critical point", source="Baldi and Hornik 1989"),
    Claim("critical points found whose number of descending directions is not the predicted one", low=0, high=0,
          why="one for each chosen eigenvector and larger one left out, one for each unused unit and eigenvector left out", source="this experiment"),
    Claim("critical points found without a descending direction", low=1, high=1,
          why="all but the principal components are saddles", source="Baldi and Hornik 1989"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Does a linear autoencoder learn the principal components?",
    answers=(37, 38),
    method="""The loss is L(W₁, W₂) = (1/n)|X − W₂W₁X|², with points as the columns of X (m × n, mean zero), an
        encoder W₁ (k × m) and a decoder W₂ (m × k). All eigenvalues of the covariance XXᵀ/n are different. U_k
        holds the eigenvectors of the k largest as columns.

        First-order conditions: the gradients −(2/n) W₂ᵀ(I − W₂W₁)XXᵀ and −(2/n)(I − W₂W₁)XXᵀW₁ᵀ are held
        against automatic differentiation at random weights, and evaluated at W₂ = W₁ᵀ = U_k.

        Training: plain gradient descent from small random weights, several seeds. After every few steps the
        largest angle between the span of W₂'s columns and that of U_k is measured.

        Landscape: from many random starts, damped Newton steps make the length of the gradient zero. They do
        not go downhill and so stop at saddles as well. Every point found is compared with the projectors on
        all sets of at most k eigenvectors, and the negative eigenvalues of its Hessian are counted.""",
    see="""The principal components fulfil the first-order conditions, but so does every other set of k
        eigenvectors. What makes them special is that they alone have no way down. And what is learned is the
        subspace: the product W₂W₁ is the same in every training, while W₂ is U_k times any invertible matrix.""",
    correction="""Berkeley HW6 loses the factor 2 in the gradient of |WA|² and with it −2/n in both conditions.
        Its condition for W₁ has the shape of W₁ᵀ; the right one is W₂ᵀ(I − W₂W₁)XXᵀ = 0. It writes X = Σ σ_i u_i
        u_iᵀ for a matrix that is m × n: the right vectors v_i are missing. I − U_kU_kᵀ is diagonal only in the basis
        of eigenvectors. It calls the optimum unique up to signs: only the product W₂W₁ is unique, since (W₂C,
        C⁻¹W₁) is as good for every invertible C.""",
    claims=CLAIMS,
    presets={
        "quick": Settings(),
        "full": Settings(
            points=20_000, width=50, steps=3000, seeds=32, starts=5000, search_width=7, search_bottleneck=3
        ),
    },
    seconds=5,
    run=run,
)
