"""Graphs as documents: the nodes around one of them, their edges, and the attention along them."""

from collections.abc import Iterable, Mapping
from typing import Any

from regard.web.refusal import Refusal

Recorded = Mapping[str, dict[str, Any]]


def graphs_document(recorded: Recorded) -> dict[str, Any]:
    """Which graphs there are."""
    return {
        "kind": "graphs",
        "version": 1,
        "graphs": [
            {
                "id": id,
                "name": one["name"],
                "nodes": one["whole"]["nodes"],
                "edges": one["whole"]["edges"],
                "made": one["made"],
                "centres": one.get("centres", []),
                "epochs": [moment["epoch"] for moment in one["epochs"]],
            }
            for id, one in recorded.items()
        ],
    }


def graph_document(recorded: Recorded, id: str, centre: int | None, hops: int) -> dict[str, Any]:
    """A graph, or what lies within so many hops of one of its nodes."""
    if id not in recorded:
        raise Refusal(404, "no graph of that id", id, "choose one of the list of graphs")
    graph = recorded[id]
    if centre is None:
        centre = graph["centres"][0] if graph.get("centres") else None
    if centre is None:
        return graph
    nodes = {one["id"]: one for one in graph["nodes"]}
    if centre not in nodes or (graph.get("centres") and centre not in graph["centres"]):
        known = ", ".join(map(str, graph.get("centres", [])[:12])) or f"0 to {len(nodes) - 1}"
        raise Refusal(404, "nothing is recorded around that node", str(centre), f"choose one of {known}")
    around = neighbourhood(((one["source"], one["target"]) for one in graph["edges"]), centre, hops)
    return _cut(graph, around) | {"centre": centre, "hops": hops}


def neighbourhood(edges: Iterable[tuple[int, int]], centre: int, hops: int) -> set[int]:
    """The nodes that messages reach the centre from in so many steps, and the centre.

    >>> sorted(neighbourhood([(0, 1), (1, 2), (2, 3)], 3, 2))
    [1, 2, 3]
    """
    listed, found = list(edges), {centre}
    for _ in range(hops):
        found |= {source for source, target in listed if target in found}
    return found


def _cut(graph: dict[str, Any], around: set[int]) -> dict[str, Any]:
    """The graph with these nodes alone: edges between them, and their weights and places."""
    rows = [row for row, one in enumerate(graph["nodes"]) if one["id"] in around]
    kept = [
        place
        for place, one in enumerate(graph["edges"])
        if one["source"] in around and one["target"] in around
    ]

    def heads(layers: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{"heads": [[head[place] for place in kept] for head in one["heads"]]} for one in layers]

    return graph | {
        "nodes": [graph["nodes"][row] for row in rows],
        "edges": [graph["edges"][place] for place in kept],
        "layers": heads(graph["layers"]),
        "epochs": [
            moment
            | ({"xy": [moment["xy"][row] for row in rows]} if "xy" in moment else {})
            | ({"layers": heads(moment["layers"])} if "layers" in moment else {})
            for moment in graph["epochs"]
        ],
    }
