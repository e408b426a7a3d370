"""A graph of one's own: edges once both ways, labels and features beside it, splits, and what is said of it."""

from pathlib import Path

import numpy
import pytest
import torch

from regard.data.sets.network import read_network, split_by_class
from regard.errors import RegardError

EDGES = "source,target\nann,bob\nbob,ann\nbob,cy\nann,bob\ncy,cy\ncy,dee\n"
NODES = "id,age,team\nann,20,red\nbob,30,blue\ncy,40,red\ndee,50,red\nextra,9,blue\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "edges.csv").write_text(EDGES)
    (tmp_path / "nodes.csv").write_text(NODES)
    return tmp_path / "edges.csv", tmp_path / "nodes.csv"


def test_edges_are_taken_once_both_ways_and_loops_are_left_out(files: tuple[Path, Path]) -> None:
    found = read_network(files[0])
    assert found.names == ("ann", "bob", "cy", "dee")
    ends = list(zip(found.source.tolist(), found.target.tolist(), strict=True))
    assert ends == [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]
    assert found.classes == () and torch.equal(found.features, torch.eye(4))
    assert found.said == (
        "The graph is your own: edges.csv, 4 nodes (ann, bob, cy, …) and 3 edges, each taken both ways round. 2 given again, or the "
        "other way round, were merged. 1 from a node to itself were left out. No labels. A node is described by its number alone."
    )


def test_a_table_of_nodes_gives_labels_and_features(files: tuple[Path, Path]) -> None:
    found = read_network(files[0], nodes=files[1])
    assert found.classes == ("red", "blue") and found.labels.tolist() == [0, 1, 0, 0]
    ages = numpy.array([20, 30, 40, 50.0])
    assert found.features[:, 0].numpy() == pytest.approx((ages - ages.mean()) / ages.std())
    assert found.said.endswith("Labels from 'team': red 3, blue 1. A node is described by 1 numbers: age.")


def test_a_table_of_two_columns_is_names_and_labels(tmp_path: Path, files: tuple[Path, Path]) -> None:
    (tmp_path / "two.csv").write_text("ann,0\nbob,1\ncy,0\ndee,1\n")
    assert read_network(files[0], nodes=tmp_path / "two.csv").labels.tolist() == [0, 1, 0, 1]


def test_words_in_zeros_and_ones_stay_as_they_are(tmp_path: Path) -> None:
    index, x = numpy.array([[0, 1], [1, 2]]), numpy.array([[1, 0], [0, 1], [1, 1]])
    numpy.savez(tmp_path / "t.npz", edge_index=index, x=x, y=numpy.array([0, 1, 0]))
    assert read_network(tmp_path / "t.npz").features.tolist() == x.tolist()


def test_every_class_is_learned_from_and_no_node_is_in_two_splits() -> None:
    labels = torch.tensor([0] * 90 + [1] * 5 + [2])
    train, validation, test = split_by_class(labels)
    assert labels[train].bincount().tolist() == [20, 3, 1]
    assert ((train.int() + validation.int() + test.int()) == 1).all()
    assert abs(int(validation.sum()) - int(test.sum())) <= 1


@pytest.mark.parametrize(
    ("edges", "nodes", "message"),
    [
        ("a,a\n", None, "the graph has no edges\n  got: edges.csv: 1 nodes and 1 edges, loops\n  fix: name a file that joins some nodes"),
        (EDGES, "id,team\nann,red\nbob,blue\n", "nodes of the graph have no row in the table of nodes\n  got: 2 of 4, as 'cy', in column 'id' of nodes.csv\n  fix: give each node a row, under the name that it has in the graph"),
        (EDGES, "id,team\nann,red\nbob,\ncy,red\ndee,red\n", "a node has no label\n  got: 'bob' in column 'team' of nodes.csv\n  fix: give it one, or remove the node"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_told(tmp_path: Path, edges: str, nodes: str | None, message: str) -> None:
    (tmp_path / "edges.csv").write_text(edges)
    (tmp_path / "nodes.csv").write_text(nodes or "")
    with pytest.raises(RegardError) as error:
        read_network(tmp_path / "edges.csv", nodes=tmp_path / "nodes.csv" if nodes else None)
    assert str(error.value) == message


def test_many_nodes_need_numbers_that_describe_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regard.data.sets.network.ALONE", 3)
    (tmp_path / "edges.csv").write_text(EDGES)
    with pytest.raises(RegardError, match="so many nodes cannot be told by their numbers alone"):
        read_network(tmp_path / "edges.csv")
