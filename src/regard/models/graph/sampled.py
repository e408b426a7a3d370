"""Sampled neighbourhoods (mini-batches of a graph): small graphs that layers take like any other.

GraphSAGE: Hamilton, Ying and Leskovec, 2017.
"""

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.arguments import told
from regard.core.edges import Edges
from regard.errors import RegardError
from regard.models.graph.batch import Graph
from regard.shapes import Float, Int


class SampledEdges(Edges):
    """Edges drawn from a larger graph: they know how many edges each node has there.

    A sum over the edges to i is estimated by the drawn ones: `into[i]` times their mean.
    """

    into: Int[Tensor, " n"]
    "How many edges of the larger graph point to each node."
    out_of: Int[Tensor, " n"]
    "How many leave it there."

    def __init__(self, source: Tensor, target: Tensor, *, into: Tensor, out_of: Tensor) -> None:
        super().__init__(source, target, nodes=len(into), duplicates="keep")
        self.into, self.out_of = into, out_of


@dataclass(frozen=True, eq=False)
class SampledGraph(Graph):
    """Some nodes of a larger graph, the ones that are asked for first, and the edges drawn among them.

    It has the names of a batch of torch_geometric's NeighborLoader: x, y, edge_index, n_id, batch_size.
    """

    n_id: Tensor | None = None
    "The number in the larger graph of each node."
    batch_size: int = 0
    "How many of the nodes were asked for: the first ones. Only what a model says of these is meant."

    @property
    def x(self) -> Float[Tensor, "n c"]:
        """The features of the nodes."""
        assert isinstance(self.features, Tensor)
        return self.features

    @property
    def y(self) -> Tensor | None:
        """The labels of the nodes."""
        return self.labels

    @property
    def edge_index(self) -> Int[Tensor, "2 e"]:
        """Sources and targets, by their numbers in this graph."""
        return torch.stack([self.edges.source, self.edges.target])


def node_loss(model: nn.Module, batch: Any) -> Float[Tensor, ""]:
    """The cross-entropy over the nodes that a batch is about: a `Graph`, or one of torch_geometric's loaders.

    Those are the nodes that were asked for, where a sampler drew the batch (`SampledGraph`, NeighborLoader,
    NodeLoader). Else (DataLoader, RandomNodeLoader, ClusterLoader) they are the nodes of its `train_mask`, or
    all where it has none.

    >>> from regard.models.graph.layers import GCN
    >>> from regard.models.graph.sampler import NeighbourSampler
    >>> ring = Edges(torch.arange(6), (torch.arange(6) + 1) % 6, nodes=6).with_loops()
    >>> sampler = NeighbourSampler(ring, (2, 2), features=torch.eye(6), labels=torch.arange(6) % 2)
    >>> node_loss(GCN(6, 4, 2), sampler.sample(torch.tensor([0, 3]))).shape
    torch.Size([])
    """
    labels = batch.labels if isinstance(batch, Graph) else getattr(batch, "y", None)
    # Where graphs lie side by side, torch_geometric's batch_size is how many graphs there are.
    size = None if hasattr(batch, "num_graphs") else getattr(batch, "batch_size", None)
    if not isinstance(labels, Tensor) or labels.dim() != 1 or not _fits(size, len(labels)):
        raise RegardError(
            "the loss needs the labels of a batch, one class for each of its nodes",
            f"{type(batch).__name__} with batch_size={size} and y={told(labels)}",
            "give the sampler labels=..., or the loader's Data y=...",
        )
    if size is None and hasattr(batch, "edge_label_index"):
        raise RegardError(
            "this is the loss of nodes", "a batch of edges (edge_label_index)", "use a loader of nodes"
        )
    device = next(model.parameters()).device
    if labels.device != device:
        batch, labels = batch.to(device), labels.to(device)
    scores = model(batch)
    if len(scores) != len(labels):
        raise RegardError(
            "the loss compares what a model says of each node with the label of that node",
            f"{len(scores)} rows of scores, {len(labels)} labels",
            "give every node its label; labels of graphs need a readout and a loss of their own",
        )
    asked = slice(size) if size is not None else getattr(batch, "train_mask", None)
    if isinstance(asked, Tensor) and asked.shape != labels.shape:
        raise RegardError(
            "a train_mask says of each node whether it is learned from",
            f"shape {tuple(asked.shape)} for {len(labels)} nodes",
            "choose one split: data.train_mask = data.train_mask[:, 0]",
        )
    if asked is not None:
        scores, labels = scores[asked], labels[asked]
    # The mean over no nodes is NaN, and a part of a graph may have none to learn from.
    return F.cross_entropy(scores, labels) if len(labels) else scores.sum()


def _fits(size: Any, nodes: int) -> bool:
    """Whether so many nodes can have been asked for; none is said of a batch that is about all."""
    return size is None or (isinstance(size, int) and 0 < size <= nodes)
