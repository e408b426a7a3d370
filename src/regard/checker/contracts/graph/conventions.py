"""Conventions of graph layers that count only where a person states them: which end of an edge listens, heads averaged."""

import re

from regard.checker.contract import Convention, Forms

TAKES = r"(receiv\w*|targets?|dst|dest\w*|listen\w*)"
GIVES = r"(send\w*|sources?|src|neighbou?rs?|origins?|from|\[1\]|row 1|second row)"
ELSEWHERE = r"(?!\s*((in|at|is|are|from)\b|=)\s*(the\s+)?(\w+\s*)?(row 1|second row|\[1\]))"
"Not where the words go on to say that it stands in the second row: source in row 0, target in row 1."
REVERSED = (
    rf"(\[0\]|\brow 0|\bfirst row)(?:(?!\b{GIVES})[^.;\n]){{0,40}}?\b{TAKES}\b{ELSEWHERE}"
    rf"|\(\s*(to|{TAKES})\s*,\s*{GIVES}\s*\)"
)
"What a person says whose list has the node that listens first."
MEAN = r"\bheads?\W+(\w+\W+){0,2}?(averag|mean)|\b(averag\w*|mean)\W+(\w+\W+){0,3}?heads?\b"
"What a person says whose heads are averaged."
DIRECTIONS = ("adjacency-transposed", "edges-reversed")
"Conventions under which a graph runs the other way."


def edges_reversed(forms: Forms) -> Convention:
    """A list of edges whose first row holds the nodes that listen."""
    return Convention(
        slug="edges-reversed",
        says="the first row of the list of edges holds the nodes that listen, the second those they listen to",
        mistake="direction-reversed",
        choice="edges=reversed",
        words=REVERSED,
        needs=("listed",),
        forms=forms,
        asked=lambda words: bool(re.search(REVERSED, words, re.I)),
    )


def heads_mean(forms: Forms) -> Convention:
    """Heads that are averaged, as in a last layer."""
    return Convention(
        slug="heads-mean",
        says="the heads are averaged, as the source says",
        mistake="heads-averaged",
        choice="heads=mean",
        words=MEAN,
        forms=forms,
        asked=lambda words: bool(re.search(MEAN, words, re.I)),
    )
