import networkx as nx
import numpy as np

from regard.theory.theorems.graph_layers import graph, one_way_streets, walks
from regard.theory.value import value

SQUARE = np.array([[3, 1, 1, 1, 0], [1, 2, 1, 1, 1], [1, 1, 3, 0, 1], [1, 1, 0, 1, 0], [0, 1, 1, 0, 1]])


def test_amsterdam_s_graph_has_the_known_square() -> None:
    a = nx.to_numpy_array(nx.Graph([(0, 1), (0, 2), (0, 4), (1, 2), (2, 3)]), nodelist=range(5))
    assert (value("A^2", {"A": a}) == SQUARE).all()
    assert (np.array([walks(a, start, 2) for start in range(5)]) == SQUARE).all()


def test_paths_are_those_that_networkx_finds() -> None:
    a = graph(np.random.default_rng(33), 6)
    peer = nx.from_numpy_array(a)
    for length in (2, 3):
        found = [
            len([one for one in nx.all_simple_paths(peer, 0, end, cutoff=length) if len(one) == length + 1])
            for end in range(1, 6)
        ]
        assert walks(a, 0, length, again=False)[1:].tolist() == found


def test_the_laplacian_is_networkxs() -> None:
    a = graph(np.random.default_rng(34))
    found = value("D - A", {"A": a, "D": np.diag(a.sum(1))})
    assert (found == nx.laplacian_matrix(nx.from_numpy_array(a)).toarray()).all()


def test_every_node_has_a_neighbour_and_edges_go_both_ways() -> None:
    a = graph(np.random.default_rng(35), 7, 0.0)
    assert (a == a.T).all() and a.sum(1).min() >= 2 and set(np.unique(a)) == {0.0, 1.0}


def test_the_form_holds_for_graphs_with_edges_both_ways_alone() -> None:
    sweep = one_way_streets(np.random.default_rng(36), 20)
    assert max(sweep.measured[0]) < 1e-10 and np.mean(sweep.measured[-1]) > 0.5
