"""RMS norm: each token divided by its root mean square, times a gain."""

from typing import Any

import numpy as np

from regard.checker import conduct, laws
from regard.checker.contract import ComputationStage, Contract, Convention, Law, Mistake, forms
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
from regard.checker.contracts.norm.reference import RMS, centred, mean_square, rms
from regard.checker.contracts.norm.rows import cases, growing, normal, usual
from regard.checker.gradients import flowing

STUB = '''"""RMS norm, to be filled in. Then: regard check rms_norm.py"""

import torch
from torch import nn


class RMSNorm(nn.Module):
    """Each token divided by the root of its mean square, times a learned gain.

        y = x / sqrt(mean of x^2 over the last axis + eps) * weight
    """

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("fill me in")
'''

MISTAKES = (
    Mistake(
        slug="mean-subtracted",
        cause="the mean is taken off first: this is a layer norm",
        remedy="divide x itself by its root mean square",
        look="mean variance",
        forms=forms({"above": centred, "below": lambda x, axis: mean_square(centred(x, axis), axis)}),
    ),
    Mistake(
        slug="variance-for-square",
        cause="the variance stands under the root instead of the mean square",
        remedy="use x.pow(2).mean(dim=-1, keepdim=True)",
        look="variance mean",
        forms=forms(
            {"below": lambda x, axis: x.var(axis=axis, keepdims=True)},
            {"below": lambda x, axis: x.var(axis=axis, keepdims=True, ddof=1)},
        ),
    ),
    Mistake(
        slug="root-missing",
        cause="it divides by the mean square itself, not by its root",
        remedy="divide by sqrt(mean square + eps)",
        look="mean",
        forms=forms(
            {"divide": lambda above, below, eps: above / (below + eps)},
            {"divide": lambda above, below, eps: above / (below + eps) ** 2},
        ),
    ),
    Mistake(
        slug="mean-absolute",
        cause="it divides by the mean of the absolute values, not by the root mean square",
        remedy="square, average, take the root: x.pow(2).mean(-1, keepdim=True).add(eps).sqrt()",
        look="mean",
        forms=forms(
            {
                "below": lambda x, axis: np.abs(x).mean(axis=axis, keepdims=True),
                "divide": lambda above, below, eps: above / (below + eps),
            },
            {"below": lambda x, axis: np.abs(x).mean(axis=axis, keepdims=True) ** 2},
        ),
    ),
    Mistake(
        slug="gain-inside",
        cause="the gain is applied before the norm, so that it changes the norm",
        remedy="normalise first, then multiply by the weight",
        look="mean",
        forms=forms({"before": lambda x, w: x * w["gain"], "finish": lambda y, x, w: y + w["bias"]}),
    ),
)


def suits(member: dict[str, Any], source: str) -> float:
    """A name that speaks of RMS, or of a norm whose code is one."""
    name = member["name"].lower()
    return 0.95 if "rms" in name or (NAMED.search(name) and is_rms(source)) else 0.0


CONTRACT = Contract(
    name="rms-norm",
    title="RMS norm",
    file="rms_norm.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    roles=("gain", "bias"),
    cases=cases,
    growing=growing,
    wider=WIDER,
    stages=(
        ComputationStage(
            where="for rows whose root mean square is one, which only the gain changes", case=normal
        ),
        ComputationStage(where="for rows of other sizes", case=usual),
    ),
    reference=rms,
    program=RMS,
    mistakes=(*SHARED, *MISTAKES, *BEHAVIOUR, *conduct.MISTAKES),
    conventions=(*CONVENTIONS, Convention(slug="bias-added", says="a bias is added")),
    laws=(
        laws.afresh(usual),
        laws.steady(usual),
        Law(name="alone", says="each token is normalised by itself", test=alone, look="mean variance"),
        Law(name="zeros", says="a row of zeros stays finite", test=flat, look="root power"),
        Law(
            name="scaling",
            says="ten times the input gives the same output",
            test=scaling,
            look="root power mean",
        ),
        starting(rms),
        laws.untouched(usual),
        flowing(usual, ("x",)),
        *conduct.kept(usual),
    ),
)
