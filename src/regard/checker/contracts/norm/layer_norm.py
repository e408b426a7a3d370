"""Layer norm: each token without its mean, divided by its deviation, times a gain, plus a bias."""

from dataclasses import replace
from typing import Any

import numpy as np

from regard.checker import conduct, laws
from regard.checker.contract import Broken, Case, ComputationStage, Contract, Convention, Law, Mistake, forms
from regard.checker.contracts.norm.kinds import NAMED, is_rms
from regard.checker.contracts.norm.layer import (
    BEHAVIOUR,
    CONVENTIONS,
    SHARED,
    WIDER,
    adapt,
    alone,
    flat,
    scaling,
    starting,
)
from regard.checker.contracts.norm.reference import LAYER, centred, layer, mean_square
from regard.checker.contracts.norm.rows import cases, growing, level, normal, usual
from regard.checker.gradients import flowing
from regard.checker.subject import Subject

STUB = '''"""Layer norm, to be filled in. Then: regard check layer_norm.py"""

import torch
from torch import nn


class LayerNorm(nn.Module):
    """Each token without its mean, divided by its standard deviation, times a gain, plus a bias.

        y = (x - mean) / sqrt(variance + eps) * weight + bias

    Mean and variance run over the last axis; the variance is divided by the width, not by the width less one.
    """

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("fill me in")
'''

MISTAKES = (
    Mistake(
        slug="bessel",
        cause="the variance is divided by the width less one (the unbiased variance)",
        remedy="x.var(dim=-1, keepdim=True, unbiased=False); torch's var and std are unbiased unless told otherwise",
        look="variance mean",
        forms=forms(
            {"below": lambda x, axis: x.var(axis=axis, keepdims=True, ddof=1)},
            {
                "below": lambda x, axis: x.var(axis=axis, keepdims=True, ddof=1),
                "divide": lambda above, below, eps: above / (np.sqrt(below) + eps),
            },
        ),
    ),
    Mistake(
        slug="variance-for-deviation",
        cause="it divides by the variance, not by its root",
        remedy="divide by sqrt(variance + eps)",
        look="variance mean",
        forms=forms(
            {"divide": lambda above, below, eps: above / (below + eps)},
            {"divide": lambda above, below, eps: above / (below + eps) ** 2},
            {
                "below": lambda x, axis: x.var(axis=axis, keepdims=True, ddof=1),
                "divide": lambda above, below, eps: above / (below + eps),
            },
        ),
    ),
    Mistake(
        slug="mean-kept",
        cause="the mean is not taken off",
        remedy="subtract x.mean(dim=-1, keepdim=True) first",
        look="mean",
        forms=forms({"above": lambda x, axis: x, "below": mean_square}, {"above": lambda x, axis: x}),
    ),
    Mistake(
        slug="variance-about-zero",
        cause="the mean of the squares stands under the root instead of the variance",
        remedy="average the squares of x less its mean",
        look="mean variance",
        forms=forms({"below": mean_square}),
    ),
    Mistake(
        slug="mean-absolute",
        cause="it divides by the mean absolute deviation, not by the standard deviation",
        remedy="square, average, take the root",
        look="mean",
        forms=forms(
            {
                "below": lambda x, axis: np.abs(centred(x, axis)).mean(axis=axis, keepdims=True),
                "divide": lambda a, b, eps: a / (b + eps),
            },
        ),
    ),
    Mistake(
        slug="bias-missing",
        cause="the bias is not added",
        remedy="add the bias after the gain",
        look="root power",
        forms=forms({"finish": lambda y, x, w: y * w["gain"]}),
    ),
    Mistake(
        slug="bias-before-gain",
        cause="the bias is added before the gain multiplies",
        remedy="normalised * weight + bias",
        look="root power",
        forms=forms({"finish": lambda y, x, w: (y + w["bias"]) * w["gain"]}),
    ),
    Mistake(
        slug="bias-subtracted",
        cause="the bias is taken off instead of added",
        remedy="normalised * weight + bias",
        look="bias",
        forms=forms({"finish": lambda y, x, w: y * w["gain"] - w["bias"]}),
    ),
)
UNSTABLE = Mistake(
    slug="moments-cancel",
    cause="the variance loses its digits in float32 where the mean is large, as E[x^2] - E[x]^2 does",
    remedy="take the mean off first and average the squares of what is left: (x - mean).square().mean(-1, keepdim=True)",
    look="mean variance",
    weak=True,
)
SUM = Mistake(
    slug="sum-for-mean",
    cause="the variance is not divided by the width",
    remedy="average the squares: .mean(dim=-1, keepdim=True)",
    look="mean variance",
    forms=forms({"below": lambda x, axis: mean_square(centred(x, axis), axis) * x.shape[-1]}),
)


UNBIASED = Convention(
    slug="unbiased-deviation",
    says="it divides by the unbiased deviation plus epsilon, as the Annotated Transformer does",
    mistake="bessel",
    choice="deviation=unbiased",
    words=r"unbiased",
    forms=forms(
        {
            "below": lambda x, axis: x.var(axis=axis, keepdims=True, ddof=1),
            "divide": lambda above, below, eps: above / (np.sqrt(below) + eps),
        }
    ),
)


def suits(member: dict[str, Any], source: str) -> float:
    """A name that speaks of a layer norm, and code that is no RMS norm."""
    return 0.95 if NAMED.search(member["name"].lower()) and not is_rms(source) else 0.0


def offset(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Tokens with a mean 10000 times their spread: float32 gives nearly what float64 gives.

    The mean of float32 numbers near 1000 is good to 1e-4, a thousandth of a spread of 0.1; their mean square is good to 0.1.
    """
    if not subject.real or subject.kind != "float64":
        return None
    x = 1000 + 0.1 * rng.standard_normal((3, 7, subject.facts["width"]))
    case = Case(name="tokens near 1000", inputs={"x": x.astype(np.float32).astype(np.float64)})
    wanted = subject.answer(case)
    ask, number = subject.bench.line.ask, subject.made.number
    plain = usual(subject, rng)
    near = subject.answer(plain)
    ask("cast", number, "float32")
    try:
        coarse = replace(subject, made=replace(subject.made, kind="float32"))
        if laws.gap(near, coarse.answer(plain)) > 0.01:
            return None  # another function in float32, wherever the tokens lie
        found = coarse.answer(case)
    finally:
        ask("cast", number, "float64")
        subject.set(subject.facts["drawn"])
    off = laws.gap(wanted, found)
    if off <= 0.05:
        return None
    return Broken(
        number=off,
        words=f"tokens near 1000 with a spread of 0.1: float32 differs from float64 by {off:.3g} of its size",
        slug="moments-cancel",
    )


def shifting(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """The same number added to a whole token changes nothing."""
    case = usual(subject, rng)
    moved = laws.gap(
        subject.answer(case), subject.answer(Case(name=case.name, inputs={"x": case["x"] + 2.0}))
    )
    if moved <= 1e-3:
        return None
    return Broken(
        number=moved,
        words=f"2 added to all {subject.facts['width']} channels of every token changes the output by {moved:.3g} of its size",
    )


CONTRACT = Contract(
    name="layer-norm",
    title="layer norm",
    file="layer_norm.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    roles=("gain", "bias"),
    cases=cases,
    growing=growing,
    wider=WIDER,
    stages=(
        ComputationStage(
            where="for rows of mean 0 and deviation 1, which only gain and bias change", case=normal
        ),
        ComputationStage(where="for rows of mean 0", case=level),
        ComputationStage(where="for rows with a mean", case=usual),
    ),
    reference=layer,
    program=LAYER,
    mistakes=(
        *(SUM if m.slug == SUM.slug else m for m in SHARED),
        *MISTAKES,
        UNSTABLE,
        *BEHAVIOUR,
        *conduct.MISTAKES,
    ),
    conventions=(*CONVENTIONS, UNBIASED),
    laws=(
        laws.afresh(usual),
        laws.steady(usual),
        Law(name="alone", says="each token is normalised by itself", test=alone, look="mean variance"),
        Law(name="zeros", says="a row of zeros stays finite", test=flat, look="root power variance"),
        Law(
            name="shifting",
            says="a number added to a whole token changes nothing",
            test=shifting,
            look="mean",
        ),
        Law(
            name="scaling",
            says="ten times the input gives the same output",
            test=scaling,
            look="root power variance",
        ),
        Law(
            name="offset",
            says="float32 is enough for a token far from zero",
            test=offset,
            look="mean variance",
        ),
        starting(layer),
        laws.untouched(usual),
        flowing(usual, ("x",)),
        *conduct.kept(usual),
    ),
)
