"""The tokenizer of a training, made or read, and its texts as windows of tokens."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import torch

from regard.data.sets.text import Text
from regard.data.tokens.bpe import BPE, tokenizer_from_json
from regard.data.tokens.tokenizer import Bytes, Character, Tokenizer
from regard.data.tokens.windows import Windows, cut
from regard.errors import RegardError, nearest

KINDS = ("character", "bytes", "bpe")
"Tokenizers that are made from the texts."
SEVERAL = 300
"Different characters up to which each is a token of its own."
HELD, MOST = 0.1, 200_000
"The share of each text that is held out, and the most tokens of all texts."
LEAST = 8
"Tokens in a window that there is something to learn from."
VOCABULARY, MERGES = "vocab.json", "merges.txt"
"GPT-2's names for the two files of its tokenizer."
OWN = "regard-tokenizer.json"
"Ours, for a tokenizer that GPT-2 has no files for."


def require_tokenizer(word: str) -> None:
    """Refuse a word that is neither a kind of tokenizer nor a file or folder that holds one."""
    if word in KINDS:
        if word == "bpe" and importlib.util.find_spec("tokenizers") is None:
            raise RegardError(
                "byte pairs need a package", "no module 'tokenizers'", "pip install tokenizers, or take bytes"
            )
    elif word and Path(word).exists():
        read_tokenizer(Path(word))
    else:
        fix = nearest(word, KINDS, f"one of {', '.join(KINDS)}, or the file of one")
        raise RegardError("no tokenizer of that name", f"'{word}'", fix)


def choose_tokenizer(texts: Sequence[Text]) -> tuple[str, int | None, str]:
    """The kind of tokenizer that fits some texts, the pieces of byte pairs, and why."""
    characters = sum(len(one.characters) for one in texts)
    different = len(set().union(*(one.characters for one in texts)))
    if different <= SEVERAL:
        return "character", None, f"the texts have {different} different characters"
    if importlib.util.find_spec("tokenizers") is None:
        return "bytes", None, f"the texts have {different} different characters, and no 'tokenizers' is here"
    size = pieces(characters)
    return "bpe", size, f"the texts have {different} different characters: {size:,} byte pairs"


def pieces(characters: int) -> int:
    """How many byte pairs a text of that many characters is worth: each is to be met often enough.

    >>> pieces(10_000), pieces(1_000_000), pieces(10**9)
    (512, 4096, 16384)
    """
    return next((size for size in (512, 1024, 2048, 4096, 8192) if characters < 400 * size), 16384)


def make_tokenizer(word: str, texts: Sequence[Text], vocabulary: int | None) -> Tokenizer:
    """The tokenizer of that kind for some texts, or the one in that file."""
    whole = "\n".join(one.characters for one in texts)
    if word == "character":
        return Character("".join(one.characters for one in texts))
    if word == "bytes":
        return Bytes()
    if word == "bpe":
        return BPE.train(whole, size=vocabulary or pieces(len(whole)))
    return read_tokenizer(Path(word))


def read_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer of a file that `to_json` wrote, or of a folder with GPT-2's two files or ours."""
    if path.is_dir() and (path / VOCABULARY).is_file():
        return BPE.load(path / VOCABULARY, path / MERGES)
    file = path / OWN if path.is_dir() else path
    try:
        content = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RegardError(
            "no tokenizer there",
            f"'{path}'",
            f"name a folder with {VOCABULARY} and {MERGES}, or a tokenizer's own file",
        ) from error
    return tokenizer_from_json(content)


def windows_of(texts: Sequence[Text], tokenizer: Tokenizer, window: int, device: torch.device) -> Windows:
    """The tokens of some texts, the last tenth of each held out, in windows as long as asked or as fits."""
    ids = [tokenizer.encode(one.characters) for one in texts]
    held = min(HELD, MOST / sum(len(one) for one in ids))
    parts = [cut(one, {"train": 1 - held, "held-out": held}) for one in ids if len(one)]
    splits = {name: torch.cat([part[name] for part in parts]).to(device) for name in ("train", "held-out")}
    longest = min(len(one) for one in splits.values()) - 1
    if longest < LEAST:
        whole = sum(len(one) for one in ids)
        raise RegardError(
            "the text is too short to learn from",
            f"{whole} token{'' if whole == 1 else 's'}, of which {len(splits['held-out'])} are held out",
            f"name a longer text: about {round((LEAST + 1) / HELD)} tokens are the least",
        )
    return Windows(splits, min(window, longest))
