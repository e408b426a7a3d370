"""The verbs train and export: a model of one's own text. Torch is loaded when they are called."""

import argparse
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.cli.output import print_json
from regard.cli.runs import chosen, exit_code, store, told
from regard.errors import RegardError

if TYPE_CHECKING:
    from regard.lab.events import Metric
    from regard.lab.store.run import Run

FRESH = ("tokenizer", "vocabulary", "size", "form", "steps", "device", "start", "set", "seed")
"Words about a training that begins; one that is taken up has its own."


def train(arguments: argparse.Namespace) -> int:
    from regard.lab.runner import resume, run
    from regard.lab.store.job import begun
    from regard.lab.train.choice import Asked, choose
    from regard.lab.train.settings import label, stored_settings
    from regard.lab.train.training import SOURCE, trainer
    from regard.training.parallel import is_main

    _require_sense(arguments)
    earlier = _earlier(arguments.resume) if arguments.resume is not None else begun(store())
    if earlier is not None and earlier.state == "finished" and arguments.resume is None:
        return 0
    if earlier is not None:
        more = None if arguments.resume is None else arguments.minutes
        settings, experiment = stored_settings(earlier.request), trainer(minutes=more)
        if not is_main():
            return _follow(experiment, settings, earlier.request["seed"])
        with _screen(arguments, experiment, earlier.measured) as watch:
            words = {"source": SOURCE, "accept": arguments.accept, "watch": watch}
            done = resume(earlier, experiment, settings, **words)
        return _finish(arguments, done)
    words = {name: getattr(arguments, name) for name in ("tokenizer", "vocabulary", "size", "form")}
    words |= {name: getattr(arguments, name) for name in ("minutes", "steps", "device")}
    words |= {"start": _start(arguments.start), "changes": tuple(arguments.set)}
    chosen = choose(Asked(texts=tuple(arguments.texts), **words))
    settings, experiment, seed = chosen.settings, trainer(chosen.why), arguments.seed or 0
    if not is_main():
        return _follow(experiment, settings, seed)
    with _screen(arguments, experiment) as watch:
        words = {"source": SOURCE, "preset": label(arguments.texts), "changes": arguments.set, "seed": seed}
        done = run(experiment, settings, store(), words=_typed(arguments), watch=watch, **words)
    return _finish(arguments, done)


def export(arguments: argparse.Namespace) -> None:
    from regard.lab.store.runs import Wanted
    from regard.lab.text_model import load_text_model, text_models
    from regard.lab.train.weights import save_weights

    speaking = Wanted("holds a model", lambda run: bool(text_models(run.path)))
    found = store().find(arguments.run, speaking)
    with chosen(arguments.run, found):
        model = load_text_model(found.path, arguments.model, checkpoint=arguments.checkpoint)
        files = save_weights(model, arguments.folder)
    if arguments.json:
        return print_json({"run": found.id, "folder": str(arguments.folder), "files": files})
    return print(f"{arguments.folder} holds {', '.join(files)}")


def _require_sense(arguments: argparse.Namespace) -> None:
    """Refuse words that would do nothing beside the others."""
    for word in arguments.set:
        name, _, device = word.partition("=")
        if name == "device":
            raise RegardError(
                "where a training computes is told by --device",
                f"--set {word}",
                f"--device {device or 'cuda'}",
            )
    if arguments.resume is None:
        if arguments.accept:
            raise RegardError("--accept has no effect without --resume", "--accept code", "leave it out")
        if not arguments.texts and arguments.start is not None:
            fix = f"regard train FILE --from {arguments.start}"
            raise RegardError("weights go on to learn from a text", f"--from {arguments.start} alone", fix)
        if not arguments.texts:
            raise RegardError("there is no text", "no name", "regard train FILE, or --resume RUN")
        return
    got = f"--resume {arguments.resume}"
    if arguments.texts:
        raise RegardError(
            "a run that is taken up has its texts", f"{got} {arguments.texts[0]}", "leave the text out"
        )
    for name in FRESH:
        if getattr(arguments, name) not in (None, []):
            word = "from" if name == "start" else name
            raise RegardError(
                f"--{word} has no effect with --resume",
                got,
                "leave it out: the run has its own; --from RUN begins anew with its weights",
            )


def _earlier(word: str) -> "Run":
    """The run to be taken up; the first of several processes may have taken it up already."""
    from regard.lab.store.resumption import RESUMABLE, require_experiment
    from regard.lab.store.runs import Wanted
    from regard.lab.train.training import NAME
    from regard.training.parallel import is_main

    free = Wanted(
        "can be taken up",
        lambda run: not is_main() or run.state in RESUMABLE,
        f"what is finished goes on in a new training: regard train TEXT --from {word}",
    )
    found = store().find(word, free)
    require_experiment(found, NAME)
    if is_main() and not found.problem and found.state not in RESUMABLE:
        raise RegardError(
            f"this run is {found.state}",
            f"--resume {word}",
            f"go on with its weights: regard train TEXT --from {word}",
        )
    return found


def _typed(arguments: argparse.Namespace) -> list[str]:
    """The words of the command, with whole paths where they name a file or a folder."""
    found = [*arguments.texts]
    for name in ("minutes", *FRESH):
        value = getattr(arguments, name)
        for one in value if isinstance(value, list) else [value] if value is not None else []:
            number = f"{one:g}" if name == "minutes" else str(one)
            found += [f"--{'from' if name == 'start' else name}", number]
    return [str(Path(one).resolve()) if one and Path(one).exists() else one for one in found]


def _start(word: str | None) -> Path | None:
    """Where the weights are that a training begins with: a folder, or a run by any of its names."""
    if word is None or (word and Path(word).is_dir()):
        return None if word is None else Path(word)
    try:
        return store().find(word).path
    except RegardError as error:
        raise RegardError(
            "no weights of that name", f"'{word}'", "name a folder in GPT-2's format, or a run"
        ) from error


def _screen(arguments: argparse.Namespace, experiment: Any, before: Sequence["Metric"] = ()) -> Any:
    """A context whose value watches a training, unless what is printed is for a program."""
    if arguments.json:
        return nullcontext(lambda event: None)
    from contextlib import contextmanager

    from regard.lab.console import Screen
    from regard.lab.train.screen import narrated

    @contextmanager
    def shown() -> Any:
        with Screen([experiment]) as screen:
            yield narrated(screen.watch(experiment), before)

    return shown()


def _follow(experiment: Any, settings: Any, seed: int) -> int:
    """Under torchrun, what all processes but the first do."""
    from regard.lab.experiment import Context
    from regard.lab.runner import follow

    with tempfile.TemporaryDirectory() as folder:
        follow(experiment, settings, Context(folder=Path(folder), seed=seed))
    return 0


def _finish(arguments: argparse.Namespace, done: "Run") -> int:
    from regard.lab.train.screen import show_trained

    print_json(told(done)) if arguments.json else show_trained(done)
    return exit_code(done)
