"""Every file of a run's folder lost, emptied, cut, or replaced: each verb answers, and no damaged run counts."""

import json
from collections import Counter
from pathlib import Path

import pytest

from regard.claims import Claim
from regard.cli.main import main
from regard.files import Format
from regard.lab.events import Metric, TextEvent
from regard.lab.store.entries import entries
from regard.lab.store.run import Run
from regard.lab.store.runs import Store

GARBAGE = (
    b"", b"null", b"[]", b"{}", b"7", b'"a"', b"garbage", b"\xff\xfe\x00\x01", b"[" * 10_000, b"\n", b"\n\n", b"{}\n",
    b'{"state": "finished"}', b'{"format": 2}', b'{"format": 2, "body": {}, "seal": ""}', b"\x00" * 64, b"NaN",
)  # fmt: skip


ROOT = Path(__file__).parents[2]
CLAIM = Claim(name="height", low=0.0, why="so", source="here")
ASKED = {
    "name": "heights", "preset": "quick", "changes": [], "seed": 0, "key": "k", "claims": [CLAIM.plain()],
    "settings": {"text": "√"}, "started": "2026-01-01T00:00:00+00:00",
}  # fmt: skip
READ = ("run.json", "log.jsonl", "result.json")
"The files that are read for what a run says."


def small(root: Path, *, killed: bool = False) -> Run:
    """A finished run without figures, so that every byte of it can be tried; or one that was killed."""
    writer = Store(root).create("heights", "quick", ASKED)
    for seed in range(2):
        writer.record(Metric("height", 1.5 + seed, seed))
    writer.record(TextEvent("A word", "größer"))
    if not killed:
        writer.finish("finished", [CLAIM.settle(1.0)], seconds=1.0)
    writer.close()
    return Run(writer.path)


def told(run: Run) -> tuple:
    """All that the three files say."""
    return run.request, run.result, run.lines, run.state


def tries(content: bytes) -> list[bytes]:
    """A file cut at every byte, and with each byte changed."""
    cuts = [content[:end] for end in range(len(content))]
    return cuts + [content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :] for at in range(len(content))]


@pytest.mark.parametrize("file", READ)
def test_a_file_cut_or_changed_at_any_byte_is_seen(tmp_path: Path, file: str) -> None:
    run = small(tmp_path)
    content, whole = (run.path / file).read_bytes(), told(run)
    for harm in tries(content):
        (run.path / file).write_bytes(harm)
        found = Run(run.path)
        # White space that has become other white space says the same.
        assert found.state in ("damaged", "other format") or told(found) == whole, harm
        assert len(harm) == len(content) or found.state != "finished", harm
        assert found.name == "heights"
    (run.path / file).write_bytes(content)
    assert told(Run(run.path)) == whole


def test_a_log_that_was_killed_at_any_byte_is_interrupted_and_keeps_its_whole_lines(tmp_path: Path) -> None:
    run = small(tmp_path, killed=True)
    content = (run.path / "log.jsonl").read_bytes()
    for end in range(len(content) + 1):
        (run.path / "log.jsonl").write_bytes(content[:end])
        found = Run(run.path)
        assert found.state == "interrupted"
        assert len(found.lines) == max(0, content[:end].count(b"\n") - 1)


def test_a_reader_that_trusts_a_log_would_be_noticed(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("regard.lab.store.log.check", lambda path, voucher: None)
    with pytest.raises(AssertionError):
        test_a_file_cut_or_changed_at_any_byte_is_seen(tmp_path, "log.jsonl")


def test_the_guide_says_how_many_bytes_were_tried(tmp_path: Path) -> None:
    finished, killed = small(tmp_path / "finished"), small(tmp_path / "killed", killed=True)
    sizes = [(finished.path / file).stat().st_size for file in READ]
    count = 2 * sum(sizes) + (killed.path / "log.jsonl").stat().st_size + 1
    assert count > 3000 and "(more than 3,000 folders)" in (ROOT / "docs" / "add.md").read_text()


def harmed(content: bytes, name: str, cuts: int) -> list[bytes | None]:
    """What may be found in place of a file: None where it is gone."""
    ends = {round(share * len(content) / cuts) for share in range(cuts)} | set(range(max(0, len(content) - 3), len(content)))  # fmt: skip
    flipped = [content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :] for at in sorted(ends) if content]
    other = [Format(kind, version, "").page({"a": 1}).encode() for kind in ("run", "result", "checkpoint") for version in (1, 2, 3)]  # fmt: skip
    found = [
        None,
        *GARBAGE,
        *(content[:end] for end in sorted(ends)),
        *flipped,
        *other,
        content + b"x",
        content * 2,
    ]
    return [one for one in found if one != content]


def answered(capsys, *words: str) -> tuple[int, str]:
    """The status and the output of a command, which must not be a traceback."""
    status = main(words)
    out, err = capsys.readouterr()
    assert status in (0, 1, 2, 130) and "Traceback" not in err, (words, err)
    if status == 2:
        lines = err.splitlines()
        assert [line[:7] for line in lines[-2:]] == ["  got: ", "  fix: "], (words, err)
    return status, out


def verbs(run: str) -> list[tuple[str, ...]]:
    return [("list", "--runs", "--json"), ("show", run), ("show", run, "--csv"), ("show", run, "--json")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "file"),
    [
        (kind, file)
        for kind in ("finished", "stopped")
        for file in ("run.json", "log.jsonl", "result.json", "figures/line.svg", "report.html", "lock")
    ],
)
def test_a_harmed_file_is_seen_and_in_nobodys_way(place: Path, capsys, kind: str, file: str) -> None:
    store = Store(place / "runs")
    (run,) = [one for one in store.runs() if one.state == kind and one.name == "coin"]
    path = run.path / file
    content, tried = path.read_bytes(), Counter()
    tells = file.endswith((".json", ".jsonl"))
    for harm in harmed(content, file, 12):
        path.unlink() if harm is None else path.write_bytes(harm)
        states = {one.id: one.state for one in entries(store)}
        assert len(states) == 3 and sorted(states.values()).count("finished") >= 1
        gone = harm is None and file == "result.json"
        expected = ("interrupted",) if gone else ("damaged", "other format") if tells else (kind,)
        assert states[run.id] in expected, (file, harm)
        for words in verbs(run.id):
            status, _ = answered(capsys, *words)
            if words[0] == "show" and tells and not gone:
                assert status == 2, words
        tried["states"] += 1
        path.write_bytes(content)
    assert tried["states"] > 20 and run.state == kind


@pytest.mark.slow
def test_verbs_that_change_things_answer_for_each_harm(place: Path, capsys) -> None:
    store = Store(place / "runs")
    (run,) = [one for one in store.runs() if one.state == "stopped"]
    for file in ("run.json", "log.jsonl", "result.json"):
        content = (run.path / file).read_bytes()
        for harm in harmed(content, file, 3):
            (run.path / file).unlink() if harm is None else (run.path / file).write_bytes(harm)
            before = {path.name: path.read_bytes() for path in run.path.glob("*.json*")}
            if not (harm is None and file == "result.json"):
                assert answered(capsys, "run", "coin.py", "--resume", run.id)[0] == 2
                assert {path.name: path.read_bytes() for path in run.path.glob("*.json*")} == before
                assert answered(capsys, "diff", run.id, "coin")[0] == 2
            (run.path / file).write_bytes(content)
    assert answered(capsys, "prune", "--yes")[0] == 0


@pytest.mark.slow
def test_a_harmed_model_is_told_and_never_speaks_otherwise(place: Path, capsys) -> None:
    (run,) = [one for one in Store(place / "runs").runs() if one.name == "tales"]
    words = ("generate", "tales", "--prompt", "to", "--steps", "4")
    said = answered(capsys, *words)
    for path in sorted((run.path / "small").iterdir()):
        content = path.read_bytes()
        for harm in harmed(content, path.name, 8):
            path.unlink() if harm is None else path.write_bytes(harm)
            found = answered(capsys, *words)
            # A manifest in which white space has changed says the same.
            assert found[0] == 2 or found == said, (path.name, harm)
            path.write_bytes(content)


def test_an_index_of_an_older_version_is_in_nobodys_way(place: Path, capsys) -> None:
    (place / "runs" / "index.sqlite").write_bytes(b"SQLite format 3\x00")
    (place / "runs" / "notes.txt").write_text("mine")
    (place / "runs" / "empty").mkdir()
    assert len(json.loads(answered(capsys, "list", "--runs", "--json")[1])) == 3
