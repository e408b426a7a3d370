"""GPT presets: the models of three course assignments, GPT-2, and the sizes that Amsterdam A2 names."""

from dataclasses import replace

from regard.errors import RegardError, nearest
from regard.models.gpt.config import GPTConfig

DUKE = GPTConfig(vocabulary=65, context=64, depth=4, heads=4, width=128, biases=False)
"Duke HW3, question 3: characters of Shakespeare, no biases, the head tied to the token table."

JERUSALEM = GPTConfig(vocabulary=65, context=10, depth=3, heads=3, width=48, tied=False)
"Jerusalem ex. 5: characters of Shakespeare, windows of ten, a head of its own."

AMSTERDAM = GPTConfig(
    vocabulary=87,
    context=128,
    depth=6,
    heads=6,
    width=384,
    dropout=0.1,
    norm="rms",
    position="rotary",
    tied=False,
    init="attention",
)
"Amsterdam A2, question 2: gpt-mini on characters of Grimm."

SWIFT = GPTConfig(
    vocabulary=65,
    context=64,
    depth=2,
    heads=3,
    width=96,
    gains=False,
    biases=False,
    position="rotary",
    qk_norm=True,
    ngram=3,
    tied=False,
    init_std=0.05,
    init="zero",
)
"Learns characters of Shakespeare soonest on two cores, with Muon: see bench/shakespeare_training.py."

GPT2 = GPTConfig(vocabulary=50257, context=1024, depth=12, heads=12, width=768, dropout=0.1)
"The smallest published GPT-2."

SIZES = {
    "gpt-nano": (3, 3, 48),
    "gpt-micro": (4, 4, 128),
    "gpt-mini": (6, 6, 384),
    "gopher-44m": (8, 16, 512),
    "gpt2": (12, 12, 768),
    "gpt2-medium": (24, 16, 1024),
    "gpt2-large": (36, 20, 1280),
    "gpt2-xl": (48, 25, 1600),
}
"Depth, heads and width of the sizes that Amsterdam A2 names."


def sized(config: GPTConfig, name: str) -> GPTConfig:
    """The config in the depth, heads and width of that name.

    >>> sized(AMSTERDAM, "gpt-nano").width, sized(GPT2, "gpt2-xl").depth
    (48, 48)
    """
    if name not in SIZES:
        raise RegardError(
            "no size of that name", repr(name), nearest(name, SIZES, f"one of {', '.join(SIZES)}")
        )
    depth, heads, width = SIZES[name]
    return replace(config, depth=depth, heads=heads, width=width)
