"""A U-Net on slices of a brain, with and without its skips. About 35 s on a CPU.   regard run unet"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Literal

import torch
from torch import Tensor

from regard.claims import Claim
from regard.data.sets.masks import Segmented
from regard.errors import Unreachable
from regard.experiments.images.unet.figures import draw_curves, draw_segmentations, draw_skips
from regard.experiments.images.unet.segmentation import (
    Brightness,
    Scores,
    load_segmented,
    score,
    train_steps,
    try_on,
)
from regard.experiments.images.unet.shifts import compare_shifts
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Device
from regard.models.unet import UNet
from regard.training import Plan, find_device

WITH, WITHOUT = "with skips", "without skips"


@dataclass(frozen=True, kw_only=True)
class Settings:
    sets: tuple[Literal["brain", "scenes", "membranes", "pets"], ...] = ("brain",)
    "Sets of pictures with masks: brain, scenes, membranes, pets; the claims speak of the first."
    width: int = 8
    "Channels of the topmost level; each level below has twice as many."
    depth: int = 3
    "How often the size is halved."
    crop: int = 48
    "Height and width of the pieces that are trained on."
    batch: int = 4
    "Pieces in a batch."
    steps: int = 130
    "Training steps."
    seeds: int = 4
    "Repeats; the same start and the same pieces for both networks."
    looks: int = 5
    "How often in a training the test pictures are tried."
    apart: bool = False
    "Whether networks that never had one of the skips are trained too."
    device: Annotated[str, Device()] = "cpu"
    "Where the networks are trained: cpu or cuda."


@dataclass
class SegmentationResults:
    """What the trainings of one variant gave, seed by seed."""

    models: list[UNet] = field(default_factory=list)
    scores: dict[int, Scores] = field(default_factory=dict)
    losses: list[list[float]] = field(default_factory=list)
    rises: list[list[tuple[int, float]]] = field(default_factory=list)
    labels: list[Tensor] = field(default_factory=list)


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Train with and without skips on each set; on the first one look closer."""
    for place, name in enumerate(settings.sets):
        try:
            pictures = load_segmented(name)
        except Unreachable as missing:
            if place == 0:
                raise
            yield TextEvent(f"Without {name}", str(missing))
            continue
        mark = "" if place == 0 else f", {name}"
        yield TextEvent(f"The pictures{mark}", pictures.said + f" Classes: {', '.join(pictures.classes)}.")
        variants: dict[str, tuple[int, ...] | None] = {WITH: None, WITHOUT: ()}
        if settings.apart and place == 0:
            levels = range(settings.depth)
            variants |= {f"without skip {cut}": tuple(one for one in levels if one != cut) for cut in levels}
        found = {variant: SegmentationResults() for variant in variants}
        for seed in range(settings.seeds):
            for turn, (variant, skips) in enumerate(variants.items()):
                share = (place + (seed + turn / len(variants)) / settings.seeds) / len(settings.sets)
                yield ProgressEvent(f"{name}, {variant}, seed {seed}", 0.9 * share)
                _train(found[variant], skips, pictures, settings, 100 * context.seed + seed, seed)
        yield from _compare(found, pictures, mark)
        if place == 0:
            yield from _closer(found, pictures, settings)


def _train(
    found: SegmentationResults,
    skips: tuple[int, ...] | None,
    pictures: Segmented,
    settings: Settings,
    chance: int,
    seed: int,
) -> None:
    torch.manual_seed(chance)
    model = UNet(
        channels=pictures.images.shape[1],
        classes=len(pictures.classes),
        width=settings.width,
        depth=settings.depth,
        skips=skips,
    ).to(find_device(settings.device))
    plan = Plan(steps=settings.steps, optimiser="muon", learning_rate=1e-2, seed=chance)
    every = max(1, settings.steps // settings.looks)
    losses, rise = [], []
    for step in train_steps(model, pictures, plan, batch=settings.batch, crop=settings.crop):
        losses.append(step.loss)
        if step.step % every == 0 and step.step < settings.steps:
            rise.append((step.step, try_on(model, pictures)[1].dice))
    labels, scores = try_on(model, pictures)
    found.models.append(model.cpu())
    found.scores[seed] = scores
    found.losses.append(losses)
    found.rises.append([*rise, (settings.steps, scores.dice)])
    found.labels.append(labels)


def _compare(found: dict[str, SegmentationResults], pictures: Segmented, mark: str) -> Iterator[Event]:
    """Scores of each variant, the difference that skips make, and the rule that sees one pixel."""
    images, masks = pictures.whole("test")
    alone = score(Brightness.learn(pictures)(images), masks, len(pictures.classes))
    rows = [("brightness alone", 0, *alone.named().values())]
    for variant, one in found.items():
        for seed, scores in one.scores.items():
            for name, value in scores.named().items():
                yield Metric(f"{name}, {variant}{mark}", value, seed)
        means = torch.tensor([list(scores.named().values()) for scores in one.scores.values()]).mean(0)
        size = sum(parameter.numel() for parameter in one.models[0].parameters())
        rows.append((variant, size, *means.tolist()))
    for name in alone.named():
        first, second = (
            {seed: scores.named()[name] for seed, scores in found[variant].scores.items()}
            for variant in (WITH, WITHOUT)
        )
        yield PairedMetric(f"{name}, with skips minus without{mark}", (WITH, WITHOUT), first, second)
    early = {
        variant: {seed: sum(d for _, d in rise) / len(rise) for seed, rise in enumerate(found[variant].rises)}
        for variant in (WITH, WITHOUT)
    }
    yield PairedMetric(
        f"Dice averaged over the training, with skips minus without{mark}",
        (WITH, WITHOUT),
        early[WITH],
        early[WITHOUT],
    )
    yield PairedMetric(
        f"Dice, U-Net minus brightness alone{mark}",
        (WITH, "brightness alone"),
        {seed: scores.dice for seed, scores in found[WITH].scores.items()},
        dict.fromkeys(found[WITH].scores, alone.dice),
    )
    yield TableEvent(f"scores{mark}", ("network", "parameters", *alone.named()), rows, TABLE)
    both = {variant: found[variant] for variant in (WITH, WITHOUT)}
    losses, rises = ({name: getattr(one, part) for name, one in both.items()} for part in ("losses", "rises"))
    yield FigureEvent(f"curves{mark}", draw_curves(losses, rises, alone.dice), CURVES)
    chosen = (0, len(images) - 1)
    labels = {name: one.labels[0] for name, one in both.items()}
    yield FigureEvent(f"segmentations{mark}", draw_segmentations(pictures, labels, chosen), SEGMENTATIONS)


def _closer(
    found: dict[str, SegmentationResults], pictures: Segmented, settings: Settings
) -> Iterator[Event]:
    """What each skip carries, and what the networks do with a shifted picture."""
    yield ProgressEvent("cutting skips", 0.92)
    levels = range(settings.depth)
    lost: dict[int, list[tuple[float, float]]] = {level: [] for level in levels}
    for seed, model in enumerate(found[WITH].models):
        whole = found[WITH].scores[seed]
        for level in levels:
            cut = try_on(model, pictures, cut=(level,))[1]
            lost[level].append((whole.dice - cut.dice, whole.outline - cut.outline))
            for name, value in zip(("Dice", "outline F"), lost[level][-1], strict=True):
                yield Metric(f"{name} lost by cutting a skip", value, seed, {"level": level})
    top, deep = (
        {seed: both[1] for seed, both in enumerate(lost[level])} for level in (0, settings.depth - 1)
    )
    yield PairedMetric(
        "outline F lost, topmost skip minus deepest", ("level 0", f"level {settings.depth - 1}"), top, deep
    )
    yield FigureEvent("skips", draw_skips(lost, ("Dice", "outline F")), SKIPS)
    yield ProgressEvent("shifting pictures", 0.95)
    images, _ = pictures.whole("test")
    models = {variant: found[variant].models for variant in (WITH, WITHOUT)}
    yield from compare_shifts(models, images[len(images) // 2], 2**settings.depth)


TABLE = (
    "Means over the seeds and over the classes but the first, on test pictures. 'Brightness alone' gives each level of brightness one class: what any "
    "thresholds can do, at best. 'Outline F' asks for the outline to the pixel."
)
CURVES = (
    "Left: the loss on the pieces that are trained on. Right: the Dice score on the test pictures while training goes on, one line for each seed; dotted, what brightness alone reaches. "
    "See how soon the two networks part, and whether the one without skips catches up."
)
SEGMENTATIONS = (
    "Two test pictures, their true classes, what each network says (seed 0), and black where it is wrong. Without skips the large parts are right and the outlines are not: "
    "the picture has been through a size at which thin parts do not exist."
)
SKIPS = (
    "What is lost when, after training, one skip is replaced by its mean over the picture: it still says how much of each channel there is, but no longer where. Bars: means; points: seeds. "
    "The network was not trained anew: it had learned to rely on what is taken away."
)
SOURCE = "Toronto A4, question 4"

CLAIMS = (
    Claim("loss, with skips minus without", high=0.0,
          why="the way up has the fine picture beside it and need not make it up", source=SOURCE),
    Claim("Dice, with skips minus without", low=0.0, why="the same, by areas", source=SOURCE),
    Claim("IoU, with skips minus without", low=0.0,
          why="IoU = Dice / (2 − Dice) rises with it", source=SOURCE),
    Claim("outline F, with skips minus without", low=0.0,
          why="outlines are what is lost at a small size", source=SOURCE),
    Claim("Dice averaged over the training, with skips minus without", low=0.0,
          why="gradients reach the first layers by a short way: it learns sooner", source=SOURCE),
    Claim("Dice, U-Net minus brightness alone", low=0.0,
          why="scalp and marrow are as bright as brain; only what lies around a pixel tells them apart", source="this experiment"),
    Claim("outline F lost, topmost skip minus deepest", low=0.0,
          why="only the topmost level has every pixel of an outline", source="this experiment"),
    *(Claim(f"largest change under a shift by 8, {name}", high=1e-9,
            why="2^3 is a whole square of the coarsest grid: every layer moves with it, exactly but for rounding in float64", source="this experiment")
      for name in (WITH, WITHOUT)),
    Claim("change under a shift of half a period, with skips minus without", high=0.0,
          why="the topmost skip has no grid and moves with the picture", source="this experiment"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="What do the skips of a U-Net carry, and what does it do without them?",
    answers=(92, 93),
    method="""A U-Net halves a picture several times, each time with more channels, and brings it back to full
        size; at each size a skip hands the picture from the way down to the way up. It gives each pixel a class.
        It is trained with all skips and with none, from the same seeds and on the same pieces, and tried on
        pictures that it has not seen.

        The pictures are slices of one brain, averaged over many people, and the classes are grey matter, white
        matter and anything else. Neighbouring slices are nearly equal, so the test slices are a block of their
        own, at least 12 mm from every training slice. Still it is the same brain: what is measured here is how
        the two networks compare, and nothing follows for the brain of a person.

        Dice is 2|A∩B| / (|A|+|B|) for the found and the true pixels of a class, IoU is |A∩B| / |A∪B|, and
        the outline F-score is the same idea for the pixels at the edge of a class. The loss is −log p of the true
        class. A rule that sees nothing but a pixel's own brightness says how much of the task needs a network.

        Then, in the trained network, each skip in turn is replaced by its mean over the picture, which leaves what
        it says and takes away where. Last, a picture is shifted and the answer moved back.""",
    see="""Without skips everything that is finer than the smallest size has to be made up again on the way up, and
        the outlines suffer more than the areas. Cutting a skip after training shows which one carries where things
        are: without the topmost nothing is left, without the others hardly anything is lost. The network is not
        equivariant to shifts: its pooling has a grid, and only shifts by whole squares of the coarsest grid leave
        the answer as it was.

        The rule that sees one pixel is a match for the small network, which had been expected to beat it: the volume
        shows the brain without its skull, and its tissues differ in brightness. These slices tell networks apart,
        but they do not need one; the cell membranes and the pets of the full run do.""",
    claims=CLAIMS,
    presets={
        "quick": Settings(),
        "full": Settings(
            sets=("brain", "scenes", "membranes", "pets"),
            width=16,
            crop=64,
            steps=400,
            looks=20,
            apart=True,
        ),
    },
    seconds=35,
    run=run,
)
