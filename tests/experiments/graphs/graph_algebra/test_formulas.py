"""Graphs on paper: known answers by hand."""

from itertools import pairwise

import pytest
import torch

from regard.core.edges import Edges
from regard.errors import RegardError
from regard.experiments.graphs.graph_algebra.formulas import (
    LEFT,
    RIGHT,
    adjacency,
    blocks,
    counterexample,
    edges,
    laplacian,
    middle,
    own_graph,
    rate,
    residual,
    smoothed,
    walks,
    whole,
)

TRIANGLE = edges(((1, 2), (2, 3), (1, 3)), 3)
PATH = edges(((1, 2), (2, 3)), 3)


def test_a_graph_numbered_from_one():
    assert whole(adjacency(PATH)) == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert whole(laplacian(adjacency(PATH))) == [[1, -1, 0], [-1, 2, -1], [0, -1, 1]]
    assert edges(LEFT, 5).count == 10 and edges(RIGHT, 6).count == 14


def test_walks_of_a_triangle_by_hand():
    """From a corner: of length 2 two ways back and one to each other corner; as paths only the latter."""
    counted, paths = walks(adjacency(TRIANGLE), 2)
    assert whole(counted) == [[2, 1, 1], [1, 2, 1], [1, 1, 2]] and whole(paths) == [
        [0, 1, 1],
        [1, 0, 1],
        [1, 1, 0],
    ]


def test_what_no_matrix_makes():
    x = torch.randn(500, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert residual(x, x @ torch.tensor([[1.0], [2.0], [-3.0]], dtype=torch.float64)) < 1e-20
    assert residual(x, x[:, :1] ** 2) > 0.8


def test_the_median_of_three_and_its_counterexample():
    assert middle([5, 1, 3]) == 3
    x, y, gap = counterexample()
    assert gap == middle([a + b for a, b in zip(x, y, strict=True)]) - middle(x) - middle(y) != 0


@pytest.mark.parametrize(("own", "expected"), [(0.0, 0.5), (1.0, 0.25), (4.0, 0.7)])
def test_the_rate_of_a_triangle(own, expected):
    """D⁻¹A of a triangle has the eigenvalues 1, −½, −½: |own − ½| / (1 + own)."""
    assert abs(rate(adjacency(TRIANGLE), own) - expected) < 1e-12
    x = torch.tensor([[1.0], [0.0], [-1.0]], dtype=torch.float64)
    found = smoothed(TRIANGLE, x, own, 3)
    assert all(abs(after / before - expected) < 1e-12 for before, after in pairwise(found))


def test_a_path_swings_for_ever_without_the_self_connection():
    """It is bipartite: the eigenvalue −1 turns signs and shrinks nothing, until a node hears itself."""
    assert abs(rate(adjacency(PATH), 0.0) - 1) < 1e-12 and rate(adjacency(PATH), 1.0) < 0.51


def test_two_blocks_are_one_graph():
    graph = blocks(20, torch.Generator().manual_seed(0))
    reached = torch.linalg.matrix_power(adjacency(graph) + torch.eye(20), 20)
    assert isinstance(graph, Edges) and bool((reached > 0).all()) and not adjacency(graph).diagonal().any()


def test_the_largest_connected_part_of_a_graph_of_ones_own(tmp_path) -> None:
    (tmp_path / "mine.csv").write_text("a,b\nb,c\nc,d\nx,y\n")
    graph, said = own_graph(tmp_path / "mine.csv")
    assert graph.sizes == (4, 4) and adjacency(graph).sum(1).tolist() == [1, 2, 2, 1]
    assert said.endswith("Its largest connected part is used, of 4 nodes.")
    (tmp_path / "two.csv").write_text("a,b\n")
    with pytest.raises(RegardError, match="largest connected part has 3 to 2,000 nodes"):
        own_graph(tmp_path / "two.csv")
