"""Distributed data parallel: several processes train one model and take the mean gradient."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.errors import RegardError


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
            with _together():
                for one in tensors:
                    torch.distributed.broadcast(one, 0)


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
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]) % torch.cuda.device_count())
    torch.distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield ProcessGroup(torch.distributed.get_rank(), world)
    finally:
        torch.distributed.destroy_process_group()


@contextmanager
def _together() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        raise RegardError(
            "another process of this training ended",
            str(error).splitlines()[0],
            "look for its message; start all of them again to go on from the last checkpoint",
        ) from error
