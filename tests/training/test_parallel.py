"""Two processes train as one does with the same batches; what they say when one of them ends."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from regard.errors import RegardError
from regard.training.parallel import ALONE, ProcessGroup, distributed, is_main

HERE = Path(__file__).parent

WORKER = """
import json, sys, os, signal
import torch
torch.set_num_threads(1)
# torchrun ends the others as soon as one has died; what is asked here is what they say by themselves.
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.path[:0] = [{here!r}, {source!r}]
import toy
from regard.errors import RegardError
from regard.training import distributed

results = {{}}
with distributed() as group:
    for name, plan in {plans!r}.items():
        torch.manual_seed(group.rank)
        size = 16 // group.world // plan.get("accumulate", 1)
        training = toy.training(size=size, dropout=0.0, group=group, **plan)
        trace = []
        try:
            for step in training:
                trace.append(step.loss)
                if step.step == {death} and group.rank == 1:
                    os.kill(os.getpid(), signal.SIGKILL)
        except RegardError as error:
            print(error, file=sys.stderr, flush=True)
            os._exit(2)
        named = training.model.named_parameters()
        results[name] = trace, {{name: one.flatten().tolist() for name, one in named}}
    if group.is_main:
        json.dump(results, open(sys.argv[1], "w"))
"""

PLANS = {
    "adamw": {"steps": 30, "optimiser": "adamw"},
    "muon": {"steps": 30, "optimiser": "muon"},
    "accumulated": {"steps": 30, "accumulate": 2, "clip": 0.1},
}


def launch(
    place: Path, *, plans: dict = PLANS, processes: int = 2, death: int = -1
) -> subprocess.CompletedProcess:
    import regard

    source = str(Path(regard.__file__).parents[1])
    file = place / "worker.py"
    file.write_text(WORKER.format(here=str(HERE), source=source, plans=plans, death=death))
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes), str(file)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *words, str(place / "result.json")],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=120,
    )


@pytest.mark.slow
def test_two_processes_are_one(toy, tmp_path: Path) -> None:
    done = launch(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    results = json.loads((tmp_path / "result.json").read_text())
    for name, plan in PLANS.items():
        trace, parameters = results[name]
        alone = toy.training(size=16 // plan.get("accumulate", 1), dropout=0.0, **plan)
        expected = [step.loss for step in alone]
        assert len(trace) == 30
        assert max(abs(a - b) for a, b in zip(trace, expected, strict=True)) < 1e-5
        for key, one in alone.model.named_parameters():
            assert torch.allclose(one.detach().flatten(), torch.tensor(parameters[key]), atol=1e-4), key
        other = toy.training(size=8 // plan.get("accumulate", 1), dropout=0.0, **plan)
        assert max(abs(s.loss - b) for s, b in zip(other, trace, strict=True)) > 1e-3, (
            "half the batch is seen"
        )


@pytest.mark.slow
def test_the_death_of_one_is_told_by_the_other(tmp_path: Path) -> None:
    done = launch(tmp_path, plans={"adamw": {"steps": 500}}, death=5)
    assert done.returncode != 0
    assert "another process of this training ended\n  got: " in done.stderr
    assert not (tmp_path / "result.json").exists()


def test_without_torchrun_there_is_one_process(monkeypatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    monkeypatch.delenv("RANK", raising=False)
    with distributed() as group:
        assert group is ALONE
    assert is_main()
    monkeypatch.setenv("RANK", "1")
    assert not is_main()


def test_alone_nothing_is_moved() -> None:
    one = torch.tensor([1.0, 2.0])
    ALONE.average([one]), ALONE.spread([one])
    assert one.tolist() == [1.0, 2.0]


def test_the_first_process_tells_the_others(monkeypatch) -> None:
    def broadcast(said: list[str], source: int) -> None:
        assert source == 0
        said[:] = ["what the first says"]

    monkeypatch.setattr(torch.distributed, "broadcast_object_list", broadcast)
    assert ProcessGroup(1, 2).tell("mine") == "what the first says" and ALONE.tell("mine") == "mine"


def test_the_mean_goes_back_into_every_shape(monkeypatch) -> None:
    """With the other process played by the test: it has ten times as much of everything."""
    monkeypatch.setattr(torch.distributed, "all_reduce", lambda flat: flat.mul_(11.0))
    tensors = [torch.tensor(2.0), torch.arange(6.0).view(2, 3), torch.zeros(0)]
    ProcessGroup(0, 2).average(tensors)
    assert tensors[0] == 11.0
    assert torch.equal(tensors[1], 5.5 * torch.arange(6.0).view(2, 3))


def test_a_lost_process_is_told_in_three_lines(monkeypatch) -> None:
    def lost(flat: torch.Tensor) -> None:
        raise RuntimeError("Connection closed by peer [127.0.0.1]:1234\nmore")

    monkeypatch.setattr(torch.distributed, "all_reduce", lost)
    with pytest.raises(RegardError) as caught:
        ProcessGroup(0, 2).average([torch.zeros(2)])
    assert str(caught.value) == (
        "another process of this training ended\n"
        "  got: Connection closed by peer [127.0.0.1]:1234\n"
        "  fix: look for its message; start all of them again to go on from the last checkpoint"
    )


def test_dropout_differs_between_processes_and_repeats_in_each(toy) -> None:
    def first(rank: int) -> float:
        training = toy.training(dropout=0.5)
        training.group = ProcessGroup(rank, 1)
        training.batches = lambda index, batch=toy.batches(4)(0): batch
        return next(iter(training)).loss

    assert first(0) == first(0)
    assert first(0) != first(1)


def test_the_first_process_writes_and_prints() -> None:
    assert [ProcessGroup(rank, 3).is_main for rank in range(3)] == [True, False, False]
