"""Supports: each mask against a loop, their combinations, their drawing, their messages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.support import Causal, Full, Grid, Packed, Support, Window, draw
from regard.errors import RegardError

ALONE = {"PYTHONPATH": str(Path(__file__).parents[2] / "src"), "PYTHONIOENCODING": "utf-8"}


def by_loop(n: int, m: int, sees) -> Tensor:
    return torch.tensor([[bool(sees(i, j)) for j in range(m)] for i in range(n)]).view(n, m)


SIZES = st.integers(1, 9)


@given(n=SIZES, m=SIZES, size=st.integers(0, 4), offset=st.integers(-3, 9))
def test_masks_equal_their_sentence(n, m, size, offset):
    start = m - n
    assert torch.equal(Causal().mask(n, m), by_loop(n, m, lambda i, j: j <= i + start))
    assert torch.equal(Causal(offset).mask(n, m), by_loop(n, m, lambda i, j: j <= i + offset))
    assert torch.equal(Window(size).mask(n, m), by_loop(n, m, lambda i, j: abs(i + start - j) <= size))
    assert torch.equal(
        Window(size, causal=True, offset=offset).mask(n, m),
        by_loop(n, m, lambda i, j: 0 <= i + offset - j <= size),
    )
    assert Full().mask(n, m) is None


def test_offsets_may_differ_by_row():
    rows = Causal(torch.tensor([0, 2])).mask(2, 4)
    assert rows.shape == (2, 1, 2, 4)
    assert torch.equal(rows[0, 0], Causal(0).mask(2, 4))
    assert torch.equal(rows[1, 0], Causal(2).mask(2, 4))


@given(n=SIZES, m=SIZES, size=st.integers(0, 4))
def test_combinations_are_those_of_sets(n, m, size):
    causal, window = Causal(), Window(size)
    assert torch.equal((causal & window).mask(n, m), Window(size, causal=True).mask(n, m))
    assert torch.equal((causal | window).mask(n, m), causal.mask(n, m) | window.mask(n, m))
    assert torch.equal((Full() & window).mask(n, m), window.mask(n, m))
    assert torch.equal((window & Full()).mask(n, m), window.mask(n, m))
    assert (Full() | window).mask(n, m) is None
    assert (window | Full()).mask(n, m) is None


def test_edges_combine_as_the_pairs_they_join():
    edges = Edges(torch.tensor([0, 2]), torch.tensor([1, 1]), nodes=3)
    joined = by_loop(3, 3, lambda i, j: (i, j) in ((1, 0), (1, 2)))
    assert torch.equal(edges.mask(3, 3, "cpu"), joined)
    for both, either in ((edges & Causal(), edges | Causal()), (Causal() & edges, Causal() | edges)):
        assert torch.equal(both.mask(3, 3), joined & Causal().mask(3, 3))
        assert torch.equal(either.mask(3, 3), joined | Causal().mask(3, 3))


@given(height=st.integers(1, 5), width=st.integers(1, 5), seed=st.integers(0, 99))
def test_a_grid_sees_the_cells_its_offsets_reach(height, width, seed):
    steps = torch.randint(-2, 3, (3, 2), generator=torch.Generator().manual_seed(seed)).tolist()

    def sees(i: int, j: int) -> bool:
        (y, x), (v, u) = divmod(i, width), divmod(j, width)
        return [v - y, u - x] in steps

    cells = height * width
    assert torch.equal(Grid((height, width), steps).mask(cells, cells), by_loop(cells, cells, sees))


def test_a_grid_may_have_one_axis_or_offsets_by_head():
    line = Grid((5,), [[(-1,)], [(1,)]]).mask(5, 5)
    assert torch.equal(line[0], by_loop(5, 5, lambda i, j: j == i - 1))
    assert torch.equal(line[1], by_loop(5, 5, lambda i, j: j == i + 1))


def test_documents_see_themselves_alone_and_queries_are_the_last():
    ids = torch.tensor([[0, 0, 1, 1], [2, 5, 5, 5]])
    rows = Packed(ids).mask(2, 4)
    for b in range(2):
        assert torch.equal(rows[b, 0], by_loop(2, 4, lambda i, j, b=b: ids[b, i + 2] == ids[b, j]))


def packed_equals_apart(support: Support) -> float:
    """How far two documents packed in one row are from each alone."""
    q, k, v = torch.randn(3, 1, 2, 7, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    packed = attend(q, k, v, support=support).output
    apart = [
        attend(q[:, :, s], k[:, :, s], v[:, :, s], support=Causal()).output for s in (slice(3), slice(3, 7))
    ]
    return float((packed - torch.cat(apart, 2)).abs().max())


def test_packed_documents_equal_the_same_apart():
    ids = torch.tensor([0, 0, 0, 1, 1, 1, 1])
    assert packed_equals_apart(Causal() & Packed(ids)) < 1e-10
    assert packed_equals_apart(Causal()) > 1e-3


@pytest.mark.slow
def test_the_file_draws_itself():
    command = [sys.executable, "-W", "error", "-m", "regard.core.support"]
    made = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", env=os.environ | ALONE, check=True
    )
    assert "Window(1)\n■ ■ ·" in made.stdout
    assert draw(torch.eye(2, dtype=torch.bool)) == "■ ·\n· ■"


def message(support) -> str:
    q, k = torch.ones(2, 3, 4, 5), torch.ones(2, 3, 6, 5)
    with pytest.raises(RegardError) as error:
        attend(q, k, k, support=support() if callable(support) else support)
    return str(error.value)


@pytest.mark.parametrize(
    ("support", "text"),
    [
        (
            lambda: Window(-1),
            "a window cannot have a negative size\n  got: size=-1\n  fix: Window(0) sees itself alone",
        ),
        (
            Causal(torch.zeros(3, dtype=torch.long)),
            "offset needs one number, or one for each row of the batch\n"
            "  got: offsets (3,), 2 rows\n  fix: shape them (2,)",
        ),
        (
            lambda: Grid((2, 2), [1, 2]),
            "Grid needs offsets with one step for each axis of the grid\n"
            "  got: offsets of shape (2,) on a grid of 2 axes\n"
            "  fix: pass [(0, 1), (1, 0)] on two axes, or one such list per head",
        ),
        (
            Grid((2, 2), [(0, 1)]),
            "Grid(2, 2) has 4 cells\n"
            "  got: 4 queries and 6 keys\n  fix: give one query and one key for each cell",
        ),
        (
            Packed(torch.zeros(5, dtype=torch.long)),
            "Packed needs one number per key, and no more queries than keys\n"
            "  got: ids (5,) for 2 rows of 4 queries and 6 keys\n  fix: shape them (6,) or (2, 6)",
        ),
        (
            Edges(torch.tensor([0]), torch.tensor([1]), sizes=(4, 6), relation=torch.tensor([0])) & Causal(),
            "edges with relations or features do not combine with another support\n"
            "  got: Edges(1 edges, 4 targets, 6 sources)\n"
            "  fix: drop them, or choose the edges yourself and build new Edges",
        ),
    ],
)
def test_what_does_not_fit_is_told_in_three_lines(support, text):
    assert message(support) == text


def test_offsets_for_other_heads_are_told():
    x = torch.ones(1, 3, 4, 5)
    with pytest.raises(RegardError) as error:
        attend(x, x, x, support=Grid((2, 2), [[(0, 1)], [(1, 0)]]))
    assert (
        str(error.value)
        == "Grid needs one list of offsets per head\n  got: 2 lists, 3 heads\n  fix: give as many"
    )
