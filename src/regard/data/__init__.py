"""Data: what there is and how it gets here, texts, tokenizers, batches."""

from regard.data.album import ALBUMS, load_album
from regard.data.archive import read_members
from regard.data.catalogue import CATALOGUE, Entry, entry
from regard.data.dataset import Windows, cut
from regard.data.download import fetch, find
from regard.data.graphs import Network, load_cora, load_karate
from regard.data.images import Pictures, load_digits, load_fashion, load_things
from regard.data.music import COMPOSERS, Score, Scrap, load_scores, shred
from regard.data.music_graph import RELATIONS, describe, relate
from regard.data.music_kern import read_kern
from regard.data.music_notes import Notes
from regard.data.music_xml import read_musicxml
from regard.data.pieces import BPE, tokenizer_from_json
from regard.data.rotation import rotate
from regard.data.scenes import make_scenes
from regard.data.segmented import Segmented
from regard.data.slices import load_slices
from regard.data.synthetic import red_green
from regard.data.text import TEXTS, Text, load_text, load_text_or_shakespeare, read_text
from regard.data.tokenizer import Bytes, Character, Tokenizer

__all__ = [
    "ALBUMS",
    "BPE",
    "CATALOGUE",
    "COMPOSERS",
    "RELATIONS",
    "TEXTS",
    "Bytes",
    "Character",
    "Entry",
    "Network",
    "Notes",
    "Pictures",
    "Score",
    "Scrap",
    "Segmented",
    "Text",
    "Tokenizer",
    "Windows",
    "cut",
    "describe",
    "entry",
    "fetch",
    "find",
    "load_album",
    "load_cora",
    "load_digits",
    "load_fashion",
    "load_karate",
    "load_scores",
    "load_slices",
    "load_text",
    "load_text_or_shakespeare",
    "load_things",
    "make_scenes",
    "read_kern",
    "read_members",
    "read_musicxml",
    "read_text",
    "red_green",
    "relate",
    "rotate",
    "shred",
    "tokenizer_from_json",
]
