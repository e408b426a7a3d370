import json
from pathlib import Path

import pytest
import torch

from regard.data.tokens.bpe import BPE
from regard.data.tokens.tokenizer import Bytes, Character, Tokenizer
from regard.errors import RegardError
from regard.lab.text_model import TextModel
from regard.lab.train.weights import byte_letters, load_weights, save_weights
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT

TEXT = "to be, Жили-были, 道可道 " * 20
TOKENIZERS = [Character(TEXT), Bytes(), BPE.train(TEXT, size=280)]


def small(tokenizer: Tokenizer, **other) -> TextModel:
    torch.manual_seed(0)
    sizes = {"vocabulary": tokenizer.size, "context": 16, "depth": 2, "heads": 2, "width": 8}
    return TextModel(GPT(GPTConfig(**sizes | other)).eval(), tokenizer)


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=lambda one: one.kind)
def test_a_model_and_its_tokenizer_come_back_from_gpt2s_files(tmp_path: Path, tokenizer: Tokenizer) -> None:
    model = small(tokenizer)
    files = save_weights(model, tmp_path / "out")
    assert {"config.json", "model.safetensors"} <= set(files)
    again = load_weights(tmp_path / "out")
    ids = model.prompt("道可 be")
    assert torch.equal(again.prompt("道可 be"), ids)
    with torch.no_grad():
        assert torch.equal(again.model(ids), model.model(ids))


@pytest.mark.parametrize("tokenizer", TOKENIZERS[1:], ids=lambda one: one.kind)
def test_the_tokenizer_is_what_transformers_reads(tmp_path: Path, tokenizer: Tokenizer) -> None:
    transformers = pytest.importorskip("transformers")
    save_weights(small(tokenizer), tmp_path)
    theirs = transformers.GPT2Tokenizer(
        vocab=str(tmp_path / "vocab.json"), merges=str(tmp_path / "merges.txt")
    )
    assert theirs("Жили, be")["input_ids"] == tokenizer.encode("Жили, be").tolist()


def test_byte_letters_are_those_of_the_library() -> None:
    letters = json.loads(BPE.train("a", size=256).to_json())["vocabulary"]
    assert set(json.loads(letters)) == set(byte_letters())


def test_what_cannot_be_written_or_is_no_folder_of_weights_is_told(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="only a GPT-2 can be written as one"):
        save_weights(small(Bytes(), position="rotary"), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note").write_text("mine")
    for place in (tmp_path / "full", tmp_path / "full" / "note"):
        with pytest.raises(RegardError, match="there is something in that place already"):
            save_weights(small(Bytes()), place)
        with pytest.raises(RegardError, match="no weights in that folder"):
            load_weights(place)


def test_another_tokenizer_than_that_of_the_weights_is_told(tmp_path: Path) -> None:
    save_weights(small(Bytes()), tmp_path)
    (tmp_path / "vocab.json").write_text(json.dumps({"a": 0}))
    with pytest.raises(RegardError, match="1 tokens, and weights for 256"):
        load_weights(tmp_path)
