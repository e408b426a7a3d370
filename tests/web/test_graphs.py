"""Neighbourhoods of a recorded graph."""

import networkx
import pytest

from regard.web.bundle import Bundled
from regard.web.graphs import graph_document, graphs_document, neighbourhood
from regard.web.refusal import Refusal


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_a_neighbourhood_is_what_networkx_finds(hops: int) -> None:
    graph = networkx.karate_club_graph()
    edges = [(a, b) for a, b in graph.edges] + [(b, a) for a, b in graph.edges]
    for centre in (0, 11, 33):
        assert neighbourhood(edges, centre, hops) == set(networkx.ego_graph(graph, centre, hops))


def test_a_cut_keeps_each_edges_weight() -> None:
    whole = Bundled().graphs["karate"]
    cut = graph_document(Bundled().graphs, "karate", 11, 1)
    assert cut["centre"] == 11 and {one["id"] for one in cut["nodes"]} == {0, 11}
    places = {(one["source"], one["target"]): place for place, one in enumerate(whole["edges"])}
    for moment, all_of_it in zip(cut["epochs"], whole["epochs"], strict=True):
        for layer, full in zip(moment["layers"], all_of_it["layers"], strict=True):
            for head, weights in zip(layer["heads"], full["heads"], strict=True):
                assert head == [weights[places[one["source"], one["target"]]] for one in cut["edges"]]
        assert len(moment["xy"]) == 2


def test_karate_comes_whole_and_cora_by_its_centres() -> None:
    recorded = Bundled().graphs
    assert len(graph_document(recorded, "karate", None, 2)["nodes"]) == 34
    listed = {one["id"]: one for one in graphs_document(recorded)["graphs"]}
    assert (listed["cora"]["nodes"], listed["karate"]["edges"]) == (2708, 78)
    for centre in listed["cora"]["centres"]:
        found = graph_document(recorded, "cora", centre, 2)
        assert centre in {one["id"] for one in found["nodes"]}
    assert graph_document(recorded, "cora", None, 2)["centre"] == listed["cora"]["centres"][0]


def test_unknown_graphs_and_nodes_are_refused() -> None:
    for id, centre in (("nothing", None), ("karate", 99), ("cora", 0)):
        with pytest.raises(Refusal) as error:
            graph_document(Bundled().graphs, id, centre, 2)
        assert error.value.status == 404
