"""Layouts of a norm's input: channels last, or second as convolutions have them, or rows without tokens."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from regard.checker.choices import said
from regard.checker.contract import Case, Convention
from regard.checker.process.session import Raised
from regard.checker.subject import Arguments, Subject, first
from regard.checker.workbench import Made, Unfit, Workbench

SECOND = Convention(
    slug="channels-second",
    says="channels come second: (b, c, n), as convolutions have them",
    choice="channels=second",
    words=r"channels?[\s_-]*first|\bnchw\b|\bncl\b|\(\s*\w+,\s*(c|ch|channels?|features)\s*,\s*\w+",
)
Change = Callable[[np.ndarray], np.ndarray]
ROWS = re.compile(
    r"\(\s*(n|b|m|batch\w*|samples?|rows?)\s*,\s*(d|c|f|h|dim\w*|features?|channels?|hidden\w*|width)\s*\)",
    re.I,
)
MORE = re.compile(r"\(\s*(\w+|\.\.\.|\*)\s*,\s*\w+\s*,\s*\w+")
"Axes as a person writes them whose input has one row for each sample and no tokens, or has more axes."
LAYOUTS: dict[str, tuple[Change, Change]] = {
    "last": (lambda x: x, lambda y: y),
    "second": (lambda x: x.swapaxes(1, 2), lambda y: y.swapaxes(1, 2)),
    "picture": (lambda x: x.swapaxes(1, 2)[..., None], lambda y: y[..., 0].swapaxes(1, 2)),
    "rows": (lambda x: x.reshape(-1, x.shape[-1]), lambda y: y),
}
"How tokens (b, n, c) go in, and how what comes out becomes tokens again."


def called(
    bench: Workbench, made: Made, given: Callable[[Any], Arguments], trial: Case
) -> tuple[Subject, tuple[str, ...]]:
    """The norm in the first layout that it takes, and what that layout assumes."""
    told = said(SECOND, bench)
    if bench.strict and not told:
        order = ["last"]
    else:
        order = sorted(LAYOUTS, key=lambda name: (name == "last") is told)
    words = bench.source.said(bench.name)
    if ROWS.search(words) and not MORE.search(words):
        order = ["rows", *(name for name in order if name != "rows")]
    error: Raised | None = None
    for name in order:
        into, back = LAYOUTS[name]
        subject = Subject(bench, made, *_ways(given, into, back))
        try:
            bench.precise(made, *subject.enter(trial))
            answer = subject.answer(trial)
        except Raised as trouble:
            error = error or trouble
            continue
        if answer.shape == trial["x"].shape:
            subject.facts["axes"] = name
            return subject, () if name in ("last", "rows") else (SECOND.slug,)
        if name == "last":
            words = f"an input {trial['x'].shape} gives an output {answer.shape}"
            raise Unfit("wrong-shape", words, "return the shape of the input")
    assert error
    raise error


def _ways(
    given: Callable[[Any], Arguments], into: Change, back: Change
) -> tuple[Callable[[Case], Arguments], Callable[..., np.ndarray]]:
    def leave(answer: object, case: Case) -> np.ndarray:
        found = first(answer)
        fits = isinstance(found, np.ndarray) and found.shape == into(case["x"]).shape
        return back(found).reshape(case["x"].shape) if fits else found

    def enter(case: Case) -> Arguments:
        x = np.ascontiguousarray(into(case["x"]))
        return given({"strided": x} if case.facts.get("strided") else x)

    return enter, leave
