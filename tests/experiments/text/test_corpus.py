from pathlib import Path

import pytest
import torch

from regard.errors import RegardError
from regard.experiments.text.corpus import TextSource, load_corpus, real_words, speak
from regard.generation.sampling import GREEDY
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT

SHARES = {"train": 0.75, "test": 0.25}


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "mine.txt"
    path.write_text("to be or not to be " * 20)
    return str(path)


def test_a_text_of_ones_own_becomes_windows(text: str) -> None:
    corpus = load_corpus(text, shares=SHARES, context=7, limit=100)
    assert corpus.tokenizer.alphabet == " benort" and {
        name: len(ids) for name, ids in corpus.windows.splits.items()
    } == {"train": 75, "test": 25}
    inputs, targets = corpus.batches("train", size=3, seed=1)(5)
    assert torch.equal(inputs[:, 1:], targets[:, :-1])


def test_a_model_speaks_without_dropout_and_is_left_as_it_was(text: str) -> None:
    corpus = load_corpus(text, shares=SHARES, context=7)
    model = GPT(GPTConfig(vocabulary=7, context=7, depth=1, heads=1, width=4, dropout=0.5)).train()
    first, again = (speak(model, corpus, "to ", steps=9, sampler=GREEDY, seed=0, rows=2) for _ in range(2))
    assert (
        first == again
        and first[0] == first[1]
        and first[0].startswith("to ")
        and len(first[0]) == 12
        and model.training
    )


def test_real_words_are_counted_but_for_the_ends() -> None:
    assert (
        real_words("xx to bee or zz", {"to", "or"}) == pytest.approx(2 / 3) and real_words("", {"a"}) == 0.0
    )


def test_a_missing_file_is_told_in_three_lines() -> None:
    with pytest.raises(RegardError, match="the text cannot be read"):
        load_corpus("nowhere.txt", shares=SHARES, context=3)


@pytest.mark.parametrize("content", ["a", "to be", "to be or not"])
def test_a_text_that_is_too_short_is_told_in_three_lines(tmp_path: Path, content: str) -> None:
    (tmp_path / "mine.txt").write_text(content)
    with pytest.raises(RegardError) as caught:
        load_corpus(str(tmp_path / "mine.txt"), shares=SHARES, context=7)
    least = len(content) - int(0.75 * len(content))
    assert str(caught.value) == (
        f"the text is too short\n  got: {len(content)} characters of mine.txt, of which the smallest part has {min(least, int(0.75 * len(content)))}\n"
        "  fix: name a longer text: a part needs 8 characters"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tiny_shakespeare", "no text of that name\n  got: 'tiny_shakespeare'\n  fix: did you mean 'tiny-shakespeare'?"),
        (".", "a text is a file\n  got: '.', a folder\n  fix: name a text file in it"),
        ("nowhere.txt", "no text of that name\n  got: 'nowhere.txt'\n  fix: name a text file, or one of shakespeare, tiny-shakespeare, grimm, andersen"),
    ],
)  # fmt: skip
def test_a_text_that_is_none_is_told_in_three_lines(name: str, message: str) -> None:
    with pytest.raises(RegardError) as caught:
        TextSource().check(name, "text")
    assert str(caught.value) == message


def test_known_texts_and_files_are_texts(text: str) -> None:
    TextSource().check("grimm", "text")
    TextSource().check(text, "text")
