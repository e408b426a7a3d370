"""Similarities: known answers, edges equal the dense table, feature maps, messages."""

import inspect

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.normalise import Divide
from regard.core.similarity import (
    Additive,
    Constant,
    Cosine,
    Dot,
    Gaussian,
    Kernel,
    Similarity,
    _apart,
    elu_plus_one,
    polynomial,
    relu,
    unit,
)
from regard.errors import RegardError


def random(*shape: int, seed: int = 0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


def every(heads: int, keys: int, width: int) -> dict[str, Similarity]:
    return {
        "dot": Dot(),
        "scaled dot": Dot(2.0),
        "cosine": Cosine(3.0),
        "constant": Constant(0.5),
        "gaussian": Gaussian(random(keys, 1), random(keys)),
        "gaussian by channel and head": Gaussian(random(heads, keys, width), random(heads, keys)),
        "unit gaussian": Gaussian(),
        "elu": Kernel(elu_plus_one),
        "relu": Kernel(relu),
        "polynomial": Kernel(polynomial),
        "additive": Additive(heads, width).double(),
    }


@pytest.mark.parametrize("name", every(1, 1, 1))
def test_the_scores_of_edges_are_those_of_the_table(name):
    q, k, similarity = random(2, 3, 5, 4), random(2, 3, 7, 4, seed=1), every(3, 7, 4)[name]
    target, source = torch.tensor([0, 4, 4, 2, 1]), torch.tensor([6, 0, 3, 3, 5])
    table = similarity.dense(q, k)
    assert table.shape == (2, 3, 5, 7)
    torch.testing.assert_close(
        similarity.pairs(q, k, Edges(source, target, sizes=(5, 7))), table[:, :, target, source]
    )


@given(width=st.integers(1, 7), seed=st.integers(0, 99))
def test_the_feature_map_of_the_polynomial_gives_the_kernel(width, seed):
    x, y = random(width, seed=seed), random(width, seed=seed + 1)
    assert abs(float(polynomial(x) @ polynomial(y) - (x @ y + 1) ** 2)) < 1e-10
    assert polynomial(x).shape == ((width + 1) * (width + 2) // 2,)


def test_a_zero_vector_has_cosine_zero_and_a_finite_gradient():
    q = torch.zeros(1, 1, 1, 3, requires_grad=True)
    scores = Cosine().dense(q, torch.ones(1, 1, 2, 3))
    assert scores.tolist() == [[[[0.0, 0.0]]]]
    scores.sum().backward()
    assert q.grad.isfinite().all()
    torch.testing.assert_close(unit(torch.tensor([3.0, 4.0])), torch.tensor([0.6, 0.8]))


def test_known_scores():
    q, k = torch.tensor([1.0, 2.0]).view(1, 1, 1, 2), torch.tensor([3.0, -1.0]).view(1, 1, 1, 2)
    assert float(Dot(1.0).dense(q, k)) == 1.0
    assert float(Kernel(relu).dense(q, k)) == 3.0
    torch.testing.assert_close(
        float(Kernel(elu_plus_one).dense(q, k)), 2 * 4 + 3 * float(torch.tensor(-1.0).exp())
    )
    density = (
        torch.distributions.Normal(k.flatten(), torch.tensor([2.0, 3.0])).log_prob(q.flatten()).sum() + 0.5
    )
    gaussian = Gaussian(torch.tensor([[4.0, 9.0]]).log(), torch.tensor([0.5]))
    torch.testing.assert_close(gaussian.dense(q, k).squeeze(), density)


def test_who_is_never_negative():
    promised = Kernel(torch.exp, nonnegative=True)
    assert [
        x.nonnegative
        for x in (Kernel(relu), Kernel(elu_plus_one), Kernel(polynomial), promised, Constant(), Constant(0.0))
    ] == [True] * 6
    for similarity in (Kernel(torch.tanh), Dot(), Cosine(), Gaussian(), Additive(1, 1), Constant(-1.0)):
        assert not similarity.nonnegative
    x = random(1, 1, 3, 2)
    assert attend(x, x, x, similarity=promised, normalise=Divide()).backend == "linear"


def test_the_same_relation_scores_the_same_and_another_differs():
    similarity = Additive(1, 2, relations=2)
    with torch.no_grad():
        similarity.relation.copy_(torch.tensor([[0.0, 5.0]]))
    edges = Edges(
        torch.tensor([0, 0, 1]), torch.tensor([0, 0, 0]), sizes=(1, 2), relation=torch.tensor([0, 1, 0])
    )
    scores = similarity.pairs(torch.zeros(1, 1, 1, 2), torch.zeros(1, 1, 2, 2), edges)
    assert scores.flatten().tolist() == [0.0, 5.0, 0.0]


def message(similarity: Similarity, support=None) -> str:
    q, k = torch.ones(1, 2, 3, 4), torch.ones(1, 2, 5, 4)
    with pytest.raises(RegardError) as error:
        attend(q, k, k, similarity=similarity, **({} if support is None else {"support": support}))
    return str(error.value)


def test_parameters_that_do_not_fit_are_told():
    assert message(Additive(3, 4)) == (
        "Additive was built for other heads or another width\n"
        "  got: 2 heads of width 4, built for 3 of width 4\n"
        "  fix: Additive(heads=2, width=4)"
    )
    assert message(Gaussian(torch.zeros(4, 1))) == (
        "Gaussian needs one log-variance per key, or one per key and channel\n"
        "  got: log_variance (4, 1) with 5 keys of width 4\n"
        "  fix: shape it (5, 1) or (5, 4)"
    )
    assert message(Gaussian(log_weight=torch.zeros(4))) == (
        "Gaussian needs one log-weight per key\n  got: log_weight (4,) with 5 keys\n  fix: shape it (5,)"
    )


@pytest.mark.parametrize(("name", "options"), [("relation", {"relations": 2}), ("features", {"features": 2})])
def test_terms_without_their_edges_are_told(name, options):
    edges = Edges(torch.tensor([0]), torch.tensor([1]), sizes=(3, 5))
    assert message(Additive(2, 4, **options), edges) == (
        f"Additive has a term for the edges' {name}, and the edges have none\n"
        f"  got: Edges without {name}\n"
        f"  fix: pass Edges(source, target, {name}=...), or build Additive without it"
    )


def unfit(name: str, wrong: torch.Tensor) -> str:
    """What a Gaussian says of a part that no checker of types has seen."""
    gaussian, q, k = Gaussian(), torch.ones(1, 2, 3, 4), torch.ones(1, 2, 5, 4)
    object.__setattr__(gaussian, name, wrong)
    with pytest.raises(RegardError) as error:
        gaussian.fit(q, k)
    return str(error.value)


@pytest.mark.parametrize("wrong", [torch.zeros(5), torch.zeros(5, 2), torch.zeros(())])
def test_a_log_variance_of_other_axes_is_told(wrong):
    assert unfit("log_variance", wrong).startswith("Gaussian needs one log-variance per key")


def test_a_log_weight_without_axes_is_told():
    assert unfit("log_weight", torch.zeros(())).startswith("Gaussian needs one log-weight per key")


@pytest.mark.parametrize("make", [Dot, Cosine, Constant])
@pytest.mark.parametrize("wrong", [float("inf"), -float("inf"), float("nan")])
def test_a_factor_of_the_scores_is_finite(make, wrong):
    with pytest.raises(RegardError):
        make(wrong)


def test_an_infinite_factor_is_told_in_three_lines():
    with pytest.raises(RegardError) as error:
        Dot(float("inf"))
    assert str(error.value) == "Dot: scale is a finite number\n  got: scale=inf\n  fix: pass a finite number"


@pytest.mark.parametrize("phi", [elu_plus_one, relu, polynomial])
@pytest.mark.parametrize("wrong", [torch.zeros(()), torch.zeros(3, dtype=torch.long)])
def test_what_no_feature_map_takes_is_told(phi, wrong):
    with pytest.raises(RegardError) as error:
        inspect.unwrap(phi)(wrong)
    assert str(error.value) == (
        f"{phi.__name__} maps vectors of real numbers\n"
        f"  got: a tensor {tuple(wrong.shape)} of {wrong.dtype}\n  fix: convert them with .float()"
    )


def test_each_heads_product_with_its_vector_is_that_of_the_head_alone() -> None:
    x, vectors = torch.randn(2, 3, 5, 4, dtype=torch.float64), torch.randn(3, 4, dtype=torch.float64)
    found = _apart(x, vectors)
    for head in range(3):
        torch.testing.assert_close(found[:, head], x[:, head] @ vectors[head])
