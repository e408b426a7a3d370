"""What each request brings, with the bounds of every number: nothing else reaches a model or a job."""

from typing import Any

from regard.web.fields import Fields
from regard.web.refusal import Refusal

TEXT, TOKENS, BEAM_TOKENS, BEAMS = 4096, 512, 64, 8
"Characters of a text, tokens of a generation and of a beam, and beams."
SIDE, HEADS_OFF, IDS = 96, 256, 4096
"Pixels to a side, heads that may be switched off, token ids of a prompt."
SEEDS = 2**31 - 1
CHOICES = {
    "similarity": ("dot", "cosine", "gaussian", "kernel", "additive", "constant"),
    "support": ("full", "causal", "window", "edges"),
    "position": ("none", "rotary", "alibi", "relative"),
    "normalise": ("softmax", "divide", "mean", "symmetric", "raw"),
}
"The factors of the operator that a page offers; the first of each is the usual one."


def operator(asked: Fields) -> dict[str, Any]:
    """Four factors, a size and a seed."""
    chosen: dict[str, Any] = {name: asked.choice(name, words, words[0]) for name, words in CHOICES.items()}
    chosen |= {"n": asked.whole("n", 1, 32, 8), "seed": asked.whole("seed", 0, SEEDS, 0)}
    asked.end()
    return chosen


def job(asked: Fields) -> dict[str, Any]:
    """An experiment by name, its preset, a seed, and settings by name."""
    settings = asked.take("settings", {})
    if not isinstance(settings, dict) or len(settings) > 200:
        raise Refusal(400, "settings are names with values", type(settings).__name__, "send an object")
    chosen = {
        "experiment": asked.id("experiment"),
        "preset": asked.choice("preset", ("quick", "full"), "quick"),
        "seed": asked.whole("seed", 0, SEEDS, 0),
        "settings": settings,
    }
    asked.end()
    return chosen


def attention(asked: Fields) -> dict[str, Any]:
    """A model, a text or a picture, and heads to switch off."""
    chosen = {
        "model": asked.id("model"),
        "text": asked.text("text", TEXT, None),
        "image": _picture(asked.take("image", {})),
        "ablate": _heads(asked.take("ablate", [])),
    }
    asked.end()
    if (chosen["text"] is None) == (not chosen["image"]):
        raise Refusal(
            400, "attention looks at one thing", "a text and a picture, or neither", "send one of them"
        )
    return chosen


def prompt(asked: Fields) -> dict[str, Any]:
    """A model, a prompt, and how its next token is chosen."""
    chosen = _prompted(asked)
    asked.end()
    return chosen


def generation(asked: Fields) -> dict[str, Any]:
    """The same, with how many tokens and the seed."""
    chosen = _prompted(asked)
    chosen |= {"tokens": asked.whole("tokens", 1, TOKENS, 100), "seed": asked.whole("seed", 0, SEEDS, 0)}
    asked.end()
    return chosen


def beam(asked: Fields) -> dict[str, Any]:
    """A model, a text, how many beams and how long."""
    chosen = {
        "model": asked.id("model"),
        "text": asked.text("text", TEXT, ""),
        "beams": asked.whole("beams", 1, BEAMS, 4),
        "tokens": asked.whole("tokens", 1, BEAM_TOKENS, 16),
    }
    asked.end()
    return chosen


def _prompted(asked: Fields) -> dict[str, Any]:
    return {
        "model": asked.id("model"),
        "text": asked.text("text", TEXT, ""),
        "ids": _whole_numbers("ids", asked.take("ids", []), IDS, 10**7),
        "temperature": asked.number("temperature", 0.05, 5.0, 1.0),
        "top_k": asked.whole("top_k", 0, 10**6, 0),
        "top_p": asked.number("top_p", 1e-6, 1.0, None),
        "min_p": asked.number("min_p", 0.0, 1.0, None),
    }


def _whole_numbers(name: str, given: Any, most: int, high: int) -> list[int]:
    """A list of whole numbers from 0 to high."""
    if not isinstance(given, list) or len(given) > most:
        raise Refusal(400, f"'{name}' is a list", type(given).__name__, f"send at most {most} whole numbers")
    if not all(type(one) is int and 0 <= one <= high for one in given):
        raise Refusal(400, f"'{name}' holds something else", "a value out of bounds", f"0 to {high}")
    return given


def _heads(given: Any) -> list[list[int]]:
    if not isinstance(given, list) or len(given) > HEADS_OFF:
        raise Refusal(400, "'ablate' is a list", type(given).__name__, "send pairs [layer, head]")
    for pair in given:
        if len(_whole_numbers("ablate", pair, 2, 4096)) != 2:
            raise Refusal(400, "a head has two numbers", str(pair), "send pairs [layer, head]")
    return given


def _picture(given: Any) -> dict[str, Any]:
    """Pixels row by row, the channels of each together, 0 to 255."""
    if given == {}:
        return {}
    if not isinstance(given, dict):
        raise Refusal(
            400, "a picture is an object", type(given).__name__, "send width, height, channels, pixels"
        )
    fields = Fields(given)
    width, height = fields.whole("width", 1, SIDE), fields.whole("height", 1, SIDE)
    channels = fields.whole("channels", 1, 4)
    pixels = _whole_numbers("pixels", fields.take("pixels"), SIDE * SIDE * 4, 255)
    fields.end()
    if len(pixels) != width * height * channels:
        got = f"{len(pixels)} pixels for {width} x {height} x {channels}"
        raise Refusal(
            400, "the pixels do not fill the picture", got, "send width x height x channels numbers"
        )
    return {"width": width, "height": height, "channels": channels, "pixels": pixels}
