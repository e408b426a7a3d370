"""A token with the cache of those before it is answered as among them: what goes wrong there, each as steps of the reference."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from regard.checker.contract import Broken, Case, Law, Mistake, Steps
from regard.checker.contracts.attention.calls import NO_TOKENS, START
from regard.checker.contracts.attention.reference import output
from regard.checker.contracts.rotary.tables import TABLE
from regard.checker.laws import MOVES, gap
from regard.checker.process.session import Raised
from regard.checker.subject import Arguments, Subject
from regard.checker.workbench import Unfit

Array = np.ndarray
CACHE = re.compile(r"cache|past", re.I)
"Names of what is kept of earlier tokens."
MISTAKES = (
    Mistake(
        slug="cache-positions",
        cause="with a cache, the rotary positions of new tokens begin at 0 again",
        remedy="count the positions of new tokens from the number of cached ones: torch.arange(past, past + n)",
        look="frequency trigonometry",
    ),
    Mistake(
        slug="cache-mask",
        cause="with a cache, the causal mask is not moved by the number of cached tokens: a new token sees only the oldest keys",
        remedy="let token i of n see the keys up to i + m - n: torch.ones(n, m).tril(m - n)",
        look="mask masked",
    ),
    Mistake(
        slug="cache-unused",
        cause="with a cache, a new token sees itself alone: the cached keys and values are not used",
        remedy="put the cached keys and values before the new ones: torch.cat([past, new], dim=-2)",
        look="concatenate",
    ),
)


def _sees(shown: Callable[[Array, int], Array]) -> Steps:
    """The last token sees other keys than all."""

    def see(seen: Array, size: Any) -> Array:
        keys = np.arange(seen.shape[-1])
        last = np.arange(seen.shape[-2])[:, None] == seen.shape[-2] - 1
        return np.where(last, shown(keys, len(keys)), seen)

    return {"see": see}


def _explained(steps: Steps) -> Iterator[tuple[str, Steps]]:
    """Mistakes with a cache, as what the last token of the whole sequence then gets."""
    yield "cache-mask", _sees(lambda keys, count: keys == 0)
    yield "cache-unused", _sees(lambda keys, count: keys == count - 1)
    if place := steps.get("place"):

        def again(q: Array, k: Array) -> tuple[Array, ...]:
            # What stands at position 0 is not turned.
            return tuple(
                np.concatenate([t[:, :, :-1], x[:, :, -1:]], 2)
                for t, x in zip(place(q, k), (q, k), strict=True)
            )

        yield "cache-positions", {"place": again}


def continued(usual: Callable[[Subject, np.random.Generator], Case]) -> Law:
    """Where a cache is taken and given back, the last token alone with the cache of the others is answered as with them."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        name = _cache(subject)
        if name is None:
            return None
        asked = {p["name"]: True for p in _free(subject) if p["default"] is False and CACHE.search(p["name"])}
        case = usual(subject, rng)
        whole = subject.answer(case)
        try:
            kept = _kept(subject.raw(*_more(subject.enter(_tokens(case, np.s_[:-1])), asked)))
            last = _tokens(case, np.s_[-1:])
            if kept is None:
                return None
            answer = subject.leave(subject.raw(*_more(subject.enter(last), asked | {name: kept})), last)
        except (Raised, Unfit):
            return None  # its cache has another form
        if np.shape(answer) != whole[:, -1:].shape:
            return None
        moved = gap(whole[:, -1:], answer)
        if moved <= MOVES[subject.kind]:
            return None
        steps = subject.facts.get("steps", {})
        slug = next(
            (slug for slug, more in _explained(steps) if _near(subject, case, steps | more, answer)), ""
        )
        words = f"the last token with the {name} of the others differs by {moved:.3g} from the same token among them"
        return Broken(number=moved, words=words, slug=slug)

    says = "a token with the cache of those before it is answered as among them"
    return Law(name="continued", says=says, test=test, look="concatenate masked")


def _free(subject: Subject) -> list[dict[str, Any]]:
    return [p for p in subject.made.call if not (p["required"] or p["star"])]


def _cache(subject: Subject) -> str | None:
    """The argument for what is kept of earlier tokens, where nothing else says at which positions new ones stand."""
    name = next((p["name"] for p in _free(subject) if CACHE.search(p["name"]) and p["default"] is None), None)
    others = [p["name"] for p in subject.made.call if p["name"] != name]
    turned = "rotary-inside" in subject.facts.get("agreed", ())
    told = any(START.search(n) or (turned and (NO_TOKENS.search(n) or TABLE.match(n))) for n in others)
    return None if told else name


def _near(subject: Subject, case: Case, steps: Steps, answer: Array) -> bool:
    """Whether the last token of a program gets an answer."""
    return gap(output(case, subject.frame, steps)[:, -1:], answer) <= MOVES[subject.kind]


def _tokens(case: Case, part: slice) -> Case:
    return replace(case, inputs={name: value[:, part] for name, value in case.inputs.items()})


def _more(arguments: Arguments, named: dict[str, Any]) -> Arguments:
    return arguments[0], arguments[1] | named


def _kept(answer: Any) -> Any:
    """The cache that comes beside an output, as it is handed over again; None where there is none."""
    if not isinstance(answer, list) or len(answer) != 2 or not isinstance(answer[1], list | np.ndarray):
        return None
    return _handed(answer[1])


def _handed(value: Any) -> Any:
    return {"tuple": [_handed(part) for part in value]} if isinstance(value, list) else value
