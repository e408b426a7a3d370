"""What is claimed of padding: the published accuracies, their order, and what a border gives away."""

from math import inf

from regard.claims import Claim
from regard.experiments.images.padding.networks import BORDERS

PUBLISHED = {
    "valid": (100.00, 0.09, 0.11),
    "sconv": (98.89, 6.37, 0.23),
    "fconv": (88.07, 88.85, 0.62),
    "circular": (99.64, 82.61, 2.75),
    "reflect": (100.00, 0.00, 0.00),
    "replicate": (98.31, 93.80, 2.16),
}
"Validation accuracy, test accuracy and its deviation in the answers to Amsterdam A2, Net1, in percent; Net2 has 100, 0 and 0 throughout."
BANDS = {
    "valid": (-inf, 1.0),
    "sconv": (3.0, 15.0),
    "fconv": (85.0, 92.0),
    "circular": (70.0, 90.0),
    "reflect": (-inf, 1.0),
    "replicate": (88.0, 97.0),
}
"Where the test accuracy of Net1 is expected, in percent: around the published value, and that of Kayhan and van Gemert."
WORDS = {
    "valid": "no padding (valid)",
    "sconv": "one row of zeros (sconv)",
    "fconv": "two rows of zeros (fconv, full convolution)",
    "circular": "borders that wrap around (circular)",
    "reflect": "mirrored borders (reflect)",
    "replicate": "borders that repeat the outermost pixels (replicate)",
}
"The six types in words."
ORDER = (("sconv", "valid"), ("fconv", "sconv"), ("fconv", "reflect"), ("replicate", "fconv"))
"Pairs of which Amsterdam A2 asks why the first is more accurate than the second."
APART = "Net1: replicate minus fconv where no window sees both squares, %"
ASIDE, BELOW = (
    "score of a red square alone, right minus left",
    "score of a red square alone, below minus above",
)


def accuracy(net: str, border: str) -> str:
    """The name under which a test accuracy is measured."""
    return f"{net} {border}: test accuracy, %"


def _table_claim(border: str, low: float, high: float) -> Claim:
    """Net1's accuracy beside the published one."""
    mean, spread = PUBLISHED[border][1:]
    near = f"Net1 with {WORDS[border]} gets {{value:.1f}} % of the test right"
    says, otherwise = (
        f"{near}, near the published {mean:.1f} %.",
        f"{near}; the published value is {mean:.1f} %.",
    )
    if border == "valid":
        says = "Yes, by its border: without padding, Net1 learns the height in place of the order, and gets {value:.1f} % of the test right, where not knowing would give 50 %."
        otherwise = (
            "Without padding, Net1 gets {value:.1f} % of the test right: it does not answer by height alone."
        )
    quick = border in ("valid", "sconv", "reflect")
    return Claim(accuracy("Net1", border), low=low, high=high, preset="quick" if quick else "full",
                 why=f"the answers have {mean:.2f} ± {spread:.2f}", source="Amsterdam A2, 1.1 b", items=(56, 57),
                 says=says, otherwise=otherwise, asks=f"whether Net1 with {WORDS[border]} has the published test accuracy")  # fmt: skip


def _order_claim(more: str, less: str) -> Claim:
    """Why one type is more accurate than another."""
    why, reason = {
        "sconv": ("one row of zeros lets each filter element meet more of the border", "with one row of zeros the outer elements miss fewer pixels than with none, so that the border tells a little less"),
        "fconv": ("under full convolution every element meets every pixel", "under full convolution every filter element meets every pixel, and the height cannot be learnt" if less == "sconv"
                  else "mirrored rows and columns look different at the top and at the bottom, and give the height away; full convolution does not"),
        "replicate": ("repeated edges tell left from right where full convolution cannot", "its sides tell left from right where the squares are too far apart for one window, and the test swaps the bands, not the sides"),
    }[more]  # fmt: skip
    return Claim(f"Net1: {more} minus {less}, %", low=0.0, why=why, source="Amsterdam A2, 1.1 c", items=(58,),
                 says=f"In the test {more} is ahead of {less} by {{value:.1f}} points ({{of[{accuracy('Net1', more)}]:.1f}} against {{of[{accuracy('Net1', less)}]:.1f}} %): {reason}.",
                 otherwise=f"Against the published order, {more} is behind {less}: {{of[{accuracy('Net1', more)}]:.1f}} against {{of[{accuracy('Net1', less)}]:.1f}} %.",
                 asks=f"whether {more} is more accurate than {less} in the test")  # fmt: skip


def _shift_claim(border: str) -> Claim:
    name = f"{border}: largest change of a response under a shift by 8"
    if border == "fconv":
        return Claim(name, low=0.0, high=1e-12,
                     why="every window that sees the pattern exists at every place: equal but for float64 rounding", source="this experiment", items=(58,),
                     says="Full convolution hides the place: a pattern that moves by 8 pixels, up to the border and beyond, leaves every pooled response as it was (a change of {value:.0e}).",
                     otherwise="Even under full convolution a shift by 8 pixels changes a pooled response, by {value:.2g} of the largest.",
                     asks="whether full convolution hides the place")  # fmt: skip
    return Claim(name, low=0.01, why="windows at the border see something else there", source="this experiment", items=(58,),
                 says=f"With {WORDS[border]} a shift by 8 pixels changes a response by {{value:.0%}} of the largest one: the place shows.",
                 otherwise=f"With {WORDS[border]} a shift by 8 pixels changes no response by more than {{value:.1%}} of the largest: the place does not show.",
                 asks=f"whether the place shows with {WORDS[border]}")  # fmt: skip


CLAIMS = (
    Claim("pixels that f_11 lacks", low=5, high=5,
          why="g_00, g_01, g_02, g_10, g_20 lie outside: a corner has 4 of the 9 pixels", source="Amsterdam A2, 1.1 a", items=(55,),
          says="The first response f_11 lacks {value} of its nine pixels: padding has to supply them.",
          otherwise="The first response f_11 lacks {value} of its nine pixels, not the five that lie outside.",
          asks="whether f_11 lacks five pixels"),
    *(_table_claim(border, *band) for border, band in BANDS.items()),
    *(Claim(accuracy("Net2", border), high=1.0,
            why="a linear layer on the flattened maps has weights of its own for each place, and learns the place", source="Amsterdam A2, 1.1 d", items=(59, 60),
            says=f"Net2, which has weights for each place, answers by height with {WORDS[border]} too: {{value:.1f}} % of the test right.",
            otherwise=f"Net2 does not answer by height alone with {WORDS[border]}: {{value:.1f}} % of the test right.",
            asks=f"whether Net2 answers by height with {WORDS[border]}")
      for border in BORDERS),
    *(_order_claim(more, less) for more, less in ORDER),
    Claim(APART, low=0.0,
          why="full convolution knows columns but for multiples of 8; repeated edges also bend responses near the sides, and left squares begin in the ten leftmost columns", source="this experiment", items=(58,),
          says="Where the squares lie too far apart for any window, replicate is right in {of[Net1 replicate: test accuracy where none does, %]:.0f} % and fconv in {of[Net1 fconv: test accuracy where none does, %]:.0f} %.",
          otherwise="Where the squares lie too far apart for any window, replicate has no advantage over fconv: {of[Net1 replicate: test accuracy where none does, %]:.0f} against {of[Net1 fconv: test accuracy where none does, %]:.0f} %.",
          asks="whether replicate's lead over fconv is there where no window sees both squares"),
    Claim(f"Net1 replicate: {ASIDE}", low=1e-6,
          why="more than rounding: the network reads the side from its border, and in class 1 red is right", source="this experiment", items=(58,),
          says="Seen alone, a red square at the right makes replicate say 'red is right' more than one at the left (by {value:.0%} of the largest score): it reads the side.",
          otherwise="Seen alone, a red square at the right makes replicate say 'red is right' no more than one at the left ({value:.0%} of the largest score).",
          asks="whether replicate reads the side of a square"),
    Claim(f"Net1 fconv: {ASIDE}", low=-1e-9, high=1e-9,
          why="the two sides are a multiple of 8 columns apart", source="this experiment", items=(58,),
          says="Full convolution cannot read the side: the same square moved across the picture changes its score by {value:.0e} of the largest.",
          otherwise="Full convolution tells the sides apart: the same square moved across the picture changes its score by {value:.1%} of the largest.",
          asks="whether full convolution can read the side of a square"),
    Claim(f"Net1 reflect: {BELOW}", low=1e-6,
          why="more than rounding: it answers by height, and class 1 is below", source="this experiment", items=(58,),
          says="Mirrored borders are read for the height: a red square alone says 'class 1' more below than above, by {value:.0%} of the largest score.",
          otherwise="Mirrored borders are not read for the height of a red square alone ({value:.0%} of the largest score).",
          asks="whether reflect reads the height of a square"),
    *(Claim(f"{border}: pixels that the corner element never meets", low=lost, high=lost, why=why, source="this experiment", items=(58,),
            says=f"With {WORDS[border]} the corner element of a filter misses {{value}} of the 1024 pixels{meaning}.",
            otherwise=f"With {WORDS[border]} the corner element of a filter misses {{value}} pixels, not {lost}.",
            asks=f"whether the corner element misses {lost} pixels with {WORDS[border]}")
      for border, lost, why, meaning in (
          ("valid", 124, "two rows and two columns: 32² − 30²", ": two rows and two columns"),
          ("sconv", 63, "one row and one column: 32² − 31²", ": one row and one column"),
          ("fconv", 0, "full convolution", ""),
      )),
    *(_shift_claim(border) for border in BORDERS),
    Claim("Net1 fconv: test accuracy minus the best by order, %", low=-5.0, high=3.0,
          why="full convolution leaves nothing but the order to learn; pairs of squares that were learnt by heart may add a little", source="this experiment", items=(58,),
          says="Full convolution comes near the best that order allows, {of[fconv: best accuracy by order, %]:.1f} % counted over all pairs of columns ({value:+.1f} points).",
          otherwise="Full convolution is {value:+.1f} points from the best that order allows, {of[fconv: best accuracy by order, %]:.1f} %.",
          asks="whether full convolution reaches the best that order allows"),
    Claim("largest difference of mean test accuracy between the two protocols", high=10.0,
          why="1900 of the 2000 pictures differ: the rule is learnt, not the pictures", source="this experiment", preset="full", items=(56,),
          says="Validating on training pictures, as the script does, changes no test accuracy by more than {value:.1f} points.",
          otherwise="Validating on training pictures, as the script does, changes a test accuracy by {value:.1f} points.",
          asks="whether the script's leak changes the test accuracies"),
)  # fmt: skip
