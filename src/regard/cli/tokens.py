"""The words tokenize and verify of the verb data: token files for texts of any length."""

import argparse
from pathlib import Path

from regard.cli.output import print_json, progress
from regard.errors import RegardError


def require_sense(arguments: argparse.Namespace) -> None:
    """Refuse words that would do nothing beside the others."""
    if arguments.names[:1] == ["tokenize"]:
        return
    for name in ("out", "tokenizer", "vocabulary"):
        if (value := getattr(arguments, name)) is not None:
            raise RegardError(
                f"--{name} has no effect without tokenize",
                f"--{name} {value}",
                "regard data tokenize FILE… --out FILE",
            )


def tokenize(arguments: argparse.Namespace) -> None:
    from regard.lab.train.tokenize import tokenize

    if arguments.out is None:
        raise RegardError(
            "the token file has no name", "no --out", "regard data tokenize FILE… --out FILE.tokens"
        )
    tell = progress()
    words = {"tokenizer": arguments.tokenizer, "vocabulary": arguments.vocabulary, "tell": tell}
    made, why = tokenize(arguments.names[1:], arguments.out, **words)
    tell("")
    size = made.path.stat().st_size
    if arguments.json:
        found = {"file": str(made.path), "tokens": made.count, "characters": made.characters}
        return print_json(
            found
            | {"bytes": size, "sha256": made.digest, "tokenizer": why, "vocabulary": made.tokenizer.size}
        )
    print(f"{made.path}: {made.count:,} tokens of {made.characters:,} characters, {size:,} bytes")
    print(f"tokenizer: {why}; {made.tokenizer.size:,} different tokens")
    return print(f"train on it: regard train {made.path}")


def verify(arguments: argparse.Namespace) -> None:
    from regard.data.tokens.token_file import TokenFile

    if len(arguments.names) < 2:
        raise RegardError("there is no token file", "no name", "regard data verify FILE…")
    for name in arguments.names[1:]:
        found = TokenFile.open(Path(name))
        found.verify()
        if not arguments.json:
            print(f"{name}: sound, {found.count:,} tokens")
    if arguments.json:
        print_json({"sound": arguments.names[1:]})
