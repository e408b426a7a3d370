"""Every option of every verb against every other, and with values that make no sense: no word is ignored."""

import argparse
import inspect
import shutil
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from regard.cli.parser import parser
from regard.errors import RegardError

GOOD = {
    "--preset": ["quick", "full"], "--seed": ["0", "3"], "--minutes": ["5"], "--set": ["height=2.5"],
    "--resume": ["coin"], "--accept": ["code"], "--out": ["book"], "--folder": ["empty"], "--prompt": ["to"],
    "--model": ["small"], "--steps": ["3"], "--temperature": ["0.5"], "--top-k": ["3"], "--top-p": ["0.5"],
    "--min-p": ["0.1"], "--penalty": ["1.5"], "--samples": ["2"], "--beam": ["2"], "--length-penalty": ["1"],
    "--stop": ["e"], "--beyond": ["window"], "--checkpoint": ["last"], "--tokenizer": ["bpe"], "--vocabulary": ["300"],
    "--size": ["gpt-nano"], "--form": ["gpt2"], "--device": ["cpu"], "--from": ["tales"],
    "--text": ["long.txt"], "--keep": ["coin"], "--margin": ["0.5"], "--layer": ["0"], "--head": ["1"], "--input": ["1,3"],
}  # fmt: skip
NONSENSE = ("", "0", "-1", "nan", "inf", "1e999", "1" + 30 * "0", "x", "√", "\udcff", "none", " ", "-", "a/b", ".", "=", "a=", "=1")  # fmt: skip
BASES = {
    "run": ["run", "coin.py"], "book": ["book", "coin.py"], "show": ["show", "coin"], "diff": ["diff", "coin", "coin"],
    "remove": ["remove", "coin", "--yes"], "prune": ["prune", "--yes"], "prove": ["prove", "similarity-axioms"],
    "start": ["start", "causal-attention"], "data": ["data"], "generate": ["generate", "tales", "--steps", "2"],
    "reproduce": ["reproduce", "theory-positions"], "bench": ["bench", "--folder=empty"], "train": ["train", "mine.txt", "--steps=1", "--set=model.width=6"],
    "compare": ["compare", "width=4,heads=1,depth=1", "depth=1,heads=1,width=4", "--text=long.txt", "--steps=1"],
    "export": ["export", "tales", "out"], "attention": ["attention", "tales", "--prompt", "to"],
}  # fmt: skip
"A command for each verb but list and check, which have tests of their own."
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


@pytest.mark.slow
@pytest.mark.parametrize("verb", BASES)
@pytest.mark.usefixtures("place", "capsys")
def test_no_word_is_ignored_beside_another(verb: str) -> None:
    found = options(verb)
    pairs = [*((one,) for one in found), *combinations(found, 2)]
    outcomes = {}
    renew(verb)
    for pair in pairs:
        taken = {name for one in pair for name in one.option_strings}
        base = [word for word in BASES[verb] if word.partition("=")[0] not in taken]
        values = [GOOD.get(one.option_strings[-1], [""])[0] for one in pair]
        words = base + [
            word for one, value in zip(pair, values, strict=True) for word in words_of(one, value)
        ]
        outcomes[" ".join(words)] = done(words, list(pair))
        renew(verb)
    assert {words: one for words, one in outcomes.items() if one not in ("done", "refused")} == {}
    assert not outcomes or "done" in outcomes.values()


def renew(verb: str) -> None:
    """Put back what a verb has taken away or made."""
    Path("empty").mkdir(exist_ok=True)
    shutil.rmtree("out", ignore_errors=True)
    if verb == "start":
        for path in Path().rglob("*attention*.py"):
            path.unlink()
    elif verb in ("remove", "prune"):
        arguments = parser().parse_args(["run", "coin.py"])
        arguments.do(arguments)


@pytest.mark.slow
@pytest.mark.parametrize("verb", BASES)
@pytest.mark.usefixtures("place", "capsys")
def test_values_that_make_no_sense_are_refused_in_three_lines(verb: str) -> None:
    for option in options(verb):
        if option.nargs == 0 or option.option_strings[-1] in ("--out", "--folder"):
            continue
        base = [word for word in BASES[verb] if word not in option.option_strings]
        if "--steps" in option.option_strings:
            base = base[:2]
        for value in NONSENSE:
            if (option.dest == "stop" and value == "") or (verb, option.dest, value) in SENSE:
                continue
            outcome = done([*base, *words_of(option, value)], [option])
            assert outcome in ("refused", "done"), (verb, option.dest, value, outcome)
            if (option.dest, value) in NEVER:
                assert outcome == "refused", (verb, option.dest, value)


SENSE: set[tuple[str, str, str]] = set()
NEVER = {
    (dest, value)
    for dest in ("seed", "minutes", "samples", "beam", "steps", "top_k", "preset", "resume", "set", "model", "length_penalty", "layer", "head", "input")
    for value in ("", "-1", "nan", "x", "√", "1e999", " ", "a/b")
} - {("length_penalty", "-1")}  # fmt: skip
