"""NaN and infinities in q, k or v reach the rows that the equation gives them, and no others."""

from math import inf, nan, sqrt

import pytest
import torch
from torch import Tensor

from regard.core.attend import attend
from regard.core.backends import sdpa
from regard.core.backends.edges import native
from regard.core.edges import Edges
from regard.core.mask import Mask
from regard.core.normalise import Divide, Mean, Raw, Softmax
from regard.core.position import Relative
from regard.core.similarity import Additive, Constant, Cosine, Dot, Gaussian, Kernel, elu_plus_one, relu
from regard.core.support import Causal, Full, Window
from regard.errors import RegardError

ROWS, WIDTH, CHANNELS = 6, 4, 3
PLACES = [(name, row, bad) for name in "qkv" for row in (3, 5) for bad in (nan, inf, -inf)]
HOLES = torch.ones(ROWS, ROWS, dtype=torch.bool).tril()
HOLES[2], HOLES[:, 3] = False, torch.tensor([False, True, False, True, True, False])
EDGES = Edges(*HOLES.nonzero().T.flip(0), nodes=ROWS)


def tensors(name: str, row: int, bad: float, kind: torch.dtype = torch.float64) -> dict[str, Tensor]:
    """Random q, k and v, and one number in one of them that is none, or has no end."""
    random = torch.Generator().manual_seed(1)
    sizes = {"q": WIDTH, "k": WIDTH, "v": CHANNELS}
    made = {x: torch.randn(1, 1, ROWS, size, generator=random, dtype=kind) for x, size in sizes.items()}
    made[name][0, 0, row, 1] = bad
    return made


def scores(similarity, q: Tensor, k: Tensor) -> Tensor:
    """One query against the keys it may see, by the formula of each similarity."""
    match similarity:
        case Dot():
            return (q * k).sum(-1) / sqrt(WIDTH)
        case Cosine():
            return (q * k).sum(-1) / (q.norm() * k.norm(dim=-1))
        case Constant(value=value):
            return torch.full((len(k),), value, dtype=q.dtype)
        case Gaussian():
            return -(q - k).square().sum(-1) / 2
        case Kernel(phi=phi):
            return (phi(q) * phi(k)).sum(-1)
        case Additive():
            z = (similarity.target * q).sum() + (similarity.source * k).sum(-1)
            return torch.where(z > 0, z, similarity.slope * z)
    raise AssertionError(similarity)


def weights(normalise, row: Tensor) -> Tensor:
    match normalise:
        case Softmax():
            if bool((row == -inf).all()):
                return torch.zeros_like(row)
            powers = (row - row.max()).exp()
            return powers / powers.sum()
        case Divide():
            return row / (row.sum() if row.sum() != 0 else 1.0)
        case Mean():
            return row / len(row)
        case Raw():
            return row
    raise AssertionError(normalise)


def by_the_equation(given: dict[str, Tensor], similarity, normalise, allowed: Tensor) -> Tensor:
    """The sum over the keys that a query may see, and over nothing else."""
    q, k, v = (given[name][0, 0] for name in "qkv")
    y = torch.zeros(ROWS, CHANNELS, dtype=q.dtype)
    for i in range(ROWS):
        seen = allowed[i].nonzero().flatten()
        if len(seen):
            w = weights(normalise, scores(similarity, q[i], k[seen]))
            y[i] = (w.unsqueeze(-1) * v[seen]).sum(0)
    return y


HIDING = Relative(torch.tensor([-inf, 0.0, 0.0, 0.0, 0.0]))
NEAR = (torch.arange(ROWS).view(-1, 1) - torch.arange(ROWS)).clamp(-3, 3)
SUPPORTS = {
    "full": ({}, torch.ones(ROWS, ROWS, dtype=torch.bool)),
    "causal": ({"support": Causal()}, torch.ones(ROWS, ROWS, dtype=torch.bool).tril()),
    "window": ({"support": Window(1)}, NEAR.abs() <= 1),
    "mask": ({"support": Mask(HOLES)}, HOLES),
    "edges": ({"support": EDGES}, HOLES),
    "hidden by a position": ({"position": HIDING}, (NEAR.abs() <= 2) & (NEAR != -2)),
    "edges hidden by a position": (
        {"support": EDGES, "position": HIDING},
        HOLES & (NEAR.abs() <= 2) & (NEAR != -2),
    ),
}
SIMILARITIES = [
    (Dot(), Softmax()),
    (Dot(), Mean()),
    (Cosine(), Softmax()),
    (Gaussian(), Softmax()),
    (Constant(2.0), Divide()),
    (Kernel(elu_plus_one), Divide()),
    (Kernel(relu), Raw()),
    (Additive(1, WIDTH), Softmax()),
]
IDS = [f"{type(s).__name__}-{type(n).__name__}" for s, n in SIMILARITIES]


def faults(backend: str, support: str, similarity, normalise, same, kind=torch.float64) -> list[str]:
    """The places of a bad number at which a backend differs from the equation."""
    options, allowed = SUPPORTS[support]
    similarity = similarity.to(kind) if isinstance(similarity, Additive) else similarity
    found = []
    for place in PLACES:
        given = tensors(*place, kind)
        made = attend(**given, **options, similarity=similarity, normalise=normalise, backend=backend).output
        right = by_the_equation(given, similarity, normalise, allowed)
        assert made.dtype is kind
        if not same(made.detach()[0, 0], right.detach()):
            found.append(f"{place}\n{made[0, 0]}\nnot\n{right}")
    return found


def alike(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, rtol=1e-5, atol=1e-5, equal_nan=True)


def finite_alike(a: Tensor, b: Tensor) -> bool:
    """NaN and infinity may stand for one another."""
    return alike(*[torch.where(x.isfinite(), x, nan) for x in (a, b)])


@pytest.mark.parametrize(("similarity", "normalise"), SIMILARITIES, ids=IDS)
@pytest.mark.parametrize("support", SUPPORTS)
def test_the_reference_spreads_what_is_no_number_by_the_equation(support, similarity, normalise):
    if "position" in SUPPORTS[support][0] and normalise.divides:
        pytest.skip("a bias is refused under a division")
    assert not faults("reference", support, similarity, normalise, alike)


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("similarity", "normalise"), SIMILARITIES, ids=IDS)
def test_edges_spread_what_is_no_number_by_the_equation(similarity, normalise, compiled, kind, monkeypatch):
    monkeypatch.setenv("REGARD_NATIVE", "1" if compiled else "0")
    if compiled and native.missing():
        pytest.skip(native.missing())
    assert not faults("edges", "edges", similarity, normalise, alike, kind)


@pytest.mark.parametrize("normalise", [Divide(), Raw()], ids=str)
@pytest.mark.parametrize("phi", [elu_plus_one, relu])
@pytest.mark.parametrize("support", ["full", "causal"])
def test_linear_spreads_what_is_no_number_by_the_equation_but_for_the_kind(support, phi, normalise):
    assert not faults("linear", support, Kernel(phi), normalise, finite_alike)


@pytest.mark.parametrize("bad", [nan, inf])
@pytest.mark.parametrize("name", ["k", "v"])
def test_linear_keeps_the_past_clean_across_chunks(name, bad):
    given = {x: torch.rand(1, 2, 300, 4, generator=torch.Generator().manual_seed(2)) for x in "qkv"}
    call = {
        "similarity": Kernel(elu_plus_one),
        "normalise": Divide(),
        "support": Causal(),
        "backend": "linear",
    }
    clean = attend(**given, **call).output
    given[name][0, 1, 170, 2] = bad
    made = attend(**given, **call).output
    assert torch.allclose(made[:, 0], clean[:, 0])
    assert torch.allclose(made[:, 1, :170], clean[:, 1, :170])
    touched = made[:, 1, 170:] if name == "k" else made[:, 1, 170:, 2]
    assert not touched.isfinite().any()
    if name == "v":
        assert torch.allclose(made[:, 1, 170:, :2], clean[:, 1, 170:, :2])


def test_the_law_sees_zero_times_nan():
    def multiplied(**given):
        causal = torch.ones(ROWS, ROWS, dtype=torch.bool).tril()
        rows = (given["q"] @ given["k"].mT / 2)[0, 0].masked_fill(~causal, -inf).softmax(-1)
        return rows @ given["v"][0, 0]

    given = tensors("v", 5, nan)
    allowed = SUPPORTS["causal"][1]
    assert not alike(multiplied(**given), by_the_equation(given, Dot(), Softmax(), allowed))


def test_a_query_whose_scores_are_all_minus_infinity_gives_zeros():
    q, k = torch.full((1, 1, 1, 1), -inf), torch.ones(1, 1, 2, 1)
    v, edges = torch.ones(1, 1, 2, 1), Edges(torch.tensor([0, 1]), torch.tensor([0, 0]), sizes=(1, 2))
    for backend, support in (("reference", Full()), ("reference", edges), ("edges", edges)):
        made = attend(q, k, v, support=support, backend=backend, weights=True)
        assert made.output.tolist() == [[[[0.0]]]]
        assert made.weights.flatten().tolist() == [0.0, 0.0]


# torch's fused kernel goes its own way; what it makes of a CPU's numbers is looked at.


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@pytest.mark.parametrize("backend", ["sdpa", "auto"])
@pytest.mark.parametrize("support", [name for name in SUPPORTS if "edges" not in name])
def test_the_fused_backend_spreads_what_is_no_number_by_the_equation(support, backend, kind):
    assert not faults(backend, support, Dot(), Softmax(), alike, kind)


def test_torchs_own_kernel_does_differ_so_that_its_output_must_be_looked_at(monkeypatch):
    monkeypatch.setattr(sdpa, "suspicious", lambda output: False)
    assert faults("sdpa", "causal", Dot(), Softmax(), alike)


@pytest.mark.parametrize("name", "qkv")
@pytest.mark.parametrize("bad", [nan, inf, -inf])
def test_long_rows_are_those_of_the_reference(name, bad):
    given = {x: torch.randn(1, 2, 300, 8, generator=torch.Generator().manual_seed(4)) for x in "qkv"}
    given[name][0, 1, 170, 2] = bad
    fused, right = (attend(**given, support=Causal(), backend=one).output for one in ("sdpa", "reference"))
    assert alike(fused, right)


def test_gradients_pass_where_a_zero_was_looked_into():
    """Values of zero make an output of zeros, which is no fault."""
    q = torch.randn(1, 1, 4, 4, requires_grad=True)
    made = attend(q, q.detach(), torch.zeros(1, 1, 4, 4), backend="sdpa").output
    assert not made.any()
    made.sum().backward()
    assert q.grad is not None and not q.grad.any()


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize("support", [name for name in SUPPORTS if "edges" not in name])
def test_a_mapped_call_is_looked_at_with_its_neighbours(support):
    options, allowed = SUPPORTS[support]
    for place in PLACES:
        clean, given = tensors("q", 0, 1.0), tensors(*place)
        pairs = [torch.stack([clean[name], given[name]]) for name in "qkv"]
        made = torch.vmap(lambda q, k, v: attend(q, k, v, **options, backend="sdpa").output)(*pairs)
        for one, mapped in zip((clean, given), made, strict=True):
            assert alike(mapped[0, 0], by_the_equation(one, Dot(), Softmax(), allowed)), place


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_mapped_twice_and_differentiated_it_is_looked_at():
    x = torch.randn(2, 3, 1, 1, ROWS, WIDTH)
    x[1, 2, 0, 0, 3, 1] = nan

    def row(x: Tensor) -> Tensor:
        return attend(x, x, x, support=Causal(), backend="sdpa").output[0, 0, 2].sum()

    twice = torch.vmap(torch.vmap(row))(x)
    assert twice.isfinite().all()
    assert torch.vmap(torch.vmap(torch.func.grad(row)))(x)[0].isfinite().all()
    assert torch.vmap(torch.vmap(row))(x.flip(-2))[1, 2].isnan()


@pytest.mark.parametrize("support", ["full", "causal", "edges"])
def test_other_backends_are_looked_at_when_mapped(support):
    options, allowed = SUPPORTS[support]
    call = {"similarity": Kernel(elu_plus_one), "normalise": Divide(), **options}
    for place in PLACES:
        given = tensors(*place)
        made = torch.vmap(lambda q, k, v: attend(q, k, v, **call).output)(
            *(given[name].unsqueeze(0) for name in "qkv")
        )[0]
        right = by_the_equation(given, call["similarity"], Divide(), allowed)
        assert (finite_alike if support == "full" else alike)(made[0, 0], right), place


@pytest.mark.parametrize(
    ("support", "similarity", "normalise"),
    [(Causal(), Kernel(elu_plus_one), Divide()), (EDGES, Dot(), Softmax())],
    ids=["linear", "edges"],
)
def test_what_torch_func_cannot_pass_goes_to_the_reference_and_is_refused_by_name(
    support, similarity, normalise
):
    x, call = torch.randn(1, 1, ROWS, WIDTH), {"similarity": similarity, "normalise": normalise}
    reasons = []

    def energy(x: Tensor, backend: str = "auto") -> Tensor:
        made = attend(x, x, x, support=support, backend=backend, **call)
        reasons.append(made.reason)
        return made.output.square().sum()

    energy(leaf := x.clone().requires_grad_()).backward()
    assert alike(torch.func.grad(energy)(x), leaf.grad)
    assert "torch.func" not in reasons[0]
    assert "does not pass through torch.func" in reasons[1]
    with pytest.raises(RegardError, match=r"does not pass through torch.func\n  got: vmap, grad or jvp"):
        torch.vmap(lambda x: energy(x, "edges" if support is EDGES else "linear"))(x[None])


@pytest.fixture
def compiling(monkeypatch):
    """Calls are made as torch.compile traces them, where nobody can look."""
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("support", [name for name in SUPPORTS if "edges" not in name])
def test_where_nobody_can_look_none_is_lost(support, kind, compiling):
    options, allowed = SUPPORTS[support]
    for place in PLACES:
        given = tensors(*place, kind)
        made = attend(**given, **options).output[0, 0]
        right = by_the_equation(given, Dot(), Softmax(), allowed)
        assert not made[~right.isfinite()].isfinite().any(), place


def test_where_nobody_can_look_hidden_ones_may_reach_other_rows_and_the_reason_says_so(compiling):
    assert faults("auto", "causal", Dot(), Softmax(), alike)
    made = attend(**tensors("v", 5, nan), support=Causal())
    assert made.reason.endswith("; compiled: nobody looks for NaN, and hidden ones may reach other rows")


def test_a_call_that_can_be_looked_at_says_nothing_of_it():
    assert "NaN" not in attend(**tensors("q", 3, nan), support=Causal()).reason


def test_a_fused_call_touches_no_other_head_and_no_other_row_of_the_batch():
    random = torch.Generator().manual_seed(3)
    for name in "qkv":
        for bad in (nan, inf, -inf):
            given = {x: torch.randn(2, 2, ROWS, 4, generator=random) for x in "qkv"}
            clean = attend(**given, support=Causal(), backend="sdpa").output
            given[name][1, 0, 3, 2] = bad
            made = attend(**given, support=Causal(), backend="sdpa").output
            for b, h in ((0, 0), (0, 1), (1, 1)):
                assert torch.allclose(made[b, h], clean[b, h], atol=1e-6)


def test_weights_or_the_reference_show_where_a_nan_came_from():
    given = tensors("q", 3, nan, torch.float32)
    for options in ({"weights": True}, {"backend": "reference"}):
        rows = attend(**given, support=Causal(), **options).output[0, 0].isnan().any(-1)
        assert rows.tolist() == [False, False, False, True, False, False]
