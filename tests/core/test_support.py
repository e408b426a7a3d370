"""Supports: each mask against a loop, their combinations, their drawing, their messages."""

import inspect
import os
import subprocess
import sys
from math import inf, nan
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.normalise import Divide
from regard.core.position import Alibi
from regard.core.similarity import Kernel, relu
from regard.core.support import Causal, Full, Grid, Mask, Packed, Support, Window, check_mask, draw
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


def test_a_persons_own_mask_is_taken_as_it_is():
    x = torch.randn(2, 3, 5, 4, generator=torch.Generator().manual_seed(0))
    own = torch.rand(2, 1, 5, 5, generator=torch.Generator().manual_seed(0)) < 0.7
    torch.testing.assert_close(
        attend(x, x, x, support=Mask(own)).output, F.scaled_dot_product_attention(x, x, x, own)
    )


def additive(allowed: Tensor) -> Tensor:
    """0 where a query may look, -inf where it may not."""
    return torch.zeros(allowed.shape).masked_fill(~allowed, -inf)


BACKENDS = ["sdpa", "reference"]
KINDS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", KINDS)
def test_zeros_and_minus_infinities_hide_what_booleans_hide(backend, kind):
    x = torch.randn(2, 3, 5, 4, generator=torch.Generator().manual_seed(0))
    own = torch.rand(2, 1, 5, 5, generator=torch.Generator().manual_seed(0)) < 0.6
    own[0, 0, 2] = False
    hidden, added = (
        attend(x, x, x, support=Mask(mask), backend=backend) for mask in (own, additive(own).to(kind))
    )
    torch.testing.assert_close(added.output, hidden.output)
    assert (added.output[0, :, 2] == 0).all()
    everything = attend(x, x, x, support=Mask(torch.zeros(5, 5)), backend=backend)
    torch.testing.assert_close(everything.output, attend(x, x, x).output)
    assert not torch.allclose(everything.output, hidden.output, atol=1e-2)


@pytest.mark.parametrize("backend", BACKENDS)
def test_other_floats_are_a_bias_which_learns(backend):
    x = torch.randn(2, 3, 5, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    bias = torch.randn(3, 5, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    bias.requires_grad_()
    made = attend(x, x, x, support=Mask(bias) & Causal(), position=Alibi((0.5, 0.25, 0.1)), backend=backend)
    i, j = torch.arange(5).unsqueeze(1), torch.arange(5)
    slopes = torch.tensor([0.5, 0.25, 0.1], dtype=torch.float64).view(3, 1, 1)
    scores = x @ x.mT / 2 + bias - slopes * (i - j).abs()
    expected = scores.masked_fill(j > i, -inf).softmax(-1) @ x
    torch.testing.assert_close(made.output, expected)
    slope, right = (torch.autograd.grad(y.square().sum(), bias)[0] for y in (made.output, expected))
    torch.testing.assert_close(slope, right)


@pytest.mark.parametrize("backend", BACKENDS)
def test_two_additive_masks_add_up(backend):
    x = torch.randn(1, 1, 5, 4, generator=torch.Generator().manual_seed(0))
    one, two = (torch.randn(5, 5, generator=torch.Generator().manual_seed(s)) for s in (1, 2))
    both = attend(x, x, x, support=Mask(one) & Mask(two), backend=backend).output
    torch.testing.assert_close(both, attend(x, x, x, support=Mask(one + two), backend=backend).output)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_very_negative_number_is_no_minus_infinity_even_in_half_precision(backend):
    x = torch.ones(1, 1, 2, 4, dtype=torch.float16)
    v = torch.tensor([1.0, 3.0], dtype=torch.float16).view(1, 1, 2, 1)
    mask = Mask(torch.tensor([[-1e9, -1e9], [0.0, -1e9]]))
    assert attend(x, x, v, support=mask, backend=backend).output.flatten().tolist() == [2.0, 1.0]
    hidden = Mask(torch.tensor([[-inf, -inf], [0.0, -inf]]))
    assert attend(x, x, v, support=hidden, backend=backend).output.flatten().tolist() == [0.0, 1.0]


def test_a_nan_in_an_additive_mask_is_not_lost():
    x = torch.ones(1, 1, 2, 4)
    mask = Mask(torch.tensor([[0.0, nan], [0.0, 0.0]]))
    made = attend(x, x, x, support=mask, backend="reference").output
    assert made[0, 0].isnan().any(-1).tolist() == [True, False]


def test_the_reason_says_which_mask_was_seen():
    x, seen = torch.ones(1, 1, 2, 4), torch.ones(2, 2, dtype=torch.bool)
    boolean, added = "; a boolean mask: True looks", "; an additive mask: 0 looks, -inf hides"
    assert attend(x, x, x, support=Mask(seen)).reason.endswith(f"fused kernel{boolean}")
    assert attend(x, x, x, support=Mask(additive(seen)), backend="reference").reason == f"asked for{added}"
    assert attend(x, x, x, support=Mask(seen) & Mask(additive(seen))).reason.endswith(boolean + added)
    assert attend(x, x, x, support=Causal()).reason.endswith("fused kernel")


def test_an_additive_mask_is_refused_where_scores_are_divided():
    x = torch.ones(1, 1, 2, 4)
    with pytest.raises(RegardError) as error:
        attend(x, x, x, similarity=Kernel(relu), normalise=Divide(), support=Mask(torch.zeros(2, 2)))
    assert str(error.value) == (
        "Divide divides scores by their sum, and an additive mask may make them negative\n"
        "  got: Mask\n  fix: use normalise=Softmax(), or hide alone: Mask(mask > -torch.inf)"
    )


def test_a_bare_mask_is_told_how_to_be_wrapped():
    x = torch.ones(1, 1, 2, 4)
    with pytest.raises(RegardError) as error:
        inspect.unwrap(attend)(x, x, x, support=torch.zeros(2, 2))
    assert str(error.value) == (
        "this is not what support takes\n"
        "  got: a tensor (2, 2) of torch.float32\n  fix: wrap the mask: support=Mask(mask)"
    )


def plain_mask(mask):
    """A mask whose type is checked by hand, as in production."""
    check_mask(mask)


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
            lambda: Mask(torch.ones(4, 6, dtype=torch.long)),
            "Mask needs booleans (True looks) or floats (0 looks, -inf hides); whole numbers may mean either\n"
            "  got: torch.int64\n"
            "  fix: pass Mask(mask == 1) if 1 marks what may be seen, Mask(mask == 0) if it marks what is hidden",
        ),
        (
            lambda: plain_mask([[True]]),
            "Mask needs a tensor, of booleans or of floats\n"
            "  got: list\n  fix: pass Mask(torch.as_tensor(mask)), True where the query may look",
        ),
        (
            lambda: Causal() | Mask(torch.zeros(4, 6)),
            "either of two supports: what an additive mask adds would be lost\n"
            "  got: Causal | Mask\n"
            "  fix: keep where it may look alone, Mask(mask > -torch.inf), or combine with &",
        ),
        (
            Mask(torch.ones(6, 4, dtype=torch.bool)),
            "the mask does not fit the scores\n  got: mask (6, 4), scores (2, 3, 4, 6) (b h n m)\n"
            "  fix: give it the shape (n m), (h n m) or (b h n m); (b 1 n m) serves all heads",
        ),
        (
            Causal() & Mask(torch.ones(2, 4, 6, dtype=torch.bool)),
            "the mask does not fit the scores\n  got: mask (2, 4, 6), scores (2, 3, 4, 6) (b h n m)\n"
            "  fix: give it the shape (n m), (h n m) or (b h n m); (b 1 n m) serves all heads",
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
