"""Data: what there is and how it gets here, texts, tokenizers, batches."""

from regard.data.archive import read_members
from regard.data.catalogue import CATALOGUE, Entry, entry
from regard.data.dataset import Windows, cut
from regard.data.download import fetch, find
from regard.data.pieces import BPE, tokenizer_from_json
from regard.data.text import TEXTS, Text, load_text, load_text_or_shakespeare, read_text
from regard.data.tokenizer import Bytes, Character, Tokenizer

__all__ = [
    "BPE",
    "CATALOGUE",
    "TEXTS",
    "Bytes",
    "Character",
    "Entry",
    "Text",
    "Tokenizer",
    "Windows",
    "cut",
    "entry",
    "fetch",
    "find",
    "load_text",
    "load_text_or_shakespeare",
    "read_members",
    "read_text",
    "tokenizer_from_json",
]
