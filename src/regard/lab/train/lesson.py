"""A model on its way: its training, checkpoints, the windows it learns from, and what it says."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

import torch
from torch import Tensor

from regard.data.sets.prompts import openings
from regard.data.tokens.bpe import tokenizer_from_json
from regard.data.tokens.file_windows import FileWindows
from regard.data.tokens.tokenizer import Tokenizer
from regard.data.tokens.windows import Windows
from regard.errors import RegardError
from regard.generation.sampling import Sampler
from regard.lab.experiment import Context
from regard.lab.text_model import FILE, TextModel, described, save_text_model
from regard.lab.train.corpus import TrainCorpus
from regard.lab.train.memory import judged_rows
from regard.lab.train.settings import TrainSettings
from regard.lab.train.tokens import make_tokenizer, windows_of, windows_of_file
from regard.lab.train.weights import load_weights
from regard.models.gpt.model import GPT
from regard.training import (
    ALONE,
    Checkpoints,
    ProcessGroup,
    Training,
    compile_if_faster,
    cross_entropy,
    evaluate,
    find_device,
    resume,
)
from regard.training.sharded.fit import is_to_be_sharded

FOLDER = "model"
"Where in the run's folder its model lies."
GLIMPSE = 16_384
"Tokens of the held-out text by which a training is judged on its way."
ROWS = 64
"Windows that are judged at once, where the vocabulary is small."
SPOKEN = 160
"Tokens of a sample."
WORTHWHILE = 600.0
"Seconds of training that a compiler may earn back."


@dataclass(frozen=True)
class TextLesson:
    """A model on its way, with all that it learns from."""

    training: Training
    checkpoints: Checkpoints
    windows: Windows | FileWindows
    tokenizer: Tokenizer
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
        rows = self.glimpsed(tokens)
        return evaluate(self.model, parts(self.windows.batch("held-out", 0, size=rows, seed=0), self.rows))

    def glimpsed(self, tokens: int = GLIMPSE) -> int:
        """In how many windows it looks at so many tokens."""
        return max(1, tokens // self.windows.context)

    def judge(self) -> float:
        """The loss on all of the held-out text."""
        return evaluate(self.model, self.windows.cover("held-out", size=self.rows))

    @property
    def rows(self) -> int:
        """Windows that are judged at once."""
        return judged_rows(ROWS, self.model.config, self.windows.context)

    def sample(self, seconds: float) -> str:
        """What the model says after a prompt from the held-out text, for so long at most."""
        speaker, began, said = self.speaker(), time.monotonic(), list[int]()
        ids = speaker.prompt(self.prompt)
        for token in speaker.speak(ids, steps=SPOKEN, sampler=Sampler(temperature=0.8), seeds=[0]):
            said.append(int(token.ids[0]))
            if time.monotonic() - began > seconds:
                break
        return self.prompt + speaker.show(said)

    def speaker(self) -> TextModel:
        """The model as it is, whole and on the CPU; processes that share one must ask for it together."""
        model = self.training.whole_model()
        if next(model.parameters()).device.type != "cpu":
            model = GPT(self.model.config)
            model.load_state_dict(self.model.state_dict())
        assert isinstance(model, GPT)
        return TextModel(model.eval(), self.tokenizer)


def prepare(
    settings: TrainSettings, context: Context, corpus: TrainCorpus, group: ProcessGroup
) -> TextLesson:
    """The model at its beginning, or where its last checkpoint left it."""
    folder = Path(group.tell(str(context.folder.resolve()))) / FOLDER
    recipe, device = settings.recipe, find_device(settings.device)
    start = load_weights(Path(settings.start)) if settings.start and group.is_main else None
    tokenizer = _tokenizer(settings, corpus, folder, group, start)
    config = replace(recipe.model, vocabulary=tokenizer.size)
    window = min(recipe.window or config.context, config.context)
    if corpus.tokens is None:
        windows = windows_of(corpus.texts, tokenizer, window, device)
    else:
        windows = windows_of_file(corpus.tokens, window, device)
    torch.manual_seed(context.seed)
    model = GPT(config)
    if start is not None:
        model.load_state_dict(start.model.state_dict())
    plan = replace(recipe.plan, seed=context.seed)
    sharded = is_to_be_sharded(plan.sharded, model, device, group)
    size = max(1, recipe.batch // group.world)

    def batches(index: int) -> tuple[Tensor, Tensor]:
        return windows.batch("train", index, size=size, seed=context.seed)

    objective, seconds = cross_entropy, inf if settings.minutes is None else 60 * settings.minutes
    if seconds >= WORTHWHILE and plan.steps >= 1000 and not sharded:
        objective = compile_if_faster(
            objective, model.to(device), batches(0), steps=plan.steps, seconds=seconds
        ).objective
    training = Training(model, batches, objective, plan, group=group, capture=True, device=device)
    checkpoints = Checkpoints(folder, group if sharded else ALONE)
    if group.is_main:
        save_text_model(folder, config, tokenizer)
    sentence = resume(training, checkpoints)
    prompt = _prompt(tokenizer.decode(windows.splits["held-out"][:2000].cpu()))
    return TextLesson(training, checkpoints, windows, tokenizer, prompt, size * group.world, sentence)


def _tokenizer(
    settings: TrainSettings, corpus: TrainCorpus, folder: Path, group: ProcessGroup, start: TextModel | None
) -> Tokenizer:
    """That of a run that is taken up, of the weights it begins with, or a new one; the first process says."""
    if corpus.tokens is not None:
        own = corpus.tokens.tokenizer
        if start is not None and start.tokenizer.to_json() != own.to_json():
            raise RegardError(
                "the tokens were made by another tokenizer than that of the weights",
                str(corpus.tokens.path),
                "make them with regard data tokenize --tokenizer FOLDER, the folder of the weights",
            )
        return own
    made = ""
    if group.is_main:
        known = described(folder)[1] if (folder / FILE).is_file() else start and start.tokenizer
        made = (known or make_tokenizer(settings.tokenizer, corpus.texts, settings.vocabulary)).to_json()
    return tokenizer_from_json(group.tell(made))


def _prompt(text: str) -> str:
    """How a line of a text begins; not its first, which may be half of one."""
    rest = text.partition("\n")[2]
    return next(iter(openings(rest if rest.strip() else text, 1)), text[:1])


def parts(windows: tuple[Tensor, Tensor], rows: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Windows in batches that fit beside a training."""
    yield from zip(windows[0].split(rows), windows[1].split(rows), strict=True)
