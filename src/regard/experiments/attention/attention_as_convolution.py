"""A convolution and an attention matrix as similarities, rule by rule. About 3 s on a CPU.   regard run attention-as-convolution"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.claims import Claim
from regard.core.similarity import unit
from regard.lab.book.style import panels, show_image, style
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent
from regard.lab.experiment import Context, Experiment

COLOURS = {
    "white": (1.0, 1.0, 1.0), "grey": (0.5, 0.5, 0.5), "red": (1.0, 0.0, 0.0), "dark red": (0.4, 0.0, 0.0),
    "green": (0.0, 1.0, 0.0), "blue": (0.0, 0.0, 1.0), "yellow": (1.0, 1.0, 0.0),
}  # fmt: skip
KERNELS = ("white", "red", "dark red", "green", "blue", "yellow")
PICTURE = """
wwrrddgg
wwrrddgg
wwrrddgg
GGyybbyy
GGyybbyy
bbbbwwrr
bbGGwwdd
ddddrryy"""
LETTERS = {"w": "white", "G": "grey", "r": "red", "d": "dark red", "g": "green", "b": "blue", "y": "yellow"}
TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True)
class Settings:
    tries: int = 2000
    "Random vectors, beside the picture's colours, in the search for counterexamples."


def picture() -> Tensor:
    """An 8 × 8 picture of flat colours, channels first; two of them are shades of one hue."""
    rows = [[COLOURS[LETTERS[letter]] for letter in line] for line in PICTURE.split()]
    return torch.tensor(rows, dtype=torch.float64).permute(2, 0, 1)


def kernels() -> Tensor:
    """One kernel of size 1 × 1 for each colour in `KERNELS`."""
    return torch.tensor([COLOURS[name] for name in KERNELS], dtype=torch.float64)[:, :, None, None]


def maps(image: Tensor, filters: Tensor) -> Tensor:
    """The activation map of each kernel."""
    return F.conv2d(image[None], filters)[0]


def matrices(image: Tensor) -> dict[str, Tensor]:
    """The four matrices of question 4(b) over the picture's pixels."""
    z = image.flatten(1).T
    scores = z @ z.T / sqrt(z.shape[1])
    direction = unit(z)
    alike = direction @ direction.T / sqrt(z.shape[1])
    return {
        "ZZᵀ": z @ z.T,
        "row softmax": scores.softmax(-1),
        "normalised, one softmax": alike.flatten().softmax(0).view_as(alike),
        "f(Z)": alike,
    }


def by_convolution(image: Tensor) -> Tensor:
    """f(Z) by a convolution: every normalised pixel is a kernel of size 1 × 1, and the picture is normalised too."""
    filters = unit(image.flatten(1).T)[:, :, None, None]
    directed = unit(image.permute(1, 2, 0)).permute(2, 0, 1)
    return maps(directed, filters).flatten(1) / sqrt(image.shape[0])


Score = Callable[[Tensor, Tensor], Tensor]
"""Similarities of matching rows of two lists of vectors."""


def counterexamples(score: Score, vectors: Tensor, names: list[str]) -> dict[int, str]:
    """For each of the four rules, the clearest counterexample among the pairs of the vectors; no entry where none was found.

    1 bounded above; 2 everything is as similar to itself as anything can be; 3 distinct things are less so; 4 symmetric.
    """
    count = len(vectors)
    table = score(vectors.repeat_interleave(count, 0), vectors.repeat(count, 1)).view(count, count)
    own, top = table.diagonal(), table.max()
    found: dict[int, str] = {}
    longer = score(10 * vectors, 10 * vectors)
    grown = (longer - own).argmax()
    if longer[grown] > 10 * top.abs() + TOLERANCE:
        found[1] = (
            f"s(x, x) = {own[grown]:.3g} and s(10x, 10x) = {longer[grown]:.4g} for x = {names[grown]}: no bound"
        )
    least = own.argmin()
    if own[least] < top - TOLERANCE:
        found[2] = f"s(x, x) = {own[least]:.3g} for x = {names[least]}, below the largest value {top:.3g}"
    distinct = (vectors[:, None] - vectors[None]).abs().amax(-1) > 1e-6
    reached = distinct & (table >= torch.minimum(own[:, None], own[None]) - TOLERANCE)
    if reached.any():
        i, j = divmod(int(torch.where(reached, table - own[:, None], -torch.inf).argmax()), count)
        found[3] = (
            f"s(x, y) = {table[i, j]:.3g} is not below s(x, x) = {own[i]:.3g} for x = {names[i]}, y = {names[j]}"
        )
    uneven = (table - table.T).abs()
    if uneven.max() > TOLERANCE:
        i, j = divmod(int(uneven.argmax()), count)
        found[4] = (
            f"s(x, y) = {table[i, j]:.3g} but s(y, x) = {table[j, i]:.3g} for x = {names[i]}, y = {names[j]}"
        )
    return found


def scores(image: Tensor) -> dict[str, Score]:
    """The candidates: what a convolution computes, what it computes on directions, and the two softmaxes over the picture."""
    z = image.flatten(1).T
    total = matrices(image)["f(Z)"].exp().sum()

    def dot(x: Tensor, y: Tensor) -> Tensor:
        return (x * y).sum(-1)

    def cosine(x: Tensor, y: Tensor) -> Tensor:
        return dot(unit(x), unit(y))

    return {
        "dot product (convolution)": dot,
        "cosine, on vectors": cosine,
        "row softmax over the picture": lambda x, y: (
            (dot(x, y) / sqrt(3)).exp() / (x @ z.T / sqrt(3)).exp().sum(-1)
        ),
        "cosine under one softmax": lambda x, y: (cosine(x, y) / sqrt(3)).exp() / total,
    }


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """The pictures, the rules, the equality."""
    image, filters = picture(), kernels()
    directed, turned = (
        unit(image.permute(1, 2, 0)).permute(2, 0, 1),
        unit(filters[:, :, 0, 0])[:, :, None, None],
    )
    plain, cosine = maps(image, filters), maps(directed, turned)
    yield from _rules(settings, context, image)
    white = KERNELS.index("white")
    yield Metric(
        "share of pixels on which the white kernel answers most or ties",
        (plain[white] >= plain.amax(0) - TOLERANCE).double().mean().item(),
    )
    same = torch.stack([(directed - turned[i]).abs().amax(0) < 1e-6 for i in range(len(KERNELS))])
    yield Metric(
        "cosine maps: pixels at 1 that are not of the kernel's hue, or the reverse",
        ((cosine > 1 - 1e-9) != same).sum().item(),
    )
    norms = image.norm(dim=0) * filters[:, :, 0, 0].norm(dim=1)[:, None, None]
    yield Metric(
        "gap between a convolution and cosine times norms", (plain - cosine * norms).abs().max().item()
    )
    found = matrices(image)
    yield Metric(
        "gap between f(Z) by convolution and by matrices",
        (by_convolution(image) - found["f(Z)"]).abs().max().item(),
    )
    yield Metric(
        "ZZᵀ: largest diagonal entry less smallest",
        (found["ZZᵀ"].diagonal().max() - found["ZZᵀ"].diagonal().min()).item(),
    )
    yield FigureEvent(
        "picture",
        _picture(image),
        "The picture and the kernels, one a colour. Two of its colours, red and dark red, are one hue.",
    )
    yield FigureEvent("maps", _maps(plain, cosine), MAPS)
    yield FigureEvent("matrices", _matrices(found), MATRICES)


def _rules(settings: Settings, context: Context, image: Tensor) -> Iterator[Event]:
    """Each candidate for a similarity against each of the four rules."""
    yield ProgressEvent("searching for counterexamples", 0.3)
    generator = torch.Generator().manual_seed(context.seed)
    random = torch.rand(settings.tries, 3, generator=generator, dtype=torch.float64)
    vectors = torch.cat([torch.tensor(list(COLOURS.values()), dtype=torch.float64), random[:200]])
    names = list(COLOURS) + [f"({', '.join(f'{x:.2f}' for x in one)})" for one in random[:200].tolist()]
    broken = {name: counterexamples(score, vectors, names) for name, score in scores(image).items()}
    directions = unit(torch.cat([vectors, random]))
    kept = torch.tensor(
        [not bool((directions[:i] - one).abs().amax(-1).le(1e-6).any()) for i, one in enumerate(directions)]
    )
    broken["cosine, on directions"] = counterexamples(
        lambda x, y: (unit(x) * unit(y)).sum(-1),
        directions[kept][:200],
        [f"direction {i}" for i in range(200)],
    )
    for name, found in broken.items():
        for rule in range(1, 5):
            yield Metric("rule broken", float(rule in found), at={"similarity": name, "rule": rule})
    yield TableEvent("rules", ("similarity", "1 bounded", "2 itself is most similar", "3 others are less", "4 symmetric"),
                 [(name, *(found.get(rule, "no counterexample found") for rule in range(1, 5))) for name, found in broken.items()],
                 "Each rule of a similarity, tried by search over the picture's colours and random vectors; what breaks it, where something does.")  # fmt: skip
    yield Metric("rules broken by the dot product", len(broken["dot product (convolution)"]))
    yield Metric("rules broken by cosine on vectors", len(broken["cosine, on vectors"]))
    yield Metric("rules broken by cosine on directions", len(broken["cosine, on directions"]))
    yield Metric("row softmax breaks symmetry", float(4 in broken["row softmax over the picture"]))


def _picture(image: Tensor):
    with style():
        figure, axes = panels(len(KERNELS) + 1, width=7.6, height=1.5)
        for axis, pixels, title in zip(axes, [image, *kernels()], ("picture", *KERNELS), strict=True):
            show_image(axis, pixels, title)
        return figure


def _maps(plain: Tensor, cosine: Tensor):
    with style():
        figure, axes = panels(len(KERNELS), 2, width=7.6, height=1.55)
        for axis, pixels, title in zip(axes, [*plain, *cosine], KERNELS * 2, strict=True):
            image = show_image(axis, pixels, title, vmin=0, vmax=3 if axis in axes[: len(KERNELS)] else 1)
            if axis in (axes[len(KERNELS) - 1], axes[-1]):
                figure.colorbar(image, ax=axis)
        axes[0].set_ylabel("dot")
        axes[len(KERNELS)].set_ylabel("cosine")
        return figure


def _matrices(found: dict[str, Tensor]):
    with style():
        figure, axes = panels(4, width=8.4, height=2.5)
        for axis, (name, matrix) in zip(axes, found.items(), strict=True):
            show_image(axis, matrix, name)
        return figure


MAPS = (
    "Activation maps. Above, plain convolution: white answers every colour most loudly, and a kernel's own colour is not where it answers most. Below, the same on normalised pixels and kernels: 1 exactly "
    "where the hue is the kernel's, so red and dark red cannot be told apart."
)
MATRICES = (
    "All pixels against all pixels, row by row of the picture. ZZᵀ: symmetric, but the diagonal is not constant. Row softmax: no longer symmetric. Normalised pixels under one softmax over the whole matrix: symmetric, "
    "one value on the diagonal. f(Z) = normalised ZZᵀ/√3, the same by convolution."
)

CLAIMS = (
    Claim("rules broken by the dot product", low=3, high=3,
          why="no bound, ‖x‖² differs, louder colours win; only symmetry is left", source="Duke HW3, 4a.ii"),
    Claim("rules broken by cosine on vectors", low=1, high=1,
          why="rule 3: x and 2x", source="Duke HW3, 4a.iii, corrected"),
    Claim("rules broken by cosine on directions", low=0, high=0,
          why="on the unit sphere the angle is a distance", source="Duke HW3, 4a.iii"),
    Claim("row softmax breaks symmetry", low=1, high=1,
          why="rows have different sums", source="Duke HW3, 4b.ii"),
    Claim("share of pixels on which the white kernel answers most or ties", low=1, high=1,
          why="its entries are the largest there are", source="Duke HW3, 4a.ii"),
    Claim("cosine maps: pixels at 1 that are not of the kernel's hue, or the reverse", low=0, high=0,
          why="cosine 1 means the same direction", source="Duke HW3, 4a.iv"),
    Claim("gap between a convolution and cosine times norms", high=1e-12,
          why="x·k = ‖x‖‖k‖cos", source="Duke HW3, 4a.iv"),
    Claim("gap between f(Z) by convolution and by matrices", high=1e-6,
          why="the kernels are the normalised pixels", source="Duke HW3, 4b.iv"),
    Claim("ZZᵀ: largest diagonal entry less smallest", low=0.5,
          why="the diagonal holds ‖x‖², so rule 2 fails", source="Duke HW3, 4b.i"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Is a convolution, or an attention matrix, a similarity, and when are the two the same thing?",
    answers=(10, 11, 12, 13, 14, 15, 16, 17),
    method="""A similarity is asked to obey four rules: it is bounded; everything is as similar to itself as
        anything can be; distinct things are less similar than that; it is symmetric. Duke HW3's starting
        picture is not public, so a small picture of flat colours stands in, with kernels that are colours.

        Each candidate is put to a search over the picture's colours and random vectors, and what breaks a
        rule is shown: the dot product, which is what a 1 × 1 convolution computes; the cosine, on vectors and
        on directions; the row softmax of attention; and the cosine under one softmax over the whole matrix.

        At last f(Z), the normalised products of all pixels, is computed by matrices and as a convolution
        whose kernels are the picture's own normalised pixels.""",
    see="""A convolution measures likeness times loudness: divided by the norms it is the cosine, and the maps
        then answer by hue alone. Attention's scores are a convolution of the picture with itself as kernels.
        The row softmax makes them shares, and shares are not symmetric. The cosine is a similarity of
        directions: on vectors, x and 2x are distinct and as similar as x is to itself.""",
    correction="""Duke HW3 takes the arguments of s and of the angle from R^(d×d); they are pairs of
        vectors, and the angle lies in [0, π]. Question 4(a)iii asks for a proof that the cosine is a
        similarity on R^d: rule 3 fails there (red and dark red above); it holds on the unit sphere. Equation
        11 counts the columns of the kernel by its height, and for a 1 × 1 kernel reads the wrong
        pixel. The sign Z̄ stands for two things in 4(a)iv and 4(b)iii.""",
    claims=CLAIMS,
    presets={"quick": Settings(), "full": Settings(tries=20_000)},
    seconds=3,
    run=run,
)
