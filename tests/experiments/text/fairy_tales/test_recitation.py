"""Learning by heart, measured: known answers by hand."""

from hypothesis import given
from hypothesis import strategies as some

from regard.experiments.text.fairy_tales.recitation import longest_copy, quotations, right_start, right_starts

letters = some.text("ab", max_size=12)


@given(letters, letters)
def test_the_longest_copy_is_that_of_all_stretches(said: str, source: str) -> None:
    stretches = [said[i:j] for i in range(len(said)) for j in range(i + 1, len(said) + 1)]
    assert longest_copy(said, source) == max((len(one) for one in stretches if one in source), default=0)


def test_quotations_are_followed_by_what_follows_them() -> None:
    text = "".join(chr(200 + place) for place in range(300))
    found = quotations(text, 3)
    assert [quote + after for quote, after in found] == [text[:100], text[100:200], text[200:]]
    assert all(len(quote) == 40 for quote, _ in found)


def test_where_two_texts_part_is_counted() -> None:
    assert [right_start("abcd", other) for other in ("abxd", "abcd", "x", "ab")] == [2, 4, 0, 4]


def test_every_continuation_is_held_to_what_follows_its_own_quotation() -> None:
    assert right_starts(["abc", "xbc"], [("quote", "abd"), ("another", "abd")]) == {0: 2.0, 1: 0.0}
