"""Where a person's mixture gives its log-likelihoods: called, by a method, term by term, or as one number for a batch."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checker.contract import Case
from regard.checker.contracts.mixture.methods import method
from regard.checker.contracts.mixture.reference import logsumexp
from regard.checker.contracts.mixture.roles import told
from regard.checker.process.session import Raised
from regard.checker.subject import Arguments, Subject, first
from regard.checker.workbench import Made, Unfit, Workbench

EXPECTS = r"^_*(e_?step|step_e|expect(ation)?(_?step)?|responsibilit\w*|posteriors?|predict_proba)$"
"Names of the first half of EM."

LIKELY = r"log_?(prob\w*|lik\w*|pdf|density|evidence)|score_samples|log_?p(_?x)?(?![a-z])"
"Names of log-likelihoods."
INNER = r"comp|cond|class|cluster|each|per_|given|weighted|joint|gauss|normal|kernel|prior|posterior|respons"
"Words in the names of what belongs to one component, or comes before the sum over them."

EACH = re.compile(r"comp|cond|class|cluster|each|per_|weighted|joint|terms", re.I)
"Words in the names of functions that give a number for each point and component, as they say."


CHANGES = r"sample|fit|predict|loss|init|start|set_?up|_step$|^step|expect|maximi[sz]|update|^run|train|learn|optimi[sz]|iterat"
"Words in the names of methods that give no likelihood, or change the mixture."


NEGATED = re.compile(r"nll|neg(?![a-z]*(dim|axis))|minus|energy", re.I)
"Words in the names of what gives minus the log-likelihood."


@dataclass
class Pointwise(Subject):
    """A mixture that gives one number for a batch, a mean or a sum: asked point by point, it is the log-likelihood."""

    sign: float = 1.0
    "Minus one where it is a loss."

    def answer(self, case: Case, *, seed: int = 0) -> np.ndarray:
        """The log-likelihood of every point."""
        rows = [case["x"][i : i + 1] for i in range(len(case["x"]))]
        try:
            found = [self._one(row, seed) for row in rows]
        except Raised:
            # What takes no single point is asked with the same one twice, and four times: a mean stays, a sum doubles.
            two, four = (self._one(np.repeat(rows[0], n, axis=0), seed) for n in (2, 4))
            parts = 1.0 if np.allclose(two, four) else 2.0
            found = [self._one(np.repeat(row, 2, axis=0), seed) / parts for row in rows]
        return self.sign * np.concatenate(found)

    def _one(self, x: np.ndarray, seed: int) -> np.ndarray:
        return np.ravel(super().answer(Case(name="", inputs={"x": x}), seed=seed))


def _alone(case: Case) -> Arguments:
    return [case["x"]], {}


def asked(
    bench: Workbench,
    made: Made,
    trial: Case,
    roles: dict[str, str],
    enter: Callable[[Case], Arguments] = _alone,
    known: np.ndarray | None = None,
    method: str = "",
    fitting: Sequence[str] = (),
) -> Subject:
    """The mixture, with the method that gives log-likelihoods and how its answer is read.

    `known` are the points that it was fitted to: of what answers these alone that is said. A `method` may be said;
    those by which it was fitted are not tried.
    """
    subject = Subject(bench, made, enter, lambda answer, case: leave(answer))
    if made.call and not made.module and enter is _alone and _labels(subject, trial):
        made.call = []
    plain = [name for name, asks in made.methods.items() if sum(p["required"] for p in asks) == 1]
    likely = likelihood(plain) or likelihood([name for name, asks in made.methods.items() if asks])
    named = method or bench.member.get("method", "")
    subject.method = named or ("" if made.call else likely or "")
    if subject.method and enter is _alone:
        subject.enter = telling(subject, subject.method, roles)
    enter = subject.enter
    if not (made.call or subject.method):
        try:
            return _searched(subject, trial, roles, fitting) or _expecting(subject, trial, roles)
        except Raised as error:
            if known is not None and subject.method:
                _narrow(subject, known, error, len(trial["x"]))
            raise
    bench.precise(made, *enter(trial), subject.method)
    single = np.size(first(subject.raw(*enter(trial)))) == 1
    if likely and not subject.method and single:
        # Called, it gives its loss; the log-likelihoods have a method of their own.
        subject.method, subject.facts["loss"] = likely, "forward"
        single = np.size(first(subject.raw(*enter(trial)))) == 1
    if single and len(trial["x"]) > 1:
        return _single(subject)
    if not made.module and _is_shares(first(subject.raw(*enter(trial)))):
        subject.facts["shares_asked"] = True
        return subject
    if NEGATED.search(subject.method or bench.name) and not (made.module and not subject.method):
        subject.leave = lambda answer, case: -leave(answer)
    held = bench.strict and made.module
    if (subject.method and not held and _apart(subject, trial, roles)) or _meant(subject, trial, roles):
        subject.leave = lambda answer, case: joined(answer, roles, made)
        subject.facts["terms"] = True
    return subject


def _labels(subject: Subject, trial: Case) -> bool:
    """Whether a call gives every point the number of its component."""
    try:
        found = first(subject.raw(*subject.enter(trial)))
    except Raised:
        return False
    return isinstance(found, np.ndarray) and found.dtype.kind in "iu" and found.shape == trial["x"].shape[:1]


def telling(subject: Subject, name: str, roles: dict[str, str]) -> Callable[[Case], Arguments]:
    """How a method gets its points: alone, or beside the parameters that it must be told, as the object keeps them."""
    parameters = (subject.made.methods | subject.made.hidden)[name]
    own = told(parameters)
    free = [
        p["name"] for p in parameters if p["required"] and not p["star"] and p["name"] not in own.values()
    ]
    if not {"means", "log_variances"} <= set(own) or len(free) != 1:
        return _alone

    def enter(case: Case) -> Arguments:
        held = subject.made.weights | subject.facts.get("drawn", {})
        return [], {word: held[roles[role]] for role, word in own.items()} | {free[0]: case["x"]}

    return enter


def _narrow(subject: Subject, known: np.ndarray, error: Raised, count: int) -> None:
    """Say so where a method answers the points that the mixture was fitted to, and no other number of points."""
    try:
        subject.raw(*subject.enter(Case(name="", inputs={"x": known})))
    except Raised:
        return
    words = (
        f"{subject.method} of the {len(known)} points that it was fitted to runs, of {count} others it raises"
    )
    words += f" {error.kind}: {error.words.splitlines()[0][:120]}"
    raise Unfit(
        "size-dependent", words, "take the number of points from the argument: len(x)", error.line
    ) from None


def _single(subject: Subject) -> Pointwise:
    """What gives one number for a batch: a loss where its name says so, or where it is the call of a module."""
    said = (
        f"{subject.method or subject.bench.name} {subject.bench.member['doc'] if not subject.method else ''}"
    )
    loss = re.search(r"loss|nll|neg|minus|cost|energy|verlust|perte", said, re.I) or (
        not subject.method and subject.made.module
    )
    own = {"bench": subject.bench, "made": subject.made, "enter": subject.enter, "method": subject.method}
    found = Pointwise(**own, leave=subject.leave, sign=-1.0 if loss else 1.0)
    found.facts |= {"single": subject.method or "forward"}
    return found


def _searched(subject: Subject, trial: Case, roles: dict[str, str], fitting: Sequence[str]) -> Subject | None:
    """By a method of any name that takes points and gives a float for each, not all of them between zero and one."""
    bench, made = subject.bench, subject.made
    for name, parameters in made.methods.items():
        subject.enter = telling(subject, name, roles)
        alone = subject.enter is _alone and sum(p["required"] for p in parameters) != 1
        if alone or name in fitting or re.search(CHANGES, name, re.I):
            continue
        try:
            bench.precise(made, *subject.enter(trial), name)
            subject.method = name
            found = leave(subject.raw(*subject.enter(trial)))
        except Raised:
            continue
        one = isinstance(found, np.ndarray) and found.size == 1 < len(trial["x"])
        if one and (found < 0).all() and re.search(r"likelihood|_ll$|^ll$", name, re.I):
            return _single(subject)
        if (
            not isinstance(found, np.ndarray)
            or found.shape != trial["x"].shape[:1]
            or found.dtype.kind != "f"
        ):
            continue
        if (found < 0).any():
            return subject
        if re.search(r"pdf|densit|prob|likelihood|forward|dichte", name, re.I):
            subject.facts["density"] = True
            subject.leave = lambda answer, case: _logged(leave(answer))
            return subject
    subject.method, subject.enter = "", _alone
    return None


def likelihood(methods: list[str]) -> str | None:
    """The method that gives log-likelihoods, as its name says; one that speaks of components last.

    >>> likelihood(["component_log_prob", "log_prob"]), likelihood(["log_prob_each"]), likelihood(["sample"])
    ('log_prob', 'log_prob_each', None)
    """
    for pattern in (
        r"^_?log_?(prob|likelihood|lik|pdf|density)s?$|^score_samples$",
        rf"^(?!.*({INNER}))\w*({LIKELY})",
        LIKELY,
        "score|forward",
    ):
        found = next((name for name in methods if re.search(pattern, name, re.I)), None)
        if found:
            return found
    return None


def _logged(found: np.ndarray) -> np.ndarray:
    """The logarithm of a density."""
    with np.errstate(all="ignore"):
        return np.log(found)


def _expecting(subject: Subject, trial: Case, roles: dict[str, str]) -> Subject:
    """What has only the steps of EM: the log-likelihood that the first of them gives beside the responsibilities."""
    bench, made = subject.bench, subject.made
    methods = made.methods | made.hidden
    for found in (name for name in methods if re.search(EXPECTS, name, re.I)):
        subject.enter = telling(subject, found, roles)
        if subject.enter is _alone and sum(p["required"] for p in methods[found]) != 1:
            continue
        subject.method = found
        bench.precise(made, *subject.enter(trial), found)
        if _beside(subject.raw(*subject.enter(trial))).size:
            own = {"bench": bench, "made": made, "enter": subject.enter, "method": found}
            return Pointwise(**own, leave=lambda answer, case: _beside(answer))
        place = _of_points(subject.raw(*subject.enter(trial)), len(trial["x"]))
        if place is not None:
            subject.leave = lambda answer, case, place=place: leave(answer[place])
            return subject
        shares = first(subject.raw(*subject.enter(trial)))
        if _is_shares(shares):
            subject.facts["shares_asked"] = True
            return subject
        if _is_shares(np.transpose(shares)) and np.shape(shares)[1:] == (len(trial["x"]),):
            subject.facts["shares_asked"] = True
            subject.leave = lambda answer, case: leave(answer).T
            return subject
    raise Unfit(
        "no-likelihood",
        "it is not callable, and no method of it gives the log-likelihood of every point",
        f"say which does: FILE.py:{bench.name}.METHOD, or add one: def log_prob(self, x)",
    )


def _is_shares(found: Any) -> bool:
    """Whether there are numbers for each point that sum to one."""
    return isinstance(found, np.ndarray) and found.ndim == 2 and np.allclose(found.sum(1), 1)


def _beside(answer: Any) -> np.ndarray:
    """The one number that comes beside responsibilities; nothing where there is none."""
    parts = answer if isinstance(answer, list) else []
    ones = [np.ravel(part).astype(np.float64) for part in parts if np.size(part) == 1]
    return ones[0] if len(ones) == 1 and len(parts) == 2 else np.zeros(0)


def _of_points(answer: Any, count: int) -> int | None:
    """The place of the numbers, one for each point and some below zero, that come beside responsibilities."""
    parts = answer if isinstance(answer, list) and len(answer) == 2 else []
    numbers = [isinstance(part, np.ndarray) and part.shape in ((count,), (count, 1)) for part in parts]
    if sum(numbers) != 1 or not _is_shares(parts[1 - numbers.index(True)]):
        return None
    place = numbers.index(True)
    return place if parts[place].dtype.kind == "f" and (parts[place] < 0).any() else None


def _apart(subject: Subject, trial: Case, roles: dict[str, str]) -> bool:
    """Whether a method gives a number for each point and component, in which the mixing weights play a part."""
    weights, k = subject.made.weights, subject.made.weights[roles["logits"]].size
    before = first(subject.raw(*subject.enter(trial)))
    if np.shape(before) != (len(trial["x"]), k) or k == 1:
        return False
    held = weights[roles["logits"]]
    other = np.linspace(1.0, 2.0, k) / np.linspace(1.0, 2.0, k).sum()
    subject.set({roles["logits"]: other.reshape(held.shape).astype(held.dtype)})
    after = first(subject.raw(*subject.enter(trial)))
    if not np.allclose(before, after):
        return True
    raise Unfit(
        "no-likelihood",
        f"{subject.method} gives the density of each component, without its weight: no log-likelihood of a point",
        f"say which method gives it: FILE.py:{subject.bench.name}.METHOD, or add one: def log_likelihood(self, x)",
    )


def _meant(subject: Subject, trial: Case, roles: dict[str, str]) -> bool:
    """Whether a function gives a number for each point and component, and its name says that it should."""
    k, told = subject.made.weights[roles["logits"]].size, EACH.search(subject.bench.name)
    return bool(
        subject.bench.member["kind"] == "function"
        and told
        and np.shape(first(subject.raw(*subject.enter(trial)))) == (len(trial["x"]), k)
    )


def leave(answer: Any) -> np.ndarray:
    """One number for each sample; a last axis of one is taken off."""
    found = first(answer)
    return found[:, 0] if isinstance(found, np.ndarray) and found.ndim == 2 and found.shape[1] == 1 else found


def joined(answer: Any, roles: dict[str, str], made: Made) -> np.ndarray:
    """The log-likelihood, where the terms of the components come one by one."""
    found, k = leave(answer), made.weights[roles["logits"]].size
    terms = isinstance(found, np.ndarray) and found.ndim == 2 and found.shape[1] == k
    with np.errstate(all="ignore"):
        return logsumexp(found.astype(np.float64)) if terms else found


def responsibilities(subject: Subject) -> str | None:
    """The method that gives them, if there is one."""
    return method(subject, EXPECTS) or method(subject, r"^(?=.*respons)(?!.*log)(?!.*update)\w+$")
