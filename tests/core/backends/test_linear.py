"""The linear backend equals the reference, and a recurrence written here, at every boundary of its chunks."""

from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from regard import (
    Alibi,
    Causal,
    Constant,
    Divide,
    Full,
    Kernel,
    Raw,
    RegardError,
    Rotary,
    Softmax,
    Window,
    attend,
    elu_plus_one,
    polynomial,
    relu,
)
from regard.core.backends import linear

KERNEL = Kernel(elu_plus_one)


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()


def tensors(b: int, h: int, g: int, n: int, m: int, d: int = 5, c: int = 3) -> tuple[Tensor, Tensor, Tensor]:
    return draw(b, h, n, d), draw(b, g, m, d, seed=1), draw(b, g, m, c, seed=2)


def slopes(output: Tensor, leaves: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return torch.autograd.grad(output, leaves, draw(*output.shape, seed=3).detach().to(output.dtype))


def gap(left: tuple[Tensor, ...], right: tuple[Tensor, ...]) -> float:
    differences = [(a - b).detach().abs().max() for a, b in zip(left, right, strict=True)]
    return float(torch.stack(differences).max())  # unlike Python's own, this maximum lets no NaN slip


def gap_to_reference(leaves: tuple[Tensor, Tensor, Tensor], **factors: object) -> float:
    """The largest difference in output and gradients, relative to the largest of them if above one."""
    sides = []
    for backend in ("linear", "reference"):
        output = attend(
            *leaves, **({"similarity": KERNEL, "normalise": Divide()} | factors), backend=backend
        ).output
        sides.append((output, *slopes(output, leaves)))
    return gap(*sides) / max(1.0, *(float(x.detach().abs().max()) for x in sides[1]))


def recurrence(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """One token after the other, one state per head: written from the definition alone."""
    state = torch.zeros(*k.shape[:2], k.shape[3], v.shape[3], dtype=v.dtype)
    total, rows = torch.zeros(*k.shape[:2], k.shape[3], dtype=v.dtype), []
    for q_t, k_t, v_t in zip(q.unbind(2), k.unbind(2), v.unbind(2), strict=True):
        features = torch.where(k_t > 0, k_t + 1, k_t.exp())
        asked = torch.where(q_t > 0, q_t + 1, q_t.exp())
        state = state + features.unsqueeze(-1) * v_t.unsqueeze(-2)
        total = total + features
        rows.append((asked.unsqueeze(-1) * state).sum(-2) / (asked * total).sum(-1, keepdim=True))
    return torch.stack(rows, 2)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of three and spans of two chunks: short sequences then cross every boundary."""
    monkeypatch.setattr(linear, "CHUNK", 3)
    monkeypatch.setattr(linear, "SPAN", 6)


@pytest.mark.slow
@given(
    sizes=st.tuples(
        *[st.integers(1, 3)] * 3, st.integers(1, 23), st.integers(0, 7), st.integers(1, 4), st.integers(1, 4)
    ),
    kernel=st.sampled_from([elu_plus_one, relu, polynomial]),
    causal=st.booleans(),
    normalise=st.sampled_from([Divide(), Raw()]),
    chunk=st.sampled_from([(1, 1), (1, 4), (2, 2), (3, 6), (5, 20), (64, 2048)]),
)
def test_equals_the_reference_in_value_and_gradient(sizes, kernel, causal, normalise, chunk) -> None:
    b, g, shared, n, more, d, c = sizes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "CHUNK", chunk[0])
        patch.setattr(linear, "SPAN", chunk[1])
        leaves = tensors(b, g * shared, g, n, n + more, d, c)
        support = Causal() if causal else Full()
        assert (
            gap_to_reference(leaves, similarity=Kernel(kernel), support=support, normalise=normalise) < 1e-10
        )


@pytest.mark.slow
@given(
    n=st.integers(1, 9),
    m=st.integers(1, 9),
    offset=st.integers(-12, 12),
    normalise=st.sampled_from([Divide(), Raw()]),
)
def test_queries_may_stand_anywhere_among_the_keys(n, m, offset, normalise) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "CHUNK", 2)
        patch.setattr(linear, "SPAN", 4)
        leaves = tensors(2, 4, 2, n, m)
        assert gap_to_reference(leaves, support=Causal(offset), normalise=normalise) < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("change", [-1, 0, 1])
@pytest.mark.parametrize("edge", ["CHUNK", "SPAN"])
def test_equals_the_recurrence_at_the_boundaries(edge: str, change: int) -> None:
    n = getattr(linear, edge) + change
    leaves = tensors(1, 2, 2, n, n, 3, 2)
    ours = attend(*leaves, similarity=KERNEL, support=Causal(), normalise=Divide(), backend="linear").output
    theirs = recurrence(*leaves)
    assert gap((ours, *slopes(ours, leaves)), (theirs, *slopes(theirs, leaves))) < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("divide", [True, False])
@pytest.mark.parametrize("start", [0, 2])
def test_the_written_gradient_is_the_numerical_one(small: None, divide: bool, start: int) -> None:
    n = 8
    q, k, v = draw(2, 2, n, 2), draw(2, n + start, 2, seed=1), draw(2, n + start, 3, seed=2)

    def call(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return linear.causal(elu_plus_one(q), elu_plus_one(k), v, start=start, divide=divide)

    assert torch.autograd.gradcheck(call, (q, k, v))


def moved_past(since: int, n: int = 20) -> bool:
    """Whether the outputs before a token change when it and all later ones do."""
    q, k, v = tensors(1, 2, 1, n, n)
    factors = {"similarity": KERNEL, "support": Causal(), "normalise": Divide(), "backend": "linear"}
    before = attend(q, k, v, **factors).output
    with torch.no_grad():
        for x in (q, k, v):
            x[:, :, since:] = 100 * draw(*x[:, :, since:].shape, seed=9)
    after = attend(q, k, v, **factors).output
    assert not torch.equal(before[:, :, since:], after[:, :, since:]), "the change did not arrive"
    return not torch.equal(before[:, :, :since], after[:, :, :since])


@pytest.mark.parametrize("since", [1, 2, 3, 5, 6, 7, 19])
def test_the_future_cannot_move_the_past(small: None, since: int) -> None:
    assert not moved_past(since)


def test_equal_keys_give_the_running_mean() -> None:
    zero, values = torch.zeros(1, 1, 3, 1), torch.tensor([1.0, 3.0, 5.0]).view(1, 1, 3, 1)
    attended = attend(zero, zero, values, similarity=KERNEL, support=Causal(), normalise=Divide())
    assert attended.backend == "linear"
    assert attended.output.flatten().tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("support", [Full(), Causal()])
def test_rows_that_sum_to_zero_give_zeros_and_the_gradient_of_the_reference(
    small: None, support: object
) -> None:
    q, k, v = tensors(1, 2, 1, 11, 11)
    with torch.no_grad():
        k[:, :, :7] = -k[:, :, :7].abs()
        q[:, :, 9] = -q[:, :, 9].abs()
    output = attend(
        q, k, v, similarity=Kernel(relu), support=support, normalise=Divide(), backend="linear"
    ).output
    assert (output[:, :, 9] == 0).all()
    assert not isinstance(support, Causal) or (output[:, :, :7] == 0).all()
    assert all(torch.isfinite(slope).all() for slope in slopes(output, (q, k, v)))
    assert gap_to_reference((q, k, v), similarity=Kernel(relu), support=support) < 1e-10


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("support", [Full(), Causal()])
def test_half_precision_does_not_overflow(dtype: torch.dtype, support: object) -> None:
    q, k, v = (20 * draw(1, 1, 300, 8, seed=seed).detach() for seed in range(3))
    assert float((elu_plus_one(q) @ elu_plus_one(k).mT).sum(-1).max()) > torch.finfo(torch.float16).max
    factors = {"similarity": KERNEL, "support": support, "normalise": Divide(), "backend": "linear"}
    leaves = [x.to(dtype).requires_grad_() for x in (q, k, v)]
    output = attend(*leaves, **factors).output
    assert output.dtype is dtype
    exact = attend(*[x.detach().double() for x in leaves], **factors).output
    assert gap((output.double(),), (exact,)) < torch.finfo(dtype).eps * float(exact.abs().max())
    output.sum().backward()
    assert all(torch.isfinite(x.grad).all() for x in leaves)


def test_one_cached_query_is_the_last_row() -> None:
    q, k, v = tensors(2, 4, 2, 70, 70)
    factors = {"similarity": KERNEL, "support": Causal(), "normalise": Divide(), "backend": "linear"}
    whole, last = attend(q, k, v, **factors).output, attend(q[:, :, -1:], k, v, **factors).output
    assert gap((whole[:, :, -1:],), (last,)) < 1e-12


def test_one_of_a_batch_is_as_if_alone(small: None) -> None:
    q, k, v = tensors(3, 2, 2, 4, 4)
    factors = {"similarity": KERNEL, "support": Causal(), "normalise": Divide(), "backend": "linear"}
    together, alone = attend(q, k, v, **factors).output, attend(q[1:2], k[1:2], v[1:2], **factors).output
    assert gap((together[1:2],), (alone,)) < 1e-12


@pytest.mark.parametrize("support", [Full(), Causal()])
def test_heads_inside_tokens_need_no_copy_to_be_right(small: None, support: object) -> None:
    leaves = tuple(
        x.transpose(1, 2) for x in (draw(2, 13, 4, 5), draw(2, 13, 2, 5, seed=1), draw(2, 13, 2, 3, seed=2))
    )
    assert gap_to_reference(leaves, support=support) < 1e-10


def test_a_turning_position_turns_before_the_features(small: None) -> None:
    assert gap_to_reference(tensors(1, 2, 1, 7, 11, 4), support=Causal(), position=Rotary()) < 1e-10


@pytest.mark.parametrize(("b", "n", "m"), [(0, 4, 4), (2, 0, 3), (2, 3, 0)])
@pytest.mark.parametrize("support", [Full(), Causal()])
def test_nothing_in_gives_zeros_out(b: int, n: int, m: int, support: object) -> None:
    output = attend(
        *tensors(b, 2, 1, n, m), similarity=KERNEL, support=support, normalise=Divide(), backend="linear"
    ).output
    assert output.shape == (b, 2, n, 3)
    assert (output == 0).all()


def kept_bytes(n: int) -> int:
    """What one call keeps for its backward pass, each piece of memory once."""
    kept: dict[int, int] = {}

    def pack(x: Tensor) -> Tensor:
        kept[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
        return x

    q, k, v = tensors(1, 1, 1, n, n, 16, 16)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        attend(q, k, v, similarity=KERNEL, support=Causal(), normalise=Divide(), backend="linear")
    return sum(kept.values())


def test_what_is_kept_for_the_backward_pass_is_linear_in_the_length() -> None:
    short, long = kept_bytes(2 * linear.SPAN), kept_bytes(4 * linear.SPAN)
    assert short > 0
    assert long <= 2.01 * short
    # q, k, their features, v and the output, 16 channels each, one factor per row, and a state per span.
    assert short <= 8 * (2 * linear.SPAN * (6 * 16 + 1) + 2 * 16 * 17)


def test_the_gradient_has_no_gradient() -> None:
    leaves = tensors(1, 1, 1, 5, 5)
    output = attend(*leaves, similarity=KERNEL, support=Causal(), normalise=Divide(), backend="linear").output
    (slope,) = torch.autograd.grad(output.square().sum(), leaves[:1], create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()


after = linear._after


def inclusive(terms: Tensor, state: Tensor) -> Tensor:
    chunks = len(terms) // len(state)
    return linear._sums(terms, state, terms.new_ones(chunks + 1, chunks).tril())


def unmasked(rows: Tensor, columns: Tensor) -> Tensor:
    return rows @ columns.mT


def blind_to_itself(rows: Tensor, columns: Tensor) -> Tensor:
    products, chunk = rows @ columns.mT, columns.shape[1]
    products.view(-1, chunk, chunk).tril_(-1)
    return products


SABOTAGE: dict[str, tuple[str, Callable]] = {
    "the state holds the chunk itself": ("_before", inclusive),
    "no triangle inside a chunk": ("_triangle", unmasked),
    "a token does not see itself": ("_triangle", blind_to_itself),
    "the backward pass forgets later spans": (
        "_after",
        lambda terms, state: after(terms, torch.zeros_like(state)),
    ),
    "zero sums are divided by": ("nonzero", lambda sums: sums),
}


@pytest.mark.parametrize("fault", SABOTAGE)
def test_the_laws_show_a_planted_fault(small: None, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    monkeypatch.setattr(linear, *SABOTAGE[fault])
    leaves, kernel = tensors(1, 2, 1, 20, 20), Kernel(relu) if "zero" in fault else KERNEL
    if "zero" in fault:
        with torch.no_grad():
            leaves[1].copy_(-leaves[1].abs())
    difference = gap_to_reference(leaves, similarity=kernel, support=Causal())
    assert not difference < 1e-10


@pytest.mark.parametrize("fault", ["the state holds the chunk itself", "no triangle inside a chunk"])
def test_causality_shows_a_planted_leak(small: None, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    monkeypatch.setattr(linear, *SABOTAGE[fault])
    assert moved_past(4)


ELSEWHERE = "drop backend='linear', or pass backend='reference'"


@pytest.mark.parametrize(
    ("factors", "what", "got", "fix"),
    [
        (
            {"similarity": Constant()},
            "backend 'linear' needs a kernel",
            "Constant",
            "pass similarity=Kernel(phi)",
        ),
        (
            {"normalise": Softmax()},
            "backend 'linear' needs Divide or Raw",
            "Softmax",
            "pass normalise=Divide()",
        ),
        ({"support": Window(2)}, "backend 'linear' needs Full or Causal", "Window", ELSEWHERE),
        (
            {"support": Causal(torch.tensor([0, 1]))},
            "backend 'linear' needs one offset for all rows",
            "2 offsets",
            ELSEWHERE,
        ),
        (
            {"position": Alibi((1.0, 0.5)), "normalise": Raw()},
            "backend 'linear' has no scores to add a bias to",
            "Alibi",
            ELSEWHERE,
        ),
        ({"weights": True}, "backend 'linear' never has the weights", "weights=True, or a trace", ELSEWHERE),
        ({"dropout": 0.5}, "backend 'linear' never has the weights", "dropout=0.5", ELSEWHERE),
    ],
)
def test_what_it_cannot_do_is_refused(factors: dict, what: str, got: str, fix: str) -> None:
    with pytest.raises(RegardError) as caught:
        attend(
            *tensors(2, 2, 1, 3, 4),
            **({"similarity": KERNEL, "normalise": Divide()} | factors),
            backend="linear",
        )
    assert str(caught.value) == f"{what}\n  got: {got}\n  fix: {fix}"


@pytest.mark.parametrize("start", [0, 2])
def test_what_is_not_finite_reaches_what_comes_after_it_alone(small: None, start: int) -> None:
    drawn = draw(1, 1, 6, 3), draw(1, 6 + start, 3, seed=1).abs(), draw(1, 6 + start, 2, seed=2)
    q, k, v = (x.detach().clone() for x in drawn)
    clean = linear.triangle(q.abs(), k, v, start=start, divide=True)
    v[0, 3 + start, 1] = torch.nan
    made = linear.triangle(q.abs(), k, v, start=start, divide=True)
    assert made[..., 1].isnan().flatten().tolist() == [False] * 3 + [True] * 3
    assert torch.allclose(made[..., 0], clean[..., 0])
    assert torch.allclose(made[:, :, :3], clean[:, :, :3])
