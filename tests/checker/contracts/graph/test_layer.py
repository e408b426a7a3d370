"""The graphs of the probes, and the ways to pass them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from regard.checker.contracts.graph.layer import case, unlike, usual
from regard.checker.contracts.graph.passing import callings
from regard.checker.reading.arguments import Built
from regard.checker.target import check_file
from regard.checker.workbench import Made


def made(*names: str) -> Made:
    parameters = [{"name": name, "required": True, "star": False, "default": None} for name in names]
    return Made(1, {}, {}, [], {}, {}, parameters, True, Built({}, {}))


def test_the_graph_is_directed_and_irregular_with_a_loop_a_street_and_a_node_alone() -> None:
    a = case(np.random.default_rng(0), 4, "loose")["adjacency"]
    assert not np.array_equal(a, a.T)
    assert a.trace() == 1
    assert ((a + a.T - np.diag(np.diag(a)) * 2) == 2).sum() == 2
    assert not a[6].any()
    assert not a[:, 6].any()
    assert (a[:6].sum(1) > 0).all()
    assert (a[:, :6].sum(0) > 0).all()
    assert len(set(a[:6].sum(1))) > 1


def test_the_other_graphs_have_loops_everywhere_or_nobody_alone() -> None:
    closed = case(np.random.default_rng(0), 4, "closed")["adjacency"]
    joined = case(np.random.default_rng(0), 4, "joined")["adjacency"]
    assert (np.diag(closed) == 1).all()
    assert (joined.sum(0) + joined.sum(1) > 0).all()
    assert {len(closed), len(joined)} == {5, 6}


def test_an_edge_list_holds_sources_above_targets_in_no_order() -> None:
    asked = case(np.random.default_rng(0), 4, "loose")
    way, enter = callings(made("x", "edge_index"))[0]
    assert way == "edges"
    source, target = enter(asked)[0][1]
    back = np.zeros((7, 7))
    back[target, source] = 1
    assert np.array_equal(back, asked["adjacency"])
    assert (np.diff(target) < 0).any()


def test_names_say_where_the_graph_goes() -> None:
    asked = case(np.random.default_rng(0), 4, "loose")
    way, enter = callings(made("adj", "x"))[0]
    assert way == "matrix"
    assert np.array_equal(enter(asked)[0][0], asked["adjacency"])


@pytest.mark.parametrize("name", ["num_nodes", "n_nodes", "N", "nodes", "number_of_nodes"])
def test_a_layer_that_asks_for_the_number_of_nodes_is_told(name: str) -> None:
    asked = case(np.random.default_rng(0), 4, "loose")
    assert {str(enter(asked)[1]) for _, enter in callings(made("x", "edge_index", name))} == {str({name: 7})}


def test_what_else_a_layer_asks_for_is_left_to_it() -> None:
    asked = case(np.random.default_rng(0), 4, "loose")
    assert callings(made("x", "edge_index", "batch"))[0][1](asked)[1] == {}


def test_weights_of_edges_are_one() -> None:
    asked = case(np.random.default_rng(0), 4, "loose")
    assert (
        callings(made("x", "edge_index", "edge_weight"))[0][1](asked)[1]["edge_weight"].tolist() == [1.0] * 11
    )


@pytest.mark.parametrize(
    ("names", "sources"),
    [(("x", "src", "dst"), 1), (("x", "receivers", "senders"), 2), (("merkmale", "quellen", "ziele"), 1)],
)
def test_the_ends_of_edges_may_be_two_arguments(names: tuple[str, ...], sources: int) -> None:
    asked = case(np.random.default_rng(0), 4, "loose")
    ((way, enter),) = callings(made(*names))
    values, _ = enter(asked)
    assert "edges" in way
    assert all(
        asked["adjacency"][i, j] == 1 for i, j in zip(values[3 - sources], values[sources], strict=True)
    )


def test_two_graphs_are_not_taken_for_the_ends_of_edges() -> None:
    assert len(callings(made("x", "adj", "mask"))) > 1


def test_a_node_that_listens_to_nobody_is_heard() -> None:
    a = case(np.random.default_rng(0), 4, "heard")["adjacency"]
    assert not a[5].any()
    assert a[:, 5].any()


def test_the_case_unlike_the_first_has_as_many_nodes_and_other_edges(puppet: Callable) -> None:
    subject = puppet("gcn-layer", {})
    first, other = (of(subject, np.random.default_rng(0))["adjacency"] for of in (usual, unlike))
    assert first.shape == other.shape
    assert not np.array_equal(first, other)


GCN = """
import torch
from torch import nn

class GraphConvolution(nn.Module):
    def __init__(self, size_in, size_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size_in, size_out))

    def forward(self, x, adj):
        return adj @ (x @ self.weight)
"""
GAT = """
import torch
import torch.nn.functional as F
from torch import nn

class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features, dropout, alpha):
        super().__init__()
        self.dropout, self.alpha, self.n = dropout, alpha, out_features
        self.W = nn.Parameter(torch.randn(in_features, out_features))
        self.a = nn.Parameter(torch.randn(2 * out_features, 1))

    def forward(self, h, adj):
        h = h @ self.W
        e = F.leaky_relu(h @ self.a[: self.n] + (h @ self.a[self.n :]).T, self.alpha)
        w = torch.softmax(torch.where(adj > 0, e, -9e15 * torch.ones_like(e)), dim=1)
        return F.dropout(w, self.dropout, training=self.training) @ h
"""


@pytest.mark.parametrize(
    ("contract", "text", "old", "new", "said"),
    [
        ("gcn-layer", GCN, "", "", ""),
        ("gcn-layer", GCN, "randn(size_in,", "randn(size_out,", "inputs and outputs may differ in width"),
        ("gat-layer", GAT, "", "", ""),
        ("gat-layer", GAT, "adj > 0", "adj >= 0", ""),
        ("gat-layer", GAT, "w, self.dropout,", "w,", "train() changes nothing but dropout"),
    ],
    ids=["gcn", "widths", "gat", "no edge hides", "rate"],
)
def test_what_was_asked_for_is_what_is_there(
    tmp_path: Path, contract: str, text: str, old: str, new: str, said: str
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text.replace(old, new) if old else text)
    found = check_file(str(path), contract=contract)
    assert found.code == bool(old), found.verdicts[0].sentence
    words = (found.verdicts[0].sentence, *(f.sentence for f in found.verdicts[0].findings))
    assert any(said in one for one in words), words


LOOPS = """
import torch
from torch import nn

class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_features, out_features))

    def forward(self, x, adj):
        a = COPY
        a.fill_diagonal_(1)
        d = a.sum(1) ** -0.5
        return (d[:, None] * a * d) @ x @ self.weight
"""


@pytest.mark.parametrize(("copy", "slugs"), [("adj.clone()", ()), ("adj", ("input-modified",))])
def test_loops_that_are_written_into_the_graph_are_seen(tmp_path: Path, copy: str, slugs: tuple) -> None:
    path = tmp_path / "mine.py"
    path.write_text(LOOPS.replace("COPY", copy))
    verdict = check_file(str(path)).verdicts[0]
    assert verdict.slugs == slugs, verdict.sentence
