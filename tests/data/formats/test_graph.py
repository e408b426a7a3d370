"""Graph files of every form: one small graph in all of them, and what is said of files that are none."""

import gzip
from pathlib import Path

import networkx
import numpy
import pytest

from regard.data.formats.graph import read_graph_file
from regard.errors import RegardError

PAIRS = {("a", "b"), ("b", "c"), ("c", "d")}


def graph() -> networkx.Graph:
    made = networkx.Graph(PAIRS)
    for node in made:
        made.nodes[node]["club"] = "left" if node in "ab" else "right"
    return made


def pairs(found) -> set[tuple[str, str]]:
    return {tuple(sorted(found.nodes[end] for end in pair)) for pair in found.pairs.tolist()}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", b"a,b\nb,c\nc,d\n"),
        ("t.csv", b"source,target,weight\r\na,b,1\r\nb,c,2\r\nc,d,0.5\r\n"),
        ("t.csv", b"weight,to,from\n1,b,a\n1,c,b\n1,d,c\n"),
        ("t.tsv", b"\xef\xbb\xbfu\tv\na\tb\nb\tc\nc\td\n"),
        ("t.txt", b"# FromNodeId ToNodeId\na b\nb c\nc d\n"),
        ("t.edges", b"% sym unweighted\na b 1\nb c 1\nc d 1\n"),
        ("t.csv.gz", gzip.compress(b"a,b\nb,c\nc,d\n", mtime=0)),
        ("t.csv", b",a,b,c,d\na,0,1,0,0\nb,1,0,1,0\nc,0,1,0,1\nd,0,0,1,0\n"),
    ],
)
def test_an_edge_list_however_it_is_written(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert pairs(read_graph_file(tmp_path / name)) == PAIRS


@pytest.mark.parametrize(
    ("content", "said", "edges"),
    [
        ("who,with\nEva,Ann\nAnn,Bo\nBo,Eva\nEva,Cy\n", ("the first row, 'who' and 'with', is taken for a header, since neither stands in another row",), 4),
        ("person,event,seen\nEva,tea,no\nAnn,ball,no\n", ("the first row, 'person' and 'event', is taken for an edge", "the column 'column 3' is not used"), 3),
        ("who,with\nEva,Ann\nEva,Bo\n", ("the first row, 'who' and 'with', is taken for a header, since neither stands in another row",), 2),
        ("person,event,seen\nEva,tea,no\nAnn,tea,no\nEva,ball,no\nAnn,ball,yes\n", ("the first row, 'person' and 'event', is taken for a header, since neither stands in another row", "the column 'seen' is not used"), 4),
        ("a,b\nb,c\nc,a\n", ("the first row, 'a' and 'b', is taken for an edge",), 3),
        ("a,b\nc,d\ne,f\n", ("the first row, 'a' and 'b', is taken for an edge",), 3),
        ("1,2\n3,4\n4,3\n", (), 3),
        ("source,target,w,x\na,b,1,2\nb,a,1,2\n", ("the columns 'w', 'x' are not used",), 2),
    ],
)  # fmt: skip
def test_a_first_row_of_words_met_nowhere_else_is_a_header_and_that_is_said(
    tmp_path: Path, content: str, said: tuple[str, ...], edges: int
) -> None:
    (tmp_path / "t.csv").write_text(content)
    found = read_graph_file(tmp_path / "t.csv")
    assert (found.notes, len(found.pairs)) == (said, edges)


def test_whole_numbers_are_in_order_also_when_written_with_a_point(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("10.0,2.0\n2.0,1.0\n")
    found = read_graph_file(tmp_path / "t.csv")
    assert found.nodes == ("1", "2", "10") and found.pairs.tolist() == [[2, 1], [1, 0]]


def test_decimal_numbers_are_names_where_the_columns_say_so(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("source,target\n1.1,1.2\n1.2,1.3\n")
    found = read_graph_file(tmp_path / "t.csv")
    assert found.nodes == ("1.1", "1.2", "1.3")
    assert found.notes == ("decimal numbers are taken for names of nodes",)


def test_an_adjacency_matrix_in_figures(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("0 1 0\n1 0 2\n0 2 0\n")
    found = read_graph_file(tmp_path / "t.txt")
    assert pairs(found) == {("1", "2"), ("2", "3")} and found.notes == (
        "the values of the matrix are not used",
    )


@pytest.mark.parametrize(
    ("ending", "write"), [("gml", "gml"), ("graphml", "graphml_xml"), ("gexf", "gexf"), ("net", "pajek")]
)
def test_what_networkx_writes(tmp_path: Path, ending: str, write: str) -> None:
    path = tmp_path / f"t.{ending}"
    getattr(networkx, f"write_{write}")(graph(), path)
    found = read_graph_file(path)
    assert pairs(found) == PAIRS
    if ending != "net":
        assert found.attribute == "club" and sorted(found.classes) == ["left", "left", "right", "right"]


def test_gml_with_an_edge_given_twice_and_without_labels(tmp_path: Path) -> None:
    nodes = " ".join(f"node [ id {one} ]" for one in range(3))
    edges = "edge [ source 0 target 1 ] edge [ source 0 target 1 ] edge [ source 1 target 2 ]"
    (tmp_path / "t.gml").write_text(f"graph\n[ {nodes} {edges} ]")
    assert sorted(read_graph_file(tmp_path / "t.gml").pairs.tolist()) == [[0, 1], [0, 1], [1, 2]]


def test_a_matrix_of_matrix_market(tmp_path: Path) -> None:
    (tmp_path / "t.mtx").write_text(
        "%%MatrixMarket matrix coordinate real symmetric\n% by hand\n4 4 3\n2 1 0.5\n3 2 1\n4 4 0\n"
    )
    found = read_graph_file(tmp_path / "t.mtx")
    assert found.nodes == ("1", "2", "3", "4") and found.pairs.tolist() == [[1, 0], [2, 1]]
    assert found.notes == ("the values of the entries are not used",)


@pytest.mark.parametrize(
    "arrays",
    [
        {"edge_index": [[0, 1, 2], [1, 2, 3]]},
        {"edge_index": [[0, 1], [1, 2], [2, 3]]},
        {"edge_index": [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]},
        {"indices": [1, 2, 3], "indptr": [0, 1, 2, 3, 3], "data": [1, 1, 1], "shape": [4, 4]},
        {"row": [0, 1, 2], "col": [1, 2, 3], "data": [1, 1, 1]},
    ],
)
def test_arrays_of_numpy(tmp_path: Path, arrays: dict) -> None:
    numpy.savez(tmp_path / "t.npz", **{name: numpy.array(value) for name, value in arrays.items()})
    assert read_graph_file(tmp_path / "t.npz").pairs.tolist() == [[0, 1], [1, 2], [2, 3]]


def test_features_and_classes_beside_an_edge_index(tmp_path: Path) -> None:
    index = numpy.array([[0, 1], [1, 2]])
    numpy.savez(tmp_path / "t.npz", edge_index=index, x=numpy.eye(4), y=numpy.array([0, 1, 1, 0]))
    found = read_graph_file(tmp_path / "t.npz")
    assert len(found.nodes) == 4 and found.classes == ("0", "1", "1", "0") and found.attribute == "y"
    assert found.features is not None and found.features.shape == (4, 4)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"a\nb\n", "an edge list has two columns\n  got: t.csv has one: 'a'\n  fix: write the two ends of an edge in a row, with a comma or a tab between"),
        ("t.csv", b"a,b\nc,\n", "an edge has one end only\n  got: t.csv, row 2: 'c', ''\n  fix: give both ends, or remove the row"),
        ("t.csv", b"0.5,1.2\n3.1,4\n", "decimal numbers are no names of nodes\n  got: t.csv, row 1: '0.5', '1.2'\n  fix: write an edge as two names or whole numbers, or call the columns source and target"),
        ("t.csv", b"who,weight\na,1\nb,0.5\n", "decimal numbers are no names of nodes\n  got: t.csv, row 2: 'b', '0.5'\n  fix: "),
        ("t.gml", b"", "the graph file cannot be read\n  got: t.gml: NetworkXError: input contains no graph\n  fix: save it again, or as a CSV of edges"),
        ("t.graphml", b"<a", "the graph file cannot be read\n  got: t.graphml: ParseError: unclosed token: line 1, column 0\n  fix: save it again, or as a CSV of edges"),
        ("t.mtx", b"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n", "this is no square matrix of Matrix Market\n  got: t.mtx: 2 rows, 3 columns, 1 of 1 entries\n  fix: save an adjacency matrix in coordinate form, as scipy.io.mmwrite does"),
        ("t.npz", b"PK", "the arrays cannot be read\n  got: t.npz: "),
    ],
)  # fmt: skip
def test_what_is_no_graph_is_told(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(RegardError) as error:
        read_graph_file(tmp_path / name)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("name", ["g.json", "g.txt"])
def test_json_is_not_taken_for_an_edge_list(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1}]}')
    with pytest.raises(RegardError) as caught:
        read_graph_file(tmp_path / name)
    assert str(caught.value) == (
        f"a graph in JSON is not read: there is no one form of it\n  got: {name}\n"
        "  fix: write it as GraphML or CSV, as networkx.write_graphml does"
    )


def test_arrays_that_do_not_fit_are_told(tmp_path: Path) -> None:
    numpy.savez(tmp_path / "t.npz", edge_index=numpy.array([[0, 5], [1, 2]]), y=numpy.zeros(3, int))
    with pytest.raises(
        RegardError, match=r"the arrays do not fit together\n  got: t.npz: nodes from 0 to 5, y of 3"
    ):
        read_graph_file(tmp_path / "t.npz")
    numpy.savez(tmp_path / "u.npz", x=numpy.eye(3))
    with pytest.raises(RegardError, match=r"no edges among the arrays\n  got: u.npz: x \(3, 3\)"):
        read_graph_file(tmp_path / "u.npz")
