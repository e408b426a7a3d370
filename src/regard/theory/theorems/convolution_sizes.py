"""Convolution by hand: which pixels a filter at the border misses, what padding adds, and how large the output is."""

from collections.abc import Callable
from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial


def placements(size: int, kernel: int, padding: int, stride: int) -> int:
    """Where a filter can stand: counted by moving it along."""
    count, place = 0, -padding
    while place + kernel <= size + padding:
        count, place = count + 1, place + stride
    return count


def meetings(size: int, kernel: int, padding: int) -> int:
    """How many elements of a two-dimensional filter meet the pixel in the corner, over all places of the filter."""
    met = {start for start in range(-padding, size + padding - kernel + 1) if start <= 0 < start + kernel}
    return len(met) ** 2


def seen(kernels: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """How many pixels a row of the input has between the first and the last on which one output pixel depends: traced back."""
    places = {0}
    for kernel, stride in zip(reversed(kernels), reversed(strides), strict=True):
        places = {stride * place + step for place in places for step in range(kernel)}
    return max(places) - min(places) + 1


def _image(pixels: np.ndarray, *, outside: bool) -> Callable[[int, int], float]:
    """Pixels by their place, of which 0 is the first; without an outside, those before place 1 are 0."""
    return lambda i, j: float(pixels[i, j]) if outside or min(i, j) >= 1 else 0.0


def point(random: np.random.Generator) -> dict[str, Any]:
    weights, pixels = random.standard_normal((3, 3)), random.standard_normal((4, 4))
    size, kernel, padding, stride = (
        int(random.integers(*span)) for span in ((9, 30), (2, 6), (0, 4), (1, 4))
    )
    few = int(random.integers(0, kernel))
    kernels, strides = (tuple(int(one) for one in random.integers(*span, 3)) for span in ((2, 6), (1, 4)))
    return {
        "g": _image(pixels, outside=True), "u": _image(pixels, outside=False), "h": lambda a, b: float(weights[a + 1, b + 1]),
        "n": size, "k": kernel, "p": padding, "s": stride, "o": placements(size, kernel, padding, stride),
        "P": placements(size, kernel, padding, 1), "q": few, "c": meetings(size, kernel, few),
        "E": placements(size, kernel, (kernel - 1) // 2, 1) if kernel % 2 else size, "F": placements(size, kernel, kernel - 1, 1),
        "k_1": kernels[0], "k_2": kernels[1], "k_3": kernels[2], "s_1": strides[0], "s_2": strides[1], "r": seen(kernels, strides),
    }  # fmt: skip


PADDINGS = (0, 1, 2, 3, 4, 5)
STRIDES = (1, 2, 3, 4, 5, 6, 7)


def corner(random: np.random.Generator, count: int) -> Sweep:
    return Sweep(
        at=PADDINGS,
        predicted=tuple(float(min(padding + 1, 5) ** 2) for padding in PADDINGS),
        measured=tuple((float(meetings(20, 5, padding)),) for padding in PADDINGS),
        also={"a pixel in the middle": (25.0,) * len(PADDINGS)},
    )


def strides(random: np.random.Generator, count: int) -> Sweep:
    whole = [(32 - 3) % stride == 0 for stride in STRIDES]
    return Sweep(
        at=STRIDES,
        predicted=tuple((32 - 3) / stride + 1 for stride in STRIDES),
        formula=lambda stride: (32 - 3) / stride + 1,
        measured=tuple((float(placements(32, 3, 0, stride)),) for stride in STRIDES),
        broken=tuple(not one for one in whole),
        instead=tuple(float((32 - 3) // stride + 1) for stride in STRIDES),
    )


THEOREM = Theorem(
    name="convolution-sizes",
    title="Convolution at the border",
    question="Which pixels does a filter at the border miss, and how large is the output of a convolution?",
    speaks_of=(55, 58),
    elsewhere=("padding", "rotation", "unet", "receptive-field"),
    assumptions=(
        "an image $g$ with places from 1 on, and whatever is put at place 0 and beyond (padding); a filter $h$ whose places run from $-1$ to 1",
        "for sizes: $n$ pixels, a filter of $k$ elements, $p$ pixels of padding on each side, steps of $s$",
    ),
    statement="""The first pixel of a $3 \\times 3$ convolution lacks five of its nine terms. The output has
        $$o = \\lfloor \\frac{n + 2 p - k}{s} \\rfloor + 1$$
        pixels per side. With steps of 1 every element of the filter meets every pixel if, and only if, $p \\ge k - 1$.""",
    conclusions=(
        Conclusion(
            of="the pixels that are missed",
            steps=(1, 2, 3, 7),
            answer="The first response of a 3 × 3 filter lacks five of its nine pixels; with steps of 1, every element of a filter of side k meets every pixel only with k − 1 pixels of padding.",
        ),
        Conclusion(
            of="the size of the output",
            steps=(4, 5, 6),
            answer="The output has ⌊(n + 2p − k)/s⌋ + 1 pixels a side.",
        ),
        Conclusion(
            of="how far a stack of layers sees",
            steps=(8,),
            aside=True,
            answer="Each layer adds k − 1 pixels, times the steps of all layers before it, to what an output pixel sees: 1 + 2 · depth pixels a side for filters of side 3 and steps of 1.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="A convolution turns the filter round: its element at $(a, b)$ meets the pixel $a$ rows above and $b$ columns to the left.",
            formula=r"f_{i,j} \coloneqq \sum_{a=-1}^{1} \sum_{b=-1}^{1} g_{i-a,j-b} h_{a,b}",
        ),
        ProofStep(
            text="At the first pixel nine terms are due.",
            formula=r"f_{1,1} = g_{2,2} h_{-1,-1} + g_{2,1} h_{-1,0} + g_{2,0} h_{-1,1} + g_{1,2} h_{0,-1} + g_{1,1} h_{0,0} + g_{1,0} h_{0,1} + g_{0,2} h_{1,-1} + g_{0,1} h_{1,0} + g_{0,0} h_{1,1}",
        ),
        ProofStep(
            text="Five of their pixels lie outside: three in row 0 and two more in column 0. With zeros in their place ($u$ is $g$ with nothing outside) four terms are left; other paddings put copies, mirror images or the far side there.",
            formula=r"u_{2,0} = u_{1,0} = u_{0,2} = u_{0,1} = u_{0,0} = 0, \quad \sum_{a=-1}^{1} \sum_{b=-1}^{1} u_{1-a,1-b} h_{a,b} = g_{2,2} h_{-1,-1} + g_{2,1} h_{-1,0} + g_{1,2} h_{0,-1} + g_{1,1} h_{0,0}",
        ),
        ProofStep(
            text="Sizes. The padded row has $n + 2 p$ pixels; the filter's first place is taken, and every full step of $s$ that still fits gives one more. A step that does not fit is not taken, hence the rounding down ($o$ is counted by moving the filter along).",
            formula=r"o = \lfloor \frac{n + 2 p - k}{s} \rfloor + 1",
        ),
        ProofStep(
            text="With steps of 1 there is nothing to round ($P$ is counted).",
            formula=r"P = n + 2 p - k + 1",
        ),
        ProofStep(
            text="Same size takes a padding of half the filter, $(k - 1) / 2$ for odd $k$ ($E$ is counted), and full convolution, $k - 1$ on each side, makes the output larger ($F$ is counted).",
            formula=r"E = n, \quad F = n + k - 1",
        ),
        ProofStep(
            text="Whether a border shows. With padding $q < k$ the pixel in the corner is met by $(q + 1)^2$ elements of the filter, while one in the middle is met by all $k^2$ (counted: $c$). So with less than full padding a filter's answer depends on the distance to the border: position leaks in.",
            formula=r"c = (q + 1)^2",
        ),
        ProofStep(
            text="How far a stack of layers sees, here three. Neighbours in the output of a layer stand its step apart in its input, so the $k_i - 1$ further elements of a filter reach as many pixels on, each as far as the steps of all layers before it multiply to ($r$ is counted, by tracing an output pixel back). With $k_i = 3$ and steps of 1 every layer adds two.",
            formula=r"r = 1 + (k_1 - 1) + (k_2 - 1) s_1 + (k_3 - 1) s_1 s_2",
        ),
    ),
    trials=(
        Trial(
            title="how much of a filter meets the corner",
            knob="padding p (5 × 5 filter)",
            quantity="elements that meet it",
            measure=corner,
            relation="≡",
            caption="Elements of a 5 × 5 filter that ever meet the pixel in the corner, counted (points), and (p + 1)² up to 25 (solid line). Only full padding, p = 4, treats the corner like the middle.",
        ),
    ),
    breaks=(
        Trial(
            title="steps that do not fit",
            knob="stride s (n = 32, k = 3, p = 0)",
            quantity="pixels of output",
            measure=strides,
            relation="≡",
            caption="Output size, counted, beside (n + 2p − k)/s + 1 without rounding (solid line), which holds where s divides n + 2p − k; elsewhere it must be rounded down (dotted), and pixels at the far end are never seen.",
        ),
    ),
    meaning="""Padding is not a detail. With valid padding a filter is nowhere applied in part, but pixels at the border are met by few of its elements; with same padding it hangs over the border, and part of it meets what was put there. Either way a network can tell where it is. That is what the experiment on squares shows, where networks with little padding learn the place
        instead of the order of colours.""",
    correction="""The answers to Amsterdam A2 give the size without rounding down, and explain the failure of small paddings by lost information, which would give half of the answers right and not none. Duke HW3, equation 11, uses the filter's height for the column
        offset, and is off by one for a filter of one pixel.""",
    seconds=0.5,
)
