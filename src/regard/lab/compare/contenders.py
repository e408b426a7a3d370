"""What is compared: a layer of a person's file in the place of attention, or settings of the small GPT."""

import dataclasses
import inspect
import re
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from regard.checker.reading.arguments import mean
from regard.checker.reading.place import place
from regard.errors import RegardError, nearest
from regard.lab.look.inside import arguments
from regard.lab.registry import imported
from regard.lab.settings import change
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT

SMALL = {"context": 64, "depth": 2, "heads": 4, "width": 64, "init_std": 0.05}
"The model in which both are tried."
LEAK = 1e-5
"How far the past may move, as a share of the largest logit, when the last token changes: rounding."
FIXED = ("vocabulary", "context")
SIZES = {"width": 64, "heads": 4, "head_width": 16, "length": 64}
"What a layer is told of that model, by the meaning of its parameters."
INNER = ("heads", "kv_heads", "attention", "qk_norm", "reach")
"Settings of our own attention: beside a layer they change nothing."
TABLES = {"none": "no table of positions", "learned": "a table of learned positions"}
"The positions that the model has outside of its attention."
DESIGN = ("window", "block")
"Names of lengths that are a layer's own choice, where they have a default."


class SwappedAttention(nn.Module):
    """A layer where a block has its attention: what it gives besides the states is left out."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor, memory: object = None) -> Tensor:
        """What the layer gives."""
        given = self.layer(x)
        return given[0] if isinstance(given, tuple) else given


@dataclass(frozen=True)
class Contender:
    """One of the two: what a person typed, the settings it changes, and the layer that it puts in."""

    name: str
    changes: dict[str, Any]
    "Settings of the small model; beside a layer, of the model around it."
    layer: Any = None
    "A class or function that makes a layer of width 64, 4 heads and 64 places; None for our own attention."

    def config(self, vocabulary: int) -> GPTConfig:
        """The small model as its settings make it."""
        return GPTConfig(vocabulary=vocabulary, **{**SMALL, **self.changes})

    def model(self, vocabulary: int, seed: int) -> GPT:
        """The small model with it; all but its own part is the same for the same seed."""
        torch.manual_seed(seed)
        model = GPT(self.config(vocabulary))
        if self.layer is None:
            return model
        words = sizes(self.layer)
        for block in model.blocks:
            block.attention = SwappedAttention(self.layer(**words))
        _require_causal(self.name, model)
        return model


def contender(word: str) -> Contender:
    """What a word stands for: FILE.py:Layer, NAME=VALUE,NAME=VALUE, or FILE.py:Layer,NAME=VALUE."""
    if layered := re.fullmatch(r"(.*\.py(?::[^,]*)?)(?:,(.*))?", word):
        around = _settings(word, layered[2]) if layered[2] is not None else {}
        for name, value in around.items():
            if name in (*INNER, "width") or (name == "position" and value not in TABLES):
                raise RegardError(
                    "your layer stands where that setting would have its effect",
                    f"'{name}={value}' beside {layered[1]}",
                    "set position=none or position=learned, or what lies outside of attention",
                )
        return Contender(word, around, _layer(layered[1]))
    return Contender(word, _settings(word, word))


def _settings(word: str, text: str) -> dict[str, Any]:
    """The settings in NAME=VALUE,NAME=VALUE."""
    words = [part for part in text.split(",") if part]
    names = [part.partition("=")[0] for part in words]
    if not words or not all("=" in part for part in words):
        raise RegardError(
            "there is nothing to compare", f"'{word}'", "give FILE.py:Layer, or position=rotary"
        )
    if set(names) & set(FIXED):
        raise RegardError("both are tried in one model, on one text", f"'{word}'", "change another setting")
    made = change(GPTConfig(vocabulary=8, **SMALL), words)
    return {name: getattr(made, name) for name in names}


def unlike(first: Contender, second: Contender) -> list[str]:
    """In what the models around the two differ where one of them is a layer.

    >>> unlike(Contender("mine.py", {}, nn.Identity), Contender("position=rotary", {"position": "rotary"}))
    ['mine.py has a table of learned positions, position=rotary has no table of positions']
    >>> unlike(Contender("mine.py", {}, nn.Identity), Contender("heads=2", {"heads": 2}))
    []
    """
    if first.layer is None and second.layer is None:
        return []
    one, other = _around(first), _around(second)
    return [
        f"{first.name} has {one[name]}, {second.name} has {other[name]}"
        for name in one
        if one[name] != other[name]
    ]


def _around(side: Contender) -> dict[str, str]:
    """The model around a layer or our attention, in words."""
    config = side.config(8)
    told = {name: f"{name}={value}" for name, value in vars(config).items() if name not in INNER}
    return told | {"position": TABLES.get(config.position, TABLES["none"])}


def sizes(layer: Any) -> dict[str, Any]:
    """What a layer is made with: the sizes of the small model wherever it asks for one, also by default.

    >>> sizes(nn.TransformerEncoderLayer)["nhead"], sizes(lambda dim=32, window=8: None)
    (4, {'dim': 64})
    """
    words, _ = arguments(layer, {})
    for name, one in inspect.signature(layer).parameters.items():
        if dataclasses.is_dataclass(value := words.get(name, one.default)) and not isinstance(value, type):
            own = {
                field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init
            }
            words[name] = dataclasses.replace(
                value, **{key: size for key in own if (size := _size(key, own[key]))}
            )
        elif name not in words and (size := _size(name, one.default)) is not None:
            words[name] = size
    return words


def _size(name: str, default: Any) -> int | None:
    """The small model's size that a parameter with a default stands for; None where it is no size."""
    if not isinstance(default, int) or isinstance(default, bool) or name.lower() in DESIGN:
        return None
    meaning = mean(name, list(SIZES))
    # Room for more places than there are does no harm.
    return None if meaning is None or (meaning == "length" and default > SIZES["length"]) else SIZES[meaning]


def _layer(word: str) -> Any:
    path, name = place(word, "compare", (".py",))
    try:
        module = imported(path, "compared")
    except RegardError:
        raise
    except (Exception, SystemExit) as error:
        raise RegardError(
            "the file raised an error", f"{type(error).__name__}: {error}", "make it run first"
        ) from error
    own = {
        key: value
        for key, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", "") == module.__name__
    }
    layers = [key for key, value in own.items() if isinstance(value, type) and issubclass(value, nn.Module)]
    if (name or "") not in own and (name or not layers):
        raise RegardError(
            "the file defines no layer of that name",
            repr(name),
            nearest(name or "", own, f"it defines {', '.join(own) or 'none'}"),
        )
    return own[name or layers[-1]]


@torch.no_grad()
def _require_causal(name: str, model: GPT) -> None:
    """Raise where the layer does not keep the shape, or sees what comes: it would read the answer."""
    ids = torch.arange(8)[None] % model.config.vocabulary
    other = ids.clone()
    other[0, -1] = (ids[0, -1] + 1) % model.config.vocabulary
    model.eval()
    try:
        first, second = model(ids), model(other)
    except Exception as error:
        raise RegardError(
            "the layer does not run in the place of attention",
            f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}",
            "take x (b n c) and give (b n c), made from width, heads and length alone",
        ) from error
    model.train()
    apart = (first - second)[:, :-1].abs().max()
    if apart > LEAK * first.abs().max():
        raise RegardError(
            "the layer sees what comes after", f"{name}", "mask the future: 'regard check' says how it does"
        )
