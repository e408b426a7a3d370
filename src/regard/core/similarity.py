"""Similarities (score functions): how much a query regards a key, before position and normalisation."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, log, pi, sqrt

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.arguments import check, check_fields, check_sizes, kinds, told
from regard.core.edges import Edges
from regard.errors import RegardError
from regard.shapes import Float


class Similarity:
    """The protocol: scores over all pairs, and over the pairs of an edge list."""

    nonnegative: bool = False
    "True where no score can be below zero, as Divide and Symmetric need."

    def fit(self, q: Tensor, k: Tensor) -> None:
        """Raise where the similarity's own parameters do not fit the tensors."""

    def dense(self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"]) -> Float[Tensor, "b h n m"]:
        """Score of every query with every key."""
        raise NotImplementedError

    def pairs(
        self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"], edges: Edges
    ) -> Float[Tensor, "b h e"]:
        """Score of every edge, in the order in which the edges were given."""
        raise NotImplementedError


@dataclass(frozen=True)
class Dot(Similarity):
    """The inner product times a scale: q · k / sqrt(d) unless another scale is given.

    >>> q = k = torch.eye(4).view(1, 1, 4, 4)
    >>> Dot().dense(q, k)[0, 0, 0]
    tensor([0.5000, 0.0000, 0.0000, 0.0000])
    """

    scale: float | None = None
    "Factor of the inner product; 1 / sqrt(d) when it is None."

    def __post_init__(self) -> None:
        check_finite("Dot", "scale", 1.0 if self.scale is None else self.scale)

    def factor(self, width: int) -> float:
        """The scale for queries of this width."""
        return width**-0.5 if self.scale is None else self.scale

    def dense(self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"]) -> Float[Tensor, "b h n m"]:
        return torch.einsum("bhnd,bhmd->bhnm", q, k) * self.factor(q.shape[-1])

    def pairs(
        self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"], edges: Edges
    ) -> Float[Tensor, "b h e"]:
        return (q[:, :, edges.target] * k[:, :, edges.source]).sum(-1) * self.factor(q.shape[-1])


@dataclass(frozen=True)
class Cosine(Similarity):
    """The cosine of the angle between query and key, times a scale; that of a zero vector is 0.

    >>> q, k = torch.tensor([[3.0, 4.0]]).view(1, 1, 1, 2), torch.tensor([[2.0, 0.0]]).view(1, 1, 1, 2)
    >>> Cosine().dense(q, k)
    tensor([[[[0.6000]]]])
    """

    scale: float = 1.0
    "Factor of the cosine: an inverse temperature."

    def __post_init__(self) -> None:
        check_finite("Cosine", "scale", self.scale)

    def dense(self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"]) -> Float[Tensor, "b h n m"]:
        return Dot(self.scale).dense(unit(q), unit(k))

    def pairs(
        self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"], edges: Edges
    ) -> Float[Tensor, "b h e"]:
        return Dot(self.scale).pairs(unit(q), unit(k), edges)


@dataclass(frozen=True)
class Constant(Similarity):
    """The same score for every pair: what is left is the support and the normaliser.

    >>> Constant().dense(torch.zeros(1, 1, 2, 5), torch.zeros(1, 1, 3, 5))
    tensor([[[[1., 1., 1.],
              [1., 1., 1.]]]])
    """

    value: float = 1.0
    "The score."

    def __post_init__(self) -> None:
        check_finite("Constant", "value", self.value)

    @property
    def nonnegative(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether the score can be divided by its sum."""
        return self.value >= 0

    def dense(self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"]) -> Float[Tensor, "b h n m"]:
        return q.new_full((*q.shape[:3], k.shape[2]), self.value)

    def pairs(
        self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"], edges: Edges
    ) -> Float[Tensor, "b h e"]:
        return q.new_full((*q.shape[:2], edges.count), self.value)


@dataclass(frozen=True, eq=False)
class Gaussian(Similarity):
    """log( weight_j · N(q_i; k_j, variance_j) ): under Softmax the responsibilities of a mixture.

    >>> mixture = Gaussian(log_variance=torch.zeros(2, 1), log_weight=torch.tensor([0.25, 0.75]).log())
    >>> at_the_middle, means = torch.zeros(1, 1, 1, 1), torch.tensor([-1.0, 1.0]).view(1, 1, 2, 1)
    >>> mixture.dense(at_the_middle, means).softmax(-1)
    tensor([[[[0.2500, 0.7500]]]])
    """

    log_variance: Float[Tensor, "*heads m #d"] | None = None
    "Per key, and per channel where its last axis is as wide as the keys; ones where None."
    log_weight: Float[Tensor, "*heads m"] | None = None
    "Per key; equal where None."

    def __post_init__(self) -> None:
        check_fields(self)

    def fit(self, q: Tensor, k: Tensor) -> None:
        """Raise where there is not one variance and one weight per key."""
        keys, width = k.shape[2:]
        variance, weight = self.log_variance, self.log_weight
        if variance is not None and not (
            variance.dim() > 1 and variance.shape[-2] == keys and variance.shape[-1] in (1, width)
        ):
            raise RegardError(
                "Gaussian needs one log-variance per key, or one per key and channel",
                f"log_variance {tuple(variance.shape)} with {keys} keys of width {width}",
                f"shape it ({keys}, 1) or ({keys}, {width})",
            )
        if weight is not None and not (weight.dim() > 0 and weight.shape[-1] == keys):
            raise RegardError(
                "Gaussian needs one log-weight per key",
                f"log_weight {tuple(weight.shape)} with {keys} keys",
                f"shape it ({keys},)",
            )

    def dense(self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"]) -> Float[Tensor, "b h n m"]:
        log_variance, log_weight = self._per_key(k)
        gap = (q.unsqueeze(3) - k.unsqueeze(2)).square() * (-log_variance).exp().unsqueeze(-3)
        return log_weight.unsqueeze(-2) - (gap.sum(-1) + log_variance.sum(-1).unsqueeze(-2)) / 2

    def pairs(
        self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"], edges: Edges
    ) -> Float[Tensor, "b h e"]:
        log_variance, log_weight = self._per_key(k)
        spread = log_variance[..., edges.source, :]
        gap = (q[:, :, edges.target] - k[:, :, edges.source]).square() * (-spread).exp()
        return log_weight[..., edges.source] - (gap.sum(-1) + spread.sum(-1)) / 2

    def _per_key(self, k: Tensor) -> tuple[Tensor, Tensor]:
        """Log-variance per key and channel, and the log-weight with the constant of the density."""
        variance = k.new_zeros(()) if self.log_variance is None else self.log_variance.to(k.dtype)
        weight = k.new_zeros(k.shape[2]) if self.log_weight is None else self.log_weight.to(k.dtype)
        return variance.expand(*variance.shape[:-2], *k.shape[2:]), weight - k.shape[3] * log(2 * pi) / 2


@dataclass(frozen=True)
class Kernel(Similarity):
    """phi(q) · phi(k): a kernel through its feature map, which the linear backend sums by associativity.

    >>> Kernel(polynomial).dense(torch.full((1, 1, 1, 2), 2.0), torch.ones(1, 1, 1, 2))   # (2 + 2 + 1)²
    tensor([[[[25.]]]])
    """

    phi: Callable[[Tensor], Tensor]
    "The feature map, on the last axis: `elu_plus_one`, `relu`, `polynomial`, or your own."
    nonnegative: bool | None = None  # pyright: ignore[reportIncompatibleVariableOverride]
    "Whether phi(q) · phi(k) is never below zero; known for ours, to be promised for your own."

    def __post_init__(self) -> None:
        check_fields(self)
        if self.nonnegative is None:
            object.__setattr__(self, "nonnegative", self.phi in (elu_plus_one, relu, polynomial))

    def __repr__(self) -> str:
        return f"Kernel({getattr(self.phi, '__name__', self.phi)})"

    def dense(self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"]) -> Float[Tensor, "b h n m"]:
        return Dot(1.0).dense(self.phi(q), self.phi(k))

    def pairs(
        self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"], edges: Edges
    ) -> Float[Tensor, "b h e"]:
        return Dot(1.0).pairs(self.phi(q), self.phi(k), edges)


class Additive(nn.Module, Similarity):
    """LeakyReLU( target · q_i + source · k_j + relation_r + feature · f_ij ): the score of a GAT layer.

    >>> similarity = Additive(heads=2, width=3)
    >>> similarity.dense(torch.zeros(1, 2, 4, 3), torch.zeros(1, 2, 5, 3)).shape
    torch.Size([1, 2, 4, 5])
    """

    @kinds
    def __init__(
        self, heads: int, width: int, *, slope: float = 0.2, relations: int = 0, features: int = 0
    ) -> None:
        super().__init__()
        check_sizes("Additive", heads=heads, width=width)
        check_sizes("Additive", least=0, relations=relations, features=features)
        check_finite("Additive", "slope", slope)
        self.slope = slope
        self.target = nn.Parameter(torch.empty(heads, width))
        self.source = nn.Parameter(torch.empty(heads, width))
        self.relation = nn.Parameter(torch.zeros(heads, relations)) if relations else None
        self.feature = nn.Parameter(torch.empty(heads, features)) if features else None
        for parameter in (self.target, self.source, self.feature):
            if parameter is not None:
                nn.init.xavier_uniform_(parameter)

    def fit(self, q: Tensor, k: Tensor) -> None:
        """Raise where heads or width differ from the parameters."""
        fit_vectors("Additive", self.target, q)

    def parts(self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"]) -> tuple[Tensor, Tensor]:
        """What each query and each key adds to its scores: (b h n) and (b h m)."""
        if q.is_cuda:
            return _apart(q, self.target.to(q)), _apart(k, self.source.to(k))
        return torch.einsum("bhnd,hd->bhn", q, self.target.to(q)), torch.einsum(
            "bhmd,hd->bhm", k, self.source.to(k)
        )

    def extra(self, edges: Edges) -> Float[Tensor, "h e"] | None:
        """What the relation and the features of each edge add to its score."""
        terms = []
        if self.relation is not None:
            terms.append(self.relation[:, given(edges.relation, "relation", "Additive")])
        if self.feature is not None:
            terms.append(
                torch.einsum("ef,hf->he", given(edges.features, "features", "Additive"), self.feature)
            )
        return torch.stack(terms).sum(0) if terms else None

    def dense(self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"]) -> Float[Tensor, "b h n m"]:
        """Score of every query with every key; relations and features live on edges alone."""
        target, source = self.parts(q, k)
        return F.leaky_relu(target.unsqueeze(3) + source.unsqueeze(2), self.slope)

    def pairs(
        self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"], edges: Edges
    ) -> Float[Tensor, "b h e"]:
        target, source = self.parts(q, k)
        scores, extra = target[:, :, edges.target] + source[:, :, edges.source], self.extra(edges)
        return F.leaky_relu(scores if extra is None else scores + extra.to(scores), self.slope)


def check_finite(owner: str, name: str, value: object) -> None:
    """Raise where a factor of the scores is no finite number."""
    check(owner, name, value, float)
    if not isfinite(value):  # type: ignore[arg-type]
        raise RegardError(f"{owner}: {name} is a finite number", f"{name}={value}", "pass a finite number")


def fit_vectors(name: str, vectors: Float[Tensor, "h d"], q: Tensor) -> None:
    """Raise where queries have other heads or another width than the vectors of a similarity of that name."""
    heads, width = vectors.shape
    if q.shape[1] != heads or q.shape[3] != width:
        raise RegardError(
            f"{name} was built for other heads or another width",
            f"{q.shape[1]} heads of width {q.shape[3]}, built for {heads} of width {width}",
            f"{name}(heads={q.shape[1]}, width={q.shape[3]})",
        )


def given(value: Tensor | None, part: str, name: str) -> Tensor:
    """The edges' own relation or features, or the error that says that they are missing."""
    if value is None:
        raise RegardError(
            f"{name} has a term for the edges' {part}, and the edges have none",
            f"Edges without {part}",
            f"pass Edges(source, target, {part}=...), or build {name} without it",
        )
    return value


def unit(x: Float[Tensor, "*axes d"]) -> Float[Tensor, "*axes d"]:
    """The vectors scaled to length one; zero stays zero, and its gradient finite."""
    length = x.norm(dim=-1, keepdim=True)
    return x / length.where(length > 0, 1.0)


def features(name: str, x: Tensor) -> Tensor:
    """What a feature map takes: vectors of real numbers, or the error that says so."""
    if not isinstance(x, Tensor) or x.dim() == 0 or not x.is_floating_point():
        raise RegardError(f"{name} maps vectors of real numbers", told(x), "convert them with .float()")
    return x


def _apart(x: Float[Tensor, "b h n d"], vectors: Float[Tensor, "h d"]) -> Float[Tensor, "b h n"]:
    """Each head's product with its vector, as one product with a matrix that is zero between heads.

    On a GPU that reads and writes whole rows of nodes, forwards and backwards.
    """
    own = torch.eye(len(vectors), dtype=x.dtype, device=x.device).unsqueeze(1) * vectors.unsqueeze(2)
    return (x.transpose(1, 2).flatten(2) @ own.flatten(0, 1)).transpose(1, 2)


def elu_plus_one(x: Float[Tensor, "*axes d"]) -> Float[Tensor, "*axes d"]:
    """elu(x) + 1: positive, and linear for positive x."""
    return F.elu(features("elu_plus_one", x)) + 1


def relu(x: Float[Tensor, "*axes d"]) -> Float[Tensor, "*axes d"]:
    """max(x, 0)."""
    return F.relu(features("relu", x))


def polynomial(x: Float[Tensor, "*axes d"]) -> Float[Tensor, "*axes f"]:
    """The feature map of (x · y + 1) squared: 1, sqrt(2) x_a, x_a squared, and sqrt(2) x_a x_b for a < b.

    >>> polynomial(torch.tensor([3.0, 5.0]))
    tensor([ 1.0000,  4.2426,  7.0711,  9.0000, 25.0000, 21.2132])
    """
    x = features("polynomial", x)
    first, second = torch.triu_indices(x.shape[-1], x.shape[-1], offset=1, device=x.device)
    ones, cross = torch.ones_like(x[..., :1]), x[..., first] * x[..., second]
    return torch.cat([ones, sqrt(2) * x, x.square(), sqrt(2) * cross], -1)
