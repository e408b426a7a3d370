"""A sampler for torch_geometric's NodeLoader, where its compiled one (pyg-lib, torch-sparse) is missing."""

from typing import TYPE_CHECKING, Any

from regard.arguments import check
from regard.errors import RegardError
from regard.models.graph.sampler import NeighbourSampler

if TYPE_CHECKING:
    from torch_geometric.sampler import BaseSampler


def geometric_sampler(sampler: NeighbourSampler) -> "BaseSampler":
    """The same draws as torch_geometric asks for them: NodeLoader(data, node_sampler=..., batch_size=...).

    Its batches are those of a NeighborLoader; features of edges are not carried along.
    """
    check("geometric_sampler", "sampler", sampler, NeighbourSampler)
    try:
        from torch_geometric.sampler import BaseSampler, SamplerOutput
    except ImportError as error:
        raise RegardError("this needs torch_geometric", f"{error}", "pip install regard[bench]") from error

    class Drawn(BaseSampler):
        def __init__(self) -> None:
            self.number = 0

        def sample_from_nodes(self, index: Any, **more: Any) -> SamplerOutput:
            nodes, source, target = sampler.draw(index.node, number=self.number)
            self.number += 1
            return SamplerOutput(nodes, source, target, None, metadata=(index.input_id, index.time))

        def sample_from_edges(self, index: Any, neg_sampling: Any = None) -> SamplerOutput:
            raise RegardError(
                "this sampler draws the neighbourhoods of nodes", "edges", "pass it to a NodeLoader"
            )

    return Drawn()
