"""The verb train from its first line to what generate and export make of it, and every mistake on the way."""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from alphabets import ALPHABETS, TINY
from regard.cli.main import main
from regard.lab.store.runs import Store
from regard.lab.text_model import load_text_model
from regard.training import Checkpoints, TrainingState


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


def last_step(folder: Path) -> int:
    loaded = Checkpoints(folder / "model").last()
    assert loaded is not None
    return loaded.state.step


def test_a_text_is_trained_on_listed_shown_speaks_and_goes(capsys) -> None:
    status, out, err = told(capsys, "train", "mine.txt", *TINY)
    (run,) = Store(Path("runs")).runs()
    assert (status, err) == (0, "") and run.id.startswith("train-mine-")
    assert "tokenizer: character, since the texts have 15 different characters" in out
    assert (
        "model: your own (1 layer, 1 head, width 8, " in out
        and "plan: the optimiser muon" in out
        and "held-out loss" in out
    )
    assert "A sample after step" in out and "this run has no claims" not in out
    assert "What does a GPT learn" not in out and "On all that was held out: loss " in out
    assert f"let it speak: regard generate {run.id}" in out
    for words in (["generate", "train"], ["generate", run.id, "--checkpoint", "last", "--prompt", "to"]):
        status, out, err = told(capsys, *words, "--steps", "9")
        assert (status, err) == (0, "") and len(out) >= 10
    (listed,) = [line for line in told(capsys, "list", "--runs")[1].splitlines() if run.id in line]
    assert "mine.txt, character, 1 layer of width 8, held-out loss " in listed
    assert listed.split()[1] == "finished" and "  0  " not in listed
    shown = told(capsys, "show", "train")[1]
    assert "held-out loss of the best checkpoint" in shown and "On all that was held out: loss " in shown
    assert f"regard train mine.txt {' '.join(TINY)}\n" in shown
    assert told(capsys, "show", "train", "--csv")[1].startswith("name,value,seed,step")
    assert told(capsys, "remove", run.id, "--yes")[0] == 0 and Store(Path("runs")).runs() == []


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", ["character", "bytes", "bpe"])
@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_every_alphabet_is_trained_on_with_every_tokenizer_and_speaks(
    capsys, alphabet: str, tokenizer: str
) -> None:
    Path("mine.txt").write_text(ALPHABETS[alphabet] * 100, encoding="utf-8")
    assert told(capsys, "train", "mine.txt", "--tokenizer", tokenizer, *TINY)[0] == 0
    prompt = ALPHABETS[alphabet][:2]
    status, out, _ = told(capsys, "generate", "train", "--prompt", prompt, "--steps", "5")
    assert status == 0 and out.startswith(prompt)


@pytest.mark.slow
def test_a_folder_and_packed_texts_and_json(capsys) -> None:
    Path("shelf").mkdir()
    Path("shelf/a.txt.gz").write_bytes(gzip.compress(ALPHABETS["russian"].encode() * 9, mtime=0))
    Path("shelf/b.txt").write_text(ALPHABETS["greek"] * 9, encoding="utf-8")
    Path("shelf/c.bin").write_bytes(b"\0\1")
    status, out, _ = told(capsys, "train", "shelf", "mine.txt", *TINY, "--json", "--seed", "3")
    found = json.loads(out)
    assert status == 0 and found["seed"] == 3 and found["claims"] == []
    assert len(found["settings"]["texts"]) == 3 and found["preset"] == "shelf"
    assert "passed over, being no text in UTF-8: c.bin" in (Path(found["path"]) / "log.jsonl").read_text()


@pytest.mark.slow
def test_ctrl_c_keeps_everything_and_resume_goes_on(mine: Path) -> None:
    words = [sys.executable, "-m", "regard", "train", "mine.txt", *TINY[2:], "--minutes", "5"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
    for _ in range(600):
        time.sleep(0.2)
        if any("training loss" in log.read_text() for log in mine.glob("runs/*/log.jsonl")):
            break
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    (run,) = Store(mine / "runs").runs()
    assert process.returncode == 130 and run.state == "stopped"
    assert f"go on with: regard train --resume {run.id}" in out
    step = last_step(run.path)
    assert step > 0 and main(["train", "--resume", "train", "--minutes", "0.03"]) == 0
    (run,) = Store(mine / "runs").runs()
    assert run.state == "finished" and last_step(run.path) > step


@pytest.mark.slow
def test_under_torchrun_two_processes_train_like_one(mine: Path) -> None:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    losses = []
    for start in ([], ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]):
        place = mine / f"started{len(start)}"
        place.mkdir()
        words = ["-m", "regard", "train", str(mine / "mine.txt"), "--tokenizer", "bpe", *TINY]
        words += ["--set", "model.dropout=0"]
        subprocess.run([sys.executable, *start, *words], cwd=place, check=True, timeout=300, env=environment)
        (only,) = Store(place / "runs").runs()
        assert only.state == "finished" and last_step(only.path) == 4
        losses.append([one.value for one in only.measured if one.name in ("training loss", "held-out loss")])
    assert len(losses[0]) == 9 and losses[1] == pytest.approx(losses[0], abs=1e-4)


TWO = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
KILLED = [
    pytest.param(0, "true", marks=pytest.mark.slow),
    pytest.param(1, "false", marks=pytest.mark.proof),
]
"Which of two processes dies, and whether the model is sharded."


def started(place: Path, *words: str) -> subprocess.Popen:
    """A training in two processes, in a folder of its own."""
    place.mkdir()
    command = [sys.executable, *TWO, "--max-restarts", "2", "-m", "regard", "train", "../mine.txt", *words]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    with open(place / "out.txt", "w") as out:
        return subprocess.Popen(command, cwd=place, env=environment, stdout=out, stderr=out)


def workers(process: subprocess.Popen) -> list[int]:
    """The processes that torchrun started, by rank."""
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    found = {}
    for one in listed:
        words = Path(f"/proc/{one}/environ").read_bytes().split(b"\0")
        found |= {word: int(one) for word in words if word.startswith(b"RANK=")}
    return [found[f"RANK={rank}".encode()] for rank in range(2)]


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize(("rank", "sharded"), KILLED)
def test_a_killed_worker_is_started_again_and_the_end_is_the_same(
    mine: Path, rank: int, sharded: str
) -> None:
    """Killed at a random instant after its first checkpoint; the parameters end with the same hash."""
    words = [*TINY[2:], "--steps", "150", "--set", f"plan.sharded={sharded}", "--set", "model.dropout=0.1"]
    calm, killed = started(mine / "calm", *words), started(mine / "killed", *words)
    while not list(mine.glob("killed/runs/*/model/step-*.json")):
        assert killed.poll() is None, (mine / "killed" / "out.txt").read_text()
        time.sleep(0.02)
    time.sleep(random.Random(rank).uniform(0.0, 0.2))
    os.kill(workers(killed)[rank], signal.SIGKILL)
    digests = []
    for process, name in ((calm, "calm"), (killed, "killed")):
        assert process.wait(timeout=300) == 0, (mine / name / "out.txt").read_text()
        (run,) = Store(mine / name / "runs").runs()
        assert run.state == "finished" and last_step(run.path) == 150
        loaded = Checkpoints(run.path / "model").last()
        assert loaded is not None
        digests.append(TrainingState(loaded.state.part("model."), {}).digest())
        taken = [one.text for one in run.events if getattr(one, "name", "") == "Taken up"]
        assert len(taken) == (name == "killed") and all("goes on after step" in one for one in taken)
    assert digests[0] == digests[1]


@pytest.mark.slow
def test_gpt2s_format_goes_out_and_comes_in_again(capsys) -> None:
    pairs = ("--form", "gpt2", "--tokenizer", "bpe", "--vocabulary", "280")
    assert told(capsys, "train", "mine.txt", *TINY, *pairs)[0] == 0
    status, out, _ = told(capsys, "export", "train", "out")
    assert status == 0 and out == "out holds config.json, merges.txt, model.safetensors, vocab.json\n"
    first = load_text_model(Store(Path("runs")).find("train").path)
    for start in ("out", "train"):
        assert told(capsys, "train", "mine.txt", "--from", start, "--steps", "2", "--set", "batch=2")[0] == 0
    again = load_text_model(Store(Path("runs")).find("train").path)
    assert again.model.config == first.model.config
    assert again.tokenizer.to_json() == first.tokenizer.to_json()
    status, out, _ = told(capsys, "export", "train", "more", "--json", "--checkpoint", "last")
    assert json.loads(out)["files"] == ["config.json", "merges.txt", "model.safetensors", "vocab.json"]


MISTAKES = [
    (["train", "--from", "there"], "weights go on to learn from a text\n  got: --from there alone\n  fix: regard train FILE --from there\n"),
    (["train"], "there is no text\n  got: no name\n  fix: regard train FILE, or --resume RUN\n"),
    (["train", "nowhere.txt"], "no such text\n  got: 'nowhere.txt'\n  fix: name a text file, a folder of them, or a known text\n"),
    (["train", "empty.txt"], "the text is empty\n  got: 0 bytes in empty.txt, none but blanks\n  fix: name a text that has words\n"),
    (["train", "binary"], "the file is no text\n  got: a zero byte at position 4 of binary\n  fix: name a text file\n"),
    (["train", "one.txt"], "the text is too short to learn from\n  got: 1 token, of which 1 are held out\n  fix: name a longer text: about 90 tokens are the least\n"),
    (["train", "mine.txt", "mine.txt"], "a text is named twice\n"),
    (["train", "mine.txt", "--minutes", "0"], "the command cannot be read\n  got: argument --minutes: '0' is not a number of minutes above 0\n  fix: 'regard train --help' shows how\n"),
    (["train", "mine.txt", "--steps", "0"], "the command cannot be read\n  got: argument --steps: '0' is not a whole number from 1 to 10,000,000\n"),
    (["train", "mine.txt", "--tokenizer", "words"], "no tokenizer of that name\n  got: 'words'\n  fix: one of character, bytes, bpe, or the file of one\n"),
    (["train", "mine.txt", "--set", "device=cuda"], "where a training computes is told by --device\n  got: --set device=cuda\n  fix: --device cuda\n"),
    (["train", "mine.txt", "--size", "gpt-mikro"], "no size of that name\n  got: 'gpt-mikro'\n  fix: did you mean 'gpt-micro'? (or sizes of your own: --set model.depth=3 --set model.width=64 --set model.heads=4)\n"),
    (["train", "mine.txt", "--from", "nowhere"], "no weights of that name\n  got: 'nowhere'\n  fix: name a folder in GPT-2's format, or a run\n"),
    (["train", "mine.txt", "--from", "."], "no weights in that folder\n  got: '.'\n  fix: name a folder with config.json, model.safetensors, vocab.json and merges.txt, or a run with a model\n"),
    (["train", "mine.txt", "--accept", "code"], "--accept has no effect without --resume\n  got: --accept code\n  fix: leave it out\n"),
    (["train", "mine.txt", "--resume", "x"], "a run that is taken up has its texts\n  got: --resume x mine.txt\n  fix: leave the text out\n"),
    (["train", "--resume", "x", "--steps", "3"], "--steps has no effect with --resume\n  got: --resume x\n  fix: leave it out: the run has its own; --from RUN begins anew with its weights\n"),
    (["train", "--resume", "x"], "no run of that name\n  got: 'x'\n  fix: 'regard list --runs' shows what was run\n"),
    (["export", "x", "out"], "no run of that name\n"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), MISTAKES, ids=[" ".join(words) for words, _ in MISTAKES])
def test_a_mistake_is_three_lines_and_leaves_nothing(capsys, words: list[str], message: str) -> None:
    Path("empty.txt").write_text("")
    Path("one.txt").write_text("a")
    Path("binary").write_bytes(b"\x7fELF\0\0")
    status, _, err = told(capsys, *words)
    assert status == 2 and err.startswith(message) and err.count("\n") == 3
    assert Store(Path("runs")).runs() == []


@pytest.mark.parametrize(
    "words",
    [
        ["train", "mine.txt", *TINY],
        *(["run", name, "--set", "text=mine.txt"] for name in ("shakespeare", "fairy-tales")),
    ],
    ids=["train", "shakespeare", "fairy-tales"],
)
def test_without_safetensors_nothing_begins(capsys, monkeypatch, words: list[str]) -> None:
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    status, _, err = told(capsys, *words)
    assert status == 2 and err.startswith("checkpoints need the package safetensors\n  got: no module")
    assert err.count("\n") == 3 and Store(Path("runs")).runs() == []


def test_a_finished_run_is_refused_before_anything_is_shown_and_goes_on_by_its_weights(capsys) -> None:
    assert told(capsys, "train", "mine.txt", *TINY)[0] == 0
    (run,) = Store(Path("runs")).runs()
    assert told(capsys, "train", "--resume", run.id) == (
        2, "", f"this run is finished\n  got: --resume {run.id}\n  fix: go on with its weights: regard train TEXT --from {run.id}\n"
    )  # fmt: skip


def test_a_run_of_another_kind_is_not_taken_up(capsys) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("regard.lab.train.training.prepare", lambda *words: 1 / 0)
        assert told(capsys, "train", "mine.txt", *TINY)[0] == 2
    (run,) = Store(Path("runs")).runs()
    assert run.state == "broken"
    status, _, err = told(capsys, "run", "decoding", "--resume", run.id)
    assert status == 2 and err.endswith(f"fix: regard train --resume {run.id}\n")
