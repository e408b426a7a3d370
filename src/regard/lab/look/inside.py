"""Inside the child process: make a person's model, feed it, and send home where it looked."""

import inspect
import os
import sys
from pathlib import Path
from typing import Any

import torch
from torch import nn

from regard.checker.process.exchange import Configuration, array
from regard.checker.process.inside import Inside
from regard.checker.reading.arguments import ALIASES, CONFIG, mean, number
from regard.errors import RegardError, nearest
from regard.lab.look.attention import look, patches
from regard.lab.look.fitting import first_line, require_fitting
from regard.lab.look.inputs import fed, names_of
from regard.lab.look.maps import AttentionLayer

SIZES: dict[str, Any] = {
    "width": 64, "heads": 4, "key_heads": 4, "length": 64, "head_width": 16, "dropout": 0.0,
    "inputs": 16, "outputs": 16,
}  # fmt: skip
"What a size is where a model asks for it and nobody says, by its meaning."
COUNTS = {
    256: "vocab vocab_size vocabulary n_vocab num_tokens ntoken ntokens num_embeddings n_tokens "
    "src_vocab tgt_vocab src_vocab_size tgt_vocab_size",
    2: "depth n_layer n_layers num_layers layers nlayers num_blocks n_blocks nlayer",
    10: "num_classes n_classes classes nclass num_labels",
    4: "patch patch_size",
    32: "img_size image_size side",
    3: "channels in_chans img_channels",
}
NAMED = {name: size for size, names in COUNTS.items() for name in names.split()}
ROOM = 60 << 20
"Bytes of weights that are sent."


class Looking(Inside):
    """The person's module, its model, and the attention of the model on one input."""

    VERBS = ("load", "look")

    def load(self, path: str) -> dict[str, Any]:
        """Import a file from its own folder, so that it finds the weights that it loads."""
        os.chdir(Path(path).parent)
        try:
            return super().load(path)
        except BaseException:
            # So that the line of the file is told where it fails.
            self.module = sys.modules.get(Path(path).stem)
            raise

    def look(
        self, name: str | None, given: dict[str, str], prompt: str | None, shape: list[int] | None
    ) -> dict[str, Any]:
        """Where the model of that name looks; without a name, the last of the file that can be made."""
        model, notes = self._model(name, given)
        trouble: Exception | None = None
        failed = []
        for inputs, labels, what in fed(model, self._module, prompt, shape):
            try:
                layers = look(model, inputs)
            except Exception as error:  # the next input may fit
                # Of one that fits, and shows no attention, there is more to say.
                trouble = error if trouble is None or isinstance(error, RegardError) else trouble
                failed.append(inputs)
                continue
            _require_room(layers)
            grid, picture = patches(inputs, layers)
            return {
                "layers": [_sent(one) for one in layers],
                "labels": labels,
                "notes": [*notes, what],
                "grid": list(grid) if grid else None,
                "picture": None if picture is None else array(picture.float()),
            }
        if prompt is not None and not isinstance(trouble, RegardError):
            require_fitting(model, failed)
        if trouble is not None and not isinstance(trouble, RegardError) and (prompt is not None or shape):
            self._require_meant(model, prompt is not None, trouble)
        if trouble is not None and (isinstance(trouble, RegardError) or prompt is not None or shape):
            raise trouble
        told = "no input fits" if trouble is None else first_line(trouble)
        raise RegardError("nobody knows what this model takes", told, _mend(model)) from trouble

    def _require_meant(self, model: nn.Module, text: bool, trouble: Exception) -> None:
        """Raise where the model runs with something else than it was given; one that never runs is broken."""
        for inputs, _, what in fed(model, self._module, None, None):
            try:
                look(model, inputs)
            except RegardError:  # it runs, and shows no attention
                pass
            except Exception:
                continue
            fix = f"leave {'--prompt' if text else '--input'} out: it runs when {what.partition(';')[0]}"
            given = "a text" if text else "numbers of that shape"
            raise RegardError(f"the model does not take {given}", first_line(trouble), fix) from trouble

    @property
    def _module(self) -> Any:
        assert self.module is not None
        return self.module

    def _model(self, name: str | None, given: dict[str, str]) -> tuple[nn.Module, list[str]]:
        found = _named(self._module, name)
        if isinstance(found, nn.Module):
            if given:
                raise RegardError(
                    "--set has no effect on a model that is made already", f"'{name}'", "leave it out"
                )
            return found, []
        words, notes = arguments(found, given)
        notes += _passed_over(self._module, found) if name is None else []
        torch.manual_seed(0)
        made = found(**words)
        if not isinstance(made, nn.Module):
            raise RegardError(
                "this makes no nn.Module",
                f"{found.__name__} gives a {type(made).__name__}",
                "name a model's class",
            )
        return made, notes


def _mend(model: nn.Module) -> str:
    """How a person says what a model takes: one shape serves one input alone."""
    names = names_of(model)
    if len(names) > 1:
        return f"define example() in the file, which gives a tuple: ({', '.join(names)})"
    return "say its shape, as --input 1,3,224,224, or define example() in the file, which gives its input"


def _passed_over(module: Any, chosen: type) -> list[str]:
    """A note where the file defines several models: which one is looked into, and how to name another."""
    others = [one.__name__ for one in vars(module).values() if _is_class(module, one) and one is not chosen]
    if not others:
        return []
    named = f"{module.__name__}.py:{others[-1]}"
    return [f"{chosen.__name__} is the last of the file's {len(others) + 1} models; {named} names another"]


def _is_class(module: Any, value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, nn.Module) and value.__module__ == module.__name__


def _named(module: Any, name: str | None) -> Any:
    own = {
        word: value
        for word, value in vars(module).items()
        if isinstance(value, nn.Module)
        or _is_class(module, value)
        or (inspect.isfunction(value) and value.__module__ == module.__name__)
    }
    if name is not None and name not in own:
        raise RegardError(
            "the file defines no model of that name",
            repr(name),
            nearest(name, own, f"it defines {', '.join(own) or 'none'}"),
        )
    models = [word for word, value in own.items() if not inspect.isfunction(value)]
    made = [word for word in models if isinstance(own[word], nn.Module)]
    if name is None and not models:
        raise RegardError(
            "the file defines no model",
            f"{module.__name__}.py",
            "define an nn.Module, or name a function that makes one: FILE.py:name",
        )
    return own[name or (made or models)[-1]]


def arguments(maker: Any, given: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
    """What a class or function is called with: what was given, else a usual size for what it requires."""
    parameters = {
        name: one
        for name, one in inspect.signature(maker).parameters.items()
        if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    }
    for name, value in given.items():
        if name not in parameters:
            raise RegardError(
                f"{maker.__name__} has no argument of that name",
                repr(f"{name}={value}"),
                nearest(name, parameters, f"it takes {', '.join(parameters) or 'none'}"),
            )
    words = {name: number(value) for name, value in given.items()}
    guessed = {}
    for name, one in parameters.items():
        if name in words or one.default is not one.empty:
            continue
        guessed[name] = _usual(name, one.annotation)
        if guessed[name] is None:
            raise RegardError(
                f"{maker.__name__} asks for what nobody can guess",
                f"{name}",
                f"say it: --set {name}=VALUE; or name a function without arguments that makes the model",
            )
    told = ", ".join(f"{name}={value}" for name, value in guessed.items() if isinstance(value, int | float))
    return words | guessed, [f"made with {told}; --set changes it"] if told else []


def _usual(name: str, kind: Any) -> Any:
    if inspect.isclass(kind) and kind not in (int, float, str, bool, dict, inspect.Parameter.empty):
        return kind()
    plain = name.lower().strip("_")
    if plain in NAMED:
        return NAMED[plain]
    if plain in CONFIG:
        known = {alias: size for meaning, size in reversed(SIZES.items()) for alias in ALIASES[meaning]}
        return Configuration(**(known | NAMED | {"bias": True}))
    meaning = mean(name, list(SIZES))
    return None if meaning is None else SIZES[meaning]


def _sent(layer: AttentionLayer) -> dict[str, Any]:
    edges = layer.edges
    sent = {"name": layer.name, "how": layer.how, "weights": array(layer.weights[:1].float()), "edges": None}
    if edges is not None:
        ends = {"source": array(edges.source), "target": array(edges.target)}
        sent["edges"] = {**ends, "sizes": list(edges.sizes)}
    return sent


def _require_room(layers: tuple[AttentionLayer, ...]) -> None:
    size = sum(4 * one.weights[:1].numel() for one in layers)
    if size > ROOM:
        raise RegardError(
            "the maps are too large to be drawn",
            f"{size >> 20} MiB of weights",
            "give a shorter prompt, or a smaller --input",
        )
