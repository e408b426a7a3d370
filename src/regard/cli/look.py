"""The verb attention: where a model looks. Torch is loaded when it is called, never by --help."""

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from regard.cli.output import print_json
from regard.cli.runs import chosen, store
from regard.errors import RegardError

if TYPE_CHECKING:
    from regard.lab.look.attention import Attention

RUNS_FILE = "runs in a process of its own, with limits on time and memory; that is no sandbox"


def attention(arguments: argparse.Namespace) -> None:
    from regard.lab.look.page import place

    _require_sense(arguments)
    out = None if arguments.out is None else place(arguments.out)
    own = _is_file(arguments.target)
    found = _of_file(arguments) if own else _of_run(arguments)
    found = found.choose(layer=arguments.layer, head=arguments.head)
    if out is not None:
        found.save(out)
    if arguments.json:
        return print_json(_plain(found))
    if out is not None:
        return print(*found.said, f"{out} was written: {found.told}", sep="\n")
    return print(found)


def _of_file(arguments: argparse.Namespace) -> "Attention":
    from regard.checker.wishes import mapping
    from regard.lab.look.own import attention_of_file

    print(f"{arguments.target.partition(':')[0]} {RUNS_FILE}", file=sys.stderr)
    words = {"prompt": arguments.prompt, "shape": arguments.input}
    found = attention_of_file(arguments.target, given=mapping(arguments.set, "--set"), **words)
    return replace(found, of=_of(arguments.target, arguments.prompt))


def _of_run(arguments: argparse.Namespace) -> "Attention":
    from regard.lab.look.attention import attention
    from regard.lab.store.runs import Wanted
    from regard.lab.text_model import load_text_model, text_models

    speaking = Wanted("holds a model that reads text", lambda run: bool(text_models(run.path)))
    found = store().find(arguments.target, speaking)
    if found.state != "finished":
        print(f"this run is {found.state}: {found.id}", file=sys.stderr)
    if arguments.prompt is None:
        raise RegardError("a run's model looks at a text", "no --prompt", "add --prompt 'a text to look at'")
    with chosen(arguments.target, found):
        seen = attention(load_text_model(found.path, arguments.model), arguments.prompt)
    return replace(seen, of=_of(found.id, arguments.prompt))


def _of(model: str, prompt: str | None) -> str:
    """Whose attention it is, and on which text."""
    return model if prompt is None else f"{model} on '{prompt}'"


def _is_file(target: str) -> bool:
    return target.endswith(".py") or ".py:" in target


def _require_sense(arguments: argparse.Namespace) -> None:
    """Refuse words that would do nothing beside the others."""
    own = _is_file(arguments.target)
    words = (
        {"input": arguments.input, "set": arguments.set or None} if not own else {"model": arguments.model}
    )
    for name, value in words.items():
        if value is not None:
            raise RegardError(
                f"--{name} has no effect here",
                f"--{name} beside '{arguments.target}'",
                "it is for a model of your own: FILE.py:Model"
                if not own
                else "it is for a run: name the model in the file",
            )
    if arguments.input is not None and arguments.prompt is not None:
        raise RegardError("a model is fed with one thing", "--prompt and --input", "leave out one of them")


def _plain(found: "Attention") -> dict[str, object]:
    heads = found.heads
    return {
        "labels": list(found.labels),
        "notes": list(found.notes),
        "layers": [
            {
                "layer": found.number(place),
                "name": layer.name,
                "how": layer.how,
                "heads": [head for head in heads if head < layer.heads],
                "weights": layer.weights[found.row][[head for head in heads if head < layer.heads]].tolist(),
                "edges": None
                if layer.edges is None
                else [layer.edges.source.tolist(), layer.edges.target.tolist()],
            }
            for place, layer in enumerate(found.layers)
        ],
    }
