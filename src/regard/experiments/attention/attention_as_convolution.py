"""A convolution and an attention matrix as similarities, rule by rule. About 3 s on a CPU.   regard run attention-as-convolution"""

from collections.abc import Iterator
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
RULES = ("1 bounded", "2 itself is most similar", "3 others are less", "4 symmetric")


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


@dataclass(frozen=True)
class Likeness:
    """A similarity that is put to the test: its values for all pairs of some things."""

    name: str
    things: Tensor
    "The vectors that are compared, one a row."
    names: list[str]
    table: Tensor
    "s(x, y) for every pair of them."
    longer: Tensor | None = None
    "s(10x, 10x) for each; none where only the picture's own pixels have a similarity."


def counterexamples(one: Likeness) -> dict[int, str]:
    """For each of the four rules, the clearest counterexample among all pairs; no entry where none was found.

    1 bounded above; 2 everything is as similar to itself as anything can be; 3 distinct things are less so; 4 symmetric.
    """
    vectors, names, table, longer = one.things, one.names, one.table, one.longer
    count = len(vectors)
    own, top = table.diagonal(), table.max()
    found: dict[int, str] = {}
    grown = 0 if longer is None else int((longer - own).argmax())
    if longer is not None and longer[grown] > 10 * top.abs() + TOLERANCE:
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


def likenesses(image: Tensor, random: Tensor) -> list[Likeness]:
    """What a convolution computes, on vectors and on directions, and the two softmaxes, which only pixels have."""
    vectors = torch.cat([torch.tensor(list(COLOURS.values()), dtype=torch.float64), random])
    names = list(COLOURS) + [f"({', '.join(f'{x:.2f}' for x in one)})" for one in random.tolist()]
    turned = unit(vectors)
    kept = [i for i, one in enumerate(turned) if not _known(one, turned[:i])]
    pixels, named = image.flatten(1).T, [LETTERS[letter] for letter in "".join(PICTURE.split())]
    hues = [i for i, one in enumerate(unit(pixels)) if not _known(one, unit(pixels)[:i])]
    soft = matrices(image)["normalised, one softmax"]
    return [
        Likeness(DOT, vectors, names, vectors @ vectors.T, 100 * vectors.square().sum(1)),
        Likeness(COSINE, vectors, names, turned @ turned.T, turned.square().sum(1)),
        Likeness(
            DIRECTIONS,
            turned[kept],
            [f"the direction of {names[i]}" for i in kept],
            (turned @ turned.T)[kept][:, kept],
        ),
        Likeness(SHARES, pixels, named, matrices(image)["row softmax"]),
        Likeness(JOINT, pixels, named, soft),
        Likeness(
            JOINT_DIRECTIONS,
            unit(pixels)[hues],
            [f"the hue of {named[i]}" for i in hues],
            soft[hues][:, hues],
        ),
    ]


def _known(one: Tensor, others: Tensor) -> bool:
    return bool((others - one).abs().amax(-1).le(1e-6).any())


DOT, COSINE, DIRECTIONS = "dot product (convolution)", "cosine, on vectors", "cosine, on directions"
SHARES = "row softmax, on the picture's pixels"
JOINT = "cosine under one softmax, on the picture's pixels"
JOINT_DIRECTIONS = "cosine under one softmax, on the picture's hues"


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """The pictures, the rules, the equality."""
    image, filters = picture(), kernels()
    directed, turned = (
        unit(image.permute(1, 2, 0)).permute(2, 0, 1),
        unit(filters[:, :, 0, 0])[:, :, None, None],
    )
    plain, cosine = maps(image, filters), maps(directed, turned)
    yield from _rules(settings, context, image)
    yield Metric(
        "kernels that answer another colour at least as strongly as their own", _outdone(plain, image)
    )
    same = torch.stack([(directed - turned[i]).abs().amax(0) < 1e-6 for i in range(len(KERNELS))])
    yield Metric(
        "cosine maps: pixels at 1 without the kernel's hue, or below 1 with it",
        ((cosine > 1 - 1e-9) != same).sum().item(),
    )
    yield Metric("pixels whose hue no kernel has", (~same.any(0)).sum().item())
    norms = image.norm(dim=0) * filters[:, :, 0, 0].norm(dim=1)[:, None, None]
    yield Metric(
        "gap between a convolution and cosine times norms", (plain - cosine * norms).abs().max().item()
    )
    found = matrices(image)
    convolved = by_convolution(image)
    yield Metric(
        "gap between f(Z) by convolution and by matrices", (convolved - found["f(Z)"]).abs().max().item()
    )
    yield Metric("kernels of the convolution that gives f(Z)", len(convolved))
    yield Metric(
        "ZZᵀ: largest diagonal entry minus the smallest",
        (found["ZZᵀ"].diagonal().max() - found["ZZᵀ"].diagonal().min()).item(),
    )
    yield FigureEvent(
        "picture",
        _picture(image),
        "The picture and the kernels, one a colour. Two of its colours, red and dark red, are one hue.",
    )
    yield FigureEvent("maps", _maps(plain, cosine), MAPS)
    yield FigureEvent("matrices", _matrices({**found, "f(Z)": convolved}), MATRICES)


def _rules(settings: Settings, context: Context, image: Tensor) -> Iterator[Event]:
    """Each candidate for a similarity against each of the four rules."""
    yield ProgressEvent("searching for counterexamples", 0.3)
    generator = torch.Generator().manual_seed(context.seed)
    random = torch.rand(settings.tries, 3, generator=generator, dtype=torch.float64)
    broken = {one.name: counterexamples(one) for one in likenesses(image, random)}
    for name, found in broken.items():
        for rule in range(1, 5):
            yield Metric("rule broken", float(rule in found), at={"similarity": name, "rule": rule})
    yield TableEvent(
        "rules",
        ("similarity", "rule", "what breaks it"),
        [
            (name, rule, found.get(place, "no counterexample found"))
            for name, found in broken.items()
            for place, rule in enumerate(RULES, 1)
        ],
        "Each rule of a similarity, tried by search over the picture's colours and random vectors; what breaks it, where something does.",
    )
    yield Metric("rules broken by the dot product", len(broken[DOT]))
    yield Metric("rules broken by cosine on vectors", len(broken[COSINE]))
    yield Metric("rules broken by cosine on directions", len(broken[DIRECTIONS]))
    yield Metric("rules broken by the row softmax", len(broken[SHARES]))
    yield Metric("row softmax breaks symmetry", float(4 in broken[SHARES]))
    yield Metric("rules broken by the cosine under one softmax", len(broken[JOINT]))
    yield Metric(
        "rules broken by the cosine under one softmax, one pixel of each hue", len(broken[JOINT_DIRECTIONS])
    )


def _outdone(plain: Tensor, image: Tensor) -> int:
    """How many kernels answer some pixel of another colour at least as strongly as those of their own."""
    found = 0
    for name, answers in zip(KERNELS, plain, strict=True):
        own = (image - torch.tensor(COLOURS[name], dtype=image.dtype)[:, None, None]).abs().amax(0) < 1e-6
        found += bool(answers[~own].max() >= answers[own].max() - TOLERANCE)
    return found


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
    "Activation maps. Above, plain convolution: the brighter the pixel, the larger x·k; look for pixels of another colour than the kernel's that are as bright as its own. Below, the same on normalised pixels and kernels: "
    "compare where a map is at 1 with where the kernel's hue is; red and dark red are one hue."
)
MATRICES = (
    "All pixels against all pixels, row by row of the picture. ZZᵀ has the squared norms on its diagonal. The row softmax divides each row by a sum of its own: compare an entry with its mirror image across the diagonal. Normalised pixels under one softmax over the whole matrix: "
    "one divisor for all. f(Z) = normalised ZZᵀ/√3, drawn as the convolution gives it: a kernel of 3 × 1 × 1 for each pixel, and each row is that kernel's activation map."
)

CLAIMS = (
    Claim("rules broken by the dot product", low=3, high=3,
          why="no bound, ‖x‖² differs, brighter colours win; only symmetry is left", source="Duke HW3, 4a.ii", items=(11,),
          says="A convolution with 1 × 1 kernels, the dot product, is not a similarity: it breaks {value} of the four rules, and only symmetry is left.",
          otherwise="The search finds {value} of the four rules of a similarity broken by the dot product, where three were expected.",
          asks="which rules of a similarity a convolution breaks"),
    Claim("rules broken by cosine on vectors", low=1, high=1,
          why="rule 3: x and 2x", source="Duke HW3, 4a.iii, corrected", items=(12,),
          says="On all vectors the cosine breaks {value} rule, the third: x and 2x are distinct and as similar as x is to itself.",
          otherwise="On all vectors the cosine is found to break {value} rules, not the third alone.",
          asks="which rules the cosine breaks on vectors"),
    Claim("rules broken by cosine on directions", low=0, high=0,
          why="on the unit sphere the angle is a distance", source="Duke HW3, 4a.iii", items=(12,),
          says="On directions (vectors of norm 1) the cosine is a similarity: no counterexample to any rule.",
          otherwise="On directions the cosine breaks {value} of the rules, though it should break none.",
          asks="whether the cosine is a similarity of directions"),
    Claim("row softmax breaks symmetry", low=1, high=1,
          why="each row is divided by a sum of its own", source="Duke HW3, 4b.ii", items=(15,),
          says="The row softmax is not symmetric: the weight that x gives y is not the weight that y gives x.",
          otherwise="No pair of pixels shows the row softmax to be asymmetric.",
          asks="whether the row softmax is symmetric"),
    Claim("rules broken by the row softmax", low=3, high=3,
          why="all but the bound: a weight is at most 1; the diagonal is not constant, brighter pixels win, rows have divisors of their own",
          source="Duke HW3, 4b.ii", items=(15,),
          says="Attention's matrix, the row softmax of ZZᵀ/√d, is not a similarity: it breaks {value} of the four rules, all but the bound; the dot product, which is a convolution with 1 × 1 kernels, breaks {of[rules broken by the dot product]}.",
          otherwise="Attention's matrix, the row softmax, is found to break {value} of the four rules, where three were expected.",
          asks="which rules the row softmax breaks"),
    Claim("rules broken by the cosine under one softmax", low=1, high=1,
          why="exp keeps the order of the cosines and one divisor keeps symmetry; rule 3 fails where two pixels share a hue", source="Duke HW3, 4b.iii", items=(16,),
          says="Normalised and under one softmax, all entries could come from a similarity of hues, but not of colours: {value} rule breaks, the third, where two different colours share a hue.",
          otherwise="Normalised and under one softmax, {value} rules break on the picture's pixels, not the third alone.",
          asks="whether the normalised matrix under one softmax could be a similarity of the picture's pixels"),
    Claim("rules broken by the cosine under one softmax, one pixel of each hue", low=0, high=0,
          why="among distinct directions the cosine is below 1", source="Duke HW3, 4b.iii", items=(16,),
          says="With one pixel of each hue, the normalised matrix under one softmax breaks no rule: by the picture alone it could be a similarity.",
          otherwise="Even with one pixel of each hue, the normalised matrix under one softmax breaks {value} of the rules.",
          asks="whether the normalised matrix under one softmax could be a similarity of hues"),
    Claim("kernels that answer another colour at least as strongly as their own", low=5, high=5,
          why="all but white: white is the brightest in every channel, and red outdoes dark red", source="Duke HW3, 4a.ii", items=(11,),
          says="Of the six kernels {value} answer some pixel of another colour at least as strongly as pixels of their own: a bright pixel outdoes or equals a matching one.",
          otherwise="Of the six kernels {value} answer another colour at least as strongly as their own, where five were expected.",
          asks="whether kernels of a plain convolution answer their own colour most"),
    Claim("pixels whose hue no kernel has", low=0, high=0,
          why="the kernels are the colours of the picture; grey is dark white", source="Duke HW3, 4a.i", items=(10,),
          says="Every pixel of the picture has the hue of one of the kernels shown.",
          otherwise="There are {value} pixels whose hue none of the kernels has.",
          asks="whether the kernels have all hues of the picture"),
    Claim("kernels of the convolution that gives f(Z)", low=64, high=64,
          why="one kernel a pixel of the 8 × 8 picture, each as deep as the picture has channels, and 1 × 1", source="Duke HW3, 4b.iv", items=(17,),
          says="It takes {value} kernels, one for each pixel, of 3 × 1 × 1 numbers each.",
          otherwise="The convolution used {value} kernels, which is not one for each of the 64 pixels.",
          asks="how many kernels the convolution needs"),
    Claim("cosine maps: pixels at 1 without the kernel's hue, or below 1 with it", low=0, high=0,
          why="cosine 1 means the same direction", source="Duke HW3, 4a.iv", items=(13,),
          says="After normalisation a map is at 1 exactly where the pixel has the kernel's hue: the maps reflect a similarity of hues.",
          otherwise="After normalisation {value} pixels are at 1 without having the kernel's hue, or have it and are below 1.",
          asks="whether the normalised maps answer by hue alone"),
    Claim("gap between a convolution and cosine times norms", high=1e-12,
          why="x·k = ‖x‖‖k‖cos", source="Duke HW3, 4a.iv", items=(13,),
          says="A normal convolution is the cosine times the norms of pixel and kernel (largest gap {value:.2g}).",
          otherwise="A normal convolution differs from the cosine times the norms by up to {value:.2g}.",
          asks="whether a convolution is the cosine times the norms"),
    Claim("gap between f(Z) by convolution and by matrices", high=1e-6,
          why="the kernels are the normalised pixels", source="Duke HW3, 4b.iv", items=(17,),
          says="Attention's normalised scores are a convolution: with the picture's own normalised pixels as kernels, it gives f(Z) (largest gap {value:.2g}).",
          otherwise="The convolution with the picture's own pixels misses f(Z) by up to {value:.2g}.",
          asks="whether f(Z) is a convolution"),
    Claim("ZZᵀ: largest diagonal entry minus the smallest", low=0.5,
          why="the diagonal holds ‖x‖², so rule 2 fails", source="Duke HW3, 4b.i", items=(14,),
          says="ZZᵀ is not a similarity: its diagonal is not constant (largest minus smallest entry: {value:.3g}), so some pixels are less similar to themselves than others are (rule 2).",
          otherwise="The diagonal of ZZᵀ is next to constant (largest minus smallest entry: {value:.3g}): it shows no breach of rule 2.",
          asks="whether the diagonal of ZZᵀ is constant"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Is a convolution, or an attention matrix, a similarity, and when are the two the same thing?",
    method="""A similarity is asked to obey four rules: it is bounded; everything is as similar to itself as
        anything can be; distinct things are less similar than that; it is symmetric. Duke HW3's starting
        picture is not public, so a small picture of flat colours stands in, with kernels that are colours.

        Each candidate is put to a search, and what breaks a rule is shown: the dot product, which is what a
        1 × 1 convolution computes, and the cosine, over the picture's colours and random vectors; the cosine
        over directions; the row softmax of attention, and the cosine under one softmax over the whole matrix,
        over the picture's pixels, since a softmax gives values to the pixels that are in its sum alone.

        At last $f(Z)$, the normalised products of all pixels, is computed by matrices and as a convolution
        whose kernels are the picture's own normalised pixels.""",
    see=r"""The table of rules has, for each candidate, a counterexample in the picture's own colours where one
        was found. By $x \cdot k = \lVert x \rVert \lVert k \rVert \cos(x, k)$, a convolution measures likeness of
        hue times brightness; divided by the norms it is the cosine. The row softmax makes scores into weights: each row sums to 1, by a divisor
        of its own. One softmax over the whole matrix has one divisor and keeps the order of its entries, so
        what holds for the cosine holds for it.

        The proof for directions, and what breaks it for vectors, is in [[theory-similarity-axioms]]; attention and
        convolution as rows of one table are in [[one-operator]].""",
    correction=r"""Duke HW3 takes the arguments of $s$ and of the angle from $\mathbb{R}^{d \times d}$; they are
        pairs of vectors, and the angle lies in $[0, \pi]$. Question 4(a)iii asks for a proof that the cosine is a
        similarity on $\mathbb{R}^d$: rule 3 does not hold there (take $x$ and $2 x$); it holds on the unit sphere. Equation
        11 counts the columns of the kernel by its height, and for a 1 × 1 kernel reads the wrong
        pixel. The sign $\bar{Z}$ stands for two things in 4(a)iv and 4(b)iii.""",
    claims=CLAIMS,
    opens_with=("rules broken by the row softmax", "gap between f(Z) by convolution and by matrices"),
    presets={"quick": Settings(), "full": Settings(tries=4000)},
    seconds=3,
    run=run,
)  # fmt: skip
