"""Sharded checkpoint files: safetensors that torch.distributed.checkpoint writes and reads, without pickle.

Every process writes the parts it holds into a file of its own. They are read by any number of processes, one
included, each of which takes what it needs. Hashes of the files stand in the checkpoint's manifest.
"""

import re
import secrets
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import file_digest
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.errors import package
from regard.files import Damaged, explained, settle
from regard.training.parallel import ALONE, ProcessGroup

FOLDER = re.compile(r"step-\d{9,}-[0-9a-f]{12}")
FILE = re.compile(r"shard-\d{5,}-model-00001-of-00001\.safetensors")


@dataclass(frozen=True)
class Shards:
    """The files of a sharded checkpoint, as its manifest lists them."""

    folder: str
    "The name of their folder, beside the manifest."
    files: tuple[tuple[str, int, str], ...]
    "Name, bytes and SHA-256 of each."

    @staticmethod
    def of(body: Any) -> "Shards":
        """What a manifest says, if it is a list of such files."""
        try:
            found = Shards(
                body["folder"], tuple((name, size, digest) for name, size, digest in body["files"])
            )
            fine = FOLDER.fullmatch(found.folder) and all(FILE.fullmatch(name) for name, *_ in found.files)
        except (KeyError, TypeError, ValueError) as error:
            raise Damaged("its list of shards cannot be read") from error
        if not fine or not found.files:
            raise Damaged("its list of shards names other files")
        return found

    def verify(self, place: Path, group: ProcessGroup = ALONE) -> None:
        """Raise where a file is not what was written; several processes share the reading."""
        mine = "" if group.world > 1 else self._problem(place, self.files)
        if group.world > 1:
            found = group.gather(self._problem(place, self.files[group.rank :: group.world]))
            mine = next((one for one in found if one), "")
        if mine:
            raise Damaged(mine)

    def _problem(self, place: Path, files: Iterable[tuple[str, int, str]]) -> str:
        """The first thing that is wrong with some of the files, in words; empty if nothing is."""
        folder = place / self.folder
        try:
            there = {one.name for one in folder.iterdir() if one.suffix == ".safetensors"}
            if there != {name for name, *_ in self.files}:
                return f"{self.folder} holds {len(there)} files, not {len(self.files)}"
            for name, size, digest in files:
                if (folder / name).stat().st_size != size:
                    return f"{name} has {(folder / name).stat().st_size} bytes, not {size}"
                if _hash(folder / name) != digest:
                    return f"{name} is not what was written"
        except OSError as error:
            return f"{self.folder}: {error.strerror}"
        return ""


def save_shards(place: Path, step: int, tensors: Mapping[str, Tensor], group: ProcessGroup) -> Shards:
    """Write a folder with a file from each process; all of them must call this together."""
    from torch.distributed.checkpoint.default_planner import DefaultSavePlanner
    from torch.distributed.checkpoint.state_dict_saver import save

    engine = _storage()
    name = group.tell(f"step-{step:09d}-{secrets.token_hex(6)}")
    folder = place / name
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        writer = engine.HuggingFaceStorageWriter(str(folder), save_distributed=True)
        # What is whole in every process is written by the first.
        planner = DefaultSavePlanner(dedup_save_to_lowest_rank=True)
        save(dict(tensors), storage_writer=writer, planner=planner)
        mine = [
            f"{one.name} {one.stat().st_size} {_hash(one)}"
            for one in folder.glob(f"shard-{group.rank + 1:05d}-*.safetensors")
        ]
        said = "\n".join(group.gather("\n".join(mine))).split()
        settle(folder)
    listed = zip(said[::3], map(int, said[1::3]), said[2::3], strict=True)
    return Shards(name, tuple(sorted(listed)))


class ShardedTensors(Mapping[str, Tensor]):
    """The tensors of a folder of shards by name, each put together when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def outline(self) -> dict[str, Tensor]:
        """Every tensor's shape and type, without its numbers."""
        listed = _storage().HuggingFaceStorageReader(str(self.folder)).read_metadata().state_dict_metadata
        return {
            name: torch.empty(one.size, dtype=one.properties.dtype, device="meta")
            for name, one in listed.items()
        }

    def __getitem__(self, name: str) -> Tensor:
        return self.read([name])[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.outline)

    def __len__(self) -> int:
        return len(self.outline)

    def read(self, names: Iterable[str]) -> dict[str, Tensor]:
        """Some tensors, whole, in host memory."""
        made = {name: torch.empty_like(self.outline[name], device="cpu") for name in names}
        self.fill(made)
        return made

    def fill(self, targets: Mapping[str, Tensor]) -> None:
        """Read into each target the tensor of its name; of a sharded target's, this process's part alone."""
        from torch.distributed.checkpoint.state_dict_loader import load

        if not targets:
            return
        reader = _storage().HuggingFaceStorageReader(str(self.folder))
        with warnings.catch_warnings():
            # Each process reads by itself, so that nothing is pickled between them; torch warns of that.
            warnings.filterwarnings("ignore", message="torch.distributed is disabled, unavailable or")
            load({name: one.detach() for name, one in targets.items()}, storage_reader=reader, no_dist=True)


def _hash(file: Path) -> str:
    with open(file, "rb") as content:
        return file_digest(content, "sha256").hexdigest()


def safetensors() -> Any:
    """The package that reads and writes tensors."""
    return package("safetensors.torch", "checkpoints need the package safetensors", "pip install safetensors")


def _storage() -> Any:
    """The safetensors storage of torch.distributed.checkpoint."""
    safetensors()
    from torch.distributed.checkpoint import hf_storage

    return hf_storage
