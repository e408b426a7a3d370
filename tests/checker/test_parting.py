"""Where an unknown mistake shows: one planted in each part shows for the first inputs that this part matters for."""

from collections.abc import Callable

import numpy as np
import pytest

from regard.checker.contract import Case, Steps, WeightMap
from regard.checker.contracts.table import CONTRACTS, named
from regard.checker.parting import parted, worst

RNG = np.random.default_rng
PLANTED: list[tuple[str, Steps, str]] = [
    ("causal-attention", {"leave": lambda y, x, w: (y @ w["wo"]) ** 3}, "with one "),
    ("causal-attention", {"mix": lambda a, v: a**2 @ v}, "with equal tokens"),
    ("causal-attention", {"similarity": lambda q, k: (q @ k.swapaxes(-1, -2)) ** 3}, "with different tokens"),
    ("multi-head-attention", {"leave": lambda y, x, w: (y @ w["wo"]) ** 3}, "with one "),
    ("multi-head-attention", {"similarity": lambda q, k: (q @ k.swapaxes(-1, -2)) ** 3}, "with different keys"),
    ("scaled-dot-product", {"mix": lambda a, v: 1.3 * a**2 @ v}, "with equal keys"),
    ("scaled-dot-product", {"similarity": lambda q, k: (q @ k.swapaxes(-1, -2)) ** 3}, "with different keys"),
    ("gcn-layer", {"transform": lambda x, w: (x @ w["w"]) ** 3}, "with loops alone"),
    ("gcn-layer", {"spread": lambda a, h: a @ a @ a @ h}, "on a ring"),
    ("gcn-layer", {"normalise": lambda a, d: a / d[:, None] ** 0.3 / d**0.7}, "on a graph whose nodes"),
    ("gat-layer", {"transform": lambda x, w: np.einsum("nf,fhd->nhd", x, w["w"]) ** 3}, "with loops alone"),
    ("gat-layer", {"mix": lambda a, h, x: np.einsum("hij,jhd->ihd", a**2, h)}, "with equal nodes"),
    ("gat-layer", {"activate": lambda e: e**3}, "with different nodes"),
    ("layer-norm", {"finish": lambda y, x, w: y * w["gain"] ** 3 + w["bias"]}, "for rows of mean 0 and deviation 1"),
    ("layer-norm", {"divide": lambda a, b, eps: a / (b + eps) ** 0.3}, "for rows of mean 0"),
    ("layer-norm", {"above": lambda x, axis: x - 2 * x.mean(axis, keepdims=True)}, "for rows with a mean"),
    ("rms-norm", {"divide": lambda a, b, eps: a / (b + eps) ** 0.3}, "for rows of other sizes"),
    ("rotary", {"positions": lambda n, offset: offset + np.arange(n) ** 2 + 3}, "at position 0"),
    ("rotary", {"positions": lambda n, offset: offset + np.arange(n) ** 2}, "at later positions"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "steps", "where"), PLANTED, ids=[f"{c}-{s.split(',')[0]}" for c, _, s in PLANTED]
)
def test_a_fault_is_found_where_it_was_planted(name: str, steps: Steps, where: str, puppet: Callable) -> None:
    found = parted(named(name), puppet(name, steps), RNG(1))
    assert found
    first, *_ = found[0].rpartition("wrong ")[2].removeprefix("already ").partition(",")
    assert first.startswith(where)


def test_two_conventions_at_once_explain_nothing(puppet: Callable) -> None:
    # With loops alone it is twice the input, as an A + I taken literally would be that nothing divides.
    steps: Steps = {"loops": lambda a: a + np.eye(len(a)), "degree": lambda a, looped: a.sum(1)}
    subject = puppet("gcn-layer", steps)
    (frame,) = subject.frames
    subject.frames.append(
        WeightMap(
            weights=frame.weights,
            facts=frame.facts | {"prepared": True},
            conventions=("normalised-adjacency",),
        )
    )
    found = parted(named("gcn-layer"), subject, RNG(1))
    assert found and found[0].startswith("it is wrong already with loops alone")


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_the_reference_parts_nowhere(contract, puppet: Callable) -> None:
    assert parted(contract, puppet(contract.name, {}), RNG(1)) is None


def test_the_number_that_is_farthest_off_is_shown(puppet: Callable) -> None:
    contract, subject = named("rms-norm"), puppet("rms-norm", {})
    case = Case(name="a row", inputs={"x": RNG(0).standard_normal((1, 1, 24))})
    answer = subject.answer(case)
    other = answer.copy()
    other[0, 0, 3] += 5
    words = worst(contract, subject.frame, [(case, other)])
    assert words == f"a row: output[0, 0, 3] is {other[0, 0, 3]:.5g}, expected {answer[0, 0, 3]:.5g}"
    assert worst(contract, subject.frame, [(case, answer)]) == ""
    assert worst(contract, subject.frame, [(case, answer[0])]).endswith("shape (1, 24), expected (1, 1, 24)")
