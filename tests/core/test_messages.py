"""Weights of edges in plain torch code: true to a dense softmax, whatever gathers and sums."""

import pytest
import torch
from torch import Tensor, nn

from regard.core.edges import Edges
from regard.core.messages import _column
from regard.core.watch import MESSAGES, WRITTEN, Watch

GENERATOR = torch.Generator().manual_seed(0)
N, H, C = 6, 2, 3
SOURCE = torch.tensor([0, 1, 2, 3, 4, 5, 0, 2, 5, 1])
TARGET = torch.tensor([0, 0, 0, 1, 2, 2, 3, 3, 4, 4])
SCORES = torch.randn(len(SOURCE), H, generator=GENERATOR)
X = torch.randn(N, H, C, generator=GENERATOR)


def softmax() -> Tensor:
    e = (SCORES - SCORES.max()).exp()
    return e / torch.zeros(N, H).index_add_(0, TARGET, e)[TARGET]


RIGHT = softmax()


def wide(index: Tensor, x: Tensor) -> Tensor:
    return index.view(-1, *(x.dim() - 1) * (1,)).expand_as(x)


def index_add(x: Tensor) -> Tensor:
    return torch.zeros_like(x).index_add_(0, TARGET, softmax()[..., None] * x[SOURCE])


def scatter_add(x: Tensor) -> Tensor:
    sent = (x.index_select(0, SOURCE) * softmax().unsqueeze(-1)).flatten(1)
    return torch.zeros(N, H * C).scatter_add(0, wide(TARGET, sent), sent)


def scatter_reduce(x: Tensor) -> Tensor:
    rows = x.gather(0, wide(SOURCE, torch.empty(len(SOURCE), H, C)))
    sent = torch.einsum("eh,ehc->ehc", softmax(), rows)
    return torch.zeros_like(x).scatter_reduce(0, wide(TARGET, sent), sent, reduce="sum")


def index_put(x: Tensor) -> Tensor:
    sent = x[SOURCE]
    sent *= softmax()[..., None]
    return torch.zeros_like(x).index_put_((TARGET,), sent, accumulate=True)


def segments(x: Tensor) -> Tensor:
    sent = x[SOURCE] * softmax()[..., None]
    return torch.segment_reduce(sent, "sum", lengths=torch.bincount(TARGET, minlength=N))


def divided_at_the_end(x: Tensor) -> Tensor:
    e = SCORES.exp()
    total = torch.zeros(N, H).index_add(0, TARGET, e)
    return torch.zeros_like(x).index_add(0, TARGET, e[..., None] * x[SOURCE]) / (total[..., None] + 1e-16)


def made_of_both_ends(x: Tensor) -> Tensor:
    values = nn.Linear(2 * C, C)(torch.cat([x[SOURCE], x[TARGET]], -1))
    return torch.zeros_like(x).index_add(0, TARGET, softmax()[..., None] * values)


def turned_round(x: Tensor) -> Tensor:
    order = torch.arange(len(SOURCE)).flip(0)
    sent = (x[SOURCE])[order] * softmax()[order][..., None]
    return torch.zeros_like(x).index_add(0, TARGET[order], sent)


def nodes_that_were_gathered_themselves(x: Tensor) -> Tensor:
    x = torch.cat([x, x])[torch.tensor([0, 7, 2, 9, 4, 11])]
    return index_add(x)


def second_axis(x: Tensor) -> Tensor:
    x = x[None].flatten(2)
    sent = softmax().mean(1)[None, :, None] * x[:, SOURCE]
    return torch.zeros_like(x).index_add(1, TARGET, sent)


class Plain(nn.Module):
    def __init__(self, kernel) -> None:
        super().__init__()
        self.kernel = kernel

    def forward(self, x: Tensor) -> Tensor:
        return self.kernel(x)


def looks(kernel) -> list:
    torch.manual_seed(0)
    before = kernel(X.clone())
    torch.manual_seed(0)
    with torch.no_grad(), Watch(Plain(kernel)) as seen:
        after = seen.model(X.clone())
    assert torch.equal(before, after)
    return [one for each in seen.looks.values() for one in each]


KERNELS = [
    index_add, scatter_add, scatter_reduce, index_put, segments, divided_at_the_end, made_of_both_ends,
    turned_round, nodes_that_were_gathered_themselves, second_axis,
]  # fmt: skip


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_softmax_over_edges_is_seen_whatever_sums_the_messages(kernel) -> None:
    (look,) = looks(kernel)
    assert look.backend == MESSAGES and isinstance(look.support, Edges) and look.support.sizes == (N, N)
    right = RIGHT.mean(1, keepdim=True) if kernel is second_axis else RIGHT
    flipped = kernel is turned_round
    assert torch.equal(look.support.source.flip(0) if flipped else look.support.source, SOURCE)
    assert torch.equal(look.support.target.flip(0) if flipped else look.support.target, TARGET)
    assert look.weights.shape == (1, right.shape[1], len(SOURCE))
    found = look.weights[0].T
    assert torch.allclose(found.flip(0) if flipped else found, right, atol=1e-5)


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("divided", [False, True])
def test_a_sparse_matrix_of_weights_is_seen(divided: bool) -> None:
    e, ends = SCORES[:, :1].exp(), torch.stack([TARGET, SOURCE])

    def kernel(x: Tensor) -> Tensor:
        x, one = x.flatten(1), torch.ones(N, 1)
        if divided:
            matrix = torch.sparse_coo_tensor(ends, e[:, 0], (N, N))
            return torch.matmul(matrix, x) / (torch.matmul(matrix, one) + 1e-16)
        return torch.sparse.mm(
            torch.sparse.softmax(torch.sparse_coo_tensor(ends, SCORES[:, 0], (N, N)), 1), x
        )

    (look,) = looks(kernel)
    dense = torch.zeros(N, N).index_put((look.support.target, look.support.source), look.weights[0, 0])
    assert torch.allclose(dense, torch.zeros(N, N).index_put((TARGET, SOURCE), RIGHT[:, 0]), atol=1e-5)


def test_sums_and_gates_of_neighbours_are_no_attention() -> None:
    def gated(x: Tensor) -> Tensor:
        return torch.zeros_like(x).index_add(0, TARGET, SCORES.sigmoid()[..., None] * x[SOURCE])

    def summed(x: Tensor) -> Tensor:
        return torch.zeros_like(x).index_add(0, TARGET, x[SOURCE])

    def averaged_otherwise(x: Tensor) -> Tensor:
        return gated(x) / torch.full((N, H, 1), 3.0)

    assert [looks(kernel) for kernel in (gated, summed, averaged_otherwise)] == [[], [], []]


def test_a_dense_softmax_times_values_summed_by_hand_is_seen() -> None:
    scores = torch.randn(5, 7, generator=GENERATOR)

    def kernel(x: Tensor) -> Tensor:
        a = scores.softmax(1)
        return (a[:, :, None] * x[None]).sum(1)

    with Watch(Plain(kernel)) as seen:
        seen.model(torch.randn(7, 3))
    (look,) = seen.looks[""]
    assert look.backend == WRITTEN and torch.allclose(look.weights[0, 0], scores.softmax(1), atol=1e-6)


def test_an_index_that_differs_by_column_is_none() -> None:
    assert _column(torch.tensor([[0, 1], [2, 2]]), 0) is None and _column(torch.tensor([True]), 0) is None
