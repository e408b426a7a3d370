"""Edge lists block by block: the same edges whatever the form and wherever a block ends."""

import gzip
from pathlib import Path

import numpy
import pytest

from regard.data.formats import edge_stream
from regard.data.formats.edge_stream import stream
from regard.errors import RegardError

EDGES = [[0, 1], [12, 3], [4, 567], [8, 9]]


def read(path: Path) -> list[list[int]]:
    return [pair for block in stream(path) for pair in block.tolist()]


@pytest.mark.parametrize(
    "text",
    [
        "0 1\n12 3\n4 567\n8 9\n",
        "0,1\n12,3\n4,567\n8,9",
        "source\ttarget\n0\t1\n12\t3\n\n4\t567\n8\t9\n",
        "# a comment of 3 words 5\n% another\nFromNodeId ToNodeId\n0 1\r\n12 3\r\n4 567\r\n# between\n8 9\n",
    ],
)
@pytest.mark.parametrize("size", [1 << 20, 5, 1])
def test_text_in_any_dress_and_in_blocks_of_any_size(
    text: str, size: int, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(edge_stream, "BYTES", size)
    (tmp_path / "edges.txt").write_text(text)
    assert read(tmp_path / "edges.txt") == EDGES


def test_gzip_and_arrays_of_either_shape(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(edge_stream, "EDGES", 3)
    with gzip.open(tmp_path / "edges.gz", "wb") as file:
        file.write(b"0 1\n12 3\n4 567\n8 9\n")
    for name, array in {"rows": numpy.array(EDGES), "columns": numpy.array(EDGES, numpy.int32).T}.items():
        numpy.save(tmp_path / f"{name}.npy", array)
    assert (
        read(tmp_path / "edges.gz") == read(tmp_path / "rows.npy") == read(tmp_path / "columns.npy") == EDGES
    )


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("0 1\n2\n3 4\n", 2, "2"),
        ("0 1\n2 3 4\n5\n", 2, "2 3 4"),
        ("0 1\n\n2 x\n", 3, "2 x"),
        ("0 1\n2 3.5\n", 2, "2 3.5"),
    ],
)
def test_a_line_that_is_no_edge_is_named(text: str, line: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text(text)
    with pytest.raises(RegardError) as caught:
        read(tmp_path / "edges.txt")
    assert str(caught.value).splitlines()[:2] == [
        "an edge list has two whole numbers on each line: source and target",
        f"  got: edges.txt, line {line}: '{said}'",
    ]


@pytest.mark.parametrize("text", ["0 -1\n", "0 3000000000\n", "2 99999999999999999999999\n"])
def test_numbers_that_no_node_has_are_told(text: str, tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text(text)
    with pytest.raises(RegardError, match="nodes are numbered from 0"):
        read(tmp_path / "edges.txt")


def test_other_files_are_told(tmp_path: Path) -> None:
    numpy.save(tmp_path / "flat.npy", numpy.zeros(4, int))
    numpy.save(tmp_path / "real.npy", numpy.zeros((4, 2)))
    numpy.save(tmp_path / "object.npy", numpy.array([{}, {}]), allow_pickle=True)
    for name in ("flat", "real", "object"):
        with pytest.raises(RegardError, match=r"an edge list in \.npy has two columns, or two rows"):
            read(tmp_path / f"{name}.npy")
    (tmp_path / "no.gz").write_bytes(b"0 1\n")
    for name in ("no.gz", "nowhere.txt"):
        with pytest.raises(RegardError, match="the edge list cannot be read"):
            read(tmp_path / name)
