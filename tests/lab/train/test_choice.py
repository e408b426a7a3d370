from dataclasses import replace
from pathlib import Path

import pytest
import torch

from alphabets import CHINESE
from regard.data.tokens.tokenizer import Bytes
from regard.errors import RegardError
from regard.lab.text_model import TextModel
from regard.lab.train.choice import LADDER, OWN_SIZE, SIZED, Asked, choose, weights
from regard.lab.train.memory import step_bytes
from regard.lab.train.weights import save_weights
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT


def asked(**words) -> Asked:
    return Asked(texts=("mine.txt",), **words)


@pytest.mark.usefixtures("mine")
def test_everything_that_is_left_open_is_chosen_and_said() -> None:
    chosen = choose(asked())
    settings = chosen.settings
    assert settings.tokenizer == "character" and settings.minutes == 5 and settings.device == "cpu"
    assert chosen.why[0] == "texts: mine.txt, 1,230 characters; the end of each, a tenth at most, is held out"
    assert chosen.why[1].startswith("device: cpu with 1 thread")
    assert chosen.why[2] == "tokenizer: character, since the texts have 15 different characters"
    assert chosen.why[3].startswith("model: swift (2 layers, 3 heads, width 96, context 61), ")
    assert (
        chosen.why[4]
        == "plan: the optimiser muon, batches of 16 windows, for 5 minutes (--minutes or --steps say otherwise)"
    )


@pytest.mark.usefixtures("mine")
def test_the_vocabulary_is_that_of_the_texts() -> None:
    assert choose(asked()).settings.recipe.model.vocabulary == 15
    assert choose(asked(tokenizer="bpe", vocabulary=300)).settings.recipe.model.vocabulary == 300


@pytest.mark.usefixtures("mine")
def test_under_torchrun_it_is_said_how_many_processes_share_the_batches(monkeypatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    why = choose(asked(device="cpu")).why
    assert why[1] == "device: cpu in each of 2 processes, as asked"
    assert "batches of 16 windows over all 2 processes, for 5 minutes" in why[-1]
    assert "threads in each of 2 processes" in choose(asked()).why[1].replace("thread ", "threads ")


@pytest.mark.usefixtures("mine")
def test_time_and_text_choose_the_size_together(monkeypatch) -> None:
    long = "long.txt"
    Path(long).write_text("to be or not to be, that is the question\n" * 20_000)

    def size(text: str, minutes: float) -> str:
        return choose(replace(asked(minutes=minutes), texts=(text,))).why[3]

    assert "context 64)" in size(long, 2) and "context 128)" in size(long, 4)
    assert "model: swift" in size(long, 2) and "the largest that this time trains well here" in size(long, 2)
    assert "model: gpt-micro" in size(long, 60)
    assert "model: swift" in size("mine.txt", 60) and "1,230 characters teach no larger one" in size(
        "mine.txt", 60
    )
    assert "with dropout since" in size("mine.txt", 60) and "dropout" not in size(long, 60)


def test_the_ladder_rises() -> None:
    sizes = [weights(one.size) for one in LADDER]
    assert sizes == sorted(sizes) and [one.work for one in LADDER] == sorted(one.work for one in LADDER)


@pytest.mark.usefixtures("mine")
def test_what_is_asked_for_is_taken() -> None:
    words = {
        "tokenizer": "bpe",
        "vocabulary": 300,
        "size": "gpt-nano",
        "form": "gpt2",
        "steps": 7,
        "device": "cpu",
    }
    settings = choose(asked(**words, minutes=3.0, changes=("batch=5", "model.dropout=0.5"))).settings
    model, plan = settings.recipe.model, settings.recipe.plan
    assert (settings.tokenizer, settings.vocabulary, settings.minutes, plan.steps) == ("bpe", 300, 3.0, 7)
    assert (model.depth, model.heads, model.width) == SIZED["gpt-nano"] and model.position == "learned"
    assert settings.recipe.batch == 5 and model.dropout == 0.5
    assert choose(asked(steps=7)).settings.minutes is None


@pytest.mark.usefixtures("mine")
def test_what_is_said_of_the_model_is_what_it_is() -> None:
    own = choose(asked(changes=("model.width=32", "model.heads=2", "model.dropout=0")))
    assert own.settings.recipe.model.width == 32
    assert own.why[3] == "model: your own (2 layers, 2 heads, width 32, context 61), as --set says"
    small = choose(asked(changes=("model.depth=1", "model.width=8", "model.heads=1")))
    assert small.settings.recipe.model.dropout == 0
    assert small.why[3] == "model: your own (1 layer, 1 head, width 8, context 61), as --set says"
    other = choose(asked(form="gpt2", size="gpt-nano", changes=("plan.learning_rate=0.001",)))
    told = "model: gpt-nano in GPT-2's form (3 layers, 3 heads, width 48, context 61), as asked"
    assert other.why[3].startswith(told)


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(("width", "heads"), [(64, 4), (96, 3), (50, 5), (10, 5), (4, 2), (2, 1)])
def test_a_width_alone_gets_heads_that_share_it(width: int, heads: int) -> None:
    model = choose(asked(changes=("model.depth=3", f"model.width={width}"))).settings.recipe.model
    assert (model.width, model.heads) == (width, heads)


@pytest.mark.usefixtures("mine")
def test_a_size_that_is_too_large_for_the_time_is_taken_and_said() -> None:
    why = choose(asked(size="gpt-micro", minutes=0.5)).why[3]
    assert why.endswith(
        "), as asked, but too large for this time: swift would learn more in it, with dropout since it has more weights than the texts teach"
    )
    assert "too large" not in choose(asked(size="swift", minutes=0.5)).why[3]
    assert "too large" not in choose(asked(size="gpt-micro", steps=3)).why[3]


def test_files_that_were_passed_over_are_said(mine: Path) -> None:
    (mine / "shelf").mkdir()
    (mine / "shelf" / "a.txt").write_text(CHINESE * 9, encoding="utf-8")
    (mine / "shelf" / "b.png").write_bytes(b"\x89PNG\0")
    assert choose(Asked(texts=("shelf",))).why[1] == "passed over, being no text in UTF-8: b.png"


@pytest.fixture
def published(mine: Path) -> Path:
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocabulary=256, context=32, depth=1, heads=1, width=8))
    save_weights(TextModel(model, Bytes()), mine / "published")
    return mine / "published"


def test_published_weights_bring_their_model_and_tokenizer(published: Path) -> None:
    chosen = choose(asked(start=published, changes=("model.dropout=0.1",)))
    recipe = chosen.settings.recipe
    assert chosen.settings.start == str(published) and recipe.model.width == 8 and recipe.window == 32
    assert recipe.plan.optimiser == "adamw" and recipe.model.dropout == 0.1
    assert "weights and tokenizer: those of published" in chosen.why


@pytest.mark.usefixtures("mine")
def test_sizes_of_ones_own_are_given_as_the_refusal_says() -> None:
    words = OWN_SIZE.partition(": ")[2].replace("--set ", "").split()
    model = choose(asked(changes=tuple(words))).settings.recipe.model
    assert (model.depth, model.width) == (3, 64)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"size": "gpt3"}, "no size of that name\n  got: 'gpt3'\n  fix: did you mean 'gpt2'? (or sizes of your own: --set model.depth=3 --set model.width=64 --set model.heads=4)"),
        ({"size": ""}, "no size of that name\n  got: ''\n  fix: one of swift, gpt-nano,"),
        ({"vocabulary": 300}, "--vocabulary has no effect without --tokenizer bpe\n  got: --vocabulary 300\n  fix: add --tokenizer bpe, or leave it out"),
        ({"device": "gpu"}, "no device of that name"),
        ({"changes": ("plan.steps=3",)}, "this setting has no effect\n  got: 'plan.steps'\n  fix: leave it out: it follows from --steps"),
        ({"changes": ("model.vocabulary=3",)}, "this setting has no effect"),
        ({"changes": ("texts=b.txt",)}, "no setting of that name"),
        ({"start": "published", "size": "gpt2"}, "--size has no effect with --from\n  got: --size gpt2\n  fix: leave it out: the weights have a size and a tokenizer of their own"),
        ({"start": "published", "tokenizer": "bytes"}, "--tokenizer has no effect with --from"),
        ({"start": "published", "changes": ("model.depth=2",)}, "this setting has no effect with --from\n  got: 'model.depth=2'\n  fix: leave it out: the weights have a model"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("published")
def test_what_makes_no_sense_is_told_in_three_lines(words: dict, message: str) -> None:
    if "start" in words:
        words = words | {"start": Path(words["start"])}
    with pytest.raises(RegardError) as caught:
        choose(asked(**words))
    assert str(caught.value).startswith(message)


@pytest.mark.usefixtures("mine")
def test_one_minute_and_one_step_are_said_as_one() -> None:
    assert choose(asked(minutes=1.0)).why[-1].endswith(" for 1 minute")
    assert choose(asked(steps=1)).why[-1].endswith(" for 1 step")
    assert (
        choose(asked(steps=2, minutes=1.5))
        .why[-1]
        .endswith(" for 1.5 minutes or 2 steps, whichever ends first")
    )


def roomy(monkeypatch, gigabytes: float) -> None:
    """A text that fills windows of 512 characters, and a machine with so much memory."""
    Path("mine.txt").write_text("to be or not to be, that is the question\n" * 300)
    monkeypatch.setattr("regard.lab.train.choice.free_bytes", lambda device: gigabytes * 2**30)


@pytest.mark.usefixtures("mine")
def test_a_batch_that_does_not_fit_is_lowered_and_it_is_said(monkeypatch) -> None:
    roomy(monkeypatch, 12)
    chosen = choose(asked(size="gpt2", steps=1))
    recipe = chosen.settings.recipe
    config = replace(recipe.model, vocabulary=15)
    assert 1 < recipe.batch < 64 and recipe.model.width == 768
    assert step_bytes(config, recipe.batch, config.context) < 12 * 2**30
    (told,) = [one for one in chosen.why if one.startswith("batch: ")]
    assert told.startswith(f"batch: {recipe.batch} windows, since 64 need about ")
    assert told.endswith(" GiB and 12.0 GiB are free")
    assert chosen.why[-1].startswith(f"plan: the optimiser muon, batches of {recipe.batch} windows")
    roomy(monkeypatch, 400)
    chosen = choose(asked(size="gpt2", steps=1))
    assert chosen.settings.recipe.batch == 64 and not any(one.startswith("batch: ") for one in chosen.why)


@pytest.mark.usefixtures("mine")
def test_a_batch_that_was_asked_for_is_refused_with_one_that_fits(monkeypatch) -> None:
    roomy(monkeypatch, 6)
    words = {"size": "gpt2", "steps": 1}
    with pytest.raises(RegardError) as caught:
        choose(asked(**words, changes=("batch=500",)))
    error = caught.value
    assert error.what == "this training does not fit in the memory that is free"
    assert error.got.startswith("a step of 500 windows needs about ")
    fitting = int(error.fix.removeprefix("--set batch="))
    assert choose(asked(**words, changes=(f"batch={fitting}",))).settings.recipe.batch == fitting
    with pytest.raises(RegardError):
        choose(asked(**words, changes=(f"batch={fitting + 1}",)))


@pytest.mark.usefixtures("mine")
def test_a_model_that_does_not_fit_at_all_is_refused_with_one_that_does(monkeypatch) -> None:
    roomy(monkeypatch, 6)
    with pytest.raises(RegardError) as caught:
        choose(asked(size="gpt2-xl", steps=1))
    assert caught.value.got.startswith("a step of 1 window needs about ")
    size = caught.value.fix.removeprefix("take a smaller model or window, such as --size ")
    assert choose(asked(size=size, steps=1)).settings.recipe.batch >= 1
    roomy(monkeypatch, 1e-6)
    with pytest.raises(RegardError, match=r"such as --set model\.context=64"):
        choose(asked(size="gpt2-xl", steps=1))


@pytest.mark.usefixtures("mine")
def test_processes_of_torchrun_keep_the_batch_that_all_agree_on(monkeypatch) -> None:
    roomy(monkeypatch, 12)
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert choose(asked(size="gpt2", steps=1)).settings.recipe.batch == 64
