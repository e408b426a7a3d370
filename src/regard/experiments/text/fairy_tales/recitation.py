"""Learning by heart, measured: copied stretches, and how far a text is gone on with after a quotation."""

QUOTED, GOES_ON = 40, 60
"Characters of a quotation, and of what should follow it."


def longest_copy(said: str, source: str) -> int:
    """The length of the longest stretch of a text that stands in another, letter by letter.

    >>> longest_copy("a black cat", "the black dog")
    7
    """
    best = 0
    for start in range(len(said)):
        while start + best < len(said) and said[start : start + best + 1] in source:
            best += 1
    return best


def right_start(said: str, truth: str) -> int:
    """How many characters a text goes on like another before the first that differs.

    >>> right_start("the cat sat", "the cow sat")
    5
    """
    return next((place for place, (a, b) in enumerate(zip(said, truth, strict=False)) if a != b), len(said))


def right_starts(said: list[str], quoted: list[tuple[str, str]]) -> dict[int, float]:
    """For how many characters each continuation is right, by its place."""
    return {row: float(right_start(one, quoted[row][1])) for row, one in enumerate(said)}


def quotations(text: str, count: int) -> list[tuple[str, str]]:
    """Quotations from places spread evenly over a text, each with what follows it there."""
    quoted, whole = min(QUOTED, len(text) // 3), min(QUOTED + GOES_ON, len(text))
    starts = [place * (len(text) - whole) // max(1, count - 1) for place in range(count)]
    return [(text[at : at + quoted], text[at + quoted : at + whole]) for at in starts]
