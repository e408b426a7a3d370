"""Token files: what goes in comes out, whole or not there; damage and other versions are told; memory stays small."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import torch

from regard.data.tokens import token_file
from regard.data.tokens.bpe import BPE
from regard.data.tokens.token_file import MAGIC, PAGE, TOKENS, TokenFile, is_token_file, write_tokens
from regard.data.tokens.tokenizer import Bytes, Character
from regard.errors import RegardError

TEXT = "to be or not to be, that is the question\n" * 20


class Wide(Bytes):
    """Bytes that are said to be many more."""

    size = 70_000


@pytest.mark.parametrize("tokenizer", [Bytes(), Character(TEXT), BPE.train(TEXT, size=270)])
def test_what_goes_in_comes_out(tmp_path: Path, tokenizer) -> None:
    made = write_tokens(tmp_path / "t", tokenizer, [TEXT[:100], TEXT[100:]])
    again = TokenFile.open(tmp_path / "t")
    expected = torch.cat([tokenizer.encode(TEXT[:100]), tokenizer.encode(TEXT[100:])])
    assert torch.equal(again.read(0, again.count), expected) and again.read(3, 5).dtype == torch.int64
    assert again.tokenizer.to_json() == tokenizer.to_json() and again.characters == len(TEXT)
    assert again.digest == made.digest and again.type == numpy.uint16 and again.start % PAGE == 0
    rows = again.rows(numpy.array([0, 7, 7]), 5)
    assert torch.equal(rows, torch.stack([expected[0:5], expected[7:12], expected[7:12]]))
    again.verify()
    assert is_token_file(tmp_path / "t")
    assert os.listdir(tmp_path) == ["t"]


def test_many_different_tokens_take_four_bytes(tmp_path: Path) -> None:
    made = write_tokens(tmp_path / "t", Wide(), [TEXT])
    assert made.type == numpy.uint32
    assert (tmp_path / "t").stat().st_size == made.start + 4 * len(TEXT)


def test_a_writer_that_dies_leaves_what_was_there(tmp_path: Path) -> None:
    write_tokens(tmp_path / "t", Bytes(), ["old"])

    def dying():
        yield "new" * 1000
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_tokens(tmp_path / "t", Bytes(), dying())
    assert TokenFile.open(tmp_path / "t").count == 3 and os.listdir(tmp_path) == ["t"]
    with pytest.raises(RegardError, match="never seen"):
        write_tokens(tmp_path / "u", Character("ab"), ["abc"])
    assert os.listdir(tmp_path) == ["t"]


def damaged(path: Path, change) -> str:
    content = bytearray(path.read_bytes())
    path.write_bytes(change(content))
    with pytest.raises(RegardError) as caught:
        TokenFile.open(path).verify()
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda one: one[:-1], "bytes, not"),
        (lambda one: one + b"\0\0", "bytes, not"),
        (lambda one: one[:-1] + bytes([one[-1] ^ 1]), "its tokens are not those that were written"),
        (lambda one: one.replace(b'"uint16"', b'"uint32"'), "is not what was written"),
        (lambda one: one[:20], "it does not begin as one"),
        (lambda one: MAGIC + (2**60).to_bytes(8, "little") + one[16:], "it does not begin as one"),
        (lambda one: one[:16] + b"\xff" * 40 + one[56:], "cannot be read"),
    ],
)
def test_damage_is_told(tmp_path: Path, change, words: str) -> None:
    write_tokens(tmp_path / "t", Bytes(), [TEXT])
    told = damaged(tmp_path / "t", change)
    assert told.startswith("this token file is damaged\n  got: ") and words in told
    assert told.endswith("\n  fix: make it again with regard data tokenize")


def test_every_bit_of_the_page_counts(tmp_path: Path) -> None:
    write_tokens(tmp_path / "t", Bytes(), [TEXT])
    content = (tmp_path / "t").read_bytes()
    end = content.index(b"}\n", 0) if b"}\n" in content[:PAGE] else len(content[:PAGE].rstrip())
    missed = []
    for at in range(16, end, 7):
        (tmp_path / "t").write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
        try:
            found = TokenFile.open(tmp_path / "t")
        except RegardError:
            continue
        missed.append((at, found.count, found.digest))
    sound = json.loads(content[16:PAGE])["body"]
    assert all(one[1:] == (sound["count"], sound["sha256"]) for one in missed), "a change went unseen"


def test_another_version_is_told(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(token_file, "TOKENS", token_file.Format("token file", 2, TOKENS.fix))
    write_and_open = pytest.raises(RegardError)
    monkeypatch.setattr(token_file.TokenFile, "open", staticmethod(lambda path: None))
    write_tokens(tmp_path / "t", Bytes(), [TEXT])
    monkeypatch.undo()
    with write_and_open as caught:
        TokenFile.open(tmp_path / "t")
    assert "this token file was written by a newer version of regard" in str(caught.value)


def test_an_id_that_the_tokenizer_has_not_is_damage(tmp_path: Path) -> None:
    made = write_tokens(tmp_path / "t", Character("ab"), ["abab"])
    content = bytearray((tmp_path / "t").read_bytes())
    content[made.start] = 9
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(RegardError, match="this token file is damaged"):
        TokenFile.open(tmp_path / "t").rows(numpy.array([0]), 2)


@pytest.mark.parametrize("name", ["absent", "folder", "text"])
def test_what_is_no_token_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text(TEXT)
    assert not is_token_file(tmp_path / name)
    with pytest.raises(RegardError):
        TokenFile.open(tmp_path / name)


READER = """
import resource, sys, torch
from pathlib import Path
from regard.data.tokens.token_file import TokenFile
from regard.data.tokens.file_windows import FileWindows

def resident():
    kinds = dict(line.split(":") for line in open("/proc/self/status") if ":" in line)
    return int(kinds["VmRSS"].split()[0]) / 1024

file = TokenFile.open(Path(sys.argv[1]))
windows = FileWindows(file, 1024, 100_000)
windows.batch("train", 0, size=8, seed=1)
before = resident()
data = resource.getrlimit(resource.RLIMIT_DATA)[1]
now = int(dict(line.split(":") for line in open("/proc/self/status"))["VmData"].split()[0]) * 1024
resource.setrlimit(resource.RLIMIT_DATA, (now + 64 * 2**20, data))
most, seen = 0.0, set()
for number in range(400):
    inputs, targets = windows.batch("train", number, size=256, seed=1)
    most = max(most, resident() - before)
print(file.path.stat().st_size / 2**20, most, inputs.shape[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory of a process from /proc")
def test_a_file_larger_than_the_memory_is_read_in_little(tmp_path: Path) -> None:
    """400 MiB of tokens, each window read once, in a process that may not have 64 MiB more than it started with."""
    import regard

    made = write_tokens(tmp_path / "t", Bytes(), ["x"])
    count = 200 * 2**20
    body = {
        "tokenizer": Bytes().to_json(),
        "type": "uint16",
        "count": count,
        "characters": count,
        "sha256": "0" * 64,
    }
    with open(tmp_path / "t", "r+b") as file:
        file.seek(16)
        file.write(TOKENS.page(body).encode().ljust(made.start - 16))
        file.truncate(made.start + 2 * count)  # zeros that take no room on the disk
    words = [sys.executable, "-c", READER, str(tmp_path / "t")]
    environment = {**os.environ, "PYTHONPATH": str(Path(regard.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    size, grown, width = map(float, done.stdout.split())
    assert size > 390 and width == 1024
    assert grown < 64, f"{grown} MiB"
