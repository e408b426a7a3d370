"""One step of EM is held to what the responsibilities say."""

import math

import pytest
import torch

from regard.checker.live import check
from regard.checker.report.verdict import Verdict


class Em:
    """A mixture that learns by steps."""

    floor = 1e-6

    def __init__(self, n_components: int, n_features: int) -> None:
        self.weights = torch.full((n_components,), 1 / n_components, dtype=torch.float64)
        self.means = torch.randn(n_components, n_features, dtype=torch.float64)
        self.variances = torch.ones(n_components, n_features, dtype=torch.float64)

    def log_prob(self, x: torch.Tensor) -> torch.Tensor:
        return self.terms(x).logsumexp(1)

    def terms(self, x: torch.Tensor) -> torch.Tensor:
        square = (x[:, None] - self.means) ** 2 / self.variances
        return -0.5 * (square + torch.log(2 * math.pi * self.variances)).sum(-1) + self.weights.log()

    def responsibilities(self, x: torch.Tensor) -> torch.Tensor:
        return self.terms(x).softmax(1)

    def em_step(self, x: torch.Tensor) -> None:
        share, old = self.responsibilities(x), self.means
        self.weights = share.mean(0)
        self.means = share.T @ x / share.sum(0)[:, None]
        apart = (x[:, None] - self.about(old)) ** 2
        self.variances = (share[..., None] * apart).sum(0) / share.sum(0)[:, None] + self.floor

    def about(self, old: torch.Tensor) -> torch.Tensor:
        return self.means


class Floored(Em):
    floor = 0.01


class Old(Em):
    def about(self, old: torch.Tensor) -> torch.Tensor:
        return old


class Unweighted(Em):
    def em_step(self, x: torch.Tensor) -> None:
        kept = self.weights
        super().em_step(x)
        self.weights = kept


class Rooted(Em):
    def em_step(self, x: torch.Tensor) -> None:
        super().em_step(x)
        self.variances = (self.means - 9.0).sqrt()


class Shapeless(Em):
    def em_step(self, x: torch.Tensor) -> None:
        super().em_step(x)
        self.weights = self.weights[:1]


class Stumbles(Em):
    def em_step(self, x: torch.Tensor) -> None:
        raise RuntimeError("the sizes do not fit")


class Unready(Em):
    def em_step(self, x: torch.Tensor) -> None:
        raise AssertionError("call begin() first")


class OverPoints(Em):
    def responsibilities(self, x: torch.Tensor) -> torch.Tensor:
        return self.terms(x).softmax(0)


class Logged(Em):
    def responsibilities(self, x: torch.Tensor) -> torch.Tensor:
        return self.terms(x).log_softmax(1).T

    def em_step(self, x: torch.Tensor) -> torch.Tensor:  # gives what it found and keeps nothing
        return self.responsibilities(x)


def verdict(kind: type) -> Verdict:
    return check(kind, contract="gaussian-mixture").verdicts[0]


@pytest.mark.parametrize("kind", [Em, Floored, Logged, Unready])
def test_right_steps_pass(kind: type) -> None:
    assert verdict(kind).state == "correct", verdict(kind).sentence


def test_a_spread_about_the_old_means_is_named() -> None:
    assert verdict(Old).slugs == ("em-old-means",)


WRONG = [
    (Unweighted, "em step"),
    (Rooted, "em step"),
    (Shapeless, "em step"),
    (Stumbles, "em step"),
    (OverPoints, "responsibilities"),
]


@pytest.mark.parametrize(("kind", "law"), WRONG, ids=[kind.__name__ for kind, _ in WRONG])
def test_a_wrong_step_breaks_its_law(kind: type, law: str) -> None:
    found = verdict(kind)
    assert found.state == "mistake"
    assert found.laws[law] is False


class Single(Em):
    """Its tensors are float32, and so are its terms: a product of matrices takes one type alone."""

    def __init__(self, n_components: int, n_features: int) -> None:
        super().__init__(n_components, n_features)
        self.weights, self.means, self.variances = (
            value.float() for value in (self.weights, self.means, self.variances)
        )

    def terms(self, x: torch.Tensor) -> torch.Tensor:
        return super().terms(x).to(self.means.dtype)


class OfTypes(Em):
    def em_step(self, x: torch.Tensor) -> None:
        super().em_step(x)
        self.means = self.means @ torch.eye(x.shape[1], dtype=torch.float32)


def test_plain_tensors_get_the_type_of_the_points() -> None:
    found = verdict(Single)
    assert found.state == "correct", found.sentence
    assert found.laws["em step"] is True


def test_an_exception_about_types_is_no_mistake_of_the_step() -> None:
    assert verdict(OfTypes).state != "mistake", verdict(OfTypes).sentence


class Fitted(Em):
    """Its parameters are there once it was fitted."""

    def __init__(self, n_components: int) -> None:
        self.n_components = n_components

    def fit(self, x: torch.Tensor, rounds: int = 30) -> "Fitted":
        super().__init__(self.n_components, x.shape[1])
        self.covariances = torch.cov(x.T).repeat(self.n_components, 1, 1)
        self.means = x[: self.n_components].clone()
        del self.variances
        for _ in range(rounds):
            share = self.responsibilities(x)
            count = share.sum(0)
            self.weights, self.means = count / len(x), share.T @ x / count[:, None]
            apart = x[:, None] - self.means
            moments = torch.einsum("nk,nki,nkj->kij", share, apart, apart)
            self.covariances = moments / self.over(count, x)[:, None, None] + 1e-6 * torch.eye(x.shape[1])
        return self

    def over(self, count: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return count

    def terms(self, x: torch.Tensor) -> torch.Tensor:
        normal = torch.distributions.MultivariateNormal(self.means, self.covariances)
        return normal.log_prob(x[:, None]) + self.weights.log()

    em_step = None  # type: ignore[assignment]


class OverAll(Fitted):
    def over(self, count: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.full_like(count, len(x))


@pytest.mark.parametrize(("kind", "state"), [(Fitted, "correct"), (OverAll, "mistake")])
def test_what_is_fitted_is_held_to_one_more_step(kind: type, state: str) -> None:
    found = check(kind, contract="gaussian-mixture").verdicts[0]
    assert found.state == state, found.sentence
    assert found.laws["fit"] is (state == "correct")
