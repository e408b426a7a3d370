"""A GPT that learns fairy tales by heart. About 45 s on a CPU; the full preset wants a GPU.   regard run fairy-tales"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from math import inf
from statistics import fmean
from typing import Annotated, Any

import torch

from regard.claims import Claim
from regard.experiments.text.corpus import Corpus, TextSource, load_corpus, real_words
from regard.experiments.text.fairy_tales.recitation import QUOTED, longest_copy, quotations, right_starts
from regard.generation.engine import continuation
from regard.generation.sampling import GREEDY, Sampler
from regard.lab.book.style import panels, style
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment, OwnWords
from regard.lab.ranges import Device, Follows, Range
from regard.lab.text_model import save_text_model
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.models.gpt.presets import AMSTERDAM
from regard.training import (
    Checkpoints,
    Plan,
    ProcessGroup,
    Training,
    checkpointed,
    compile_if_faster,
    cross_entropy,
    distributed,
    evaluate,
    find_device,
    resume,
)

PROMPTS = (
    "Once upon a time, in a faraway kingdom, there lived a humble woodcutter and his wife, who had two children named ",
    "As soon as she was alone that dwarf came in, and said, ‘What will you give me to spin ",
    "The dark forest was filled with ancient trees whose twisted branches reached out like ",
)
"The first three prompts of the answers to Amsterdam A2, 2.8."
SAMPLERS = {
    f"temperature {t}, top-p {p}": Sampler(temperature=t, top_p=p)
    for t, p in ((0.5, 0.6), (1.0, 0.6), (1.0, 0.95), (1.5, 0.95))
}
CAREFUL, *_, LOOSE = SAMPLERS
LENGTH = 77
"Characters of a sample, as in the assignment."


@dataclass(frozen=True, kw_only=True)
class Settings:
    text: Annotated[str, TextSource()] = "grimm"
    "A known text, or the path of a text file of your own."
    limit: int | None = 6000
    "Characters of the text that are used."
    trained: Annotated[float, Range(0.01, 0.99)] = 0.5
    "Share of them that is trained on; the rest, which follows it, is never seen."
    model: Annotated[GPTConfig, Follows(vocabulary="the text")] = field(
        default_factory=lambda: replace(AMSTERDAM, depth=3, heads=4, width=96, context=64)
    )
    "The model; its vocabulary is that of the text."
    plan: Annotated[Plan, Follows(seed="--seed")] = field(
        default_factory=lambda: Plan(steps=300, optimiser="muon", learning_rate=4e-3)
    )
    "How it is trained."
    batch: int = 24
    "Windows in a batch."
    device: Annotated[str, Device()] = "cpu"
    "Where it is trained: cpu or cuda."
    rows: int = 12
    "Samples for each prompt and sampler."
    quotations: Annotated[int, Range(2, 1000)] = 16
    "Quotations from each of seen and unseen text that the model has to go on with."


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Train, then ask what was learned by heart, how samplers copy, and what dropout does to a sample."""
    with distributed() as group:
        corpus = load_corpus(
            settings.text,
            shares={"train": settings.trained, "test": 1 - settings.trained},
            context=settings.model.context,
            limit=settings.limit,
        )
        torch.manual_seed(context.seed)
        model = GPT(replace(settings.model, vocabulary=corpus.tokenizer.size))
        model = model.to(find_device(settings.device))
        model, whole = yield from _learned(settings, context, model, corpus, group)
        model.cpu().eval()
        asked = chain(
            _quotations(settings, model, corpus),
            _copies(settings, context, model, corpus),
            _dropout(settings, context, model, corpus),
        )
        # A model that a budget cut off is shown like any other, but no claim is settled by it.
        yield from (event for event in asked if whole or not isinstance(event, PairedMetric))


def _learned(
    settings: Settings, context: Context, model: GPT, corpus: Corpus, group: ProcessGroup
) -> Generator[Event, None, tuple[Any, bool]]:
    """Train on what is seen, and read the loss on that and on the unseen text as it goes.

    It gives the model, and whether all steps of the plan were made.
    """
    checkpoints = Checkpoints(context.folder / "checkpoints")
    yield TextEvent("The text", corpus.said)
    plan = replace(settings.plan, seed=context.seed)
    batches = corpus.batches("train", size=settings.batch // group.world, seed=context.seed)
    batch = tuple(one.to(settings.device) for one in batches(0))
    choice = compile_if_faster(cross_entropy, model, batch, steps=plan.steps, seconds=context.left())
    yield TextEvent("The model by torch.compile", f"{choice.sentence[:1].upper()}{choice.sentence[1:]}.")
    seconds = inf if context.left() == inf else 0.6 * context.left()
    training = Training(model, batches, choice.objective, plan, seconds=seconds, group=group, capture=True)
    if group.is_main:
        save_text_model(checkpoints.folder, model.config, corpus.tokenizer)
    resume(training, checkpoints)
    seen: list[tuple[int, float]] = []
    unseen: list[tuple[int, float]] = []
    blocks: dict[str, dict[int, float]] = {}
    for step in checkpointed(training, checkpoints):
        yield ProgressEvent(f"step {step.step}, loss {step.loss:.3f}", 0.8 * step.step / plan.steps)
        yield Metric("training loss", step.loss, at={"step": step.step})
        if step.step % max(1, plan.steps // 12) == 0 or step.step == training.course.steps:
            for name, curve, split in (("seen", seen, "train"), ("unseen", unseen, "test")):
                blocks[split] = _losses(model, corpus, split, settings.device)
                curve.append((step.step, fmean(blocks[split].values())))
                yield Metric(f"loss on {name} text", curve[-1][1], at={"step": step.step})
    whole = training.step == plan.steps
    if seen:
        yield Metric("loss on seen text at the end, this run", fmean(blocks["train"].values()))
        yield Metric("loss on unseen text at the end, this run", fmean(blocks["test"].values()))
        if whole:
            yield PairedMetric(
                "loss on unseen text minus loss on seen text, at the end",
                ("unseen", "seen"),
                blocks["test"],
                blocks["train"],
            )
        if whole and corpus.text.name == "grimm":
            # The band of this claim is about Grimm: another text does not settle it.
            yield Metric("loss on seen text at the end", fmean(blocks["train"].values()))
        yield FigureEvent("memory", _figure(seen, unseen), _memory(seen, unseen))
    return training.whole_model(), whole


def _memory(seen: list[tuple[int, float]], unseen: list[tuple[int, float]]) -> str:
    """What the figure of the two losses shows, with its numbers."""
    step, lowest = min(unseen, key=lambda pair: pair[1])
    end = unseen[-1][1]
    turned = f"and has risen to {end:.2f} by the end" if end > lowest else "and is that at the end"
    return (
        "Loss on text that was trained on and on text of the same book that was not, by step; what was learned by "
        f"heart is the gap. On unseen text it is lowest at step {step}, {lowest:.2f}, {turned}; on seen text it ends at {seen[-1][1]:.2f}."
    )


def _losses(model: GPT, corpus: Corpus, split: str, device: str, count: int = 8) -> dict[int, float]:
    """The loss of each of some batches of windows from anywhere in a split."""
    model.eval()
    batches = (corpus.windows.batch(split, index, size=32, seed=9) for index in range(count))
    found = {
        index: evaluate(model, [(inputs.to(device), targets.to(device))])
        for index, (inputs, targets) in enumerate(batches)
    }
    model.train()
    return found


def tell(
    model: GPT, corpus: Corpus, prompt: str, sampler: Sampler, *, steps: int, seed: int, rows: int
) -> list[str]:
    """What the model says after a prompt, in the mode that it is in."""
    ids, context = corpus.tokenizer.encode(prompt).repeat(rows, 1), model.config.context
    generator = torch.Generator().manual_seed(seed)
    found = continuation(model, ids, steps=steps, context=context, sampler=sampler, generator=generator)
    return [corpus.tokenizer.decode(row) for row in found]


def continued(model: GPT, corpus: Corpus, quoted: list[tuple[str, str]]) -> list[str]:
    """How the model goes on after quotations, always by the most probable character, in the mode that it is in."""
    ids = torch.stack([corpus.tokenizer.encode(quote) for quote, _ in quoted])
    context, steps = model.config.context, len(quoted[0][1])
    found = continuation(model, ids, steps=steps, context=context, sampler=GREEDY)
    return [corpus.tokenizer.decode(row) for row in found]


def _quotations(settings: Settings, model: GPT, corpus: Corpus) -> Iterator[Event]:
    """Quotations from seen and from unseen text: for how many characters does the model go on like the book?"""
    yield ProgressEvent("quotations", 0.82)
    right: dict[str, dict[int, float]] = {}
    rows = []
    for name, split in (("seen text", "train"), ("unseen text", "test")):
        quoted = quotations(corpus.tokenizer.decode(corpus.windows.splits[split]), settings.quotations)
        said = continued(model, corpus, quoted)
        right[name] = right_starts(said, quoted)
        yield Metric(f"characters right after a quotation, {name}", fmean(right[name].values()))
        for row in range(min(3, len(quoted))):
            cells = (*quoted[row], said[row])
            rows.append((name, *(one.replace("\n", "⏎") for one in cells), int(right[name][row])))
    yield PairedMetric(
        "characters right after a quotation, seen minus unseen text",
        ("seen", "unseen"),
        right["seen text"],
        right["unseen text"],
    )
    yield TableEvent(
        "quotations",
        ("quoted from", "the quotation", "the book goes on", "the model goes on", "characters right"),
        rows,
        f"Quotations of {QUOTED} characters from text that was trained on and from text that was not, how the book goes on, how the model does "
        "by its most probable character at each step, and after how many characters the two part; so many are compared as the columns show.",
    )


def _copies(settings: Settings, context: Context, model: GPT, corpus: Corpus) -> Iterator[Event]:
    """Three prompts at several temperatures and top-p, and how much of what is said stands in the training text."""
    source = corpus.tokenizer.decode(corpus.windows.splits["train"])
    held = corpus.tokenizer.decode(corpus.windows.splits["test"])
    prompts = corpus.prompts(PROMPTS)
    copied: dict[str, list[int]] = {}
    rows = []
    for name, sampler in SAMPLERS.items():
        yield ProgressEvent(f"samples, {name}", 0.85)
        copied[name] = []
        for place, prompt in enumerate(prompts):
            seed = 1000 + 10 * context.seed + place
            said = tell(model, corpus, prompt, sampler, steps=LENGTH, seed=seed, rows=settings.rows)
            found = [longest_copy(one, source) for one in said]
            copied[name] += found
            rows.append((prompt, name, said[0].replace("\n", "⏎"), fmean(found)))
        yield Metric(f"longest copy, {name}", fmean(copied[name]))
    starts = range(0, len(held) - LENGTH, max(1, len(held) // 12))
    unseen = fmean(longest_copy(held[at : at + LENGTH], source) for at in starts) if starts else 0.0
    yield Metric("longest copy, unseen text of the same author", unseen)
    yield PairedMetric(
        f"longest copy, {CAREFUL} minus {LOOSE}",
        (CAREFUL, LOOSE),
        dict(enumerate(copied[CAREFUL])),
        dict(enumerate(copied[LOOSE])),
    )
    yield TableEvent(
        "prompts",
        ("prompt", "sampler", "for example", "longest copy"),
        rows,
        f"What the model says after each prompt, by sampler: one sample of {LENGTH} characters, and the longest stretch of a sample "
        f"that stands in the training text letter by letter, mean over {settings.rows} samples. Unseen text of the same author shares stretches of {unseen:.1f} "
        "characters with it, which is what the language alone gives.",
    )
    yield TextEvent(
        "What the prompts show", "\n".join(_shown(prompt, rows, source, unseen) for prompt in prompts)
    )


def _shown(prompt: str, rows: list[tuple], source: str, unseen: float) -> str:
    """What the samples after one prompt show, by their numbers."""
    found = {name: length for one, name, _, length in rows if one == prompt}
    most = max(found.values())
    longest = " and at ".join(name for name, length in found.items() if round(length) == round(most))
    where = (
        "stands in the training text" if prompt.strip() in source else "does not stand in the training text"
    )
    how = (
        "more than the language alone gives: the model recites"
        if most > 1.5 * unseen
        else "no more than half as much again as the language alone gives: the model makes up text of its own"
    )
    return f"“{prompt.strip()}” {where}. Copies are longest at {longest}, {most:.0f} characters in the mean, {how}."


def _dropout(settings: Settings, context: Context, model: GPT, corpus: Corpus) -> Iterator[Event]:
    """The same model with dropout left on at generation, as in Amsterdam A2's script, and off."""
    yield ProgressEvent("dropout left on", 0.95)
    quoted = quotations(corpus.tokenizer.decode(corpus.windows.splits["train"]), settings.quotations)
    prompt, sampler = corpus.prompts(PROMPTS)[0], SAMPLERS["temperature 1.0, top-p 0.6"]
    right: dict[str, dict[int, float]] = {}
    for name in ("on", "off"):
        model.train(name == "on")
        torch.manual_seed(context.seed + 1)
        with torch.no_grad():
            said = continued(model, corpus, quoted)
            samples = tell(
                model, corpus, prompt, sampler, steps=LENGTH, seed=5 + context.seed, rows=settings.rows
            )
        right[name] = right_starts(said, quoted)
        yield Metric(f"characters right after a quotation, dropout {name}", fmean(right[name].values()))
        yield Metric(
            f"share of real words, dropout {name}", fmean(real_words(one, corpus.words) for one in samples)
        )
    model.eval()
    yield PairedMetric(
        "characters right after a quotation, dropout off minus on", ("off", "on"), right["off"], right["on"]
    )


def _figure(seen: list[tuple[int, float]], unseen: list[tuple[int, float]]):
    with style():
        figure, (axis,) = panels(height=3.0)
        axis.plot(*zip(*seen, strict=True), label="text it was trained on")
        axis.plot(*zip(*unseen, strict=True), label="text it never saw")
        axis.set(xlabel="step", ylabel="loss (nats a character)", title="learning by heart")
        axis.legend()
        return figure


CLAIMS = (
    Claim("characters right after a quotation, seen minus unseen text", low=1.0,
          why="a model that knows the language alone goes on equally well in both; a character is the least difference that can be counted", source="Amsterdam A2, 2.8", items=(67,),
          says="It recites: after a quotation from the text it was trained on it goes on like the book for {of[characters right after a quotation, seen text]:.0f} characters in the mean, and for {of[characters right after a quotation, unseen text]:.1f} after one from the rest of the book.",
          otherwise="It has learned little by heart: after a quotation from the text it was trained on it goes on like the book for {of[characters right after a quotation, seen text]:.1f} characters in the mean, and for {of[characters right after a quotation, unseen text]:.1f} after one from the rest of the book.",
          asks="whether the model goes on like the book where it has read it"),
    Claim("loss on unseen text minus loss on seen text, at the end", low=0.01,
          why="a model that knows the language alone has one loss on both; a hundredth of a nat is more than evaluation noise", source="Amsterdam A2, 2.8", items=(67,),
          says="The gap in the loss is what was learned by heart: {of[loss on seen text at the end, this run]:.2f} nats a character on seen text, {of[loss on unseen text at the end, this run]:.2f} on unseen text of the same book.",
          otherwise="There is no gap to speak of: a loss of {of[loss on seen text at the end, this run]:.2f} nats a character on seen text, {of[loss on unseen text at the end, this run]:.2f} on unseen text of the same book.",
          asks="whether the loss on seen text is below that on unseen text"),
    Claim("characters right after a quotation, dropout off minus on", low=1.0,
          why="with dropout every step asks another network, and to recite n characters all n must be right", source="Amsterdam A2, 2.8, corrected", items=(67,),
          says="Dropout left on at generation breaks what was learned: {of[characters right after a quotation, dropout on]:.1f} characters right after a quotation in place of {of[characters right after a quotation, dropout off]:.1f} (real words in samples: {of[share of real words, dropout on]:.0%} and {of[share of real words, dropout off]:.0%}).",
          otherwise="Dropout left on at generation does little: {of[characters right after a quotation, dropout on]:.1f} characters right after a quotation, {of[characters right after a quotation, dropout off]:.1f} without it (real words in samples: {of[share of real words, dropout on]:.0%} and {of[share of real words, dropout off]:.0%}).",
          asks="whether dropout left on at generation breaks recitation"),
    Claim(f"longest copy, {CAREFUL} minus {LOOSE}", low=1.0,
          why="the careful sampler follows the most probable path, which is the book's; a character is the least difference that can be counted", source="Amsterdam A2, 2.8", items=(67,),
          says=f"How it is sampled matters: at {CAREFUL} the longest copied stretch of a sample has {{of[longest copy, {CAREFUL}]:.0f}} characters, at {LOOSE} {{of[longest copy, {LOOSE}]:.0f}}; unseen text of the same author has {{of[longest copy, unseen text of the same author]:.0f}}.",
          otherwise=f"How it is sampled hardly matters to copying: {{of[longest copy, {CAREFUL}]:.0f}} characters at {CAREFUL}, {{of[longest copy, {LOOSE}]:.0f}} at {LOOSE}; unseen text of the same author has {{of[longest copy, unseen text of the same author]:.0f}}.",
          asks="whether temperature and top-p change how much is copied"),
    Claim("loss on seen text at the end", low=0.1, high=0.4,
          why="the author's log ends at 0.165 after five epochs", source="Amsterdam A2, 2.8", preset="full", data="text", items=(67,),
          says="On the whole book the loss on seen text ends at {value:.3f} nats a character; the author's log has 0.165.",
          otherwise="On the whole book the loss on seen text ends at {value:.3f} nats a character, away from the 0.165 of the author's log.",
          asks="where the loss ends on the whole book"),
)  # fmt: skip

WORDS = OwnWords(
    data="text",
    question="How much of your text does a GPT learn by heart, and what does dropout do to its samples?",
    idea="""A GPT with many parameters and a short text may learn it by heart: if it does, the loss on what it
        reads parts from the loss on the rest of the text. Dropout is meant to hinder this while it trains, and must
        be off when it speaks.""",
    method="""Amsterdam A2's GPT (RMS norm, rotary positions, tanh-GELU, untied head, dropout 0.1) reads your text by
        characters; in the quick preset a smaller one reads its beginning many times. A part of the text is never trained on; the assignment has no such part. Learning by heart is
        measured by the loss on seen and unseen text, and by quotations: the model is given a passage of 40
        characters and goes on by its most probable character; counted is how far it goes like the text. The
        same is done with dropout left on, as the assignment leaves it. Beginnings of some of the text's sentences are continued by four samplers; of each sample the longest stretch is sought that
        stands in the training text, letter by letter.""",
)

EXPERIMENT = Experiment(
    question="How much of a book of fairy tales does a GPT learn by heart, and what does dropout do to its samples?",
    method="""Amsterdam A2's GPT (RMS norm, rotary positions, tanh-GELU, untied head, dropout 0.1) reads
        Grimm's fairy tales by characters, or, where these cannot be fetched, the text that “The text” names. The full preset is its gpt-mini recipe: 6 layers, 6 heads, width
        384, windows and batches of 128, AdamW at 5e-4, five epochs of 4219 steps, in each of which every
        character is read 128 times; it wants a GPU. The quick preset reads two pages many times: a smaller
        model, 3,000 characters, each read about 154 times.

        The rest of the text is never trained on; the assignment has no such part. Learning by heart is
        measured by the loss on seen and unseen text, and by quotations: the model is given a passage of 40
        characters and goes on by its most probable character; counted is how far it goes like the book. The
        same is done with dropout left on, as the assignment's generate.py leaves it. Three prompts of the
        published answers, or beginnings of sentences of another text, are continued by four samplers; of each sample the longest stretch is sought that
        stands in the training text, letter by letter.""",
    see="""A loss far below what unseen text of the same book costs is memory, not language: overfitting, here on purpose. A careful sampler
        follows the most probable path: whether it copies more for that reason is measured.
        What samplers draw is held to their exact distributions in [[decoding]]; the parts of the model are in
        [[gpt-parts]].""",
    correction="""The answers to Amsterdam A2, question 2.8, blame the model for broken samples: the script that
        makes them does not call eval(), so dropout was on. The training loss has no held-out counterpart, and
        in five epochs, each of which reads every character 128 times, it is a measure of memory. Of the four
        prompts of the answers the second is a quotation from the book; the others are not.""",
    claims=CLAIMS,
    own=WORDS,
    opens_with=("characters right after a quotation, seen minus unseen text", "characters right after a quotation, dropout off minus on"),
    presets={
        "quick": Settings(),
        "full": Settings(
            limit=None,
            trained=0.9,
            model=AMSTERDAM,
            batch=128,
            device="cuda",
            rows=10,
            quotations=100,
            plan=Plan(
                steps=5 * 4219,
                learning_rate=5e-4,
                betas=(0.9, 0.95),
                weight_decay=0.1,
                schedule="constant",
                warmup=0.0,
            ),
        ),
    },
    seconds=45,
    run=run,
)  # fmt: skip
