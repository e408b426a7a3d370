"""A small score that is seen keeps its weight: a number in place of minus infinity hides only from larger ones."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from regard.checker.contract import Broken, Case, Law
from regard.checker.contracts.attention import function_probes
from regard.checker.contracts.attention.layer import SEQUENCE, tokens
from regard.checker.contracts.attention.masks import probes
from regard.checker.laws import MOVES, gap
from regard.checker.subject import Subject

TIMES = 7.0
"How much larger than usual inputs are: some scores are then below -100, as those of trained layers may be; none is below -1000."
MANY = 8
"Samples of a layer, or no score of a token that is seen alone may be small."

Pair = Callable[[Subject, np.random.Generator, float], tuple[Case, Case] | None]
"Inputs so many times as large as usual in which some queries see the first key alone, and the same with other keys behind it."


def faint(pair: Pair, rows: Callable[[Subject], slice]) -> Law:
    """The rows of an answer that see the first key alone do not move with the others, however small its score is."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        for times in (1.0, TIMES):
            if (asked := pair(subject, rng, times)) is None:
                return None
            before, after = (subject.answer(case)[..., rows(subject), :] for case in asked)
            if (moved := gap(before, after)) > MOVES[subject.kind]:
                break
        else:
            return None
        if times == 1.0:
            return None  # other laws tell what is seen at any size
        words = (
            f"inputs {times:g} times as large as usual, so that some scores are below -100: "
            f"changing what is hidden moves the outputs by {moved:.3g} of their size"
        )
        return Broken(number=moved, words=words, slug="mask-weak")

    says = "what is hidden has no weight, however small the scores of what is seen"
    return Law(name="faint", says=says, test=test, look="mask masked")


def _behind(x: np.ndarray, rng: np.random.Generator, times: float) -> np.ndarray:
    """The same with other tokens behind the first."""
    return np.concatenate([x[..., :1, :], rng.standard_normal(x[..., 1:, :].shape) * times], axis=-2)


def _first(case: Case) -> Case:
    """The same with a mask that shows the first key alone."""
    mask = np.zeros_like(case["mask"])
    mask[..., 0] = True
    return replace(case, inputs=case.inputs | {"mask": mask})


def _of_function(subject: Subject, rng: np.random.Generator, times: float) -> tuple[Case, Case] | None:
    facts = subject.facts
    if not facts["mask"]:
        return None
    size = 1.5 * times
    case = _first(function_probes.asked(rng, facts["shape"], masked=True, size=size, layout=facts["layout"]))
    other = {name: _behind(case[name], rng, size) for name in ("key", "value")}
    return case, replace(case, inputs=case.inputs | other)


def _of_layer(subject: Subject, rng: np.random.Generator, times: float) -> tuple[Case, Case] | None:
    facts = subject.facts
    if not facts["mask"]:
        return None
    case = _first(probes.asked(subject, rng, masked=True, size=times, batch=MANY))
    key = _behind(case["key"], rng, times)
    value = key if case["value"] is case["key"] else _behind(case["value"], rng, times)
    other = {"key": key, "value": value} | ({} if facts["cross"] else {"query": key})
    return case, replace(case, inputs=case.inputs | other)


def _of_past(subject: Subject, rng: np.random.Generator, times: float) -> tuple[Case, Case] | None:
    facts = subject.facts
    case = tokens(rng, min(SEQUENCE, facts["most"]), batch=MANY, width=facts["width"], size=times)
    x = _behind(case["query"], rng, times)
    return case, replace(case, inputs={"query": x, "key": x, "value": x})


def _whole(subject: Subject) -> slice:
    """Every query where the queries are no keys, else the first alone."""
    return slice(None) if subject.facts.get("cross", True) else slice(1)


FUNCTION, LAYER, PAST = (
    faint(_of_function, _whole),
    faint(_of_layer, _whole),
    faint(_of_past, lambda _: slice(1)),
)
