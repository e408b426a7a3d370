"""Data: what there is and how it gets here, texts, tokenizers, batches."""

from regard.data.fetch.archive import read_members
from regard.data.fetch.catalogue import CATALOGUE, Entry, entry
from regard.data.fetch.download import fetch_file, find
from regard.data.formats.csr import open_graph
from regard.data.formats.external_sort import write_graph
from regard.data.formats.kern import read_kern
from regard.data.formats.musicxml import read_musicxml
from regard.data.formats.notes import Notes
from regard.data.sets.album import ALBUMS, load_album
from regard.data.sets.brain import load_slices
from regard.data.sets.folder import read_pictures
from regard.data.sets.graphs import Network, load_cora, load_karate
from regard.data.sets.images import Pictures, load_cifar10, load_fashion_mnist, load_mnist
from regard.data.sets.masks import Segmented
from regard.data.sets.music import COMPOSERS, Score, Scrap, load_scores, shred
from regard.data.sets.network import read_network
from regard.data.sets.points import PointTable, read_points
from regard.data.sets.text import TEXTS, Text, load_text, load_text_or_shakespeare, read_text
from regard.data.tokens.bpe import BPE, tokenizer_from_json
from regard.data.tokens.tokenizer import Bytes, Character, Tokenizer
from regard.data.tokens.windows import Windows, cut

__all__ = [
    "ALBUMS",
    "BPE",
    "CATALOGUE",
    "COMPOSERS",
    "TEXTS",
    "Bytes",
    "Character",
    "Entry",
    "Network",
    "Notes",
    "Pictures",
    "PointTable",
    "Score",
    "Scrap",
    "Segmented",
    "Text",
    "Tokenizer",
    "Windows",
    "cut",
    "entry",
    "fetch_file",
    "find",
    "load_album",
    "load_cifar10",
    "load_cora",
    "load_fashion_mnist",
    "load_karate",
    "load_mnist",
    "load_scores",
    "load_slices",
    "load_text",
    "load_text_or_shakespeare",
    "open_graph",
    "read_kern",
    "read_members",
    "read_musicxml",
    "read_network",
    "read_pictures",
    "read_points",
    "read_text",
    "shred",
    "tokenizer_from_json",
    "write_graph",
]
