"""Every option of every verb against every other, and with values that make no sense: no word is ignored."""

import argparse
import inspect
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import torch

import regard.checker
from regard.cli.parser import parser
from regard.errors import RegardError
from regard.lab.store.runs import Store
from regard.web.server import ServerAddress, listen

ROOT = Path(__file__).parents[2]
GOOD = {
    "--preset": ["quick", "full"], "--seed": ["0", "3"], "--minutes": ["5"], "--set": ["height=2.5"],
    "--resume": ["coin"], "--accept": ["code"], "--out": ["book"], "--folder": ["empty"], "--prompt": ["to"],
    "--model": ["small"], "--steps": ["3"], "--temperature": ["0.5"], "--top-k": ["3"], "--top-p": ["0.5"],
    "--min-p": ["0.1"], "--penalty": ["1.5"], "--samples": ["2"], "--beam": ["2"], "--length-penalty": ["1"],
    "--stop": ["e"], "--beyond": ["window"], "--checkpoint": ["last"], "--tokenizer": ["bpe"], "--vocabulary": ["300"],
    "--size": ["gpt-nano"], "--form": ["gpt2"], "--device": ["cpu"], "--from": ["tales"],
    "--text": ["long.txt"], "--keep": ["coin"], "--margin": ["0.5"], "--layer": ["0"], "--head": ["1"], "--input": ["1,3"],
    "--course": ["duke"], "--as": ["layer-norm"], "--map": ["gain=weight"], "--convention": ["eps=outside"], "--make": ["Norm(8)"],
    "--call": ["norm(x)"], "--page": ["layer-norm"], "--jobs": ["1"], "--port": ["0"], "--graph": ["edges.txt"], "--on": ["1"], "--seeds": ["1"],
}  # fmt: skip
NONSENSE = ("", "0", "-1", "nan", "inf", "1e999", "1" + 30 * "0", "x", "√", "\udcff", "none", " ", "-", "a/b", ".", "=", "a=", "=1")  # fmt: skip
BASES = {
    "run": ["run", "coin.py"], "book": ["book", "coin.py"], "show": ["show", "coin"], "diff": ["diff", "coin", "coin"],
    "remove": ["remove", "coin", "--yes"], "prune": ["prune", "--yes"], "prove": ["prove", "similarity-axioms"],
    "start": ["start", "causal-attention"], "data": ["data"], "generate": ["generate", "tales", "--steps", "2"],
    "reproduce": ["reproduce", "theory-positions"], "bench": ["bench", "--folder=empty"], "train": ["train", "mine.txt", "--steps=1", "--set=model.width=6"],
    "compare": ["compare", "width=4,heads=1,depth=1", "depth=1,heads=1,width=4", "--text=long.txt", "--steps=1"],
    "export": ["export", "tales", "out"], "attention": ["attention", "tales", "--prompt", "to"],
    "list": ["list"], "list a word": ["list", "cora"], "serve": ["serve"],
    "check": ["check", "norm.py"], "check a folder": ["check", "layers"], "check a page": ["check", "--page=layer-norm"], "check itself": ["check", "--selftest"],
    "data tokenize": ["data", "tokenize", "mine.txt", "--out=out.tokens"], "data sorted": ["data", "--graph=edges.txt"],
}  # fmt: skip
"A command for each verb, and for each of the things that a verb does."
CHECKS = ("_require_sense",)
"Where an option is only looked at, in order to be refused."


class Recorder(argparse.Namespace):
    """Arguments that know which of them a command has made use of."""

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_"):
            caller = inspect.currentframe().f_back  # type: ignore[union-attr]
            if caller.f_globals["__name__"].startswith("regard") and caller.f_code.co_name not in CHECKS:  # type: ignore[union-attr]
                object.__getattribute__(self, "__dict__").setdefault("_used", set()).add(name)
        return object.__getattribute__(self, name)


def options(verb: str) -> list[argparse.Action]:
    verbs = next(action.choices for action in parser()._actions if action.dest == "verb")
    return [one for one in verbs[verb]._actions if one.option_strings and one.dest != "help"]


def words_of(option: argparse.Action, value: str) -> list[str]:
    (*_, name) = option.option_strings
    return [name] if option.nargs == 0 else [f"{name}={value}"] if value.startswith("-") else [name, value]


def done(words: list[str], given: list[argparse.Action]) -> str:
    """'refused' in three lines, 'done', or a list of what was ignored; whatever else happens is a fault."""
    try:
        arguments = parser().parse_args(words, namespace=Recorder())
        arguments.do(arguments)
    except RegardError as error:
        whole = error.what and error.got and error.fix and "\n" not in error.what
        return "refused" if whole else f"badly told: {error}"
    except KeyboardInterrupt:
        return "done"
    ignored = {one.dest for one in given} - vars(arguments).get("_used", set())
    return f"ignored {sorted(ignored)}" if ignored else "done"


class Norm(torch.nn.Module):
    """What the verb check is given: judged in this process, so that a combination takes no second."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight, self.bias = (torch.nn.Parameter(torch.ones(width)) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        spread = x.var(-1, keepdim=True, unbiased=False) + 1e-5
        return (x - x.mean(-1, keepdim=True)) / spread.sqrt() * self.weight + self.bias


@dataclass
class Figures:
    """What the checker says of itself, unasked."""

    outcomes: tuple = ()

    def plain(self) -> dict[str, Any]:
        return {}

    def lines(self) -> list[str]:
        return []


def heard(store: Store, *, port: int | None, open_page: bool, tell: Callable[[ServerAddress], None]) -> None:
    """Says where it would serve, and ends."""
    address = listen(0)
    tell(address)
    address.listening.close()


@pytest.fixture
def ready(place: Path, monkeypatch) -> None:
    """What every command needs; no file is run by the checker, and nobody is served."""
    check = regard.checker.check
    monkeypatch.setattr("regard.checker.check", lambda target, **words: check(Norm, **words))
    monkeypatch.setattr("regard.checker.fixes", lambda target, report, **words: [])
    monkeypatch.setattr("regard.checker.selftest", lambda folder, **words: Figures())
    monkeypatch.setattr("regard.web.server.serve", heard)
    (place / "norm.py").write_text("")
    (place / "layers").mkdir()
    (place / "layers" / "norm.py").write_text(
        "def layer_norm(x, weight, bias, eps):\n    return weight * (x - x.mean(-1)) / (x.var(-1) + eps).sqrt() + bias\n"
    )
    (place / "edges.txt").write_text("0 1\n1 2\n")


def groups(name: str) -> list[tuple[argparse.Action, ...]]:
    """Each option of a command alone, and beside each other."""
    found = options(BASES[name][0])
    return [*((one,) for one in found), *combinations(found, 2)]


def values(name: str) -> list[tuple[argparse.Action, str]]:
    """Each option of a command with each value that makes no sense."""
    free = ("--out", "--folder")
    return [
        (option, value)
        for option in options(BASES[name][0])
        if option.nargs != 0 and option.option_strings[-1] not in free
        for value in NONSENSE
        if (option.dest, value) != ("stop", "")
    ]


def test_every_verb_is_tried_and_the_recipe_says_how_often() -> None:
    verbs = next(action.choices for action in parser()._actions if action.dest == "verb")
    assert {words[0] for words in BASES.values()} == set(verbs)
    pairs, nonsense = (sum(len(tried(name)) for name in BASES) for tried in (groups, values))
    told = f"{len(BASES)} commands, {pairs} combinations of words and {nonsense:,} values"
    assert told in (ROOT / "docs" / "add.md").read_text(encoding="utf-8"), told


PARTS = [
    pytest.param(name, part, count, id=f"{name} {part + 1} of {count}", marks=pytest.mark.proof if part else pytest.mark.slow)
    for name in BASES
    for count in [6 if name in ("train", "book") else 3 if name.startswith("check") else 1]
    for part in range(count)
]  # fmt: skip
"Commands that take a second each are tried with a part of their words, and with all of them in the proof."


@pytest.mark.parametrize(("name", "part", "count"), PARTS)
@pytest.mark.usefixtures("ready", "capsys")
def test_no_word_is_ignored_beside_another(name: str, part: int, count: int) -> None:
    outcomes = {}
    renew(name)
    for group in groups(name)[part::count]:
        taken = {word for one in group for word in one.option_strings}
        base = [word for word in BASES[name] if word.partition("=")[0] not in taken]
        given = [GOOD.get(one.option_strings[-1], [""])[0] for one in group]
        words = base + [
            word for one, value in zip(group, given, strict=True) for word in words_of(one, value)
        ]
        outcomes[" ".join(words)] = done(words, list(group))
        renew(name)
    assert {words: one for words, one in outcomes.items() if one not in ("done", "refused")} == {}
    assert not outcomes or "done" in outcomes.values()


def renew(name: str) -> None:
    """Put back what a command has taken away or made."""
    Path("empty").mkdir(exist_ok=True)
    shutil.rmtree("out", ignore_errors=True)
    for made in (*Path().glob("*.tokens"), *Path().glob("*.csr")):
        made.unlink()
    if name == "start":
        for path in Path().rglob("*attention*.py"):
            path.unlink()
    elif name in ("remove", "prune"):
        arguments = parser().parse_args(["run", "coin.py"])
        arguments.do(arguments)


@pytest.mark.slow
@pytest.mark.parametrize("name", BASES)
@pytest.mark.usefixtures("ready", "capsys")
def test_values_that_make_no_sense_are_refused_in_three_lines(name: str) -> None:
    for option, value in values(name):
        base = [word for word in BASES[name] if word.partition("=")[0] not in option.option_strings]
        if "--steps" in option.option_strings:
            base = base[:2]
        renew(name)
        outcome = done([*base, *words_of(option, value)], [option])
        assert outcome in ("refused", "done"), (name, option.dest, value, outcome)
        if (option.dest, value) in NEVER:
            assert outcome == "refused", (name, option.dest, value)


NEVER = {
    (dest, value)
    for dest in ("seed", "minutes", "samples", "beam", "steps", "top_k", "preset", "resume", "set", "model", "length_penalty", "layer", "head", "input", "jobs", "page", "port", "course", "contract", "convention")
    for value in ("", "-1", "nan", "x", "√", "1e999", " ", "a/b")
} - {("length_penalty", "-1")}  # fmt: skip
"Values that an option never takes."
