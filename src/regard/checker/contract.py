"""What a contract is made of: cases to run, a reference in steps, mistakes and conventions as other steps, laws."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regard.checker.grammar.program import Program

Steps = dict[str, Callable[..., Any]]
"Steps of a reference that are replaced, by name."
Forms = tuple[Steps, ...]
"Different programs of one mistake."


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A known mistake: a reference with a step replaced, why it is wrong, and how to mend it."""

    slug: str
    cause: str
    "One sentence: what the code does, and what it should do."
    remedy: str
    look: str = ""
    "The kind of expression to point at in the person's source: a name from reading.source.FINDERS."
    forms: Forms = ()
    "No forms: only a law can find it."
    weak: bool = False
    "Whether it is right but for rounding or size: then, unless held strictly, correct, but …"


@dataclass(frozen=True, kw_only=True)
class Convention:
    """A valid choice that differs from the reference."""

    slug: str
    says: str
    forms: Forms = ()
    mistake: str = ""
    "The mistake that it is where the contract's own choice is asked for."
    harmless: bool = False
    "Whether it only says how weights are kept or read, so that nobody need choose."
    choice: str = ""
    "What `--convention` says for it, such as mask=hidden."
    words: str = ""
    "What a person's own words say who chose it: names, parameters, docstrings."
    hint: str = ""
    "What the file must hold somewhere for it to be considered."
    needs: tuple[str, ...] = ()
    "Weights that a reading must have for it to be considered."
    asked: Callable[[str], bool] = lambda words: True
    "Whether a person's own words ask for it; where they do not, it is what the mistakes say of it."


@dataclass(frozen=True, kw_only=True)
class Case:
    """Inputs of one probe, by name, in the reference's own layout."""

    name: str
    inputs: dict[str, np.ndarray]
    facts: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.inputs[name]


@dataclass(frozen=True, kw_only=True)
class WeightMap:
    """One reading of a person's weights by role, with the sizes that belong to it."""

    weights: dict[str, np.ndarray]
    facts: dict[str, Any] = field(default_factory=dict)
    conventions: tuple[str, ...] = ()
    "What this reading takes for granted that the names did not say."
    notes: tuple[str, ...] = ()
    "The mapping, for the person to read."

    def __getitem__(self, name: str) -> np.ndarray:
        return self.weights[name]


@dataclass(frozen=True, kw_only=True)
class Broken:
    """A law that does not hold: by how much, and the smallest case that shows it."""

    number: float
    words: str
    slug: str = ""
    "The mistake this alone proves, if it does."
    instead: tuple[str, ...] = ()
    "Mistakes and conventions that the family may name and that this explains better."
    weak: bool = False
    "Whether the slug holds only where nothing else explains what was seen."


@dataclass(frozen=True, kw_only=True)
class Law:
    """Something that must hold for every correct implementation, whatever its weights."""

    name: str
    says: str
    test: Callable[..., Broken | None]
    "Of a subject and a generator of random numbers."
    look: str = ""
    early: bool = False
    "Whether it is tried before answers are compared, because what it finds changes how they are asked for."


@dataclass(frozen=True, kw_only=True)
class ComputationStage:
    """Inputs under which some parts of the computation do nothing: fewer from stage to stage."""

    where: str
    "Such as `with equal keys, where all weights are equal`: what is seen there is said, and no more."
    case: Callable[..., Case]
    "Of a subject and a generator of random numbers."


@dataclass(frozen=True, kw_only=True)
class Contract:
    """Everything the checker knows about one kind of implementation."""

    name: str
    title: str
    file: str
    "The name of the file that `regard start` writes."
    stub: str
    suits: Callable[[dict[str, Any], str], float]
    "How well a member of a file (and its source) looks like this: 0 not at all, 1 surely."
    adapt: Callable[..., Any]
    "A bench to a subject: make the object, find how it is called, read its weights."
    cases: Callable[..., list[Case]]
    "Of a subject and a generator of random numbers."
    reference: Callable[[Case, WeightMap, Steps], np.ndarray]
    mistakes: tuple[Mistake, ...]
    program: Program | None = None
    "The reference as steps: what people may have changed in them is a mistake without an entry of its own."
    conventions: tuple[Convention, ...] = ()
    stated: tuple[str, ...] = ()
    "Of these, what the person says or what does no harm: two of them and another may hold at once."
    growing: Callable[..., list[Case]] = lambda subject, rng: []
    "Cases of growing size, of a subject and a generator: what was recognised must answer them too."
    wider: tuple[int, ...] = (6, 12, 18, 24, 30, 36)
    "By how much wider it may be made a second time: the text of a file decides."
    odd: tuple[int, ...] = ()
    "The same for widths of another kind: odd ones, or for another number of heads."
    stages: tuple[ComputationStage, ...] = ()
    "Inputs in order: the first for which it is not as the reference has it says where an unknown mistake shows."
    laws: tuple[Law, ...] = ()
    notices: tuple[Callable[..., str | None], ...] = ()
    "Each may notice a convention, by its slug."
    decide: Callable[..., str | None] = lambda source, name, slugs, facts: None
    "Between causes that are the same function: by the source, and by which weights gradients reach."
    by_methods: bool = False
    "Whether what cannot be called may be one, because its methods are asked."
    roles: tuple[str, ...] = ()
    "What `--map` may say besides the arguments of a constructor: weights by role, and what an input means."
    picture: Callable[[Case, WeightMap, Steps], np.ndarray] | None = None
    "A small matrix that shows what happens, for --explain."

    def mistake(self, slug: str) -> Mistake:
        """The mistake of that name."""
        return next(m for m in self.mistakes if m.slug == slug)

    def convention(self, slug: str) -> Convention:
        """The convention of that name."""
        return next(c for c in self.conventions if c.slug == slug)


def forms(*steps: Steps) -> Forms:
    """Programs of one mistake, as written in a contract."""
    return steps


def each(values: Iterable[Any], step: Callable[[Any], Steps]) -> Forms:
    """One program for each value of a number that a person may have chosen."""
    return tuple(step(value) for value in values)
