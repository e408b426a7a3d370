"""A graph of one's own, from a file, made ready for node classification: labels, features, splits."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch
from torch import Tensor

from regard.arguments import kinds
from regard.data.formats.graph import GraphFile, read_graph_file
from regard.data.formats.table import Table, open_table
from regard.data.sets.graphs import Network, both_ways
from regard.data.sets.points import column_of, label_of
from regard.errors import RegardError

TAUGHT, CHECKED = 20, 500
"Nodes of a class that are learned from, and nodes that validate, at most: as in Planetoid's splits."
ALONE = 10_000
"Nodes that may be described by their number alone, which takes as many columns."
NAMES = ("id", "node", "name", "node_id", "nodeid", "key")
"What the column of the nodes' names is called, if it is not the first."


@kinds
def read_network(path: Path | str, *, nodes: Path | str | None = None, label: str = "") -> Network:
    """The graph of a file: CSV of edges, GraphML, GML, GEXF, Pajek, Matrix Market, or edge_index in .npz.

    `nodes` is a CSV with a row for each node: its name first, then its label and numbers that describe it. An
    edge is taken both ways round, once, and loops are left out; `said` tells how many. Of each class
    20 nodes (at most half of it) are learned from; half of the others validate, at most 500, the rest test.
    """
    path = Path(path)
    graph = read_graph_file(path)
    source, target = both_ways(graph.pairs)
    if len(source) == 0:
        got = f"{path.name}: {len(graph.nodes)} nodes and {len(graph.pairs)} edges, loops"
        got = got if len(graph.pairs) else f"{path.name} with {len(graph.nodes)} nodes"
        raise RegardError("the graph has no edges", got, "name a file that joins some nodes")
    about = _read_nodes(Path(nodes), graph, label) if nodes else _inside(graph)
    if about.features is None and len(graph.nodes) > ALONE:
        raise RegardError(
            "so many nodes cannot be told by their numbers alone",
            f"{len(graph.nodes):,} nodes in {path.name}, without features",
            f"name a graph of {ALONE:,} nodes or fewer, or describe them: nodes=FILE has numbers for each",
        )
    labels, classes = _numbered(about.words, len(graph.nodes))
    train, validation, test = split_by_class(labels)
    return Network(
        features=torch.eye(len(graph.nodes)) if about.features is None else _standard(about.features),
        source=source,
        target=target,
        labels=labels,
        classes=classes,
        train=train,
        validation=validation,
        test=test,
        said=f"{_edges_said(path.name, graph, len(source) // 2)} {_nodes_said(about)}",
        names=graph.nodes,
    )


@dataclass(frozen=True)
class NodeDescriptions:
    """What is known of the nodes of a graph beside its edges."""

    words: Sequence[str] = ()
    "The class of each; none where there are no classes."
    attribute: str = ""
    "Where the classes stand."
    features: numpy.ndarray | None = None
    "A row of numbers for each."
    columns: Sequence[str] = ()
    "What the numbers are called."


def _inside(graph: GraphFile) -> NodeDescriptions:
    columns = () if graph.features is None else ("x",)
    return NodeDescriptions(graph.classes, graph.attribute, graph.features, columns)


def _read_nodes(path: Path, graph: GraphFile, label: str) -> NodeDescriptions:
    """The rows of a table of nodes, in the order of the graph."""
    table = open_table(path)
    names = next((name for name in table.header if name.lower() in NAMES), table.header[0])
    place = {one.strip(): row for row, one in enumerate(table.columns[table.header.index(names)])}
    if missing := [node for node in graph.nodes if node not in place]:
        raise RegardError(
            "nodes of the graph have no row in the table of nodes",
            f"{len(missing)} of {len(graph.nodes)}, as '{missing[0]}', in column '{names}' of {path.name}",
            "give each node a row, under the name that it has in the graph",
        )
    order = [place[node] for node in graph.nodes]
    numbers = {one: table.numbers(at) for at, one in enumerate(table.header) if one != names}
    chosen = column_of(table, label) if label else _label(table, numbers)
    words = [table.columns[table.header.index(chosen)][row].strip() for row in order] if chosen else []
    if "" in words:
        got = f"'{graph.nodes[words.index('')]}' in column '{chosen}' of {path.name}"
        raise RegardError("a node has no label", got, "give it one, or remove the node")
    used = [one for one, values in numbers.items() if one != chosen and _whole(values)]
    features = numpy.stack([numbers[one][order] for one in used], 1) if used else None  # type: ignore[index]
    return NodeDescriptions(words, chosen, features, used)


def _label(table: Table, numbers: dict[str, numpy.ndarray | None]) -> str:
    """The label's column; what is the only one beside the names is it."""
    (*_, last) = numbers or [""]
    return last if len(numbers) == 1 else label_of(table, numbers)


def _whole(values: numpy.ndarray | None) -> bool:
    return values is not None and bool(numpy.isfinite(values).all() and values.min() < values.max())


def _numbered(words: Sequence[str], count: int) -> tuple[Tensor, tuple[str, ...]]:
    """The classes, the largest first, and the number of each node's; zeros where there are none."""
    classes = tuple(word for word, _ in Counter(words).most_common())
    number = {word: place for place, word in enumerate(classes)}
    found = [number[word] for word in words] if words else [0] * count
    return torch.tensor(found), classes


def split_by_class(labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Which nodes are learned from, which validate and which test, at random but always the same.

    >>> [int(part.sum()) for part in split_by_class(torch.arange(100) % 2)]
    [40, 30, 30]
    """
    draw = torch.Generator().manual_seed(0)
    order = torch.randperm(len(labels), generator=draw)
    train = torch.zeros(len(labels), dtype=torch.bool)
    for one in labels.unique():
        mine = order[labels[order] == one]
        train[mine[: min(TAUGHT, (len(mine) + 1) // 2)]] = True
    rest = order[~train[order]]
    validation, test = torch.zeros_like(train), torch.zeros_like(train)
    validation[rest[: min(CHECKED, len(rest) // 2)]] = True
    test[~train & ~validation] = True
    return train, validation, test


def _standard(features: numpy.ndarray) -> Tensor:
    """Columns of zeros and ones as they are, others with mean 0 and deviation 1."""
    if numpy.isin(features, (0, 1)).all():
        return torch.from_numpy(features).float()
    spread = features.std(0)
    return torch.from_numpy((features - features.mean(0)) / numpy.where(spread > 0, spread, 1)).float()


def _edges_said(name: str, graph: GraphFile, count: int) -> str:
    loops = int((graph.pairs[:, 0] == graph.pairs[:, 1]).sum())
    again = len(graph.pairs) - loops - count
    found = [
        f"The graph is your own: {name}, {len(graph.nodes):,} nodes ({', '.join(graph.nodes[:3])}, …) and"
        f" {count:,} edges, each taken both ways round."
    ]
    if again:
        found.append(f"{again:,} given again, or the other way round, were merged.")
    if loops:
        found.append(f"{loops:,} from a node to itself were left out.")
    return " ".join([*found, *(f"{note[0].upper()}{note[1:]}." for note in graph.notes)])


def _nodes_said(about: NodeDescriptions) -> str:
    sizes = Counter(about.words).most_common()
    told = ", ".join(f"{word} {size}" for word, size in sizes[:8])
    more = f" and {len(sizes) - 8} more" if len(sizes) > 8 else ""
    labels = f"Labels from '{about.attribute}': {told}{more}." if sizes else "No labels."
    if about.features is None:
        return f"{labels} A node is described by its number alone."
    columns = about.columns if len(about.columns) < 9 else (*about.columns[:8], "…")
    return f"{labels} A node is described by {about.features.shape[1]} numbers: {', '.join(columns)}."
