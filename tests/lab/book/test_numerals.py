import math

import pytest

from regard.lab.book.numerals import is_number, shown, typeset


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.5, "−0.5"), (9999.4, "9999"), (10000, "10,000"), (10**10, "10,000,000,000"), (-1e6, "−1,000,000"), (3.2e12, "3.2 × 10¹²"), (-1e-5, "−10⁻⁵"),
     (math.inf, "∞"), (-math.inf, "−∞"), (math.nan, "nan"), (True, "True"), ("2-3", "2-3"), ("-1.1, -inf, 2e-7", "−1.1, −∞, 2 × 10⁻⁷"), ("[[0, -1], [1, 0]]", "[[0, −1], [1, 0]]"), ("to -be", "to -be")],
)  # fmt: skip
def test_a_value_is_set_as_a_person_writes_it(value, text) -> None:
    assert shown(value) == text


@pytest.mark.parametrize("text", ["GPT-2", "2-3", "top-5", "f(x)-1", "--set", "1e", "0x1e-5", "1.5.2e-3"])
def test_what_is_no_negative_number_and_no_power_stays(text: str) -> None:
    assert typeset(text) == text


def test_numbers_in_a_sentence_are_set() -> None:
    assert (
        typeset("by -0.9% (-0.06 to -.05), to 4.2e-15, within 0e+00 (inf: never)")
        == "by −0.9\u00a0% (−0.06 to −.05), to 4.2 × 10⁻¹⁵, within 0 (∞: never)"
    )


@pytest.mark.parametrize("text", ["90%", "90 %", "90\u00a0%"])
def test_a_percentage_has_one_form_and_no_line_breaks_it(text: str) -> None:
    assert typeset(f"({text} of all)") == "(90\u00a0% of all)" and shown(text) == "90\u00a0%"


@pytest.mark.parametrize("text", ["i % 2", "7 % 3", "100%d", "no %"])
def test_a_percent_sign_that_is_no_percentage_stays(text: str) -> None:
    assert typeset(text) == text


def test_a_column_of_words_is_no_column_of_numbers() -> None:
    assert is_number("−1.5") and is_number("–") and not is_number("fold 1") and not is_number("-")
