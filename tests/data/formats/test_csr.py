"""A CSR file: mapped as it was written; damage and foreign files are told."""

from pathlib import Path

import pytest
import torch

from regard.data.formats.csr import HEAD, GraphRows, open_graph
from regard.data.formats.external_sort import write_graph
from regard.errors import RegardError


@pytest.fixture
def made(tmp_path: Path) -> Path:
    (tmp_path / "edges.txt").write_text("2 0\n0 1\n1 0\n0 1\n3 1\n")
    return write_graph(tmp_path / "edges.txt", tmp_path / "edges.csr", nodes=5)


def test_the_rows_are_those_of_the_edges_by_hand(made: Path) -> None:
    graph = open_graph(made)
    assert (graph.nodes, graph.count, repr(graph)) == (5, 5, "GraphRows(5 edges, 5 nodes, edges.csr)")
    assert graph.start.tolist() == [0, 2, 5, 5, 5, 5]
    assert graph.other.tolist() == [1, 2, 0, 0, 3] and graph.other.dtype == torch.int32
    assert graph.out_of.tolist() == [2, 1, 1, 1, 0]
    graph.verify()


def test_what_is_written_to_the_tensors_stays_out_of_the_file(made: Path) -> None:
    open_graph(made).other[0] = 4
    assert open_graph(made).other[0] == 1


def test_a_graph_without_edges_or_nodes_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "none.txt").write_text("# nothing\n")
    for nodes in (0, 3):
        graph = open_graph(write_graph(tmp_path / "none.txt", tmp_path / "none.csr", nodes=nodes))
        assert graph.start.tolist() == [0] * (nodes + 1) and graph.count == 0
        graph.verify()


@pytest.mark.parametrize("at", [HEAD + 3, HEAD + 8 * 6 + 1, HEAD + 8 * 11 + 2])
def test_a_changed_byte_of_any_section_is_found_by_verify(made: Path, at: int) -> None:
    data = bytearray(made.read_bytes())
    data[at] ^= 1
    made.write_bytes(data)
    with pytest.raises(RegardError, match=r"the section '(start|out_of|other)' is not what was written"):
        open_graph(made).verify()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data[:-1], "edges.csr has 4,203 bytes, not 4,204"),
        (lambda data: data + b"x", "edges.csr has 4,205 bytes, not 4,204"),
        (lambda data: data.replace(b'"edges": 5', b'"edges": 4'), "edges.csr is not what was written"),
        (lambda data: b"0 1\n1 2\n", "edges.csr cannot be read"),
        (lambda data: b"", "edges.csr cannot be read"),
    ],
)
def test_damage_is_told_when_the_file_is_opened(made: Path, change, said: str) -> None:
    made.write_bytes(change(made.read_bytes()))
    with pytest.raises(RegardError) as caught:
        open_graph(made)
    assert str(caught.value) == (
        f"the graph file is damaged, or is none\n  got: {made}: {said}\n  fix: make it again with write_graph"
    )


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="the graph file cannot be read"):
        open_graph(tmp_path / "no.csr")


def test_rows_are_frozen(made: Path) -> None:
    graph = open_graph(made)
    assert isinstance(graph, GraphRows)
    with pytest.raises(AttributeError):
        graph.start = torch.zeros(1)  # type: ignore[misc]
