"""Caches and flash attention against the plain computation, in value, time and memory. About 7 s on a CPU.   regard run exactness"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from math import sqrt

import torch
from torch import Tensor

from regard.claims import Claim
from regard.core.attend import attend
from regard.core.support import Causal
from regard.errors import RegardError
from regard.experiments.text.exactness.figures import BYTES, TIME, draw_bytes, draw_times
from regard.experiments.text.exactness.machine import Chip, block_of, crossing, standard, tiled
from regard.generation.engine import continuation
from regard.generation.sampling import GREEDY
from regard.lab.bench import growth, interleave
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent
from regard.lab.experiment import Context, Experiment
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.training import is_main

KINDS = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}
HEADS, WIDTH = 4, 32
TILED = 64
"Width of the head whose numbers are counted as they cross."
MARGIN = 3
"Standard deviations that a sum of independent roundings is allowed."


BOTH = "largest gap of a cache or of flash attention / bound"
ODD = 331
"Tokens for flash attention: no multiple of its blocks."
CHUNKS = (37, 1, 60, 2)
"Tokens that are read at once, one lot after the other, before all the rest."


@dataclass(frozen=True, kw_only=True)
class Settings:
    model: GPTConfig = field(
        default_factory=lambda: GPTConfig(
            vocabulary=65, context=160, depth=4, heads=4, width=64, position="rotary", init_std=0.1
        )
    )
    "The model whose cache is tested; its weights are random."
    rows: int = 4
    "Texts that it reads."
    lengths: tuple[int, ...] = (256, 512, 1024, 2048)
    "Lengths at which flash attention is timed."
    memory: tuple[int, ...] = (3072,)
    "Lengths at which memory is measured, each in a process of its own."
    chips: tuple[int, ...] = (8, 32, 128, 512)
    "On-chip memories, in KiB, for which the bytes that cross to the slow memory are counted."
    tokens: int = 1024
    "Length at which they are counted."
    rounds: int = 1
    "Timings of each length."

    def __post_init__(self) -> None:
        if self.model.context <= sum(CHUNKS):
            raise RegardError(
                "the context is too short to be read in chunks",
                f"model.context={self.model.context}",
                f"choose {sum(CHUNKS) + 1} or more",
            )


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """The cache first, then flash attention: values, time, memory, bytes."""
    if not is_main():  # of several processes: nothing is trained, and they would disturb what is timed
        return
    cache = yield from _cache(settings, context)
    flash = yield from _values(context)
    yield Metric(BOTH, max(cache, flash))
    yield from _times(settings)
    yield from _memory(settings)
    yield from _bytes(settings, context)


def chain(config: GPTConfig, length: int) -> int:
    """The additions that follow one upon the other from a token to its logits, in the longest way through."""
    block = config.width + config.head_width + length + config.width + config.width + config.hidden
    return config.depth * block + config.width


def bound(config: GPTConfig, length: int, kind: torch.dtype) -> float:
    """MARGIN · √chain · u, with u half the distance from 1 to the next number: roundings as a random walk."""
    return MARGIN * sqrt(chain(config, length)) * torch.finfo(kind).eps / 2


@torch.no_grad()
def cached(model: GPT, ids: Tensor, sizes: list[int]) -> Tensor:
    """The logits of a text that is read with a cache in pieces of these sizes, each the last of its piece."""
    cache = model.cache()
    return torch.stack([model.next(part, cache) for part in ids.split(sizes, 1)], 1)


def _cache(settings: Settings, context: Context) -> Generator[Event, None, float]:
    config = settings.model
    torch.manual_seed(context.seed)
    model, length = GPT(config).eval(), settings.model.context
    state = {name: one.double() for name, one in model.state_dict().items()}
    ids = torch.randint(config.vocabulary, (settings.rows, length))
    pieces = {"token by token": [1] * length, "in chunks": [*CHUNKS, length - sum(CHUNKS)]}
    used, rows = 0.0, []
    for name, kind in KINDS.items():
        yield ProgressEvent(f"the cache in {name}", 0.05)
        model.to(kind).load_state_dict(state)
        with torch.no_grad():
            whole = model(ids)
        largest, limit = whole.double().abs().max(), bound(config, length, kind)
        for way, sizes in pieces.items():
            ends = torch.tensor(sizes).cumsum(0) - 1
            gap = float((cached(model, ids, sizes) - whole[:, ends]).double().abs().max() / largest)
            used = max(used, gap / limit)
            yield Metric(
                "cached less full, relative to the largest logit", gap, at={"type": name, "way": way}
            )
            rows.append((name, way, gap, limit, gap / limit))
    yield Metric("largest gap of the cache / bound", used)
    model.float().load_state_dict(state)
    prompt, steps = ids[:, :5], length - 5
    quick = continuation(model, prompt, steps=steps, sampler=GREEDY)
    slow = continuation(lambda ids: model(ids), prompt, steps=steps, sampler=GREEDY)
    yield Metric("greedy tokens that differ with a cache, float32", float((quick != slow).sum()))
    yield TableEvent(
        "cache",
        ("type", "read", "largest gap", "bound", "gap / bound"),
        rows,
        f"Logits with a cache against one full pass over {length} tokens, relative to the largest logit. The bound is "
        f"{MARGIN} √N u: N is the longest chain of additions, {chain(config, length):,}, u the rounding of one.",
    )
    return used


def inputs(length: int, kind: torch.dtype = torch.float32, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Random queries, keys and values."""
    generator = torch.Generator().manual_seed(seed)
    shape = (1, HEADS, length, WIDTH)
    q, k, v = (torch.randn(shape, generator=generator, dtype=torch.float64).to(kind) for _ in range(3))
    return q, k, v


def _values(context: Context) -> Generator[Event, None, float]:
    used, rows = 0.0, []
    for name, kind in KINDS.items():
        yield ProgressEvent(f"flash attention in {name}", 0.3)
        q, k, v = inputs(ODD, kind, context.seed)
        flash, plain = (
            attend(q, k, v, support=Causal(), backend=backend).output.double()
            for backend in ("sdpa", "reference")
        )
        gap = float((flash - plain).abs().max() / plain.abs().max())
        # Scores, then weighted values: two chains, of the head's width and of the length.
        limit = MARGIN * sqrt(WIDTH + ODD) * torch.finfo(kind).eps / 2
        used = max(used, gap / limit)
        yield Metric("flash less reference, relative to the largest output", gap, at={"type": name})
        rows.append((name, gap, limit, gap / limit))
    yield Metric("largest gap of flash attention / bound", used)
    yield TableEvent(
        "flash",
        ("type", "largest gap", "bound", "gap / bound"),
        rows,
        f"Causal flash attention against the plain computation, {ODD} tokens and {HEADS} heads of width {WIDTH}, "
        f"relative to the largest output. The bound is {MARGIN} √({WIDTH} + {ODD}) u, u the rounding of one.",
    )
    return used


def prepared(backend: str, length: float) -> Callable[[], object]:
    """Causal attention by a backend over random input, ready to call; a fresh process measures its memory."""
    q, k, v = inputs(int(length))
    return lambda: attend(q, k, v, support=Causal(), backend=backend).output


def _times(settings: Settings) -> Iterator[Event]:
    curves: dict[str, list[float]] = {"sdpa": [], "reference": []}
    for index, length in enumerate(settings.lengths):
        yield ProgressEvent(f"time at length {length}", 0.35 + 0.25 * index / len(settings.lengths))
        calls = {name: prepared(name, length) for name in curves}
        for name, samples in interleave(calls, rounds=settings.rounds, warm=1).items():
            curves[name].append(min(samples))
            yield Metric("milliseconds", 1000 * min(samples), at={"backend": name, "length": length})
    yield Metric(
        "time of the reference / flash at the largest length", curves["reference"][-1] / curves["sdpa"][-1]
    )
    yield FigureEvent("time", draw_times(settings.lengths, curves), TIME)


def _memory(settings: Settings) -> Iterator[Event]:
    rows = []
    for length in settings.memory:
        yield ProgressEvent(f"memory at length {length}", 0.65)
        grown = {name: growth(prepared, name, length) for name in ("sdpa", "reference")}
        scores = 4 * HEADS * length**2
        if None in (one.bytes for one in grown.values()):
            continue
        sizes = {name: float(one.bytes or 0) for name, one in grown.items()}
        rows.append((length, sizes["sdpa"] / 2**20, sizes["reference"] / 2**20, scores / 2**20))
        for name, size in sizes.items():
            yield Metric("bytes", size, at={"backend": name, "length": length})
        if length == settings.memory[-1]:
            yield Metric("memory of the reference / one matrix of scores", sizes["reference"] / scores)
            yield Metric("memory of flash / one matrix of scores", sizes["sdpa"] / scores)
    yield TableEvent(
        "memory",
        ("length", "flash, MiB", "reference, MiB", "one matrix of scores, MiB"),
        rows,
        "How far a fresh process grew over three calls, read from the operating system, beside the size of one N × N matrix of scores for all heads.",
    )


def _bytes(settings: Settings, context: Context) -> Iterator[Event]:
    generator = torch.Generator().manual_seed(context.seed)
    n, d = settings.tokens, TILED
    q, k, v = (torch.randn(n, d, generator=generator, dtype=torch.float64) for _ in range(3))
    expected = (q @ k.mT / sqrt(d)).softmax(-1) @ v
    gap, off, counted = 0.0, 0.0, []
    for index, size in enumerate(settings.chips):
        yield ProgressEvent(f"a chip of {size} KiB", 0.85 + 0.1 * index / len(settings.chips))
        chip = Chip(room=size * 256)
        gap = max(gap, float((tiled(q, k, v, chip) - expected).abs().max()))
        off = max(off, abs(chip.crossed / crossing(n, d, chip.room) - 1))
        counted.append(chip.crossed)
        yield Metric("MiB that cross", 4 * chip.crossed / 2**20, at={"KiB on the chip": size})
    yield Metric("largest gap of the tiled form to the softmax", gap)
    yield Metric("largest share by which the numbers moved differ from the formula", off)
    yield Metric(
        "numbers moved by plain attention / by tiled attention, largest chip", standard(n, d) / counted[-1]
    )
    yield FigureEvent("bytes", draw_bytes(settings.chips, counted, tokens=n, width=d), BYTES)


CLAIMS = (
    Claim(BOTH, high=1.0,
          why="both take the same sums in another order: only roundings differ", source="Higham and Mary 2019, on rounding as a random walk", items=(68,),
          says="A cache and flash attention are both exact up to rounding: in four number types neither is farther from the plain computation than {value:.0%} of what roundings alone may do.",
          otherwise="Not both are exact: a cache is off the plain computation by {of[largest gap of the cache / bound]:.1f} times what roundings alone may do, flash attention by {of[largest gap of flash attention / bound]:.1f} times.",
          asks="whether a cache and flash attention are exact"),
    Claim("largest gap of the cache / bound", high=1.0,
          why="the same sums in another order: only roundings differ", source="Higham and Mary 2019, on rounding as a random walk",
          says="A cache is exact up to rounding: in four number types its logits stay within {value:.0%} of what roundings alone may do.",
          otherwise="A cache is not exact: its logits differ from a full pass by {value:.1f} times what roundings alone may do.",
          asks="whether a cache is exact"),
    Claim("greedy tokens that differ with a cache, float32", low=0.0, high=0.0,
          why="gaps of 1e-6 do not reorder logits", source="this experiment",
          says="Greedy text is the same with the cache and without.",
          otherwise="Greedy text differs in {value} tokens with the cache.",
          asks="whether greedy text is the same with a cache"),
    Claim("largest gap of flash attention / bound", high=1.0,
          why="an online softmax is the softmax, up to rounding", source="Amsterdam A2, 2.9a", items=(68,),
          says="Flash attention is exact up to rounding: in four number types its output stays within {value:.0%} of what roundings alone may do.",
          otherwise="Flash attention is not exact: its output differs by {value:.1f} times what roundings alone may do.",
          asks="whether flash attention is exact"),
    Claim("memory of the reference / one matrix of scores", low=1.0,
          why="scores are held as a whole", source="Amsterdam A2, 2.9b", items=(68,),
          says="Attention that stores its scores takes the memory of {value:.1f} N × N matrices.",
          otherwise="Attention that stores its scores takes the memory of only {value:.2f} N × N matrices.",
          asks="what plain attention takes in memory"),
    Claim("memory of flash / one matrix of scores", high=0.1,
          why="outputs and blocks are linear in the length", source="Amsterdam A2, 2.9b", items=(68,),
          says="Flash attention saves memory: it takes {value:.1%} of one N × N matrix of scores, where plain attention takes {of[memory of the reference / one matrix of scores]:.1f} such matrices.",
          otherwise="Flash attention does not save what it should: it takes {value:.1%} of one N × N matrix of scores.",
          asks="what flash attention saves in memory"),
    Claim("largest gap of the tiled form to the softmax", high=1e-12,
          why="float64 rounding only", source="Amsterdam A2, 2.9b", items=(68,),
          says="Computed tile by tile with a running maximum and sum, the softmax is the same (largest gap {value:.2g}).",
          otherwise="Computed tile by tile, the output is off the softmax by {value:.2g}.",
          asks="whether the tiled form is the softmax"),
    Claim("largest share by which the numbers moved differ from the formula", high=1e-12,
          why="2 N d for queries and outputs, 2 N d for each block of queries", source="this experiment", items=(68,),
          says="Numbers moved to and from the chip are those of the formula: 2Nd, and 2Nd for each block of queries.",
          otherwise="Numbers moved to and from the chip differ from the formula by {value:.1%}.",
          asks="whether the formula counts what moves"),
    Claim("numbers moved by plain attention / by tiled attention, largest chip", low=2.0,
          why=f"about 2B/d with B = {block_of(256 * Settings().chips[-1], TILED)} queries at a time and d = {TILED}, less what Q, K, V and the output take", source="this experiment", items=(68,),
          says="Flash attention saves traffic: with the largest chip, plain attention moves {value:.1f} times the numbers that tiled attention moves between slow and fast memory.",
          otherwise="Even with the largest chip, plain attention moves only {value:.1f} times the numbers of tiled attention.",
          asks="what tiling saves in traffic"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Are a cache and flash attention exact, and what does flash attention save?",
    method=r"""A cache keeps keys and values, so that a new token is read alone. Its logits are held against one full
        pass over the same tokens, token by token and in chunks, in four number types. Both round, in different
        orders, so they differ by rounding; the bound takes each rounding as a step $u$ of a random walk along the
        longest chain of $N$ additions: $3 \sqrt{N} u$, relative to the largest logit.

        Flash attention is torch's fused kernel, the reference is our readable one. They are compared in value by
        number type, in time against length, and in memory by how far a fresh process grows.

        What stays on chip is counted, not guessed: the tiled algorithm is written out with a chip of a given size
        that counts every number which comes in or goes out and refuses to hold more than it can.""",
    see=r"""Neither a cache nor flash attention approximates: the sums are the same, in another order. A cache saves
        multiplications, since keys and values of earlier tokens are not computed again. Flash attention takes as many
        as the plain computation; what it saves is storing the $N \times N$ matrix, and writing and reading it. By
        the formula the gain in traffic grows with the chip, as $2 B / d$ for blocks of $B$ queries of width $d$. The running maximum
        and sum are derived in [[theory-flash-attention]], and so is the count, for both orders of the two loops: the queries are outside here,
        so that keys and values come in again for each block of queries and outputs stay on the chip until they are done.""",
    correction=r"""The answer to Amsterdam A2, 2.9b, says that reads and writes of the $N \times N$ matrix are the bottleneck, and is right for
        long sequences; for one new token with a cache there is no such matrix to save.""",
    claims=CLAIMS,
    opens_with=(BOTH, "memory of flash / one matrix of scores"),
    presets={
        "quick": Settings(),
        "full": Settings(
            lengths=(256, 512, 1024, 2048, 4096, 8192), memory=(1024, 2048, 4096), tokens=4096, rounds=9
        ),
    },
    seconds=7,
    run=run,
)  # fmt: skip
