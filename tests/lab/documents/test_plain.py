"""Values as JSON has them."""

import json
import re
from math import inf, nan

import numpy
import pytest
import torch

from regard.lab.documents.plain import plain, readable, rounded
from regard.lab.registry import everything


def test_what_is_not_finite_becomes_a_word_everywhere() -> None:
    given = {"a": nan, 1: [inf, (-inf, 2.5)], "n": numpy.float64(0.5), "t": torch.tensor(nan)}
    found = plain(given)
    assert found == {"a": "nan", "1": ["inf", ["-inf", 2.5]], "n": 0.5, "t": "nan"}
    json.dumps(found, allow_nan=False)


def test_what_json_does_not_know_is_told_by_its_text(tmp_path) -> None:
    assert plain([tmp_path, True, None]) == [str(tmp_path), True, None]


@pytest.mark.parametrize(
    ("value", "digits", "expected"), [(1234567.0, 3, 1230000.0), (0.0, 3, 0.0), (-1 / 3, 2, -0.33)]
)
def test_rounding_keeps_significant_digits(value: float, digits: int, expected: float) -> None:
    assert rounded(value, digits) == expected
    assert rounded(inf) == inf


def test_no_text_of_an_experiment_shows_its_marks_to_a_page() -> None:
    marks = re.compile(r"\$|\\[a-z]+|\[\[")
    written = [text for one in everything() for text in (one.method, one.see, one.correction)]
    assert sum(bool(marks.search(text)) for text in written) > 10, "texts have marks"
    assert not [text for text in written if marks.search(readable(text))]


def test_a_dollar_that_begins_no_formula_stays() -> None:
    assert readable("it costs $5") == "it costs $5"
    assert readable(r"$\nosuch{a}$ stays") == r"$\nosuch{a}$ stays"
