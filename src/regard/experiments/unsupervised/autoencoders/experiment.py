"""Which autoencoder learns what? About 49 s on two cores.   regard run autoencoders"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Annotated

from torch import nn

from regard.data.sets.images import load_mnist
from regard.errors import Unreachable
from regard.experiments.unsupervised.autoencoders.claims import CLAIMS, STRONG
from regard.experiments.unsupervised.autoencoders.factors import Factors, draw_factors
from regard.experiments.unsupervised.autoencoders.figures import (
    ACCURACY,
    BLOCKS,
    CODES,
    CURVES,
    RECONSTRUCTIONS,
    beside_pca,
    beside_vanilla,
    draw_accuracies,
    draw_blocks,
    draw_curves,
    draw_latent,
    draw_reconstructions,
)  # fmt: skip
from regard.experiments.unsupervised.autoencoders.training import (
    CORRUPTIONS,
    FEW,
    Points,
    TrainingGrid,
    Trials,
    bend,
    cells,
    digit_task,
    linear_bounds,
    shares,
    synthetic_task,
    try_grid,
    try_model,
)  # fmt: skip
from regard.experiments.unsupervised.linear_autoencoder import accuracy, expected_accuracy, optimum, readable
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Device
from regard.models.autoencoder import Autoencoder

SMALL = 10
"Up to this bottleneck a linear model is trained to the end by Berkeley HW6's ten epochs."
EVERY = (5, 10, 100, 1000)
"The bottlenecks of Berkeley HW6."
LINEAR, NONLINEAR = TrainingGrid(), TrainingGrid(hidden=(256,))
LINEAR_DIGITS, NONLINEAR_DIGITS = TrainingGrid(size=200), TrainingGrid(size=200, hidden=(256,), repeats=5)


@dataclass(frozen=True, kw_only=True)
class Settings:
    linear: TrainingGrid = LINEAR
    "Linear models on the synthetic points."
    nonlinear: TrainingGrid = NONLINEAR
    "Nonlinear models on the synthetic points."
    linear_digits: TrainingGrid = LINEAR_DIGITS
    "Linear models on the handwritten digits."
    nonlinear_digits: TrainingGrid = NONLINEAR_DIGITS
    "Nonlinear models on the handwritten digits."
    samples: int = 20_000
    "Synthetic points, of which 70 % are trained on."
    digits: int = 36_000
    "Handwritten digits that are trained on."
    held_out: int = 24_000
    "Handwritten digits on which the error is measured."
    device: Annotated[str, Device()] = "cpu"
    "Where the models are trained and probed: cpu or cuda."


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """The synthetic points, then the digits, each with linear and with nonlinear models."""
    factors, parts = draw_factors(seed=context.seed, samples=settings.samples), _parts(settings)
    synthetic = replace(synthetic_task(factors), device=settings.device)
    linear = yield from _part(synthetic, settings.linear, context.seed, parts[0])
    yield from _theory(factors, linear)
    bent = yield from _part(synthetic, settings.nonlinear, context.seed, parts[1])
    yield from _one_layer_model(synthetic, settings, bent)
    yield from _against_pca(synthetic, bent)
    found = {"synthetic points": (linear, bent)}
    try:
        digits = replace(digit_task(load_mnist(), settings.digits, settings.held_out), device=settings.device)
    except Unreachable as missing:
        yield TextEvent("the digits", f"The handwritten digits are left out: {missing}")
    else:
        straight = yield from _part(digits, settings.linear_digits, context.seed, parts[2])
        curved = yield from _part(digits, settings.nonlinear_digits, context.seed, parts[3])
        found["digits"] = straight, curved
        yield from _digits(digits, straight, curved)
        yield FigureEvent("reconstructions", draw_reconstructions(digits, straight, curved), RECONSTRUCTIONS)
        yield ProgressEvent("codes of two numbers", parts[3][1])
        yield FigureEvent("codes", draw_latent(digits, *_flat(digits, settings, context.seed)), CODES)
    yield FigureEvent("accuracy", draw_accuracies(found, STRONG), ACCURACY)


def _parts(settings: Settings) -> list[tuple[float, float]]:
    """Where each of the four parts begins and ends, of the whole work."""
    return shares(
        [
            (settings.linear, 100, settings.samples),
            (settings.nonlinear, 100, settings.samples),
            (settings.linear_digits, 784, settings.digits),
            (settings.nonlinear_digits, 784, settings.digits),
        ]
    )


def _part(
    task: Points, grid: TrainingGrid, seed: int, share: tuple[float, float]
) -> Generator[Event, None, Trials]:
    """One of the four parts: its measurements, its loss curves and its table; gives the trials."""
    trials: Trials = {}
    running, names = try_grid(task, grid, seed), cells(grid)
    for number, (bottleneck, name) in enumerate(names):
        begun = share[0] + (share[1] - share[0]) * number / len(names)
        yield ProgressEvent(f"{task.name}: {grid.kind}, {name}, k = {bottleneck}", begun)
        key, trial = next(running)
        trials[key] = trial
        at = {"data": task.name, "model": grid.kind, "input": name, "k": bottleneck}
        for repeat in range(trial.valid.shape[1]):
            yield Metric("error on fresh points", trial.valid[-1, repeat].item(), repeat, at)
            yield Metric("probe accuracy, all labels", trial.correct[repeat].mean().item(), repeat, at)
            yield Metric(f"probe accuracy, {FEW} labels", trial.few[repeat].mean().item(), repeat, at)
    bounds = {k: fresh for k, (_, fresh) in linear_bounds(task, grid.bottlenecks).items()}
    title = f"{grid.kind.capitalize()} models on {task.name}"
    yield FigureEvent(
        f"loss-{task.name}-{grid.kind}",
        draw_curves(trials, bounds),
        f"{title}: {CURVES[grid.kind, task.name]}",
    )
    rows = [
        (k, name, *trial.train_and_valid, bounds[k], trial.correct.mean().item(), trial.few.mean().item())
        for (k, name), trial in trials.items()
    ]
    said = f"{title}, one row for each width k of the code and each kind of input. {beside_pca(trials, bounds)} {beside_vanilla(trials)}"
    yield TableEvent(f"{grid.kind} models on {task.name}", COLUMNS, rows, said)
    return trials


def _theory(factors: Factors, trials: Trials) -> Iterator[Event]:
    """Linear models on the synthetic points against what can be computed without training."""
    width, worst, off = len(factors.covariance), 0.0, 0.0
    rows = []
    for (k, name), trial in trials.items():
        best = optimum(factors.covariance, k, CORRUPTIONS[name]).clean / width
        encoder = next(trial.model.encoder.parameters()).detach().mT.double()
        told = [accuracy(float(one)) for one in readable(encoder, factors.covariance, factors.direction)]
        measured = trial.correct.mean(1).tolist()
        off = max(off, *(abs(a - b) for a, b in zip(told, measured, strict=True)))
        rows.append((k, name, best, trial.error, expected_accuracy(k, STRONG), sum(told) / len(told), sum(measured) / len(measured)))  # fmt: skip
        if k <= SMALL and name != "vanilla":
            worst = max(worst, abs(trial.error / best - 1))
            change = 100 * (trial.error / trials[k, "vanilla"].error - 1)
            yield Metric(f"{name}, linear, k = {k}: change of error, %", change)
        if name == "vanilla":
            for repeat, right in enumerate(measured):
                yield Metric(f"error of the linear model, k = {k}", trial.valid[-1, repeat].item(), repeat)
                yield Metric(f"probe accuracy of the linear model, k = {k}", right, repeat)
            apart = max(abs(right - expected_accuracy(k, STRONG)) for right in measured)
            yield Metric(
                f"largest distance of a probe's accuracy to that of k random directions, k = {k}", apart
            )
    yield Metric("largest relative gap of denoising and masked errors to their own optima, k up to 10", worst)
    yield Metric("largest gap of a probe's accuracy to that of its own code's angle", off)
    yield TableEvent("linear models and theory", THEORY_COLUMNS, rows, THEORY)


def _one_layer_model(task: Points, settings: Settings, bent: Trials) -> Iterator[Event]:
    """Berkeley HW6's one-layer "nonlinear" model beside a linear one with the same seeds, and beside real ones."""
    grid = replace(settings.linear, bottlenecks=(SMALL,), corrupted=(), epochs=1, repeats=1)
    one_layer, linear = (
        Autoencoder((task.width, SMALL), activation=activation) for activation in (nn.ReLU, nn.Identity)
    )
    errors = [try_model(model, task, grid).error for model in (one_layer, linear)]
    test = task.points["test"]
    yield Metric(
        "error of Berkeley HW6's one-layer ReLU model minus that of the linear one", errors[0] - errors[1]
    )
    yield Metric("bend of Berkeley HW6's one-layer ReLU model", bend(one_layer, test))
    least = min(bend(trial.model, test) for trial in bent.values())
    yield Metric("smallest bend of a model with a hidden ReLU layer", least)


def _against_pca(task: Points, bent: Trials) -> Iterator[Event]:
    """Nonlinear models of the synthetic points beside PCA with a code of the same width."""
    trial = bent.get((SMALL, "vanilla"))
    for repeat, value in enumerate(trial.valid[-1].tolist() if trial else ()):
        best = linear_bounds(task, (SMALL,))[SMALL][1]
        yield Metric(
            f"error of nonlinear models on fresh points / that of PCA, k = {SMALL}", value / best, repeat
        )


def _digits(task: Points, straight: Trials, curved: Trials) -> Iterator[Event]:
    """Linear and nonlinear models of digits side by side, and Berkeley HW6's way to measure accuracy."""
    k = max(k for k, name in straight if (k, name) in curved and k <= SMALL)
    line, curve = straight[k, "vanilla"], curved[k, "vanilla"]
    pairs = range(min(line.valid.shape[1], curve.valid.shape[1]))
    for name, first, second in (
        (f"error on fresh digits, k = {k}", curve.valid[-1], line.valid[-1]),
        (f"probe accuracy on digits, all labels, k = {k}", curve.correct.mean(1), line.correct.mean(1)),
    ):
        sides = ({seed: values[seed].item() for seed in pairs} for values in (first, second))
        yield PairedMetric(name, ("nonlinear", "linear"), *sides)
    learnt, bound = linear_bounds(task, (k,))[k]
    for repeat, value in enumerate(line.train[-1].tolist()):
        yield Metric(
            f"training error of linear models on digits / that of PCA, k = {k}", value / learnt, repeat
        )
    for repeat, value in enumerate(curve.valid[-1].tolist()):
        yield Metric(
            f"error of nonlinear models on fresh digits / that of PCA, k = {k}", value / bound, repeat
        )
    every = [trial.few.mean().item() for part in (straight, curved) for trial in part.values()]
    yield Metric(f"best probe accuracy on digits with {FEW} labels", max(every))
    blocks = curve.correct[0].view(-1, FEW).mean(1)
    whole = curve.correct[0].mean().item()
    yield Metric("accuracy on all test digits", whole)
    yield Metric(
        "accuracy as Berkeley HW6 computes it: on the first 200 test digits, again and again",
        blocks[0].item(),
    )
    yield Metric("largest gap between 200 test digits and all of them", (blocks - whole).abs().max().item())
    yield FigureEvent("blocks", draw_blocks(blocks, whole), BLOCKS)


def _flat(task: Points, settings: Settings, seed: int) -> tuple[Trials, Trials]:
    """Models whose code can be drawn as it is."""
    alone = {"bottlenecks": (2,), "corrupted": (), "repeats": 1}
    grids = (replace(one, **alone) for one in (settings.linear_digits, settings.nonlinear_digits))
    linear, bent = (dict(try_grid(task, grid, seed)) for grid in grids)
    return linear, bent


COLUMNS = ("k", "input", "error, training", "error, fresh points", "PCA, fresh points", "probe, all labels", f"probe, {FEW} labels")  # fmt: skip
THEORY_COLUMNS = (
    "k",
    "input",
    "optimal error",
    "measured",
    "accuracy 1 − arccos(√(k/20))/π",
    "from the code's own angle",
    "measured",
)
THEORY = (
    "What can be known without training. The optimal error is that of the best map of rank k from corrupted to clean points, measured on clean ones. A code that keeps k of 20 equally strong directions at random holds on "
    "average k/20 of the label's direction; the angle between that direction and the code of each model gives its accuracy more exactly."
)
EXPERIMENT = Experiment(
    question="Which autoencoder learns what: linear or not, with noise or masks, through a narrow or a wide bottleneck?",
    method="""An autoencoder maps a point to a code of k numbers and back, and is trained to return what it was
        given. The vanilla one sees the point as it is; the denoising one sees it with normal noise of standard
        deviation 0.5 on every entry; the masked one sees a quarter of the entries, drawn anew each time, set to zero. The
        target is always the point as it is. Linear models are one matrix in and one out, with biases; nonlinear
        ones have a hidden layer of ReLUs on both sides. They are trained with Adam, as the assignment asks at a rate of
        $5 \\cdot 10^{-4}$ (quick has fewer digits, with larger rates, and trains codes of 1000 numbers, on the synthetic points with nonlinear models of 100 too, once and briefly); the repeats of a model are trained together as one batched model.

        Synthetic points: 20,000 normal points in 100 dimensions, variance 100 along 20 hidden directions and 1 along
        the other 80, turned by a random rotation. The label says whether the sum of the 20 hidden
        coordinates is positive. Digits: MNIST, pixels from 0 to 1.

        Errors are mean squares per entry of whole splits, with nothing corrupted, averaged over the repeats. PCA with as
        many directions, fitted to the training points, is the best that a linear model can do on them.

        Representations are compared by a linear probe: multinomial logistic regression on the frozen, standardised
        code, trained to its minimum with penalty $\\lVert W \\rVert^2 / 2$ on the summed loss, once with all training labels and once with
        the first 200, judged on the whole test split. Nothing was chosen on the test split.""",
    see="""A linear autoencoder can lose no less than PCA, whatever the training does ([[pca]] shows it, and
        [[theory-linear-autoencoder]] proves it): compare each error with PCA's in the column beside it. On the synthetic
        points the 20 strong directions are equally strong, so which of them a narrow code keeps is chance, and with them
        how well the label can be read off: in theory 67 % at k = 5 and 75 % at k = 10, with a spread that more training
        does not remove. On digits the question is whether a hidden layer of ReLUs gets below PCA with a code of the same
        width, and whether a wider code helps it as it helps PCA. Beside each table stands what noise and masks change. The
        error and the probe need not agree: a code may come back closer and tell less of the label.""",
    correction="""Berkeley HW6's "nonlinear" model has one layer on each side and no activation after the last, so it
        is linear: its hidden ReLU is never used, and with the same seed it gives the same numbers as the linear model. Its sizes
        are a number that is then indexed as a list, which fails. Its loader for digits makes a new iterator
        at every call: accuracy is measured on the same first 200 test digits over and over, and an "epoch" is 360
        batches of 200 = 72,000 digits drawn with replacement from 36,000. Its probe counts the batches of the
        validation split and reads the training split; its "test" curve is the validation curve; its text
        has a sum of squares where the code has a mean. Here every error and accuracy is that of a whole split.""",
    claims=CLAIMS,
    opens_with=(
        "largest relative gap of denoising and masked errors to their own optima, k up to 10",
        "error of nonlinear models on fresh digits / that of PCA, k = 10",
    ),
    presets={
        "quick": Settings(
            linear=TrainingGrid(bottlenecks=EVERY, corrupted=(10,), brief=(1000,)),
            nonlinear=TrainingGrid(
                bottlenecks=EVERY, corrupted=(10,), brief=(100, 1000), hidden=(128,), epochs=5
            ),
            linear_digits=TrainingGrid(
                bottlenecks=EVERY, corrupted=(10,), brief=(1000,), epochs=10, rate=5e-3
            ),
            nonlinear_digits=TrainingGrid(
                bottlenecks=EVERY, corrupted=(10,), brief=(1000,), hidden=(128,), epochs=5, rate=4e-3
            ),
            digits=4000,
            held_out=2000,
        ),
        "full": Settings(),
    },
    seconds=49,
    run=run,
)
