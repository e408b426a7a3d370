"""What to see in each figure and table of `rotation`: in the pictures of this set, by the numbers of this run."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from regard.data.sets.images import Pictures
from regard.experiments.images.rotate import rotate
from regard.experiments.images.rotation.claims import TURNED, UPRIGHT
from regard.lab.experiment import OwnWords
from regard.lab.statistics import summarise

QUARTERS = (90, 180, 270)
UPSIDE = (
    "class",
    "likeness to its half turn",
    "accuracy at 180°, %",
    "most often taken for",
    "in % of its pictures",
)
"The columns of the table of half turns."
MOST = 95.0
"From so many percent of its light on, a turned picture has lost next to nothing."


def said_of_own(curves: Mapping[str, Tensor], angles: Sequence[int]) -> str:
    """What was found in pictures of a person's own: each network upright, turned, and at its worst angle."""
    told = []
    for name, found in curves.items():
        at = dict(zip(angles, found.mean(0).tolist(), strict=True))
        turned = [value for angle, value in at.items() if 60 <= angle <= 300]
        worst = min(at, key=at.__getitem__)
        told.append(
            f"{name}, {at[0]:.1f} % upright and {sum(turned) / len(turned):.1f} % turned by 60 to 300 degrees (least at {worst}: {at[worst]:.1f} %)"
        )
    return f"Of your test pictures each network knows, over {len(curves[TURNED])} seeds: {'; '.join(told)}."


def first_caption(source: str, pictures: Pictures, alike: Tensor, *, again: bool = False) -> str:
    """Of the first test pictures: which class looks most like its own half turn, and which least."""
    alike = alike.nan_to_num(alike.nanmean().item())
    most, least = (pictures.classes[int(at)] for at in (alike.argmax(), alike.argmin()))
    ask = "" if again else " Ask of each whether you would know it upside down."
    return f"{source}: the first 25 test pictures, each with the name of its class.{ask} By its mean picture, {most} is most like its own half turn (a correlation of {alike.max():.2f}) and {least} least ({alike.min():.2f})."


def turned_caption(source: str, pictures: Pictures, *, again: bool = False) -> str:
    """Of one turned picture: how much of its light a turn by 45 degrees pushes over the edge."""
    picture, name = pictures.test[:1].float(), pictures.classes[pictures.test_labels[0]]
    kept = 100 * (rotate(picture, 45, sampling="bilinear").sum() / picture.sum().clamp(min=1)).item()
    harm = (
        "the corners hold next to nothing, and a turn loses next to nothing with them"
        if kept >= MOST
        else "what was in the corners is lost"
    )
    light = f"After a turn by 45 degrees this picture has {kept:.0f} % of its light: {harm}."
    if again:
        return f"{source}: their first test picture ({name}) at the same angles, by the same two samplings. {light}"
    return (
        f"{source}: the first test picture ({name}) at some angles. What comes from outside of the picture is black: compare the corners at 30 and 45 degrees with those at 90. {light} "
        "Nearest, which all networks are tried with, takes one pixel for each, and edges become ragged; bilinear weighs four, and edges become soft. At quarter turns both give the same: every pixel lands on a pixel."
    )


def angles_caption(source: str, curves: Mapping[str, Tensor], *, again: bool = False) -> str:
    """Of the table by angle: the mean over all angles, training by training; the last angle is the first again."""
    means = {name: curve[:, :-1].mean().item() for name, curve in curves.items()}
    told = "; ".join(f"{name}, {mean:.1f}" for name, mean in means.items())
    table = (
        "the same table"
        if again
        else "accuracy in percent by the angle of the test pictures, mean over the seeds, one column for each training"
    )
    return f"{source}: {table}. Over all angles (360 degrees, which is 0 again, left out) the means are: {told}. The highest is that of the network {max(means, key=means.__getitem__)}."


def curves_caption(
    source: str, curves: Mapping[str, Tensor], angles: Sequence[int], *, again: bool = False
) -> str:
    """Of the curves: where the upright one is lowest, what quarter turns stand out by, how flat the other is."""
    upright, turned = (dict(zip(angles, curves[name].mean(0).tolist(), strict=True)) for name in (UPRIGHT, TURNED))  # fmt: skip
    lowest = min(upright, key=upright.__getitem__)
    beside = {turn: upright[turn] - (upright[turn - 30] + upright[turn + 30]) / 2 for turn in QUARTERS}
    maxima = [f"{turn}" for turn, value in beside.items() if value > 0]
    stand = (
        f"it stands above its neighbours at {', '.join(maxima)} degrees"
        if maxima
        else "at no quarter turn does it stand above its neighbours"
    )
    steps = ", ".join(f"{value:+.1f}" for value in beside.values())
    seeds = len(curves[UPRIGHT])
    lines = (
        "the same curves"
        if again
        else "accuracy by the angle of the test pictures, mean over the seeds (thin lines: each seed); dashed, where drawn: the published curve. Dotted: quarter turns"
    )
    built = (
        ""
        if again
        else " Where it is drawn, the network of turned filters was trained upright: look whether it has the same accuracy at every quarter turn."
    )
    return (
        f"{source}: {lines}. The curve trained upright (seeds: {seeds}) falls from {upright[0]:.0f} % to {upright[lowest]:.0f} % at {lowest} degrees, and {stand} ({steps} points at 90, 180 and 270). "
        f"The one trained on turned pictures lies between {min(turned.values()):.0f} and {max(turned.values()):.0f} %.{built}"
    )


def classes_caption(
    source: str, by_class: Mapping[str, Tensor], names: Sequence[str], half: int, *, again: bool = False
) -> str:
    """Of the map by class and angle: which rows are bright and which dark at 180 degrees (column `half`)."""
    known = by_class[UPRIGHT][:, half].nan_to_num(nan=-1.0)
    best = int(known.argmax())
    worst = int(torch.where(known < 0, torch.inf, known).argmin())
    panels = (
        "the same map. At 180 degrees, trained upright"
        if again
        else "accuracy by class (row) and angle (column), one panel for each training, dark for 0 % and bright for 100 %. A row that is bright at 180 degrees is a class that is still known upside down: trained upright"
    )
    return f"{source}: {panels}, {names[best]} is the brightest there ({known[best]:.0f} %) and {names[worst]} the darkest ({known[worst]:.0f} %)."


def half_turn_caption(
    source: str, rows: Sequence[tuple], lead: Sequence[float], *, again: bool = False
) -> str:
    """Of the table of half turns: whether the classes at its top are the ones that are known."""
    ahead = summarise(lead)
    reason = (
        "symmetry has a part in what is known upside down"
        if ahead.low > 0
        else "symmetry is not what is known upside down"
        if ahead.high < 0
        else "these seeds leave open whether symmetry has a part in what is known upside down"
    )
    table = (
        "the same for these classes."
        if again
        else "what a half turn does to each class, trained upright, mean over the seeds; the classes most alike to their own half turn come first. Likeness: the correlation of a class's mean training picture with the same picture turned by 180 degrees; no network has a part in it."
    )
    rest = (
        ""
        if again
        else " A class with low likeness and high accuracy says that a network needs less than symmetry."
    )
    return (
        f"{source}: {table} "
        f"The classes at the top, with {rows[0][0]} first, are {ahead.mean:+.0f} points beside the others at 180 degrees: {reason}.{rest}"
    )


WORDS = OwnWords(
    data="folder",
    question="Does a convolutional network know your pictures when they are turned?",
    method="""Amsterdam A2's network (convolution, ReLU and max pooling, three of each, then two linear layers;
        pixels from 0 to 1) is trained on your pictures, and again on the same pictures with each turned by a
        random angle whenever it is shown. Then the test pictures are turned by 0, 30, …, 360 degrees. Rotation is
        grid sampling: each pixel asks where it came from, takes the nearest pixel there, and black from outside; quarter
        turns move pixels and change none. The quick preset has a narrower network and takes Muon as the optimiser; the
        full preset has the assignment's network, batch, epochs and Adam at 0.001. Where there are few pictures, each is shown more often.

        Why quarter turns stand out is measured on the network that was trained upright. A quarter turn at once changes no pixel; the same
        turn in two steps of 45 degrees or more interpolates at each of them and loses the corners; and the exact turn with the corners of a
        turn by 30 degrees painted black loses the corners alone. By class: what looks alike upside down, by the mean picture of a class,
        and what the network takes it for.

        Where the accuracy goes that turned pictures cost is measured, too: by the loss on the training pictures themselves, and by
        a training on turned pictures of three times the length.

        A last network is trained upright, but each of its filters acts in four orientations (a group
        convolution) and its last layer takes the largest of the four.""",
    see="""A convolution moves with its picture and does not turn with it: nothing makes the filters for an upright edge
        answer a slanted one. What a network knows of turned pictures it has from classes that look alike when turned, or from
        turned pictures in its training. Local maxima at 90, 180 and 270 degrees have two possible reasons: other angles interpolate
        pixels and blacken corners; and some classes look alike upside down, which acts at 180 degrees alone.

        Turned pictures in training ask one set of weights to know every orientation: each is seen less often in a training of the same length,
        and classes that are each other's turns can no longer be told apart. If the loss on the training pictures is higher too, the network has not learnt too much by heart: it has
        more to learn. If a longer training wins accuracy back, the cost is one of time; what it does not win back is one of the task or of the network's size.

        The network of turned filters has the same scores at every quarter turn by construction. What shifts do to convolutions is in
        [[padding]] and [[unet]], how sizes follow from strides in [[theory-convolution-sizes]].""",
)
"How the experiment speaks over pictures of a person's own."
