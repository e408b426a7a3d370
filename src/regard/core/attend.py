"""`attend`, the attention operator: one function for every kind of attention.

(q, k) = position.turn(q, k)
y_i = sum over j in support(i) of w_ij v_j
w = normalise( similarity(q_i, k_j) + position.bias(i, j) )
"""

from typing import NamedTuple

import torch
from torch import Tensor

from regard.arguments import check
from regard.arguments import told as named
from regard.core.backends import choose, run
from regard.core.call import Call
from regard.core.edges import Edges
from regard.core.normalise import Normaliser, Softmax
from regard.core.position import Position
from regard.core.similarity import Dot, Similarity
from regard.core.support import Full, Support
from regard.core.trace import recorder
from regard.errors import RegardError
from regard.shapes import Float


class Attended(NamedTuple):
    """What `attend` gives: the output, the weights if asked for, and which backend made them and why."""

    output: Float[Tensor, "b h n c"]
    weights: Float[Tensor, "..."] | None
    backend: str
    reason: str


def attend(
    q: Float[Tensor, "b h n d"],
    k: Float[Tensor, "b g m d"],
    v: Float[Tensor, "b g m c"],
    *,
    similarity: Similarity = Dot(),
    support: Support = Full(),
    position: Position | None = None,
    normalise: Normaliser = Softmax(),
    dropout: float = 0.0,
    generator: torch.Generator | None = None,
    backend: str = "auto",
    weights: bool = False,
) -> Attended:
    """Each query's weighted sum of the values.

    Key heads may be fewer than query heads if they divide them: consecutive query heads then share one. The
    weights, where asked for, are those that were applied, after dropout: (b h n m), or (b h e) in the order
    of the edges.

    A pair that is hidden, or scored -inf, weighs nothing; a query with no other gives zeros. NaN and
    infinities reach the rows that the equation gives them, and no others, under torch.vmap too (`linear` may
    give the one for the other). Under torch.compile and in a CUDA graph, where nobody can look, none is lost,
    but hidden ones may reach other rows, as `reason` says. weights=True, `trace` and backend='reference' show
    where one came from.

    >>> q, k = torch.zeros(1, 1, 1, 2), torch.zeros(1, 1, 2, 2)
    >>> v = torch.tensor([[1.0], [3.0]]).view(1, 1, 2, 1)
    >>> attended = attend(q, k, v)
    >>> attended.output, attended.backend
    (tensor([[[[2.]]]]), 'sdpa')
    """
    check_tensors(q, k, v)
    if not (q.dtype is k.dtype is v.dtype and q.is_floating_point()):
        q, k, v = one_type(q, k, v)
    check_factors(similarity, support, position, normalise)
    if not (type(dropout) is float and 0.0 <= dropout < 1.0 and type(weights) is bool and generator is None):
        check_options(dropout, weights, generator)
    similarity.fit(q, k)
    support.fit(q, k)
    if normalise.divides:
        check_nonnegative(similarity, position, support, normalise)
    if position is not None:
        position.fit(q, k)
        q, k = position.turn(q, k)
    record = recorder()
    call = Call(
        q, k, v, similarity, support, position, normalise, dropout, generator, weights or record is not None
    )
    name, reason = choose(call, backend)
    reason += support.note
    if record is None:
        output, made = run(call, name)
    else:
        with record.attending():
            output, made = run(call, name)
        reason += "; trace keeps the weights"
        assert made is not None
        record.attention(made, support, name, reason)
    return Attended(output, made if call.weights else None, name, reason)


def one_type(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Under autocast, all three in its type, as torch's own attention does it: norms leave float32 there."""
    kind = q.device.type
    floats = q.is_floating_point() and k.is_floating_point() and v.is_floating_point()
    if floats and torch.is_autocast_enabled(kind):
        half = torch.get_autocast_dtype(kind)
        return q.to(half), k.to(half), v.to(half)
    raise RegardError(
        "q, k and v need one floating type",
        f"q {q.dtype}, k {k.dtype}, v {v.dtype}",
        "convert them, as in k.to(q.dtype)",
    )


def check_tensors(q: Tensor, k: Tensor, v: Tensor) -> None:
    """Raise where the tensors do not belong together."""
    if not type(q) is type(k) is type(v) is Tensor:
        check_kinds(q, k, v)
    try:
        (batch, heads, _, width), (rows, groups, keys, inner) = q.shape, k.shape
        also, same, values, _ = v.shape
    except ValueError:
        raise RegardError(
            "attend needs q (b h n d), k (b g m d) and v (b g m c)",
            told(q, k, v),
            "give each of them four axes",
        ) from None
    if not (batch == rows == also and width == inner and groups == same and keys == values):
        raise RegardError("q, k and v do not fit together", told(q, k, v), unfit(q, k, v))
    if groups == 0 or heads % groups:
        raise RegardError(
            "the key heads do not divide the query heads",
            f"{heads} query heads, {groups} key heads",
            "use as many, or a divisor",
        )
    if not q.device == k.device == v.device:
        raise RegardError(
            "q, k and v lie on different devices",
            f"q {q.device}, k {k.device}, v {v.device}",
            "move them, as in k.to(q.device)",
        )


def check_kinds(q: object, k: object, v: object) -> None:
    """Raise where one of them is no tensor, such as an array."""
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not isinstance(x, Tensor):
            raise RegardError(
                "attend needs tensors", f"{name}={named(x)}", f"pass torch.as_tensor({name}), of floats"
            )


def check_options(dropout: object, weights: object, generator: object) -> None:
    """Raise where an option is of another kind, or no share."""
    check("attend", "dropout", dropout, float)
    check("attend", "weights", weights, bool)
    check("attend", "generator", generator, torch.Generator | None)
    if not 0.0 <= dropout < 1.0:  # type: ignore[operator]
        raise RegardError("dropout is the share of weights that is dropped", f"{dropout}", "0 <= dropout < 1")


def told(q: Tensor, k: Tensor, v: Tensor) -> str:
    """The shapes, for a message."""
    return f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"


def unfit(q: Tensor, k: Tensor, v: Tensor) -> str:
    """Which axis does not fit, for a message."""
    if not q.shape[0] == k.shape[0] == v.shape[0]:
        return "give q, k and v the same batch, their first axis"
    if q.shape[3] != k.shape[3]:
        return "give q and k the same width, their last axis"
    return "give k and v the same heads and the same length, their middle axes"


def check_factors(similarity: object, support: object, position: object, normalise: object) -> None:
    """Raise where a factor is not what its name says, such as a class in place of its object."""
    if (
        isinstance(similarity, Similarity)
        and isinstance(support, Support)
        and (position is None or isinstance(position, Position))
        and isinstance(normalise, Normaliser)
    ):
        return
    factors = (
        ("similarity", similarity, Similarity, "Dot()"),
        ("support", support, (Support, Edges), "Causal()"),
        ("position", position, (Position, type(None)), "Rotary()"),
        ("normalise", normalise, Normaliser, "Softmax()"),
    )
    name, value, example = next((n, x, e) for n, x, kind, e in factors if not isinstance(x, kind))
    masks = isinstance(value, Tensor) and name == "support"
    fix = "wrap the mask: support=Mask(mask)" if masks else f"pass an object, such as {name}={example}"
    raise RegardError(f"this is not what {name} takes", named(value), fix)


def check_nonnegative(
    similarity: Similarity, position: Position | None, support: Support, normalise: Normaliser
) -> None:
    """Raise where scores that may be negative would be divided by their sum."""
    name = type(normalise).__name__
    if not similarity.nonnegative:
        raise RegardError(
            f"{name} divides scores by their sum, and these may be negative",
            f"{similarity!r}",
            "use normalise=Softmax(), or promise a kernel that never is: Kernel(phi, nonnegative=True)",
        )
    if position is not None and type(position).bias is not Position.bias:
        raise RegardError(
            f"{name} divides scores by their sum, and a position's bias may make them negative",
            type(position).__name__,
            "use normalise=Softmax(), or a position that turns, such as Rotary()",
        )
    if support.adds:
        raise RegardError(
            f"{name} divides scores by their sum, and an additive mask may make them negative",
            type(support).__name__,
            "use normalise=Softmax(), or hide alone: Mask(mask > -torch.inf)",
        )
