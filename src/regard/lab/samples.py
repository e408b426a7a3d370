"""Samples of a text model in the terminal: as a stream, side by side, or token by token with odds."""

import sys
from collections.abc import Iterable
from math import exp
from typing import Any

from rich.columns import Columns
from rich.live import Live
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text

from regard.generation.beam import Beam
from regard.generation.engine import Token
from regard.lab.console import console
from regard.lab.tables import Column, show_table
from regard.lab.text_model import TextModel


def show_stream(model: TextModel, prompt: str, tokens: Iterable[Token]) -> None:
    """One sample, written as it is said."""
    said: list[int] = []
    shown = 0
    sys.stdout.write(prompt)
    for token in tokens:
        said += token.ids.tolist()
        text = model.show(said)
        sys.stdout.write(text[shown:])
        sys.stdout.flush()
        shown = len(text)
    sys.stdout.write("\n")


def show_side_by_side(model: TextModel, prompt: str, tokens: Iterable[Token], seeds: list[int]) -> None:
    """Several samples, each in a box of its own that grows as it is said."""
    said: list[list[int]] = [[] for _ in seeds]

    def boxes() -> Columns:
        return Columns(
            [
                Panel(Text(prompt + model.show(ids), overflow="fold"), title=f"seed {seed}", width=width)
                for seed, ids in zip(seeds, said, strict=True)
            ]
        )

    width = max(24, console.width // min(len(seeds), 3) - 1)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        for token in tokens:
            for ids, one in zip(said, token.ids.tolist(), strict=True):
                ids.append(one)
            if console.is_terminal:
                live.update(boxes(), refresh=True)
    console.print(boxes())


def show_chances(model: TextModel, tokens: Iterable[Token], seeds: list[int], count: int) -> None:
    """Every token with its probability, and the most probable ones in its place."""
    rows: list[list[tuple[str, float, str]]] = [[] for _ in seeds]
    for token in tokens:
        own, (logs, which) = token.log_probabilities().tolist(), token.alternatives(count)
        for row, one in enumerate(token.ids.tolist()):
            if one >= 0:
                others = zip(which[row].tolist(), logs[row].tolist(), strict=True)
                told = "  ".join(
                    f"{model.tokenizer.decode([other])!r} {exp(log):.3f}" for other, log in others
                )
                rows[row].append((repr(model.tokenizer.decode([one])), exp(own[row]), told))
    for seed, lines in zip(seeds, rows, strict=True):
        console.print(f"[dim]seed {seed}[/]")
        heads = (Column("token"), Column("probability"), Column("most probable here", wraps=True))
        show_table(console, heads, [(said, f"{chance:.3f}", told) for said, chance, told in lines])


def gather(model: TextModel, tokens: Iterable[Token], seeds: list[int], count: int) -> list[dict[str, Any]]:
    """Samples as JSON has them: seed, text, and each token with its probability and `count` alternatives."""
    found: list[dict[str, Any]] = [{"seed": seed, "text": "", "tokens": []} for seed in seeds]
    said: list[list[int]] = [[] for _ in seeds]
    for token in tokens:
        own, (logs, which) = token.log_probabilities().tolist(), token.alternatives(count)
        for row, one in enumerate(token.ids.tolist()):
            if one >= 0:
                said[row].append(one)
                others = zip(which[row].tolist(), logs[row].tolist(), strict=True)
                others = [
                    {"token": model.tokenizer.decode([other]), "probability": exp(log)}
                    for other, log in others
                ]
                step = {"token": model.tokenizer.decode([one]), "probability": exp(own[row])}
                found[row]["tokens"].append(step | ({"alternatives": others} if count else {}))
    for sample, ids in zip(found, said, strict=True):
        sample["text"] = model.show(ids)
    return found


def show_beams(model: TextModel, prompt: str, beams: Iterable[Beam]) -> None:
    """Beams, best first, with what they are ranked by."""
    for beam in beams:
        told = f"score {beam.score:.3f}, log-probability {beam.log_probability:.3f}, {len(beam.ids)} tokens"
        console.print(f"[dim]{told}{', ended' if beam.ended else ''}[/]")
        console.print(escape(prompt + model.show(beam.ids)), soft_wrap=True)
