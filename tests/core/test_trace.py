"""trace: names, weights and activations while it is on; nothing while it is off."""

from threading import Thread

import pytest
import torch
from torch import nn

from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.normalise import Divide
from regard.core.similarity import Kernel, relu
from regard.core.support import Causal
from regard.core.trace import recorder, trace
from regard.errors import RegardError
from regard.models.attention import MultiHead


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.feed = MultiHead(width=6, heads=2), nn.Linear(6, 6)

    def forward(self, x):
        return self.feed(x + self.attention(x, support=Causal()))


class Graph(nn.Module):
    """A layer that adds loops to the edges it is given."""

    def forward(self, x, edges):
        return attend(x, x, x, support=edges.with_loops()).output


def model() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 6), Block(), Block())


X = torch.linspace(-1, 1, 2 * 5 * 6).view(2, 5, 6)


def test_everything_is_found_by_its_dotted_name():
    made = model()
    with trace(made) as seen:
        y = made(X)
    assert list(seen.looks) == ["1.attention", "2.attention"]
    assert set(seen.activations) == {name for name, _ in made.named_modules()}
    assert seen.activations[""][0] is y
    assert seen.activations["1"][0].shape == (2, 5, 6)
    assert torch.equal(made[0](X), seen.activations["0"][0])


def test_the_weights_are_those_that_were_used():
    made = model()
    with trace(made) as seen:
        made(X)
    weights = seen.looks["1.attention"][0].weights
    assert weights.shape == (2, 2, 5, 5)
    assert (weights.triu(1) == 0).all()
    layer, given = made[1].attention, seen.activations["0"][0]
    values = layer.value(given).unflatten(-1, (2, 3)).transpose(1, 2)
    torch.testing.assert_close(
        layer.out((weights @ values).transpose(1, 2).flatten(2)), seen.activations["1.attention"][0]
    )


def test_it_forces_weights_and_says_so():
    made = model()
    with trace(made) as seen:
        inside = made(X)
    look = seen.looks["1.attention"][0]
    assert (look.backend, look.reason) == (
        "reference",
        "backend 'sdpa' returns no weights; trace keeps the weights",
    )
    torch.testing.assert_close(inside, made(X))
    x = X.unsqueeze(1)
    with trace(made) as seen:
        attended = attend(x, x, x, similarity=Kernel(relu), normalise=Divide())
    assert attended.backend == "reference"
    assert attended.reason.endswith("; trace keeps the weights")
    assert list(seen.looks) == [""]


def test_an_explicit_backend_without_weights_is_not_replaced():
    x = X.unsqueeze(1)
    with trace(model()), pytest.raises(RegardError, match="backend 'sdpa' returns no weights"):
        attend(x, x, x, backend="sdpa")


def test_edge_weights_stand_beside_their_edges_loops_included():
    edges = Edges(torch.tensor([3, 0, 1]), torch.tensor([0, 2, 2]), nodes=5)
    x = X[:, None]
    layer = Graph()
    with trace(layer) as seen:
        output = layer(x, edges)
    look = seen.looks[""][0]
    assert look.backend == "edges"
    assert look.weights.shape == (2, 1, 8)
    assert (look.support.source == look.support.target).sum() == 5
    table = torch.zeros(2, 1, 5, 5)
    table[:, :, look.support.target, look.support.source] = look.weights
    torch.testing.assert_close(table @ x, output)
    torch.testing.assert_close(table.sum(-1), torch.ones(2, 1, 5))


def test_each_call_of_a_module_is_one_entry():
    made = model()
    with trace(made) as seen:
        made(X), made(X[:1])
    assert [look.weights.shape[0] for look in seen.looks["2.attention"]] == [2, 1]
    assert [x.shape[0] for x in seen.activations["0"]] == [2, 1]


def test_gradients_reach_what_was_recorded():
    made = model()
    with trace(made) as seen:
        y = made(X)
    (slope,) = torch.autograd.grad(y.square().sum(), seen.looks["2.attention"][0].weights)
    assert slope.abs().max() > 0


def test_it_leaves_nothing_behind_even_after_an_error():
    made = model()
    with pytest.raises(RuntimeError), trace(made) as seen:
        made(torch.zeros(2, 5, 7))
    assert recorder() is None
    assert seen.activations.get("0", []) == []
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in made.modules())
    with trace(made) as again:
        made(X)
    assert list(again.looks) == ["1.attention", "2.attention"]


def test_an_error_inside_does_not_shift_the_names():
    made = model()
    with trace(made) as seen:
        with pytest.raises(RuntimeError):
            made(torch.zeros(2, 5, 7))
        made(X)
        attend(X.unsqueeze(1), X.unsqueeze(1), X.unsqueeze(1))
    assert list(seen.looks) == ["1.attention", "2.attention", ""]


def test_another_thread_is_not_recorded():
    made, outputs = model(), []
    with trace(made) as seen:
        other = Thread(target=lambda: outputs.append(made(X)))
        other.start()
        other.join()
    assert outputs[0].shape == (2, 5, 6)
    assert seen.looks == seen.activations == {}


def test_traces_may_be_nested():
    outer, inner = model(), model()
    with trace(outer) as first:
        with trace(inner) as second:
            inner(X)
        outer(X)
    assert list(first.looks) == list(second.looks) == ["1.attention", "2.attention"]
    assert len(first.looks["1.attention"]) == 1
