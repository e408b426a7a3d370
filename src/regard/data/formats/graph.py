"""Graph files: edge lists (CSV, TSV), GraphML, GML, GEXF, Pajek, Matrix Market and an edge_index in .npz."""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy

from regard.data.formats.table import Table, file_bytes, read_table
from regard.errors import RegardError

Array = numpy.ndarray
ENDS = (
    ("source", "target"), ("from", "to"), ("src", "dst"), ("from_node", "to_node"),
    ("fromnodeid", "tonodeid"),
    ("node1", "node2"), ("node_1", "node_2"), ("id_1", "id_2"), ("u", "v"), ("i", "j"), ("head", "tail"),
)  # fmt: skip
"What the two columns of an edge list are called, where they are called something that is known."
ATTRIBUTES = (
    "club",
    "class",
    "label",
    "value",
    "group",
    "block",
    "community",
    "party",
    "category",
    "type",
    "y",
)
"Attributes of nodes in which a class is looked for, in this order."


@dataclass(frozen=True, kw_only=True)
class GraphFile:
    """What a graph file holds: nodes, edges as they stand, and what it says of the nodes."""

    nodes: tuple[str, ...]
    "The name of each node."
    pairs: Array
    "Two nodes for each edge, by their numbers."
    classes: tuple[str, ...] = ()
    "The class of each node, as a word; empty where the file has none."
    attribute: str = ""
    "Where the classes were found."
    features: Array | None = None
    "Numbers that describe each node."
    notes: tuple[str, ...] = field(default=())
    "What was in the file and is not used."


def read_graph_file(path: Path) -> GraphFile:
    """The graph of a file; its ending, gzip left aside, says in which form it is."""
    ending = Path(path.name.removesuffix(".gz")).suffix.lower()
    content = file_bytes(path)
    if ending in NETWORKX:
        return _of_networkx(content, path.name, NETWORKX[ending])
    if ending == ".mtx" or content[:14].lower() == b"%%matrixmarket":
        return _of_matrix_market(content, path.name)
    if ending in (".npz", ".npy"):
        return _of_arrays(content, path.name)
    if ending == ".json" or content.lstrip()[:1] == b"{":
        raise RegardError(
            "a graph in JSON is not read: there is no one form of it",
            path.name,
            "write it as GraphML or CSV, as networkx.write_graphml does",
        )
    return _of_table(read_table(content, path.name))


def _numbered(names: Iterable[str]) -> tuple[str, ...]:
    """Names in order: by number where all are whole numbers, else as they came."""
    found = list(dict.fromkeys(names))
    whole = all(name.lstrip("-").isdecimal() for name in found)
    return tuple(sorted(found, key=int) if whole else found)


def _of_table(table: Table) -> GraphFile:
    """An edge list: a row for each edge, two columns for its ends."""
    if len(table.header) < 2:
        raise RegardError(
            "an edge list has two columns",
            f"{table.name} has one: '{table.columns[0][0][:60]}'",
            "write the two ends of an edge in a row, with a comma or a tab between",
        )
    if (matrix := _matrix(table)) is not None:
        return matrix
    table, notes = _headed(table)
    lower = [name.lower().lstrip("# ") for name in table.header]
    known = [(lower.index(a), lower.index(b)) for a, b in ENDS if a in lower and b in lower]
    places = known[0] if known else (0, 1)
    ends = [[value.strip() for value in table.columns[place]] for place in places]
    for row, pair in enumerate(zip(*ends, strict=True), start=1):
        if not all(pair):
            raise RegardError(
                "an edge has one end only",
                f"{table.name}, row {row}: '{pair[0]}', '{pair[1]}'",
                "give both ends, or remove the row",
            )
    ends = [_whole(part) for part in ends]
    decimal = next((part for part in ends if _decimal(part)), None)
    if decimal is not None and not known:
        first = next(row for row, value in enumerate(decimal) if not float(value).is_integer())
        raise RegardError(
            "decimal numbers are no names of nodes",
            f"{table.name}, row {first + 1}: '{ends[0][first]}', '{ends[1][first]}'",
            "write an edge as two names or whole numbers, or call the columns source and target",
        )
    nodes = _numbered(name for pair in zip(*ends, strict=True) for name in pair)
    number = {name: place for place, name in enumerate(nodes)}
    pairs = numpy.array([[number[a], number[b]] for a, b in zip(*ends, strict=True)], numpy.int64)
    others = [name for place, name in enumerate(table.header) if place not in places]
    if others:
        named = ", ".join(f"'{name}'" for name in others)[:120]
        notes += (
            f"the column {named} is not used" if len(others) == 1 else f"the columns {named} are not used",
        )
    notes += ("decimal numbers are taken for names of nodes",) if decimal is not None else ()
    return GraphFile(nodes=nodes, pairs=pairs, notes=notes)


def _headed(table: Table) -> tuple[Table, tuple[str, ...]]:
    """An edge list with its first row for a header where that names no nodes, and in words which it is.

    It names none where its two words stand in no other row, while most of the other rows share a name.
    """
    first, rest = [column[0].strip() for column in table.columns], [column[1:] for column in table.columns]
    words = not any(word.replace(".", "").lstrip("-").isdecimal() for word in first[:2])
    if table.header[0] != "column 1" or not words or first[0] == first[1]:
        return table, ()
    met = Counter(name.strip() for column in rest[:2] for name in column)
    shared = sum(met[a.strip()] > 1 or met[b.strip()] > 1 for a, b in zip(*rest[:2], strict=True))
    row = f"the first row, '{first[0]}' and '{first[1]}',"
    if met.keys() & set(first[:2]) or shared <= len(rest[0]) / 2:
        return table, (f"{row} is taken for an edge",)
    header = tuple(word or name for word, name in zip(first, table.header, strict=True))
    headed = replace(table, header=header, columns=tuple(rest))
    return headed, (f"{row} is taken for a header, since neither stands in another row",)


def _matrix(table: Table) -> GraphFile | None:
    """An adjacency matrix written out, with the names of its nodes above and before it or with none."""
    named = table.columns[0] == table.header[1:]
    columns = range(1 if named else 0, len(table.header))
    if table.rows != len(columns) or table.rows < 3 or not (named or table.header[0] == "column 1"):
        return None
    cells = [table.numbers(place) for place in columns]
    values = numpy.stack([one for one in cells if one is not None], 1) if cells[0] is not None else None
    if values is None or values.shape != (table.rows, table.rows) or numpy.isnan(values).any():
        return None
    nodes = table.header[1:] if named else tuple(str(node + 1) for node in range(table.rows))
    notes = () if numpy.isin(values, (0, 1)).all() else ("the values of the matrix are not used",)
    return GraphFile(nodes=nodes, pairs=numpy.argwhere(values != 0), notes=notes)


def _whole(names: list[str]) -> list[str]:
    """Whole numbers that were written with a point, as spreadsheets do, without it."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return names
    if all(number.is_integer() for number in numbers):
        return [str(int(number)) for number in numbers]
    return names


def _decimal(names: Sequence[str]) -> bool:
    """Whether all are numbers and some are no whole ones: measurements, it seems, and no names."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return False
    return not all(number.is_integer() for number in numbers)


def _of_networkx(content: bytes, name: str, read: Callable[[Any, bytes], Any]) -> GraphFile:
    try:
        import networkx
    except ImportError as error:
        fix = "pip install networkx, or save the edges as CSV"
        raise RegardError("this graph file needs a package", "no module 'networkx'", fix) from error
    try:
        graph = read(networkx, content)
    except Exception as error:
        # Each reader of networkx has errors of its own for a file that is none.
        got = f"{name}: {type(error).__name__}: {str(error)[:120]}"
        raise RegardError(
            "the graph file cannot be read", got, "save it again, or as a CSV of edges"
        ) from error
    number = {node: place for place, node in enumerate(graph)}
    pairs = numpy.array([[number[u], number[v]] for u, v in graph.edges()], numpy.int64).reshape(-1, 2)
    attribute = _attribute(graph, list(number))
    classes = tuple(str(graph.nodes[node][attribute]) for node in number) if attribute else ()
    return GraphFile(nodes=tuple(map(str, number)), pairs=pairs, classes=classes, attribute=attribute)


def _attribute(graph: Any, nodes: Sequence[Hashable]) -> str:
    """The attribute that every node has and that sorts the nodes into classes."""
    shared = set.intersection(*(set(graph.nodes[node]) for node in nodes)) if nodes else set()
    for one in sorted(shared, key=lambda name: (str(name).lower() not in ATTRIBUTES, str(name))):
        values = {str(graph.nodes[node][one]) for node in nodes}
        known = str(one).lower() in ATTRIBUTES
        words = all(isinstance(graph.nodes[node][one], str | bool) for node in nodes)
        if 1 < len(values) <= max(2, len(nodes) // 2) and (known or words):
            return str(one)
    return ""


def _gml(networkx: Any, content: bytes) -> Any:
    lines = content.decode("utf-8", errors="replace").splitlines()
    # A multigraph and repeated edges are told apart by one word, which many files leave out.
    try:
        return networkx.parse_gml(lines, label="label")
    except networkx.NetworkXError:
        pass
    try:
        return networkx.parse_gml(lines, label="id")
    except networkx.NetworkXError:
        text = re.sub(r"graph\s*\[", "graph [ multigraph 1 ", "\n".join(lines), count=1)
        return networkx.parse_gml(text.splitlines(), label="id")


NETWORKX: dict[str, Callable[[Any, bytes], Any]] = {
    ".graphml": lambda networkx, content: networkx.read_graphml(io.BytesIO(content)),
    ".gml": _gml,
    ".gexf": lambda networkx, content: networkx.read_gexf(io.BytesIO(content)),
    ".net": lambda networkx, content: networkx.parse_pajek(content.decode("utf-8", errors="replace")),
    ".paj": lambda networkx, content: networkx.parse_pajek(content.decode("utf-8", errors="replace")),
}
"The forms that networkx reads, by their ending."


def _of_matrix_market(content: bytes, name: str) -> GraphFile:
    """A matrix in coordinates: an edge for each entry that is not zero."""
    lines = content.decode("latin-1").splitlines()
    words = lines[0].lower().split() if lines else []
    body = [line.split() for line in lines[1:] if line.strip() and not line.startswith("%")]
    try:
        if words[:3] != ["%%matrixmarket", "matrix", "coordinate"]:
            raise ValueError(f"it begins with '{lines[0][:60] if lines else ''}'")
        rows, columns, count = map(int, body[0][:3])
        cells = numpy.array([[int(one) - 1 for one in row[:2]] for row in body[1:]]).reshape(-1, 2)
        values = numpy.array([float(row[2]) if len(row) > 2 else 1.0 for row in body[1:]])
        if (
            rows != columns
            or len(cells) != count
            or (len(cells) and not 0 <= cells.min() <= cells.max() < rows)
        ):
            raise ValueError(f"{rows} rows, {columns} columns, {len(cells)} of {count} entries")
    except (ValueError, IndexError) as error:
        fix = "save an adjacency matrix in coordinate form, as scipy.io.mmwrite does"
        raise RegardError("this is no square matrix of Matrix Market", f"{name}: {error}", fix) from error
    weighted = len(values) and bool((values != 1).any())
    notes = ("the values of the entries are not used",) if weighted else ()
    return GraphFile(
        nodes=tuple(str(node + 1) for node in range(rows)),
        pairs=cells[values != 0].astype(numpy.int64),
        notes=notes,
    )


def _of_arrays(content: bytes, name: str) -> GraphFile:
    """An edge_index (2, e) with x and y beside it, or a sparse matrix as scipy saves it."""
    fix = "numpy.savez('graph.npz', edge_index=data.edge_index, x=data.x, y=data.y)"
    try:
        loaded = numpy.load(io.BytesIO(content), allow_pickle=False)
        arrays = {"edge_index": loaded} if isinstance(loaded, Array) else {one: loaded[one] for one in loaded}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise RegardError("the arrays cannot be read", f"{name}: {str(error)[:120]}", fix) from error
    pairs = _pairs(arrays)
    if pairs is None:
        shapes = ", ".join(f"{one} {tuple(array.shape)}" for one, array in arrays.items())[:160]
        raise RegardError("there are no edges among the arrays", f"{name}: {shapes or 'nothing'}", fix)
    x, y = arrays.get("x"), arrays.get("y")
    sizes = [int(pairs.max()) + 1 if len(pairs) else 0, *(len(one) for one in (x, y) if one is not None)]
    if "num_nodes" in arrays:
        sizes.append(int(arrays["num_nodes"]))
    if (len(pairs) and pairs.min() < 0) or any(one is not None and len(one) != max(sizes) for one in (x, y)):
        rows = ", ".join(f"{word} of {len(one)}" for word, one in (("x", x), ("y", y)) if one is not None)
        got = f"{name}: nodes from {pairs.min()} to {pairs.max()}, {rows}"
        raise RegardError("the arrays do not fit together", got, "give a row of x and y for each node")
    classes = tuple(str(one) for one in y.reshape(len(y), -1)[:, 0].tolist()) if y is not None else ()
    features = x.reshape(len(x), -1).astype(numpy.float64) if x is not None else None
    return GraphFile(
        nodes=tuple(map(str, range(max(sizes)))),
        pairs=pairs,
        classes=classes,
        attribute="y" if classes else "",
        features=features,
    )


def _pairs(arrays: dict[str, Array]) -> Array | None:
    index = arrays.get("edge_index", arrays.get("edges"))
    if index is not None and index.ndim == 2 and 2 in index.shape and index.dtype.kind in "iu":
        return (index.T if index.shape[0] == 2 else index).astype(numpy.int64)
    if index is not None and index.ndim == 2 and index.shape[0] == index.shape[1]:
        return numpy.argwhere(index != 0)
    if {"indices", "indptr"} <= arrays.keys():
        rows = numpy.repeat(numpy.arange(len(arrays["indptr"]) - 1), numpy.diff(arrays["indptr"]))
        return numpy.stack([rows, arrays["indices"]], 1).astype(numpy.int64)
    if {"row", "col"} <= arrays.keys():
        return numpy.stack([arrays["row"], arrays["col"]], 1).astype(numpy.int64)
    return None
