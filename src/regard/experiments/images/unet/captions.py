"""What to see in the scores, curves and pictures of one set, by the numbers of this run."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from torch import Tensor

from regard.experiments.images.unet.overlap import grow, members, outline

Rises = Mapping[str, Sequence[Sequence[tuple[int, float]]]]
"For each network and seed, the steps at which it was tried and its Dice there."


def table_caption(name: str, dice: Mapping[str, float]) -> str:
    """Of the scores: the networks in the order of their Dice."""
    order = sorted(dice, key=dice.__getitem__, reverse=True)
    told = ", ".join(f"{one} ({dice[one]:.3f})" for one in order)
    return (
        f"{name}: means over the seeds and over the classes but the first, on test pictures. By Dice the order is {told}. 'Brightness alone' gives each level of brightness one class, with weights for rare classes chosen on the test pictures themselves, an advantage that no network has. "
        "Dice and IoU compare areas, 'outline F' asks for the outline to the pixel, the next column allows a pixel off; loss is −log p of the true class, where there are probabilities."
    )


def curves_caption(name: str, rises: Rises, alone: float) -> str:
    """Of the curves: how far apart the two networks are at the first look and at the last, and which rule they pass."""
    (first, second), at = rises, {}
    for moment, place in (("first", 0), ("last", -1)):
        at[moment] = fmean(one[place][1] for one in rises[first]) - fmean(
            one[place][1] for one in rises[second]
        )
    steps = [rises[first][0][place][0] for place in (0, -1)]
    nearer = abs(at["last"]) < abs(at["first"])
    past = [one for one in rises if fmean(rise[-1][1] for rise in rises[one]) > alone]
    above = (
        f"in the mean over seeds {' and '.join(past)} end above it"
        if past
        else "the mean of neither network ends above it"
    )
    return (
        f"{name}: left, the loss on the pieces that are trained on; right, the Dice score on the test pictures while training goes on, one line for each seed; dotted, what brightness alone reaches ({alone:.3f}): {above}. "
        f"{first.capitalize()}, Dice minus that {second} is {at['first']:+.3f} after {steps[0]} steps and {at['last']:+.3f} after {steps[1]}: {'they come nearer' if nearer else 'they do not come nearer'}."
    )


def pictures_caption(name: str, found: Mapping[str, Tensor], masks: Tensor, classes: int) -> str:
    """Of two test pictures: how many pixels each network has wrong, and how many of those lie at an outline."""
    edges = grow(outline(members(masks, classes)), 1).any(1)
    parts = []
    for network, labels in found.items():
        wrong = labels != masks
        at = (wrong & edges).sum().item() / max(1, wrong.sum().item())
        parts.append(f"{network}, {100 * wrong.double().mean():.1f} % of the pixels, {100 * at:.0f} % of these within a pixel of an outline")  # fmt: skip
    return f"{name}: two test pictures, their true classes, what each network says (seed 0), and dark where it is wrong. Over all test pictures, wrong are: {'; '.join(parts)}. Errors along outlines lack the fine structure, errors in whole areas the class."
