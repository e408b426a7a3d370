"""Tokenising texts of any length into a token file (`regard data tokenize`), in constant memory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from regard.data.sets.stream import stream_source
from regard.data.sets.text import Text
from regard.data.sets.texts import find_texts
from regard.data.tokens.pieces import whole_pieces
from regard.data.tokens.token_file import TokenFile, write_tokens
from regard.data.tokens.tokenizer import Character, Tokenizer
from regard.errors import RegardError
from regard.lab.train.tokens import choose_kind, make_tokenizer, require_tokenizer

SAMPLE = 2**25
"Characters of the texts, evenly spread, from which byte pairs are learned."
Tell = Callable[[str], None]


@dataclass
class Survey:
    """What a pass over the texts found: all that a tokenizer is made from.

    >>> survey = Survey(most=4)
    >>> for piece in ("ab", "cd", "ef", "gh", "ij"):
    ...     survey.see(piece)
    >>> survey.characters, "".join(sorted(survey.alphabet)), survey.sample
    (10, 'abcdefghij', ['ab', 'ij'])
    """

    most: int = SAMPLE
    "Characters that the sample may have."
    characters: int = 0
    "How many were seen."
    alphabet: set[str] = field(default_factory=set)
    "The different ones."
    sample: list[str] = field(default_factory=list)
    "Every so manieth piece."
    stride: int = 1
    "How many pieces there are for each of the sample."
    pieces: int = 0
    "Pieces seen."

    def see(self, piece: str) -> None:
        """Note a piece; where the sample grows too large every second of it goes."""
        self.characters += len(piece)
        self.alphabet |= set(piece)
        if self.pieces % self.stride == 0:
            self.sample.append(piece)
        self.pieces += 1
        while sum(map(len, self.sample)) > self.most and len(self.sample) > 1:
            self.sample, self.stride = self.sample[::2], 2 * self.stride


def tokenize(
    names: Sequence[str],
    out: Path,
    *,
    tokenizer: str | None = None,
    vocabulary: int | None = None,
    tell: Tell = lambda words: None,
) -> tuple[TokenFile, str]:
    """Write the tokens of some texts to a file, whole or not at all; say which tokenizer it is and why.

    The texts are read twice, once to make the tokenizer; with `bytes`, or a tokenizer that is there, once.
    """
    if tokenizer is not None:
        require_tokenizer(tokenizer)
    if vocabulary is not None and tokenizer != "bpe":
        raise RegardError(
            "--vocabulary has no effect without --tokenizer bpe",
            f"--vocabulary {vocabulary}",
            "add --tokenizer bpe, or leave it out",
        )
    if out.is_dir() or not out.parent.is_dir():
        raise RegardError("there is no place for the token file", f"'{out}'", "name a file in a folder")
    sources = find_texts(names).sources
    made, why = _made(sources, tokenizer, vocabulary, tell)
    done = 0

    def pieces() -> Iterator[str]:
        nonlocal done
        for source in sources:
            for piece in whole_pieces(stream_source(source)):
                yield piece
                done += len(piece)
                tell(f"{done:,} characters written as tokens")

    return write_tokens(out, made, pieces()), why


def _made(
    sources: Sequence[str], word: str | None, vocabulary: int | None, tell: Tell
) -> tuple[Tokenizer, str]:
    """The tokenizer as asked for, or the one that fits the texts."""
    if word is not None and word not in ("character", "bpe"):
        return make_tokenizer(word, (), None), f"{word}, as asked"
    survey = Survey()
    for source in sources:
        for piece in stream_source(source):
            survey.see(piece)
            tell(f"{survey.characters:,} characters looked at")
    kind, pieces, reason = choose_kind(len(survey.alphabet), survey.characters)
    kind, pieces, why = (kind, pieces, f"since {reason}") if word is None else (word, vocabulary, "as asked")
    if kind == "character":
        return Character("".join(survey.alphabet)), f"{kind}, {why}"
    text = Text("sample", "".join(survey.sample), "")
    return make_tokenizer(kind, [text], pieces or None), f"{kind}, {why}"
