"""The sentences of an epoch, and what is said of them."""

from pathlib import Path

from regard.experiments.text.corpus import load_corpus
from regard.experiments.text.shakespeare.sentences import COLUMNS, SmallEnd, row, said_of_own, sentences, told
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT

SAID = {"plain": ["the cat\nsat", "the dog", "the end"], "top-k 5": ["the best", "the rest", "the"]}


def test_three_sentences_are_said_each_way(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("the end of the day " * 20)
    corpus = load_corpus(str(tmp_path / "mine.txt"), shares={"train": 0.5, "test": 0.5}, context=5)
    model = GPT(GPTConfig(vocabulary=corpus.tokenizer.size, context=5, depth=1, heads=1, width=4))
    said = sentences(model, corpus)
    assert set(said) == {"plain", "top-k 5"}
    assert all(one.startswith("the ") and len(one) == 34 for found in said.values() for one in found)


def test_a_row_has_a_cell_for_each_column() -> None:
    made = row((2.0, 2.5, 2.6, 0.3, 0.2), {"plain": {0: 0.25, 1: 0.75}, "top-k 5": {0: 0.9, 1: 1.0}}, SAID)
    assert made == (2.0, 2.5, 2.6, "50%", "95%", "the cat⏎sat", "the best") and len(made) == len(COLUMNS)


def test_what_is_said_follows_the_numbers() -> None:
    """Another sentence where the test loss fell, where it did not, and after the first epoch."""
    rows = [(epoch, 2.0, loss, "50%", "95%", "", "") for epoch, loss in ((1.0, 2.5), (2.0, 2.4), (3.0, 2.6))]
    comments = [told(SAID, rows[:count]).splitlines()[-1] for count in (1, 2, 3)]
    assert comments == [
        "50% of the words of plain samples are words of the text; with top-k 5, 95%.",
        "50% of the words of plain samples are words of the text (50% an epoch ago, lower test loss now); with top-k 5, 95%.",
        "50% of the words of plain samples are words of the text (50% an epoch ago, no lower test loss now); with top-k 5, 95%.",
    ]
    assert told(SAID, rows[:1]).splitlines()[0] == "plain    | the cat⏎sat | the dog | the end"


def test_a_text_of_ones_own_is_told_by_how_far_each_model_came() -> None:
    end = SmallEnd(1000, 20, (2.0, 2.1, 2.2, 0.4, 0.35), 2.5)
    told = said_of_own(end)
    assert "1,000 characters of 20 kinds" in told and "costs 3.00 nats" in told and "Duke" not in told
    assert "a test loss of 2.20 after 2 epochs and predicts 35 % of the last characters" in told
    assert said_of_own(end, (30, 250, 1.9)).endswith("a held-out loss of 1.90 after 30 of 250 steps.")
    assert said_of_own(end, (250, 250, 1.9)).endswith("a held-out loss of 1.90 after 250 steps.")
