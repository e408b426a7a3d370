import pytest

from regard.cli.main import main
from regard.cli.parser import parser


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)


def told(capsys, *words: str) -> tuple[int, str, str]:
    status = main(words)
    return status, *capsys.readouterr()


def test_every_verb_has_something_to_do() -> None:
    commands = next(action.choices for action in parser()._actions if action.dest == "verb")
    assert all(callable(verb.get_default("do")) for verb in commands.values())


def test_without_words_it_shows_the_verbs(capsys) -> None:
    status, out, _ = told(capsys)
    assert status == 0 and all(verb in out for verb in ("list", "run", "book", "show", "diff", "bench"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rnu"], "no verb of that name\n  got: 'rnu'\n  fix: did you mean 'run'?\n"),
        (["run"], "the command cannot be read\n  got: the following arguments are required: experiment\n  fix: 'regard run --help' shows how\n"),
        (["run", "scaled-dot-prodct"], "no experiment of that name\n  got: 'scaled-dot-prodct'\n  fix: did you mean 'scaled-dot-product'?\n"),
        (["run", "scaled-dot-product", "--set", "sed=1"], "no setting of that name\n  got: 'sed'\n  fix: did you mean 'seeds'?\n"),
        (["run", "scaled-dot-product", "--preset", "ful"], "no preset of that name\n  got: 'ful'\n  fix: did you mean 'full'?\n"),
        (["run", "scaled-dot-product", "--minutes", "0"], "the command cannot be read\n  got: argument --minutes: '0' is not a number of minutes above 0\n  fix: 'regard run --help' shows how\n"),
        (["run", "scaled-dot-product", "--seed", "x"], "the command cannot be read\n  got: argument --seed: 'x' is not a whole number from 0 to 4,294,967,295\n  fix: 'regard run --help' shows how\n"),
        (["run", "scaled-dot-product", "--minutes", "nan"], "the command cannot be read\n  got: argument --minutes: 'nan' is not a number of minutes above 0\n  fix: 'regard run --help' shows how\n"),
        (["prove", "--seed", "-1"], "the command cannot be read\n  got: argument --seed: '-1' is not a whole number from 0 to 4,294,967,295\n  fix: 'regard prove --help' shows how\n"),
        (["book", "--seed", "1e3"], "the command cannot be read\n  got: argument --seed: '1e3' is not a whole number from 0 to 4,294,967,295\n  fix: 'regard book --help' shows how\n"),
        (["generate", "x", "--seed", "1" + 23 * "0"], f"the command cannot be read\n  got: argument --seed: '1{23 * '0'}' is not a whole number from 0 to 4,294,967,295\n  fix: 'regard generate --help' shows how\n"),
        (["generate", "x", "--length-penalty", "nan"], "the command cannot be read\n  got: argument --length-penalty: 'nan' is not a number\n  fix: 'regard generate --help' shows how\n"),
        (["show", "nothing"], "no run of that name\n  got: 'nothing'\n  fix: 'regard list --runs' shows what was run\n"),
        (["bench"], "no folder of comparisons\n  got: 'bench'\n  fix: run it in a checkout of the project, or give --folder\n"),
    ],
)  # fmt: skip
def test_a_mistake_is_three_lines_and_exit_2(capsys, words: list[str], message: str) -> None:
    assert told(capsys, *words) == (2, "", message)
