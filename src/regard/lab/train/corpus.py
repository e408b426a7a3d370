"""The texts of a training: whole in memory, or as the tokens of a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.data.sets.text import Text
from regard.data.sets.texts import find_texts, load_texts
from regard.data.tokens.token_file import TokenFile, is_token_file
from regard.data.tokens.tokenizer import Bytes
from regard.errors import RegardError
from regard.lab.train.tokens import pieces, read_tokenizer


@dataclass(frozen=True)
class TrainCorpus:
    """What a training learns from."""

    sources: tuple[str, ...]
    "Files by their whole path, or names of known texts."
    texts: Sequence[Text] = ()
    "The texts, unless they are tokens already."
    tokens: TokenFile | None = None
    "The tokens of a file."
    passed: tuple[str, ...] = ()
    "Files in folders that are no texts, and were passed over."

    @property
    def characters(self) -> int:
        """How long the texts are."""
        return (
            sum(len(one.characters) for one in self.texts) if self.tokens is None else self.tokens.characters
        )

    def vocabulary(self, tokenizer: str, pieces_asked: int | None) -> int:
        """How many different tokens there will be, before a tokenizer is made."""
        if self.tokens is not None:
            return self.tokens.tokenizer.size
        if tokenizer == "character":
            return len(set().union(*(one.characters for one in self.texts)))
        if tokenizer == "bytes":
            return Bytes().size
        if tokenizer == "bpe":
            return pieces_asked or pieces(self.characters)
        return read_tokenizer(Path(tokenizer)).size

    @property
    def told(self) -> str:
        """What it is, in a sentence."""
        if self.tokens is not None:
            return (
                f"tokens: {self.tokens.path.name}, {self.tokens.count:,} of {self.characters:,} characters; "
                "its end, a tenth at most, is held out"
            )
        names = ", ".join(one.name for one in self.texts[:3])
        more = f" and {len(self.texts) - 3} more" if self.texts[3:] else ""
        ends = "the end of each, a tenth at most, is held out"
        return f"texts: {names}{more}, {self.characters:,} characters; {ends}"


def read_corpus(names: Sequence[str]) -> TrainCorpus:
    """The texts that some names stand for, or the one token file."""
    if not any(is_token_file(name) for name in names):
        found = find_texts(names)
        return TrainCorpus(found.sources, load_texts(found.sources), passed=found.passed)
    if len(names) > 1:
        raise RegardError(
            "a token file is trained on alone",
            ", ".join(names),
            "name it alone; regard data tokenize makes one file of several texts",
        )
    path = Path(names[0]).resolve()
    return TrainCorpus((str(path),), tokens=TokenFile.open(path))
