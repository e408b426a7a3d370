"""Edits of a program: sentences made of parts, and no program that takes another's name."""

import re
from collections import Counter

import numpy as np
import pytest

from regard.checker.contract import Contract
from regard.checker.contracts.table import CONTRACTS, named
from regard.checker.family import TIGHT, computed, distance
from regard.checker.grammar.edits import PARTS, edits, generated

SENTENCES = {
    "causal-attention": (
        "the queries are compared with the values, in place of the keys",
        "the weights weigh the keys, in place of the values",
        "a sigmoid stands in place of the softmax",
        "the scores are passed through a ReLU",
        "the mask is applied to the first head only",
        "the output projection is applied twice",
        "the keys are shifted by one token: each takes the place of the next",
        "the query projection stands in place of the key projection, whose weights are not used",
        "the inputs are taken off the output (subtracted)",
        "the weights are rounded to half precision (float16)",
    ),
    "gat-layer": ("a tanh stands in place of the LeakyReLU", "the bias is taken off and not added"),
    "gcn-layer": ("the degrees are squared", "the inputs are passed through a ReLU"),
    "layer-norm": ("the gain is applied twice", "the median is taken off in place of the mean"),
    "rotary": ("the frequencies are in reverse order along the pairs", "the angles are halved"),
    "gaussian-mixture": ("a softplus stands in place of the exponential of the log-variances",),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences_are_made_of_their_parts(name: str) -> None:
    program = named(name).program
    assert program
    found = {edit.says for edit in edits(program)}
    assert set(SENTENCES[name]) <= found


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)
def test_every_edit_reads_as_a_sentence(contract: Contract) -> None:
    assert contract.program
    for found in generated(contract.program):
        assert found.forms[0] and found.remedy
        assert re.fullmatch(r"[a-z0-9.-]+", found.slug), found.slug
        assert "{" not in found.cause and "  " not in found.cause, found.cause


def test_generated_mistakes_are_made_once() -> None:
    program = named("rotary").program
    assert program and generated(program) is generated(program)


SEEDS = (3, 5, 8)
"Weights by which a name is chosen, by which it is confirmed, and by which the truth is told."


def answers(contract: Contract, frame_of, puppets, seed: int) -> dict[str, list[np.ndarray | None]]:
    """What every program answers under the weights of one seed, at two sizes."""
    subject = puppets(contract.name, {}, seed)
    rng = np.random.default_rng(seed)
    cases = [*contract.cases(subject, rng)[:2], *contract.growing(subject, rng)[:1]]
    assert contract.program
    known = [*contract.mistakes, *generated(contract.program)]
    return {
        f"{mistake.slug} {i}": [computed(contract, case, subject.frames[0], steps) for case in cases]
        for mistake in known
        for i, steps in enumerate(mistake.forms)
    }


def close(one: list[np.ndarray | None], two: list[np.ndarray | None], limit: float) -> bool:
    if any((a is None) != (b is None) for a, b in zip(one, two, strict=True)):
        return False
    pairs = [(a, b) for a, b in zip(one, two, strict=True) if a is not None and b is not None]
    gaps = [distance(a, b) for a, b in pairs]
    gaps = [gap for gap in gaps if not np.isnan(gap)]
    return bool(gaps) and max(gaps) < limit


def mark(values: list[np.ndarray | None]) -> float:
    """One number by which programs that may be alike are found quickly."""
    found = [np.where(np.isfinite(v), v, 0.0) for v in values if v is not None]
    with np.errstate(all="ignore"):
        return float(sum((f * np.cos(np.arange(f.size)).reshape(f.shape)).sum() for f in found))


@pytest.mark.slow
@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)
def test_with_a_program_left_out_no_other_takes_its_place(contract: Contract, puppet) -> None:
    """Programs that agree where names are chosen and confirmed, and differ elsewhere, would give wrong names."""
    chosen, confirmed, truth = (answers(contract, None, puppet, seed) for seed in SEEDS)
    marks = sorted((mark(values), name) for name, values in chosen.items())
    wrong, alike = set(), Counter()
    for place, (number, name) in enumerate(marks):
        for other, second in marks[place + 1 : place + 400]:
            if not other - number <= 1e-4 * max(abs(number), 1.0):
                break
            if close(chosen[name], chosen[second], TIGHT["float64"]) and close(
                confirmed[name], confirmed[second], TIGHT["float64"]
            ):
                if close(truth[name], truth[second], TIGHT["float32"]):
                    alike[name] += 1
                else:
                    wrong |= {name, second}
    print(contract.name, len(chosen), "programs, with an equal", len(alike), "wrong", sorted(wrong))
    assert len(wrong) <= 0.01 * len(chosen), sorted(wrong)


def test_parts_of_an_axis_are_those_of_their_words() -> None:
    found = {slug: np.flatnonzero(part(np.arange(5))).tolist() for slug, _, part in PARTS}
    assert found == {
        "first": [0],
        "not-first": [1, 2, 3, 4],
        "last": [4],
        "not-last": [0, 1, 2, 3],
        "half": [0, 1],
        "even": [0, 2, 4],
    }
