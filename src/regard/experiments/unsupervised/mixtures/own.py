"""What a mixture makes of a person's own points: EM from several starts for each number of components, and the words."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from regard.experiments.unsupervised.europe import Plane
from regard.lab.events import TableEvent
from regard.lab.experiment import OwnWords
from regard.lab.statistics import Summary, difference
from regard.models.mixture import em
from regard.models.mixture.gaussian import GaussianMixtureModel

STARTS = 8
"Starts of EM for each number of components."
LEAST = 1e-3
"The smallest variance of a component: else it may shrink to a single point, which is likely and says nothing."
AT_REST = 1e-5
"EM ends when a step raises the mean log-likelihood by no more."
SHORT = 0.05
"Nats a point below EM from which on a descent is said to have stopped short."


class MixtureFit(NamedTuple):
    """The mixture that EM found most likely on the training points."""

    train: float
    "Their mean log-likelihood."
    test: Tensor
    "The log-likelihood of each test point."

    @property
    def mean(self) -> float:
        """The mean log-likelihood of the test points."""
        return self.test.mean().item()


def fit_all(plane: Plane, counts: Sequence[int], steps: int, seed: int) -> dict[int, MixtureFit]:
    """For each number of components, the most likely on the training points of `STARTS` runs of EM."""
    generator = torch.Generator().manual_seed(seed)
    return {
        count: max((_fit(plane, count, steps, generator) for _ in range(STARTS)), key=lambda one: one.train)
        for count in counts
    }


@torch.no_grad()
def _fit(plane: Plane, count: int, steps: int, generator: torch.Generator) -> MixtureFit:
    train, test = (plane.places.splits[name].double() for name in ("train", "test"))
    model = GaussianMixtureModel(count).double()
    model.logits.zero_()
    model.means.copy_(far_apart(train, count, generator))
    model.log_variances.fill_(-torch.tensor(float(count)).log())  # as wide as so many of them fill the points
    *_, last = em.fit(model, train, steps=steps, tolerance=AT_REST, least=LEAST)
    return MixtureFit(last, model(test))


def far_apart(points: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Points drawn one after the other, each the likelier the farther it lies from those before (k-means++).

    >>> far_apart(torch.tensor([[0.0], [0.0], [9.0]]), 2, torch.Generator().manual_seed(0)).sort(0).values.tolist()
    [[0.0], [9.0]]
    """
    chosen = [int(torch.randint(len(points), (1,), generator=generator))]
    for _ in range(1, count):
        nearest = torch.cdist(points, points[chosen]).amin(1).square() + 1e-12
        chosen.append(int(torch.multinomial(nearest, 1, generator=generator)))
    return points[chosen]


def by_em(fits: Mapping[int, MixtureFit]) -> TableEvent:
    """The numbers of components as EM fits them."""
    rows = [(count, one.train, one.mean) for count, one in fits.items()]
    return TableEvent("components by EM", ("components K", "training", "test"), rows, BY_EM)


def said_of_own(
    plane: Plane, fits: Mapping[int, MixtureFit], descents: Mapping[int, float], start: Summary, epochs: int
) -> str:
    """What was found in points of a person's own: by number of components, and by start.

    `descents` are the ends of one gradient descent for each number, `start` the lead of the start from labels.
    """
    short = [str(count) for count, end in descents.items() if end < fits[count].mean - SHORT]
    stuck = (
        f": with {_listed(short)} it stops short of EM by more than {SHORT} nats a point, so that it has not finished or is stuck"
        if short
        else ""
    )
    return (
        f"By EM, of {STARTS} starts for each number of components the one that is most likely on the training points, the mean "
        f"log-likelihood of your {len(plane.places.splits['test']):,} test points is {_told({k: one.mean for k, one in fits.items()})}: {_best(fits)}. "
        f"One gradient descent for each number, from random means over {epochs} epochs, ends at {_told(descents)}{stuck}. "
        f"{_start(plane, start)}"
    )


def _best(fits: Mapping[int, MixtureFit]) -> str:
    """The number of components with the highest mean, and those that are not settled to be lower."""
    best = max(fits, key=lambda count: fits[count].mean)
    first, ties = dict(enumerate(fits[best].test.tolist())), []
    for count, one in fits.items():
        gap = difference(first, dict(enumerate(one.test.tolist())))
        if count != best and not gap.low > 0:
            ties.append(str(count))
    open_ones = (
        f"; over {len(first):,} points it is not settled that {_listed(ties)} would be worse" if ties else ""
    )
    return f"highest with {best}{open_ones}"


def _start(plane: Plane, start: Summary) -> str:
    """Which start of the descent ends higher, and whether that is settled."""
    whose = "your labels" if plane.words["group"] == "label" else "groups of near points"
    told = (
        f"With {len(plane.places.codes)} components the descent ends {'higher' if start.mean > 0 else 'lower'} on the test points from the "
        f"means of {whose} than from random means, by {abs(start.mean):.3f} nats a point"
    )
    if start.count < 2:
        return f"{told}; one seed cannot say whether that is chance."
    interval = (
        f"over {start.count} seeds (95 % interval of the difference {start.low:+.3f} to {start.high:+.3f})"
    )
    if start.low <= 0 <= start.high:
        return f"{told}, {interval}: zero lies within it, so that it is not settled which start is better."
    return f"{told}, {interval}: the {'first' if start.mean > 0 else 'second'} start is the better one."


def _told(values: Mapping[int, float]) -> str:
    return ", ".join(f"{value:.3f} with {count}" for count, value in values.items())


def _listed(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


BY_EM = f"Mean log-likelihood by EM: for each number of components K, of {STARTS} starts from points drawn far apart, the one that is most likely on the training points. Test points have no part in the choice. A component keeps a deviation of {LEAST**0.5:.2f} of all points' at least."
WORDS = OwnWords(
    data="points",
    question="How well do Gaussian mixtures draw your points, and does it matter how they start or how they are fitted?",
    method="""A mixture is $p(x) = \\sum_k \\pi_k p_k(x)$; here $p_k$ is a normal density with mean $\\mu_k$ and one variance for each axis, $\\sigma_k^2$. Its parameters are the
        logits of the weights $\\pi$, the means and the logarithms of the variances, which may take any value, so
        that Adam can move them on the mean of $-\\log p(x)$. The samples $x$ are your points, normalised by the
        statistics of the training points; one in nine is for the test. Each number of components starts from
        random means. The last one, as many as there are labels (or groups of near points, where there are no labels), also starts from the
        mean point of each, with the same seeds in pairs. An epoch is one pass over the training points.

        EM starts from the same parameters. Its E-step asks for the responsibilities $\\pi_k p_k(x) / p(x)$, which are attention: `attend` with the
        similarity `Gaussian`, points as queries, components as keys. Its M-step sets weights, means and
        variances to what is most likely under these. It works in blocks, so that memory does not grow with
        points times components.

        Which number of components fits best is asked of EM from several starts. The one gradient descent for each number,
        which the assignment asks for, may be stuck where its start led, or may need more epochs.""",
    see="""Three comparisons: of the numbers of components, of two starts, of two ways to fit. For the first, look at the
        test log-likelihood by EM, and at what is drawn where no points are. For the second, remember that all variances are 1 at the start:
        wherever the means begin, each component covers all your points. For the third, the table of methods says after how
        many passes over the data EM is as good as the descent at its end. That depends on how many steps the descent makes
        in a pass, and a pass of EM costs less: no gradient, and two matrix products. [[uniform-mixture]] asks the same of
        boxes, where the descent cannot work; [[one-operator]] shows the E-step as attention.""",
)
"How the experiment speaks over points of a person's own."
