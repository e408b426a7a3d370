from dataclasses import replace
from math import log
from pathlib import Path

import pytest
import torch

from alphabets import ALPHABETS
from regard.cli.main import main
from regard.errors import RegardError
from regard.experiments.text.corpus import TextSource, letter_pairs, load_corpus, real_words, speak
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
        real_words("xx the bees and a zz", {"the", "and"}) == pytest.approx(2 / 3)
        and real_words("xx to be zz", {"to"}) == 0.5
        and real_words("", {"a"}) == 0.0
    )


def test_letter_pairs_are_counted_in_the_training_text_and_tried_on_the_rest(tmp_path: Path) -> None:
    """abababab | abab: after a comes b four times of four, after b comes a three times of three; one is added to each."""
    (tmp_path / "mine.txt").write_text("ab" * 6)
    corpus = load_corpus(str(tmp_path / "mine.txt"), shares={"train": 2 / 3, "test": 1 / 3}, context=3)
    assert letter_pairs(corpus) == pytest.approx(-(2 * log(5 / 6) + log(4 / 5)) / 3)


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
        (".", "a text is a file\n  got: '.', a folder\n  fix: name a text file in it; regard train . takes them all"),
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


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_prompts_are_made_from_a_text_of_any_alphabet(tmp_path: Path, alphabet: str) -> None:
    (tmp_path / "mine.txt").write_text(ALPHABETS[alphabet] * 3, encoding="utf-8")
    corpus = load_corpus(str(tmp_path / "mine.txt"), shares=SHARES, context=7)
    prompts = [corpus.prompt("the "), *corpus.prompts(("Once upon ", "The wolf said ", "Yesterday "))]
    assert all(one and len(corpus.tokenizer.encode(one)) == len(one) for one in prompts)
    assert len(set(prompts)) > 1 or alphabet == "digits"


def test_an_assignments_prompts_are_kept_where_the_text_has_them(text: str) -> None:
    corpus = load_corpus(text, shares=SHARES, context=7)
    assert corpus.prompt("not ") == "not " and corpus.prompt("the ") == "to "
    known = replace(corpus, text=replace(corpus.text, name="grimm"))
    assert known.prompts(("to be ", "or ")) == ["to be ", "or "] and corpus.prompts(("to be ",)) == [
        "to be or"
    ]
    assert known.prompts(("Wolf ",)) == ["to be or"]


def test_a_text_that_is_cut_says_so_and_a_whole_one_does_not(text: str) -> None:
    assert load_corpus(text, shares=SHARES, context=7, limit=100).said == (
        "The text is your own: mine.txt. The first 100 of its 380 characters are used; limit=none takes all."
    )
    assert load_corpus(text, shares=SHARES, context=7, limit=400).said == "The text is your own: mine.txt."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "alphabet"),
    [
        *((name, alphabet) for name in ("shakespeare", "fairy-tales") for alphabet in ALPHABETS),
        ("positions", "chinese"),
        ("width-or-depth", "chinese"),
    ],
)
def test_every_text_experiment_takes_a_text_of_any_alphabet(
    capsys, monkeypatch, tmp_path: Path, name: str, alphabet: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGARD_RUNS", raising=False)
    Path("mine.txt").write_text(ALPHABETS[alphabet] * 30, encoding="utf-8")
    assert (
        main(["run", name, *(word for one in ("text=mine.txt", *SMALL[name]) for word in ("--set", one))])
        == 0
    )
    assert "The text is your own: mine.txt." in capsys.readouterr().out


SMALL = {
    "shakespeare": ("epochs=1", "epoch=2", "plan.steps=2", "batch=2", "rows=2", "spoken=12"),
    "fairy-tales": ("limit=1000", "batch=2", "rows=3", "plan.steps=2", "model.depth=1", "model.width=8", "model.heads=1", "model.context=16"),
    "positions": ("steps=2", "batch=2", "seeds=2", "width=8", "depth=1"),
    "width-or-depth": ("steps=2", "batch=2", "seeds=2", "width=8", "depth=1"),
}  # fmt: skip
