"""The words tokenize and verify: a token file is made, checked and trained on; mistakes are three lines."""

import json
from pathlib import Path

import pytest

from alphabets import TINY
from regard.cli.main import main
from regard.lab.store.runs import Store


@pytest.fixture(autouse=True)
def mine(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGARD_RUNS", raising=False)
    monkeypatch.setattr("regard.cli.main.busy", lambda: False)
    Path("mine.txt").write_text("to be or not to be, that is the question\n" * 30)
    return tmp_path


def told(capsys, *words: str) -> tuple[int, str, str]:
    status = main(words)
    return status, *capsys.readouterr()


def test_a_text_is_tokenised_verified_trained_on_and_speaks(capsys) -> None:
    status, out, err = told(capsys, "data", "tokenize", "mine.txt", "--out", "t.tokens")
    assert (status, err) == (0, "") and out == (
        "t.tokens: 1,230 tokens of 1,230 characters, 6,556 bytes\n"
        "tokenizer: character, since the texts have 15 different characters; 15 different tokens\n"
        "train on it: regard train t.tokens\n"
    )
    assert told(capsys, "data", "verify", "t.tokens") == (0, "t.tokens: sound, 1,230 tokens\n", "")
    status, out, err = told(capsys, "train", "t.tokens", *TINY)
    assert (status, err) == (0, "") and "tokens: t.tokens, 1,230 of 1,230 characters" in out
    assert "tokenizer: that of t.tokens" in out
    (run,) = Store(Path("runs")).runs()
    assert run.id.startswith("train-t-") and run.state == "finished"
    assert run.request["settings"]["texts"][0]["sha256"] == _digest(capsys)
    status, out, _ = told(capsys, "generate", "train", "--prompt", "to", "--steps", "5")
    assert status == 0 and out.startswith("to")


def _digest(capsys) -> str:
    words = ("data", "tokenize", "mine.txt", "--out", "again.tokens", "--json")
    found = json.loads(told(capsys, *words)[1])
    assert found["tokens"] == 1230 and found["vocabulary"] == 15
    return found["sha256"]


MISTAKES = [
    (["data", "tokenize", "mine.txt"], "the token file has no name\n  got: no --out\n  fix: regard data tokenize FILE… --out FILE.tokens\n"),
    (["data", "tokenize", "--out", "t"], "there is no text\n"),
    (["data", "verify"], "there is no token file\n  got: no name\n  fix: regard data verify FILE…\n"),
    (["data", "verify", "mine.txt"], "this token file is damaged\n  got: mine.txt: it does not begin as one\n"),
    (["data", "--out", "t"], "--out has no effect without tokenize\n  got: --out t\n  fix: regard data tokenize FILE… --out FILE\n"),
    (["data", "verify", "x", "--tokenizer", "bpe"], "--tokenizer has no effect without tokenize\n"),
    (["train", "t.tokens", "--tokenizer", "bytes"], "--tokenizer has no effect with a token file\n  got: --tokenizer bytes\n"),
    (["train", "t.tokens", "mine.txt"], "a token file is trained on alone\n"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), MISTAKES, ids=[" ".join(words) for words, _ in MISTAKES])
def test_a_mistake_is_three_lines(capsys, words: list[str], message: str) -> None:
    assert told(capsys, "data", "tokenize", "mine.txt", "--out", "t.tokens")[0] == 0
    status, _, err = told(capsys, *words)
    assert status == 2 and err.startswith(message) and err.count("\n") == 3


def test_several_are_verified_and_a_damaged_one_is_told(capsys) -> None:
    for name in ("t.tokens", "u.tokens"):
        assert told(capsys, "data", "tokenize", "mine.txt", "--out", name)[0] == 0
    assert json.loads(told(capsys, "data", "verify", "t.tokens", "u.tokens", "--json")[1]) == {
        "sound": ["t.tokens", "u.tokens"]
    }
    content = Path("u.tokens").read_bytes()
    Path("u.tokens").write_bytes(content[:-1] + b"?")
    status, _, err = told(capsys, "data", "verify", "t.tokens", "u.tokens")
    assert status == 2 and "its tokens are not those that were written" in err
