"""The tokenizer of a training, made or read, and its texts as windows of tokens."""

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path

import torch

from regard.data.sets.text import Text
from regard.data.tokens.bpe import BPE, tokenizer_from_json
from regard.data.tokens.file_windows import FileWindows
from regard.data.tokens.token_file import TokenFile
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
PUBLISHED = "tokenizer.json"
"One file for the two, as newer checkpoints have it."


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
    alphabet = set().union(*(one.characters for one in texts))
    return choose_kind(len(alphabet), sum(len(one.characters) for one in texts))


def choose_kind(different: int, characters: int) -> tuple[str, int | None, str]:
    """The same from the number of different characters and of all."""
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
    inside = (path / name for name in (OWN, PUBLISHED) if (path / name).is_file())
    file = next(inside, path / OWN) if path.is_dir() else path
    try:
        content = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RegardError(
            "no tokenizer there",
            f"'{path}'",
            f"name a folder with {VOCABULARY} and {MERGES}, or a tokenizer's own file",
        ) from error
    return published(content) or tokenizer_from_json(content)


def published(content: str) -> BPE | None:
    """The tokenizer of a tokenizer.json that is GPT-2's: byte pairs; None where it is something else."""
    try:
        model = json.loads(content)["model"]
        pairs = [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]]
        state = {"vocabulary": json.dumps(model["vocab"]), "merges": "\n".join(pairs)}
    except (ValueError, TypeError, KeyError):
        return None
    return BPE.from_state(state)


def windows_of(texts: Sequence[Text], tokenizer: Tokenizer, window: int, device: torch.device) -> Windows:
    """The tokens of some texts, the last tenth of each held out, in windows as long as asked or as fits."""
    ids = [tokenizer.encode(one.characters) for one in texts]
    held = min(HELD, MOST / sum(len(one) for one in ids))
    parts = [cut(one, {"train": 1 - held, "held-out": held}) for one in ids if len(one)]
    splits = {name: torch.cat([part[name] for part in parts]).to(device) for name in ("train", "held-out")}
    return Windows(splits, _longest(len(splits["train"]), len(splits["held-out"]), window))


def windows_of_file(tokens: TokenFile, window: int, device: torch.device) -> FileWindows:
    """The tokens of a file, its last tenth held out, in windows as long as asked or as fits."""
    held = int(min(HELD * tokens.count, MOST))
    return FileWindows(tokens, _longest(tokens.count - held, held, window), held, device)


def _longest(train: int, held: int, window: int) -> int:
    """A window as long as asked, or as long as both parts of a text can fill."""
    longest = min(train, held) - 1
    if longest < LEAST:
        whole = train + held
        raise RegardError(
            "the text is too short to learn from",
            f"{whole} token{'' if whole == 1 else 's'}, of which {held} are held out",
            f"name a longer text: about {round((LEAST + 1) / HELD)} tokens are the least",
        )
    return min(window, longest)
