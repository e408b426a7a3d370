"""What a convolution's border tells it about absolute position. About 45 s on two cores.   regard run padding"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from statistics import fmean, pstdev

from regard.claims import Claim
from regard.experiments.images.padding.borders import (
    bent,
    best_by_order,
    missing,
    moved,
    responses,
    seen_together,
    unmet,
)
from regard.experiments.images.padding.figures import draw_maps, draw_patterns, draw_rows, draw_unmet
from regard.experiments.images.padding.networks import BORDERS, Net1
from regard.experiments.images.padding.pictures import red_green
from regard.experiments.images.padding.training import NETS, PROTOCOLS, Cell, Lesson, TrainedNet, teach_all
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment

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
    "valid": (0.0, 1.0),
    "sconv": (3.0, 15.0),
    "fconv": (85.0, 92.0),
    "circular": (70.0, 90.0),
    "reflect": (0.0, 1.0),
    "replicate": (88.0, 97.0),
}
"Where the test accuracy of Net1 is expected, in percent: around the published value, and that of Kayhan and van Gemert."
ORDER = (("sconv", "valid"), ("fconv", "sconv"), ("fconv", "reflect"), ("replicate", "fconv"))
"Pairs of which Amsterdam A2 asks why the first is more accurate than the second."
Results = Mapping[Cell, TrainedNet]
SHORT, SHORTER = Lesson(epochs=16), Lesson(epochs=3)
"What is enough to see the order, and what is enough for Net2, which has learnt after one epoch."


@dataclass(frozen=True, kw_only=True)
class Settings:
    seeds: int = 3
    "Trainings of each cell of the table, with Amsterdam A2's protocol."
    clean_seeds: int = 1
    "The same with pictures for validation and test that were not learnt from."
    net1: Lesson = SHORT
    "How Net1 is trained."
    net2: Lesson = SHORTER
    "How Net2 is trained."


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """The border by itself, the pictures, the two tables, then what the trained networks answer where."""
    yield from _border()
    yield FigureEvent("patterns", draw_patterns(), PATTERNS)
    counts = {"original": settings.seeds, "clean": settings.clean_seeds}
    lessons = {
        Cell(net, border, protocol, 1000 * context.seed + number): getattr(settings, net.lower())
        for protocol, count in counts.items()
        for number, net, border in product(range(count), NETS, BORDERS)
    }
    results: dict[Cell, TrainedNet] = {}
    shown: dict[str, Net1] = {}
    for cell, net, outcome in teach_all(lessons):
        results[cell] = outcome
        yield ProgressEvent(f"{cell.net} {cell.border}, seed {cell.seed}", len(results) / len(lessons))
        yield from _measured(cell, outcome)
        if cell.protocol == "original" and cell.seed == 1000 * context.seed and isinstance(net, Net1):
            shown[cell.border] = net
    yield from _tables(results)
    yield from _order(results)
    yield from _positions({name: shown[name] for name in BORDERS})
    yield TextEvent("two protocols", TWO)


def _border() -> Iterator[Event]:
    lacking = missing(32)
    yield Metric("pixels that f_11 lacks", lacking[0, 0].item())
    rows = []
    for name, border in BORDERS.items():
        never = unmet(border, 32).flatten(2).sum(2)
        yield Metric(f"{name}: pixels that the corner element never meets", float(never[0, 0]))
        seen = seen_together(border, red_green(200, seed=42)[0]).double().mean().item()
        sizes = ", ".join(map(str, border.sizes(32)))
        rows.append((name, border.mode, border.pixels, sizes, *never.flatten()[:5].tolist(), 100 * seen))
    columns = ("type", "border", "pixels", "sides of the four maps", "↖", "↑", "↗", "←", "·")
    yield TableEvent("borders", (*columns, "both squares in one window, %"), rows, BORDER_TABLE)
    yield FigureEvent("elements", draw_unmet(), UNMET)


def _measured(cell: Cell, outcome: TrainedNet) -> Iterator[Event]:
    clean = "" if cell.protocol == "original" else ", clean"
    where = f"{cell.net} {cell.border}{clean}"
    yield Metric(f"{where}: test accuracy, %", outcome.test, cell.seed)
    yield Metric(f"{where}: validation accuracy, %", outcome.validation, cell.seed)
    yield Metric(f"{where}: epochs", float(outcome.epochs), cell.seed)


def _of(results: Results, net: str, border: str, protocol: str = "original") -> dict[int, TrainedNet]:
    return {
        cell.seed: outcome
        for cell, outcome in sorted(results.items(), key=lambda pair: pair[0].seed)
        if (cell.net, cell.border, cell.protocol) == (net, border, protocol)
    }


def _tables(results: Results) -> Iterator[Event]:
    gaps = []
    for net in NETS:
        rows = []
        for border in BORDERS:
            published = PUBLISHED[border] if net == "Net1" else (100.0, 0.0, 0.0)
            found = [list(_of(results, net, border, protocol).values()) for protocol in PROTOCOLS]
            cells = [_spread(part, field) for part in found for field in ("validation", "test")]
            rows.append((border, f"{published[0]:.2f}", f"{published[1]:.2f} ± {published[2]:.2f}", *cells))
            gaps.append(abs(fmean(one.test for one in found[0]) - fmean(one.test for one in found[1])))
        columns = ("type", "published: validation", "published: test", "validation", "test")
        yield TableEvent(f"accuracy of {net}", (*columns, "clean: validation", "clean: test"), rows, TABLE)
    yield Metric("largest difference of mean test accuracy between the two protocols", max(gaps))
    order = best_by_order()
    yield Metric("fconv: best accuracy by order, %", order)
    for seed, one in _of(results, "Net1", "fconv").items():
        yield Metric("Net1 fconv: test accuracy minus the best by order, %", one.test - order, seed)


def _spread(outcomes: list[TrainedNet], field: str) -> str:
    values = [getattr(one, field) for one in outcomes]
    return f"{fmean(values):.2f} ± {pstdev(values):.2f}"


def _order(results: Results) -> Iterator[Event]:
    for more, less in ORDER:
        first, second = (
            {seed: one.test for seed, one in _of(results, "Net1", name).items()} for name in (more, less)
        )
        yield PairedMetric(f"Net1: {more} minus {less}, %", (more, less), first, second)


def _positions(nets: Mapping[str, Net1]) -> Iterator[Event]:
    pictures, maps, scores = moved(), {}, {}
    for name, net in nets.items():
        yield ProgressEvent(f"one pattern at every place, {name}", 0.95)
        maps[name], scores[name] = responses(net, pictures)
    rows = []
    for name, (whole, half) in bent(maps).items():
        yield Metric(f"{name}: largest change of a response under a shift by 8", whole)
        yield Metric(f"{name}: largest change of a response under a shift by 4", half)
        zero = 100 * (scores[name] < 0).double().mean(1)
        rows.append((name, whole, half, zero[3:11].mean().item(), zero[19:27].mean().item()))
    columns = (
        "type",
        "change under a shift by 8",
        "by 4",
        "says red-left above, %",
        "says red-left below, %",
    )
    yield TableEvent("one pattern everywhere", columns, rows, EVERYWHERE)
    yield FigureEvent("map", draw_maps(scores), MAP)
    yield FigureEvent("rows", draw_rows(scores), ROWS)


PATTERNS = (
    "Upper row: what the networks learn. In class 0 the red square is left of the green one, and both are in the upper half; in class 1 green is left of red, and both are in the lower half. "
    "Lower row: what they are tested on, the very same pictures moved to the other half by 16 rows. Order and height agree while learning, and contradict each other in the test."
)
BORDER_TABLE = (
    "The arrows stand for five of the nine filter elements (the others follow by symmetry); under them is the number of the 32² = 1024 pixels that the element never multiplies. Under full convolution it is 0 for all: every "
    "element meets every pixel, and a response cannot depend on how far the border is. Copied borders (circular, reflect, replicate) also meet every pixel, but some of them more than once. Last column: in how many of 200 "
    "pictures any of the last 17 × 17 windows sees both squares. Where none does, no filter can know their order; so fconv cannot be perfect."
)
UNMET = (
    "A picture of 7 by 7 pixels, nine times for each type: the pixels that each of the nine filter elements never multiplies are grey, and counted. Without padding (valid) even the middle element never meets the border; "
    "with one row of zeros (sconv) the outer elements miss the border on their own side: the upper left element never meets the last row and column. With two (fconv) nothing is missed."
)
TABLE = (
    "Accuracy in percent, mean ± standard deviation over the seeds (that of the population, as in Amsterdam A2's script). Published: the answers to Amsterdam A2. The validation accuracy is that of the last epoch, the test accuracy that of the best weights, as in that script. In the original "
    "protocol the validation pictures are training pictures; in the clean one neither they nor the test pictures were learnt from. 50 % would be a network that knows nothing; 0 % is one that knows something, and it is the wrong thing: the height."
)
EVERYWHERE = (
    "One pattern, red six columns left of green, at every place of the picture, seen by trained Net1s. The first two numbers say by how much any of the 64 pooled responses changes when the pattern moves by 8 pixels (the strides' product) or by 4, as a share of "
    "the largest response. Under full convolution a shift by 8 changes nothing at all, borders included; between multiples of 8 the strides leave a ripple. The last two say for how many places in the upper and in the lower band the answer is class 0. "
    "The order is the same everywhere: where the two numbers differ, the height decided."
)
MAP = (
    "Each point is a place of the pattern (upper left corner of the red square), its colour what the network says there, scaled by the type's largest score. Orange to purple: from 'class 0' (right: red is left) to 'class 1'. "
    "Under valid, sconv and reflect the answer changes with the height, though the pattern does not. Under fconv the map repeats itself every 8 rows and columns, up to the border."
)
ROWS = (
    "The same along one column. Left: types whose answer crosses zero on the way down; that is an answer by height. Right: types that keep their answer. The ripple of fconv has a period of 8 rows (dotted lines) and is the "
    "same at the border as in the middle; circular and replicate are bent near the border."
)
TWO = (
    "Original: Amsterdam A2's script sets the same seed before it draws training, validation and test pictures. Its validation pictures are the first 1000 training pictures, and its test pictures are these moved by 16 rows. "
    "Its validation accuracy is therefore an accuracy on pictures that were learnt. Under full convolution a shift by 16 rows changes no response, so that there validation and test accuracy are the same number for the same weights; "
    "they differ in the table only because one is taken after the last epoch and the other with the best weights. Clean: three different seeds."
)


CLAIMS = (
    Claim("pixels that f_11 lacks", low=5, high=5,
          why="g_00, g_01, g_02, g_10, g_20 lie outside: a corner has 4 of the 9 pixels", source="Amsterdam A2, 1.1 a"),
    *(Claim(f"Net1 {border}: test accuracy, %", low=low, high=high, preset="quick" if border in ("valid", "reflect") else "full",
            why=f"the answers have {PUBLISHED[border][1]:.2f} ± {PUBLISHED[border][2]:.2f}", source="Amsterdam A2, 1.1 b")
      for border, (low, high) in BANDS.items()),
    *(Claim(f"Net2 {border}: test accuracy, %", high=1.0,
            why="a linear layer on the flattened maps has weights of its own for each place, and learns the place", source="Amsterdam A2, 1.1 d")
      for border in BORDERS),
    *(Claim(f"Net1: {more} minus {less}, %", low=0.0,
            why="the published order" + (", over pairs of equal first weights" if more != "replicate" else ""), source="Amsterdam A2, 1.1 c")
      for more, less in ORDER),
    *(Claim(f"{border}: pixels that the corner element never meets", low=lost, high=lost, why=why, source="this experiment")
      for border, lost, why in (
          ("valid", 124, "two rows and two columns: 32² − 30²"),
          ("sconv", 63, "one row and one column: 32² − 31²"),
          ("fconv", 0, "full convolution"),
      )),
    *(Claim(f"{border}: largest change of a response under a shift by 8", low=0.0, high=1e-12,
            why="every window that sees the pattern exists at every place: equal but for float64 rounding", source="this experiment")
      if border == "fconv" else
      Claim(f"{border}: largest change of a response under a shift by 8", low=0.01, high=10.0,
            why="windows at the border see something else there", source="this experiment")
      for border in BORDERS),
    Claim("Net1 fconv: test accuracy minus the best by order, %", low=-5.0, high=3.0,
          why="full convolution leaves nothing but the order to learn; pairs of squares that were learnt by heart may add a little", source="this experiment", preset="full"),
    Claim("largest difference of mean test accuracy between the two protocols", high=10.0,
          why="1900 of the 2000 pictures differ: the rule is learnt, not the pictures", source="this experiment", preset="full"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Convolution treats every place alike, they say: can it still tell where a thing is?",
    answers=(55, 56, 57, 58, 59, 60),
    method="""A red and a green square, 4 by 4 pixels, on black. While learning, 'red is left' always comes with
        'in the upper half'. A network may learn the order or the height; the test swaps the halves, so that one who
        learnt the order is always right and one who learnt the height is always wrong.

        Four convolutions of 3 by 3 without bias (strides 1, 2, 2, 2), under six borders: none (valid), one row of
        zeros (sconv), two (fconv, full convolution), and two rows that are copied (circular, reflect, replicate).
        Net1 then takes the largest response of each filter, wherever it is; Net2 keeps all places apart. Adadelta,
        batches of 200 in fixed order, at most 50 epochs, an end when the validation loss has not fallen for 9, the best
        weights for the test, first weights from seeds 0, 1, 2, …

        Without bias, what sees only black answers with zero, and what sees the same answers the same. The trainings
        compute each different lit window once, which gives the same numbers as torch's convolutions, 20 to 40 times
        faster.

        Then one pattern is moved to every place, and the trained networks' answers are drawn as a map.""",
    see="""A filter element that never meets the border's pixels makes the response depend on how far the border is;
        four layers carry that into the picture, and the largest response tells the height. So valid and sconv fail,
        and not by knowing nothing, which would give 50 %, but by answering the height: near 0 %. Under full convolution
        every element meets every pixel, and shifts by the strides' product 8 change no response at all, so that only the order
        is left to be learnt. It stays below 100 % since a third of the pairs lie too far apart for any
        window: counting all cases, order allows 87 %. Reflected
        borders show patterns near one side that are mirrored near the other, so the height is easily learnt. Replicated and circular borders
        bend the responses a little, enough for a better validation accuracy than fconv, not enough to answer by height alone. Net2 has
        separate weights for each place: it answers the height under every border.""",
    correction="""The answers to Amsterdam A2 explain valid's failure by 'spatial information lost in 2 by 2'. Lost information would give
        50 %, not 0.09 %: the network has information, the absolute height. They say that flattening (Net2) destroys spatial
        information; flattening keeps all of it, and what is lost is invariance to shifts. 'All accuracies decrease' in Net2 is not true of
        reflect, which is 0 already in Net1. In 1.1 c.iii the second 'label 0' must read 'label 1'. The script's
        validation pictures are training pictures, and its validation accuracy is that of the last epoch, while the test
        uses the best weights.""",
    claims=CLAIMS,
    presets={
        "quick": Settings(),
        "full": Settings(seeds=10, clean_seeds=10, net1=Lesson(), net2=Lesson()),
    },
    seconds=45,
    run=run,
)
