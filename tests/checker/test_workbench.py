"""Making a member with arguments by meaning, in the finest precision it runs in."""

import inspect

import numpy as np
import pytest
import torch
from torch import nn

from regard.checker.live import Here
from regard.checker.process.described import member
from regard.checker.process.session import Raised
from regard.checker.reading.source import Source
from regard.checker.workbench import Unfit, Workbench


class Scaled(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * self.weight


class Single(Scaled):
    def forward(self, x):
        return torch.dot(x, torch.ones(3, dtype=torch.float32)) * self.weight


class Strange(Scaled):
    def __init__(self, width, flavour):
        super().__init__(width)


class Keyed(Scaled):
    def __init__(self, **config):
        super().__init__(config["dim"])


class Failing(Scaled):
    def forward(self, x):
        raise RuntimeError("never")


def bench(thing: type, text: str = "") -> Workbench:
    described = member(thing.__name__, thing)
    return Workbench(Here(thing), described, [described], Source(text))


@pytest.mark.parametrize(("thing", "kind"), [(Scaled, "float64"), (Single, "float32")])
def test_the_finest_precision_is_used(thing: type, kind: str) -> None:
    on = bench(thing)
    made = on.build({"width": 3})
    assert on.precise(made, [np.ones(3)], {}) == kind
    assert made.kind == kind


def test_the_first_exception_is_the_one_that_is_told() -> None:
    on = bench(Failing)
    with pytest.raises(Raised, match="never"):
        on.precise(on.build({"width": 3}), [np.ones(3)], {})


def test_an_argument_nobody_knows_is_asked_for() -> None:
    with pytest.raises(Unfit) as caught:
        bench(Strange).build({"width": 3})
    assert (
        caught.value.sentence == "Strange's constructor asks for 'flavour', which the checker does not know"
    )
    assert caught.value.remedy == "give it: --map flavour=VALUE, or --make 'Strange(…)'"


def test_keywords_that_a_constructor_reads_are_given() -> None:
    made = bench(Keyed, inspect.getsource(Keyed)).build({"width": 3})
    assert made.weights["weight"].shape == (3,)
    assert made.built.meant == {"width": "dim"}
