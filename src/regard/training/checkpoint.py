"""Checkpoints on disk: safetensors and JSON, of which one can be loaded whatever happened.

A checkpoint is two files. The first holds the tensors and has their hash in its name. The second,
`step-N.json`, is written after it and holds the facts, the size and the SHA-256 of the first, and one of
itself: without a sound one there is no checkpoint. Of a sharded training the first is a folder, with a file
from each process.
"""

import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from math import isfinite
from pathlib import Path

from regard.errors import RegardError
from regard.files import Damaged, contents, explained, write
from regard.training.manifest import Manifest
from regard.training.parallel import ALONE, ProcessGroup
from regard.training.sharded.files import ShardedTensors, safetensors, save_shards
from regard.training.state import TrainingState

NAME = re.compile(r"step-(\d{9,})\.json")
RECENT = 2
"How many of the newest are kept; the best is kept besides."


@dataclass(frozen=True)
class Loaded:
    """A checkpoint that was read, and what there was to say about it."""

    state: TrainingState
    metric: float | None
    "The figure it was saved with: lower is better."
    words: tuple[str, ...] = ()
    "One for each damaged checkpoint that would have been taken instead."


class Checkpoints:
    """The checkpoints of one training, in a folder of their own.

    >>> import tempfile, torch
    >>> folder = Checkpoints(Path(tempfile.mkdtemp()))
    >>> for step in range(5):
    ...     folder.save(TrainingState({"w": torch.ones(2) * step}, {"step": step}), metric=abs(step - 1))
    >>> folder.steps(), folder.last().state.tensors["w"], folder.best().state.step
    ([1, 3, 4], tensor([4., 4.]), 1)
    """

    def __init__(self, folder: Path, group: ProcessGroup = ALONE) -> None:
        """With a group, all of its processes use it together: shards are written and read by all of them.

        It is refused where none could be written: who makes it before a training learns of that in time.
        """
        safetensors()
        self.folder, self.group = folder, group

    def steps(self) -> list[int]:
        """The steps at which there are checkpoints, sound or not, oldest first."""
        with explained(self.folder):
            names = [one.name for one in self.folder.iterdir()] if self.folder.exists() else []
        return sorted(int(found[1]) for name in names if (found := NAME.fullmatch(name)))

    def save(self, state: TrainingState, *, metric: float | None = None) -> None:
        """Write a checkpoint; then remove those that are neither recent nor best."""
        facts, figure = dict(state.facts), metric if metric is not None and isfinite(metric) else None
        if self.group.is_main:
            self._require_newest(state.step)
        if state.sharded:
            shards = save_shards(self.folder, state.step, state.tensors, self.group)
            manifest = Manifest.of_shards(facts, figure, shards)
        else:
            content = safetensors().save(
                {name: one.cpu().contiguous() for name, one in state.tensors.items()}
            )
            manifest = Manifest(facts, figure, len(content), sha256(content).hexdigest())
            with explained(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
            write(self._tensors(state.step, manifest), content)
        if self.group.is_main:
            write(self._page(state.step), manifest.page())
            self._prune()
        self.group.tell("written")

    def last(self) -> Loaded | None:
        """The newest checkpoint that is sound; none if there never was one."""
        return self._first(reversed(self.steps()))

    def best(self) -> Loaded | None:
        """The sound checkpoint with the lowest metric, the newer of two equals; none if none has one."""
        return self._first(self._ranked(self._manifests()))

    def _first(self, steps: Iterable[int]) -> Loaded | None:
        words: list[str] = []
        for step in steps:
            try:
                state, metric = self._read(step, self.group)
            except Damaged as error:
                words.append(f"the checkpoint of step {step} is damaged ({error}) and was passed over")
            else:
                return Loaded(state, metric, tuple(words))
        if words:
            raise RegardError(
                "no checkpoint here is sound",
                f"{self.folder}: {'; '.join(words)}",
                "start anew, or put back a copy of the folder",
            )
        return None

    def _read(self, step: int, group: ProcessGroup = ALONE) -> tuple[TrainingState, float | None]:
        manifest = Manifest.read(self._page(step))
        file = self._tensors(step, manifest)
        if manifest.shards is not None:
            manifest.shards.verify(self.folder, group)
            return TrainingState(ShardedTensors(file), manifest.facts), manifest.metric
        content = contents(file, manifest.size)
        if sha256(content).hexdigest() != manifest.digest:
            raise Damaged(f"{file.name} is not what was written")
        return TrainingState(safetensors().load(content), manifest.facts), manifest.metric

    def _manifests(self) -> dict[int, Manifest]:
        """The manifests that are sound and whose tensors are there, by step."""
        found = {}
        for step in self.steps():
            with suppress(Damaged):
                manifest = Manifest.read(self._page(step))
                if self._tensors(step, manifest).exists():
                    found[step] = manifest
        return found

    @staticmethod
    def _ranked(manifests: dict[int, Manifest]) -> list[int]:
        """The steps that have a metric, best first."""
        metrics = {step: one.metric for step, one in manifests.items() if one.metric is not None}
        return sorted(metrics, key=lambda step: (metrics[step], -step))

    def _require_newest(self, step: int) -> None:
        for other in self.steps():
            if other > step:
                # A damaged one was passed over when this training went on from an older one: it may go.
                with suppress(Damaged):
                    self._read(other)
                    raise RegardError(
                        "this folder holds a checkpoint of a later step",
                        f"{self.folder}: step {other}, and step {step} is to be saved",
                        "go on from that one, or choose another folder",
                    )
                self._page(other).unlink(missing_ok=True)

    def _page(self, step: int) -> Path:
        return self.folder / f"step-{step:09d}.json"

    def _tensors(self, step: int, manifest: Manifest) -> Path:
        """The file of the tensors, or the folder of their shards."""
        if manifest.shards is not None:
            return self.folder / manifest.shards.folder
        return self.folder / f"step-{step:09d}-{manifest.digest[:12]}.safetensors"

    def _prune(self) -> None:
        """Remove old checkpoints, manifests first, and what a process that died has left."""
        manifests = self._manifests()
        keep = {*sorted(manifests)[-RECENT:], *self._ranked(manifests)[:1]}
        names = {self._page(step).name for step in keep}
        names |= {self._tensors(step, manifests[step]).name for step in keep}
        with explained(self.folder):
            for file in sorted(self.folder.iterdir(), key=lambda one: one.suffix != ".json"):
                if file.name.startswith(("step-", ".step-")) and file.name not in names:
                    shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)
