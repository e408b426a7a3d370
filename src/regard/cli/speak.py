"""The verb generate: the model of a run speaks. Torch is loaded when it is called, never by --help."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from regard.cli.output import print_json
from regard.cli.runs import chosen, store
from regard.errors import RegardError

if TYPE_CHECKING:
    from regard.generation.sampling import Sampler
    from regard.lab.text_model import TextModel

SAMPLED = {
    "temperature": 1.0, "top_k": None, "top_p": None, "min_p": None, "penalty": 1.0,
    "seed": 0, "samples": 1, "probabilities": False,
}  # fmt: skip
"Words about samples, and what they are where they are not given; a beam has none of them."
ALTERNATIVES = 4
"How many other tokens --probabilities shows beside each."


def generate(arguments: argparse.Namespace) -> None:
    from regard.generation.sampling import Sampler
    from regard.lab.store.runs import Wanted
    from regard.lab.text_model import load_text_model, text_models

    _require_sense(arguments)
    words = {name: _or(getattr(arguments, name), usual) for name, usual in SAMPLED.items()}
    chances = {name: words[name] for name in ("temperature", "top_k", "top_p", "min_p", "penalty")}
    sampler = Sampler(**chances)
    speaking = Wanted("holds a model that can speak", lambda run: bool(text_models(run.path)))
    found = store().find(arguments.run, speaking)
    if found.state != "finished":
        print(f"this run is {found.state}: {found.id}", file=sys.stderr)
    with chosen(arguments.run, found):
        model = load_text_model(found.path, arguments.model, checkpoint=arguments.checkpoint)
        return _speak(arguments, model, sampler, words)


def _speak(
    arguments: argparse.Namespace, model: "TextModel", sampler: "Sampler", words: dict[str, Any]
) -> None:
    prompt = model.opening() if arguments.prompt is None else arguments.prompt
    ids = model.prompt(prompt)
    if cut := model.cut(ids):
        print(cut, file=sys.stderr)
    rules = {"steps": arguments.steps, "stop": arguments.stop, "beyond": arguments.beyond}
    if arguments.beam is not None:
        return _beams(arguments, model, prompt, ids, rules)
    model.require_room(words["samples"])
    seeds = [words["seed"] + row for row in range(words["samples"])]
    tokens = model.speak(ids, sampler=sampler, seeds=seeds, **rules)
    return _samples(arguments, model, prompt, tokens, seeds, words["probabilities"])


def _samples(
    arguments: argparse.Namespace,
    model: "TextModel",
    prompt: str,
    tokens: Any,
    seeds: list[int],
    probabilities: bool,
) -> None:
    from regard.lab import samples

    if arguments.json:
        said = samples.gather(model, tokens, seeds, ALTERNATIVES if probabilities else 0)
        return print_json([{"prompt": prompt, **one} for one in said])
    if probabilities:
        return samples.show_chances(model, tokens, seeds, count=ALTERNATIVES)
    if len(seeds) == 1:
        return samples.show_stream(model, prompt, tokens)
    return samples.show_side_by_side(model, prompt, tokens, seeds)


def _beams(
    arguments: argparse.Namespace, model: "TextModel", prompt: str, ids: Any, rules: dict[str, Any]
) -> None:
    from regard.lab import samples

    model.require_room(arguments.beam)
    beams = model.search(ids, width=arguments.beam, penalty=_or(arguments.length_penalty, 0.0), **rules)
    if not arguments.json:
        return samples.show_beams(model, prompt, beams)
    rows = [
        {
            "prompt": prompt,
            "text": model.show(beam.ids),
            "score": beam.score,
            "log_probability": beam.log_probability,
            "tokens": len(beam.ids),
            "ended": beam.ended,
        }
        for beam in beams
    ]
    return print_json(rows)


def _require_sense(arguments: argparse.Namespace) -> None:
    """Refuse words that would do nothing beside the others."""
    if arguments.beam is None and arguments.length_penalty is not None:
        raise RegardError(
            "--length-penalty has no effect without --beam",
            f"--length-penalty {arguments.length_penalty:g}",
            "add --beam WIDTH, or leave it out",
        )
    if arguments.beam is not None:
        for name in SAMPLED:
            if getattr(arguments, name) is not None:
                word = "--" + name.replace("_", "-")
                raise RegardError(
                    f"{word} has no effect with --beam",
                    f"--beam {arguments.beam}",
                    "leave out one of them: a beam searches, the others sample",
                )


def _or(value: Any, usual: Any) -> Any:
    return usual if value is None else value
