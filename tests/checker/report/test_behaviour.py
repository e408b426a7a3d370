"""Sketches belong to mistakes that there are, and their sums are right."""

import math
import re

from regard.checker.contracts.table import CONTRACTS
from regard.checker.report.behaviour import BEHAVIOUR

SUM = re.compile(r"(?:(\d) \+ )?(log |sqrt\()?(\d)\)? \* 0\.5\s+= (\d\.\d\d)")
APPLIED = {
    "": float,
    "log ": lambda text: math.log(float(text)),
    "sqrt(": lambda text: math.sqrt(float(text)),
}


def test_every_sketch_belongs_to_a_mistake_and_is_narrow_enough_for_a_page() -> None:
    assert BEHAVIOUR.keys() <= {mistake.slug for one in CONTRACTS for mistake in one.mistakes}
    assert max(len(line) for lines in BEHAVIOUR.values() for line in lines) <= 74


def test_the_samples_of_the_sketches_are_what_they_say() -> None:
    sums = [found for lines in BEHAVIOUR.values() for line in lines if (found := SUM.search(line))]
    assert len(sums) == 12
    for found in sums:
        mean, how, spread, said = found.groups(default="")
        assert round(float(mean or 0) + APPLIED[how](spread) * 0.5, 2) == float(said), found[0]
