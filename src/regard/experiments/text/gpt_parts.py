"""The parts of a GPT, each beside its formula. About 2 s on a CPU.   regard run gpt-parts"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import erf, pi, sqrt, tanh

import torch
from torch import Tensor, nn

from regard.claims import Claim
from regard.core.position import Rotary
from regard.data.tokens.tokenizer import Character
from regard.generation.sampling import Sampler
from regard.lab.book.style import BLACK, BLUE, ORANGE, PURPLE, panels, style
from regard.lab.events import Event, FigureEvent, Metric, TableEvent
from regard.lab.experiment import Context, Experiment
from regard.models.gpt.block import Block, activate, norm
from regard.models.gpt.presets import AMSTERDAM
from regard.shapes import Float
from regard.training import is_main

WIDTH, HEADS = 12, 2
TEXT = "Where does it look? Où regarde-t-il ? Куда он смотрит? どこを見ているのか。\n"


@dataclass(frozen=True, kw_only=True)
class Settings:
    tokens: int = 9
    "Tokens in the sequence that is followed through a block."
    places: int = 64
    "Places over which rotary positions are tried."
    logits: int = 200
    "Random distributions on which the samplers are tried."


def rms_norm(x: Float[Tensor, "n c"], gain: Float[Tensor, " c"]) -> Tensor:
    """x over the root of its mean square, channel by channel."""
    return torch.stack([row / sqrt(sum(v * v for v in row.tolist()) / len(row) + 1e-6) for row in x]) * gain


def gelu(x: float) -> float:
    """x times the probability that a standard normal number is below x."""
    return x * (1 + erf(x / sqrt(2))) / 2


def gelu_by_tanh(x: float) -> float:
    """GELU with the probability written as a hyperbolic tangent."""
    return x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2


def turned(x: Tensor, place: int, pairs: int) -> Tensor:
    """Channels t and t + d/2 as a point of the plane, turned by place / 10000^(2t / d)."""
    angle = place / 10_000 ** (torch.arange(pairs, dtype=x.dtype) / pairs)
    a, b = x[:pairs], x[pairs:]
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()])


def block_by_hand(block: Block, x: Float[Tensor, "n c"]) -> tuple[Tensor, Tensor]:
    """The block written out, token by token and head by head; and the attention of its heads."""
    attention, size = block.attention, WIDTH // HEADS
    normed = rms_norm(x, block.attention_norm.weight)
    q, k, v = (normed @ attention.mix.weight.T + attention.mix.bias).split(WIDTH, 1)
    taken, weights = torch.zeros_like(x), torch.zeros(HEADS, len(x), len(x), dtype=x.dtype)
    for head in range(HEADS):
        own = slice(head * size, (head + 1) * size)
        for i in range(len(x)):
            query = turned(q[i, own], i, size // 2)
            scores = [float(query @ turned(k[j, own], j, size // 2)) / sqrt(size) for j in range(i + 1)]
            weights[head, i, : i + 1] = torch.tensor(scores, dtype=x.dtype).softmax(0)
            taken[i, own] = weights[head, i, : i + 1] @ v[: i + 1, own]
    x = x + taken @ attention.out.weight.T + attention.out.bias
    layer = block.mlp.up[0]
    assert isinstance(layer, nn.Linear)
    up = rms_norm(x, block.mlp_norm.weight) @ layer.weight.T + layer.bias
    bent = torch.tensor([[gelu_by_tanh(one) for one in row] for row in up.tolist()], dtype=x.dtype)
    return x + bent @ block.mlp.out.weight.T + block.mlp.out.bias, weights


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Norm, activation, positions, block, tokenizer, samplers."""
    if not is_main():  # of several processes: nothing is trained here
        return
    generator = torch.Generator().manual_seed(context.seed)
    torch.manual_seed(context.seed)
    config = replace(AMSTERDAM, depth=1, heads=HEADS, width=WIDTH, context=settings.tokens, dropout=0.0)
    block = Block(config).double()
    x = 3 * torch.randn(settings.tokens, WIDTH, generator=generator, dtype=torch.float64)
    with torch.no_grad():
        yield from _norm(x)
        yield from _activation()
        yield from _rotary(settings, generator)
        yield from _block(block, x)
    yield from _tokenizer()
    yield from _samplers(settings, generator)
    yield FigureEvent("parts", _figure(x, generator), PARTS)


def _norm(x: Tensor) -> Iterator[Event]:
    layer = norm(replace(AMSTERDAM, width=WIDTH)).double()
    layer.weight.copy_(torch.linspace(0.5, 2, WIDTH))
    yield Metric("RMS norm: gap to its formula", _gap(layer(x), rms_norm(x, layer.weight)))
    layer.weight.fill_(1.0)
    roots = layer(x).square().mean(1).sqrt()
    yield Metric(
        "RMS norm: largest distance of a token's root mean square from 1", float((roots - 1).abs().max())
    )


def _activation() -> Iterator[Event]:
    places = torch.linspace(-6, 6, 2001, dtype=torch.float64)
    ours = activate(places, AMSTERDAM.activation)
    by_hand = torch.tensor([gelu_by_tanh(one) for one in places.tolist()], dtype=torch.float64)
    exact = torch.tensor([gelu(one) for one in places.tolist()], dtype=torch.float64)
    yield Metric("GELU: gap to the formula with tanh", _gap(ours, by_hand))
    yield Metric(
        "GELU: largest difference of the tanh form from x times the normal probability", _gap(ours, exact)
    )


def _rotary(settings: Settings, generator: torch.Generator) -> Iterator[Event]:
    places, size = torch.arange(settings.places), 16
    q, k = torch.randn(2, size, generator=generator, dtype=torch.float64)
    many = q.repeat(settings.places, 1)[None, None]
    rotated = Rotary().rotate(many, places)[0, 0]
    by_hand = torch.stack([turned(q, place, size // 2) for place in places.tolist()])
    yield Metric("rotary: gap to its formula", _gap(rotated, by_hand))
    yield Metric("rotary: largest change of a length", float((rotated.norm(dim=1) - q.norm()).abs().max()))
    keys = Rotary().rotate(k.repeat(settings.places, 1)[None, None], places)[0, 0]
    products = rotated @ keys.T
    spreads = [
        float(line.max() - line.min())
        for line in (products.diagonal(step) for step in range(-settings.places // 2, settings.places // 2))
    ]
    yield Metric("rotary: largest spread of q·k among pairs equally far apart", max(spreads))


def _block(block: Block, x: Tensor) -> Iterator[Event]:
    by_hand, weights = block_by_hand(block, x)
    yield Metric("block: gap to the formulas written out", _gap(block(x[None])[0], by_hand))
    moved = x.clone()
    moved[-1] += 1.0
    yield Metric(
        "block: change of the past when the last token changes",
        _gap(block(moved[None])[0][:-1], block(x[None])[0][:-1]),
    )
    rows = [(f"{i}", *(f"{one:.3f}" for one in line)) for i, line in enumerate(weights[0].tolist())]
    columns = ("token", *(f"to {j}" for j in range(len(x))))
    yield TableEvent(
        "attention of the first head",
        columns,
        rows,
        "The weights of the first head of the block written out: what each token (a row) takes from each (a column). A row is a softmax over its own token and those before it.",
    )


def _tokenizer() -> Iterator[Event]:
    tokenizer = Character(TEXT)
    back = tokenizer.decode(tokenizer.encode(TEXT))
    yield Metric(
        "tokenizer: characters that do not come back", sum(a != b for a, b in zip(TEXT, back, strict=True))
    )
    said = " ".join(
        f"{character!r} {int(number)}"
        for character, number in zip(TEXT[:24], tokenizer.encode(TEXT[:24]), strict=True)
    )
    yield TableEvent(
        "a text as numbers",
        ("text", "its characters and their numbers"),
        [(f"{TEXT[:24]}…", f"{said} …")],
        "A tokenizer of characters: each different character has a number, in the order of their codes. Shown is the beginning of the text.",
    )


def _samplers(settings: Settings, generator: torch.Generator) -> Iterator[Event]:
    logits = 2 * torch.randn(settings.logits, 30, generator=generator, dtype=torch.float64)
    plain = logits.softmax(1)
    wrong = 0
    for row, kept in zip(plain, Sampler(top_p=0.6).distribution(logits), strict=True):
        ordered, count = row.sort(descending=True).values.tolist(), 1
        while sum(ordered[:count]) < 0.6:
            count += 1
        wrong += int((kept > 0).sum()) != count or float(row[kept > 0].min()) < ordered[count - 1] - 1e-12
    yield Metric("top-p 0.6: kept sets that are not the smallest to reach it", wrong)
    cold = Sampler(temperature=0.5).distribution(logits)
    squared = plain.square() / plain.square().sum(1, keepdim=True)
    yield Metric("temperature 1/2: gap to the squared probabilities", _gap(cold, squared))


def _gap(a: Tensor, b: Tensor) -> float:
    return float((a - b).detach().abs().max())


def _figure(x: Tensor, generator: torch.Generator):
    with style():
        figure, (first, second, third) = panels(3, width=8.6, height=3.4)
        lengths = x.square().mean(1).sqrt().tolist()
        normed = rms_norm(x, torch.ones(WIDTH, dtype=x.dtype)).square().mean(1).sqrt().tolist()
        first.bar(range(len(x)), lengths, color=BLUE, label="before")
        first.plot(range(len(x)), normed, "o", color=BLACK, label="after")
        first.set(xlabel="token", ylabel="root mean square", xticks=range(0, len(x), 2))
        places = torch.linspace(-4, 4, 161).tolist()
        beside = [1000 * (gelu_by_tanh(one) - gelu(one)) for one in places]
        second.plot(places, [gelu(one) for one in places], color=BLUE, marker="", label="GELU")
        second.plot(places, beside, color=ORANGE, marker="", label="(tanh form − GELU) · 1000")
        ramp = [max(0.0, one) for one in places]
        second.plot(places, ramp, color=BLACK, linestyle=":", marker="", label="ReLU")
        second.set(xlabel="x", ylabel="activation", ylim=(-1.2, 3))
        q = torch.randn(16, generator=generator, dtype=x.dtype)
        for start, colour, line, width in ((0, BLUE, "-", 1.5), (30, PURPLE, ":", 3.0)):
            products = [float(turned(q, start, 8) @ turned(q, start + step, 8)) for step in range(60)]
            label = f"from place {start}"
            third.plot(
                range(60), products, color=colour, linestyle=line, linewidth=width, marker="", label=label
            )
        third.set(xlabel="distance of the key", ylabel="q · k for k = q")
        for axis in (first, second, third):
            axis.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.24), ncols=2)
        return figure


PARTS = "Left: the root mean square of each token before the norm and after it. Middle: the activation beside ReLU, and what its form with tanh differs by, a thousand times enlarged. Right: the product of a vector with itself, each turned by its place, from two starting places: if only the distance counts, the two curves are one."

SOURCE = "Amsterdam A2, 2.2-2.7"
CLAIMS = (
    Claim("RMS norm: gap to its formula", high=1e-12, why="x / √(mean x² + 1e-6) times the gains, in float64", source=SOURCE, items=(64,),
          says="The RMS norm is x / √(mean x² + 1e-6) times its gains (largest gap {value:.2g}).",
          otherwise="The norm is not x / √(mean x² + 1e-6) times its gains: it is off by {value:.2g}.",
          asks="whether the RMS norm is its formula"),
    Claim("RMS norm: largest distance of a token's root mean square from 1", high=1e-6, why="that is what it divides by; 1e-6 below the root takes off half of 1e-6 over the mean square", source=SOURCE, items=(64,),
          says="The RMS norm brings every token to a root mean square of 1 (within {value:.2g}).",
          otherwise="After it a token's root mean square is {value:.2g} away from 1.",
          asks="what the norm does to a token's size"),
    Claim("GELU: gap to the formula with tanh", high=1e-12, why="the same function, in float64", source=SOURCE, items=(64,),
          says="The activation is GELU in its form with tanh (largest gap {value:.2g}).",
          otherwise="The activation is not GELU in its form with tanh: it is off by {value:.2g}.",
          asks="whether the activation is GELU with tanh"),
    Claim("GELU: largest difference of the tanh form from x times the normal probability", low=1e-4, high=1e-3, why="the tanh form is an approximation, good to the third decimal", source="Hendrycks and Gimpel 2016", items=(64,),
          says="GELU's form with tanh is an approximation of x times the normal probability, off by {value:.2g} at most.",
          otherwise="The activation differs from x times the normal probability by {value:.2g} at most, not by the few 1e-4 of the form with tanh.",
          asks="how good the form with tanh is"),
    Claim("rotary: gap to its formula", high=1e-12, why="turns of the plane, in float64", source=SOURCE, items=(64,),
          says="Rotary positions turn each pair of channels by place / 10000^(2t/d) (largest gap {value:.2g}).",
          otherwise="Rotary positions do not turn pairs of channels by place / 10000^(2t/d): they are off by {value:.2g}.",
          asks="whether rotary positions are their formula"),
    Claim("rotary: largest change of a length", high=1e-12, why="a turn keeps lengths", source=SOURCE, items=(64,),
          says="Turning keeps the length of a vector (largest change {value:.2g}).",
          otherwise="The rotation changes the length of a vector by up to {value:.2g}.",
          asks="whether rotary positions keep lengths"),
    Claim("rotary: largest spread of q·k among pairs equally far apart", high=1e-11, why="turning both by the same angle changes no product", source=SOURCE, items=(64,),
          says="With rotary positions q·k depends on the distance of the two places alone: pairs equally far apart differ by {value:.2g} at most.",
          otherwise="With rotary positions, pairs of places equally far apart have q·k that differ by up to {value:.2g}: not the distance alone counts.",
          asks="whether q·k depends on the distance alone"),
    Claim("block: gap to the formulas written out", high=1e-12, why="norm, heads, turns, mask, softmax, GELU and both sums, token by token", source=SOURCE, items=(64,),
          says="Yes for the whole: a block is x + attention(norm(x)), then x + MLP(norm(x)), with causal attention in heads, and equals these formulas written out token by token (largest gap {value:.2g}).",
          otherwise="No: the block differs from its formulas written out token by token by {value:.2g}.",
          asks="whether the block is its formulas written out"),
    Claim("block: change of the past when the last token changes", high=0.0, why="the mask", source=SOURCE, items=(64,),
          says="What stands at earlier tokens does not change when the last one does.",
          otherwise="Earlier tokens change by {value:.2g} when the last one does: the future leaks.",
          asks="whether the past depends on the future"),
    Claim("tokenizer: characters that do not come back", high=0.0, why="a number for each character, and back", source=SOURCE, items=(64,),
          says="The tokenizer gives back every character of a text in four alphabets.",
          otherwise="Of a text in four alphabets {value} characters do not come back from the tokenizer.",
          asks="whether the tokenizer gives back its text"),
    Claim("top-p 0.6: kept sets that are not the smallest to reach it", high=0.0, why="counted by hand from the most probable on", source=SOURCE, items=(64,),
          says="Sampling by top-p keeps the smallest set of most probable tokens that reaches p, in every distribution tried.",
          otherwise="In {value} of the distributions tried, top-p does not keep the smallest set that reaches p.",
          asks="whether top-p keeps the smallest set"),
    Claim("temperature 1/2: gap to the squared probabilities", high=1e-12, why="exp(2x) is the square of exp(x)", source=SOURCE, items=(64,),
          says="A temperature of 1/2 squares the probabilities and divides by their sum (largest gap {value:.2g}).",
          otherwise="A temperature of 1/2 is off the squared probabilities by {value:.2g}.",
          asks="whether temperature is what its formula says"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="What are the parts of a GPT, and is each what its formula says?",
    method="""Each part of Amsterdam A2's GPT is taken by itself and held against its formula, written out with plain
        loops in float64: the RMS norm, the GELU in its form with tanh, rotary positions, a whole block with
        causal attention, the tokenizer of characters, and the samplers.

        Beyond the formula, what each part is for is measured: the root mean square of a normed token, the
        length of a turned vector and whether $q \\cdot k$ depends on the distance alone, whether the past changes with
        what comes later, whether top-p keeps the smallest set that reaches p.""",
    see="""In the order in which a text goes through them: the tokenizer makes characters into numbers; in each
        block a norm, attention with rotary positions under the causal mask, a norm, a GELU MLP; at the end a
        sampler chooses. The tanh form of GELU is the one that GPT-2 was trained with, so a model that loads
        GPT-2's weights needs it.

        Why rotary positions see distances is derived in [[theory-positions]]; what positions are worth in training
        is asked in [[positions]], the samplers are drawn from in [[decoding]].""",
    claims=CLAIMS,
    opens_with=("block: gap to the formulas written out", "rotary: largest spread of q·k among pairs equally far apart"),
    presets={"quick": Settings(), "full": Settings(tokens=24, places=512, logits=2000)},
    seconds=2,
    run=run,
)  # fmt: skip
