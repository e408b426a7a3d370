"""Prompts made from a text, whatever its alphabet: how its sentences begin, its commonest word."""

import re
from collections import Counter

UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"Characters of scripts that put no blanks between words: kana, Han, Thai, Lao, Burmese, Khmer."
WORD = re.compile(rf"[{UNSPACED}]+|(?:(?![{UNSPACED}])[^\W\d_]|['’])+")
SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])\s*|\n+")
LENGTH = 16
"The most characters of a prompt."


def words(text: str) -> list[str]:
    """The words of a text in any script, in small letters; without blanks between words, pairs of characters.

    >>> words("To be, или не быть"), words("道可道，")
    (['to', 'be', 'или', 'не', 'быть'], ['道可', '可道'])
    """
    found: list[str] = []
    for run in WORD.findall(text.lower()):
        paired = re.match(f"[{UNSPACED}]", run) and len(run) > 1
        found += [run[at : at + 2] for at in range(len(run) - 1)] if paired else [run]
    return found


def commonest_word(text: str) -> str:
    """The word that a text has most often, with a blank after it where the text has blanks.

    >>> commonest_word("и сказал, и пошёл"), commonest_word("道可道，非常道；道可")
    ('и ', '道可')
    """
    found = Counter(words(text))
    if not found:
        return text[:1]
    # The word stands in the text as it is written there, which may be in capital letters alone.
    word = max(found, key=lambda one: (found[one], one))
    place = text.lower().find(word)
    word = word if word in text else text[place : place + len(word)] or text[:1]
    return word + (" " if " " in text and not re.match(f"[{UNSPACED}]", word) else "")


def openings(text: str, count: int) -> list[str]:
    """How sentences of a text begin, at most so many of them, from places spread over it.

    >>> openings("Жили-были старик со старухой. У них была курочка. Снесла она яичко.", 2)
    ['Жили-были старик', 'У них была']
    """
    sentences = [one for one in (piece.strip() for piece in SENTENCE.split(text)) if one]
    count = min(count, len(sentences))
    chosen = [sentences[place * len(sentences) // count] for place in range(count)]
    return list(dict.fromkeys(map(_beginning, chosen)))


def _beginning(sentence: str) -> str:
    found = re.match(r"\S+(?:\s+\S+){0,2}", sentence)
    assert found is not None, "a sentence is not blank"
    whole = found[0]
    return whole if len(whole) <= LENGTH else whole[: LENGTH + 1].rpartition(" ")[0] or whole[:LENGTH]
