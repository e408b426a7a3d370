"""The reference backend: every score, every weight, one sum. It does every call; others are held to it."""

from dataclasses import dataclass

import torch
from torch import Tensor

from regard.core.call import Call, drop, finite, wide
from regard.core.edges import Edges
from regard.core.normalise import peak
from regard.core.support import positions
from regard.shapes import Bool, Float, Int


def refuse(call: Call) -> None:
    """Nothing is refused."""


def run(call: Call) -> tuple[Float[Tensor, "b h n c"], Tensor]:
    """y_i = sum over j of w_ij v_j, and the weights w; half precision is summed in float32."""
    q, k, v = wide(call.q), wide(call.k), wide(call.v)
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    members = Links(call.support) if isinstance(call.support, Edges) else Cells(dense_mask(call))
    scores = members.scores(call, q, k)
    bias = members.bias(call, scores.dtype)
    if bias is not None:
        hidden = bias.isneginf()
        members, scores = members.without(hidden), scores + bias.masked_fill(hidden, 0.0)
    weights = drop(call.normalise(scores, members), call)
    return members.sum(weights, v).to(call.q.dtype), weights.to(call.q.dtype)


def dense_mask(call: Call) -> Bool[Tensor, "..."] | None:
    """The mask of a dense support."""
    assert not isinstance(call.support, Edges)
    return call.support.mask(call.q.shape[2], call.k.shape[2], call.q.device)


def dense_bias(call: Call, kind: torch.dtype) -> Float[Tensor, "... n m"] | None:
    """What a position and a dense support add to every pair."""
    n, m, device = call.q.shape[2], call.k.shape[2], call.q.device
    own = call.support.bias(n, m, device, kind)
    if call.position is None:
        return own
    placed = call.position.bias(
        positions(n, m, call.position.offset, device), torch.arange(m, device=device), kind
    )
    return own if placed is None else placed if own is None else placed + own


@dataclass(frozen=True)
class Cells:
    """Every pair of query and key, less those a mask hides."""

    shown: Bool[Tensor, "..."] | None

    def scores(self, call: Call, q: Tensor, k: Tensor) -> Float[Tensor, "b h n m"]:
        """The similarity of every pair."""
        return call.similarity.dense(q, k)

    def bias(self, call: Call, kind: torch.dtype) -> Float[Tensor, "... n m"] | None:
        """What the position and an additive mask add to every pair."""
        return dense_bias(call, kind)

    def without(self, hidden: Bool[Tensor, "..."]) -> "Cells":
        """The members less some."""
        return Cells(~hidden if self.shown is None else self.shown & ~hidden)

    def only(self, scores: Tensor, outside: float = 0.0) -> Tensor:
        """The scores of members."""
        return scores if self.shown is None else scores.masked_fill(~self.shown, outside)

    def row_max(self, scores: Tensor) -> Tensor:
        """The largest score of a row."""
        if scores.shape[-1] == 0:
            return scores.new_zeros(())
        return peak(scores.amax(-1, keepdim=True))

    def row_sum(self, scores: Tensor) -> Tensor:
        """The sum over the keys of a query."""
        return scores.sum(-1, keepdim=True)

    def column_sum(self, scores: Tensor) -> Tensor:
        """The sum over the queries of a key."""
        return scores.sum(-2, keepdim=True)

    def row_count(self, scores: Tensor) -> Tensor:
        """How many keys a query has."""
        return self.row_sum(self.only(torch.ones_like(scores)))

    def sum(self, weights: Float[Tensor, "b h n m"], v: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n c"]:
        """The weighted sum of the values."""
        if self.shown is None or finite(v) or not weights.shape[2]:
            return torch.einsum("bhnm,bhmc->bhnc", weights, v)
        # Zero times NaN is NaN, so that what is hidden is left out: query by query, since this is rare.
        rows = zip(weights.unbind(2), self.shown.expand(weights.shape).unbind(2), strict=True)
        seen = [(row.unsqueeze(-1) * v).masked_fill(~shown.unsqueeze(-1), 0.0) for row, shown in rows]
        return torch.stack([messages.sum(2) for messages in seen], 2)


@dataclass(frozen=True)
class Links:
    """The pairs that edges join, less those a position hides; the last axis is the edges as given."""

    edges: Edges
    shown: Bool[Tensor, "..."] | None = None

    def scores(self, call: Call, q: Tensor, k: Tensor) -> Float[Tensor, "b h e"]:
        """The similarity of every edge."""
        return call.similarity.pairs(q, k, self.edges)

    def bias(self, call: Call, kind: torch.dtype) -> Float[Tensor, "... e"] | None:
        """What the position adds to every edge."""
        if call.position is None:
            return None
        i = positions(*self.edges.sizes, call.position.offset, call.q.device).squeeze(-1)
        return call.position.bias(i[..., self.edges.target], self.edges.source, kind)

    def without(self, hidden: Bool[Tensor, "..."]) -> "Links":
        """The members less some."""
        return Links(self.edges, ~hidden)

    def only(self, scores: Tensor, outside: float = 0.0) -> Tensor:
        """The scores of members."""
        return scores if self.shown is None else scores.masked_fill(~self.shown, outside)

    def row_max(self, scores: Tensor) -> Tensor:
        """The largest score among the edges of a target, for each edge."""
        index = self.edges.target.expand(scores.shape)
        rows = scores.new_full((*scores.shape[:-1], self.edges.sizes[0]), -torch.inf)
        return peak(rows.scatter_reduce(-1, index, scores, "amax").gather(-1, index))

    def row_sum(self, scores: Tensor) -> Tensor:
        """The sum over the edges of a target, for each edge."""
        return self._sums(scores, self.edges.target, self.edges.sizes[0])

    def column_sum(self, scores: Tensor) -> Tensor:
        """The sum over the edges of a source, for each edge."""
        return self._sums(scores, self.edges.source, self.edges.sizes[1])

    def row_count(self, scores: Tensor) -> Tensor:
        """How many edges a target has, for each edge."""
        return self.row_sum(self.only(torch.ones_like(scores)))

    def sum(self, weights: Float[Tensor, "b h e"], v: Float[Tensor, "b h m c"]) -> Float[Tensor, "b h n c"]:
        """The weighted sum of the values, target by target."""
        messages = weights.unsqueeze(-1) * v[:, :, self.edges.source]
        if self.shown is not None:
            messages = messages.masked_fill(~self.shown.unsqueeze(-1), 0.0)
        return v.new_zeros((*v.shape[:2], self.edges.sizes[0], v.shape[3])).index_add(
            2, self.edges.target, messages
        )

    def _sums(self, scores: Tensor, ends: Int[Tensor, " e"], size: int) -> Tensor:
        return scores.new_zeros((*scores.shape[:-1], size)).index_add(-1, ends, scores)[..., ends]
