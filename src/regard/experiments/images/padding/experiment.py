"""What a convolution's padding tells it about absolute position. About 45 s on two cores.   regard run padding"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from statistics import fmean, pstdev

from regard.experiments.images.padding.beside import beside_published
from regard.experiments.images.padding.borders import (
    bent,
    best_by_order,
    first_response,
    lone,
    missing,
    moved,
    responses,
    seen_together,
    told_by_place,
    unmet,
)
from regard.experiments.images.padding.claims import (
    APART,
    ASIDE,
    BELOW,
    CLAIMS,
    ORDER,
    PUBLISHED,
    accuracy,
)
from regard.experiments.images.padding.figures import (
    draw_courses,
    draw_maps,
    draw_patterns,
    draw_rows,
    draw_unmet,
)
from regard.experiments.images.padding.networks import BORDERS, Net1
from regard.experiments.images.padding.pictures import red_green
from regard.experiments.images.padding.training import NETS, PROTOCOLS, Cell, Lesson, TrainedNet, teach_all
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment

Results = Mapping[Cell, TrainedNet]
SHORT, SHORTER = Lesson(epochs=24), Lesson(epochs=3)
"What is enough to see the order of the six types, and what is enough for Net2, which learns at once."


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
    nets: dict[tuple[str, int], Net1] = {}
    for cell, net, outcome in teach_all(lessons):
        results[cell] = outcome
        yield ProgressEvent(f"{cell.net} {cell.border}, seed {cell.seed}", len(results) / len(lessons))
        yield from _measured(cell, outcome)
        if cell.protocol == "original" and isinstance(net, Net1):
            nets[cell.border, cell.seed] = net
    yield from _tables(results)
    yield from _order(results)
    yield from _epochs(results, settings)
    yield from _squares(nets)
    yield from _positions({name: nets[name, 1000 * context.seed] for name in BORDERS})
    yield TextEvent("two protocols", TWO)


def _border() -> Iterator[Event]:
    inside, outside = first_response()
    text = f"f₁₁ = {' + '.join((*inside, *outside))}. The picture begins at g₁₁, so that {len(outside)} of the {len(inside) + len(outside)} pixels do not exist: those of {', '.join(outside)}. "
    text += f"Padding gives them values; zero padding leaves f₁₁ = {' + '.join(inside)}."
    yield TextEvent("the first response, f₁₁", text)
    yield Metric("pixels that f_11 lacks", missing(32)[0, 0].item())
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
    if cell.net == "Net1":
        yield Metric(
            f"{where}: test accuracy where one window sees both squares, %", outcome.together, cell.seed
        )
        yield Metric(f"{where}: test accuracy where none does, %", outcome.apart, cell.seed)


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
        heads = (*columns, "clean: validation", "clean: test")
        yield TableEvent(
            f"accuracy of {net}",
            heads,
            rows,
            f"{net}. {TABLE if net == 'Net1' else AGAIN}{_alone(results, net)}",
        )
    yield Metric("largest difference of mean test accuracy between the two protocols", max(gaps))
    order = best_by_order()
    yield Metric("fconv: best accuracy by order, %", order)
    for seed, one in _of(results, "Net1", "fconv").items():
        yield Metric("Net1 fconv: test accuracy minus the best by order, %", one.test - order, seed)


def _alone(results: Results, net: str) -> str:
    """Which accuracies are those of a single training, and therefore have no spread."""
    counts = {protocol: len(_of(results, net, "valid", protocol)) for protocol in PROTOCOLS}
    lone = [protocol for protocol, count in counts.items() if count == 1]
    return f" One seed, and so no deviation: the {' and the '.join(lone)} protocol." if lone else ""


def _spread(outcomes: list[TrainedNet], field: str) -> str:
    values = [getattr(one, field) for one in outcomes]
    # One seed alone has no spread.
    return f"{fmean(values):.2f}" + (f" ± {pstdev(values):.2f}" if len(values) > 1 else "")


def _order(results: Results) -> Iterator[Event]:
    for more, less in ORDER:
        first, second = (
            {seed: one.test for seed, one in _of(results, "Net1", name).items()} for name in (more, less)
        )
        yield PairedMetric(f"Net1: {more} minus {less}, %", (more, less), first, second)
    pair = ("replicate", "fconv")
    first, second = ({seed: one.apart for seed, one in _of(results, "Net1", name).items()} for name in pair)
    yield PairedMetric(APART, pair, first, second)


def _epochs(results: Results, settings: Settings) -> Iterator[Event]:
    """How long each network was trained, and what it would have answered on the way."""
    first = {name: next(iter(_of(results, "Net1", name).values())) for name in BORDERS}
    courses = {name: one.course for name, one in first.items()}
    figure = draw_courses(courses, {name: PUBLISHED[name][1] for name in BORDERS})
    yield FigureEvent("learning", figure, LEARNING)
    lines = []
    for net, lesson in (("Net1", settings.net1), ("Net2", settings.net2)):
        found = {name: [one.epochs for one in _of(results, net, name).values()] for name in BORDERS}
        limit = f"{net}, at most {lesson.epochs} epochs here (50 in Amsterdam A2)"
        taken = sorted({one for every in found.values() for one in every})
        told = ", ".join(f"{name} {min(one)} to {max(one)}" for name, one in found.items())
        lines.append(
            f"{limit}, epochs taken: {told}."
            if len(taken) > 1
            else f"{limit}: every training took {taken[0]}."
        )
    yield TextEvent("how long they were trained", "\n".join(lines))
    told = [
        beside_published(name, list(_of(results, "Net1", name).values()), settings.net1.epochs)
        for name in BORDERS
    ]
    yield TextEvent("Net1 beside the published accuracies", "\n".join(told))


def _squares(nets: Mapping[tuple[str, int], Net1]) -> Iterator[Event]:
    """What a red square alone makes of the answer, by its side and by its height."""
    squares = lone()
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in BORDERS}
    for (name, seed), net in sorted(nets.items()):
        found[name].append(told_by_place(net, squares))
        for what, value in zip((ASIDE, BELOW), found[name][-1], strict=True):
            yield Metric(f"Net1 {name}: {what}", value, seed)
    rows = [(name, *(fmean(part) for part in zip(*pairs, strict=True))) for name, pairs in found.items()]
    yield TableEvent("a red square alone", ("type", "right minus left", "below minus above"), rows, ALONE)


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
    "Upper row: what the networks learn. Class 0: the red square is left of the green one, and both are in the upper band of the picture; class 1: green is left of red, and both are in the lower band. "
    "Lower row: what they are tested on, the same pictures moved to the other band by 16 rows. Order and height say the same class in training, and opposite classes in the test."
)
BORDER_TABLE = (
    "By type: what fills the padding and how many rows and columns of it there are, and the side of the map after each of the four convolutions. The arrows stand for five of the nine filter elements (the others follow by symmetry); under them is how many of the 32² pixels the element does not meet at any place of the filter. "
    "If this is 0 for all, and no pixel is met more than once, a response cannot depend on how far the border is. Copied pixels (circular, reflect, replicate) also let every element meet every pixel, some of them more than once. Last column: in how many of 200 "
    "pictures any of the last 17 × 17 windows sees both squares. Where none does, no filter can know their order."
)
UNMET = "A picture of 7 by 7 pixels, nine tiles for each type: the pixels that each of the nine filter elements does not multiply at any place are grey, and counted. valid has no padding; sconv has one row of zeros, and its outer elements miss the border on their own side; fconv has two rows."
TABLE = (
    "Accuracy in percent, mean ± standard deviation over the seeds (that of the population, as in Amsterdam A2's script). Published: the answers to Amsterdam A2. As in that script, the validation accuracy is taken after the last epoch and the test accuracy with the weights of lowest validation loss. In the original "
    "protocol the validation pictures are training pictures; in the clean one neither they nor the test pictures were learnt from. A network that knows nothing would have 50 % in the test; one that answers by order 100 %; one that answers by height 0 %."
)
AGAIN = "The same columns for the network that keeps all places apart. If its test accuracy is near 0 % under every border, it answers by height whatever the border."
LEARNING = (
    "Test accuracy of Net1 after each epoch (first seed, original protocol); diamonds: the published accuracies, which are those of up to 50 epochs. Dotted: a guess. A curve that falls below it is a network that takes up the height; one that rises again takes up the order. "
    "Compare where a curve ends with how it was still moving: a type that is not at rest where training ends has an accuracy that depends on the number of epochs."
)
ALONE = (
    "A red square alone (the networks were trained on pairs) at the right less the same at the left, and in the lower band less in the upper one: how much more the network says class 1, as a share of its largest score, mean over the seeds. In class 1 red is right of green, and below. "
    "A number other than 0 in the first column is knowledge of the side, which also tells the order in the test; one in the second column is knowledge of the height, which misleads there. The places differ by multiples of 8, so that full convolution must have 0 in both."
)
EVERYWHERE = (
    "One pattern, red six columns left of green, at every place of the picture, seen by the trained Net1 of the first seed. The first two numbers say by how much any of the 64 pooled responses changes when the pattern moves by 8 pixels (the strides' product) or by 4, as a share of "
    "the largest response. A network that knows no place has 0 in the first; between multiples of 8 the strides leave a ripple in all. The last two say for how many places in the upper and in the lower band the answer is class 0. "
    "The order is the same everywhere: where the two numbers differ, the height decided."
)
MAP = (
    "Each point is a place of the pattern (upper left corner of the red square), its colour what the network says there, scaled by the type's largest score. Orange to purple: from 'class 0' (right: red is left) to 'class 1'. "
    "Look for maps whose colour changes from top to bottom: there the answer follows the height, though the pattern does not change. A map that repeats itself every 8 rows and columns up to the border knows no place."
)
ROWS = "The same along one column of the maps, three types in each panel. A line that crosses zero on the way down is an answer by height; one that keeps its sign is not. Dotted: steps of 8 rows, after which a network that knows no place repeats itself."
TWO = (
    "Original: Amsterdam A2's script sets the same seed before it draws training, validation and test pictures. Its validation pictures are the first 1000 training pictures, and its test pictures are these moved by 16 rows. "
    "Its validation accuracy is therefore an accuracy on pictures that were learnt. Under full convolution a shift by 16 rows changes no response, so that there validation and test accuracy are the same number for the same weights; "
    "the table takes the one after the last epoch and the other with the weights of lowest validation loss. Clean: three different seeds."
)


EXPERIMENT = Experiment(
    question="Convolution treats every place alike, they say: can it still tell where a thing is?",
    method="""A response is $f_{x,y} = \\sum_{a,b} h_{a,b}\\, g_{x-a,y-b}$. At the corner, where the picture begins at $g_{1,1}$,
        part of the nine pixels lies outside; padding says what stands there. [[theory-convolution-sizes]] derives which
        pixels these are, and how large the output is.

        A red and a green square, 4 by 4 pixels, on black. In training, 'red is left' goes with
        'in the upper band'. A network may learn the order or the height; the test swaps the bands, so that an
        answer by order is right for every picture, and an answer by height wrong for every picture.

        Four convolutions of 3 by 3 without bias (strides 1, 2, 2, 2), under six borders: none (valid), one row of
        zeros (sconv), two (fconv, full convolution), and two rows that are copied (circular, reflect, replicate).
        Net1 then takes the largest response of each filter, wherever it is; Net2 keeps all places apart. Adadelta,
        batches of 200 in fixed order, the weights of lowest validation loss for the test, first weights from seeds 0, 1, 2, …
        The quick preset trains Net1 for at most 24 epochs and Net2 for 3, the full one both for at most 50 as the assignment
        does, with an end when the validation loss has not fallen for 9.

        Without bias, what sees only black answers with zero, and what sees the same answers the same. The trainings
        compute each different lit window once, which gives the same numbers as torch's convolutions in less time.

        Then one pattern is moved to every place, and the trained networks' answers are drawn as a map; and a red square
        alone is shown at both sides and in both bands.""",
    see="""A filter element that does not meet the pixels at the border makes the response depend on how far the border is;
        four layers carry that into the picture, and the largest response can tell the height. A network that knew
        nothing would have 50 % in the test: if its accuracy is near 0 %, it has knowledge, and of the wrong thing. Under full convolution
        every element meets every pixel, and shifts by the strides' product 8 change no response, so that
        the order is left, and the column of each square but for multiples of 8. A third of the pairs lie too far apart for any
        window to see their order: what can be guessed of these from the columns is counted over all pairs (`fconv: best accuracy by order`), and
        it bounds full convolution alone. Other borders may know more than order: the side at which a square lies. Left squares begin in the
        ten leftmost columns, so a network that can tell the sides of the picture can tell the order of distant squares, in
        the test too, which moves pictures up and down and not sideways. That is how replicate can pass the bound of full convolution.
        Reflected borders show mirrored patterns, other ones at the top than at the bottom. Circular borders join the sides: a window
        sees a far left and a far right square as neighbours in the wrong order; how far circular sorts that out depends on how long it is trained, as the
        figure of test accuracy by epoch shows. Net2 has separate weights for each place.""",
    correction="""The answers to Amsterdam A2 explain valid's 0.09 % by 'spatial information lost in 2 by 2'. Lost information would give
        50 %: the network has information, the absolute height. They say that flattening (Net2) destroys spatial
        information; flattening keeps all of it, and invariance to shifts is what goes. 'All accuracies decrease' in Net2 is not true of
        reflect, which is 0 already in Net1. In 1.1 c.iii the second 'label 0' must read 'label 1'. They say that replicate 'magnifies' signals; that
        does not explain a lead over full convolution in the test. The script's
        validation pictures are training pictures, and its validation accuracy is that of the last epoch, while the test
        uses the best weights.""",
    claims=CLAIMS,
    opens_with=(
        accuracy("Net1", "valid"),
        "fconv: largest change of a response under a shift by 8",
    ),
    presets={
        "quick": Settings(),
        "full": Settings(seeds=10, clean_seeds=10, net1=Lesson(), net2=Lesson()),
    },
    seconds=45,
    run=run,
)
