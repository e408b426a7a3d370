import json
from pathlib import Path

import pytest

from regard.cli.main import main
from regard.lab.store.run import Run


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGARD_RUNS", raising=False)
    return tmp_path


def told(capsys, *words: str) -> tuple[int, str, str]:
    status = main(words)
    return status, *capsys.readouterr()


@pytest.fixture(scope="module")
def spoken(tmp_path_factory) -> Path:
    """A real run of a text experiment, as small as it can be."""
    folder = tmp_path_factory.mktemp("spoken")
    (folder / "mine.txt").write_text("to be or not to be, that is the question\n" * 30)
    words = "text=mine.txt limit=1000 batch=2 rows=3 plan.steps=3 model.depth=1 model.heads=1 model.width=8 model.context=16"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["run", "fairy-tales", *(part for one in words.split() for part in ("--set", one))]) == 0
    return folder


@pytest.mark.slow
def test_the_model_of_a_real_run_speaks(capsys, monkeypatch, spoken: Path) -> None:
    monkeypatch.chdir(spoken)

    def said(*words: str) -> str:
        status, out, err = told(
            capsys, "generate", "fairy-tales", "--prompt", "to be", "--steps", "20", *words
        )
        assert (status, err) == (0, "")
        return out

    first = said("--seed", "3")
    assert first.startswith("to be") and len(first.rstrip("\n")) >= 20 and first == said("--seed", "3")
    assert first != said("--seed", "4")
    boxes = said("--samples", "2", "--seed", "3")
    assert "seed 3" in boxes and "seed 4" in boxes
    assert "most probable here" in said("--probabilities") and "log-probability" in said("--beam", "3")
    assert len(said("--beam", "2", "--beyond", "window").splitlines()) >= 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--temperature", "-1"], "the sampler cannot choose like that\n  got: temperature=-1.0\n  fix: 0 takes the most probable token; from 1e-06 on, larger is more random\n"),
        (["--top-p", "3"], "the sampler cannot choose like that\n  got: top_p=3.0\n  fix: a probability above 0, up to 1\n"),
        (["--top-k", "0"], "the sampler cannot choose like that\n  got: top_k=0\n  fix: keep at least one token\n"),
        (["--prompt", ""], "the prompt is empty\n  got: ''\n  fix: give the model at least one character to start from\n"),
        (["--prompt", "to ß"], "a character that the tokenizer has never seen\n  got: 'ß' at position 3\n  fix: use only the 15 characters of its text: '\\n ,abehinoqrstu', or train one that knows all: --tokenizer bytes\n"),
        (["--samples", "0"], "the command cannot be read\n  got: argument --samples: '0' is not a whole number from 1 to 1,000,000\n  fix: 'regard generate --help' shows how\n"),
        (["--steps", "0"], "the command cannot be read\n  got: argument --steps: '0' is not a whole number from 1 to 1,000,000\n  fix: 'regard generate --help' shows how\n"),
        (["--beam", "0"], "the command cannot be read\n  got: argument --beam: '0' is not a whole number from 1 to 1,000,000\n  fix: 'regard generate --help' shows how\n"),
        (["--beam", "1000000"], "a beam so wide fits into no memory\n  got: width=1000000\n  fix: keep 10000 beginnings at most\n"),
        (["--beyond", "widow"], "no rule of that name\n  got: 'widow'\n  fix: did you mean 'window'?\n"),
        (["--model", "checkpoint"], "no model of that name in this run\n  got: 'checkpoint'\n  fix: did you mean 'checkpoints'?\n"),
    ],
)  # fmt: skip
def test_nonsense_is_told_in_three_lines(
    capsys, monkeypatch, spoken: Path, words: list[str], message: str
) -> None:
    monkeypatch.chdir(spoken)
    assert told(capsys, "generate", "fairy-tales", *words) == (2, "", message)


@pytest.mark.slow
def test_a_prompt_longer_than_the_context_is_cut_and_said_to_be(capsys, monkeypatch, spoken: Path) -> None:
    monkeypatch.chdir(spoken)
    words = ["--prompt", "to be or not to be, that is", "--steps", "3", "--temperature", "0"]
    status, out, err = told(capsys, "generate", "fairy-tales", *words)
    assert status == 0 and out.startswith("to be or not to be, that is")
    assert err == "the prompt has 27 tokens; the model sees the last 16 of them\n"


@pytest.mark.slow
@pytest.mark.parametrize("word", ["--temperature 1", "--top-k 3", "--top-p 0.5", "--min-p 0.1", "--penalty 1", "--seed 0", "--samples 1", "--probabilities"])  # fmt: skip
def test_a_word_that_a_beam_would_ignore_is_an_error(capsys, word: str) -> None:
    name = word.split()[0]
    assert told(capsys, "generate", "fairy-tales", "--beam", "2", *word.split()) == (
        2,
        "",
        f"{name} has no effect with --beam\n  got: --beam 2\n  fix: leave out one of them: a beam searches, the others sample\n",
    )


def test_a_length_penalty_without_a_beam_is_an_error(capsys) -> None:
    assert told(capsys, "generate", "fairy-tales", "--length-penalty", "1") == (
        2,
        "",
        "--length-penalty has no effect without --beam\n  got: --length-penalty 1\n  fix: add --beam WIDTH, or leave it out\n",
    )


@pytest.mark.slow
def test_what_is_said_is_json_too(capsys, monkeypatch, spoken: Path) -> None:
    monkeypatch.chdir(spoken)
    words = ["generate", "fairy-tales", "--prompt", "to be", "--steps", "3", "--json"]
    (plain,) = json.loads(told(capsys, *words)[1])
    assert len(plain["tokens"]) == 3 and plain["text"] == "".join(one["token"] for one in plain["tokens"])
    assert told(capsys, *words[:-1])[1] == plain["prompt"] + plain["text"] + "\n"
    several = json.loads(told(capsys, *words, "--samples", "2", "--probabilities")[1])
    assert [one["seed"] for one in several] == [0, 1] and len(several[0]["tokens"][0]["alternatives"]) == 4
    beams = json.loads(told(capsys, *words, "--beam", "2")[1])
    assert len(beams) == 2 and beams[0]["score"] >= beams[1]["score"]


@pytest.mark.slow
def test_of_several_runs_of_a_name_the_one_that_failed_is_told(capsys, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("to be or not to be, that is the question\n" * 30)
    words = "--steps 3 --set model.depth=1 --set model.heads=1 --set model.width=8 --set model.context=16 --set batch=2"
    told(capsys, "train", "mine.txt", *words.split())
    alone = told(capsys, "generate", "train", "--prompt", "ß")[2]
    assert "got: 'ß' at position 0\n" in alone
    told(capsys, "train", "mine.txt", *words.split())
    first, newest = sorted(path.name for path in Path("runs").iterdir())
    started = Run(Path("runs", newest)).request["started"][:16].replace("T", " ")
    said = told(capsys, "generate", "train", "--prompt", "ß")[2]
    assert f"got: 'ß' at position 0; 'train' is here {newest} of {started}, one of 2\n" in said
    assert first not in said and newest not in told(capsys, "generate", newest, "--prompt", "ß")[2]
    exported = told(capsys, "export", "train", "weights")[2]
    assert f"'train' is here {newest}" in exported
