import json
from pathlib import Path

import pytest
import torch

from alphabets import CHINESE, GREEK, RUSSIAN
from regard.data.sets.text import Text
from regard.data.tokens.bpe import BPE
from regard.data.tokens.tokenizer import Bytes, Character
from regard.errors import RegardError
from regard.lab.train import tokens
from regard.lab.train.tokens import (
    OWN,
    choose_tokenizer,
    make_tokenizer,
    read_tokenizer,
    require_tokenizer,
    windows_of,
)

CPU = torch.device("cpu")


def texts(*contents: str) -> list[Text]:
    return [Text(f"{place}", one, "") for place, one in enumerate(contents)]


def test_few_characters_are_tokens_and_many_become_byte_pairs(monkeypatch) -> None:
    many = "".join(map(chr, range(0x4E00, 0x4E00 + 400)))
    assert choose_tokenizer(texts(RUSSIAN, GREEK)) == (
        "character",
        None,
        "the texts have 56 different characters",
    )
    assert choose_tokenizer(texts(many))[:2] == ("bpe", 512)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert choose_tokenizer(texts(many))[0] == "bytes"


@pytest.mark.parametrize("kind", ["character", "bytes", "bpe"])
@pytest.mark.parametrize("text", [RUSSIAN, GREEK, CHINESE])
def test_every_kind_gives_every_alphabet_back(kind: str, text: str) -> None:
    made = make_tokenizer(kind, texts(text, "and more"), 300 if kind == "bpe" else None)
    assert made.decode(made.encode(text)) == text and (kind != "bpe" or made.size == 300)


def test_the_end_of_each_text_is_held_out_and_short_texts_shorten_the_windows() -> None:
    made = Character("ab")
    found = windows_of(texts("a" * 200, "b" * 100), made, 64, CPU)
    assert {name: ids.tolist() for name, ids in found.splits.items()} == {
        "train": [0] * 180 + [1] * 90,
        "held-out": [0] * 20 + [1] * 10,
    }
    assert found.context == 29
    assert windows_of(texts("ab" * 2000), made, 64, CPU).context == 64


def test_of_a_long_text_no_more_is_held_out_than_is_judged(monkeypatch) -> None:
    monkeypatch.setattr(tokens, "MOST", 50)
    assert len(windows_of(texts("ab" * 1000), Character("ab"), 8, CPU).splits["held-out"]) == 50


@pytest.mark.parametrize(
    ("length", "got"), [(1, "1 token, of which 1 are held out"), (60, "60 tokens, of which 6 are held out")]
)
def test_a_text_that_is_too_short_is_told(length: int, got: str) -> None:
    with pytest.raises(RegardError) as caught:
        windows_of(texts("a" * length), Character("a"), 64, CPU)
    assert str(caught.value) == (
        f"the text is too short to learn from\n  got: {got}\n  fix: name a longer text: about 90 tokens are the least"
    )


def test_a_tokenizer_is_read_from_its_file_or_its_folder(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(Character("abc").to_json())
    (tmp_path / OWN).write_text(Bytes().to_json())
    assert read_tokenizer(tmp_path / "t.json").size == 3 and read_tokenizer(tmp_path).size == 256
    (tmp_path / "vocab.json").write_text(json.dumps({"a": 0, "b": 1, "ab": 2}))
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b\n")
    assert read_tokenizer(tmp_path).encode("ab").tolist() == [2]
    require_tokenizer(str(tmp_path))


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("charakter", "no tokenizer of that name\n  got: 'charakter'\n  fix: did you mean 'character'?"),
        ("", "no tokenizer of that name\n  got: ''\n  fix: one of character, bytes, bpe, or the file of one"),
        (".", "no tokenizer there\n  got: '.'\n  fix: name a folder with vocab.json and merges.txt, or a tokenizer's own file"),
        ("mine.txt", "a tokenizer's JSON cannot be read"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("mine")
def test_what_is_no_tokenizer_is_told_in_three_lines(word: str, message: str) -> None:
    with pytest.raises(RegardError) as caught:
        require_tokenizer(word)
    assert str(caught.value).startswith(message)


def test_byte_pairs_need_their_package(monkeypatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RegardError, match="byte pairs need a package"):
        require_tokenizer("bpe")


def test_the_one_file_of_newer_checkpoints_is_read(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = BPE.train("the cat, the hat, the rat " * 9, size=262)
    state = json.loads(made.to_json())
    (tmp_path / "merges.txt").write_text("#version: 0.2\n" + state["merges"] + "\n")
    (tmp_path / "vocab.json").write_text(state["vocabulary"])
    theirs = tokenizers.ByteLevelBPETokenizer(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))
    (tmp_path / "one").mkdir()
    theirs.save(str(tmp_path / "one" / "tokenizer.json"))
    for path in (tmp_path / "one", tmp_path / "one" / "tokenizer.json"):
        found = read_tokenizer(path)
        assert found.encode("the tea, Ж").tolist() == made.encode("the tea, Ж").tolist()
    (tmp_path / "one" / "tokenizer.json").write_text('{"model": {"type": "WordPiece", "vocab": {}}}')
    with pytest.raises(RegardError):
        read_tokenizer(tmp_path / "one")
