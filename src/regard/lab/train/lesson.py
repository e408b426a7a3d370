"""A model on its way: its training, checkpoints, the windows it learns from, and what it says."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

import torch
from torch import Tensor

from regard.data.sets.prompts import openings
from regard.data.sets.text import Text
from regard.data.tokens.bpe import tokenizer_from_json
from regard.data.tokens.tokenizer import Tokenizer
from regard.data.tokens.windows import Windows
from regard.generation.sampling import Sampler
from regard.lab.experiment import Context
from regard.lab.text_model import FILE, TextModel, described, save_text_model
from regard.lab.train.settings import TrainSettings
from regard.lab.train.tokens import make_tokenizer, windows_of
from regard.lab.train.weights import load_weights
from regard.models.gpt.model import GPT
from regard.training import (
    Checkpoints,
    ProcessGroup,
    Training,
    compile_if_faster,
    cross_entropy,
    evaluate,
    find_device,
    resume,
)

FOLDER = "model"
"Where in the run's folder its model lies."
GLIMPSE = 16_384
"Tokens of the held-out text by which a training is judged on its way."
ROWS = 64
"Windows that are judged at once."
SPOKEN = 160
"Tokens of a sample."
WORTHWHILE = 600.0
"Seconds of training that a compiler may earn back."


@dataclass(frozen=True)
class TextLesson:
    """A model on its way, with all that it learns from."""

    training: Training
    checkpoints: Checkpoints
    windows: Windows
    tokenizer: Tokenizer
    speaker: TextModel
    "Speaks on the CPU; the model itself where it is there already."
    prompt: str
    "What samples begin with."
    batch: int
    "Windows in a batch, over all processes."
    sentence: str
    "Where it goes on, if it was taken up."

    @property
    def model(self) -> GPT:
        """The model that learns."""
        assert isinstance(self.training.model, GPT)
        return self.training.model

    @property
    def share(self) -> float:
        """The share of the training that lies behind."""
        step, course = self.training.step, self.training.course
        return 1.0 if step == course.steps else course.progress(step) if step else 0.0

    def glimpse(self, tokens: int = GLIMPSE) -> float:
        """The loss on windows of the held-out text, always the same, few enough to be read now and then."""
        rows = max(1, tokens // self.windows.context)
        return evaluate(self.model, parts(self.windows.batch("held-out", 0, size=rows, seed=0)))

    def judge(self) -> float:
        """The loss on all of the held-out text."""
        rows = self.windows.cover("held-out", size=ROWS)
        return evaluate(self.model, rows)

    def sample(self, seconds: float) -> str:
        """What the model says after a prompt from the held-out text, for so long at most."""
        if self.speaker.model is not self.model:
            self.speaker.model.load_state_dict(self.model.state_dict())
        began, said = time.monotonic(), list[int]()
        self.model.eval()
        ids = self.speaker.prompt(self.prompt)
        for token in self.speaker.speak(ids, steps=SPOKEN, sampler=Sampler(temperature=0.8), seeds=[0]):
            said.append(int(token.ids[0]))
            if time.monotonic() - began > seconds:
                break
        return self.prompt + self.speaker.show(said)


def prepare(
    settings: TrainSettings, context: Context, texts: Sequence[Text], group: ProcessGroup
) -> TextLesson:
    """The model at its beginning, or where its last checkpoint left it."""
    folder, recipe, device = context.folder / FOLDER, settings.recipe, find_device(settings.device)
    start = load_weights(Path(settings.start)) if settings.start and group.is_main else None
    tokenizer = _tokenizer(settings, texts, folder, group, start)
    config = replace(recipe.model, vocabulary=tokenizer.size)
    windows = windows_of(texts, tokenizer, min(recipe.window or config.context, config.context), device)
    torch.manual_seed(context.seed)
    model = GPT(config)
    if start is not None:
        model.load_state_dict(start.model.state_dict())
    model = model.to(device)
    plan = replace(recipe.plan, seed=context.seed)
    size = max(1, recipe.batch // group.world)

    def batches(index: int) -> tuple[Tensor, Tensor]:
        return windows.batch("train", index, size=size, seed=context.seed)

    objective, seconds = cross_entropy, inf if settings.minutes is None else 60 * settings.minutes
    if seconds >= WORTHWHILE and plan.steps >= 1000:
        objective = compile_if_faster(
            objective, model, batches(0), steps=plan.steps, seconds=seconds
        ).objective
    training = Training(model, batches, objective, plan, group=group)
    checkpoints = Checkpoints(folder)
    if group.is_main:
        save_text_model(folder, config, tokenizer)
    sentence = resume(training, checkpoints)
    speaker = TextModel(model if device.type == "cpu" else GPT(config).eval(), tokenizer)
    prompt = _prompt(tokenizer.decode(windows.splits["held-out"][:2000].cpu()))
    return TextLesson(
        training, checkpoints, windows, tokenizer, speaker, prompt, size * group.world, sentence
    )


def _tokenizer(
    settings: TrainSettings, texts: Sequence[Text], folder: Path, group: ProcessGroup, start: TextModel | None
) -> Tokenizer:
    """That of a run that is taken up, of the weights it begins with, or a new one; the first process says."""
    made = ""
    if group.is_main:
        known = described(folder)[1] if (folder / FILE).is_file() else start and start.tokenizer
        made = (known or make_tokenizer(settings.tokenizer, texts, settings.vocabulary)).to_json()
    return tokenizer_from_json(group.tell(made))


def _prompt(text: str) -> str:
    """How a line of a text begins; not its first, which may be half of one."""
    rest = text.partition("\n")[2]
    return next(iter(openings(rest if rest.strip() else text, 1)), text[:1])


def parts(rows: tuple[Tensor, Tensor]) -> Iterator[tuple[Tensor, Tensor]]:
    """Windows in batches that fit beside a training."""
    yield from zip(rows[0].split(ROWS), rows[1].split(ROWS), strict=True)
