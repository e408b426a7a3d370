"""Two processes train as one does with the same batches; what they say when one of them ends."""

import importlib.util
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
import torch

from regard.errors import RegardError
from regard.training import parallel
from regard.training.parallel import (
    ALONE,
    ProcessGroup,
    backward,
    decided,
    distributed,
    fresh_store,
    is_main,
)

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
    results["told"] = group.tell("said by the first: ü" if group.is_main else "mine")
    if group.rank == group.world - 1:
        json.dump(results, open(sys.argv[1], "w"))
left = os.listdir("/proc/self/task") if os.path.isdir("/proc/self/task") else []
names = [open(f"/proc/self/task/{{one}}/comm").read() for one in left]
assert not [name for name in names if "gloo" in name], names
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
    return start(place, file, processes)


def start(place: Path, file: Path, processes: int) -> subprocess.CompletedProcess:
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes), str(file)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
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
    assert results.pop("told") == "said by the first: ü"
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


@pytest.fixture
def several():
    """The module that the three processes run, to make the same trainings here."""
    found = importlib.util.spec_from_file_location("several", HERE / "several.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def three(tmp_path_factory) -> dict:
    """What three processes found that ran several.py."""
    place = tmp_path_factory.mktemp("three")
    done = start(place, HERE / "several.py", 3)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr
    return json.loads((place / "result.json").read_text())


@pytest.mark.slow
def test_three_processes_that_are_taken_up_end_with_the_same_hash(three) -> None:
    """Sums of three depend on their order: torch must not sort its buckets anew in the second half."""
    first, second = three["digests"]
    assert first == second


@pytest.mark.slow
def test_what_only_one_process_uses_moves_in_all_and_what_none_uses_stays(three, several) -> None:
    alone = several.wide(accumulate=3)
    expected = [step.loss for step in alone]
    assert max(abs(a - b) for a, b in zip(three["losses"], expected, strict=True)) < 1e-5
    assert three["never"] == alone.model.never.tolist() == [[1.0] * 3] * 3
    assert len(set(three["seldom"])) == 1
    moved = torch.tensor(json.loads(three["seldom"][0]))
    assert torch.allclose(moved, alone.model.seldom.detach(), atol=1e-4) and (moved != 1).all()


@pytest.mark.slow
def test_a_compiled_objective_has_the_losses_of_the_plain_one(three) -> None:
    assert three["compiled"] == pytest.approx(three["plain"], abs=1e-5)


@pytest.mark.slow
def test_buffers_are_those_of_the_first_process_after_every_step(three) -> None:
    """So that a training that is taken up from what the first process saved goes on as it would have."""
    assert len(set(three["buffers"])) == 1 and any(json.loads(three["buffers"][0]))


def test_an_error_of_the_model_is_not_taken_for_a_lost_process() -> None:
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, words):
            ctx.words = words
            return x.sum()

        @staticmethod
        def backward(ctx, *_):
            raise RuntimeError(ctx.words)

    for words, said in (
        ("shapes differ", "shapes differ"),
        ("[gloo/pair.cc:1] Connection closed by peer", "another process of this training ended"),
    ):
        with pytest.raises((RuntimeError, RegardError), match=said):
            backward(Fails.apply(torch.zeros(2, requires_grad=True), words))


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
    """Over a wire that holds what the first process puts on it; words of any alphabet, longer or shorter."""
    wire: list[torch.Tensor] = []
    put, take = wire.append, lambda one: one.copy_(wire.pop(0))
    monkeypatch.setattr(torch.distributed, "get_backend", lambda: "gloo")
    for words in ("was der Erste sagt: häßlich", "", "日本"):
        monkeypatch.setattr(torch.distributed, "broadcast", lambda one, source: put(one.clone()))
        assert ProcessGroup(0, 2).tell(words) == words
        monkeypatch.setattr(torch.distributed, "broadcast", lambda one, source: take(one))
        assert ProcessGroup(1, 2).tell("mine") == words and not wire
    assert ALONE.tell("mine") == "mine"


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


def test_what_the_dead_left_in_the_store_is_not_believed() -> None:
    """As torchrun leaves it after a restart: the name of a part, its answers, and their confirmation."""
    server = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    for name, left in {"part": "dead", "dead/1": "x", "dead/x": "yes", "dead/address": "nobody"}.items():
        server.set(name, left)
    clients = [torch.distributed.TCPStore("127.0.0.1", server.port, is_master=False) for _ in range(3)]
    for _ in range(2):  # a second group of the same processes has a part of its own
        with ThreadPoolExecutor(3) as threads:
            late = [(rank, clients[rank], 3, timedelta(seconds=0.1)) for rank in (2, 1)]
            joined = [threads.submit(fresh_store, one, rank, *more) for rank, one, *more in late]
            with pytest.raises(TimeoutError):
                joined[0].result(0.3)
            first = fresh_store(clients[0], 0, 3)
            others = [one.result(30) for one in joined]
        assert not first.check(["address"])
        first.set("address", "here")
        assert [one.get("address") for one in others] == [b"here", b"here"]


def test_what_the_first_process_decides_from_the_words_of_all_holds_for_all(monkeypatch) -> None:
    server = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    port, asked, here = server.port, [], threading.local()

    def found(url: str):
        yield torch.distributed.TCPStore("127.0.0.1", port, is_master=False), here.rank, 3

    def decide(words: list[str]) -> str:
        asked.append(here.rank)
        return " and ".join(words)

    def process(rank: int) -> str:
        here.rank = rank
        return decided(f"{rank}ü", decide)

    monkeypatch.setattr(parallel, "rendezvous", found)
    monkeypatch.setenv("WORLD_SIZE", "3")
    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(process, [2, 0, 1])) == ["0ü and 1ü and 2ü"] * 3
    assert asked == [0]
