"""The verb check: what it hears, what it refuses, and what it prints."""

import json
from pathlib import Path

import pytest

from regard.cli.main import main


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys, *words: str) -> tuple[int, str, str]:
    status = main(words)
    return status, *capsys.readouterr()


ODD = """
import torch
from torch import nn
from torch.nn import functional as F

class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.A, self.B, self.C, self.D = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.C, self.A, self.B))
        return self.D(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
"""


def test_check_hears_a_map_of_several_roles(capsys, elsewhere: Path) -> None:
    (elsewhere / "odd.py").write_text(ODD)
    status, out, _ = told(capsys, "check", "odd.py", "--map", "q=C,k=A,v=B,o=D")
    assert status == 0 and "q = C.weight, k = A.weight, v = B.weight, o = D.weight (by name)" in out


def test_check_hears_a_map_of_some_roles(capsys, elsewhere: Path) -> None:
    (elsewhere / "odd.py").write_text(ODD)
    status, out, _ = told(capsys, "check", "odd.py", "--map", "q=B,k=A")
    assert status == 1 and "weights: q = B.weight, k = A.weight" in out
    assert told(capsys, "check", "odd.py", "--map", "q=C,k=A")[0] == 0


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        ("q", "--map takes NAME=VALUE\n  got: 'q'\n  fix: for example --map q=my_query,heads=4\n"),
        (
            "unknown=A",
            "--map names what has no effect here\n  got: 'unknown=A'\n  fix: one of q, k, v, o, heads, width\n",
        ),
    ],
)
def test_check_refuses_a_map_that_nobody_hears(capsys, elsewhere: Path, said: str, lines: str) -> None:
    (elsewhere / "odd.py").write_text(ODD)
    status, _, err = told(capsys, "check", "odd.py", "--map", said)
    assert (status, err) == (2, lines)


BESSEL = """
def layer_norm(x, weight, bias, eps):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt() * weight + bias
"""


@pytest.mark.slow
def test_check_shows_a_fix_in_words_and_in_json(capsys, elsewhere: Path) -> None:
    (elsewhere / "norm.py").write_text(BESSEL)
    status, out, _ = told(capsys, "check", "norm.py", "--fix")
    assert status == 1 and "fix  layer_norm: with this change the check passes\n--- norm.py (yours)" in out
    assert "x.var(-1, keepdim=True, unbiased=False)" in out
    status, out, _ = told(capsys, "check", "norm.py", "--fix", "--json")
    found = json.loads(out)
    assert status == 1 and found["code"] == 1
    assert "unbiased=False" in found["fixes"][0]["diff"] and found["fixes"][0]["member"] == "layer_norm"


def test_a_hint_in_json_holds_the_law_and_nothing_of_the_cause(capsys, elsewhere: Path) -> None:
    (elsewhere / "norm.py").write_text(BESSEL)
    _, whole, _ = told(capsys, "check", "norm.py", "--strict", "--json")
    status, out, _ = told(capsys, "check", "norm.py", "--strict", "--hint", "--json")
    assert status == 1 and "bessel" in whole and "bessel" not in out and "unbiased" not in out
    (verdict,) = json.loads(out)["verdicts"]
    assert set(verdict) == {"contract", "member", "state", "seconds", "laws"}
    assert verdict["state"] == "mistake"
    assert verdict["laws"] == ["the output equals the reference under your own weights"]


def test_a_hint_of_what_is_right_says_so(capsys, elsewhere: Path) -> None:
    (elsewhere / "norm.py").write_text(BESSEL.replace("True) + eps", "True, unbiased=False) + eps"))
    status, out, _ = told(capsys, "check", "norm.py", "--hint", "--json")
    (verdict,) = json.loads(out)["verdicts"]
    assert status == 0 and verdict["sentence"].startswith("it is") and "laws" not in verdict


@pytest.mark.parametrize(
    ("target", "made", "fix"),
    [
        ("odd.py", "Other(24, 3)", "make CausalSelfAttention"),
        ("odd.py", "CausalSelfAttenton(24, 3)", "did you mean 'CausalSelfAttention'?"),
        ("odd.py:CausalSelfAttention", "Other(24, 3)", "make CausalSelfAttention"),
        (".", "Other(24, 3)", "make CausalSelfAttention"),
    ],
)
def test_check_refuses_to_make_what_is_not_checked(
    capsys, elsewhere: Path, target: str, made: str, fix: str
) -> None:
    (elsewhere / "odd.py").write_text(ODD)
    status, out, err = told(capsys, "check", target, "--make", made)
    assert (status, out) == (2, "")
    assert err == f"--make names a class that is not checked here\n  got: '{made}'\n  fix: {fix}\n"


def test_check_takes_the_class_that_is_made(capsys, elsewhere: Path) -> None:
    two = ODD + ODD.replace("CausalSelfAttention", "Second")
    (elsewhere / "odd.py").write_text(two)
    words = ("--map", "q=C,k=A,v=B,o=D", "--as", "causal-attention")
    _, out, _ = told(capsys, "check", "odd.py", "--make", "Second(24, 3)", *words)
    assert "Second as causal-attention" in out and "CausalSelfAttention as" not in out


def test_check_lists_what_a_folder_may_hold_and_then_judges_it(capsys, elsewhere: Path) -> None:
    (elsewhere / "deep").mkdir()
    (elsewhere / "deep" / "odd.py").write_text(ODD)
    (elsewhere / "deep" / "other.py").write_text("raise SystemExit")
    status, out, _ = told(capsys, "check", "deep", "--map", "q=C,k=A,v=B,o=D")
    assert status == 0
    assert out.splitlines()[:2] == [
        "1 that could be one of the contracts, by their syntax:",
        "  deep/odd.py:CausalSelfAttention as causal-attention",
    ]
    assert out.splitlines()[2:4] == ["", "deep/odd.py"]
    assert out.splitlines()[4].startswith("correct  CausalSelfAttention as causal-attention")


def test_check_names_the_files_of_a_folder_that_python_cannot_read(capsys, elsewhere: Path) -> None:
    (elsewhere / "deep").mkdir()
    (elsewhere / "deep" / "torn.py").write_text("def attention(q, k:\n    pass\n")
    status, out, _ = told(capsys, "check", "deep")
    assert (status, out.splitlines()[1]) == (3, "Python cannot read deep/torn.py:1: '(' was never closed")


def test_check_refuses_a_convention_that_the_contract_does_not_know(capsys, elsewhere: Path) -> None:
    (elsewhere / "odd.py").write_text(ODD)
    status, _, err = told(capsys, "check", "odd.py", "--convention", "residual=insid")
    assert (status, err.splitlines()[2]) == (2, "  fix: did you mean 'residual=inside'?")


@pytest.mark.parametrize(
    "words",
    [
        ("norm.py",),
        ("--strict",),
        ("--hint",),
        ("--explain",),
        ("--fix",),
        ("--map", "q=A"),
        ("--as", "layer-norm"),
        ("--make", "Norm(3)"),
        ("--call", "norm(x)"),
        ("--convention", "eps=outside"),
        ("--selftest",),
        ("--jobs", "2"),
    ],
)
def test_a_page_stands_alone(capsys, words: tuple[str, ...]) -> None:
    status, out, err = told(capsys, "check", "--page", "layer-norm", *words)
    said = f"'{words[0]}'" if words == ("norm.py",) else words[0]
    assert (status, out) == (2, "")
    assert err == (
        f"{said} has no effect beside --page\n  got: --page and {said}\n  fix: leave out one of them\n"
    )


def test_a_page_is_printed_as_text_or_as_json(capsys) -> None:
    status, text, _ = told(capsys, "check", "--page", "layer-norm#bessel")
    assert status == 0 and text.startswith("## bessel\n")
    status, out, _ = told(capsys, "check", "--page", "layer-norm#bessel", "--json")
    assert status == 0 and json.loads(out) == {"page": "layer-norm#bessel", "text": text[:-1]}


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["--page", ""], "no contract of that name\n  got: ''"),
        (["--selftest", "--hint"], "--hint has no effect beside --selftest\n  got: --selftest and --hint"),
        (["norm.py", "--jobs", "2"], "--jobs has no effect without --selftest\n  got: --jobs"),
        (["norm.py", "--hint", "--explain"], "the command cannot be read\n  got: argument --explain: not allowed with argument --hint"),
        (["norm.py", "--hint", "--fix"], "--hint keeps the answer back, and --fix shows it\n  got: --hint and --fix"),
        ([".", "--fix"], "--fix is about one file\n  got: --fix and the folder '.'"),
        (["--selftest", "--jobs", "0"], "the command cannot be read\n  got: argument --jobs: '0' is not a whole number"),
        (["norm.py", "--make", ""], "--make says nothing\n  got: an empty word"),
        (["norm.py", "--map", ","], "--map says nothing\n  got: an empty word"),
        ([], "there is nothing to check\n  got: no file"),
    ],
)  # fmt: skip
def test_words_that_would_do_nothing_are_refused_in_three_lines(
    capsys, elsewhere: Path, words: list[str], lines: str
) -> None:
    (elsewhere / "norm.py").write_text(BESSEL)
    status, out, err = told(capsys, "check", *words)
    assert (status, out) == (2, "") and err.startswith(lines) and "\n  fix: " in err
