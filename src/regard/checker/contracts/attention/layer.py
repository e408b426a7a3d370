"""How a person's attention layer is made and called, for the causal and the masked contract."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.conduct import BIAS
from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.attention import reference as attention
from regard.checker.contracts.attention.conventions import SEQUENCE_FIRST
from regard.checker.contracts.attention.heeded import idle
from regard.checker.process.session import Raised
from regard.checker.reading.arguments import ALIASES, mean
from regard.checker.reading.settings import constant
from regard.checker.roles import gather, role
from regard.checker.subject import Subject, draw, first
from regard.checker.weight_maps import frames
from regard.checker.workbench import Made, Unfit, Workbench

WIDTH, HEADS, LENGTH = 24, 3, 260
DROPOUT = 0.35
"Not 0.3: what is left, 7 of 10, could be taken for the 7 tokens."
SEQUENCE, BATCH, KEYS = 7, 2, 5
"Pairwise different, so that no axis can be taken for another."
OTHER_HEADS = (8, 4, 2, 3, 6, 12)
MORE_HEADS, MORE_QUERY_HEADS = 5, 9
"At widths that these divide."
ROLES = "qkvo"
QUERY_HEADS, KEY_HEADS = 6, 3
"For a layer with fewer key heads than query heads: several groups of several heads, or their order could not show."


def known(bench: Workbench) -> dict[str, Any]:
    """Sizes by meaning; of two kinds of heads where the source speaks of them."""
    words = set(re.findall(r"\w+", bench.source.text_of(bench.name).lower()))
    wide = WIDTH + bench.stretch
    if not words & ALIASES["key_heads"]:
        heads = MORE_HEADS if wide % MORE_HEADS == 0 else HEADS
        return {"width": wide, "heads": heads, "length": LENGTH, "head_width": wide // heads}
    heads = QUERY_HEADS if wide % QUERY_HEADS == 0 else MORE_QUERY_HEADS
    return {
        "width": wide,
        "heads": heads,
        "length": LENGTH,
        "head_width": wide // heads,
        "key_heads": KEY_HEADS,
    }


def make(bench: Workbench, *, causal: bool, dropout: float = DROPOUT) -> Made:
    """The layer, with dropout asked for: in eval() it must not show."""
    asked = known(bench) | {"dropout": dropout, "causal": causal, "bias": None, "batch_first": True}
    twice = _widths(bench)
    if len(twice) > 1:
        bench.said = {name: str(WIDTH + bench.stretch) for name in twice} | bench.said
    made = bench.build(asked)
    fitting = _fitting(made)
    return bench.build(asked | fitting) if fitting else made


def _fitting(made: Made) -> dict[str, int]:
    """Heads and their width for a layer whose own width the file sets, where those that were asked for do not fill it."""
    if "width" in made.built.meant or not {"heads", "head_width"} <= set(made.built.meant):
        return {}
    wide, heads = width_of(made), made.built.given("heads")
    if heads * made.built.given("head_width") == wide:
        return {}
    heads = next((h for h in (heads, *OTHER_HEADS) if wide % h == 0), 0)
    return {"heads": heads, "head_width": wide // heads} if heads else {}


def _widths(bench: Workbench) -> list[str]:
    """Parameters that are widths; beside a size of queries also those of keys and values, which alone are a head's."""
    names = [p["name"] for p in bench.member["parameters"]]
    found = [name for name in names if mean(name, ["width"])]
    beside = any(name.startswith("q") for name in found)
    return [n for n in names if n in found or (beside and re.fullmatch(r"(key|value|k|v)_(size|dim)", n))]


def narrow(bench: Workbench, *, causal: bool) -> Made | None:
    """The layer with an output as wide as one head, where the constructor takes that width apart."""
    if len(_widths(bench)) < 2 or bench.made is not None or bench.making is not None:
        return None
    bench.said |= {_widths(bench)[-1]: str((WIDTH + bench.stretch) // known(bench)["heads"])}
    return make(bench, causal=causal)


def heads_of(bench: Workbench, made: Made) -> int:
    """How many heads it has: as asked, as an attribute says, or one."""
    return told_heads(bench, made) or 1


def told_heads(bench: Workbench, made: Made) -> int | None:
    """How many heads it has, where the call, an attribute, a list or the file says so."""
    named = [p["name"] for p in bench.member["parameters"] if mean(p["name"], ["heads"])]
    said = next((bench.said[name] for name in ("heads", *named) if name in bench.said), "")
    if said.isdigit():
        return int(said)
    if "heads" in made.built.meant:
        return made.built.given("heads")
    lists = {int(word) for name in made.learned for word in name.split(".") if word.isdigit()}
    for name, value in made.numbers.items():
        if name.lower().strip("_") in ALIASES["heads"] and isinstance(value, int):
            return value
    return max(lists) + 1 if lists else constant(bench.source, bench.member, "heads")


def width_of(made: Made) -> int:
    """The width of its input, as its weights show: a layer may take it from elsewhere in the file."""
    if "width" in made.built.meant:
        return WIDTH + made.stretch
    shapes = {size for name in made.learned for size in made.weights[name].shape}
    told = [
        value
        for name, value in made.numbers.items()
        if type(value) is int and mean(name, ["width"]) and value in shapes
    ]
    if told:
        return told[-1]
    sizes = [made.weights[name].shape for name in made.learned if made.weights[name].ndim == 2]
    linear = [
        made.weights[name].shape[1]
        for name in made.learned
        if made.weights[name].ndim >= 2 and made.owners[name] in ("Linear", "Conv1d")
    ]
    return linear[0] if linear else sizes[0][0] if sizes else WIDTH


def most_tokens(made: Made) -> int:
    """The longest sequence it takes: as asked, or as an object or a class of fixed sizes says."""
    if "length" in made.built.meant:
        return LENGTH
    told = [value for name, value in made.numbers.items() if type(value) is int and mean(name, ["length"])]
    return min([LENGTH, *(value for value in told if value > 1)])


def prepare(
    bench: Workbench, subject: Subject, trial: Case, rng: np.random.Generator, *, causal: bool
) -> None:
    """Find the precision, draw the weights, read the roles."""
    made = subject.made
    bench.precise(made, *subject.enter(trial))
    if "dropout" in made.built.meant and laws.unsteady(subject, trial):
        # Dropout that works in eval() hides everything else: note it, and judge the rest without.
        subject.facts["unsteady"] = laws.unsteady(subject, trial)
        subject.made = made = make(bench, causal=causal, dropout=0.0)
        bench.precise(made, *subject.enter(trial))
    wanted = trial["query"].shape
    answer = subject.answer(trial)
    if answer.shape == (*wanted[:-1], wanted[-1] * heads_of(bench, made)) and (
        other := narrow(bench, causal=causal)
    ):
        # The width that was taken for the output's is that of one head.
        subject.made = made = other
        bench.precise(made, *subject.enter(trial))
        answer = subject.answer(trial)
    drawn = draw(made, rng)
    subject.set(drawn)
    free = not any(role(name) == "o" for name in made.learned) and answer.shape[:-1] == wanted[:-1]
    if answer.shape != wanted and not free:
        raise Unfit(
            "wrong-shape",
            f"an input {wanted} gives an output {answer.shape}, not {wanted}",
            "return (batch, tokens, channels)",
        )
    subject.facts |= {
        "drawn": drawn,
        "trial": trial,
        "width": trial["query"].shape[-1],
        "heads": heads_of(bench, made),
    }
    facts = {
        "heads": subject.facts["heads"],
        "width": subject.facts["width"],
        "causal": causal,
        "cross": subject.facts.get("cross", False),
    }
    held = made.weights | drawn
    # Where nothing tells how many heads there are, every number that divides the width may be meant.
    free_heads = told_heads(bench, made) is None and not bench.strict
    others = [h for h in OTHER_HEADS if facts["width"] % h == 0] if free_heads else []

    def read(heads: int) -> list[WeightMap]:
        learned = [name for name in made.learned if name not in subject.facts.get("idle", [])]
        weights, thirds = gather(held, made.owners, learned), bench.source.thirds(bench.name)
        halves = bench.source.thirds(bench.name, "kv") or bench.source.thirds(bench.name, "kq")
        own = facts | {"heads": heads, "halves": halves}
        return frames(weights, thirds=thirds, said=bench.said, facts=own)

    found: list[WeightMap] = []
    with suppress(Unfit):
        found = read(facts["heads"])
    found = _without_idle(subject, drawn, found, read)
    for heads in others:
        with suppress(Unfit):  # some weights cannot be cut into so many heads
            found += read(heads)
    fitting = [frame for frame in found if frame["wo"].shape[1] == answer.shape[-1]]
    more = norm_of(held, made.learned, answer.shape[-1])
    subject.frames = [
        replace(
            frame,
            weights=frame.weights | more,
            conventions=(*frame.conventions, *subject.facts.get("conventions", ())),
        )
        for frame in fitting or found
    ]
    subject.facts["unreadable"] = not fitting


def _without_idle(
    subject: Subject,
    drawn: dict[str, np.ndarray],
    found: list[WeightMap],
    read: Callable[[int], list[WeightMap]],
) -> list[WeightMap]:
    """The readings of what is used, where there are more matrices than it takes or no reading can be computed."""
    facts = subject.facts
    if not _many(drawn) and any(_computes(facts["trial"], frame) for frame in found):
        return found
    facts["idle"] = idle(subject, facts["trial"], drawn)
    try:
        return read(facts["heads"])
    except Unfit:
        if not found:
            raise
        facts["idle"] = []
        return found


def _many(drawn: dict[str, np.ndarray]) -> bool:
    """Whether there are more kinds of matrices than queries, keys, values and output need; a list is one kind.

    >>> _many({f"{name}.weight": np.eye(2) for name in ("q.0", "q.1", "k", "v", "o")})
    False
    """
    matrices = [name for name, value in drawn.items() if value.ndim > 1 and not BIAS.search(name)]
    return len({re.sub(r"\d+", "#", name) for name in matrices}) > len(ROLES)


def _computes(trial: Case, frame: WeightMap) -> bool:
    """Whether the reference can be computed under a reading at all."""
    try:
        attention.output(trial, frame, {})
    except (ValueError, IndexError, KeyError, TypeError, ZeroDivisionError):
        return False
    return True


def norm_of(weights: dict[str, np.ndarray], learned: list[str], width: int) -> dict[str, np.ndarray]:
    """Gain and bias of a norm inside the layer, if it has one."""
    own = [name for name in learned if re.search(r"norm|ln", name, re.I) and weights[name].shape == (width,)]
    gain = next((weights[name] for name in own if "bias" not in name), None)
    shift = next((weights[name] for name in own if "bias" in name), np.zeros(width))
    return {} if gain is None else {"gain": gain, "shift": shift}


def tokens(
    rng: np.random.Generator,
    count: int = SEQUENCE,
    *,
    batch: int = BATCH,
    width: int = WIDTH,
    size: float = 1.0,
) -> Case:
    """A batch of random sequences, as queries, keys and values at once."""
    x = rng.standard_normal((batch, count, width)) * size
    return Case(name=f"{batch} sequences of {count} tokens", inputs={"query": x, "key": x, "value": x})


def changed(case: Case, start: int, rng: np.random.Generator) -> Case:
    """The same sequences with other tokens from `start` on."""
    x = case["query"].copy()
    x[:, start:] = rng.standard_normal(x[:, start:].shape)
    return Case(name=case.name, inputs={"query": x, "key": x, "value": x})


FIRST = "tokens come before samples, (tokens, batch, channels), as the source says"


def sequence_first(bench: Workbench) -> bool:
    """Whether a person's words say that the first axis is the sequence."""
    told = (bench.made or {}).get("numbers", {}).get("batch_first")
    if told is not None:
        return not told
    return "axes=sequence-first" in bench.wanted or bool(
        re.search(SEQUENCE_FIRST.words, bench.source.said(bench.name), re.I)
    )


def output(
    answer: Any,
    case: Case,
    turn: Callable[[np.ndarray], np.ndarray] = lambda x: x,
    *,
    alone: bool = False,
) -> np.ndarray:
    """The output among what a layer returns: the array of the query's shape, else the first; `alone` where it takes one sequence."""
    wanted = turn(case["query"]).shape
    items = answer if isinstance(answer, list) else []
    found = next(
        (item for item in items if isinstance(item, np.ndarray) and item.shape == wanted), first(answer)
    )
    if alone and isinstance(found, np.ndarray) and found.ndim == 2:
        found = found[None]
    return turn(found) if isinstance(found, np.ndarray) and found.ndim == 3 else found


def short(bench: Workbench, subject: Subject, trial: Case, whole: Case, error: Raised) -> None:
    """Tell a layer that runs only at its full length from one that does not run."""
    try:
        values, named = subject.enter(whole)
        bench.precise(subject.made, values, named)
    except Raised:
        raise error from None
    words = f"{trial['query'].shape[1]} tokens fail ({error.kind}: {error.words.splitlines()[0][:120]}), {whole['query'].shape[1]} run"
    raise Unfit("mask-not-sliced", words, "cut the mask to the length of the input: mask[:n, :n]", error.line)
