"""A U-Net on slices of a brain and on textures, with and without its skips. About 50 s on two cores.   regard run unet"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import torch
from torch import Tensor

from regard.claims import Claim
from regard.data.sets.masks import Segmented
from regard.errors import Unreachable
from regard.experiments.images.unet.captions import curves_caption, pictures_caption, table_caption
from regard.experiments.images.unet.figures import draw_curves, draw_segmentations, draw_skips
from regard.experiments.images.unet.own import WORDS, read_own, said_of_own
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
from regard.lab.experiment import FOUND, Context, Experiment
from regard.lab.ranges import Device, OwnPath
from regard.models.unet import UNet
from regard.training import Plan, find_device

WITH, WITHOUT = "with skips", "without skips"


@dataclass(frozen=True, kw_only=True)
class Settings:
    folder: Annotated[Path | None, OwnPath("folder")] = None
    "A folder of your own with `images` and `masks` in it, in place of the sets; each value of a mask is a class."
    sets: tuple[Literal["brain", "textures", "scenes", "membranes", "pets"], ...] = ("brain", "textures")
    "Sets of pictures with masks: brain, textures, scenes, membranes, pets; the first is looked at more closely."
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
    looks: int = 4
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
    for place, name in enumerate(settings.sets if settings.folder is None else ("yours",)):
        try:
            pictures = load_segmented(name) if settings.folder is None else read_own(settings.folder)
        except Unreachable as missing:
            if place == 0:
                raise
            yield TextEvent(f"Without {name}", str(missing))
            continue
        mark = "" if place == 0 else f", {name}"
        whose = "The" if settings.folder is None else "Your"
        yield TextEvent(
            f"{whose} pictures{mark}", pictures.said + f" Classes: {', '.join(pictures.classes)}."
        )
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
        yield from _compare(found, pictures, name, mark)
        if settings.folder is not None:
            yield TextEvent(FOUND, said_of_own(*(found[one].scores for one in (WITH, WITHOUT))))
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


def _compare(
    found: dict[str, SegmentationResults], pictures: Segmented, name: str, mark: str
) -> Iterator[Event]:
    """Scores of each variant, the difference that skips make, and the rule that sees one pixel."""
    images, masks = pictures.whole("test")
    alone = score(Brightness.learn(pictures)(images), masks, len(pictures.classes))
    rows = [("brightness alone", 0, *alone.named().values())]
    for variant, one in found.items():
        for seed, scores in one.scores.items():
            for kind, value in scores.named().items():
                yield Metric(f"{kind}, {variant}{mark}", value, seed)
        means = torch.tensor([list(scores.named().values()) for scores in one.scores.values()]).mean(0)
        size = sum(parameter.numel() for parameter in one.models[0].parameters())
        rows.append((variant, size, *means.tolist()))
    for kind in alone.named():
        first, second = (
            {seed: scores.named()[kind] for seed, scores in found[variant].scores.items()}
            for variant in (WITH, WITHOUT)
        )
        yield PairedMetric(f"{kind}, with skips minus without{mark}", (WITH, WITHOUT), first, second)
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
    yield Metric(f"Dice, brightness alone{mark}", alone.dice)
    columns = ("network", "parameters", *alone.named())
    dice = {str(row[0]): float(row[2 + list(alone.named()).index("Dice")]) for row in rows}
    yield TableEvent(f"scores{mark}", columns, rows, table_caption(name, dice))
    yield TextEvent(f"Is a network needed{mark}?", _needed(name, alone.dice, found[WITH].scores.values()))
    both, drawn = {variant: found[variant] for variant in (WITH, WITHOUT)}, mark.replace(",", "")
    losses, rises = ({name: getattr(one, part) for name, one in both.items()} for part in ("losses", "rises"))
    figure = draw_curves(losses, rises, alone.dice)
    yield FigureEvent(f"curves{drawn}", figure, curves_caption(name, rises, alone.dice))
    labels = {variant: one.labels[0] for variant, one in both.items()}
    figure = draw_segmentations(pictures, labels, (0, len(images) - 1))
    told = pictures_caption(name, labels, masks, len(pictures.classes))
    yield FigureEvent(f"segmentations{drawn}", figure, told)


def _needed(name: str, alone: float, scores: Collection[Scores]) -> str:
    """What brightness alone reaches, and the network beside it, in words."""
    network = sum(one.dice for one in scores) / len(scores)
    told = f"{name}: one class for each level of brightness reaches a Dice of {alone:.3f}, the U-Net one of {network:.3f}. "
    if network > alone:
        return told + "What lies around a pixel tells more than the pixel itself."
    return told + "These pictures compare networks with each other, but they do not need one."


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


SKIPS = (
    "What is lost when, after training, one skip is replaced by its mean over the picture: it still says how much of each channel there is, but no longer where. Bars: means; points: seeds. "
    "The network was not trained anew: it had learned to rely on what is taken away."
)
SOURCE = "Toronto A4, question 4"


def _both(kind: str, mark: str = "", how: str = ".3f") -> str:
    """The two scores of a comparison, for a sentence."""
    return f"{{of[{kind}, {WITH}{mark}]:{how}}} with skips and {{of[{kind}, {WITHOUT}{mark}]:{how}}} without"


CLAIMS = (
    Claim("loss, with skips minus without", high=0.0,
          why="the way up has the fine picture beside it and need not make it up", source=SOURCE, data="folder", items=(93,),
          says=f"The loss on test slices of the brain is {_both('loss')}.",
          otherwise=f"Skips do not lower the loss on test slices of the brain: {_both('loss')}.",
          asks="whether skips lower the loss"),
    Claim("Dice, with skips minus without", low=0.0, why="the same, by areas", source=SOURCE, data="folder", items=(93,),
          says=f"By areas: a Dice of {_both('Dice')}.", otherwise=f"By areas skips do not help: a Dice of {_both('Dice')}.",
          asks="whether skips help the areas"),
    Claim("IoU, with skips minus without", low=0.0,
          why="for one class IoU = Dice / (2 − Dice) rises with it", source=SOURCE, data="folder", items=(93,),
          says=f"Intersection over union: {_both('IoU')}.", otherwise=f"Intersection over union is no higher with skips: {_both('IoU')}.",
          asks="whether skips raise the intersection over union"),
    Claim("outline F, with skips minus without", low=0.0,
          why="outlines are what is lost at a small size", source=SOURCE, data="folder", items=(93,),
          says=f"Without skips the outlines go: their F-score is {_both('outline F', how='.2f')} on slices of a brain.",
          otherwise=f"The outlines do not need the skips: their F-score is {_both('outline F', how='.2f')} on slices of a brain.",
          asks="whether outlines need the skips"),
    Claim("Dice averaged over the training, with skips minus without", low=0.0,
          why="gradients reach the first layers by a short way: it learns sooner", source=SOURCE, data="folder", items=(93,),
          says="With skips the network learns sooner: its Dice, averaged over the training, is {value:.3f} higher.",
          otherwise="With skips the network does not learn sooner: its Dice, averaged over the training, differs by {value:+.3f}.",
          asks="whether the network learns sooner with skips"),
    Claim("Dice, U-Net minus brightness alone", low=0.0,
          why="a network sees what lies around a pixel as well as the pixel, and a rule on brightness the pixel alone", source="this experiment", data="folder",
          says="On slices of the brain the U-Net is ahead of a rule that sees one pixel's brightness: a Dice of {of[Dice, with skips]:.3f} against {of[Dice, brightness alone]:.3f}.",
          otherwise="On slices of the brain a rule that sees one pixel's brightness does as well as this small U-Net or better: a Dice of {of[Dice, brightness alone]:.3f} against {of[Dice, with skips]:.3f}.",
          asks="whether the U-Net is ahead of a rule on brightness on slices of the brain"),
    Claim("Dice, U-Net minus brightness alone, textures", low=0.0,
          why="both textures have the same brightness by construction; only what lies around a pixel tells them apart", source="this experiment", data="folder", items=(93,),
          says="Where brightness tells nothing, on textures, the network is needed: a Dice of {of[Dice, with skips, textures]:.3f} against {of[Dice, brightness alone, textures]:.3f} by brightness alone.",
          otherwise="Even on textures the network is no better than brightness alone: a Dice of {of[Dice, with skips, textures]:.3f} against {of[Dice, brightness alone, textures]:.3f}.",
          asks="whether the U-Net is ahead of a rule on brightness on textures"),
    Claim("outline F, with skips minus without, textures", low=0.0,
          why="outlines are what is lost at a small size, whatever the picture", source=SOURCE, data="folder", items=(93,),
          says=f"On textures skips bring outlines as well: their F-score is {_both('outline F', ', textures', '.2f')}.",
          otherwise=f"On textures the outlines do not need the skips: their F-score is {_both('outline F', ', textures', '.2f')}.",
          asks="whether outlines need the skips on textures"),
    Claim("outline F lost, topmost skip minus deepest", low=0.01,
          why="only the topmost level has every pixel of an outline; less than 0.01 is no difference", source="this experiment", data="folder", items=(93,),
          says="Skips carry where things are, and the topmost most of it: cut after training, it costs {value:.2f} more of the outlines' F-score than the deepest.",
          otherwise="The topmost skip is not what carries where things are: cut after training, it costs no more of the outlines' F-score than the deepest ({value:+.2f}).",
          asks="whether the topmost skip carries the outlines"),
    *(Claim(f"largest change under a shift by 8, {name}", high=1e-9,
            why="2^3 is a whole square of the coarsest grid: every layer moves with it, exactly but for rounding in float64", source="this experiment", items=(92,),
            says=f"A shift by 8 pixels, a whole square of the coarsest grid, moves the answer of the network {name} and changes nothing else (at most {{value:.0e}}).",
            otherwise=f"Even a shift by 8 pixels, a whole square of the coarsest grid, changes the answer of the network {name}, by up to {{value:.2g}}.",
            asks=f"whether the answer of the network {name} moves with shifts by 8")
      for name in (WITH, WITHOUT)),
    Claim("change under a shift of half a period, with skips minus without", high=0.0,
          why="the topmost skip has no grid and moves with the picture", source="this experiment", data="folder", items=(92,),
          says="Other shifts change the answer, and less with skips: of the probability that changes class under a shift by 4 pixels, with minus without is {value:+.1%}.",
          otherwise="Under a shift by 4 pixels the network with skips changes its answer no less than the one without ({value:+.1%} of the probability).",
          asks="whether skips make the network steadier under shifts"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="What do the skips of a U-Net carry, and what does it do without them?",
    method="""A U-Net halves a picture several times, each time with more channels, and brings it back to full
        size; at each size a skip hands the picture from the way down to the way up. It gives each pixel a class.
        It is trained with all skips and with none, from the same seeds and on the same pieces, and tried on
        pictures that it has not seen.

        The first pictures are slices of one brain, averaged over many people and shown without its skull, and the classes are grey matter, white
        matter and anything else. Slices next to each other look the same, so the test slices are a block of their
        own, at least 12 mm from every training slice. Still it is the same brain: what is measured here is how
        the two networks compare, and nothing follows for the brain of a person. The second are textures, made by a program: shapes of lying stripes
        on standing stripes, so that brightness says nothing and the neighbourhood everything. The full preset has overlapping shapes, cell membranes and pets as well.

        Dice is 2|A∩B| / (|A|+|B|) for the found and the true pixels of a class, IoU is |A∩B| / |A∪B|, and
        the outline F-score is the same idea for the pixels at the edge of a class. The loss is −log p of the true
        class. A rule that sees nothing but a pixel's own brightness says how much of the task needs a network.

        Then, in the trained network, each skip in turn is replaced by its mean over the picture, which leaves what
        it says and takes away where. Last, a picture is shifted and the answer moved back.""",
    see="""Without skips everything that is finer than the smallest size has to be made up again on the way up: look for errors along
        outlines. Cutting a skip after training shows which one carries where things are. A U-Net is not
        equivariant to all shifts: its pooling has a grid, and shifts by whole squares of the coarsest grid leave
        the answer as it was.

        Whether a task needs a network at all is a question of its own: the tissues of this brain differ in brightness, the two textures do not.
        Compare the rule that sees one pixel in both tables. How the sizes of maps follow from padding and strides is in [[theory-convolution-sizes]], what borders
        tell about the place in [[padding]].""",
    claims=CLAIMS,
    own=WORDS,
    opens_with=("outline F lost, topmost skip minus deepest", "outline F, with skips minus without"),
    presets={
        "quick": Settings(),
        "full": Settings(
            sets=("brain", "textures", "scenes", "membranes", "pets"),
            width=16,
            crop=64,
            steps=400,
            seeds=4,
            looks=20,
            apart=True,
        ),
    },
    seconds=50,
    run=run,
)  # fmt: skip
