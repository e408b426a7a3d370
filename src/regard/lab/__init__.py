"""The lab: experiments that ask a question, measure, draw and settle their claims.

What an experiment of one's own needs is here; a name brings its file when it is first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from regard.claims import Claim
    from regard.lab.events import FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
    from regard.lab.experiment import Context, Experiment, OwnWords

_EVENTS = ("FigureEvent", "Metric", "PairedMetric", "ProgressEvent", "TableEvent", "TextEvent")
_HOME = {"Claim": "regard.claims"} | dict.fromkeys(_EVENTS, "regard.lab.events")
_HOME |= dict.fromkeys(("Context", "Experiment", "OwnWords"), "regard.lab.experiment")

__all__ = [
    "Claim",
    "Context",
    "Experiment",
    "FigureEvent",
    "Metric",
    "OwnWords",
    "PairedMetric",
    "ProgressEvent",
    "TableEvent",
    "TextEvent",
]


def __getattr__(name: str):
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'regard.lab' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value
