"""Where an unknown mistake shows: the first inputs, of those that more and more of the computation matters for."""

from itertools import islice

import numpy as np

from regard.checker.contract import Case, Contract, WeightMap
from regard.checker.family import TIGHT, Family, Member, computed
from regard.checker.process.session import Raised
from regard.checker.subject import Subject

PROGRAMS = 300
"How many readings and conventions are tried at each stage."


def parted(
    contract: Contract, subject: Subject, rng: np.random.Generator
) -> tuple[str, Case, np.ndarray] | None:
    """The first stage that nothing explains, what is seen up to it, its case, what was answered.

    What explains is one reading with one convention at most, the same at every stage: on inputs as simple as the
    first ones, two conventions explain nearly anything.
    """
    right: list[str] = []
    standing = range(PROGRAMS)
    for stage in contract.stages:
        case = stage.case(subject, rng)
        try:
            answer = subject.answer(case)
        except Raised:
            return None  # a case that it does not take says nothing
        family = Family(contract, subject.frames, [case], [answer])
        members = [one for one in islice(family.right(), PROGRAMS) if _plain(one)]
        standing = [at for at in standing if at < len(members) and family.far(members[at]) < TIGHT["float32"]]
        if not standing:
            before = f"it is right {' and '.join(right)}, and wrong" if right else "it is wrong already"
            return f"{before} {stage.where}", case, answer
        right.append(stage.where)
    return None


def _plain(member: Member) -> bool:
    return len(member.conventions) + len(member.frame.conventions) < 2


def worst(contract: Contract, frame: WeightMap, asked: list[tuple[Case, np.ndarray]]) -> str:
    """The single number that is farthest off in the smallest case that differs."""
    for case, answer in sorted(asked, key=lambda pair: pair[1].size):
        expected = computed(contract, case, frame, {})
        if expected is None:
            continue
        if expected.shape != answer.shape:
            return f"{case.name}: shape {answer.shape}, expected {expected.shape}"
        fine = np.isfinite(expected)
        off = np.where(
            fine,
            np.where(np.isfinite(answer), np.abs(answer - np.where(fine, expected, 0.0)), np.inf),
            0.0,
        )
        if off.max(initial=0.0) > 1e-6 * np.abs(expected[fine]).max(initial=1e-9):
            at = tuple(int(i) for i in np.unravel_index(off.argmax(), off.shape))
            return f"{case.name}: output{list(at)} is {answer[at]:.5g}, expected {expected[at]:.5g}"
    return ""
