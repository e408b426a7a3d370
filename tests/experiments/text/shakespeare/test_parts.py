"""Whether the test text is easier than the training text, and what is said of it."""

import pytest
import torch

from regard.experiments.text.corpus import load_corpus
from regard.experiments.text.shakespeare.parts import at_hand, compared, held_out, parts_right
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT


def corpus(tmp_path, text: str):
    file = tmp_path / "own.txt"
    file.write_text(text, "utf-8")
    return load_corpus(str(file), shares={"train": 0.8, "test": 0.2}, context=10)


def test_a_regular_text_is_known_everywhere_and_noise_nowhere(tmp_path) -> None:
    noise = "".join(
        chr(97 + one) for one in torch.randint(26, (4000,), generator=torch.Generator().manual_seed(3))
    )
    test, parts = parts_right(corpus(tmp_path, noise + "abcdef" * 1000 + "abcdef" * 400))
    assert test > 0.99 and parts[0] < 0.2 and parts[-1] > 0.99


def test_a_model_elsewhere_is_copied_and_one_that_is_here_is_not() -> None:
    here = GPT(GPTConfig(vocabulary=5, context=4, depth=1, heads=1, width=4))
    there = GPT(here.config).double()
    assert at_hand(here) is here and at_hand(there) is there
    there.to("meta")
    with pytest.raises(NotImplementedError):  # a copy is asked for, of numbers that this device does not keep
        at_hand(there)
    assert next(there.parameters()).device.type == "meta"


def test_the_sentence_follows_the_numbers() -> None:
    partly, easier, wholly, open_, harder = (
        compared(0.42, 0.46, 0.41, [0.38, 0.40]),
        compared(0.42, 0.44, 0.41, [0.38, 0.40]),
        compared(0.42, 0.43, 0.42, [0.38, 0.40]),
        compared(0.42, 0.46, 0.39, [0.38, 0.40]),
        compared(0.46, 0.42, 0.41, [0.38, 0.40]),
    )
    assert partly.endswith(
        "by 1.0 to 3.0 points: it is right in 41.0% of the test text and in 38.0% to 40.0% of parts of the training text that are as long. "
        "So the text accounts for some of the 4.0 points between the two accuracies."
    )
    assert "accounts for some or all of the 2.0 points" in easier
    assert "accounts for all of the 1.0 points" in wholly
    assert open_.endswith("So the text does not tell why the model is more often right there.")
    assert "no harder than what was not" in compared(0.818, 0.822, 0.41, [0.5, 0.6]), "82 % is 82 %"
    assert "no harder than what was not" in harder


def test_held_out_text_is_read_whole_or_in_so_many_windows(tmp_path) -> None:
    small = corpus(tmp_path, "abcdefghij" * 1000)
    assert sum(len(inputs) for inputs, _ in held_out(small, None)) == 200
    assert sum(len(inputs) for inputs, _ in held_out(small, 128)) == 128
