"""Weights in GPT-2's format, with their tokenizer: to begin a training with, and to hand on."""

import json
from pathlib import Path

from regard.data.tokens.bpe import BPE
from regard.data.tokens.tokenizer import Bytes, Tokenizer
from regard.errors import RegardError
from regard.files import explained, write
from regard.lab.text_model import TextModel, load_text_model, text_models
from regard.lab.train.tokens import MERGES, OWN, VOCABULARY, read_tokenizer
from regard.models.gpt.huggingface import load_gpt2, save_gpt2

CONFIG = "config.json"


def load_weights(folder: Path) -> TextModel:
    """The model and the tokenizer of a folder: published weights in GPT-2's format, or a run's own."""
    if (folder / CONFIG).is_file():
        model, tokenizer = load_gpt2(folder), read_tokenizer(folder)
        if tokenizer.size != model.config.vocabulary:
            raise RegardError(
                "the tokenizer is not that of the weights",
                f"{tokenizer.size:,} tokens, and weights for {model.config.vocabulary:,}",
                "get both from the same place",
            )
        return TextModel(model, tokenizer)
    if folder.is_dir() and text_models(folder):
        return load_text_model(folder)
    raise RegardError(
        "no weights in that folder",
        f"'{folder}'",
        f"name a folder with {CONFIG}, model.safetensors, {VOCABULARY} and {MERGES}, or a run with a model",
    )


def save_weights(model: TextModel, folder: Path) -> list[str]:
    """Write a model as GPT-2's files, and its tokenizer beside them; the names of what was written."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RegardError(
            "there is something in that place already", f"'{folder}'", "name a folder that is empty or new"
        )
    with explained(folder):
        save_gpt2(model.model, folder)
        for name, content in _files(model.tokenizer).items():
            write(folder / name, content)
        return sorted(one.name for one in folder.iterdir())


def _files(tokenizer: Tokenizer) -> dict[str, str]:
    """A tokenizer as GPT-2's two files, where it has bytes for its letters; else as ours."""
    if isinstance(tokenizer, BPE):
        state = json.loads(tokenizer.to_json())
        return {VOCABULARY: state["vocabulary"], MERGES: f"#version: 0.2\n{state['merges']}\n"}
    if isinstance(tokenizer, Bytes):
        return {VOCABULARY: json.dumps(byte_letters(), ensure_ascii=False), MERGES: "#version: 0.2\n"}
    return {OWN: tokenizer.to_json()}


def byte_letters() -> dict[str, int]:
    """The letter that GPT-2's files write for each byte: itself where it can be seen, else one from 256 on.

    >>> letters = byte_letters()
    >>> letters["A"], letters["Ġ"], len(letters)
    (65, 32, 256)
    """
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {chr(256 + at): byte for at, byte in enumerate(hidden)}
