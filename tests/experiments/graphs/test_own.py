"""A graph of one's own as a setting."""

from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.experiments.graphs.own import OwnGraph


def test_a_graph_is_read_where_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n")
    (tmp_path / "nodes.csv").write_text("name,size,kind\na,1,x\nb,2,y\nc,3,x\n")
    assert OwnGraph().network() is None
    network = OwnGraph(graph=tmp_path / "edges.csv", nodes=tmp_path / "nodes.csv", label="kind").network()
    assert network is not None and network.classes == ("x", "y") and network.nodes == 3


@pytest.mark.parametrize("words", [{"nodes": Path("nodes.csv")}, {"label": "kind"}])
def test_what_describes_a_graph_that_is_not_named_is_told(words: dict) -> None:
    with pytest.raises(RegardError) as error:
        OwnGraph(**words).network()
    got = f"nodes={words.get('nodes')}, label='{words.get('label', '')}', and no graph"
    assert str(error.value) == (
        f"nodes and label describe a graph of your own\n  got: {got}\n  fix: add --set graph=FILE, or leave them out"
    )
