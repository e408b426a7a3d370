"""How a person's attention layer is called: which axis holds the tokens, what its mask means, what else it asks for."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.contract import Case
from regard.checker.contracts.attention.conventions import HIDES, MASK_ADDED
from regard.checker.contracts.rotary.tables import TABLE, tables
from regard.checker.process.session import Lost, Raised
from regard.checker.reading.arguments import mean
from regard.checker.reading.source import role
from regard.checker.subject import Subject
from regard.checker.workbench import Made, Unfit, Workbench

MASK = re.compile(
    r"mask|masque|mascar|mascher|valid_?len|^lengths?$|^lens$|seq_lens?$|^(keep|valid|visible|allowed|(key_)?padding|pad)$",
    re.I,
)
COUNTED = re.compile(r"len", re.I)
OTHER = re.compile(r"head_?mask|layer|quer|^q_|out|tgt|target", re.I)
"Masks that hide no keys."
NOTHING = re.compile(r"cache|past|state|dropout|kv$|bias$|return|need|output_att|use_", re.I)
GRAPH = re.compile(r"adj(acency)?(_?mat(rix)?)?$|^edges?($|_)|^graph$|neighbou?rs?$", re.I)
START = re.compile(r"start|offset|^pos$|position$|cur", re.I)
CONTEXT = re.compile(
    r"^(x_)?(kv|context|ctx|memory|cond|src|source|other)(_x|_states|_tokens|_seq(uence)?|_emb(eddings?)?|_features|_inputs?)?$|^enc(oded|oder)?(_\w*(out\w*|states?|seq))?$",
    re.I,
)
"Names of tokens that queries look at instead of their own."
NO_TOKENS = re.compile(
    r"pos|rope|rot|freq|time|step|idx|index|(^|_)id$|layer|alibi|scale|temperature|info|meta", re.I
)
"Names of what a call may need that is no sequence."
MEANINGS = ("seen", "hide", "additive")
SLUGS = {"hide": "mask-hides", "additive": "mask-additive"}


@dataclass(frozen=True)
class MaskForm:
    """One way to hide keys: the argument, the shape of what is given for it, and what True means."""

    name: str
    layout: str
    meaning: str


def on_graph(parameters: list[dict[str, Any]]) -> bool:
    """Whether a call needs a graph beside its features: then it is attention over neighbours, not over a sequence.

    >>> on_graph([{"name": "x", "required": True}, {"name": "adj", "required": True}])
    True
    """
    return any(p["required"] and GRAPH.search(p["name"]) for p in parameters[:3])


def told(mask: np.ndarray, meaning: str) -> np.ndarray:
    """A mask of what may be seen, in the person's own meaning."""
    if meaning == "additive":
        return np.where(mask, 0.0, -np.inf)
    return ~mask if meaning == "hide" else mask


def meanings(bench: Workbench, name: str | None) -> tuple[str, ...]:
    """What a mask may mean, the likeliest first: one where somebody says so or the contract's own is asked for."""
    if "mask" in bench.said:
        return (bench.said["mask"],)
    wanted = {"mask=hidden": "hide", "mask=additive": "additive", "mask=seen": "seen"}
    said = [wanted[word] for word in bench.wanted if word in wanted]
    first = "hide" if name and re.search(r"pad|ignore", name) else _written(bench, name)
    first = "additive" if name and name.endswith("bias") else first
    if said or bench.strict:
        return (*said, first)[:1]
    return (first, *(m for m in MEANINGS if m != first))


def _written(bench: Workbench, name: str | None) -> str:
    """What a mask means in the words of the file, those beside its own name first; where it says nothing, True shows."""
    words = bench.source.said(bench.name).removeprefix(bench.source.file)
    sentences = re.split(r"\.\s|\n", words)
    others = [
        p["name"] for p in bench.member.get("forward", []) if MASK.search(p["name"]) and p["name"] != name
    ]
    own = [s for s in sentences if name and re.search(rf"\b{re.escape(name)}\b", s)]
    rest = [s for s in sentences if not any(re.search(rf"\b{re.escape(other)}\b", s) for other in others)]
    known = {"hide": HIDES, "additive": MASK_ADDED.words}
    for heard in (own, rest):
        for meaning, told in known.items():
            if re.search(told, "\n".join(heard), re.I):
                return meaning
    return "seen"


@dataclass
class Further:
    """Arguments that a call needs besides its inputs and its mask: positions, tables, counts, nothing."""

    bench: Workbench
    made: Made
    inputs: tuple[str, ...]
    "Parameters that are inputs or masks."
    head_width: int
    table: Callable[[int, list[str], int], list[Any]] | None = None

    def named(self, count: int) -> dict[str, Any]:
        """For a call with so many tokens."""
        found: dict[str, Any] = {}
        asked = [p["name"] for p in self.made.call if p["required"] and not p["star"]]
        rest = [n for n in asked if n not in self.inputs and n not in self.bench.calling]
        tabled = [name for name in rest if TABLE.match(name)]
        if tabled and self.table:
            found |= dict(zip(tabled, self.table(0, tabled, count), strict=False))
        for name in (n for n in rest if n not in found):
            found[name] = self._one(name, count)
        return found

    def _one(self, name: str, count: int) -> Any:
        meaning = mean(name, ["length", "head_width", "heads"])
        if START.search(name):
            return 0
        if name == "device":
            return "cpu"
        if meaning:
            heads = self.made.built.given("heads") if "heads" in self.made.built.meant else 1
            return {"length": count, "head_width": self.head_width, "heads": heads}[meaning]
        if not NOTHING.search(name):
            self.bench.doubts.append(f"{name} given as None")
        return None


def further(bench: Workbench, made: Made, inputs: tuple[str, ...], head_width: int) -> list[Further]:
    """Ways to fill what else a call needs: one for each table of positions that the file can make."""
    plain = Further(bench, made, inputs, head_width)
    if not any(TABLE.match(p["name"]) for p in made.call if p["required"] and p["name"] not in inputs):
        return [plain]
    return [replace(plain, table=table) for table in tables(bench, head_width)] or [plain]


def takes(parameters: list[dict[str, Any]], bench: Workbench) -> tuple[str, ...]:
    """The parameters of a call that are sequences or masks: the first, those with a role, those named for it."""
    flags = {p["name"] for p in parameters if isinstance(p.get("default"), bool)}
    names = [
        p["name"]
        for p in parameters
        if not p["star"] and p["name"] not in bench.calling and p["name"] not in flags
    ]
    known = re.compile(
        r"^(x|inputs?|hidden(_states)?|tokens|seq|sequence|embeddings?|src|tgt|context|memory|h|z)$", re.I
    )
    first = 3 if unnamed(parameters) else 1
    return tuple(n for i, n in enumerate(names) if i < first or role(n) or MASK.search(n) or known.match(n))


def unnamed(parameters: list[dict[str, Any]]) -> bool:
    """Whether a call needs three things first under names that all say nothing: queries, keys and values, as everybody orders them.

    >>> unnamed([{"name": name, "required": True, "star": False} for name in ("zapros", "klyuch", "znachenie")])
    True
    """
    head = [p["name"] for p in parameters[:3] if p["required"] and not p["star"]]
    told = [n for n in head if role(n) or MASK.search(n) or CONTEXT.search(n) or _known(n)]
    return len(head) == len("qkv") and not told


def context_of(parameters: list[dict[str, Any]], given: Collection[str] = ()) -> str | None:
    """The argument for tokens that the queries look at in place of their own: by its name, or the second that is needed.

    >>> needed = {"required": True, "star": False}
    >>> context_of([{"name": "x", **needed}, {"name": "andere", **needed}])
    'andere'
    """
    plain = [
        p for p in parameters[1:] if not (p["star"] or MASK.search(p["name"])) and p["name"] not in given
    ]
    named = [p["name"] for p in plain if CONTEXT.search(p["name"])]
    needed = [p["name"] for p in plain if p["required"] and not _known(p["name"])]
    return named[0] if named else needed[0] if len(needed) == 1 else None


def _known(name: str) -> bool:
    """Whether an argument that a call needs is something else than tokens."""
    sizes = mean(name, ["length", "head_width", "heads"])
    known = (START, NOTHING, GRAPH, TABLE, NO_TOKENS)
    return bool(sizes or name == "device" or any(words.search(name) for words in known))


def tokens_first(subject: Subject, case: Case, change: Callable[[Case, Any, np.ndarray], Case]) -> bool:
    """Whether the first axis of the input behaves as the tokens: its parts see each other, and the second's do not."""
    rng = np.random.default_rng(11)
    before = subject.answer(case)

    def moves(part: Any, watched: Any) -> bool:
        values = rng.standard_normal(case["query"][part].shape)
        return (
            laws.gap(before[watched], subject.answer(change(case, part, values))[watched])
            > laws.MOVES[subject.kind]
        )

    last = case["query"].shape[1] - 1
    samples = moves(np.s_[0], np.s_[1:]) or moves(np.s_[1], np.s_[:1])
    tokens = moves(np.s_[:, 0], np.s_[:, last:]) or moves(np.s_[:, last], np.s_[:, :1])
    return samples and not tokens


def replaced(case: Case, part: Any, values: np.ndarray) -> Case:
    """The same sequence with a part of it replaced, as queries, keys and values at once."""
    x = case["query"].copy()
    x[part] = values
    return Case(name=case.name, inputs=case.inputs | {"query": x, "key": x, "value": x}, facts=case.facts)


class Single(Subject):
    """A layer that takes one sequence at a time: the samples of a batch are asked one after the other."""

    def answer(self, case: Case, *, seed: int = 0) -> np.ndarray:
        """What it says to every sample."""
        count = len(case["query"])
        return np.concatenate(
            [super(Single, self).answer(self._sample(case, i), seed=seed) for i in range(count)]
        )

    @staticmethod
    def _sample(case: Case, i: int) -> Case:
        inputs = {name: value[i : i + 1] for name, value in case.inputs.items()}
        return Case(name=case.name, inputs=inputs, facts=case.facts)


def runs(bench: Workbench, subject: Subject, case: Case) -> Raised | None:
    """The exception that a case ends in, if it does."""
    try:
        bench.precise(subject.made, *subject.enter(case))
        subject.answer(case)
    except Raised as error:
        return error
    except Lost as loss:
        if loss.slug == "not-installed":
            raise
        raise
    except Unfit as trouble:
        return Raised("ValueError", trouble.sentence, None, "")
    return None
