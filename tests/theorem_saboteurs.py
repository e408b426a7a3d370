"""Saboteurs of theorems: each changes what a trial measures, so that the claims it names no longer hold.

A trial is named by its title; "broken, TITLE" is the claim that its prediction falls without the assumption.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from regard.lab import theorems
from regard.lab.experiment import Context
from regard.theory import theorem as machinery
from regard.theory.theorem import Theorem
from regard.theory.theorems import (
    almost_orthogonal,
    beam_search,
    convolution_sizes,
    correlated_noise,
    dot_product,
    flash_attention,
    gradient_products,
    graph_layers,
    input_noise,
    kernel_attention,
    laplace_prior,
    linear_autoencoder,
    low_rank,
    positions,
    relative_attention,
    similarity_axioms,
)
from saboteurs import Plant, Saboteur, states

FEW = 16
"Random instances at each setting: what is planted is seen at once."


class Instead:
    """A thing with a few of its attributes changed."""

    def __init__(self, one: Any, **changed: Any) -> None:
        self.__dict__.update(changed, _one=one)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._one, name)


def swap(module: ModuleType, **functions: Callable) -> Plant:
    """Other functions in the place of a module's; each takes the right one first, then its arguments."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        for name, new in functions.items():
            patch.setattr(module, name, _with(new, getattr(module, name)))

    return plant


def numerics(module: ModuleType, **functions: Any) -> Plant:
    """Other functions of numpy, in one module."""
    return lambda patch: patch.setattr(module, "np", Instead(np, **functions))


def draws(**methods: Callable) -> Plant:
    """Random numbers of another kind, in the trials; each method takes the right one first, then its arguments."""

    def generator(seed: Any) -> np.random.Generator:
        right = np.random.default_rng(seed)
        changed = {name: staticmethod(_with(new, getattr(right, name))) for name, new in methods.items()}
        return type("Drawn", (np.random.Generator,), changed)(right.bit_generator)

    random = Instead(np.random, default_rng=generator)
    return lambda patch: patch.setattr(machinery, "np", Instead(np, random=random))


def _with(new: Callable, right: Callable) -> Callable:
    return lambda *given, **named: new(right, *given, **named)


def verdicts(theorem: Theorem, titles: set[str]) -> dict[str, str]:
    """The verdicts on the claims about some of a theorem's trials, by title, from a run of these trials alone."""
    bare = {one.removeprefix("broken, ") for one in titles}
    trials, breaks = (
        tuple(one for one in part if one.title in bare) for part in (theorem.trials, theorem.breaks)
    )
    small = replace(theorem, conclusions=(), steps=(), point=lambda _: {}, instances=FEW)
    found = settled(replace(small, trials=trials, breaks=breaks))
    return {
        title: state for name, state in found.items() for title in titles if name.startswith(f"{title}: ")
    }


def settled(theorem: Theorem) -> dict[str, str]:
    """The verdict on each claim of a theorem after a quick run; nothing is drawn."""
    experiment = theorems.experiment(theorem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(theorems, "_figure", lambda outcomes: None)
        unused = Context(folder=Path("unused"))
        return states(experiment.claims, experiment.run(experiment.presets["quick"], unused))


def titles(theorem: Theorem) -> set[str]:
    """What saboteurs must cover: every trial, and every break twice."""
    every = {one.title for one in (*theorem.trials, *theorem.breaks)}
    return every | {f"broken, {one.title}" for one in theorem.breaks}


class Middle(np.ndarray):
    """Numbers whose mean is their median."""

    def mean(self, *_: Any, **__: Any) -> Any:
        return np.median(np.asarray(self))


def twice(right: Callable, shape: tuple[int, ...]) -> np.ndarray:
    """Two draws of which the second is the first again."""
    return np.broadcast_to(right(shape[1:]), shape)


def first_is_nothing(right: Callable, shape: tuple[int, ...]) -> np.ndarray:
    found = right(shape)
    found[0] = 0.0
    return found


def causal(right: Callable, scores: np.ndarray) -> np.ndarray:
    """Softmax of scores under a causal mask."""
    return right(np.where(np.tril(np.ones(scores.shape[-2:])) > 0, scores, -1e9))


SABOTEURS: dict[str, dict[str, Saboteur]] = {
    "almost-orthogonal": {
        "directions that always share a part": Saboteur(
            swap(almost_orthogonal, directions=lambda right, random, shape, shared=0.0: right(random, shape, 0.2)),
            {"how orthogonal 100 directions are", "features read back", "directions that share a part"}),
        "directions that never share a part": Saboteur(
            swap(almost_orthogonal, directions=lambda right, random, shape, shared=0.0: right(random, shape)),
            {"broken, directions that share a part"}),
        "directions that must be orthogonal": Saboteur(
            swap(almost_orthogonal, packed=lambda right, random, dimensions, delta: right(random, dimensions, 0.01)),
            {"how many fit"}),
        "a projection into half the dimensions": Saboteur(
            swap(almost_orthogonal, distortion=lambda right, points, width, random: right(points, width // 2, random)),
            {"the lemma's constant in practice"}),
    },
    "beam-search": {
        "one beam more than said": Saboteur(
            swap(beam_search, search=lambda right, tables, beams: right(tables, beams + 1)), {"continuations scored"}),
        "greedy search": Saboteur(
            swap(beam_search, search=lambda right, tables, beams: right(tables, 1)), {"fewer beams than beginnings"}),
        "every beginning kept": Saboteur(
            swap(beam_search, search=lambda right, tables, beams: right(tables, 1000)),
            {"broken, fewer beams than beginnings"}),
    },
    "convolution-sizes": {
        "padding that lacks a pixel": Saboteur(
            swap(convolution_sizes, meetings=lambda right, size, kernel, padding: right(size, kernel, max(0, padding - 1))),
            {"how much of a filter meets the corner"}),
        "a pixel of padding too many": Saboteur(
            swap(convolution_sizes, placements=lambda right, size, kernel, padding, stride: right(size, kernel, padding + 1, stride)),
            {"steps that do not fit"}),
        "a last step that hangs over": Saboteur(
            swap(convolution_sizes, placements=lambda _, size, kernel, padding, stride: (size + 2 * padding - kernel) / stride + 1),
            {"broken, steps that do not fit"}),
    },
    "correlated-noise": {
        "least squares on y alone": Saboteur(
            swap(correlated_noise, estimate=lambda right, x, y, z, beta: right(x, y, z, 0.0)),
            {"variance of the slope", "a correlation that is not the true one"}),
        "the true correlation whatever is assumed": Saboteur(
            swap(correlated_noise, estimate=lambda right, x, y, z, beta: right(x, y, z, correlated_noise.TRUE)),
            {"broken, a correlation that is not the true one"}),
    },
    "dot-product": {
        "squares in place of a variance": Saboteur(
            swap(dot_product, _variances=lambda _, products: tuple((products**2).mean(1))), {"variance of q·k"}),
        "entries that always share a part": Saboteur(
            swap(dot_product, _pairs=lambda right, random, shape, rho: right(random, shape, 0.3)),
            {"entries that are correlated"}),
        "entries that never share a part": Saboteur(
            swap(dot_product, _pairs=lambda right, random, shape, rho: right(random, shape, 0.0)),
            {"broken, entries that are correlated"}),
        "a key that is its query": Saboteur(
            draws(standard_normal=twice), {"variance of q·k", "q and k that depend on each other"}),
        "queries of length 0": Saboteur(
            draws(standard_normal=first_is_nothing), {"broken, q and k that depend on each other"}),
    },
    "flash-attention": {
        "no rescaling factor": Saboteur(
            swap(flash_attention, online=lambda right, scores, values, blocks, **_: right(scores, values, blocks, rescaled=False)),
            {"gap to the softmax"}),
        "the factor always there": Saboteur(
            swap(flash_attention, online=lambda right, scores, values, blocks, **_: right(scores, values, blocks)),
            {"broken, blocks put together without the factor"}),
        "a key that is masked": Saboteur(
            swap(flash_attention, online=lambda right, scores, values, blocks, **how: right(scores - 1e3 * (np.arange(scores.shape[1]) == 0), values, blocks, **how)),
            {"gap to the softmax", "blocks put together without the factor"}),
        "half the memory": Saboteur(
            swap(flash_attention, traffic=lambda right, length, width, memory: right(length, width, memory // 2)),
            {"numbers moved", "a fast memory that is too small"}),
        "everything moved once": Saboteur(
            swap(flash_attention, traffic=lambda _, length, width, memory: 4 * length * width),
            {"numbers moved", "broken, a fast memory that is too small"}),
    },
    "gradient-products": {
        "weights four times as large": Saboteur(
            swap(gradient_products, scaled=lambda right, matrix, largest: right(matrix, 4 * largest)),
            {"the sigmoid recurrence", "larger weights"}),
        "residual connections": Saboteur(
            swap(gradient_products, through=lambda right, x, weights, steps, activation="sigmoid", residual=False: right(x, weights, steps, activation, True)),
            {"the sigmoid recurrence", "larger weights", "orthogonal weights and tanh"}),
        "weights scaled down before they are used": Saboteur(
            swap(gradient_products, through=lambda right, x, weights, *how, **named: right(x, gradient_products.scaled(weights, 0.05), *how, **named)),
            {"broken, larger weights", "broken, orthogonal weights and tanh"}),
    },
    "graph-layers": {
        "paths in place of walks": Saboteur(
            swap(graph_layers, walks=lambda right, a, start, length, again=True, **more: right(a, start, length, again=False, **more)),
            {"walks by powers"}),
        "medians called means": Saboteur(
            draws(standard_normal=lambda right, shape: right(shape).view(Middle)), {"an aggregation that is no mean"}),
        "means called medians": Saboteur(
            numerics(graph_layers, median=np.mean), {"broken, an aggregation that is no mean"}),
        "edges of one direction": Saboteur(
            swap(graph_layers, graph=lambda right, *given: np.triu(right(*given))), {"one-way edges"}),
        "edges that keep both directions": Saboteur(
            draws(random=lambda right, shape: np.ones(shape)), {"broken, one-way edges"}),
    },
    "input-noise": {
        "noise of twice the variance": Saboteur(
            numerics(input_noise, linalg=Instead(np.linalg, cholesky=lambda one: np.sqrt(2) * np.linalg.cholesky(one))),
            {"what the noise adds", "noise that is correlated between entries"}),
        "noise that is never correlated": Saboteur(
            numerics(input_noise, linalg=Instead(np.linalg, cholesky=lambda one: np.eye(len(one)))),
            {"broken, noise that is correlated between entries"}),
    },
    "kernel-attention": {
        "a feature left out": Saboteur(
            swap(kernel_attention, features=lambda right, x: right(x)[..., :-1]), {"multiplications, summary first"}),
        "a kernel that is always signed": Saboteur(
            swap(kernel_attention, _attention=lambda right, q, k, v, offset: right(q, k, v, offset - 1)),
            {"a kernel that can be negative"}),
        "a kernel that is never signed": Saboteur(
            swap(kernel_attention, _attention=lambda right, q, k, v, offset: right(q, k, v, max(offset, 1.0))),
            {"broken, a kernel that can be negative"}),
    },
    "laplace-prior": {
        "the whole penalty as threshold": Saboteur(
            swap(laplace_prior, soft=lambda right, rho, threshold: right(rho, 2 * threshold)),
            {"the path over b", "inputs that are correlated", "a prior that is not Laplace"}),
        "a prior twice as wide": Saboteur(
            swap(laplace_prior, climbed=lambda right, x, y, b: right(x, y, 2 * b), coordinate=lambda right, rho, b, power=1.0: right(rho, 2 * b, power)),
            {"the path over b", "inputs that are correlated", "a prior that is not Laplace"}),
        "every prior a Laplace prior": Saboteur(
            swap(laplace_prior, coordinate=lambda right, rho, b, power=1.0: right(rho, b)),
            {"broken, a prior that is not Laplace"}),
    },
    "linear-autoencoder": {
        "an autoencoder that is not trained": Saboteur(
            lambda patch: patch.setattr(linear_autoencoder, "TURN", np.inf),
            {"loss after training", "data that are not centred"}),
        "data that are always centred": Saboteur(
            swap(linear_autoencoder, _data=lambda right, random, count, offset=0.0: right(random, count)),
            {"broken, data that are not centred"}),
    },
    "low-rank": {
        "the largest values cut off": Saboteur(
            swap(low_rank, truncated=lambda right, p, rank: p - right(p, p.shape[-1] - rank)),
            {"error of a cut-off table", "a softmax in between"}),
        "a softmax that is never sharp": Saboteur(
            swap(low_rank, _weights=lambda right, random, count, sharpness: right(random, count, 0.0)),
            {"broken, a softmax in between"}),
    },
    "positions": {
        "angles that grow as squares": Saboteur(
            swap(positions, turned=lambda right, x, position: right(x, position**2)), {"both tokens moved"}),
        "a mask at every strength": Saboteur(swap(positions, softmax=causal), {"a mask breaks the symmetry"}),
        "no mask": Saboteur(
            numerics(positions, triu=lambda x, k: np.zeros_like(x)), {"broken, a mask breaks the symmetry"}),
    },
    "relative-attention": {
        "scores a tenth as sharp": Saboteur(
            swap(relative_attention, pooled=lambda right, windows, centre, beta: right(windows, centre, beta / 10)),
            {"error of max pooling", "a faint place"}),
        "no place that is faint": Saboteur(
            swap(relative_attention, pooled=lambda right, windows, centre, beta: right(windows, max(centre, 0.5), beta)),
            {"broken, a faint place"}),
    },
    "similarity-axioms": {
        "vectors twice as long": Saboteur(
            swap(similarity_axioms, _at_angle=lambda right, random, count, angle, length: right(random, count, angle, 2 * length)),
            {"vectors of length 1", "vectors of other lengths"}),
        "similarity by distance": Saboteur(
            swap(similarity_axioms, _cosines=lambda _, x, y: tuple(1 - ((x - y) ** 2).sum(-1) / 2)),
            {"broken, vectors of other lengths"}),
    },
}  # fmt: skip
