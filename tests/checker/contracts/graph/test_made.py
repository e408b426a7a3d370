"""Layers that are made for a graph are told from those that are called with one, and are made anew for each."""

from pathlib import Path
from typing import Any

import pytest

from regard.checker.contracts.graph.made import late
from regard.checker.reading.source import Source
from regard.checker.target import check_file
from regard.checker.workbench import Workbench


class Silent:
    """A line on which nobody is asked anything."""

    def ask(self, verb: str, *values: Any, **named: Any) -> Any:
        raise AssertionError(verb)


def bench(makes: list[str], asks: list[str]) -> Workbench:
    parameters, forward = (
        [{"name": name, "required": True, "star": False} for name in names] for names in (makes, asks)
    )
    member = {"name": "Layer", "kind": "class", "parameters": parameters, "forward": forward}
    return Workbench(Silent(), member, [member], Source(""))


@pytest.mark.parametrize(
    ("makes", "asks", "name"),
    [
        (["n_in", "n_out", "adj"], ["x"], "adj"),
        (["A_norm", "n_in", "n_out"], ["x"], "A_norm"),
        (["n_in", "supports"], ["x"], "supports"),
        (["n_in", "n_out", "adj"], ["x", "adj"], ""),
        (["n_in", "n_out", "num_adj"], ["x"], ""),
        (["n_in", "n_out"], ["x"], ""),
    ],
)
def test_an_argument_of_the_constructor_is_the_graph_where_no_call_takes_one(
    makes: list[str], asks: list[str], name: str
) -> None:
    assert late(bench(makes, asks)) == name


LAYER = """
import torch
from torch import nn

class GCNLayer(nn.Module):
    def __init__(self, n_in, n_out, adj):
        super().__init__()
        looped = adj + torch.eye(len(adj))
        root = looped.sum(1) ** -0.5
        self.graph = root[:, None] * looped * root
        self.lin = nn.Linear(n_in, n_out)

    def forward(self, x):
        return self.lin(self.graph @ x)ENDING
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "code"), [("", 0), (" + x.mean()", 1), (".detach() + 0 * self.lin.bias", 1)]
)
def test_it_is_made_anew_for_every_graph_with_the_weights_that_it_has(
    tmp_path: Path, ending: str, code: int
) -> None:
    (tmp_path / "layer.py").write_text(LAYER.replace("ENDING", ending))
    assert check_file(f"{tmp_path / 'layer.py'}:GCNLayer", contract="gcn-layer").code == code
