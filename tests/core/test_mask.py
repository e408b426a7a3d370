"""A person's own mask, of booleans or of floats: what it hides, what it adds, what is said of it."""

import inspect
from math import inf, nan

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from regard.core.attend import attend
from regard.core.mask import Mask, check_mask
from regard.core.normalise import Divide
from regard.core.position import Alibi
from regard.core.similarity import Kernel, relu
from regard.core.support import Causal
from regard.errors import RegardError


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


def message(support) -> str:
    q, k = torch.ones(2, 3, 4, 5), torch.ones(2, 3, 6, 5)
    with pytest.raises(RegardError) as error:
        attend(q, k, k, support=support() if callable(support) else support)
    return str(error.value)


@pytest.mark.parametrize(
    ("support", "text"),
    [
        (
            lambda: Mask(torch.ones(4, 6, dtype=torch.long)),
            "Mask needs booleans (True looks) or floats (0 looks, -inf hides); whole numbers may mean either\n"
            "  got: torch.int64\n"
            "  fix: pass Mask(mask == 1) if 1 marks what may be seen, Mask(mask == 0) if it marks what is hidden",
        ),
        (
            lambda: plain_mask([[True]]),
            "Mask needs a tensor, of booleans or of floats\n"
            "  got: [[True]]\n  fix: pass Mask(torch.as_tensor(mask)), True where the query may look",
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
    ],
)
def test_a_mask_that_does_not_fit_is_told_in_three_lines(support, text):
    assert message(support) == text


def test_ones_and_zeros_as_floats_are_refused_since_they_would_hide_nothing():
    with pytest.raises(RegardError) as error:
        Mask(torch.ones(3, 3).tril())
    assert str(error.value) == (
        "a mask of ones and zeros as floats would be added to the scores and hide nothing\n"
        "  got: torch.float32, (3, 3)\n"
        "  fix: pass Mask(mask == 1) if 1 marks what may be seen, Mask(mask == 0) if it marks what is hidden"
    )
    assert Mask(torch.zeros(2, 2)).adds and Mask(torch.tensor([[0.0, 1.0, -torch.inf]])).adds
