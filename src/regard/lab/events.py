"""Events of a run: metrics, paired metrics, figures, tables, texts, progress."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from regard.lab.statistics import Summary, difference

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value = str | int | float | bool | None


@dataclass(frozen=True)
class Metric:
    """A number. With coordinates `at` it is a point of a curve; without, a claim may speak of it."""

    name: str
    value: Any
    "A number of Python, numpy or torch; it is kept as Python's."
    seed: int | None = None
    at: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class PairedMetric:
    """Two variants under the same seeds; what is reported is `first` minus `second`."""

    name: str
    labels: tuple[str, str]
    first: Mapping[int, Any]
    second: Mapping[int, Any]

    @property
    def difference(self) -> Summary:
        return difference(self.first, self.second)


@dataclass(frozen=True)
class FigureEvent:
    """A figure and what to see in it."""

    name: str
    figure: "Figure"
    caption: str


@dataclass(frozen=True)
class TableEvent:
    """A table and what to see in it."""

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]
    caption: str


@dataclass(frozen=True)
class TextEvent:
    """A text to be shown under a heading as it stands: a sample, a warning, where the data came from."""

    name: str
    text: str


@dataclass(frozen=True)
class ProgressEvent:
    """What is being done, and which share of the whole is behind it."""

    what: str
    share: float
    left: float | None = None
    "Seconds to its end, where the experiment knows them."

    @property
    def told(self) -> str:
        """What is being done, and how long it still takes where that is known."""
        return self.what + ("" if self.left is None else f", about {clock(self.left)} left")


def clock(seconds: float) -> str:
    """Minutes and seconds, with hours where there are any.

    >>> clock(14.2), clock(3723)
    ('0:14', '1:02:03')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


Event = Metric | PairedMetric | FigureEvent | TableEvent | TextEvent | ProgressEvent
Kept = Metric | PairedMetric | TableEvent | TextEvent
KINDS: dict[str, type[Kept]] = {
    "metric": Metric,
    "paired metric": PairedMetric,
    "table": TableEvent,
    "text": TextEvent,
}
"What a line of the log calls each event."
NAMES = {event: kind for kind, event in KINDS.items()}


def pack(event: Kept) -> dict[str, Any]:
    """An event as a plain dictionary, for a line of JSON, which has no word for what is not finite."""
    fields = asdict(event)
    if isinstance(event, Metric) and not isfinite(event.value):
        fields["value"] = str(event.value)
    return {"kind": NAMES[type(event)], **fields}


def unpack(line: Mapping[str, Any]) -> Kept:
    """The event that `pack` made into a dictionary.

    >>> unpack(pack(Metric("loss", 1.5, seed=3)))
    Metric(name='loss', value=1.5, seed=3, at={})
    """
    fields = {name: value for name, value in line.items() if name != "kind"}
    if line["kind"] == "metric":
        fields["value"] = float(fields["value"])
    if line["kind"] == "paired metric":
        fields["labels"] = tuple(fields["labels"])
        for side in ("first", "second"):
            fields[side] = {int(seed): value for seed, value in fields[side].items()}
    return KINDS[line["kind"]](**fields)
