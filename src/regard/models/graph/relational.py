"""Relational graph attention: edges of several kinds (RGAT), and a classifier of graphs."""

from collections.abc import Sequence
from typing import Any, Literal, overload
from weakref import WeakKeyDictionary

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.arguments import check as kind
from regard.arguments import check_share, check_sizes, kinds
from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.similarity import Additive
from regard.errors import RegardError
from regard.models.graph.aggregate import Aggregate, means
from regard.models.graph.batch import Graph
from regard.models.graph.convert import from_geometric
from regard.models.graph.given import GraphLike
from regard.models.graph.layers import taken
from regard.models.graph.sparse import Features, drop
from regard.shapes import Float


class RelationalAttention(nn.Module):
    """y_i = x_i B + sum over relations r of sum over the edges of kind r to i of w_ij x_j W_r + bias.

    Each relation has its own map W_r and its own softmax: the weights of the edges of one kind to a node sum
    to one. The score is that of GAT over the maps; its two vectors serve all relations.

    >>> layer = RelationalAttention(3, 2, relations=2, heads=4)
    >>> edges = Edges(torch.tensor([0, 0]), torch.tensor([1, 1]), nodes=2, relation=torch.tensor([0, 1]))
    >>> layer(torch.ones(2, 3), edges).shape
    torch.Size([2, 8])
    """

    @kinds
    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        relations: int,
        heads: int,
        slope: float = 0.2,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        features: int = 0,
    ) -> None:
        super().__init__()
        check_sizes("RelationalAttention", inputs=inputs, outputs=outputs, relations=relations, heads=heads)
        check_share("RelationalAttention", dropout=dropout, attention_dropout=attention_dropout)
        self.relations, self.heads = relations, heads
        self.dropout, self.attention_dropout = dropout, attention_dropout
        self.similarity = Additive(heads, outputs, slope=slope, features=features)
        maps = [nn.init.xavier_uniform_(torch.empty(inputs, heads * outputs)) for _ in range(relations + 1)]
        self.weight, self.own = nn.Parameter(torch.cat(maps[1:], 1)), nn.Parameter(maps[0])
        self.bias = nn.Parameter(torch.zeros(heads * outputs))

    @overload
    def forward(
        self, x: Features | GraphLike, edges: GraphLike = None, weights: Literal[False] = False
    ) -> Tensor: ...
    @overload
    def forward(
        self, x: Features | GraphLike, edges: GraphLike = None, *, weights: Literal[True]
    ) -> tuple[Tensor, Tensor]: ...
    def forward(
        self, x: Features | GraphLike, edges: GraphLike = None, weights: bool = False
    ) -> Float[Tensor, "n c"] | tuple[Float[Tensor, "n c"], Float[Tensor, "h e"]]:
        """What each node takes from its neighbours; with the weights of the edges, as given, if asked for."""
        x, edges = taken(x, edges, self.own)
        x = drop(x, self.dropout, self.training)
        h = (x @ self.weight).view(1, len(x) * self.relations, self.heads, -1).transpose(1, 2)
        attended = attend(
            *(h, h, h),
            similarity=self.similarity,
            support=unfolded(edges, self.relations),
            dropout=self.attention_dropout if self.training else 0.0,
            weights=weights,
        )
        by_relation = attended.output[0].transpose(0, 1).reshape(len(x), self.relations, -1)
        y = by_relation.sum(1) + x @ self.own + self.bias
        return (y, attended.weights[0]) if weights and attended.weights is not None else y


class RelationalGAT(nn.Module):
    """Classes of whole graphs: layers of relational attention, a readout of the nodes, two linear maps.

    >>> edges = Edges(torch.tensor([0, 0]), torch.tensor([1, 1]), nodes=2, relation=torch.tensor([0, 1]))
    >>> model = RelationalGAT(3, 4, 5, relations=2, heads=2, depth=2)
    >>> model(Graph(torch.ones(2, 3), edges)).shape
    torch.Size([1, 5])
    """

    @kinds
    def __init__(
        self,
        inputs: int,
        hidden: int,
        classes: int,
        *,
        relations: int,
        heads: int,
        depth: int = 2,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        features: int = 0,
        readouts: Sequence[Aggregate] = (means,),
    ) -> None:
        super().__init__()
        check_sizes("RelationalGAT", hidden=hidden, classes=classes, depth=depth, readouts=len(readouts))
        check_share("RelationalGAT", dropout=dropout)
        self.dropout, self.readouts = dropout, tuple(readouts)
        width = hidden * heads
        drops = {"dropout": dropout, "attention_dropout": attention_dropout}
        options = {"relations": relations, "heads": heads, "features": features, **drops}
        self.layers = nn.ModuleList(
            RelationalAttention(width if i else inputs, hidden, **options) for i in range(depth)
        )
        self.inner = nn.Linear(width * len(self.readouts), width)
        self.out = nn.Linear(width, classes)

    def forward(self, graph: Graph | GraphLike) -> Float[Tensor, "g k"]:
        """The scores of every graph's classes."""
        data: Any = graph
        graph = from_geometric(data) if hasattr(data, "edge_index") else graph
        kind("RelationalGAT", "graph", graph, Graph)
        x = self.embedding(graph)
        read = torch.cat([readout(x, graph.group, graph.graphs) for readout in self.readouts], 1)
        return self.out(F.dropout(F.relu(self.inner(read)), self.dropout, self.training))

    def embedding(self, graph: Graph) -> Float[Tensor, "n c"]:
        """Every node after the last layer."""
        x = graph.features
        for layer in self.layers:
            x = F.elu(layer(x, graph.edges))
        assert isinstance(x, Tensor)
        return x

    def weights(self, graph: Graph) -> list[Float[Tensor, "h e"]]:
        """Layer by layer, the weight of every edge, in the order of the edges."""
        x, seen = graph.features, []
        for layer in self.layers:
            y, weights = layer(x, graph.edges, weights=True)
            x, seen = F.elu(y), [*seen, weights]
        return seen


_UNFOLDED: "WeakKeyDictionary[Edges, dict[int, Edges]]" = WeakKeyDictionary()


def unfolded(edges: Edges, relations: int) -> Edges:
    """The same edges, in the same order, over one copy of every node for each relation.

    An edge of kind r joins the copies r of its ends. It is sorted once and kept as long as the edges are.
    """
    known = _UNFOLDED.setdefault(edges, {})
    if relations not in known:
        kinds = _kinds(edges, relations)
        known[relations] = Edges(
            edges.source * relations + kinds,
            edges.target * relations + kinds,
            nodes=edges.sizes[0] * relations,
            features=edges.features,
        )
    return known[relations]


def _kinds(edges: Edges, relations: int) -> Tensor:
    if edges.relation is None:
        raise RegardError(
            "relational attention needs the kind of every edge",
            "Edges without relation",
            "pass Edges(source, target, relation=...)",
        )
    if edges.count and int(edges.relation.max()) >= relations:
        raise RegardError(
            f"the layer was built for {relations} relations",
            f"relation {int(edges.relation.max())}",
            f"number the relations from 0 to {relations - 1}, or build the layer for more",
        )
    return edges.relation
