"""EM for a Gaussian mixture beside scikit-learn's, and a long stream. About 3 minutes.   regard bench mixture

Both sides start from the same parameters: 50 diagonal Gaussians in two dimensions over 100,000 points. The
peer runs until it says that it has converged; ours is timed until its mean log-likelihood is what the peer's
was at its end, with a tenth of the points going first; without them, step for step, it is timed too.
"""

from collections.abc import Callable, Iterator
from typing import Any

from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Growth, Reading, agree, floor, growth, interleave, ratio

COUNT, COMPONENTS, BATCH = 100_000, 50, 100_000
SHAPE = f"{COUNT:,} points in 2 dimensions, {COMPONENTS} diagonal Gaussians"

BY_PEER = "memory beside the peer's"
BY_COMPONENTS = "memory with 200 components beside that with 50"
BY_LENGTH = "memory of a stream of 10,000,000 points beside one of 1,000,000"


def points(count: int, seed: int) -> Any:
    """Draws from 50 round clusters of several sizes."""
    import numpy as np

    shape = np.random.default_rng(0)
    centres, sizes = 4 * shape.normal(size=(COMPONENTS, 2)), shape.uniform(0.2, 1.0, size=(COMPONENTS, 1))
    random = np.random.default_rng([seed, 1])
    which = random.integers(COMPONENTS, size=count)
    return centres[which] + sizes[which] * random.normal(size=(count, 2))


def start(components: int) -> dict[str, Any]:
    """Parameters to begin with: points as means, equal weights, unit variances."""
    import numpy as np

    weights, means = np.full(components, 1 / components), points(components, seed=7)
    return {"weights_init": weights, "means_init": means, "precisions_init": np.ones((components, 2))}


def peer(steps: int = 200, tolerance: float = 1e-3, components: int = COMPONENTS) -> Any:
    """scikit-learn's mixture, fitted."""
    from sklearn.mixture import GaussianMixture

    options = {"covariance_type": "diag", "max_iter": steps, "tol": tolerance}
    return GaussianMixture(components, **options, **start(components)).fit(points(COUNT, seed=0))


def ours(
    goal: float,
    steps: int = 200,
    tolerance: float = 1e-3,
    draft: int = COUNT // 10,
    components: int = COMPONENTS,
) -> tuple[Any, list[float]]:
    """Our EM from the same start, a tenth of the points first, until its likelihood reaches a goal."""
    import torch

    from regard.models.mixture import em
    from regard.models.mixture.gaussian import GaussianMixtureModel

    model, path = GaussianMixtureModel(components).double(), []
    with torch.no_grad():
        model.logits.zero_()
        model.means.copy_(torch.from_numpy(start(components)["means_init"]))
    x = torch.from_numpy(points(COUNT, seed=0))
    for value in em.fit(model, x, steps=steps, tolerance=tolerance, draft=draft):
        path.append(value)
        if value >= goal:
            break
    return model, path


def fitting(who: str, components: int) -> Callable[[], object]:
    """One side's fit of a few steps, for its memory; what is loaded once is loaded here."""
    import warnings

    import sklearn.mixture
    import torch

    import regard.models.mixture.em

    warnings.simplefilter("ignore")  # the peer says that it has not converged in three steps
    assert sklearn.mixture and torch and regard.models.mixture.em
    if who == "peer":
        return lambda: peer(steps=3, components=components)
    return lambda: ours(float("inf"), steps=3, components=components)


def streaming(batches: int) -> Callable[[], object]:
    """A stream of so many batches through `partial_fit`, each made when it is wanted."""
    from regard.estimators import GaussianMixture

    def run() -> Any:
        mixture = GaussianMixture(COMPONENTS, covariance_type="diag", random_state=0, max_iter=30, tol=0.0)
        for number in range(batches):
            mixture.partial_fit(points(BATCH, seed=number))
        return mixture

    return run


def run() -> Iterator[BenchMetric]:
    """The same steps first, then the time to the peer's likelihood, then memory, then the stream."""
    import warnings

    import torch

    warnings.simplefilter("ignore")
    x = points(COUNT, seed=0)
    same, few = peer(steps=3, tolerance=0.0), ours(float("inf"), steps=3, tolerance=-1.0, draft=0)[0]
    gap = agree(few.means, torch.from_numpy(same.means_), within=1e-6)
    goal = peer().score(x)
    calls = {
        "peer": peer,
        "speed-up": lambda: ours(goal),
        "speed-up, step for step": lambda: ours(goal, tolerance=-1.0, draft=0),
    }
    ends = {name: calls[name]()[1] for name in calls if name != "peer"}
    times = interleave(calls, rounds=5, warm=0)
    for name, path in ends.items():
        reached, work = path[-1] >= goal, len(path) * COUNT
        # The exponentials, one for each point and component, and the draft's steps are not in the floor.
        least = floor(bytes=16 * work, operations=20 * work * COMPONENTS)
        missed = f"{path[-1]:.6f} after {len(path) - 1} steps, below the peer's {goal:.6f}"
        yield BenchMetric(
            name=name,
            value=ratio(times["peer"], times[name]) if reached else None,
            ours=Reading.of(times[name]),
            peer=Reading.of(times["peer"]),
            floor=least,
            gap=gap,
            shapes=SHAPE,
            dtype="float64",
            reason="" if reached else missed,
        )
    yield from memory()


def memory() -> Iterator[BenchMetric]:
    """Growth of a fresh process: either side's fit, ours with more components, and two streams."""
    more = 4 * COMPONENTS
    theirs, few, many = (
        growth(fitting, who, components, calls=1)
        for who, components in (("peer", COMPONENTS), ("ours", COMPONENTS), ("ours", more))
    )
    for name, above, below in ((BY_PEER, few, theirs), (BY_COMPONENTS, many, few)):
        yield BenchMetric(name=name, value=times_as_much(above, below), shapes=SHAPE, reason=above.how)
    short, long = (growth(streaming, batches, calls=1) for batches in (10, 100))
    value = times_as_much(long, short)
    both = [None if one.bytes is None else Reading.of([one.bytes], "bytes") for one in (long, short)]
    yield BenchMetric(
        name=BY_LENGTH,
        value=value,
        ours=both[0],
        peer=both[1],
        shapes=f"batches of {BATCH:,}, {COMPONENTS} diagonal Gaussians",
        dtype="float64",
        reason=long.how,
    )


def times_as_much(above: Growth, below: Growth) -> Reading | None:
    """The ratio of two growths, where both could be measured."""
    return Reading.of([above.bytes / below.bytes], "times") if above.bytes and below.bytes else None


COMPARISON = Comparison(
    question="How soon is EM where scikit-learn's ends, and what does it hold in memory?",
    bars=(
        Claim(
            name="speed-up",
            low=8.0,
            why="blocks that stay in a cache, thin matrix products, a tenth of the points first",
            source="a limit set in advance",
        ),
        Claim(
            name=BY_COMPONENTS,
            high=1.5,
            why="no table of n × k is made: it alone would be 160 MB",
            source="a limit set in advance",
        ),
        Claim(
            name=BY_LENGTH,
            high=1.25,
            why="a stream is held one batch at a time",
            source="a limit set in advance",
        ),
    ),
    run=run,
    peers=("sklearn",),
)
