"""A trained text model: its config and tokenizer lie beside its checkpoints; it generates and searches."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor

from regard.data.tokens.bpe import tokenizer_from_json
from regard.data.tokens.tokenizer import Character, Tokenizer
from regard.errors import RegardError, nearest
from regard.files import Damaged, explained, write
from regard.generation.beam import Beam, beam_search
from regard.generation.engine import Token, stream
from regard.generation.sampling import Sampler
from regard.generation.stopping import Stop
from regard.lab.store.models import FILE, MODEL, text_models
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.training import Checkpoints

ROOM = 2**31
"Bytes that the rows of a generation may take."
BROKEN = "\N{REPLACEMENT CHARACTER}"
Which = Literal["best", "last"]
"Which checkpoint of a model is meant."


def save_text_model(folder: Path, config: GPTConfig, tokenizer: Tokenizer) -> None:
    """Write down what is needed to make the model of these checkpoints again."""
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    before = text_models(folder.parent)
    place = list(before).index(folder.name) if folder.name in before else len(before)
    write(
        folder / FILE,
        MODEL.page({"place": place, "config": asdict(config), "tokenizer": tokenizer.to_json()}),
    )


@dataclass(frozen=True)
class TextModel:
    """A model and the tokenizer of the text that it has learned."""

    model: GPT
    tokenizer: Tokenizer

    def prompt(self, text: str) -> Tensor:
        """The ids of a prompt, one row."""
        if not text:
            raise RegardError(
                "the prompt is empty", "''", "give the model at least one character to start from"
            )
        try:
            return self.tokenizer.encode(text)[None]
        except RegardError as error:
            if not isinstance(self.tokenizer, Character):
                raise
            fix = f"use only {self.tokenizer.told}, or train one that knows all: --tokenizer bytes"
            raise RegardError(error.what, error.got, fix) from error

    def opening(self) -> str:
        """What a text may begin with: a line break, or where the tokenizer knows none, its first token."""
        try:
            self.tokenizer.encode("\n")
        except RegardError:
            return self.tokenizer.decode([0])
        return "\n"

    def cut(self, ids: Tensor) -> str:
        """A sentence where not all of a prompt is read; else nothing."""
        context = self.model.config.context
        if ids.shape[1] <= context:
            return ""
        return f"the prompt has {ids.shape[1]} tokens; the model sees the last {context} of them"

    def require_room(self, rows: int) -> None:
        """Refuse more rows at once than fit: each of them remembers a context of keys and values."""
        config = self.model.config
        heads = config.kv_heads or config.heads
        memory = 4 * config.context * config.depth * 2 * heads * config.width // config.heads
        most = ROOM // (2 * memory + 4 * config.vocabulary)
        if rows > most:
            raise RegardError(
                "so many rows at once do not fit", f"{rows:,} rows of {memory:,} bytes", f"at most {most:,}"
            )

    def speak(
        self,
        ids: Tensor,
        *,
        steps: int,
        sampler: Sampler,
        seeds: Sequence[int],
        stop: str = "",
        beyond: str = "recompute",
    ) -> Iterator[Token]:
        """A sample for each seed, token by token; a sample depends on its own seed alone."""
        return stream(
            self.model,
            ids.repeat(len(seeds), 1),
            steps=steps,
            sampler=sampler,
            generator=[torch.Generator().manual_seed(seed) for seed in seeds],
            stop=self.stop(stop),
            beyond=beyond,
        )

    def search(
        self,
        ids: Tensor,
        *,
        steps: int,
        width: int,
        penalty: float,
        stop: str = "",
        beyond: str = "recompute",
    ) -> list[Beam]:
        """The most probable continuations that a beam finds, best first."""
        words = {"width": width, "steps": steps, "penalty": penalty, "beyond": beyond}
        return beam_search(self.model, ids, stop=self.stop(stop), **words).beams[0]

    def stop(self, text: str) -> Stop | None:
        """Stop after that text."""
        return Stop(tuple(self.tokenizer.encode(text).tolist())) if text else None

    def show(self, ids: Sequence[int]) -> str:
        """The text of some ids, up to where a character is still incomplete."""
        return self.tokenizer.decode([one for one in ids if one >= 0]).rstrip(BROKEN)


def load_text_model(run: Path, name: str | None = None, *, checkpoint: Which = "best") -> TextModel:
    """A model of a run: the one of that name, or the one that was trained last.

    Of its checkpoints the best by held-out loss, where it noted one, else the newest; or always the newest.
    """
    known = text_models(run)
    if not known:
        raise RegardError(
            "this run holds no model that can speak",
            run.name,
            "name a run of 'regard train', of shakespeare or of fairy-tales; an older one must be run again",
        )
    if name is not None and name not in known:
        raise RegardError(
            "no model of that name in this run",
            f"'{name}'",
            nearest(name, known, f"there are {', '.join(known)}"),
        )
    folder = known[name or list(known)[-1]]
    config, tokenizer = described(folder)
    checkpoints = Checkpoints(folder)
    loaded = (checkpoints.best() if checkpoint == "best" else None) or checkpoints.last()
    if loaded is None:
        raise RegardError("the run has not saved its model yet", folder.name, "wait for its first checkpoint")
    model = GPT(config).eval()
    model.load_state_dict(loaded.state.part("model."), strict=True)
    return TextModel(model, tokenizer)


def described(folder: Path) -> tuple[GPTConfig, Tokenizer]:
    """The config and the tokenizer that lie in a model's folder."""
    try:
        found = MODEL.read(folder / FILE)
    except Damaged as error:
        raise RegardError(
            "this run's model is damaged", f"{folder}: {error}", "run the experiment again"
        ) from error
    return GPTConfig(**found["config"]), tokenizer_from_json(found["tokenizer"])
