"""Pieces of a text: the same characters, and for every tokenizer the same tokens as the whole text."""

from hypothesis import example, given
from hypothesis import strategies as st

from regard.data.tokens import pieces
from regard.data.tokens.bpe import BPE
from regard.data.tokens.pieces import last_cut, whole_pieces

TEXT = "the cat's hat, and  the rat\n\nsat on 33 mats;\nthey're there\t now \n so\nit is\n" * 5
TOKENIZER = BPE.train(TEXT, size=300)
LETTERS = st.text(st.sampled_from("ab'st  \n\n\t\x0b\x1c\u00a0\u2003é3,道"), max_size=60)


@given(st.lists(LETTERS, max_size=8), st.integers(1, 20))
@example([" a", " b ", "\n", "\nc d"], 1)
def test_the_tokens_of_the_pieces_are_those_of_the_text(parts: list[str], size: int) -> None:
    text, found = "".join(parts), list(whole_pieces(parts, size))
    assert "".join(found) == text and all(found)
    cut = [one for piece in found for one in TOKENIZER.encode(piece).tolist()]
    if all(len(one) <= pieces.PATIENCE * size for one in found):
        assert cut == TOKENIZER.encode(text).tolist()
    assert TOKENIZER.decode(cut) == text


def test_a_cut_anywhere_would_give_other_tokens() -> None:
    """What the rule is for: some cuts change the tokens."""
    whole = TOKENIZER.encode(TEXT).tolist()
    halves = [
        TOKENIZER.encode(TEXT[:at]).tolist() + TOKENIZER.encode(TEXT[at:]).tolist() for at in range(1, 60)
    ]
    assert any(one != whole for one in halves) and any(one == whole for one in halves)


def test_pieces_are_about_as_long_as_asked() -> None:
    parts = [TEXT[at : at + 10] for at in range(0, len(TEXT), 10)]
    found = list(whole_pieces(parts, 50))
    assert len(found) > 5 and max(map(len, found)) < 100


def test_a_text_without_blanks_is_cut_all_the_same() -> None:
    found = list(whole_pieces(["x" * 10] * 100, 10))
    assert (
        len(found) > 3 and max(map(len, found)) <= pieces.PATIENCE * 10 + 10 and "".join(found) == "x" * 1000
    )


def test_the_last_cut_is_looked_for_everywhere() -> None:
    assert last_cut("a b" + "x" * 10_000) == 1
    assert last_cut("no cut  \n here\n\n") == 2
    assert last_cut("x" * 9000) == 0
