"""Mistakes that no entry of a contract covers: found, and named by the grammar in words that say what is wrong."""

import re
from pathlib import Path

import pytest

from regard.checker.selftest import header
from regard.checker.target import check_file
from regard.checker.wishes import Wishes

PLANTED = sorted((Path(__file__).parents[1] / "checker" / "planted").rglob("*.py"))
UNNAMED = {"log_softmax", "softmax_over_both", "normalised_twice", "exp_left_out"}
"Two edits at once, or what gives NaN but for a clamp: found, not named."


def said(file: Path) -> tuple[int, str]:
    """The exit code, and what is said of its mistakes."""
    report = check_file(str(file), contract=header(file)["contract"], wishes=Wishes(strict=True))
    found = [f for verdict in report.verdicts for f in verdict.findings if f.kind == "mistake"]
    return report.code, " / ".join(f.sentence for f in found)


def named(file: Path, sentence: str) -> bool:
    wanted = re.search(r"# says: (.*)", file.read_text(encoding="utf-8"))
    assert wanted
    return bool(sentence) and all(re.search(word, sentence, re.I) for word in wanted[1].split(" & "))


@pytest.mark.slow
@pytest.mark.parametrize("file", PLANTED[::12], ids=lambda file: file.stem)
def test_a_sample_is_found_and_named(file: Path) -> None:
    code, sentence = said(file)
    assert code == 1
    assert file.stem in UNNAMED or named(file, sentence), sentence


@pytest.mark.proof
def test_all_that_was_planted_is_found_and_most_is_named() -> None:
    judged = {file: said(file) for file in PLANTED}
    assert all(code == 1 for code, _ in judged.values())
    missed = {file.stem: sentence for file, (_, sentence) in judged.items() if not named(file, sentence)}
    assert len(PLANTED) >= 80 and len(missed) <= 0.1 * len(PLANTED), missed


def test_words_that_are_expected_are_looked_for() -> None:
    file = next(file for file in PLANTED if file.stem == "tanh_capped")
    assert named(file, "the scores are passed through a tanh")
    assert not named(file, "the weights are passed through a tanh")
