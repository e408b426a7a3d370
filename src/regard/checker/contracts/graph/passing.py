"""Ways to pass a graph to a person's layer: as a matrix, as a list of edges, in one object; and how code turns one down."""

import ast
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from regard.checker.contract import Case
from regard.checker.contracts.graph.conventions import TAKES
from regard.checker.contracts.graph.reference import listing
from regard.checker.process.session import Raised
from regard.checker.reading.unheard import around, own
from regard.checker.subject import Arguments
from regard.checker.workbench import Made, Unfit, Workbench

GRAPH = re.compile(r"adj|edges?|graph|^a$|a_hat|^g$|mask|connect|index|lap", re.I)
"Names of a graph."
NODES = re.compile(
    r"^(n|num|number|count|total)?_?(of_)?(nodes?|vertices)(_count)?$|^n$|^(num_|n_)?size$", re.I
)
"Names of the number of nodes."
WEIGHED = re.compile(r"weight|attr|^ew$|^w$|values?$", re.I)
"Names of the weights of edges: all one here."
KINDS = re.compile(r"^(edge|e|rel\w*)_?(type|kind|cat\w*|rel\w*|id)s?$|^etypes?$|^relations?$", re.I)
"Names of the kinds of edges: all of one kind here."
ADDITIVE = "mask to be added"
"The way in which a graph is passed as zeros and minus infinities."
PAIRS = "list of edges"
"The way in which edges are rows: (e, 2)."
NEIGHBOURS = "lists of neighbours"
"The way in which each node has the list of those it listens to."
OTHERWISE = (ADDITIVE, PAIRS, NEIGHBOURS)
"Ways to pass a graph that are tried where another runs and its graph is not heard."
LIST = "list of one matrix"
"The way in which several matrices may come: here one."
WEIGHTED = "edges and their weights as one pair"
"The way in which a list of edges comes with a number for each: all one here."
OBJECT = "edges and features in one object"
"The way in which one object holds both, as torch_geometric's Data does."
ENDS = "edges by their two ends"
"The way in which the sources are one argument and the targets another."
END = re.compile(rf"{TAKES}|send|source|src|from|(^|_)to$|row|col|head|tail|start|end|^[iju]$|_[ijuv]$", re.I)
"Names of one end of every edge."
BATCHES = re.compile(r"\(\s*(b|bs|batch\w*)\s*,\s*(n|nodes|num_nodes|n_nodes)\b", re.I)
"What a person says whose features come in batches of graphs."
TAKEN = re.compile(TAKES, re.I)
"Names of the nodes that listen."


def edges(a: np.ndarray) -> np.ndarray:
    """Row 0 sources, row 1 targets: node i = target listens to j = source. Not sorted by target, as real lists are not."""
    listed = np.argwhere(a != 0)
    listed = listed[np.argsort(listing(*listed.T), kind="stable")]
    return np.ascontiguousarray(listed[:, ::-1].T).astype(np.int64)


def whole(made: Made, text: str) -> list[tuple[str, Callable[[Case], Arguments]]]:
    """The way in which one object holds features and edges, where the code asks its only argument for edges."""
    asks = [p["name"] for p in made.call if p["required"]]
    if len(asks) != 1 or not re.search(rf"\b{asks[0]}\.edge_index\b", text):
        return []

    def held(asked: Case) -> Arguments:
        own = {"x": asked["x"], "edge_index": edges(asked["adjacency"]), "num_nodes": len(asked["x"])}
        return [{"config": own}], {}

    return [(OBJECT, held)]


def callings(made: Made) -> list[tuple[str, Callable[[Case], Arguments]]]:
    """Ways to pass features and graph, the one that the names suggest first."""
    names = [p["name"].lower() for p in made.call if not p["star"]]
    known = [i for i, name in enumerate(names) if GRAPH.search(name)]
    both = len([p for p in made.call if p["required"]]) == 1 and known[:1] in ([], [0])
    graph = known[0] if known else 1
    feature = 1 if graph == 0 else 0
    asks = [p["name"] for p in made.call if p["required"]]
    placed = [p["name"] for p in made.call if not p["star"]][:graph]
    if between := [name for i, name in enumerate(placed) if i != feature and name in asks]:
        words = f"its call takes '{between[0]}' before the graph, which the checker does not know"
        raise Unfit("unknown-argument", words, "let it take features and graph, in this order")
    kinds = [name for name in asks[2:] if KINDS.search(name)]
    counts, weighed = (
        [name for name in asks[2:] if words.search(name) and name not in kinds] for words in (NODES, WEIGHED)
    )
    ends = [name for name in asks if name not in (*counts, *weighed, *kinds)][1:]

    def further(asked: Case) -> dict[str, Any]:
        ones = np.ones(np.count_nonzero(asked["adjacency"]))
        alike = np.zeros(len(ones), np.int64)
        more = dict.fromkeys(counts, len(asked["x"])) | dict.fromkeys(weighed, ones)
        return more | dict.fromkeys(kinds, alike)

    def pack(passed: Any) -> Callable[[Case], Arguments]:
        def enter(asked: Case) -> Arguments:
            values: list[Any] = [None] * (max(graph, feature) + 1)
            values[graph], values[feature] = passed(asked["adjacency"]), asked["x"]
            return ([{"tuple": values}] if both else values), further(asked)

        return enter

    def apart(asked: Case) -> Arguments:
        given = [*edges(asked["adjacency"])]
        first = TAKEN.search(ends[0]) and not TAKEN.search(ends[1])
        return [asked["x"], *(given[::-1] if first else given)], further(asked)

    def batched(more: int, own: int) -> Callable[[Case], Arguments]:
        def enter(asked: Case) -> Arguments:
            x, a = asked["x"][(None,) * more], asked["adjacency"][(None,) * own]
            values = [x, a] if graph else [a, x]
            return ([{"tuple": values}] if both else values), further(asked)

        return enter

    if len(ends) == 2 and (not known or all(map(END.search, ends))):
        return [(ENDS, apart)]
    ways = {
        "edges": pack(edges),
        "matrix": pack(lambda a: a),
        "matrix with a last axis": pack(lambda a: a[..., None]),
        ADDITIVE: pack(lambda a: np.where(a != 0, 0.0, -np.inf)),
        "matrix of booleans": pack(lambda a: a != 0),
        "sparse matrix": pack(lambda a: {"sparse": a}),
        "sparse matrix by rows": pack(lambda a: {"sparse rows": a}),
        PAIRS: pack(lambda a: edges(a).T.copy()),
        "edges as a list of pairs": pack(lambda a: edges(a).T.tolist()),
        NEIGHBOURS: pack(lambda a: [np.flatnonzero(row).tolist() for row in a]),
        "edges of regard": pack(lambda a: {"edges": edges(a), "nodes": len(a)}),
        LIST: pack(lambda a: {"tuple": [a]}),
        WEIGHTED: pack(lambda a: {"tuple": [edges(a), np.ones(np.count_nonzero(a))]}),
        "batch of one": batched(1, 1),
        "features in a batch": batched(1, 0),
        "features of one sample and one time": batched(2, 0),
    }
    name = names[graph] if graph < len(names) else ""
    listed = re.search(r"edge|index|connect", name)
    order = (
        ["edges", PAIRS, *(w for w in ways if w not in ("edges", PAIRS))]
        if listed
        else [
            "matrix",
            "matrix with a last axis",
            "matrix of booleans",
            ADDITIVE,
            "sparse matrix",
            "sparse matrix by rows",
            "batch of one",
            "features in a batch",
            "features of one sample and one time",
            LIST,
            "edges",
            PAIRS,
            "edges as a list of pairs",
            NEIGHBOURS,
            WEIGHTED,
            "edges of regard",
        ]
    )
    if re.search(r"neigh|nbr|nachbar|voisin|vecin|vizin", name):
        order.insert(0, NEIGHBOURS)
    return [(way, ways[way]) for way in dict.fromkeys(order)]


UNPACKS = re.compile(r"values to unpack")
SUBSCRIPTS = re.compile(r"number of subscripts in the equation \([4-9]\)")
"Words of an einsum over four axes: features of another layout are wanted."
LACKS = re.compile(r"'\w+' object has no attribute '(\w+)'")


def refuses(bench: Workbench, error: Raised) -> bool:
    """Whether a line of the code itself turns down what it is given: a raise, or an argument asked for parts it has not.

    What torch refuses to compute is none of this, nor a name that is nearly one of torch's.
    """
    if SUBSCRIPTS.search(error.words):
        return True
    if own(bench.source, error.kind, error.words, error.line):
        return False
    function = around(bench.source, error.line or 0)
    if function is None:
        return False
    given = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    for node in ast.walk(function):
        if not isinstance(node, ast.stmt) or not node.lineno <= (error.line or 0) <= (node.end_lineno or 0):
            continue
        if isinstance(node, ast.Raise):
            return True
        if isinstance(node, ast.Assign) and UNPACKS.search(error.words):
            return any(isinstance(n, ast.Name) and n.id in given for n in ast.walk(node.value))
        if error.kind == "AttributeError" and (lacking := LACKS.search(error.words)):
            asked = [n for n in ast.walk(node) if isinstance(n, ast.Attribute) and n.attr == lacking[1]]
            if any(isinstance(n.value, ast.Name) and n.value.id in given for n in asked):
                return True
    return False
