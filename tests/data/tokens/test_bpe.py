"""Byte pairs: against an encoder written out by hand, over GPT-2's file formats, and back from JSON."""

import json
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.data.tokens.bpe import BPE, tokenizer_from_json
from regard.errors import RegardError

pytest.importorskip("tokenizers")

TEXT = "the cat sat on the mat, and the rat sat on the cat.\n\nThe hat is the cat's; it's 1623.\n" * 5


@pytest.fixture(scope="module")
def trained() -> BPE:
    return BPE.train(TEXT, size=280)


def letters() -> dict[int, str]:
    """GPT-2's printable stand-in for each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    spare = iter(range(256, 512))
    return {byte: chr(byte if byte in plain else next(spare)) for byte in range(256)}


def words(text: str) -> list[str]:
    """GPT-2's rule, for ASCII."""
    return re.findall(r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", text)


def spelled(word: str) -> list[str]:
    return [letters()[byte] for byte in word.encode()]


def by_hand(text: str, vocabulary: dict[str, int], merges: list[str]) -> list[int]:
    """In each word the earliest merge first, from left to right, until none is left."""
    rank = {tuple(pair.split(" ")): k for k, pair in enumerate(merges)}
    ids = []
    for word in words(text):
        pieces = spelled(word)
        while pairs := [pair for pair in pairwise(pieces) if pair in rank]:
            first, k = min(pairs, key=rank.__getitem__), 0
            while k < len(pieces) - 1:
                if (pieces[k], pieces[k + 1]) == first:
                    pieces[k : k + 2] = ["".join(first)]
                k += 1
        ids += [vocabulary[piece] for piece in pieces]
    return ids


def parts(tokenizer: BPE) -> tuple[dict[str, int], list[str]]:
    state = json.loads(tokenizer.to_json())
    return json.loads(state["vocabulary"]), state["merges"].split("\n")


@given(st.text(st.characters(codec="utf-8")))
def test_every_text_comes_back(trained: BPE, text: str) -> None:
    ids = trained.encode(text)
    assert ids.dtype == torch.int64
    assert trained.decode(ids) == trained.decode(ids.tolist()) == text


@given(st.text(st.sampled_from("thecatsrm TH \n\t'.,;19"), max_size=60))
def test_it_encodes_as_by_hand(trained: BPE, text: str) -> None:
    assert trained.encode(text).tolist() == by_hand(text, *parts(trained))


def test_training_joins_what_stands_together_most(trained: BPE) -> None:
    vocabulary, merges = parts(trained)
    assert trained.size == len(vocabulary) == 280
    assert set(letters().values()) <= vocabulary.keys()
    pairs = Counter(" ".join(pair) for word in words(TEXT) for pair in pairwise(spelled(word)))
    assert pairs[merges[0]] == max(pairs.values())
    assert len(trained.encode(TEXT)) < len(TEXT) / 2
    assert BPE.train(TEXT, size=280).to_json() == trained.to_json()


def test_line_ends_are_learned_together() -> None:
    tokenizer = BPE.train("a\n\n\n" * 50, size=258)
    assert len(tokenizer.encode("\n\n")) == 1


def test_it_survives_json(trained: BPE) -> None:
    again = tokenizer_from_json(trained.to_json())
    assert isinstance(again, BPE)
    assert again.to_json() == trained.to_json()
    assert torch.equal(again.encode(TEXT), trained.encode(TEXT))


def save(trained: BPE, folder: Path) -> tuple[Path, Path]:
    vocabulary, merges = parts(trained)
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *merges, ""]), encoding="utf-8")
    return folder / "vocab.json", folder / "merges.txt"


def test_gpt2s_two_files_load(trained: BPE, tmp_path: Path) -> None:
    loaded = BPE.load(*save(trained, tmp_path))
    assert loaded.to_json() == trained.to_json()


def test_the_end_of_a_text_is_a_piece_that_text_cannot_forge(trained: BPE, tmp_path: Path) -> None:
    vocabulary, merges = save(trained, tmp_path)
    ids = json.loads(vocabulary.read_text(encoding="utf-8")) | {"<|endoftext|>": 280}
    vocabulary.write_text(json.dumps(ids), encoding="utf-8")
    loaded = BPE.load(vocabulary, merges)
    assert loaded.size == 281
    assert loaded.decode([280]) == "<|endoftext|>"
    assert 280 not in loaded.encode("a<|endoftext|>b").tolist()


@pytest.mark.parametrize(
    ("vocabulary", "merges", "message"),
    [
        ("{", "", "the vocabulary is not JSON\n  got: Expecting property name"),
        ("[" * 99_999, "", "the vocabulary is not JSON\n  got: maximum recursion depth"),
        ("[]", "", "the vocabulary's ids must be 0, 1, 2, … without a gap\n  got: list\n"),
        ("{}", "", "the vocabulary's ids must be 0, 1, 2, … without a gap\n  got: 0 pieces\n"),
        ('{"a": 0, "b": 2}', "", "the vocabulary's ids must be 0, 1, 2, … without a gap\n  got: 2 pieces\n"),
        ('{"a": 0, "b": true}', "", "the vocabulary's ids must be 0, 1, 2, … without a gap\n  got: dict\n"),
        ('{"a": 0, "b": 1}', "a b", "a merge must join two pieces of the vocabulary\n  got: 'a b'\n"),
        ('{"a": 0, "b": 1}', "ab", "a merge must join two pieces of the vocabulary\n  got: 'ab'\n"),
    ],
)
def test_files_that_are_not_gpt2s_are_told(
    tmp_path: Path, vocabulary: str, merges: str, message: str
) -> None:
    (tmp_path / "vocab.json").write_text(vocabulary)
    (tmp_path / "merges.txt").write_text(merges)
    with pytest.raises(RegardError) as raised:
        BPE.load(tmp_path / "vocab.json", tmp_path / "merges.txt")
    assert str(raised.value).startswith(message)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"^a tokenizer's file cannot be read\n  got: .*vocab.json"):
        BPE.load(tmp_path / "vocab.json", tmp_path / "merges.txt")


def test_a_vocabulary_smaller_than_the_bytes_is_refused() -> None:
    with pytest.raises(RegardError) as raised:
        BPE.train(TEXT, size=255)
    assert str(raised.value) == (
        "a vocabulary needs room for the 256 bytes\n  got: size=255\n  fix: pass a size of at least 256"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "a tokenizer's JSON cannot be read\n  got: Expecting property name"),
        ("[]", "no tokenizer of that kind\n  got: None\n  fix: one of character, bytes, bpe"),
        ('{"kind": ["bpe"]}', "no tokenizer of that kind\n  got: ['bpe']\n"),
        (
            '{"kind": "charakter"}',
            "no tokenizer of that kind\n  got: 'charakter'\n  fix: did you mean 'character'?",
        ),
        (
            '{"kind": "character"}',
            "a tokenizer's JSON lacks a text\n  got: alphabet: None\n  fix: write it with to_json()",
        ),
        ('{"kind": "bpe", "vocabulary": 3}', "a tokenizer's JSON lacks a text\n  got: vocabulary: 3\n"),
    ],
)
def test_json_that_is_no_tokenizer_is_told(text: str, message: str) -> None:
    with pytest.raises(RegardError) as raised:
        tokenizer_from_json(text)
    assert str(raised.value).startswith(message)


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(RegardError) as raised:
        BPE.train(TEXT, size=280)
    assert str(raised.value) == (
        "byte pairs need a package\n  got: no module 'tokenizers'\n  fix: pip install tokenizers"
    )
