"""Gaussian mixtures over the places of Europe, by gradient descent and by EM. About 15 s on a CPU.   regard run mixtures"""

import itertools
import math
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

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
    moving,
    strip,
)
from regard.experiments.unsupervised.mixtures.own import WORDS, by_em, fit_all, said_of_own
from regard.experiments.unsupervised.oracle import density_gap, sample_gap
from regard.lab.book.style import BLUE, GREEN, ORANGE, PURPLE, panels, style
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import FOUND, Context, Experiment
from regard.lab.ranges import Range
from regard.lab.statistics import difference
from regard.models.mixture import em
from regard.models.mixture.gaussian import GaussianMixtureModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ONE_GAUSSIAN = -math.log(2 * math.pi) - 1
"The mean log-likelihood of data of variance 1 under the one Gaussian that fits it best, in two dimensions."
SHOWN = (1, 10, 20, 30, 40, 50)
"Epochs whose samples Jerusalem ex. 5 asks for."
JERUSALEM = {1: -2.838, 5: -2.683, 10: -2.590, 33: -2.460}
"What Jerusalem ex. 5's own places give on its test split, by number of components."


@dataclass(frozen=True, kw_only=True)
class Settings(OwnPlane):
    countries: int = 33
    "Countries, those with most places; also the largest number of components."
    components: tuple[int, ...] = (1, 5, 10)
    "The smaller numbers of components."
    limit: Annotated[int | None, Range(1000, 10**6)] = 5400
    "Places used, at random; none takes all."
    epochs: int = 50
    "Passes over the training places."
    batches: int = 9
    "Steps in a pass over the training places; Jerusalem ex. 5 makes 27 (106,897 places in batches of 4096)."
    rate: Annotated[float, Range(above=0, high=10)] = 0.01
    "Learning rate of Adam, as in Jerusalem ex. 5."
    seeds: int = 4
    "Pairs of trainings with random and with country means."
    steps: int = 150
    "Most steps of EM."


@dataclass
class MixtureHistory:
    """A training: its likelihoods after each epoch, and copies of the model along the way."""

    train: list[float] = field(default_factory=list)
    test: list[float] = field(default_factory=list)
    frames: dict[str, GaussianMixtureModel] = field(default_factory=dict)


def begin(components: int, seed: int, means: Tensor | None = None) -> GaussianMixtureModel:
    """Jerusalem ex. 5's start: random logits and means, unit variances; or the means that are given."""
    torch.manual_seed(42 + seed)
    model = GaussianMixtureModel(components)
    if means is not None:
        with torch.no_grad():
            model.means.copy_(means)
    return model


def learn(
    model: GaussianMixtureModel, plane: Plane, settings: Settings, seed: int, *, watched: bool = True
) -> MixtureHistory:
    """Gradient descent, watched after each epoch or only after the last."""
    history, splits = MixtureHistory(), plane.places.splits
    for epoch in descend(
        model,
        plane.places,
        epochs=settings.epochs,
        batches=settings.batches,
        rate=settings.rate,
        seed=seed,
    ):
        if watched or epoch == settings.epochs:
            history.train.append(likelihood(model, splits["train"]))
            history.test.append(likelihood(model, splits["test"]))
        if epoch in SHOWN:
            history.frames[f"epoch {epoch}"] = deepcopy(model)
    return history


def climb(model: GaussianMixtureModel, plane: Plane, steps: int) -> list[float]:
    """EM from the same start: the mean log-likelihood of the training places before and after each step."""
    return list(em.fit(model.double(), plane.places.splits["train"].double(), steps=steps))


def printed_variance(points: Tensor, steps: int = 400) -> float:
    """The variance that fits best under the formula as printed: −log σ² where −½ log σ² belongs."""
    points, log_variance = points.double(), torch.zeros(2, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.Adam([log_variance], lr=0.02)
    for _ in range(steps):
        optimiser.zero_grad()
        (log_variance.sum() + (points.square().mean(0) * (-log_variance).exp()).sum() / 2).backward()
        optimiser.step()
    return log_variance.exp().mean().item()


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Each number of components, then two starts, then EM."""
    yield ProgressEvent("reading the points" if settings.points else "reading the places", 0.0)
    plane = load_plane(settings, countries=settings.countries, limit=settings.limit)
    yield TextEvent("Your points" if plane.own else "The places", plane.said)
    most, first = len(plane.places.codes), 1000 * context.seed
    finals, ends = {}, {}
    for number, components in enumerate(settings.components):
        yield ProgressEvent(f"{components} components", 0.1 + 0.1 * number)
        model = begin(components, first)
        ends[components] = learn(model, plane, settings, first)
        finals[f"K = {components}"] = model
    random, country = {}, {}
    for seed in range(first, first + settings.seeds):
        yield ProgressEvent(f"{most} components, two starts, seed {seed}", 0.4)
        model = begin(most, seed)
        random[seed] = learn(model, plane, settings, seed, watched=seed == first)
        finals.setdefault(f"K = {most}", model)
        started = begin(most, seed, plane.places.country_means())
        country[seed] = learn(started, plane, settings, seed, watched=seed == first)
    ends[most] = random[first]
    yield from _by_components(plane, ends, finals)
    yield from _by_start(plane, random, country, first)
    if plane.own:
        yield ProgressEvent("EM from several starts", 0.7)
        fits = fit_all(plane, tuple(sorted(ends)), settings.steps, first)
        yield by_em(fits)
        descents = {k: one.test[-1] for k, one in sorted(ends.items())}
        tests = [{seed: one.test[-1] for seed, one in side.items()} for side in (country, random)]
        yield TextEvent(FOUND, said_of_own(plane, fits, descents, difference(*tests), settings.epochs))
    yield ProgressEvent("EM", 0.8)
    yield from _by_method(plane, settings, random[first], country[first], first)


def _by_components(
    plane: Plane, ends: dict[int, MixtureHistory], finals: dict[str, GaussianMixtureModel]
) -> Iterator[Event]:
    known = {} if plane.own else JERUSALEM
    rows = [(k, one.train[-1], one.test[-1], known.get(k)) for k, one in ends.items()]
    columns = ("components K", "training", "test", "Jerusalem's places, test")
    yield TableEvent("components", columns, rows, ONE_EACH if plane.own else f"{ONE_EACH} {GUIDE}")
    for k, one in ends.items():
        yield Metric("test log-likelihood at the end", one.test[-1], at={"K": k})
    if 1 in ends:
        yield Metric(plane.say("K = 1: mean log-likelihood of the training {places}"), ends[1].train[-1])
    tests = [one.test[-1] for _, one in sorted(ends.items())]
    if len(tests) > 1:
        gains = [after - before for before, after in itertools.pairwise(tests)]
        yield Metric("smallest gain in test log-likelihood from one K to the next", min(gains))
    yield Metric("test log-likelihood, fewest components", tests[0])
    yield Metric("test log-likelihood, most components", tests[-1])
    last = ends[max(ends)]
    yield Metric("training less test log-likelihood, most components", last.train[-1] - last.test[-1])
    yield Metric(
        "variance that fits best under the printed formula, K = 1",
        printed_variance(plane.places.splits["train"]),
    )
    model = finals[f"K = {max(ends)}"]
    yield Metric(
        "largest difference of the fitted log-density from torch's distributions", density_gap(model, 0)
    )
    yield Metric("largest gap of samples from the fitted parameters, standard errors", sample_gap(model, 0))
    yield FigureEvent("components", strip(plane, finals), plane.say(COMPONENTS))
    yield FigureEvent("contours", contours(plane, finals), plane.say(CONTOURS))


def _by_start(
    plane: Plane, random: dict[int, MixtureHistory], country: dict[int, MixtureHistory], seed: int
) -> Iterator[Event]:
    group = plane.words["group"]
    for start, histories in (("random", random), (group, country)):
        for epoch, (train, test) in enumerate(
            zip(histories[seed].train, histories[seed].test, strict=True), 1
        ):
            yield Metric(f"training log-likelihood, {start} means", train, at={"epoch": epoch})
            yield Metric(f"test log-likelihood, {start} means", test, at={"epoch": epoch})
        yield from _by_epoch(start, histories[seed])
        caption = FROM_RANDOM if start == "random" else FROM_GROUPS
        yield FigureEvent(f"training-{start}", strip(plane, histories[seed].frames), plane.say(caption))
    starts = {"random means": random[seed].frames, f"{group} means": country[seed].frames}
    yield FigureEvent("training", moving(plane, starts), plane.say(MOVING))
    yield PairedMetric(
        f"test log-likelihood, {group} means less random means",
        (f"{group} means", "random means"),
        {one: history.test[-1] for one, history in country.items()},
        {one: history.test[-1] for one, history in random.items()},
    )


def _by_epoch(start: str, history: MixtureHistory) -> Iterator[Event]:
    """What changes from one epoch that is drawn to the next: the likelihood, and how wide the components are."""
    shown = [history.train[int(name.split()[-1]) - 1] for name in history.frames]
    if len(shown) > 1:
        least = min(after - before for before, after in itertools.pairwise(shown))
        yield Metric(
            f"smallest gain in log-likelihood from one epoch drawn to the next, {start} means", least
        )
    for epoch, model in zip(
        ("first", "last"), list(history.frames.values())[:: len(shown) - 1 or 1], strict=False
    ):
        wide = (model.log_variances.detach() / 2).exp().mean().item()
        yield Metric(f"mean deviation of a component, {epoch} epoch drawn, {start} means", wide)


def _by_method(
    plane: Plane, settings: Settings, random: MixtureHistory, country: MixtureHistory, seed: int
) -> Iterator[Event]:
    group = plane.words["group"]
    means = {"random": None, group: plane.places.country_means()}
    models = {start: begin(len(plane.places.codes), seed, given) for start, given in means.items()}
    paths = {start: climb(model, plane, settings.steps) for start, model in models.items()}
    falls = [a - b for path in paths.values() for a, b in itertools.pairwise(path)]
    yield Metric("largest fall of the likelihood in a step of EM", max(0.0, *falls))
    yield Metric("steps of gradient descent in a pass", settings.batches)
    rows = []
    for start, history in (("random", random), (group, country)):
        path, goal = paths[start], history.train[-1]
        passes = next((step for step, value in enumerate(path) if value >= goal), math.inf)
        for step, value in enumerate(path):
            yield Metric(f"training log-likelihood by EM, {start} means", value, at={"step": step})
        test = likelihood(models[start], plane.places.splits["test"].double())
        yield Metric(f"EM, {start} means: passes until as good as gradient descent at its end", passes)
        rows.append((f"{start} means", goal, history.test[-1], path[-1], test, len(path) - 1, passes))
    columns = ("start", "descent, training", "test", "EM, training", "test", "steps", "passes until as good")
    rest = [f"{start} means" for start, path in paths.items() if len(path) <= settings.steps]
    ended = f"From {' and '.join(rest)} EM came to rest" if rest else "From neither start did EM come to rest"
    one = (
        f"These are the trainings of the first of {settings.seeds} seeds"
        if settings.seeds > 1
        else "These are the trainings of one seed"
    )
    said = f"{METHODS} {one}. {ended} within the {settings.steps} steps that it may take."
    yield TableEvent("methods", columns, rows, said)
    most = len(plane.places.codes)
    caption = LIKELIHOOD.format(most=most, free=5 * most - 1, **plane.words)
    yield FigureEvent("likelihood", _curves(plane, random, country, paths), caption)


def _curves(
    plane: Plane, random: MixtureHistory, country: MixtureHistory, paths: dict[str, list[float]]
) -> "Figure":
    group = plane.words["group"]
    with style():
        figure, (left, right) = panels(2, width=8.4, height=3.2)
        for colour, name, history in ((BLUE, "random", random), (ORANGE, group, country)):
            epochs = range(1, len(history.train) + 1)
            look: Any = {"color": colour, "marker": ""}
            left.plot(epochs, history.train, **look, label=f"{name} means, training")
            left.plot(epochs, history.test, **look, linestyle=":", label=f"{name} means, test")
            right.plot(epochs, history.train, **look, label=f"{name} means, gradient descent")
            look["color"] = GREEN if name == "random" else PURPLE
            right.plot(range(len(paths[name])), paths[name], **look, label=f"{name} means, EM")
        left.set(title="gradient descent from two starts", xlabel="epoch", ylabel="mean log-likelihood")
        title, across = map(plane.say, ("training {places}, descent and EM", "passes over the {places}"))
        right.set(title=title, xlabel=across, xscale="symlog")
        top = max(path[-1] for path in paths.values())
        for axis in (left, right):
            axis.set_ylim(top - 0.55, top + 0.03)
        left.legend(loc="lower right", fontsize=8.5)
        right.legend(loc="upper left", fontsize=8.5)
        return figure


ONE_EACH = "Mean log-likelihood after the last epoch, of one training for each K, from the first seed."
GUIDE = "The assignment's places are others (106,897 of its own list), so that its numbers are a guide and no target."
METHODS = "Mean log-likelihoods of gradient descent after its last epoch and of EM after its last step, from the same starts; the last column says after how many passes over the data EM is as good as the descent at its end (inf: not within its steps)."
COMPONENTS = "One column for each number of components K. Above: 1000 samples of the mixture. Below: 100 samples of each component, one colour each. Look how much of the {ground} is covered, and which {shapes} get components of their own."
CONTOURS = "The density of each mixture: each level is a factor e below the next, white is more than six of them below the peak. Grey points are {places} it was not fitted to."
FROM_RANDOM = "Training from random means, epoch by epoch. Above: 1000 samples; below: 100 of each component. All components start with deviation 1, as wide as {all}; look when they begin to shrink and to part."
FROM_GROUPS = "The same from the mean {place} of each {group}. The components begin apart, each where a {group} is, but as wide as {all}: compare the first and the last column with those of the random start."
MOVING = "The two trainings above as a film: in a browser this picture moves from epoch to epoch, holds the last one and begins again; in print, or where the reader has asked for less motion, the last epoch stands still. Blue is the density: each level is a factor e below the next, white is more than six of them below the peak. Orange points are the means of the components, their areas proportional to the weights π; grey points are {places} they were not fitted to. Follow the means: where they go while the components are wide, and when they part."
LIKELIHOOD = "Left: mean log-likelihood after each epoch, training (solid) and test (dotted). A mixture of {most} has {free} free parameters: if it learned {places} by heart, the dotted lines would fall behind the solid ones. Right: gradient descent and EM from the same two starts, by passes over the training {places}. The descent makes many small steps in a pass, with a learning rate; EM makes one large one, without."

CLAIMS = (
    Claim("K = 1: mean log-likelihood of the training places", low=ONE_GAUSSIAN - 0.01, high=ONE_GAUSSIAN + 0.001,
          why="the best Gaussian for data of variance 1 gives −log 2π − 1 = −2.8379 exactly", source="Jerusalem ex. 5, Gaussian mixture 1, by theory", data="points", items=(43, 44),
          says="With one component the descent finds the best Gaussian: a mean log-likelihood of {value:.4f}, where theory has −2.8379.",
          otherwise="With one component the descent does not find the best Gaussian: its mean log-likelihood is {value:.4f}, where theory has −2.8379.",
          asks="whether the descent finds the best single Gaussian"),
    Claim("smallest gain in test log-likelihood from one K to the next", low=0.03,
          why="the assignment's places gain 0.16, 0.09 and 0.13 from K = 1 to 5, 10 and 33", source="Jerusalem ex. 5, Gaussian mixture 1", data="points", items=(44,),
          says="The more components, the better the map: on test places the mean log-likelihood goes from {of[test log-likelihood, fewest components]:.2f} with the fewest to {of[test log-likelihood, most components]:.2f} with the most, and each step of K gains at least {value:.2f} nats a place (one training of each K).",
          otherwise="More components do not always help: from one K to the next the test log-likelihood gains as little as {value:.2f} nats a place (one training of each K).",
          asks="whether more components draw the map better"),
    Claim("largest difference of the fitted log-density from torch's distributions", high=1e-9,
          why="the same mixture built from torch's Categorical and Normal has the same density, but for rounding in float64", source="Jerusalem ex. 5, the class GMM", items=(43,),
          says="The mixture's log-density is that of the same mixture built from torch's distributions, to {value:.0e}.",
          otherwise="The mixture's log-density is not that of the same mixture built from torch's distributions: they differ by {value:.2g}.",
          asks="whether the mixture's log-density is the right one"),
    Claim("largest gap of samples from the fitted parameters, standard errors", high=5.0,
          why="of some 130 means and variances, one is beyond 5 standard errors in one run of 10,000", source="Jerusalem ex. 5, sample and conditional_sample", items=(43, 44),
          says="What it draws has the means and variances of its parameters, as a whole and component by component: the largest gap is {value:.1f} standard errors.",
          otherwise="What it draws does not have the means and variances of its parameters: a gap is {value:.1f} standard errors.",
          asks="whether samples have the moments of the mixture's parameters"),
    *(Claim(f"smallest gain in log-likelihood from one epoch drawn to the next, {start} means", low=0.001,
            why="the assignment's places gain 0.013 or more from one drawn epoch to the next; less than a thousandth is none", source=f"Jerusalem ex. 5, Gaussian mixture {part}", data="points", items=(items,),
            says=f"From {start} means each of the epochs drawn is better than the one before, by {{value:.3f}} nats a place or more, while the components narrow from a mean deviation of {{of[mean deviation of a component, first epoch drawn, {start} means]:.2f}} to {{of[mean deviation of a component, last epoch drawn, {start} means]:.2f}}.",
            otherwise=f"From {start} means not every epoch drawn is better than the one before: the smallest gain is {{value:+.3f}} nats a place.",
            asks=f"whether the mixture gets better from one epoch drawn to the next, from {start} means")
      for start, part, items in (("random", "2a", 45), ("country", "2c", 47))),
    Claim("training less test log-likelihood, most components", low=-0.12, high=0.12,
          why="164 parameters over thousands of places overfit by hundredths; hundreds of test places err by as much again", source="Jerusalem ex. 5, Gaussian mixture 2b", data="points", items=(46,),
          says="Training and test places are fitted alike: with the most components they differ by {value:+.3f} nats.",
          otherwise="Training and test places are not fitted alike: with the most components they differ by {value:+.3f} nats.",
          asks="whether the mixture fits training places better than test places"),
    Claim("test log-likelihood, country means less random means", low=-0.1, high=0.1,
          why="the assignment's places end at −2.467 and −2.460: about equal", source="Jerusalem ex. 5, Gaussian mixture 2c", data="points", items=(47,),
          says="The start hardly matters: from the means of countries the descent ends {value:+.3f} nats a place from where random means end (95 % interval {low:+.3f} to {high:+.3f}).",
          otherwise="The start matters: from the means of countries the descent ends {value:+.3f} nats a place from where random means end.",
          asks="whether it matters to start from the means of countries"),
    Claim("largest fall of the likelihood in a step of EM", high=1e-9,
          why="each step maximises a lower bound that touches the likelihood", source="theory of EM", items=(43,),
          says="In no step of EM does the likelihood fall, as theory says.",
          otherwise="The likelihood falls in a step of EM, by {value:.1e}, against theory.",
          asks="whether the likelihood ever falls in a step of EM"),
    Claim("EM, random means: passes until as good as gradient descent at its end", high=50,
          why="an exact step for all parameters at once, against small ones of size 0.01 in each of 50 passes", source="this experiment", data="points",
          says="EM from the same random start is as good after {value} passes over the places as gradient descent after all its epochs, of {of[steps of gradient descent in a pass]} steps each (the assignment takes 27).",
          otherwise="EM from the same random start is not as good within 50 passes over the places as gradient descent after all its epochs, of {of[steps of gradient descent in a pass]} steps each.",
          asks="after how many passes EM is as good as gradient descent"),
    Claim("variance that fits best under the printed formula, K = 1", low=0.49, high=0.51,
          why="−log σ² − 1 / (2σ²) is largest at σ² = 1/2", source="Jerusalem ex. 5, the formula of log p(x | k)", items=(43,),
          says="Under the formula as it is printed the best variance of one component is {value:.3f}: half the true one.",
          otherwise="Under the formula as it is printed the best variance of one component is {value:.3f}, and not half the true one.",
          asks="what variance the printed formula leads to"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="How well do Gaussian mixtures draw the map of Europe, and does it matter how they start or how they are fitted?",
    method="""A mixture is $p(x) = \\sum_k \\pi_k p_k(x)$; here $p_k$ is a normal density with mean $\\mu_k$ and one variance for each axis, $\\sigma_k^2$. Its parameters are the
        logits of the weights $\\pi$, the means and the logarithms of the variances, which may take any value, so
        that Adam (rate 0.01) can move them on the mean of $-\\log p(x)$. The samples $x$ are places of Europe, longitude
        and latitude, normalised by the statistics of the training places. K = 1, 5, 10 and 33 components
        start from random means; K = 33 also from the mean place of each of 33 countries, with the same seeds
        in pairs. An epoch is one pass over the training places. The full preset takes all places in 27
        batches an epoch, as the assignment does; the quick one takes 5400 places in 9 smaller batches.

        EM starts from the same parameters. Its E-step asks for the responsibilities $\\pi_k p_k(x) / p(x)$, which are attention: `attend` with the
        similarity `Gaussian`, places as queries, components as keys. Its M-step sets weights, means and
        variances to what is most likely under these. It works in blocks, so that memory does not grow with
        places times components.""",
    see="""Three comparisons: of the numbers of components, of two starts, of two ways to fit. For the first, look at the
        test log-likelihood and at what lies in the sea. For the second, remember that all variances are 1 at the start:
        wherever the means begin, each component covers all of Europe. For the third, the table of methods says after how
        many passes over the data EM is as good as the descent at its end. That depends on how many steps the descent makes
        in a pass, and a pass of EM costs less: no gradient, and two matrix products. [[uniform-mixture]] asks the same of
        boxes, where the descent cannot work; [[one-operator]] shows the E-step as attention.""",
    correction="""Jerusalem ex. 5 prints $\\log p_k(x)$ with $-\\log \\sigma^2$ for each axis; the density has $-\\frac{1}{2} \\log \\sigma^2$. With
        the printed formula the best variance of a single component is half the true one; a claim measures it.
        It also writes log p(x) + log p(x | k) for log p(k) + log p(x | k), asks for a positive semi-definite
        covariance where a density needs a positive definite one, and its code normalises the test places by
        their own statistics.""",
    claims=CLAIMS,
    own=WORDS,
    opens_with=(
        "smallest gain in test log-likelihood from one K to the next",
        "test log-likelihood, country means less random means",
    ),
    presets={"quick": Settings(), "full": Settings(limit=None, batches=27, seeds=5, steps=500)},
    seconds=15,
    run=run,
)
