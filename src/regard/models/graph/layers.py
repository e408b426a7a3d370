"""GCN, GAT and message passing. Edges are summed as given: `edges.with_loops()` adds self-loops.

Layers take (x, edges), where edges are Edges, an edge_index, a torch_geometric Data or a networkx graph; or
one that has features too, alone. An edge given twice counts twice, as in torch_geometric: `as_edges(graph)`
says how many are, and `as_edges(graph, duplicates="merge")` counts each once. Edges are sorted once: make
them before a training.

GCN: Kipf and Welling, 2017. GAT: Veličković et al., 2018. Message passing: Gilmer et al., 2017.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeGuard, overload

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.arguments import check_share, check_sizes, kinds, told
from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.normalise import Mean, Normaliser, Symmetric
from regard.core.similarity import Additive, Constant
from regard.errors import RegardError
from regard.models.graph.aggregate import Aggregate, sums
from regard.models.graph.gatv2 import GATv2Score
from regard.models.graph.given import GraphLike, features_and_edges
from regard.models.graph.sampled import SampledEdges
from regard.models.graph.sparse import Features, SparseFeatures, drop
from regard.shapes import Float

Score = type[Additive] | type[GATv2Score]
"""How much a node regards its neighbour: `Additive` is GAT, `GATv2Score` GATv2."""


class GraphConvolution(nn.Module):
    """y_i = sum over the edges to i of w_ij x_j W + bias, with weights that the edges alone decide.

    `Symmetric()` gives w_ij = 1 / sqrt(edges to i · edges from j), a GCN where the edges have loops;
    `Mean()` gives 1 / (edges to i). With `self_connection` a node adds its own x_i B, which with `Mean()` and
    no loops is the sum W · (mean of the neighbours) + B · (the node itself).

    >>> layer = GraphConvolution(3, 2)
    >>> path = Edges(torch.tensor([0, 1]), torch.tensor([1, 2]), nodes=3).both_ways().with_loops()
    >>> layer(torch.eye(3), path).shape
    torch.Size([3, 2])
    """

    @kinds
    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        normalise: Normaliser = Symmetric(),
        bias: bool = True,
        self_connection: bool = False,
    ) -> None:
        super().__init__()
        check_sizes("GraphConvolution", inputs=inputs, outputs=outputs)
        self.normalise = normalise
        self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(inputs, outputs)))
        self.own = (
            nn.Parameter(nn.init.xavier_uniform_(torch.empty(inputs, outputs))) if self_connection else None
        )
        self.bias = nn.Parameter(torch.zeros(outputs)) if bias else None

    def forward(self, x: Features | GraphLike, edges: GraphLike = None) -> Float[Tensor, "n c"]:
        """What the neighbours send to each node."""
        x, edges = taken(x, edges, self.weight)
        h = x @ self.weight
        y = _sampled(h, edges) if _drawn(edges, self.normalise) else _summed(h, edges, self.normalise)
        if self.own is not None:
            y = y + x @ self.own
        return y if self.bias is None else y + self.bias


def _summed(h: Float[Tensor, "n c"], edges: Edges, normalise: Normaliser) -> Float[Tensor, "n c"]:
    h = h[None, None]
    y = attend(h, h, h, similarity=Constant(), support=edges, normalise=normalise).output
    return y.squeeze(1).squeeze(0)


def _drawn(edges: Edges, normalise: Normaliser) -> TypeGuard[SampledEdges]:
    """Whether the weights need degrees that the edges alone do not show: those of the graph they are from."""
    return isinstance(edges, SampledEdges) and type(normalise) is Symmetric


def _sampled(h: Float[Tensor, "n c"], edges: SampledEdges) -> Float[Tensor, "n c"]:
    """The symmetric sum over all edges, estimated by the drawn ones: sqrt(d_i) · mean of h_j / sqrt(d_j)."""
    into, out_of = (one.clamp(min=1).to(h.dtype)[:, None] for one in (edges.into, edges.out_of))
    return into.sqrt() * _summed(h * out_of.rsqrt(), edges, Mean())


class GraphAttention(nn.Module):
    """y_i = sum over the edges to i of w_ij x_j W, the weights a softmax of scores over the edges to i.

    `outputs` is the width of one head; heads are concatenated, or else averaged. The score is that of GAT,
    or with `similarity=GATv2Score` that of GATv2; `relations` and `features` let it see the edges' own.

    >>> layer = GraphAttention(3, 2, heads=4)
    >>> path = Edges(torch.tensor([0, 1]), torch.tensor([1, 2]), nodes=3).both_ways().with_loops()
    >>> y, weights = layer(torch.eye(3), path, weights=True)
    >>> y.shape, weights.shape
    (torch.Size([3, 8]), torch.Size([4, 7]))
    """

    @kinds
    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        heads: int,
        concatenate: bool = True,
        slope: float = 0.2,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        similarity: Score = Additive,
        relations: int = 0,
        features: int = 0,
        bias: bool = True,
    ) -> None:
        super().__init__()
        check_sizes("GraphAttention", inputs=inputs, outputs=outputs, heads=heads)
        check_share("GraphAttention", dropout=dropout, attention_dropout=attention_dropout)
        self.heads, self.concatenate = heads, concatenate
        self.dropout, self.attention_dropout = dropout, attention_dropout
        self.similarity = similarity(heads, outputs, slope=slope, relations=relations, features=features)
        self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(inputs, heads * outputs)))
        dynamic = similarity is GATv2Score
        # GATv2 adds up two different maps of the two ends before it scores them.
        self.query = nn.Parameter(nn.init.xavier_uniform_(torch.empty_like(self.weight))) if dynamic else None
        self.bias = nn.Parameter(torch.zeros(outputs * (heads if concatenate else 1))) if bias else None

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
        x, edges = taken(x, edges, self.weight)
        x = drop(x, self.dropout, self.training)
        v = self._heads(x @ self.weight)
        attended = attend(
            v if self.query is None else self._heads(x @ self.query),
            v,
            v,
            similarity=self.similarity,
            support=edges,
            dropout=self.attention_dropout if self.training else 0.0,
            weights=weights,
        )
        y = attended.output.squeeze(0)
        y = y.transpose(0, 1).flatten(1) if self.concatenate else y.mean(0)
        y = y if self.bias is None else y + self.bias
        return (y, attended.weights[0]) if weights and attended.weights is not None else y

    def _heads(self, h: Float[Tensor, "n hc"]) -> Float[Tensor, "1 h n c"]:
        return h.view(1, len(h), self.heads, h.shape[1] // self.heads).transpose(1, 2)


class MessagePassing(nn.Module):
    """m_i = aggregate over the edges to i of message(x_i, x_j, f_ij); y_i = update(x_i, m_i).

    `message` and `update` are modules or functions of rows; `aggregate` is `sums`, `means`, `maxima` or
    `medians`. It holds a message per edge; layers that are weighted sums do not, and are faster.

    >>> from regard.models.graph.aggregate import maxima
    >>> layer = MessagePassing(lambda own, other, features: other, lambda x, m: m, aggregate=maxima)
    >>> layer(torch.tensor([[1.0], [5.0], [3.0]]), Edges(torch.tensor([1, 2]), torch.tensor([0, 0]), nodes=3))
    tensor([[5.],
            [0.],
            [0.]])
    """

    @kinds
    def __init__(
        self,
        message: Callable[[Tensor, Tensor, Tensor | None], Tensor],
        update: Callable[[Tensor, Tensor], Tensor],
        *,
        aggregate: Aggregate = sums,
    ) -> None:
        super().__init__()
        self.message, self.update, self.aggregate = message, update, aggregate

    def forward(self, x: Float[Tensor, "n c"] | GraphLike, edges: GraphLike = None) -> Float[Tensor, "n _"]:
        """Every node after one round of messages."""
        x, edges = taken(x, edges, None)
        messages = self.message(x[edges.target], x[edges.source], edges.features)
        return self.update(x, self.aggregate(messages, edges.target, edges.sizes[0]))


class GCN(nn.Module):
    """Two graph convolutions with a ReLU between them; dropout before each. Gives a score per class.

    An edge given twice counts twice; `as_edges(graph, duplicates="merge")` counts it once.

    >>> path = Edges(torch.tensor([0, 1]), torch.tensor([1, 2]), nodes=3).both_ways().with_loops()
    >>> GCN(3, 16, 2)(torch.eye(3), path).shape
    torch.Size([3, 2])
    """

    @kinds
    def __init__(
        self,
        inputs: int,
        hidden: int,
        classes: int,
        *,
        dropout: float = 0.5,
        normalise: Normaliser = Symmetric(),
        bias: bool = True,
        self_connection: bool = False,
    ) -> None:
        super().__init__()
        check_share("GCN", dropout=dropout)
        self.dropout = dropout
        options = {"normalise": normalise, "bias": bias, "self_connection": self_connection}
        self.first = GraphConvolution(inputs, hidden, **options)
        self.second = GraphConvolution(hidden, classes, **options)

    def forward(self, x: Features | GraphLike, edges: GraphLike = None) -> Float[Tensor, "n k"]:
        """The scores of every node's classes."""
        x, edges = features_and_edges(x, edges)
        return self.second(drop(self.embedding(x, edges), self.dropout, self.training), edges)

    def embedding(self, x: Features | GraphLike, edges: GraphLike = None) -> Float[Tensor, "n c"]:
        """What the second layer sees of every node."""
        x, edges = taken(x, edges, self.first.weight)
        return F.relu(self.first(drop(x, self.dropout, self.training), edges))


class GAT(nn.Module):
    """Two layers of graph attention with an ELU between them, the last one's heads averaged.

    An edge given twice counts twice; `as_edges(graph, duplicates="merge")` counts it once.

    >>> path = Edges(torch.tensor([0, 1]), torch.tensor([1, 2]), nodes=3).both_ways().with_loops()
    >>> GAT(3, 8, 2)(torch.eye(3), path).shape
    torch.Size([3, 2])
    """

    @kinds
    def __init__(
        self,
        inputs: int,
        hidden: int,
        classes: int,
        *,
        heads: int = 8,
        out_heads: int = 1,
        slope: float = 0.2,
        dropout: float = 0.6,
        attention_dropout: float = 0.6,
        similarity: Score = Additive,
    ) -> None:
        super().__init__()
        drops = {"dropout": dropout, "attention_dropout": attention_dropout}
        options = {"slope": slope, "similarity": similarity, **drops}
        self.first = GraphAttention(inputs, hidden, heads=heads, **options)
        self.second = GraphAttention(heads * hidden, classes, heads=out_heads, concatenate=False, **options)

    def forward(self, x: Features | GraphLike, edges: GraphLike = None) -> Float[Tensor, "n k"]:
        """The scores of every node's classes."""
        x, edges = features_and_edges(x, edges)
        return self.second(self.embedding(x, edges), edges)

    def embedding(self, x: Features | GraphLike, edges: GraphLike = None) -> Float[Tensor, "n c"]:
        """What the second layer sees of every node."""
        return F.elu(self.first(x, edges))


def taken(x: Features | GraphLike, graph: GraphLike, weight: Tensor | None) -> tuple[Any, Edges]:
    """The features and the edges of a call, in whatever form; raise where they do not fit the layer."""
    inputs = None if weight is None else len(weight)
    x, edges = features_and_edges(x, graph)
    check_kind(x)
    if isinstance(x, Tensor) and x.layout is not torch.strided:
        raise RegardError(
            "layers over graphs take sparse features as SparseFeatures, which sort them once",
            f"a tensor of layout {x.layout}",
            "pass SparseFeatures.of(x), made once before the training",
        )
    if len(x.shape) != 2 or inputs not in (None, x.shape[1]):
        raise RegardError(
            "the layer takes one row of features per node"
            if inputs is None
            else f"the layer was built for {inputs} features per node",
            f"features {tuple(x.shape)}",
            f"shape them (nodes, {inputs or 'features'}), or build the layer for as many",
        )
    if isinstance(x, Tensor):
        _check_type(x, weight)
    if edges.sizes != (len(x), len(x)):
        raise RegardError(
            "features are one row per node of the graph",
            f"{len(x)} rows, edges of sizes {edges.sizes}",
            "give every node its row; nodes without edges have one too"
            if len(x) < max(edges.sizes)
            else f"tell the edges of all nodes, as as_edges(graph, nodes={len(x)}) does",
        )
    return x, edges


def _check_type(x: Tensor, weight: Tensor | None) -> None:
    if not x.is_floating_point():
        raise RegardError("features are real numbers", f"{x.dtype}", "convert them with .float()")
    if weight is None or x.dtype is weight.dtype or torch.is_autocast_enabled(x.device.type):
        return
    raise RegardError(
        "features and layer need one floating type",
        f"features {x.dtype}, weights {weight.dtype}",
        f"convert the features, as in x.to({weight.dtype})",
    )


def check_kind(x: object) -> None:
    """Raise where the features are no matrix."""
    if not isinstance(x, Tensor | SparseFeatures):
        raise RegardError(
            "features are a tensor with one row per node, or SparseFeatures",
            told(x),
            "pass torch.as_tensor(x), of floats",
        )
