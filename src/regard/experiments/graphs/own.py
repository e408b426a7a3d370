"""A graph of one's own as a setting of an experiment: its file, its nodes, their labels."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from regard.data.sets.graphs import Network
from regard.data.sets.network import read_network
from regard.errors import RegardError
from regard.lab.ranges import OwnPath


@dataclass(frozen=True, kw_only=True)
class OwnGraph:
    """The settings by which a person brings a graph."""

    graph: Annotated[Path | None, OwnPath("file")] = None
    "A graph of your own in place of the original: a CSV of edges, GraphML, GML, GEXF, Pajek, .mtx, or an edge_index in .npz."
    nodes: Annotated[Path | None, OwnPath("file")] = None
    "A CSV with a row for each node of your graph: its name, its label, and numbers that describe it."
    label: str = ""
    "The column of that CSV which holds the labels, where its name does not tell."

    def network(self) -> Network | None:
        """The graph that is named, or None where none is."""
        if self.graph is not None:
            return read_network(self.graph, nodes=self.nodes, label=self.label)
        if self.nodes or self.label:
            raise RegardError(
                "nodes and label describe a graph of your own",
                f"nodes={self.nodes}, label='{self.label}', and no graph",
                "add --set graph=FILE, or leave them out",
            )
        return None
