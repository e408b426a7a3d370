"""Normalisers: how scores become weights (softmax, mean, symmetric), for masks and edge lists alike."""

from dataclasses import dataclass
from math import inf
from typing import Protocol, runtime_checkable

from torch import Tensor

from regard.shapes import Float


@runtime_checkable
class Members(Protocol):
    """Who belongs to which row and column: a mask or an edge list. Sums come back fit for the scores."""

    def only(self, scores: Tensor, outside: float = 0.0) -> Tensor:
        """The scores of members, and the value of `outside` elsewhere."""
        ...

    def row_max(self, scores: Tensor) -> Tensor:
        """The largest score of a row; zero where the row is empty, or no score is above -inf."""
        ...

    def row_sum(self, scores: Tensor) -> Tensor:
        """The sum over the keys of a query."""
        ...

    def column_sum(self, scores: Tensor) -> Tensor:
        """The sum over the queries of a key."""
        ...

    def row_count(self, scores: Tensor) -> Tensor:
        """How many keys a query has."""
        ...


class Normaliser:
    """The protocol: scores and their members give weights."""

    divides: bool = False
    "True where the scores are divided by their own sums, so that none may be negative."

    def __call__(self, scores: Float[Tensor, "*axes"], members: Members) -> Float[Tensor, "*axes"]:
        """The weights of the scores; zero outside the support."""
        raise NotImplementedError


@dataclass(frozen=True)
class Softmax(Normaliser):
    """exp(s_ij) / sum over j' of exp(s_ij'); the row's maximum is taken off first, against overflow."""

    def __call__(self, scores: Float[Tensor, "*axes"], members: Members) -> Float[Tensor, "*axes"]:
        scores = members.only(scores, -inf)
        powers = (scores - members.row_max(scores).detach()).exp()
        return powers / nonzero(members.row_sum(powers))


@dataclass(frozen=True)
class Divide(Normaliser):
    """s_ij / sum over j' of s_ij', for scores that are never negative; a row of zeros stays zero."""

    divides = True

    def __call__(self, scores: Float[Tensor, "*axes"], members: Members) -> Float[Tensor, "*axes"]:
        scores = members.only(scores)
        return scores / nonzero(members.row_sum(scores))


@dataclass(frozen=True)
class Mean(Normaliser):
    """s_ij / (number of keys in the support of i): on a graph, of edges that point to i."""

    def __call__(self, scores: Float[Tensor, "*axes"], members: Members) -> Float[Tensor, "*axes"]:
        return members.only(scores) / nonzero(members.row_count(scores))


@dataclass(frozen=True)
class Symmetric(Normaliser):
    """s_ij / sqrt( sum over j' of s_ij' · sum over i' of s_i'j ), both over the support.

    With Constant scores the first sum is the in-degree of the target and the second the out-degree of the
    source: on an undirected graph with self-loops both are the degree, and this is the matrix of a GCN.
    """

    divides = True

    def __call__(self, scores: Float[Tensor, "*axes"], members: Members) -> Float[Tensor, "*axes"]:
        scores = members.only(scores)
        return scores * nonzero(members.row_sum(scores)).rsqrt() * nonzero(members.column_sum(scores)).rsqrt()


@dataclass(frozen=True)
class Raw(Normaliser):
    """The scores themselves, inside the support."""

    def __call__(self, scores: Float[Tensor, "*axes"], members: Members) -> Float[Tensor, "*axes"]:
        return members.only(scores)


def peak(most: Float[Tensor, "*axes"]) -> Float[Tensor, "*axes"]:
    """The largest scores with zero in place of -inf, which cannot be taken off: all is hidden there."""
    return most.masked_fill(most == -inf, 0.0)


def nonzero(sums: Float[Tensor, "*axes"]) -> Float[Tensor, "*axes"]:
    """The sums with one in place of zero: what it divides is zero already, and gradients stay finite."""
    return sums.where(sums != 0, 1.0)
