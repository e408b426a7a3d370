"""Mixtures of boxes: why gradient descent cannot fit them, and a cure. About 10 s on a CPU.   regard run uniform-mixture"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import cycle, islice
from math import log, pi
from typing import Annotated, Any

import torch
from torch import Tensor

from regard.claims import Claim
from regard.experiments.unsupervised.europe import (
    OwnPlane,
    Plane,
    contours,
    descend,
    likelihood,
    load_plane,
    strip,
)
from regard.experiments.unsupervised.oracle import density_gap, sample_gap
from regard.lab.book.style import BLUE, GREEN, ORANGE, PURPLE, RED, SKY, panels, style
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import FOUND, Context, Experiment, OwnWords
from regard.lab.ranges import Range
from regard.models.mixture.uniform import UniformMixtureModel

SHOWN = (1, 10, 20, 30, 40, 50)
"Epochs whose samples Jerusalem ex. 5 asks for."
ONE_GAUSSIAN = -log(2 * pi) - 1
"What a single Gaussian gives on data of variance 1."


@dataclass(frozen=True, kw_only=True)
class Settings(OwnPlane):
    countries: int = 33
    "Countries, those with most places; also the largest number of boxes."
    components: tuple[int, ...] = (1, 5, 10)
    "The smaller numbers of boxes."
    limit: Annotated[int | None, Range(1000, 10**6)] = 4500
    "Places used, at random; none takes all."
    epochs: int = 50
    "Passes over the training places."
    batches: int = 9
    "Steps in a pass over the training places; Jerusalem ex. 5 makes 27."
    rate: Annotated[float, Range(above=0, high=10)] = 0.003
    "Learning rate of Adam: Jerusalem ex. 5's 0.001 times 27 / batches, so that an epoch can shrink a box as much as there."
    cure_rate: Annotated[float, Range(above=0, high=10)] = 0.03
    "Learning rate of the cured boxes, which have far to go, and of the hard ones beside them."
    softness: Annotated[tuple[float, float], Range(above=0, high=100)] = (0.5, 0.01)
    "Softness of the edges at the start and at the end of the cure, in deviations of the data."


@dataclass
class BoxHistory:
    """A training of boxes, watched after each epoch."""

    start: UniformMixtureModel
    likelihoods: dict[str, list[float]] = field(default_factory=lambda: {"train": [], "test": []})
    uncovered: list[float] = field(default_factory=list)
    "Share of the test places outside every box."
    side: list[float] = field(default_factory=list)
    "Mean side of the boxes."
    moved: float = 0.0
    "Largest move of a centre."
    grown: float = 0.0
    "Largest growth of a side from one epoch to the next, as a logarithm."
    returned: int = 0
    "Test places that were outside every box after one epoch and inside one after a later one."
    frames: dict[str, UniformMixtureModel] = field(default_factory=dict)


def begin(boxes: int, seed: int, centres: Tensor | None = None) -> UniformMixtureModel:
    """Jerusalem ex. 5's start: random logits and centres, sides of 3 to 3.2; or the centres that are given."""
    torch.manual_seed(42 + seed)
    model = UniformMixtureModel(boxes)
    if centres is not None:
        with torch.no_grad():
            model.centres.copy_(centres)
    return model


def learn(
    model: UniformMixtureModel,
    plane: Plane,
    settings: Settings,
    seed: int,
    *,
    rate: float,
    softness: tuple[float, float] | None = None,
) -> BoxHistory:
    """Gradient descent, with hard edges or with edges that harden."""
    history, test = BoxHistory(deepcopy(model)), plane.places.splits["test"]
    model.softness = softness[0] if softness else 0.0
    before, outside = deepcopy(model), torch.zeros(len(test), dtype=torch.bool)
    for epoch in descend(
        model,
        plane.places,
        epochs=settings.epochs,
        batches=settings.batches,
        rate=rate,
        seed=seed,
        softness=softness,
    ):
        for split, curve in history.likelihoods.items():
            curve.append(likelihood(model, plane.places.splits[split]))
        _watch(history, model, before, outside, test)
        before = deepcopy(model)
        if epoch in SHOWN:
            history.frames[f"epoch {epoch}"] = before
    return history


@torch.no_grad()
def _watch(
    history: BoxHistory,
    model: UniformMixtureModel,
    before: UniformMixtureModel,
    outside: Tensor,
    test: Tensor,
) -> None:
    inside = model.inside(test).any(1)
    history.returned += int((inside & outside).sum())
    outside |= ~inside
    history.uncovered.append(model.uncovered(test))
    history.side.append(model.log_sizes.exp().mean().item())
    history.moved = max(history.moved, (model.centres - history.start.centres).abs().max().item())
    history.grown = max(history.grown, (model.log_sizes - before.log_sizes).max().item())


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Each number of boxes, two starts, then the cure."""
    yield ProgressEvent("reading the points" if settings.points else "reading the places", 0.0)
    plane, seed = load_plane(settings, countries=settings.countries, limit=settings.limit), context.seed
    yield TextEvent("Your points" if plane.own else "The places", plane.said)
    many, country = len(plane.places.codes), plane.places.country_means()
    hard, finals = {}, {}
    for number, boxes in enumerate((*settings.components, many)):
        yield ProgressEvent(f"{boxes} boxes", 0.1 + 0.1 * number)
        finals[f"K = {boxes}"] = model = begin(boxes, seed)
        hard[f"K = {boxes}"] = learn(model, plane, settings, seed, rate=settings.rate)
    group = plane.words["group"]
    yield ProgressEvent(f"{group} means", 0.5)
    name, started = f"K = {many}, {group} means", begin(many, seed, country)
    hard[name] = learn(started, plane, settings, seed, rate=settings.rate)
    yield ProgressEvent("the cure", 0.6)
    rate = settings.cure_rate
    cured, beside = begin(many, seed), begin(many, seed)
    cure = learn(cured, plane, settings, seed, rate=rate, softness=settings.softness)
    control = learn(beside, plane, settings, seed, rate=rate)
    boxes = finals[f"K = {many}"]
    yield Metric(
        "largest difference of the log-density of boxes from torch's distributions", density_gap(boxes, 0)
    )
    yield Metric(
        "largest gap of samples from the parameters of the boxes, standard errors", sample_gap(boxes, 0)
    )
    yield from _failure(plane, hard, f"K = {many}")
    yield from _cure(plane, cure, control)
    yield _table(plane, {**hard, "hard, cure's rate": control, "cured": cure})
    if plane.own:
        yield TextEvent(FOUND, said_of_own(hard, control, cure))
    yield ProgressEvent("drawing", 0.8)
    yield FigureEvent("components", strip(plane, finals), COMPONENTS)
    yield FigureEvent("training-random", strip(plane, hard[f"K = {many}"].frames), TRAINING)
    yield FigureEvent(f"training-{group}", strip(plane, hard[name].frames), plane.say(GROUPS))
    yield FigureEvent("curves", _curves(plane, hard, cure, control), plane.say(CURVES))
    yield FigureEvent("training-cured", strip(plane, cure.frames), plane.say(CURED))
    ends = {"hard, random centres": finals[f"K = {many}"], f"hard, {group} means": started, "cured": cured}
    yield FigureEvent("contours", contours(plane, ends), plane.say(CONTOURS))


def said_of_own(hard: dict[str, BoxHistory], control: BoxHistory, cure: BoxHistory) -> str:
    """What was found in points of a person's own: how many test points no box holds at the end."""
    told = ", ".join(f"{100 * one.uncovered[-1]:.1f} % for {name}" for name, one in hard.items())
    ends = [100 * one.uncovered[-1] for one in (control, cure)]
    better = "fewer" if ends[1] < ends[0] else "no fewer"
    return (
        f"Fitted by gradient descent, hard boxes leave of your test points outside every box: {told}. Boxes whose edges harden "
        f"on the way leave {ends[1]:.1f} % outside, hard ones at the same rate {ends[0]:.1f} %: the cure leaves {better}."
    )


def _failure(plane: Plane, hard: dict[str, BoxHistory], main: str) -> Iterator[Event]:
    outside = plane.say("share of test {places} outside every box")
    for name, one in hard.items():
        for epoch, (share, side) in enumerate(zip(one.uncovered, one.side, strict=True), 1):
            yield Metric(f"{outside}, {name}", share, at={"epoch": epoch})
            yield Metric(f"mean side, {name}", side, at={"epoch": epoch})
    yield Metric("largest move of a centre, all hard boxes", max(one.moved for one in hard.values()))
    yield Metric(
        "largest growth of a side, all hard boxes (logarithm)", max(one.grown for one in hard.values())
    )
    yield Metric(
        "test places that fell out of all hard boxes and came back",
        sum(one.returned for one in hard.values()),
    )
    yield Metric(
        f"{outside}, most boxes: last epoch less first",
        hard[main].uncovered[-1] - hard[main].uncovered[0],
    )
    if "K = 1" in hard:
        one_box = plane.say("share of test {places} outside the one box, last epoch")
        yield Metric(one_box, hard["K = 1"].uncovered[-1])


def _table(plane: Plane, trained: dict[str, BoxHistory]) -> TableEvent:
    columns = (
        "boxes",
        "outside, epoch 1",
        "outside, last",
        "mean log-likelihood, last, test",
        "mean side, last",
    )
    rows = [
        (name, one.uncovered[0], one.uncovered[-1], one.likelihoods["test"][-1], one.side[-1])
        for name, one in trained.items()
    ]
    return TableEvent("failure", columns, rows, plane.say(FAILURE))


def _cure(plane: Plane, cure: BoxHistory, control: BoxHistory) -> Iterator[Event]:
    outside = plane.say("share of test {places} outside every box")
    for name, one in (("cured", cure), ("hard, same rate", control)):
        for epoch, share in enumerate(one.uncovered, 1):
            yield Metric(f"{outside}, {name}", share, at={"epoch": epoch})
    yield Metric(plane.say("share of test {places} outside every cured box, last epoch"), cure.uncovered[-1])
    yield Metric(
        f"{outside}, last epoch: hard less cured, same rate",
        control.uncovered[-1] - cure.uncovered[-1],
    )
    yield Metric("mean test log-likelihood of the cured mixture", cure.likelihoods["test"][-1])


def _curves(plane: Plane, hard: dict[str, BoxHistory], cure: BoxHistory, control: BoxHistory):
    with style():
        figure, (left, middle, right) = panels(3, width=10.5, height=3.3)
        runs = [*hard.items(), ("hard, cure's rate", control), ("cured", cure)]
        colours = [*islice(cycle((SKY, PURPLE, ORANGE, BLUE, RED)), len(hard)), "#777777", GREEN]
        for (name, one), colour in zip(runs, colours, strict=True):
            epochs = range(1, len(one.side) + 1)
            look: Any = {"color": colour, "marker": "", "label": name}
            left.plot(epochs, [100 * share for share in one.uncovered], **look)
            middle.plot(epochs, one.side, **look)
            right.plot(epochs, one.likelihoods["train"], **look)
            right.plot(epochs, one.likelihoods["test"], **look | {"linestyle": ":"})
        left.set(title=plane.say("test {places} outside every box"), xlabel="epoch", ylabel="%")
        middle.set(title="mean side of the boxes", xlabel="epoch", ylabel="deviations")
        right.set(title="mean log-likelihood", xlabel="epoch")
        right.set_yscale("symlog", linthresh=10)
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)
        return figure


COMPONENTS = "Hard boxes after the last epoch, one column for each number of boxes K. Above: 1000 samples; below: 100 of each box, one colour each. Look at what lies between the boxes."
TRAINING = "Hard boxes in training, from random centres. Above: 1000 samples; below: 100 of each box. Follow one colour through the epochs: does its centre move, does the box grow or shrink?"
GROUPS = "The same hard boxes from the mean {place} of each {group}: compare how many {places} they hold at first, and whether anything moves here."
CURVES = "Left: the share of test {places} that no box holds. Middle: the mean side. Right: the mean log-likelihood, training (solid) and test (dotted), on a scale that is linear down to −10 and logarithmic below; a {place} outside counts −1,000,000 where edges are hard. While the edges of the cured boxes are soft, their cores may leave out {places} which the edges still see: what counts is the end."
CURED = "The cure from the same random centres. The boxes of the first epochs are soft and cover all; look whether they move, part, and take the shape of {shapes} while their edges harden."
CONTOURS = "The densities after the last epoch; each level is a factor e below the next, and what is white is more than six of them below the peak. Grey points are {places} not trained on: look how many lie in the white of each mixture."
FAILURE = "Boxes after training, the hard ones first, then hard ones at the cure's learning rate and the cured ones: the share of test {places} that no box holds after the first and the last epoch, the mean log-likelihood (about −1,000,000 times that share where edges are hard), and the mean side in deviations of the data."

CLAIMS = (
    Claim("largest move of a centre, all hard boxes", low=0.0, high=0.0,
          why="the slope towards a centre is zero inside and outside of its box", source="Jerusalem ex. 5, uniform mixture 2", items=(50,),
          says="Gradient descent cannot fit hard boxes because their centres feel no slope: in all trainings no centre moved at all.",
          otherwise="The centres of hard boxes do move, by up to {value:.2g}: the slope towards them is not zero.",
          asks="whether the centres of hard boxes move"),
    Claim("largest growth of a side, all hard boxes (logarithm)", low=0.0, high=0.0,
          why="the slope towards a side has one sign, and Adam's averages of it too", source="Jerusalem ex. 5, uniform mixture 2", items=(50,),
          says="The sides of the boxes can only shrink: no side ever grew from one epoch to the next.",
          otherwise="Sides of hard boxes do grow, by up to {value:.2g} (logarithm) from one epoch to the next.",
          asks="whether sides of hard boxes ever grow"),
    Claim("test places that fell out of all hard boxes and came back", low=0.0, high=0.0,
          why="boxes with fixed centres that only shrink hold no place that they once did not", source="this experiment", items=(50,),
          says="A test place that has fallen out of all boxes never came back.",
          otherwise="{value} test places fell out of all boxes and came back.",
          asks="whether a place that has fallen out of all boxes comes back"),
    Claim("largest difference of the log-density of boxes from torch's distributions", high=1e-9,
          why="the same mixture built from torch's Categorical and Uniform has the same density, but for rounding in float64", source="Jerusalem ex. 5, the class UMM", items=(48,),
          says="The code is not the reason: the log-density of the boxes is that of the same mixture built from torch's distributions, to {value:.0e}.",
          otherwise="The log-density of the boxes is not that of the same mixture built from torch's distributions: they differ by {value:.2g}.",
          asks="whether the log-density of the boxes is the right one"),
    Claim("largest gap of samples from the parameters of the boxes, standard errors", high=5.0,
          why="a side s has the variance s²/12; of some 130 means and variances, one is beyond 5 standard errors in one run of 10,000", source="Jerusalem ex. 5, sample and conditional_sample", items=(48, 49),
          says="What the boxes draw fills them evenly: its means and variances are those of the parameters, up to {value:.1f} standard errors.",
          otherwise="What the boxes draw does not fill them evenly: a mean or variance is {value:.1f} standard errors from that of the parameters.",
          asks="whether samples fill the boxes evenly"),
    Claim("share of test places outside every box, most boxes: last epoch less first", low=0.05,
          why="the assignment's places: from 1.8 % to 33 %", source="Jerusalem ex. 5, uniform mixture 1", data="points", items=(49,),
          says="Training loses places: with the most boxes, the share of test places that no box holds grows by {value:.0%} of all places from the first epoch to the last.",
          otherwise="Training hardly loses places: with the most boxes, the share of test places that no box holds changes by {value:+.1%}.",
          asks="whether training loses places"),
    Claim("share of test places outside the one box, last epoch", low=0.6,
          why="the assignment's places: 90 %; a box of side 0.8 holds few of them wherever it stands", source="Jerusalem ex. 5, uniform mixture 1", data="points", items=(49,),
          says="A single box ends with {value:.0%} of the test places outside.",
          otherwise="A single box still holds most places: {value:.0%} of the test places are outside.",
          asks="how many places a single box loses"),
    Claim("share of test places outside every cured box, last epoch", high=0.02,
          why="a place at a distance of δ from all boxes costs δ/τ, which grows without limit as edges harden", source="this experiment", data="points", items=(48,),
          says="What helps is soft edges that harden during training: then {value:.1%} of the test places end outside every box.",
          otherwise="Soft edges that harden during training do not cure it: {value:.1%} of the test places end outside every box.",
          asks="whether soft edges that harden keep the places inside"),
    Claim("share of test places outside every box, last epoch: hard less cured, same rate", low=0.05,
          why="the cure differs by its soft edges alone", source="this experiment", data="points", items=(50,),
          says="The edges are the reason and not the learning rate: hard boxes at the cure's rate end with {value:.0%} of all places more outside.",
          otherwise="The soft edges make little difference at the same learning rate: hard boxes end with {value:+.1%} of all places more outside.",
          asks="whether the soft edges are what cures the boxes"),
    Claim("mean test log-likelihood of the cured mixture", low=ONE_GAUSSIAN,
          why="33 boxes that fit are better than one Gaussian, which gives −log 2π − 1", source="this experiment", data="points", items=(48,),
          says="The cured boxes describe the test places better than one Gaussian: a mean log-likelihood of {value:.2f} against −2.84.",
          otherwise="The cured boxes describe the test places no better than one Gaussian: a mean log-likelihood of {value:.4g} against −2.84.",
          asks="whether the cured boxes describe the places better than one Gaussian"),
)  # fmt: skip

WORDS = OwnWords(
    data="points",
    question="Why can gradient descent not fit a mixture of boxes to your points, and what would help it?",
    method="""The same points as in [[mixtures]] over your file, but the density $p_k(x)$ is $\\frac{1}{s_1 s_2}$ inside a box with centre
        $c_k$ and sides $s_1, s_2$, and nothing outside (its logarithm is set to −1,000,000).
        Logits, centres and logarithms of the sides are trained by Adam, from random centres and from the means of your
        labels, or of groups of near points; after each epoch it is counted how many test points no box holds.

        The proof: inside a box, $\\log p_k(x) = -\\log s_1 - \\log s_2$ does not depend on the centre, and outside it
        is a constant. So the slope towards every centre is zero, and the slope of the loss towards the logarithm of a side is
        the responsibility of its box for the points it holds, which is never negative: sides can only shrink.
        A point that has fallen out of all boxes has no slope at all and pulls nothing back.

        The cure: blur each box by logistic noise of scale $\\tau$. Its density is a difference of two sigmoids on
        each axis, divided by the side, still integrates to one, and has a slope everywhere. $\\tau$ falls by the same
        factor in every step, so that the boxes are nearly hard in the end: a point just outside costs its distance
        over $\\tau$, not a million. Hard boxes at the cure's learning rate stand beside it as control.""",
    see="""Follow the centres, the sides and the points outside from epoch to epoch. Hard boxes can raise the likelihood of the
        points inside only by losing others, and cannot see what they lose. A Gaussian has the whole plane as its support, and pulls at every
        point, which is why [[mixtures]] can be fitted in this way. Soft edges give boxes the same advantage; the control
        tells whether it is the edges or the learning rate that helps.""",
)

EXPERIMENT = Experiment(
    question="Why can gradient descent not fit a mixture of boxes, and what would help it?",
    method="""The same places as in the Gaussian mixture, but the density $p_k(x)$ is $\\frac{1}{s_1 s_2}$ inside a box with centre
        $c_k$ and sides $s_1, s_2$, and nothing outside (its logarithm is set to −1,000,000, as the assignment says).
        Logits, centres and logarithms of the sides are trained by Adam, from random centres and from country
        means; after each epoch it is counted how many test places no box holds.

        The proof: inside a box, $\\log p_k(x) = -\\log s_1 - \\log s_2$ does not depend on the centre, and outside it
        is a constant. So the slope towards every centre is zero, and the slope of the loss towards the logarithm of a side is
        the responsibility of its box for the places it holds, which is never negative: sides can only shrink.
        A place that has fallen out of all boxes has no slope at all and pulls nothing back.

        The cure: blur each box by logistic noise of scale $\\tau$. Its density is a difference of two sigmoids on
        each axis, divided by the side, still integrates to one, and has a slope everywhere. $\\tau$ falls from 0.5
        to 0.01 by the same factor in every step, so that the boxes are nearly hard in the end: a place just outside
        costs its distance over $\\tau$, not a million. Hard boxes at the cure's learning rate stand beside it as
        control.""",
    see="""Follow the centres, the sides and the places outside from epoch to epoch. Hard boxes can raise the likelihood of the
        places inside only by losing others, and cannot see what they lose: the gradient is right almost everywhere and
        useless, since the loss jumps where it matters. A Gaussian has the whole plane as its support, and pulls at every
        place, which is why [[mixtures]] can be fitted in this way. Soft edges give boxes the same advantage; the control
        tells whether it is the edges or the learning rate that helps.""",
    correction="""Jerusalem ex. 5 speaks of covariances, of the k-th Gaussian and of `mins` in the section on
        uniform mixtures; it means sides, boxes and centres. Its −1e^6 is −1,000,000.""",
    claims=CLAIMS,
    own=WORDS,
    opens_with=(
        "largest move of a centre, all hard boxes",
        "share of test places outside every cured box, last epoch",
    ),
    presets={"quick": Settings(), "full": Settings(limit=None, batches=27, rate=0.001, cure_rate=0.01)},
    seconds=10,
    run=run,
)
