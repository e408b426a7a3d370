"""Log-likelihoods are found where a mixture gives them, and nowhere else."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from regard.checker.contracts.mixture.answers import joined, leave
from regard.checker.live import check
from regard.checker.report.verdict import Verdict
from regard.checker.selftest import judge
from regard.checker.target import check_file


class Terms:
    """A mixture by the terms of its components."""

    def __init__(self, n_components: int, n_features: int) -> None:
        self.weights = torch.full((n_components,), 1 / n_components, dtype=torch.float64)
        self.means = torch.randn(n_components, n_features, dtype=torch.float64)
        self.variances = torch.ones(n_components, n_features, dtype=torch.float64)

    def _density(self, x: torch.Tensor) -> torch.Tensor:
        square = (x[:, None] - self.means) ** 2 / self.variances
        return -0.5 * (square + torch.log(2 * math.pi * self.variances)).sum(-1)


class Joint(Terms):
    def log_prob(self, x: torch.Tensor) -> torch.Tensor:
        return self._density(x) + self.weights.log()


class Densities(Terms):
    def log_prob(self, x: torch.Tensor) -> torch.Tensor:
        return self._density(x)


class Halves(Terms):
    def e_step(self, x: torch.Tensor) -> tuple[torch.Tensor, float]:
        terms = self._density(x) + self.weights.log()
        return terms.softmax(1), terms.logsumexp(1).mean().item()


class Each(Terms):
    """Beside responsibilities the log-likelihood of each point; `run` would move the parameters."""

    def e_step(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        terms = self._density(x) + self.weights.log()
        return terms.softmax(1), terms.logsumexp(1)

    def run(self, x: torch.Tensor) -> "Each":
        self.means = self.means * 0 + x.mean(0)
        return self


class Unweighed(Each):
    def e_step(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        terms = self._density(x) + self.weights.log()
        return terms.softmax(1), self._density(x).logsumexp(1)


class Shares(Terms):
    def e_step(self, x: torch.Tensor) -> torch.Tensor:
        return (self._density(x) + self.weights.log()).softmax(1)


class Fits(Terms):
    def fit(self, x: torch.Tensor) -> "Fits":
        return self


def verdict(kind: type, *, strict: bool = False) -> Verdict:
    return check(kind, contract="gaussian-mixture", strict=strict).verdicts[0]


@pytest.mark.parametrize("strict", [False, True])
def test_terms_of_the_components_are_summed(strict: bool) -> None:
    found = verdict(Joint, strict=strict)
    assert found.state == "correct", found.sentence
    assert "joint-terms" in {f.slug for f in found.findings}


def test_a_mean_beside_responsibilities_is_asked_point_by_point() -> None:
    assert verdict(Halves).state == "correct", verdict(Halves).sentence


@pytest.mark.parametrize(("kind", "state"), [(Each, "correct"), (Unweighed, "mistake")])
def test_one_number_for_each_point_beside_responsibilities_is_its_log_likelihood(
    kind: type, state: str
) -> None:
    assert verdict(kind).state == state, verdict(kind).sentence


def test_responsibilities_alone_are_judged() -> None:
    assert verdict(Shares).state == "correct", verdict(Shares).sentence


@pytest.mark.parametrize("kind", [Fits])
def test_what_gives_no_log_likelihood_is_undecided(kind: type) -> None:
    found = verdict(kind)
    assert found.state == "undecided"
    assert found.sentence == "it is not callable, and no method of it gives the log-likelihood of every point"
    assert (
        found.findings[0].remedy
        == f"say which does: FILE.py:{kind.__name__}.METHOD, or add one: def log_prob(self, x)"
    )


def test_densities_without_their_weights_are_undecided() -> None:
    found = verdict(Densities)
    assert found.state == "undecided"
    assert found.sentence.startswith("log_prob gives the density of each component, without its weight")


def test_a_last_axis_of_one_is_taken_off() -> None:
    assert leave(np.ones((4, 1))).shape == (4,)
    assert leave(np.ones((4, 3))).shape == (4, 3)


def test_terms_become_one_number_each(puppet) -> None:
    made = puppet("gaussian-mixture", {}).made
    made.weights["pi"] = np.zeros(3)
    assert np.allclose(joined(np.zeros((4, 3)), {"logits": "pi"}, made), math.log(3))
    assert joined(np.zeros(4), {"logits": "pi"}, made).shape == (4,)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "state"),
    [
        ("correct/gaussian-mixture/balls.py", "correct"),
        ("correct/gaussian-mixture/list_of_gaussians.py", "correct"),
        ("correct/gaussian-mixture/whole_covariances_by_parts.py", "correct"),
        ("mutants/gaussian-mixture/list_without_the_shares.py", "mistake"),
    ],
)
def test_components_may_be_a_list_and_one_of_them_may_have_its_own_method(file: str, state: str) -> None:
    here = Path(__file__).parents[2]
    found = judge(here / file, file.partition("/")[0], 0, here)
    assert (found.state, found.right) == (state, True), found.said


WEIGHTED = """
import math
import torch

def weighted_log_probs(x, logits, means, log_vars):
    square = (x[:, None] - means) ** 2 * torch.exp(-log_vars)
    each = -0.5 * (square + log_vars + math.log(2 * math.pi)).sum(-1)
    return each + torch.log_softmax(logits, 0)
"""


@pytest.mark.parametrize(
    ("old", "new", "state"),
    [
        ("weighted", "weighted", "correct"),
        ("weighted_log_probs", "mixture_log_prob", "mistake"),
        (" + torch.log_softmax(logits, 0)", "", "mistake"),
    ],
)
def test_a_function_that_says_so_gives_the_terms_of_the_components(
    tmp_path: Path, old: str, new: str, state: str
) -> None:
    (tmp_path / "mine.py").write_text(WEIGHTED.replace(old, new), encoding="utf-8")
    (found,) = check_file(str(tmp_path / "mine.py")).verdicts
    assert found.state == state, found.sentence
