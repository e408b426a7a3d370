"""Sharded checkpoints as two real processes wrote them: read by one, without pickle; damage is seen."""

import json
import pickle
import shutil
from pathlib import Path

import pytest
import torch

from regard.errors import RegardError
from regard.files import Damaged
from regard.training import Training, cross_entropy, resume
from regard.training.checkpoint import Checkpoints
from regard.training.sharded.files import ShardedTensors, Shards

pytestmark = pytest.mark.slow


@pytest.fixture
def saved(two, tmp_path: Path) -> Checkpoints:
    """A copy of the checkpoints of the training with Muon."""
    shutil.copytree(two[0] / "muon", tmp_path / "muon")
    return Checkpoints(tmp_path / "muon")


def folder(saved: Checkpoints, step: int = 5) -> Path:
    (found,) = (one for one in saved.folder.glob(f"step-{step:09d}-*") if one.is_dir())
    return found


def test_one_process_goes_on_where_two_were_and_nothing_is_unpickled(
    saved: Checkpoints, two, worker, monkeypatch
) -> None:
    training = worker.alone("muon")
    worker.forbid_pickle(monkeypatch.setattr)
    with pytest.raises(AssertionError, match="something was unpickled"):
        pickle.loads(b"")
    told = resume(training, saved)
    assert told == "goes on after step 5; equal to rounding only: processes 2, sharded then, 1 now"
    losses = [step.loss for step in training]
    expected = two[1]["muon"]["sharded"][worker.STOP :]
    assert len(losses) == 7
    assert max(abs(a - b) for a, b in zip(losses, expected, strict=True)) < 1e-5


def test_two_processes_take_a_checkpoint_up_without_pickle(two) -> None:
    assert two[1]["without pickle"] == "goes on after step 5"


def test_every_process_wrote_a_file_and_no_number_twice(saved: Checkpoints, worker) -> None:
    """Each file holds about half; together they have each number of the model, and of its optimiser, once."""
    from safetensors import safe_open

    sizes = []
    for file in sorted(folder(saved).glob("*.safetensors")):
        with safe_open(file, framework="pt") as content:
            parts = {name: content.get_slice(name).get_shape() for name in content.keys()}  # noqa: SIM118
        sizes.append(sum(torch.Size(one).numel() for name, one in parts.items() if "model." in name))
    whole = sum(one.numel() for one in worker.Deep().parameters())
    assert len(sizes) == 2 and sum(sizes) == whole and min(sizes) > 0.3 * whole


def test_tensors_are_put_together_when_asked_for(saved: Checkpoints, worker) -> None:
    loaded = saved.last()
    assert loaded is not None and isinstance(loaded.state.tensors, ShardedTensors)
    found = loaded.state.part("model.")
    shapes = {name: one.shape for name, one in worker.Deep().state_dict().items()}
    assert {name: one.shape for name, one in found.items()} == shapes
    assert {name: one.shape for name, one in loaded.state.outline("model.").items()} == shapes
    assert torch.equal(loaded.state.tensors["model.head.weight"], found["head.weight"])
    names = set(loaded.state.tensors)
    assert {"optimiser.muon.blocks.0.0.weight", "optimiser.adamw.gain.step", "rng.torch"} <= names


def test_a_sharded_checkpoint_of_another_model_is_refused(saved: Checkpoints, toy, worker) -> None:
    training = Training(toy.Toy(), toy.batches(4), cross_entropy, worker.alone("muon").plan)
    with pytest.raises(RegardError, match="this checkpoint belongs to another model"):
        resume(training, saved)


DAMAGES = {
    "shorter": (lambda file: file.write_bytes(file.read_bytes()[:-1]), "bytes, not"),
    "other": (lambda file: file.write_bytes(file.read_bytes()[:-1] + b"?"), "is not what was written"),
    "gone": (lambda file: file.unlink(), "holds 1 files, not 2"),
    "more": (lambda file: shutil.copy(file, file.with_name("shard-00003-model-00001-of-00001.safetensors")), "holds 3"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_shard_is_told_and_the_one_before_is_taken(saved: Checkpoints, name: str) -> None:
    damage, words = DAMAGES[name]
    assert saved.steps() == [4, 5]
    damage(folder(saved) / "shard-00002-model-00001-of-00001.safetensors")
    loaded = saved.last()
    assert loaded is not None and loaded.state.step == 4
    assert len(loaded.words) == 1 and words in loaded.words[0]


@pytest.mark.parametrize(
    "body",
    [
        {"folder": "../step-000000005-0123456789ab", "files": [["shard-00001-model-00001-of-00001.safetensors", 1, "0"]]},
        {"folder": "step-000000005-0123456789ab", "files": [["../../x.safetensors", 1, "0"]]},
        {"folder": "step-000000005-0123456789ab", "files": []},
        {"folder": 3, "files": []},
        {"files": 3},
        [],
    ],
)  # fmt: skip
def test_a_manifest_that_names_other_files_is_damaged(body) -> None:
    with pytest.raises(Damaged):
        Shards.of(json.loads(json.dumps(body)))


def test_old_shards_are_removed(two, saved: Checkpoints) -> None:
    """Five were written, one after each step; two were kept, and no folder of another is left."""
    kept = sorted(one.name[:14] for one in saved.folder.iterdir() if one.is_dir())
    assert kept == ["step-000000004", "step-000000005"]
