"""Settings of `regard train`: the texts, the tokenizer, the model and the plan, all as they were chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from regard.lab.ranges import Device, Follows, Range
from regard.models.gpt.config import GPTConfig
from regard.training import Plan


@dataclass(frozen=True, kw_only=True)
class TrainRecipe:
    """What may be changed by --set."""

    model: Annotated[GPTConfig, Follows(vocabulary="the tokenizer")]
    "The model; its vocabulary is that of the tokenizer."
    plan: Annotated[Plan, Follows(seed="--seed", steps="--steps")]
    "How it is trained."
    batch: Annotated[int, Range(1, 65536)]
    "Windows in a batch, over all processes."
    window: Annotated[int | None, Range(2)] = None
    "Tokens in a window of training; none takes the model's context."


@dataclass(frozen=True, kw_only=True)
class TrainSettings:
    """All that a training follows from, but for its seed."""

    texts: tuple[str, ...]
    "Files by their whole path, or names of known texts."
    tokenizer: str
    "character, bytes or bpe; or the path of a tokenizer's file."
    vocabulary: Annotated[int | None, Range(256, 10**6)]
    "Pieces of a byte-pair tokenizer."
    recipe: TrainRecipe
    "Model and plan."
    minutes: Annotated[float | None, Range(above=0)]
    "How long it takes, from its first to its last line; none makes all steps of the plan."
    device: Annotated[str, Device()]
    "Where it computes."
    start: str = ""
    "Whose weights it begins with: a folder in GPT-2's format, or that of a run."


def stored_settings(request: Mapping[str, Any]) -> TrainSettings:
    """The settings that a run of `regard train` has written down."""
    told: dict[str, Any] = dict(request["settings"])
    recipe = told.pop("recipe")
    plan: dict[str, Any] = {
        name: tuple(one) if isinstance(one, list) else one for name, one in recipe["plan"].items()
    }
    return TrainSettings(
        **told
        | {
            "texts": tuple(_path(one) for one in told["texts"]),
            "tokenizer": _path(told["tokenizer"]),
            "recipe": TrainRecipe(
                model=GPTConfig(**recipe["model"]),
                plan=Plan(**plan),
                batch=recipe["batch"],
                window=recipe["window"],
            ),
        }
    )


def label(texts: Sequence[str]) -> str:
    """What a training is called: as its first file or folder, in letters that a folder may have.

    >>> label(["/home/me/My tales.txt.gz", "grimm"]), label(["/home/me/tales/"])
    ('My_tales', 'tales')
    """
    stem = Path(texts[0]).resolve().name.partition(".")[0]
    return "".join(one if one.isalnum() else "_" for one in stem)[:24] or "text"


def _path(told: Any) -> str:
    return told["path"] if isinstance(told, dict) else told
