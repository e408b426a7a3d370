"""Checkpoints survive death at any point, and no damaged one is ever loaded."""

import ast
import errno
import os
import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from regard import files
from regard.errors import RegardError
from regard.training import checkpoint, manifest
from regard.training.checkpoint import Checkpoints
from regard.training.sharded.files import Shards
from regard.training.state import TrainingState

SOURCE = Path(checkpoint.__file__).parent


def state(step: int) -> TrainingState:
    random_numbers = torch.Generator().manual_seed(step)
    tensors = {f"model.{name}": torch.randn(7, 5, generator=random_numbers) for name in "ab"}
    return TrainingState(
        {**tensors, "rng.torch": torch.arange(9, dtype=torch.uint8)}, {"step": step, "rate": 0.1 * step}
    )


def same(one: TrainingState, other: TrainingState) -> bool:
    return one.digest() == other.digest()


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    folder = Checkpoints(tmp_path / "deep" / "er")
    assert folder.last() is None
    assert folder.best() is None
    folder.save(state(3), metric=1.5)
    loaded = folder.last()
    assert loaded is not None
    assert same(loaded.state, state(3))
    assert (loaded.metric, loaded.words) == (1.5, ())


def test_the_last_two_and_the_best_are_kept(tmp_path: Path) -> None:
    folder = Checkpoints(tmp_path)
    for step, metric in enumerate([None, 3.0, 1.0, 2.0, float("nan"), 1.0, 4.0, None]):
        folder.save(state(step), metric=metric)
    assert folder.steps() == [5, 6, 7]
    best = folder.best()
    assert best is not None
    assert best.state.step == 5, "the newer of two equals"
    assert len(list(tmp_path.iterdir())) == 6


def test_a_step_can_be_saved_again(tmp_path: Path) -> None:
    folder = Checkpoints(tmp_path)
    folder.save(state(3))
    other = TrainingState({"w": torch.ones(2)}, {"step": 3})
    folder.save(other, metric=1.0)
    loaded = folder.last()
    assert loaded is not None
    assert same(loaded.state, other)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_later_checkpoint_is_not_overrun(tmp_path: Path) -> None:
    folder = Checkpoints(tmp_path)
    folder.save(state(9))
    with pytest.raises(RegardError) as caught:
        folder.save(state(3))
    assert str(caught.value) == (
        "this folder holds a checkpoint of a later step\n"
        f"  got: {tmp_path}: step 9, and step 3 is to be saved\n"
        "  fix: go on from that one, or choose another folder"
    )


# Damage


def mutants(content: bytes, count: int) -> list[bytes]:
    draw = random.Random(5)
    cuts = [content[: len(content) * k // 50] for k in range(50)]
    flips = []
    for _ in range(count):
        at, bit = draw.randrange(len(content)), 1 << draw.randrange(8)
        flips.append(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
    half = len(content) // 2
    others = [
        b"",
        content[half:] + content[:half],
        b"\x89PNG\r\n\x1a\n" + content,
        content + b"\0",
        b"\0" * len(content),
    ]
    return [one for one in cuts + flips + others if one != content]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".safetensors", ".json"])
def test_no_damaged_checkpoint_is_loaded(tmp_path: Path, suffix: str) -> None:
    folder = Checkpoints(tmp_path)
    folder.save(state(3))
    folder.save(state(8))
    (victim,) = [
        one for one in tmp_path.iterdir() if one.name.startswith("step-000000008") and one.suffix == suffix
    ]
    content = victim.read_bytes()
    for mutant in mutants(content, 500):
        victim.write_bytes(mutant)
        loaded = folder.last()
        assert loaded is not None
        if loaded.state.step == 8:  # a manifest in which a blank became another blank says the same
            assert suffix == ".json"
            assert same(loaded.state, state(8))
        else:
            assert same(loaded.state, state(3))
            (word,) = loaded.words
            assert word.startswith(f"the checkpoint of step 8 is damaged ({victim.name}")
            assert word.endswith(" and was passed over")


def test_a_byte_flip_is_never_harmless_in_the_tensors(tmp_path: Path) -> None:
    """And a saboteur: a loader that does not look at the hash lets it through."""
    folder = Checkpoints(tmp_path)
    folder.save(state(8))
    (victim,) = tmp_path.glob("*.safetensors")
    content = victim.read_bytes()
    victim.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(RegardError) as caught:
        folder.last()
    assert str(caught.value) == (
        f"no checkpoint here is sound\n  got: {tmp_path}: the checkpoint of step 8 is damaged"
        f" ({victim.name} is not what was written) and was passed over\n"
        "  fix: start anew, or put back a copy of the folder"
    )
    import safetensors.torch

    assert not same(TrainingState(safetensors.torch.load_file(victim), {"step": 8}), state(8))


@pytest.mark.parametrize("suffix", [".safetensors", ".json"])
@pytest.mark.parametrize("how", ["folder", "gone", "unreadable link"])
def test_what_is_no_file_is_passed_over(tmp_path: Path, suffix: str, how: str) -> None:
    folder = Checkpoints(tmp_path)
    folder.save(state(3))
    folder.save(state(8))
    (victim,) = [
        one for one in tmp_path.iterdir() if one.name.startswith("step-000000008") and one.suffix == suffix
    ]
    victim.unlink()
    if how == "folder":
        victim.mkdir()
    if how == "unreadable link":
        victim.symlink_to(tmp_path / "nowhere")
    loaded = folder.last()
    assert loaded is not None
    assert same(loaded.state, state(3))
    assert len(loaded.words) == (0 if (suffix, how) == (".json", "gone") else 1)


def test_a_training_that_went_back_goes_past_the_damaged_one(tmp_path: Path) -> None:
    folder = Checkpoints(tmp_path)
    folder.save(state(3))
    folder.save(state(8))
    (victim,) = tmp_path.glob("step-000000008-*")
    victim.write_bytes(bytes(victim.stat().st_size))
    folder.save(state(5))
    loaded = folder.last()
    assert loaded is not None
    assert (loaded.state.step, loaded.words) == (5, ())
    assert folder.steps() == [3, 5]


def test_another_version_is_refused_and_not_passed_over(tmp_path: Path, monkeypatch) -> None:
    folder = Checkpoints(tmp_path)
    folder.save(state(3))
    with monkeypatch.context() as patch:
        patch.setattr(manifest, "CHECKPOINT", replace(manifest.CHECKPOINT, version=3))
        (tmp_path / "step-000000008.json").write_text(
            manifest.Manifest({"step": 8}, None, 5, "ab" * 32).page()
        )
    with pytest.raises(RegardError, match="this checkpoint was written by a newer version of regard"):
        folder.last()


# Death


class Dead(BaseException):
    """The process is no more: from here on nothing it does has an effect."""


class Fate:
    """Counts what is done to the file system, and ends it all at the k-th."""

    def __init__(self, at: int | None) -> None:
        self.at, self.count, self.log = at, 0, []

    def __call__(self, what: str) -> bool:
        """Whether it happens now: a call may be cut off in its middle."""
        if self.at is not None and self.count > self.at:
            raise Dead
        self.count += 1
        self.log.append(what)
        return self.at is not None and self.count - 1 == self.at


class Torn:
    """A file of which a write may be cut off in its middle."""

    def __init__(self, file, fate: Fate) -> None:
        self.file, self.fate = file, fate

    def __enter__(self):
        return self

    def __exit__(self, *error) -> None:
        self.file.close()

    def write(self, data: bytes) -> None:
        now = self.fate(f"write {Path(self.file.name).suffixes[0]}")
        self.file.write(data[: len(data) // 2] if now else data)
        if now:
            self.file.flush()
            raise Dead

    def flush(self) -> None:
        self.file.flush()

    def fileno(self) -> int:
        return self.file.fileno()


def mortal(monkeypatch, fate: Fate) -> None:
    def guard(name: str, original, *, after: bool):
        def call(*arguments, **named):
            now = fate(name)
            if now and not after:
                raise Dead
            result = original(*arguments, **named)
            if now:
                raise Dead
            return result

        return call

    opened = lambda *arguments: Torn(open(*arguments), fate)  # noqa: E731, SIM115
    monkeypatch.setattr(files, "open", opened, raising=False)
    for name in ("replace", "fsync", "unlink"):
        monkeypatch.setattr(os, name, guard(name, getattr(os, name), after=False))


@pytest.mark.slow
def test_death_at_any_point_leaves_a_checkpoint(tmp_path: Path, monkeypatch) -> None:
    counted = Fate(None)
    with monkeypatch.context() as patch:
        folder = Checkpoints(tmp_path / "counted")
        for step in (1, 2, 3):
            folder.save(state(step), metric=-step)
        mortal(patch, counted)
        folder.save(state(4), metric=-4)
    points = counted.count
    assert points >= 10, counted.log
    outcomes = []
    for at in range(points):
        place = tmp_path / str(at)
        folder = Checkpoints(place)
        for step in (1, 2, 3):
            folder.save(state(step), metric=-step)
        with monkeypatch.context() as patch:
            mortal(patch, Fate(at))
            with pytest.raises(Dead):
                folder.save(state(4), metric=-4)
        again = Checkpoints(place)
        loaded = again.last()
        assert loaded is not None
        assert loaded.words == (), "no checkpoint is damaged by a death"
        assert loaded.state.step in (3, 4)
        assert same(loaded.state, state(loaded.state.step))
        outcomes.append(loaded.state.step)
        again.save(state(5))
        assert again.steps() == ([4, 5] if outcomes[-1] == 4 else [3, 5])
        names = sorted(one.name for one in place.iterdir())
        assert len(names) == 4, names
    assert outcomes == sorted(outcomes), "from some point on the new one counts"
    assert {3, 4} == set(outcomes)


def test_the_first_checkpoint_may_die_too(tmp_path: Path, monkeypatch) -> None:
    for at in range(8):
        folder = Checkpoints(tmp_path / str(at))
        with monkeypatch.context() as patch:
            mortal(patch, Fate(at))
            with suppress(Dead):
                folder.save(state(1))
        loaded = folder.last()
        assert loaded is None or same(loaded.state, state(1))


def test_everything_is_durable_before_it_counts(tmp_path: Path, monkeypatch) -> None:
    """The order that survives a loss of power: write, fsync, replace, fsync the folder; removals last."""
    folder = Checkpoints(tmp_path)
    folder.save(state(1))
    folder.save(state(2))
    fate = Fate(None)
    mortal(monkeypatch, fate)
    folder.save(state(3))
    once = ["fsync", "replace", "fsync"]
    kinds = [one.split()[0] for one in fate.log]
    assert kinds == ["write", *once, "write", *once, "unlink", "unlink"]
    first, second = (one for one in fate.log if one.startswith("write"))
    assert (first.endswith("safetensors"), second.endswith("json")) == (True, True)


def test_a_writer_in_place_is_seen_by_the_same_test(tmp_path: Path, monkeypatch) -> None:
    """A saboteur: writing over the file itself, which is what the deaths above must find out."""

    def careless(path: Path, content: bytes | str) -> None:
        with files.open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)

    folder = Checkpoints(tmp_path)
    folder.save(TrainingState({"w": torch.ones(3)}, {"step": 4}))
    with monkeypatch.context() as patch:
        mortal(patch, Fate(1))
        patch.setattr(checkpoint, "write", careless)
        with pytest.raises(Dead):
            folder.save(state(4))
    with pytest.raises(RegardError, match="no checkpoint here is sound"):
        folder.last()


@pytest.mark.parametrize("at", range(4))
def test_a_full_disk_leaves_the_old_one(tmp_path: Path, monkeypatch, at: int) -> None:
    folder = Checkpoints(tmp_path)
    folder.save(state(3))
    real, calls = os.fsync, iter(range(100))

    def full(handle: int) -> None:
        if next(calls) == at:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RegardError, match="the disk is full"):
        folder.save(state(4))
    monkeypatch.setattr(os, "fsync", real)
    loaded = folder.last()
    assert loaded is not None
    assert loaded.words == ()
    assert loaded.state.step in (3, 4)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(RegardError, match="the file system refused"):
        Checkpoints(tmp_path / "taken").save(state(1))


def test_no_pickle_is_near() -> None:
    """Neither imported nor called by a word that unpickles."""
    for file in SOURCE.glob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        words = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        words |= {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
        }
        assert words.isdisjoint({"pickle", "cloudpickle", "dill", "shelve", "marshal"}), file.name
        calls = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
        assert {"torch.load", "torch.save", "eval", "exec"}.isdisjoint(calls), file.name


def test_without_safetensors_it_is_told_before_anything_is_to_be_saved(tmp_path: Path, monkeypatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    with pytest.raises(RegardError) as caught:
        Checkpoints(tmp_path)
    assert str(caught.value) == (
        "checkpoints need the package safetensors\n"
        "  got: no module 'safetensors'\n"
        "  fix: pip install safetensors"
    )


def test_manifests_are_removed_before_their_tensors(tmp_path: Path, monkeypatch) -> None:
    folder, removed = Checkpoints(tmp_path), []
    for step in (1, 2):
        folder.save(state(step))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", lambda self, missing_ok=False: removed.append(self.suffix))
        folder.save(state(3))
    assert removed == [".json", ".safetensors"]


def test_the_shards_of_a_checkpoint_lie_in_their_folder(tmp_path: Path) -> None:
    shards = Shards("step-7-shards", (("0.safetensors", 3, "ab"),))
    page = manifest.Manifest.of_shards({}, None, shards)
    assert Checkpoints(tmp_path)._tensors(7, page) == tmp_path / "step-7-shards"
