"""The sums over edges in C++: compiled once by the system's compiler, kept in the person's cache.

REGARD_NATIVE=0 in the environment turns it off; where no compiler is, `torch_sums` does the same with torch.
"""

import ctypes
import hashlib
import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from regard.core.edges import Edges, Side
from regard.shapes import Float

SOURCE = Path(__file__).with_name("sums.cpp")
SHARED = Path(__file__).with_name("eight.h")
"What sources include."
FLAGS = (
    *("-std=c++17", "-O3", "-march=native", "-fopenmp-simd", "-pthread", "-shared", "-fPIC"),
    f"-I{SHARED.parent}",
    # Sums may be taken in any order; infinities and what is not a number keep their meaning.
    *("-fno-math-errno", "-fno-trapping-math", "-fassociative-math", "-fno-signed-zeros"),
)
TYPES = {torch.float32: ("float", ctypes.c_float), torch.float64: ("double", ctypes.c_double)}
BLOCK = 128
"Rows that a thread takes at a time, as in the source."
SECONDS = 120
"Longest wait for the compiler."


class Unavailable(Exception):
    """Why there is no compiled library here."""


def missing() -> str | None:
    """Why the compiled sums cannot be used, or None where they can."""
    if os.environ.get("REGARD_NATIVE") == "0":
        return "REGARD_NATIVE=0"
    loaded = _library(compiler(), folder())
    return loaded if isinstance(loaded, str) else None


def compiler() -> str:
    """The command that compiles C++ here."""
    return os.environ.get("CXX") or "c++"


def folder() -> Path:
    """Where compiled libraries are kept."""
    return _folder(os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME"))


# Asked at every sum, and a path is slow to make.
@cache
def _folder(caches: str | None, home: str | None) -> Path:
    return Path(caches or Path.home() / ".cache") / "regard"


@cache
def _library(command: str, kept: Path) -> ctypes.CDLL | str:
    try:
        return ctypes.CDLL(str(build(command, kept, SOURCE)))
    except (Unavailable, OSError) as error:
        return str(error)


def build(command: str, kept: Path, source: Path) -> Path:
    """The library compiled from a source, or from the cache where the same compiler and processor made it."""
    # What the compiler says of itself names its version and what `native` means on this processor.
    described = _call([command, *FLAGS, "-v", "-E", "-x", "c++", os.devnull])
    told = [described, *FLAGS, SHARED.read_text(), source.read_text()]
    key = hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]
    library = kept / f"{source.stem}-{key}.so"
    if not library.exists():
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept) as draft:
            _call([command, *FLAGS, str(source), "-o", str(Path(draft) / library.name)])
            os.replace(Path(draft) / library.name, library)
    return library


def _call(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"no working C++ compiler: {error}") from error
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Unavailable(f"the C++ compiler failed: {said}")
    return done.stderr


class _Side(ctypes.Structure):
    _fields_ = [
        *[(name, ctypes.c_int64) for name in ("rows", "others", "edges")],
        *[(name, ctypes.c_void_p) for name in ("start", "other", "place")],
    ]


def _described(side: Side) -> _Side:
    pointers = (None if x is None else x.data_ptr() for x in (side.start, side.other, side.place))
    return _Side(side.rows, side.others, len(side.other), *pointers)


def _run(name: str, side: Side, sizes: tuple[int, ...], *arguments: Tensor | float | None) -> None:
    """Call a function of the library once per row of the batch, the tensors' first axis; the last is made."""
    given = [x for x in arguments if isinstance(x, Tensor)]
    suffix, real = TYPES[given[0].dtype]
    library, threads, described = _library(compiler(), folder()), torch.get_num_threads(), _described(side)
    assert not isinstance(library, str) and all(
        x.is_contiguous() and x.dtype == given[0].dtype for x in given
    )
    function = getattr(library, f"{name}_{suffix}")
    for row in range(len(given[-1])):
        function(
            ctypes.byref(described),
            *[ctypes.c_int64(size) for size in sizes],
            *[_pointer(x, row) if isinstance(x, Tensor) else x if x is None else real(x) for x in arguments],
            ctypes.c_int(threads),
        )


def _pointer(x: Tensor, row: int) -> ctypes.c_void_p:
    return ctypes.c_void_p(x.data_ptr() + (row if len(x) > 1 else 0) * x.stride(0) * x.element_size())


def _inside(x: Tensor) -> Tensor:
    """Heads behind nodes or edges in memory, which costs nothing where a projection made them so."""
    return x.transpose(1, 2).contiguous()


def sum_scaled(
    side: Side,
    outer: Float[Tensor, " rows"],
    inner: Float[Tensor, " others"],
    values: Float[Tensor, "b h others c"],
) -> Float[Tensor, "b h rows c"]:
    """outer_r times the sum over the row's entries of inner_o values_o."""
    values = _inside(values)
    out = values.new_empty(len(values), side.rows, *values.shape[2:])
    # Every head has the same factors, so the row may be cut as the compiled sizes have it.
    width = values.shape[2] * values.shape[3]
    sizes = (8, 8) if width == 64 else (1, width)
    _run("sum_scaled", side, sizes, outer[None].contiguous(), inner[None].contiguous(), values, out)
    return out.transpose(1, 2)


def sum_weighted(
    side: Side, weights: Float[Tensor, "b h e"], values: Float[Tensor, "b h others c"]
) -> Float[Tensor, "b h rows c"]:
    """The sum over the row's entries of weight_e values_o."""
    weights, values = _inside(weights), _inside(values)
    out = values.new_empty(len(values), side.rows, *values.shape[2:])
    _run("sum_weighted", side, tuple(values.shape[2:]), weights, values, out)
    return out.transpose(1, 2)


def dots(
    side: Side, rows: Float[Tensor, "b h rows c"], others: Float[Tensor, "b h others c"]
) -> Float[Tensor, "b h e"]:
    """row_r · other_o for every edge."""
    rows, others = _inside(rows), _inside(others)
    out = rows.new_empty(len(rows), len(side.other), rows.shape[2])
    _run("dots", side, tuple(rows.shape[2:]), rows, others, out)
    return out.transpose(1, 2)


def sum_edges(side: Side, values: Float[Tensor, "b h e"]) -> Float[Tensor, "b h rows"]:
    """The sum over the row's entries of values_e."""
    values = _inside(values)
    out = values.new_empty(len(values), side.rows, values.shape[2])
    _run("sum_edges", side, (values.shape[2],), values, out)
    return out.transpose(1, 2)


def parts(
    edges: Edges,
    target: Float[Tensor, "h c"],
    source: Float[Tensor, "h c"],
    values: Float[Tensor, "b h n c"],
) -> tuple[Float[Tensor, "b h n"], Float[Tensor, "b h n"]]:
    """What each node adds to the scores of the edges that it is the target of, and the source of."""
    values = _inside(values)
    left, right = (values.new_empty(values.shape[:3]) for _ in range(2))
    vectors = target[None].contiguous(), source[None].contiguous()
    _run("parts", edges.sources, tuple(values.shape[2:]), values, *vectors, left, right)
    return left.transpose(1, 2), right.transpose(1, 2)


def spread(
    edges: Edges,
    target: Float[Tensor, "h c"],
    source: Float[Tensor, "h c"],
    values: Float[Tensor, "b h n c"],
    gradients: tuple[Tensor, Tensor, Tensor],
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of both vectors and of the values, given those of both parts and of the values alone."""
    values, left, right, to_values = (_inside(x) for x in (values, *gradients))
    vectors = target[None].contiguous(), source[None].contiguous()
    sums = values.new_empty(len(values), -(-edges.sizes[1] // BLOCK), 2, *target.shape)
    given = (values, *vectors, left, right, to_values, sums)
    _run("spread", edges.sources, tuple(target.shape), *given)
    to_target, to_source = sums.sum((0, 1))
    return to_target, to_source, to_values.transpose(1, 2)


def additive_forward(
    edges: Edges,
    left: Tensor,
    right: Tensor,
    term: Tensor | None,
    keep: Tensor | None,
    values: Tensor,
    slope: float,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """The sums, and what their gradients need: some numbers per node and head, and one more sum per node."""
    right, values = _inside(right), _inside(values)
    # No help where each edge has a gradient anyway, or a slope below 0 lifts scores of either sign.
    lifts = term is None and slope >= 0
    term, keep = (None if x is None else _inside(x) for x in (term, keep))
    batch, _, heads, channels = values.shape
    memory = values.new_empty(batch, edges.sizes[0], 4, heads)
    memory[:, :, 0] = left.transpose(1, 2)
    out = values.new_empty(batch, edges.sizes[0], heads, channels)
    lift = [torch.empty_like(out), values.new_empty(batch, edges.sizes[0], heads)] if lifts else []
    given = (right, term, keep, values, slope, *(lift or [None, None]), memory, out)
    _run("additive_forward", edges.targets, (heads, channels), *given)
    return out.transpose(1, 2), (right, values, memory, *lift)


def additive_backward(
    edges: Edges,
    saved: tuple[Tensor, ...],
    term: Tensor | None,
    keep: Tensor | None,
    slope: float,
    out: Tensor,
    upstream: Tensor,
) -> tuple[Tensor, Tensor, Tensor | None, Tensor]:
    """The gradients of the targets' part, of the sources' part, of each edge's score and of the values."""
    right, values, memory, *lift = saved
    term, keep = (None if x is None else _inside(x) for x in (term, keep))
    upstream = _inside(upstream)
    to_values, to_right = torch.empty_like(values), torch.empty_like(right)
    count = edges.sizes[0] if lift else edges.count
    changes = values.new_empty(len(values), count, values.shape[2])
    given = (right, term, keep, values, slope, *(lift or [None, None]), memory, _inside(out), upstream)
    asked = (changes, None) if lift else (None, changes)
    _run("additive_backward", edges.sources, tuple(values.shape[2:]), *given, *asked, to_right, to_values)
    changes, to_right, to_values = (x.transpose(1, 2) for x in (changes, to_right, to_values))
    if lift:
        return changes, to_right, None, to_values
    return sum_edges(edges.targets, changes), to_right, changes, to_values
