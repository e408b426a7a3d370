"""Characters and bytes: every text comes back, every stranger is named."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.data.tokens.bpe import tokenizer_from_json
from regard.data.tokens.tokenizer import Bytes, Character, Tokenizer
from regard.errors import RegardError

ANY = st.text(st.characters(codec="utf-8"))


@given(ANY.filter(bool))
def test_characters_come_back(text: str) -> None:
    tokenizer = Character(text)
    ids = tokenizer.encode(text)
    assert ids.dtype == torch.int64
    assert ids.tolist() == [sorted(set(text)).index(character) for character in text]
    assert tokenizer.decode(ids) == tokenizer.decode(ids.tolist()) == text
    assert tokenizer.size == len(set(text))


@given(ANY)
def test_bytes_come_back(text: str) -> None:
    ids = Bytes().encode(text)
    assert ids.dtype == torch.int64
    assert ids.tolist() == list(text.encode())
    assert Bytes().decode(ids) == text
    assert Bytes().size == 256


@given(st.lists(st.integers(0, 255)))
def test_bytes_that_are_no_text_still_decode(ids: list[int]) -> None:
    assert Bytes().decode(ids) == bytes(ids).decode("utf-8", "replace")


@given(ANY.filter(bool), ANY)
def test_a_tokenizer_survives_json(learned: str, text: str) -> None:
    for tokenizer in (Character(learned + text), Bytes()):
        assert isinstance(tokenizer, Tokenizer)
        again = tokenizer_from_json(tokenizer.to_json())
        assert type(again) is type(tokenizer)
        assert again.to_json() == tokenizer.to_json()
        assert torch.equal(again.encode(text), tokenizer.encode(text))


@pytest.mark.parametrize(
    ("stranger", "at"), [("é", "'é' at position 2"), ("a", "'a' at position 2"), ("😀", "'😀' at position 2")]
)
def test_a_stranger_is_named(stranger: str, at: str) -> None:
    with pytest.raises(RegardError) as raised:
        Character("bcz").encode("cb" + stranger + stranger)
    assert str(raised.value) == (
        "a character that the tokenizer has never seen\n"
        f"  got: {at}\n"
        "  fix: use only the 3 characters of its text: 'bcz', or a model with the Bytes tokenizer"
    )


def test_all_strangers_are_named_and_an_alphabet_that_fills_a_page_is_not() -> None:
    with pytest.raises(RegardError) as raised:
        Character("".join(map(chr, range(0x4E00, 0x5E00)))).encode("一abacdefg")
    assert str(raised.value) == (
        "characters that the tokenizer has never seen\n"
        "  got: 'a' at position 1, 'b' at position 2, 'c' at position 4, 'd' at position 5, 'e' at position 6, …\n"
        "  fix: use only the 4,096 characters of its text, or a model with the Bytes tokenizer"
    )


def test_an_empty_alphabet_is_refused() -> None:
    with pytest.raises(RegardError) as raised:
        Character("")
    assert str(raised.value) == (
        "an alphabet needs characters\n  got: an empty text\n  fix: pass the text to be learned"
    )


@pytest.mark.parametrize("index", [-1, 3, 10**9])
def test_an_id_out_of_range_is_told(index: int) -> None:
    with pytest.raises(RegardError) as raised:
        Character("abc").decode([0, index])
    assert str(raised.value) == (
        f"an id that the tokenizer does not have\n  got: {index}\n  fix: ids go from 0 to 2"
    )
    with pytest.raises(RegardError):
        Bytes().decode(torch.tensor([256]))


def test_half_a_character_is_told() -> None:
    assert Character("a\ud800").decode(Character("a\ud800").encode("\ud800a")) == "\ud800a"
    with pytest.raises(RegardError) as raised:
        Bytes().encode("a\ud800")
    assert str(raised.value) == (
        "half a character cannot be encoded\n  got: '\\ud800' at position 1\n  fix: remove the lone surrogate"
    )
