"""What a training learns from: texts in memory, or one token file; and what is told of either."""

from pathlib import Path

import pytest

from regard.data.tokens.token_file import write_tokens
from regard.data.tokens.tokenizer import Bytes
from regard.errors import RegardError
from regard.lab.train.corpus import read_corpus
from regard.lab.train.tokens import make_tokenizer


def test_texts_are_read_whole(mine: Path) -> None:
    for name in "abc":
        Path(f"{name}.txt").write_text(f"{name} text\n")
    corpus = read_corpus(["mine.txt", "a.txt", "b.txt", "c.txt"])
    assert corpus.tokens is None and corpus.characters == 30 * 41 + 21
    assert corpus.told == (
        "texts: mine.txt, a.txt, b.txt and 1 more, 1,251 characters; the end of each, a tenth at most, is held out"
    )


def test_a_token_file_is_not_read_yet(mine: Path) -> None:
    write_tokens(mine / "t.tokens", Bytes(), ["né" * 50])
    corpus = read_corpus(["t.tokens"])
    assert corpus.texts == () and corpus.tokens is not None
    assert corpus.sources == (str((mine / "t.tokens").resolve()),)
    assert corpus.told == "tokens: t.tokens, 150 of 100 characters; its end, a tenth at most, is held out"


@pytest.mark.parametrize("kind", ["character", "bytes", "bpe"])
def test_the_vocabulary_is_known_before_its_tokenizer_is_made(mine: Path, kind: str) -> None:
    corpus = read_corpus(["mine.txt"])
    made = make_tokenizer(kind, corpus.texts, 300)
    # The text of a few letters has fewer pairs than asked for.
    assert corpus.vocabulary(kind, 300) >= made.size
    assert kind == "bpe" or corpus.vocabulary(kind, None) == made.size
    Path("own.json").write_text(made.to_json())
    assert corpus.vocabulary("own.json", None) == made.size
    write_tokens(mine / "t.tokens", made, ["to be"])
    assert read_corpus(["t.tokens"]).vocabulary("given", None) == made.size


def test_a_token_file_stands_alone(mine: Path) -> None:
    write_tokens(mine / "t.tokens", Bytes(), ["to be"])
    with pytest.raises(RegardError) as caught:
        read_corpus(["mine.txt", "t.tokens"])
    assert str(caught.value) == (
        "a token file is trained on alone\n"
        "  got: mine.txt, t.tokens\n"
        "  fix: name it alone; regard data tokenize makes one file of several texts"
    )
