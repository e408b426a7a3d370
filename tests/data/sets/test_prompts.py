"""Prompts that a text itself has, in several alphabets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.sets.prompts import LENGTH, commonest_word, openings, words

GREEK = "Ἄνδρα μοι ἔννεπε, Μοῦσα, πολύτροπον.\nὃς μάλα πολλὰ πλάγχθη, ἐπεὶ Τροίης."
CHINESE = "道可道，非常道。名可名，非常名。無名天地之始。"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("To be, or not to be!", ["to", "be", "or", "not", "to", "be"]),
        ("Don't 3 x_y", ["don't", "x", "y"]),
        ("Ἄνδρα μοι", ["ἄνδρα", "μοι"]),
        ("非常道 and 道", ["非常", "常道", "and", "道"]),
        ("123 ...", []),
    ],
)
def test_words_in_any_script(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_the_commonest_word_is_written_as_the_text_has_it() -> None:
    assert commonest_word("THE CAT AND THE DOG") == "THE "
    assert commonest_word("onlyone") == "onlyone"
    assert commonest_word("12 34") == "1", "without words, a character that is there"


def test_openings_are_beginnings_of_sentences_spread_over_the_text() -> None:
    assert openings(GREEK, 3) == ["Ἄνδρα μοι", "ὃς μάλα πολλὰ"]
    assert openings(CHINESE, 3) == ["道可道，非常道。", "名可名，非常名。", "無名天地之始。"]
    assert openings("so it is", 3) == ["so it is"]


@given(st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip), st.integers(1, 5))
def test_whatever_the_text_its_prompts_are_made_of_its_characters(text: str, count: int) -> None:
    found = openings(text, count)
    assert found and all(one in text and 0 < len(one) <= LENGTH for one in found)
    assert set(commonest_word(text)) <= set(text)
