"""The laws of the operator over every backend, each shown to fail on a fault; the choice; the messages."""

import inspect
import os
import subprocess
import sys
from math import inf
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from regard.core.attend import attend
from regard.core.backends import BACKENDS
from regard.core.edges import Edges
from regard.core.mask import Mask
from regard.core.normalise import Divide, Mean, Normaliser, Raw, Softmax, Symmetric
from regard.core.position import Alibi, LearnedRelative, Position, Relative, Rotary
from regard.core.similarity import (
    Additive,
    Constant,
    Cosine,
    Dot,
    Gaussian,
    Kernel,
    elu_plus_one,
    polynomial,
    relu,
)
from regard.core.support import Causal, Full, Packed, Support, Window
from regard.errors import RegardError

TOLERANCE = 1e-10
SEEDS = st.integers(0, 10_000)


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)), dtype=torch.float64)


def tensors(b: int, h: int, g: int, n: int, m: int, *, d: int = 4, c: int = 3, seed: int = 0) -> list[Tensor]:
    return [
        random(b, h, n, d, seed=seed),
        random(b, g, m, d, seed=seed + 1),
        random(b, g, m, c, seed=seed + 2),
    ]


def some_edges(n: int, m: int, seed: int) -> Edges:
    """A few edges of two relations in no order, some queries without any."""
    generator = torch.Generator().manual_seed(seed)
    relation, target, source = (torch.rand(2, n, m, generator=generator) < 0.3).nonzero().T
    order = torch.randperm(len(source), generator=generator)
    return Edges(source[order], target[order], sizes=(n, m), relation=relation[order])


# Every backend equals the reference, in value and gradient.


def supports(n: int, m: int, b: int, seed: int) -> list[Support]:
    holes = Mask(torch.rand(b, 1, n, m, generator=torch.Generator().manual_seed(seed)) < 0.4)
    ids = torch.arange(m) // 3
    known = [Full(), Causal(), Causal(1), Causal(torch.arange(b)), Window(1), Window(2, causal=True), holes]
    return [*known, Causal() | holes, *([Packed(ids), Causal() & Packed(ids)] if n <= m else [])]


def positions(h: int, b: int, seed: int) -> list[Position | None]:
    learned = LearnedRelative(h, 2).double()
    torch.nn.init.normal_(learned.p, generator=torch.Generator().manual_seed(seed))
    p = random(h, 5, seed=seed).masked_fill(torch.arange(5) == 3, -inf)
    turns = [Rotary(), Rotary(base=50.0, pairing="adjacent", offset=torch.arange(b))]
    return [None, *turns, Alibi.geometric(h), Relative(p), learned]


def dense_call(pick, b: int, h: int, n: int, m: int, seed: int) -> dict:
    position, support = pick(positions(h, b, seed)), pick(supports(n, m, b, seed))
    return {"similarity": Dot(pick([None, 0.3])), "support": support, "position": position}


def linear_call(pick, b: int, h: int, n: int, m: int, seed: int) -> dict:
    kernel = Kernel(pick([elu_plus_one, relu, polynomial]))
    support = pick([Full(), Causal(), Causal(2), Causal(-1)])
    position = pick([None, Rotary()])
    return {
        "similarity": kernel,
        "support": support,
        "position": position,
        "normalise": pick([Divide(), Raw()]),
    }


def edges_call(pick, b: int, h: int, n: int, m: int, seed: int) -> dict:
    torch.manual_seed(seed)
    positive = pick([Constant(2.0), Kernel(polynomial), Kernel(elu_plus_one)])
    gaussian = Gaussian(random(m, 1, seed=seed), random(m, seed=seed))
    signed = pick([positive, Dot(), Cosine(2.0), gaussian, Additive(h, 4, relations=2).double()])
    normalise = pick([Softmax(), Divide(), Mean(), Symmetric(), Raw()])
    similarity = positive if normalise.divides else signed
    return {
        "similarity": similarity,
        "support": some_edges(n, m, seed),
        "normalise": normalise,
        "position": pick([None, Rotary()]),
    }


CALLS = {"sdpa": dense_call, "linear": linear_call, "edges": edges_call}


def difference(backend: str, leaves: list[Tensor], call: dict) -> float:
    """The largest difference to the reference, over the output and every gradient."""
    modules = [x for x in call.values() if isinstance(x, torch.nn.Module)]
    leaves = [x.requires_grad_() for x in leaves]
    leaves += [p for module in modules for p in module.parameters()]
    results = []
    for name in (backend, "reference"):
        output = attend(*leaves[:3], **call, backend=name).output
        pull = torch.linspace(-1, 2, output.numel(), dtype=output.dtype).view(output.shape)
        slopes = torch.autograd.grad(output, leaves, pull, allow_unused=True, materialize_grads=True)
        results.append((output.detach(), *slopes))
    gaps = [(a - b).abs().max() if a.numel() else torch.zeros(()) for a, b in zip(*results, strict=True)]
    return float(torch.stack(gaps).max())  # NaN wherever one is


@pytest.mark.slow
@pytest.mark.parametrize("backend", CALLS)
@given(
    data=st.data(),
    b=st.integers(1, 3),
    g=st.integers(1, 2),
    n=st.integers(1, 7),
    m=st.integers(1, 11),
    seed=SEEDS,
)
def test_a_backend_equals_the_reference(backend, data, b, g, n, m, seed):
    h = g * data.draw(st.integers(1, 3))
    call = CALLS[backend](lambda options: data.draw(st.sampled_from(options)), b, h, n, m, seed)
    q, k, v = tensors(b, h, g, n, m, seed=seed)
    # Near x · y = -1 a polynomial kernel is nearly zero, and its quotient by its sum badly conditioned.
    q = q / 10 if backend == "linear" else q
    assert difference(backend, [q, k, v], call) < TOLERANCE


@pytest.mark.parametrize("backend", CALLS)
@pytest.mark.parametrize("fault", ["value", "gradient"])
def test_a_crooked_backend_does_not_equal_the_reference(backend, fault, monkeypatch):
    true = BACKENDS[backend].run

    def crooked(call):
        output, weights = true(call)
        return (output * (1 + 1e-6) if fault == "value" else output.detach() + 0 * output), weights

    call = CALLS[backend](lambda options: options[0], 2, 2, 5, 7, 3)
    leaves = tensors(2, 2, 1, 5, 7)
    assert difference(backend, leaves, call) < TOLERANCE
    monkeypatch.setattr(BACKENDS[backend], "run", crooked)
    assert difference(backend, leaves, call) > TOLERANCE


# The other laws take the operator as an argument, so that a faulty one can be put in its place.

DENSE = {
    "reference": {},
    "sdpa": {},
    "linear": {"similarity": Kernel(elu_plus_one), "normalise": Divide()},
    "reference with a position": {"position": Rotary()},
    "sdpa with a position": {"position": Alibi((0.5, 0.25))},
}
EVERY = {**DENSE, "edges": {"support": some_edges(5, 7, 1)}}


def operator(name: str, **fault):
    """`attend` on one backend, perhaps with a planted fault."""

    def operate(q: Tensor, k: Tensor, v: Tensor, **given) -> Tensor:
        return attend(q, k, v, **EVERY[name] | given | fault, backend=name.split()[0]).output

    return operate


def distance(a: Tensor, b: Tensor) -> float:
    return float((a - b).abs().max())


def moved_past(operate) -> float:
    """How far a change of places 4.. moves the outputs at 0..3."""
    leaves = tensors(2, 2, 1, 7, 7)
    later = torch.arange(7).view(-1, 1) >= 4
    changed = [torch.where(later, x + 1.7, x) for x in leaves]
    return distance(*[operate(*x, support=Causal())[:, :, :4] for x in (leaves, changed)])


@pytest.mark.parametrize("name", DENSE)
def test_the_future_cannot_move_the_past(name):
    assert moved_past(operator(name)) < 1e-12
    assert moved_past(operator(name, support=Full())) > 1e-3


def moved_by_order(operate, forget: bool = False) -> float:
    """How far another order of the keys moves the outputs."""
    q, k, v = tensors(2, 2, 1, 5, 7)
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    return distance(operate(q, k, v), operate(q, k[:, :, order], v if forget else v[:, :, order]))


@pytest.mark.parametrize("name", ["reference", "sdpa", "linear"])
def test_the_order_of_the_keys_does_not_matter(name):
    assert moved_by_order(operator(name)) < TOLERANCE
    assert moved_by_order(operator(name), forget=True) > 1e-3
    if name != "linear":
        assert moved_by_order(operator(name, position=Alibi((0.5, 0.25)))) > 1e-3


def test_renaming_the_sources_of_edges_does_not_matter():
    q, k, v = tensors(2, 2, 1, 5, 7)
    edges, order = some_edges(5, 7, 1), torch.tensor([3, 0, 6, 1, 5, 2, 4])
    renamed = Edges(order.argsort()[edges.source], edges.target, sizes=(5, 7), relation=edges.relation)
    operate = operator("edges")
    assert distance(operate(q, k, v), operate(q, k[:, :, order], v[:, :, order], support=renamed)) < TOLERANCE
    assert distance(operate(q, k, v), operate(q, k[:, :, order], v[:, :, order])) > 1e-3


@pytest.mark.parametrize("name", EVERY)
def test_one_of_a_batch_equals_the_same_alone(name):
    leaves, operate = tensors(3, 2, 1, 5, 7), operator(name)
    together = operate(*leaves)
    for row in range(3):
        assert distance(together[row : row + 1], operate(*[x[row : row + 1] for x in leaves])) < TOLERANCE
    assert distance(together[:1], operate(*[x[1:2] for x in leaves])) > 1e-3


@pytest.mark.parametrize("name", EVERY)
def test_grouped_key_heads_equal_repeated_ones(name):
    q, k, v = tensors(2, 6, 2, 5, 7)
    operate = operator(name, **({"position": Alibi.geometric(6)} if name == "sdpa with a position" else {}))
    grouped = operate(q, k, v)
    assert distance(grouped, operate(q, k.repeat_interleave(3, 1), v.repeat_interleave(3, 1))) < TOLERANCE
    assert distance(grouped, operate(q, k.repeat(1, 3, 1, 1), v.repeat(1, 3, 1, 1))) > 1e-3


POSITIONS = {
    "none": lambda o: None,
    "rotary": lambda o: Rotary(offset=o),
    "alibi": lambda o: Alibi((0.5, 0.25), o),
}
POSITIONS["relative"] = lambda o: Relative(torch.linspace(-1, 1, 9).double() ** 2, o)


def sliced(backend: str, position: str, first: int, offset, window: bool) -> float:
    """How far queries `first`.. over cached keys are from the same rows of the full output."""
    q, k, v = tensors(2, 2, 2, 7, 7)
    support = (lambda o: Window(2, causal=True, offset=o)) if window else Causal
    full = attend(q, k, v, support=support(None), position=POSITIONS[position](None), backend=backend).output
    cached = attend(
        q[:, :, first:], k, v, support=support(offset), position=POSITIONS[position](offset), backend=backend
    )
    return distance(full[:, :, first:], cached.output)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["reference", "sdpa"])
@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("window", [False, True])
def test_cached_queries_equal_a_slice_of_the_full(backend, position, window):
    for first in (0, 3, 6):
        for offset in (None, first, torch.tensor(first), torch.tensor([first, first])):
            assert sliced(backend, position, first, offset, window) < TOLERANCE
    assert sliced(backend, position, 3, 0, window) > 1e-3


@pytest.mark.parametrize("backend", ["reference", "sdpa"])
@pytest.mark.parametrize("position", POSITIONS)
def test_rows_may_stand_at_different_places(backend, position):
    q, k, v = tensors(2, 2, 1, 3, 7)
    starts = torch.tensor([1, 4])
    made = POSITIONS[position]
    together = attend(q, k, v, support=Causal(starts), position=made(starts), backend=backend).output
    for row, start in enumerate(starts.tolist()):
        alone = [x[row : row + 1] for x in (q, k, v)]
        one = attend(*alone, support=Causal(start), position=made(start), backend=backend).output
        other = attend(*alone, support=Causal(5 - start), position=made(5 - start), backend=backend).output
        assert distance(together[row : row + 1], one) < TOLERANCE
        assert distance(together[row : row + 1], other) > 1e-3


# Empty rows, zero sums, half precision.

NORMALISERS = [Softmax(), Divide(), Mean(), Symmetric(), Raw()]


@pytest.mark.parametrize("normalise", NORMALISERS, ids=str)
@pytest.mark.parametrize("backend", ["reference", "auto"])
@pytest.mark.parametrize("edges", [False, True])
def test_an_empty_row_gives_zeros_and_finite_gradients(normalise: Normaliser, backend, edges):
    similarity = Kernel(polynomial) if normalise.divides else Dot()
    allowed = torch.ones(5, 7, dtype=torch.bool)
    allowed[2], allowed[:, 4] = False, False
    support = Edges(*allowed.nonzero().T.flip(0), sizes=(5, 7)) if edges else Mask(allowed)
    leaves = [x.requires_grad_() for x in tensors(2, 2, 1, 5, 7)]
    output = attend(
        *leaves, similarity=similarity, support=support, normalise=normalise, backend=backend
    ).output
    assert (output[:, :, 2] == 0).all()
    assert (output[:, :, 1] != 0).all()
    slopes = torch.autograd.grad(output.square().sum(), leaves)
    assert all(x.isfinite().all() for x in slopes)
    assert (slopes[0][:, :, 2] == 0).all()
    assert (slopes[2][:, :, 4] == 0).all()


def test_the_law_of_empty_rows_would_notice_a_plain_softmax():
    scores = torch.full((1, 3), -inf, requires_grad=True)
    assert scores.softmax(-1).isnan().all()


@pytest.mark.parametrize(
    ("backend", "normalise"),
    [
        *[(name, Divide()) for name in ("reference", "linear", "edges")],
        ("reference", Symmetric()),
        ("edges", Symmetric()),
    ],
)
def test_a_zero_sum_gives_zeros_and_finite_gradients(backend, normalise):
    q, k, v = tensors(1, 2, 2, 5, 5)
    leaves = [x.requires_grad_() for x in (-q.abs(), k, v)]
    support = Full() if backend != "edges" else some_edges(5, 5, 2)
    made = attend(*leaves, similarity=Kernel(relu), normalise=normalise, support=support, backend=backend)
    assert (made.output == 0).all()
    assert all(x.isfinite().all() for x in torch.autograd.grad(made.output.sum(), leaves))


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", EVERY)
def test_half_precision_does_not_overflow(name, kind):
    # Logits near 100 000 and sums of kernels beyond 65 504, the largest float16.
    given = [x.to(kind) for x in tensors(2, 2, 1, 5, 7, d=64)]
    halves = [given[0] * 80, given[1] * 300, given[2]]
    ours, exact = operator(name)(*halves), operator(name)(*[x.double() for x in halves])
    assert ours.dtype is kind
    assert ours.isfinite().all()
    assert distance(ours.double(), exact) < 0.1
    if "position" not in EVERY[name]:
        scores = torch.einsum("bhnd,bgmd->bhnm", halves[0].float(), halves[1].float()) / 8
        assert float(scores.abs().max()) > 65_504


@pytest.mark.parametrize("name", DENSE)
def test_no_keys_and_no_queries_are_no_trouble(name):
    assert (operator(name)(*tensors(2, 2, 1, 5, 0)) == 0).all()
    assert operator(name)(*tensors(2, 2, 1, 0, 7)).shape == (2, 2, 0, 3)


# Dropout.


def generator(seed: int = 5) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_edges_and_reference_drop_the_same_weights():
    leaves, edges = tensors(2, 2, 1, 5, 7), some_edges(5, 7, 1)
    made = [
        attend(*leaves, support=edges, dropout=0.4, generator=generator(seed), weights=True, backend=backend)
        for backend, seed in (("edges", 5), ("reference", 5), ("reference", 6))
    ]
    assert distance(made[0].output, made[1].output) < TOLERANCE
    assert distance(made[0].weights, made[1].weights) < TOLERANCE
    assert distance(made[0].weights, made[2].weights) > 1e-3


def test_dropout_drops_its_share_and_keeps_the_mean():
    q, k, v = torch.zeros(1, 1, 500, 1), torch.zeros(1, 1, 400, 1), torch.ones(1, 1, 400, 1)
    made = attend(q, k, v, dropout=0.25, generator=generator(), weights=True)
    assert abs(float((made.weights == 0).float().mean()) - 0.25) < 0.005
    assert abs(float(made.output.mean()) - 1) < 0.005
    assert distance(made.weights @ v, made.output) < 1e-5


def test_a_generator_leads_auto_past_sdpa_and_none_does_not():
    leaves = tensors(1, 2, 2, 5, 7)
    assert attend(*leaves, dropout=0.5, generator=generator()).backend == "reference"
    assert attend(*leaves, dropout=0.5).backend == "sdpa"
    assert attend(*leaves, generator=generator()).backend == "sdpa"


# The choice.


@pytest.mark.parametrize(
    ("call", "backend", "reason"),
    [
        ({}, "sdpa", "dot products under a softmax over a dense support: torch's fused kernel"),
        ({"support": Causal() & Window(2), "position": Rotary()}, "sdpa", "dot products under a softmax"),
        ({"weights": True}, "reference", "backend 'sdpa' returns no weights"),
        ({"similarity": Cosine()}, "reference", "backend 'sdpa' knows the similarity Dot alone"),
        ({"normalise": Mean()}, "reference", "backend 'sdpa' knows the normaliser Softmax alone"),
        (
            {"similarity": Kernel(relu), "normalise": Divide()},
            "linear",
            "a kernel that is divided by its sum",
        ),
        (
            {"similarity": Kernel(relu), "normalise": Divide(), "support": Causal()},
            "linear",
            "a kernel that is divided by its sum: associativity, linear in the length",
        ),
        (
            {"similarity": Kernel(relu), "normalise": Divide(), "support": Window(1)},
            "reference",
            "backend 'linear'",
        ),
        ({"similarity": Kernel(relu)}, "reference", "backend 'linear'"),
        ({"support": some_edges(5, 7, 1)}, "edges", "an edge list: scores and weights by edge"),
        ({"support": some_edges(5, 7, 1), "position": Alibi((1.0,))}, "reference", "backend 'edges'"),
        ({"backend": "reference"}, "reference", "asked for"),
        ({"backend": "sdpa"}, "sdpa", "asked for"),
    ],
)
def test_auto_chooses_and_says_why(call, backend, reason):
    made = attend(*tensors(1, 2, 2, 5, 7), **call)
    assert made.backend == backend
    assert made.reason.startswith(reason)
    assert (made.weights is not None) == call.get("weights", False)


def test_a_bias_is_never_lost_under_any_normaliser():
    leaves = tensors(1, 2, 2, 5, 5)
    for similarity in (Kernel(relu), Dot(), Constant()):
        for normalise in (Raw(), Mean(), Softmax()):
            for support in (Full(), Causal(), some_edges(5, 5, 3)):
                call = {"similarity": similarity, "normalise": normalise, "support": support}
                auto, plain = attend(*leaves, **call, position=Alibi((1.0,))), attend(*leaves, **call)
                reference = attend(*leaves, **call, position=Alibi((1.0,)), backend="reference")
                assert distance(auto.output, reference.output) < TOLERANCE
                assert distance(auto.output, plain.output) > 1e-3


def test_weights_over_edges_stand_in_the_order_given():
    leaves, edges = tensors(1, 2, 1, 5, 7), some_edges(5, 7, 4)
    for backend in ("edges", "reference"):
        made = attend(*leaves, support=edges, weights=True, backend=backend)
        sums = torch.zeros(1, 2, 5, dtype=torch.float64).index_add(2, edges.target, made.weights)
        has = torch.zeros(5).index_add(0, edges.target, torch.ones(edges.count)) > 0
        assert distance(sums, has.double().expand(1, 2, 5)) < TOLERANCE
        values = leaves[2].repeat_interleave(2, 1)[:, :, edges.source] * made.weights.unsqueeze(-1)
        assert (
            distance(torch.zeros_like(made.output).index_add(2, edges.target, values), made.output)
            < TOLERANCE
        )


COMPILED = """
import torch
from regard import Alibi, Causal, attend
q = torch.linspace(-1, 1, 40).view(1, 2, 5, 4)
for call in ({}, {"support": Causal()}, {"position": Alibi((1.0, 2.0))}, {"weights": True}):
    compiled = torch.compile(lambda q: attend(q, q, q, **call).output, fullgraph=True, backend="eager")
    assert torch.allclose(compiled(q), attend(q, q, q, **call).output)
bad, causal = q.clone(), Causal()
bad[0, 0, 2] = torch.nan
compiled = torch.compile(lambda q: attend(q, q.abs().nan_to_num(), q.abs().nan_to_num(), support=causal), fullgraph=True, backend="eager")
made, clean = compiled(bad), compiled(q)
assert made.output.isnan().any(-1).flatten().tolist() == [False, False, True] + [False] * 7
assert "compiled: nobody looks for NaN" in made.reason and torch.equal(made.output[:, 1], clean.output[:, 1])
"""


@pytest.mark.slow
def test_torch_compile_sees_one_graph():
    # In a process of its own: the wrappers that check shapes in the tests are no part of the code.
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    subprocess.run([sys.executable, "-c", COMPILED], env=environment, check=True)


# The messages, exactly. The shapes are checked by hand here, as in production, where jaxtyping is not loaded.

plain = inspect.unwrap(attend)


def refusal(*args, **options) -> str:
    with pytest.raises(RegardError) as error:
        plain(*args, **options)
    return str(error.value)


def ones(*shape: int, **options) -> Tensor:
    return torch.ones(shape, **options)


GOOD = ones(1, 2, 3, 4)
MESSAGES = [
    (
        (ones(2, 3, 4), GOOD, GOOD),
        {},
        "attend needs q (b h n d), k (b g m d) and v (b g m c)\n"
        "  got: q (2, 3, 4), k (1, 2, 3, 4), v (1, 2, 3, 4)\n"
        "  fix: give each of them four axes",
    ),
    (
        (GOOD, ones(1, 2, 3, 5), GOOD),
        {},
        "q, k and v do not fit together\n"
        "  got: q (1, 2, 3, 4), k (1, 2, 3, 5), v (1, 2, 3, 4)\n"
        "  fix: give q and k the same width, their last axis",
    ),
    (
        (ones(2, 2, 3, 4), GOOD, GOOD),
        {},
        "q, k and v do not fit together\n"
        "  got: q (2, 2, 3, 4), k (1, 2, 3, 4), v (1, 2, 3, 4)\n"
        "  fix: give q, k and v the same batch, their first axis",
    ),
    (
        (GOOD, GOOD, ones(1, 2, 5, 4)),
        {},
        "q, k and v do not fit together\n"
        "  got: q (1, 2, 3, 4), k (1, 2, 3, 4), v (1, 2, 5, 4)\n"
        "  fix: give k and v the same heads and the same length, their middle axes",
    ),
    (
        (ones(1, 3, 3, 4), GOOD, GOOD),
        {},
        "the key heads do not divide the query heads\n"
        "  got: 3 query heads, 2 key heads\n"
        "  fix: use as many, or a divisor",
    ),
    (
        (GOOD, GOOD.double(), GOOD),
        {},
        "q, k and v need one floating type\n"
        "  got: q torch.float32, k torch.float64, v torch.float32\n"
        "  fix: convert them, as in k.to(q.dtype)",
    ),
    (
        (GOOD.long(), GOOD.long(), GOOD.long()),
        {},
        "q, k and v need one floating type\n"
        "  got: q torch.int64, k torch.int64, v torch.int64\n"
        "  fix: convert them, as in k.to(q.dtype)",
    ),
    (
        (GOOD, GOOD, ones(1, 2, 3, 4, device="meta")),
        {},
        "q, k and v lie on different devices\n"
        "  got: q cpu, k cpu, v meta\n"
        "  fix: move them, as in k.to(q.device)",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"backend": "spda"},
        "no backend of that name\n  got: 'spda'\n  fix: did you mean 'sdpa'?",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"backend": "zebra"},
        "no backend of that name\n  got: 'zebra'\n  fix: one of auto, reference, sdpa, linear, edges",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"backend": "edges"},
        "backend 'edges' needs an edge list as its support\n"
        "  got: Full\n"
        "  fix: pass support=Edges(source, target), or backend='reference'",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"similarity": Kernel(torch.tanh), "normalise": Divide()},
        "Divide divides scores by their sum, and these may be negative\n"
        "  got: Kernel(tanh)\n"
        "  fix: use normalise=Softmax(), or promise a kernel that never is: Kernel(phi, nonnegative=True)",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"normalise": Symmetric()},
        "Symmetric divides scores by their sum, and these may be negative\n"
        "  got: Dot(scale=None)\n"
        "  fix: use normalise=Softmax(), or promise a kernel that never is: Kernel(phi, nonnegative=True)",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"similarity": Constant(), "normalise": Divide(), "position": Alibi((1.0, 2.0))},
        "Divide divides scores by their sum, and a position's bias may make them negative\n"
        "  got: Alibi\n"
        "  fix: use normalise=Softmax(), or a position that turns, such as Rotary()",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"similarity": Dot},
        "this is not what similarity takes\n"
        "  got: <class 'regard.core.similarity.Dot'>\n"
        "  fix: pass an object, such as similarity=Dot()",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"support": ones(3, 3)},
        "this is not what support takes\n"
        "  got: a tensor (3, 3) of torch.float32\n"
        "  fix: wrap the mask: support=Mask(mask)",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"similarity": ones(3, 3)},
        "this is not what similarity takes\n"
        "  got: a tensor (3, 3) of torch.float32\n"
        "  fix: pass an object, such as similarity=Dot()",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"support": "causal"},
        "this is not what support takes\n  got: 'causal'\n  fix: pass an object, such as support=Causal()",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"position": 3},
        "this is not what position takes\n  got: 3\n  fix: pass an object, such as position=Rotary()",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"normalise": None},
        "this is not what normalise takes\n  got: None\n  fix: pass an object, such as normalise=Softmax()",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"dropout": 1.0},
        "dropout is the share of weights that is dropped\n  got: 1.0\n  fix: 0 <= dropout < 1",
    ),
    (
        (GOOD, GOOD, GOOD),
        {"support": Edges(torch.tensor([0]), torch.tensor([1]), sizes=(3, 5))},
        "the edges join other numbers of queries and keys\n"
        "  got: 3 queries and 3 keys, edges of sizes (3, 5)\n"
        "  fix: pass Edges(source, target, sizes=(queries, keys))",
    ),
]


@pytest.mark.parametrize(("args", "options", "text"), MESSAGES)
def test_a_mistake_is_told_in_three_lines(args, options, text):
    assert refusal(*args, **options) == text


def test_edges_on_another_device_are_told_in_three_lines():
    far = [ones(1, 2, 3, 4, device="meta")] * 3
    assert refusal(*far, support=Edges(torch.tensor([0]), torch.tensor([1]), nodes=3)) == (
        "the edges lie on another device than the tensors\n"
        "  got: edges on cpu, queries on meta\n"
        "  fix: pass edges.to('meta')"
    )


RING = Edges(torch.arange(6), (torch.arange(6) + 1) % 6, nodes=6).with_loops()


@pytest.mark.slow
@pytest.mark.parametrize(
    "factors",
    [
        {},
        {"support": Causal(), "position": Rotary()},
        {"support": Causal(), "position": Alibi.geometric(4)},
        {"similarity": Cosine()},
        {"similarity": Kernel(elu_plus_one), "normalise": Divide()},
        {"similarity": Kernel(elu_plus_one), "normalise": Divide(), "support": Causal()},
        {"support": RING},
        {"similarity": Additive(heads=4, width=8), "support": RING},
    ],
    ids=["softmax", "rotary", "alibi", "cosine", "linear", "causal linear", "edges", "gat"],
)
@pytest.mark.parametrize("backend", ["auto", "reference"])
def test_under_autocast_types_may_differ_as_after_a_norm(factors: dict, backend: str) -> None:
    q, k, v = (x.float() for x in tensors(2, 4, 2, 6, 6, d=8, c=5))
    q.requires_grad_()
    exact = attend(q, k, v, backend=backend, **factors).output
    with torch.autocast(q.device.type, dtype=torch.bfloat16):
        half = attend(q, k, v.bfloat16(), backend=backend, **factors).output
        attend(q, k, v, backend=backend, **factors).output.float().sum().backward()
    assert half.dtype is torch.bfloat16 and q.grad is not None and bool(q.grad.isfinite().all())
    torch.testing.assert_close(half.float(), exact, atol=0.04, rtol=0.02)
    with pytest.raises(RegardError, match="q, k and v need one floating type"):
        attend(q, k, v.bfloat16(), backend=backend, **factors)
