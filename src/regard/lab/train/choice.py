"""What `regard train` chooses by itself: tokenizer, size and plan, from the texts and the time; and why."""

import os
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Literal

import torch

from regard.errors import RegardError, nearest
from regard.lab.settings import change, set_name
from regard.lab.train.corpus import TrainCorpus, read_corpus
from regard.lab.train.memory import free_bytes, largest_batch, step_bytes
from regard.lab.train.settings import TrainRecipe, TrainSettings
from regard.lab.train.tokens import choose_tokenizer, require_tokenizer
from regard.lab.train.weights import load_weights
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.presets import GPT2, SIZES, SWIFT
from regard.training import Plan, find_device

Form = Literal["swift", "gpt2"]
MINUTES = 5.0
"How long a training takes that was given neither minutes nor steps."
ENDLESS = 10_000_000
OWN_SIZE = "or sizes of your own: --set model.depth=3 --set model.width=64 --set model.heads=4"
"Steps of a plan that ends by the clock."
GPU = 300
"How many cores a GPU stands for."
DROPOUT = 0.2
"Of a model with more than four weights in its blocks for each character."
PLAIN = replace(GPT2, dropout=0.0)
"GPT-2's kind of model, of which other tools know the format."
SIZED = {"swift": (SWIFT.depth, SWIFT.heads, SWIFT.width)} | SIZES
"Depth, heads and width by name."


@dataclass(frozen=True)
class Rung:
    """A size for a time: the work, in seconds of one core, from which it learns more than the one before."""

    work: float
    size: str
    context: int
    batch: int


LADDER = (
    Rung(0, "swift", 64, 24),
    Rung(200, "swift", 128, 16),
    Rung(1500, "gpt-micro", 128, 24),
    Rung(60_000, "gpt-mini", 256, 64),
    Rung(10**7, "gpt2", 512, 64),
)
"Chosen on tiny Shakespeare; a text shorter than a size has weights keeps to the one before."
HASTY = Plan(optimiser="muon", matrix_learning_rate=0.03, momentum=0.9, learning_rate=1e-2, betas=(0.9, 0.99))
"Muon at the rates of the lab's fastest recipe, for less than a minute or two."
QUICK = replace(HASTY, matrix_learning_rate=0.02, learning_rate=6e-3)
"Muon at rates that are better over minutes."
CALM = replace(QUICK, matrix_learning_rate=0.02, momentum=0.95, learning_rate=4e-3)
"Muon at lower rates, for models that are larger or begin as GPT-2 does."
ONWARD = Plan(learning_rate=3e-4, warmup=0.05, weight_decay=0.1)
"AdamW at a low rate, for weights that have learned before."


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a person has said; None is left to be chosen."""

    texts: tuple[str, ...]
    tokenizer: str | None = None
    vocabulary: int | None = None
    size: str | None = None
    form: Form | None = None
    minutes: float | None = None
    steps: int | None = None
    device: str | None = None
    start: Path | None = None
    changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chosen:
    """The settings of a training, and a sentence for each thing that was chosen."""

    settings: TrainSettings
    why: tuple[str, ...]


def choose(asked: Asked) -> Chosen:
    """Everything that a person left open, from the texts and the time."""
    if asked.size is not None and asked.size not in SIZED:
        fix = nearest(asked.size, SIZED, f"one of {', '.join(SIZED)}")
        raise RegardError("no size of that name", f"'{asked.size}'", f"{fix} ({OWN_SIZE})")
    if asked.tokenizer is not None:
        require_tokenizer(asked.tokenizer)
    if asked.vocabulary is not None and asked.tokenizer != "bpe":
        raise RegardError(
            "--vocabulary has no effect without --tokenizer bpe",
            f"--vocabulary {asked.vocabulary}",
            "add --tokenizer bpe, or leave it out",
        )
    if asked.start is not None:
        _require_free(asked)
    corpus = read_corpus(asked.texts)
    why = [corpus.told]
    if corpus.passed:
        why.append(f"passed over, being no text in UTF-8: {', '.join(corpus.passed)}")
    minutes = asked.minutes or (None if asked.steps else MINUTES)
    device, reason = _device(asked.device)
    why.append(reason)
    if asked.start is not None:
        model = load_weights(asked.start).model.config
        tokenizer, vocabulary, named = "given", None, None
        recipe = TrainRecipe(model=model, plan=ONWARD, batch=8, window=min(model.context, 256))
        why.append(f"weights and tokenizer: those of {asked.start.name}")
    else:
        tokenizer, vocabulary, reason = _tokenizer(asked, corpus)
        why.append(reason)
        recipe, named = _recipe(asked, corpus.characters, minutes, device)
        recipe = replace(recipe, model=_headed(asked, recipe.model))
    chosen, steps = recipe.model, asked.steps or ENDLESS
    recipe = change(replace(recipe, plan=replace(recipe.plan, steps=steps)), asked.changes)
    if named is not None:
        said = _says(asked, "model.dropout")
        many = blocks(recipe.model.depth, recipe.model.width) > 4 * corpus.characters
        if many and not said:
            recipe = replace(recipe, model=replace(recipe.model, dropout=DROPOUT))
        why.append(_told(recipe.model, chosen, *named, dropped=many and not said))
    known = chosen.vocabulary if asked.start is not None else corpus.vocabulary(tokenizer, vocabulary)
    recipe, told = fitted(recipe, known, device, own=_says(asked, "batch"))
    why += [told] if told else []
    why.append(_how(recipe, minutes, asked.steps, asked.minutes is None and asked.steps is None))
    settings = TrainSettings(
        texts=corpus.sources,
        tokenizer=tokenizer,
        vocabulary=vocabulary,
        recipe=replace(recipe, model=replace(recipe.model, vocabulary=known)),
        minutes=minutes,
        device=device,
        start="" if asked.start is None else str(asked.start.resolve()),
    )
    return Chosen(settings, tuple(why))


def _says(asked: Asked, setting: str) -> bool:
    """Whether a person has set this by --set."""
    return any(set_name(one) == setting for one in asked.changes)


def fitted(recipe: TrainRecipe, vocabulary: int, device: str, *, own: bool) -> tuple[TrainRecipe, str]:
    """The recipe with a batch that the memory suffices for, and what was changed; `own`: refused instead.

    Processes of torchrun must agree, and may share the model: there the batch stays as it is.
    """
    if _processes() > 1:
        return recipe, ""
    config, free = replace(recipe.model, vocabulary=vocabulary), free_bytes(device)
    window = min(recipe.window or config.context, config.context)
    batch = largest_batch(config, recipe.batch, window, free)
    if batch == recipe.batch:
        return recipe, ""
    count = recipe.batch if batch else 1
    needed, there = (f"{size / 2**30:.1f} GiB" for size in (step_bytes(config, count, window), free))
    if batch and not own:
        told = f"batch: {batch} windows, since {recipe.batch} need about {needed} and {there} are free"
        return replace(recipe, batch=batch), told
    sizes = {name: replace(config, depth=d, heads=h, width=w) for name, (d, h, w) in SIZED.items()}
    less = [
        name
        for name, one in sizes.items()
        if weights(name) < blocks(config.depth, config.width) and largest_batch(one, 1, window, free)
    ]
    smaller = f"--size {max(less, key=weights)}" if less else "--set model.context=64"
    raise RegardError(
        "this training does not fit in the memory that is free",
        f"a step of {count} window{'' if count == 1 else 's'} needs about {needed}, and {there} are free",
        f"--set batch={batch}" if batch else f"take a smaller model or window, such as {smaller}",
    )


def _require_free(asked: Asked) -> None:
    """Refuse what would do nothing beside weights that are there already."""
    for name in ("tokenizer", "vocabulary", "size", "form"):
        if getattr(asked, name) is not None:
            raise RegardError(
                f"--{name} has no effect with --from",
                f"--{name} {getattr(asked, name)}",
                "leave it out: the weights have a size and a tokenizer of their own",
            )
    for one in asked.changes:
        if one.strip().startswith("model.") and not one.strip().startswith("model.dropout"):
            raise RegardError(
                "this setting has no effect with --from", f"'{one}'", "leave it out: the weights have a model"
            )


def _device(asked: str | None) -> tuple[str, str]:
    each = f" in each of {_processes()} processes" if _processes() > 1 else ""
    if asked is not None:
        find_device(asked)
        return asked, f"device: {asked}{each}, as asked"
    if torch.cuda.is_available():
        return "cuda", f"device: cuda{each}, since a GPU is here"
    threads = torch.get_num_threads()
    many = "" if threads == 1 else "s"
    return "cpu", f"device: cpu with {threads} thread{many}{each}, since no GPU is here"


def _processes() -> int:
    """How many torchrun has started."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def _tokenizer(asked: Asked, corpus: TrainCorpus) -> tuple[str, int | None, str]:
    if corpus.tokens is not None and asked.tokenizer is not None:
        raise RegardError(
            "--tokenizer has no effect with a token file",
            f"--tokenizer {asked.tokenizer}",
            "leave it out: the file has its own; regard data tokenize makes another",
        )
    if corpus.tokens is not None:
        return "given", None, f"tokenizer: that of {corpus.tokens.path.name}"
    if asked.tokenizer is not None:
        word = asked.tokenizer
        path = word if word in ("character", "bytes", "bpe") else str(Path(word).resolve())
        return path, asked.vocabulary, f"tokenizer: {word}, as asked"
    kind, vocabulary, reason = choose_tokenizer(corpus.texts)
    return kind, vocabulary, f"tokenizer: {kind}, since {reason}"


def _recipe(
    asked: Asked, characters: int, minutes: float | None, device: str
) -> tuple[TrainRecipe, tuple[str, str]]:
    """A model that the time suffices for and the texts are long enough for; its name, and why."""
    cores = GPU if device != "cpu" else torch.get_num_threads()
    work = inf if minutes is None else 60 * minutes * cores
    rung = _rung(asked, work, characters)
    name, form = asked.size or rung.size, asked.form or "swift"
    depth, heads, width = SIZED[name]
    context = max(8, min(rung.context, characters // 20))
    sizes = {"context": context, "depth": depth, "heads": heads, "width": width}
    model = replace(PLAIN if form == "gpt2" else SWIFT, **sizes)
    quick = HASTY if rung is LADDER[0] else QUICK
    plan = quick if form == "swift" and width <= 128 else CALM
    reason = _of_asked(asked.size, work) if asked.size else _why(rung, work, characters)
    kind = " in GPT-2's form" if form == "gpt2" else ""
    return TrainRecipe(model=model, plan=plan, batch=rung.batch), (name + kind, reason)


def _headed(asked: Asked, model: GPTConfig) -> GPTConfig:
    """The model with heads that share a width which a person has set alone: the nearest number of them."""
    width = next((one.partition("=")[2] for one in asked.changes if set_name(one) == "model.width"), "")
    if _says(asked, "model.heads") or not width.strip().isdecimal():
        return model
    even = [one for one in range(1, 2 * model.heads + 1) if int(width) % (2 * one) == 0]
    heads = min(even, key=lambda one: (abs(one - model.heads), -one), default=model.heads)
    return replace(model, heads=heads, width=heads * (model.width // model.heads))


def _told(model: GPTConfig, chosen: GPTConfig, name: str, reason: str, *, dropped: bool) -> str:
    """What the model is, with the changes that were asked for, and why."""
    sizes = (model.depth, model.heads, model.width, model.context)
    if sizes != (chosen.depth, chosen.heads, chosen.width, chosen.context):
        name, reason = "your own", "as --set says"
    layers = f"{model.depth} layer{'' if model.depth == 1 else 's'}"
    heads = f"{model.heads} head{'' if model.heads == 1 else 's'}"
    told = f"model: {name} ({layers}, {heads}, width {model.width}, context {model.context}), {reason}"
    return told + (", with dropout since it has more weights than the texts teach" if dropped else "")


def _rung(asked: Asked, work: float, characters: int) -> Rung:
    """The highest step of the ladder that the work pays for and the texts fill; or that of the asked size."""
    if asked.size is not None:
        least = weights(asked.size)
        return next((one for one in LADDER if weights(one.size) >= least), LADDER[-1])
    paid = [one for one in LADDER if one.work <= (0 if work == inf else work)]
    most = max(20 * characters, weights(LADDER[0].size))
    return [one for one in paid if weights(one.size) <= most][-1]


def _of_asked(size: str, work: float) -> str:
    """That a size was asked for, and whether a smaller one would learn more in the time."""
    best = [one for one in LADDER if one.work <= work][-1].size
    small = work == inf or weights(size) <= weights(best)
    return "as asked" if small else f"as asked, but too large for this time: {best} would learn more in it"


def _why(rung: Rung, work: float, characters: int) -> str:
    if work == inf:
        return "since only steps were asked for; --size names another"
    paid = [one for one in LADDER if one.work <= work]
    if paid[-1] != rung:
        return f"since {characters:,} characters teach no larger one"
    return "the largest that this time trains well here"


def weights(size: str) -> int:
    """The weights in the blocks of a model of that size, about."""
    depth, _, width = SIZED[size]
    return blocks(depth, width)


def blocks(depth: int, width: int) -> int:
    """The weights in so many blocks of a width, about."""
    return 12 * depth * width**2


def _how(recipe: TrainRecipe, minutes: float | None, steps: int | None, usual: bool) -> str:
    plan = recipe.plan
    name = plan.optimiser if isinstance(plan.optimiser, str) else plan.optimiser.name
    other = " (--minutes or --steps say otherwise)" if usual else ""
    times = [f"{minutes:g} minute{'' if minutes == 1 else 's'}{other}"] if minutes else []
    times += [f"{steps:,} step{'' if steps == 1 else 's'}"] if steps else []
    end = " or ".join(times) + (", whichever ends first" if len(times) > 1 else "")
    all_of = f" over all {_processes()} processes" if _processes() > 1 else ""
    return f"plan: the optimiser {name}, batches of {recipe.batch} windows{all_of}, for {end}"
