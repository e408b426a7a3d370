"""Tokenising: the tokens of the whole texts, by the tokenizer that they get in memory, in constant memory."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from alphabets import ALPHABETS
from regard.data.sets.texts import load_texts
from regard.data.tokens.token_file import TokenFile
from regard.errors import RegardError
from regard.lab.train.tokenize import Survey, tokenize
from regard.lab.train.tokens import make_tokenizer


@pytest.fixture
def shelf(mine: Path) -> Path:
    """A folder of texts, one of them packed, and something else."""
    (mine / "shelf").mkdir()
    (mine / "shelf" / "a.txt.gz").write_bytes(gzip.compress(ALPHABETS["russian"].encode() * 9, mtime=0))
    (mine / "shelf" / "b.txt").write_text(ALPHABETS["chinese"] * 9, encoding="utf-8")
    (mine / "shelf" / "c.bin").write_bytes(b"\0\1")
    return mine / "shelf"


@pytest.mark.parametrize("kind", ["character", "bytes", "bpe"])
def test_the_tokens_are_those_of_the_texts(shelf: Path, kind: str) -> None:
    words = {"tokenizer": kind, "vocabulary": 300 if kind == "bpe" else None}
    made, why = tokenize([str(shelf), "mine.txt"], Path("t.tokens"), **words)
    assert why == f"{kind}, as asked"
    texts = load_texts([str(shelf / "a.txt.gz"), str(shelf / "b.txt"), "mine.txt"])
    ids = torch.cat([made.tokenizer.encode(one.characters) for one in texts])
    assert torch.equal(made.read(0, made.count), ids)
    assert made.characters == sum(len(one.characters) for one in texts)
    made.verify()
    if kind != "bpe":
        assert made.tokenizer.to_json() == make_tokenizer(kind, texts, None).to_json()


def test_a_tokenizer_is_chosen_from_the_texts(shelf: Path) -> None:
    _, why = tokenize([str(shelf)], Path("t.tokens"))
    assert why.startswith("character, since the texts have ") and why.endswith(" different characters")
    Path("wide.txt").write_text("".join(chr(0x4E00 + at) for at in range(600)) * 3, encoding="utf-8")
    made, why = tokenize(["wide.txt"], Path("u.tokens"))
    assert why == "bpe, since the texts have 600 different characters: 512 byte pairs"
    assert made.tokenizer.size <= 512


def test_a_tokenizer_that_is_there_is_taken(mine: Path) -> None:
    first, _ = tokenize(["mine.txt"], Path("t.tokens"), tokenizer="bpe", vocabulary=270)
    Path("own.json").write_text(first.tokenizer.to_json())
    again, why = tokenize(["mine.txt"], Path("u.tokens"), tokenizer="own.json")
    assert why == "own.json, as asked" and again.digest == first.digest


def test_it_says_how_far_it_is(mine: Path) -> None:
    said: list[str] = []
    tokenize(["mine.txt"], Path("t.tokens"), tell=said.append)
    assert said == ["1,230 characters looked at", "1,230 characters written as tokens"]


def test_the_sample_is_spread_evenly_and_stays_small() -> None:
    survey = Survey(most=100)
    for number in range(1000):
        survey.see(f"{number:03d} ")
    kept = [int(one) for one in survey.sample]
    assert 50 < 4 * len(kept) <= 100
    assert kept == list(range(0, 1000, kept[1])), "every so manieth"
    assert survey.characters == 4000 and len(survey.alphabet) == 11


@pytest.mark.parametrize(
    ("names", "out", "words", "what"),
    [
        (["mine.txt"], "nowhere/t", {}, "there is no place for the token file"),
        (["mine.txt"], ".", {}, "there is no place for the token file"),
        ([], "t", {}, "there is no text"),
        (["absent.txt"], "t", {}, "no such text"),
        (["mine.txt"], "t", {"tokenizer": "words"}, "no tokenizer of that name"),
        (["mine.txt"], "t", {"vocabulary": 300}, "--vocabulary has no effect without --tokenizer bpe"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(mine: Path, names, out: str, words, what: str) -> None:
    with pytest.raises(RegardError, match=what):
        tokenize(names, Path(out), **words)
    assert not Path("t").exists()


WRITER = """
import resource, sys
from pathlib import Path
from regard.lab.train.tokenize import tokenize
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
tokenize(sys.argv[1:2], Path(sys.argv[2]), tokenizer="bytes")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux")
def test_a_text_larger_than_its_memory_is_tokenised(mine: Path) -> None:
    """A packed text of 128 MiB, in less than 64 MiB more than the process has at its start."""
    import regard

    with gzip.open("long.txt.gz", "wb", compresslevel=1) as file:
        for _ in range(128):
            file.write(b"to be or not to be, that is the question\n" * (2**20 // 41 + 1))
    words = [sys.executable, "-c", WRITER, "long.txt.gz", "long.tokens"]
    environment = {**os.environ, "PYTHONPATH": str(Path(regard.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 64
    assert TokenFile.open("long.tokens").count > 128 * 2**20
