"""Distributed data parallel: several processes train one model and take the mean gradient."""

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4
from weakref import WeakSet

import torch
from torch import Tensor, nn
from torch.distributed.distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous
from torch.nn.parallel import DistributedDataParallel

from regard.errors import RegardError
from regard.training.objective import Objective


@dataclass(frozen=True)
class ProcessGroup:
    """The processes of a training; alone unless `distributed` says otherwise."""

    rank: int = 0
    "Which of them this one is."
    world: int = 1
    "How many there are."

    @property
    def is_main(self) -> bool:
        """Whether this is the process that writes and prints."""
        return self.rank == 0

    @torch.no_grad()
    def average(self, tensors: Sequence[Tensor]) -> None:
        """Put into each tensor its mean over the processes.

        >>> alone = torch.tensor([1.0, 2.0])
        >>> ProcessGroup().average([alone]); alone
        tensor([1., 2.])
        """
        if self.world == 1:
            return
        flat = torch.cat([one.flatten() for one in tensors])
        with _together():
            torch.distributed.all_reduce(flat)
        parts = flat.div_(self.world).split([one.numel() for one in tensors])
        for one, part in zip(tensors, parts, strict=True):
            one.copy_(part.view_as(one))

    @torch.no_grad()
    def spread(self, tensors: Sequence[Tensor]) -> None:
        """Put into each tensor what the first process has there."""
        if self.world > 1:
            device = _device()
            with _together():
                for one in tensors:
                    # GPUs send what lies on them: what lies elsewhere goes there, one after the other.
                    sent = one if device is None else one.to(device)
                    torch.distributed.broadcast(sent, 0)
                    if sent is not one:
                        one.copy_(sent)

    def tell(self, words: str) -> str:
        """The words that the first process has, in all of them."""
        if self.world == 1:
            return words
        mine = torch.tensor(list(words.encode()), dtype=torch.uint8, device=_device())
        size = torch.tensor([len(mine)], device=_device())
        self.spread([size])
        said = mine if self.is_main else torch.empty(int(size), dtype=torch.uint8, device=_device())
        self.spread([said])
        return bytes(said.tolist()).decode()

    def gather(self, words: str) -> list[str]:
        """The words of every process, in all of them, by rank.

        >>> ProcessGroup().gather("mine")
        ['mine']
        """
        if self.world == 1:
            return [words]
        mine = torch.tensor(list(words.encode()), dtype=torch.uint8, device=_device())
        sizes = [torch.tensor([0], device=_device()) for _ in range(self.world)]
        with _together():
            torch.distributed.all_gather(sizes, torch.tensor([len(mine)], device=_device()))
            longest = int(max(sizes))
            found = [mine.new_zeros(longest) for _ in range(self.world)]
            torch.distributed.all_gather(found, torch.cat([mine, mine.new_zeros(longest - len(mine))]))
        return [bytes(one[: int(size)].tolist()).decode() for one, size in zip(found, sizes, strict=True)]

    def mean(self, number: float) -> float:
        """The mean of a number over the processes."""
        if self.world == 1:
            return number
        shared = torch.tensor(number, dtype=torch.float64, device=_device())
        self.average([shared])
        return float(shared)


ALONE = ProcessGroup()


def is_main() -> bool:
    """Whether this process is the one that writes and prints; asked of the environment, before any joins."""
    return int(os.environ.get("RANK", "0")) == 0


@contextmanager
def distributed() -> Iterator[ProcessGroup]:
    """The group that torchrun made this process part of, while it lasts; alone where there is none.

    >>> with distributed() as group:
    ...     group.world
    1
    """
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1 or torch.distributed.is_initialized():
        yield ProcessGroup(torch.distributed.get_rank(), world) if world > 1 else ALONE
        return
    # An optimiser imports this. First imported while there is a group it keeps that group's threads alive,
    # and the interpreter, at its end, aborts now and then because of them.
    importlib.import_module("torch._dynamo")
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]) % torch.cuda.device_count())
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    store, rank, world = next(rendezvous("env://"))
    store = fresh_store(store, rank, world)
    torch.distributed.init_process_group(backend, store=store, rank=rank, world_size=world)
    try:
        yield ProcessGroup(torch.distributed.get_rank(), world)
    finally:
        while _REPLICAS:
            # Freed after its group, torch's reducer would wait, with Python's lock, for threads that want it.
            vars(_REPLICAS.pop()).clear()
        torch.distributed.destroy_process_group()


def fresh_store(store: Store, rank: int, world: int, patience: timedelta = timedelta(seconds=1)) -> Store:
    """A part of torchrun's store that no earlier group wrote into.

    Processes that torchrun starts again find the addresses of the dead under the same names, and connect to
    nobody. So the first process names a new part, each other one answers with a word of its own, and believes
    the name once the first process repeats that word: a name left by the dead is never confirmed.
    """
    word = uuid4().hex
    if rank == 0:
        store.set("part", word)
        for other in range(1, world):
            store.set(f"{word}/{store.get(f'{word}/{other}').decode()}", "yes")
        return PrefixStore(word, store)
    while True:
        part = store.get("part").decode()
        store.set(f"{part}/{rank}", word)
        try:
            store.wait([f"{part}/{word}"], patience)
        except torch.distributed.DistStoreError:
            continue
        return PrefixStore(part, store)


def decided(mine: str, decide: Callable[[list[str]], str]) -> str:
    """What the first process decides from the words of all, in all of them; asked before any joins a group.

    >>> decided("a word", lambda words: f"{len(words)} said")
    '1 said'
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return decide([mine])
    store, rank, world = next(rendezvous("env://"))
    part = fresh_store(store, rank, world)
    part.set(f"said/{rank}", mine)
    if rank == 0:
        part.set("decided", decide([part.get(f"said/{one}").decode() for one in range(world)]))
    answer = part.get("decided").decode()
    part.set(f"heard/{rank}", "yes")
    if rank == 0:
        # Without torchrun's own, the store is in this process, and goes with it.
        part.wait([f"heard/{one}" for one in range(world)])
    return answer


_REPLICAS: "WeakSet[DistributedDataParallel]" = WeakSet()
"Models that torch holds equal over the processes of the group."


class _Loss(nn.Module):
    """An objective as a module that has the model's parameters: what DistributedDataParallel calls."""

    def __init__(self, model: nn.Module, objective: Objective) -> None:
        super().__init__()
        # Not the model itself: torch would send its buffers, constants included, before every step.
        self.learned, self.forward = nn.ParameterList(model.parameters()), partial(objective, model)
        # Where torch looks for parameters without a gradient and finds none, it says so on stderr.
        self.unused = nn.Parameter(torch.zeros(1, device=next(model.parameters()).device))


def parallel_loss(model: nn.Module, objective: Objective) -> Callable[[Any, bool], Tensor]:
    """The loss of a batch, such that `backward` leaves the mean gradient of all processes (torch's DDP).

    Gradients travel in buckets while the others are computed; those of a batch that is not the last of its
    step stay here and are added to.
    """
    # Were it not to look for parameters without a gradient, torch would sort its buckets anew after the first
    # step: sums of three processes then round in another way in a training that is taken up.
    together = DistributedDataParallel(
        _Loss(model, objective),
        init_sync=False,
        find_unused_parameters=True,
        gradient_as_bucket_view=True,
    )
    _REPLICAS.add(together)

    def loss(batch: Any, last: bool) -> Tensor:
        with nullcontext() if last else together.no_sync():
            return together(batch)

    return loss


def backward(loss: Tensor) -> None:
    """The backward pass of a loss; where it fails because another process ended, it says so."""
    try:
        loss.backward()
    except RuntimeError as error:
        if isinstance(error, torch.distributed.DistError) or "gloo" in str(error):
            raise _lost(error) from error
        raise


def _device() -> str | None:
    """Where a message between processes lies; none: where it is."""
    return "cuda" if torch.distributed.get_backend() == "nccl" else None


@contextmanager
def _together() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        raise _lost(error) from error


def _lost(error: RuntimeError) -> RegardError:
    return RegardError(
        "another process of this training ended",
        str(error).splitlines()[0],
        "look for its message; start all of them again to go on from the last checkpoint",
    )
