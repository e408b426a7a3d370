"""A training that saves itself when it is stopped, killed or broken, and ends as if it had not been."""

import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from regard.errors import RegardError
from regard.training.checkpoint import Checkpoints
from regard.training.parallel import ProcessGroup
from regard.training.resume import checkpointed, resume, shared

HERE = Path(__file__).parent

WORKER = """
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
sys.path[:0] = [{here!r}, {source!r}]
import toy
from regard.training import Checkpoints, checkpointed, resume

training = toy.training(steps={steps}, accumulate=2)
folder = Checkpoints(Path(sys.argv[1]))
print(resume(training, folder) or "starts", flush=True)
for step in checkpointed(training, folder, every=0.0):
    pass
print("ended", flush=True)
"""


def test_a_training_that_was_closed_goes_on(toy, tmp_path: Path) -> None:
    whole = toy.training()
    expected = [step.loss for step in whole]
    folder = Checkpoints(tmp_path)
    first = toy.training()
    assert resume(first, folder) == ""
    steps = checkpointed(first, folder)
    found = [next(steps).loss for _ in range(7)]
    assert folder.steps() == []
    steps.close()
    assert folder.steps() == [7]
    second = toy.training()
    assert resume(second, folder) == "goes on after step 7"
    found += [step.loss for step in checkpointed(second, folder)]
    assert found == expected
    assert folder.steps() == [7, 20]
    third = toy.training()
    assert resume(third, folder) == "goes on after step 20"
    assert list(checkpointed(third, folder)) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, RegardError("a", "b", "c")])
def test_an_error_outside_saves_too(toy, tmp_path: Path, error) -> None:
    folder = Checkpoints(tmp_path)
    training = toy.training()
    batches, calls = training.batches, iter(range(100))

    def failing(index: int):
        if next(calls) == 5:
            raise error
        return batches(index)

    training.batches = failing
    with pytest.raises(error if isinstance(error, type) else type(error)):
        list(checkpointed(training, folder))
    assert folder.steps() == [5]


def test_it_saves_every_so_often(toy, tmp_path: Path) -> None:
    folder = Checkpoints(tmp_path)
    seen = []
    for step in checkpointed(toy.training(steps=5), folder, every=0.0):
        seen.append((step.step, folder.steps()))
    assert seen == [(1, []), (2, [1]), (3, [1, 2]), (4, [2, 3]), (5, [3, 4])]
    assert folder.steps() == [4, 5]


def test_a_checkpoint_is_due_when_exactly_so_many_seconds_have_gone_by(
    toy, tmp_path: Path, monkeypatch
) -> None:
    now = [10.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    # By its full name it is the function: the package has one of the module's name.
    monkeypatch.setattr(sys.modules["regard.training.resume"], "time", clock)
    folder = Checkpoints(tmp_path)
    seen = []
    for _ in checkpointed(toy.training(steps=5), folder, every=2.0):
        now[0] += 1.0
        seen.append(folder.steps())
    assert seen == [[], [], [2], [2], [2, 4]]


def test_a_torn_step_is_not_saved(toy, tmp_path: Path, monkeypatch) -> None:
    folder = Checkpoints(tmp_path)
    training = toy.training()
    step, calls = training.optimiser.muon.step, iter(range(100))

    def torn(*parts) -> None:
        if next(calls) == 4:
            raise KeyboardInterrupt
        step(*parts)

    monkeypatch.setattr(training.optimiser.muon, "step", torn)
    with pytest.raises(KeyboardInterrupt):
        list(checkpointed(training, folder, every=0.0))
    loaded = folder.last()
    assert loaded is not None
    assert loaded.state.step == 4


def test_what_is_saved_after_something_not_finite_is_finite(toy, tmp_path: Path) -> None:
    folder = Checkpoints(tmp_path)
    training = toy.training()
    training.model.norm.register_forward_hook(
        lambda m, i, out: out * (float("nan") if training.step == 6 else 1)
    )
    with pytest.raises(RegardError, match="the loss is not finite at step 7"):
        list(checkpointed(training, folder))
    loaded = folder.last()
    assert loaded is not None
    assert loaded.state.step == 6
    assert all(bool(one.isfinite().all()) for one in loaded.state.tensors.values() if one.is_floating_point())


def test_only_the_first_process_writes(toy, tmp_path: Path) -> None:
    training = toy.training(steps=3)
    training.group = ProcessGroup(rank=1, world=1)
    list(checkpointed(training, Checkpoints(tmp_path), every=0.0))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_damaged_checkpoint_is_told_of(toy, tmp_path: Path) -> None:
    folder = Checkpoints(tmp_path)
    list(checkpointed(toy.training(), folder, every=0.0))
    (victim,) = tmp_path.glob("step-000000020-*")
    victim.write_bytes(victim.read_bytes()[:-1])
    training = toy.training()
    told = resume(training, folder)
    size = victim.stat().st_size
    assert told == (
        "goes on after step 19; the checkpoint of step 20 is damaged "
        f"({victim.name} has {size} bytes, not {size + 1}) and was passed over"
    )
    list(checkpointed(training, folder))
    assert folder.steps() == [19, 20]


def start(folder: Path, steps: int) -> subprocess.Popen:
    import regard

    script = WORKER.format(here=str(HERE), source=str(Path(regard.__file__).parents[1]), steps=steps)
    return subprocess.Popen(
        [sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_processes_that_die_leave_a_training_that_ends_alike(
    toy, tmp_path: Path, number: signal.Signals
) -> None:
    """Real signals at random instants; the end has the hash of a training that nothing happened to."""
    steps, draw, folder = 150, random.Random(11), Checkpoints(tmp_path)
    told = []
    for death in range(3):
        process = start(tmp_path, steps)
        told.append(process.stdout.readline().strip())
        time.sleep(draw.uniform(0.0, 0.25))
        while death == 2 and folder.last() is None and process.poll() is None:
            time.sleep(0.01)  # on a busy machine nothing may have been saved yet
        process.send_signal(number)
        process.communicate(timeout=60)
        reached = folder.last()
        assert reached is None or reached.words == ()
    process = start(tmp_path, steps)
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert told[0] == "starts"
    assert out.startswith("goes on after step "), "no death fell on a training under way"
    whole = toy.training(steps=steps, accumulate=2)
    list(whole)
    loaded = folder.last()
    assert loaded is not None
    for name, one in whole.state().tensors.items():
        if not name.startswith("rng."):
            assert torch.equal(one, loaded.state.tensors[name]), name


def test_a_step_that_was_saved_with_its_figure_keeps_it(toy, tmp_path: Path) -> None:
    folder, training = Checkpoints(tmp_path), toy.training()
    for _ in checkpointed(training, folder):
        if training.step in (3, 20):
            folder.save(training.state(), metric=1.0 / training.step)
    best = folder.best()
    assert best is not None and (best.state.step, best.metric) == (20, 1 / 20)


@dataclass(frozen=True)
class Second(ProcessGroup):
    """The second of two processes, whose first has its checkpoints in another folder."""

    first: str = ""
    sees: str = ""

    def tell(self, words: str) -> str:
        return self.first

    def gather(self, words: str) -> list[str]:
        return [self.sees, words]


def test_of_several_processes_the_first_says_where_checkpoints_are(toy, tmp_path: Path) -> None:
    mine, training = Checkpoints(tmp_path / "mine"), toy.training(steps=1)
    assert shared(training, mine) is mine
    training.group = Second(1, 2, first=str(tmp_path / "first"))
    found = shared(training, mine)
    assert found.folder == tmp_path / "first" and found.group is training.group
    training.group = Second(1, 2, first=str(tmp_path), sees="3")
    with pytest.raises(RegardError, match="do not see the same checkpoints"):
        shared(training, mine)
