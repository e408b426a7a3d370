import json
import os
from pathlib import Path

import pytest
import torch

from regard.data.tokens.tokenizer import Bytes, Character
from regard.errors import RegardError
from regard.generation.sampling import GREEDY, Sampler
from regard.lab.text_model import FILE, MODEL, TextModel, load_text_model, save_text_model, text_models
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.training import Checkpoints, Plan, Training, TrainingState, cross_entropy

CONFIG = GPTConfig(vocabulary=7, context=8, depth=1, heads=2, width=8, position="rotary")


def trained(folder: Path) -> GPT:
    """A model that is saved as an experiment saves it, after two steps."""
    torch.manual_seed(0)
    model = GPT(CONFIG)
    batch = torch.randint(7, (3, 8)), torch.randint(7, (3, 8))
    training = Training(model, lambda index: batch, cross_entropy, Plan(steps=2))
    list(training)
    save_text_model(folder, CONFIG, Character(" benort"))
    Checkpoints(folder).save(training.state())
    return model.eval()


def test_a_model_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    gpt = trained(tmp_path / "small")
    model = load_text_model(tmp_path)
    ids = model.prompt("to be")
    with torch.no_grad():
        assert torch.equal(model.model(ids), gpt(ids))
    assert not model.model.training and model.model.config == CONFIG and model.show([6, 4, -1]) == "to"


def test_of_several_models_the_last_one_speaks_unless_named(tmp_path: Path) -> None:
    for name in ("zebra", "ape"):
        trained(tmp_path / name)
    assert list(text_models(tmp_path)) == ["zebra", "ape"]
    page = MODEL.read(tmp_path / "zebra" / FILE)
    page["config"]["dropout"] = 0.5
    (tmp_path / "zebra" / FILE).write_text(MODEL.page(page))
    assert load_text_model(tmp_path, "zebra").model.config.dropout == 0.5 and load_text_model(tmp_path, "ape").model.config.dropout == 0.0  # fmt: skip


def test_a_copy_speaks_with_the_same_model_whatever_its_files_times(tmp_path: Path) -> None:
    for name in ("zebra", "ape"):
        trained(tmp_path / name)
    os.utime(tmp_path / "zebra" / FILE, (2e9, 2e9))
    assert list(text_models(tmp_path)) == ["zebra", "ape"]
    save_text_model(tmp_path / "zebra", CONFIG, Character(" benort"))  # as a run does that is taken up
    assert list(text_models(tmp_path)) == ["zebra", "ape"]


@pytest.mark.parametrize("content", [b"", b"null", b"[]", b"{", b"\xff\xff", b'{"config": 1}'])
def test_a_damaged_model_is_told_in_three_lines(tmp_path: Path, content: bytes) -> None:
    trained(tmp_path / "small")
    (tmp_path / "small" / FILE).write_bytes(content)
    with pytest.raises(
        RegardError, match=r"this run's model is damaged\n.*small: model\.json cannot be read\n"
    ):
        load_text_model(tmp_path)


def test_a_model_from_before_there_were_versions_is_refused_kindly(tmp_path: Path) -> None:
    trained(tmp_path / "small")
    page = MODEL.read(tmp_path / "small" / FILE)
    (tmp_path / "small" / FILE).write_text(json.dumps(page))
    with pytest.raises(RegardError) as caught:
        load_text_model(tmp_path)
    assert str(caught.value) == (
        f"this text model was written by an older version of regard\n  got: {tmp_path / 'small' / FILE}: format 1, "
        "this version reads 2\n  fix: run the experiment again, or use the version that wrote it"
    )


def test_a_sample_depends_on_its_own_seed_alone(tmp_path: Path) -> None:
    trained(tmp_path / "small")
    model = load_text_model(tmp_path)
    said = [
        [
            int(token.ids[-1])
            for token in model.speak(model.prompt("to"), steps=12, sampler=Sampler(), seeds=seeds)
        ]
        for seeds in ([4], [1, 4], [5])
    ]
    assert said[0] == said[1] != said[2]


def test_a_text_stops_it_and_a_beam_of_one_is_greedy(tmp_path: Path) -> None:
    trained(tmp_path / "small")
    model = load_text_model(tmp_path)
    ids = model.prompt("to")
    greedy = [int(token.ids) for token in model.speak(ids, steps=9, sampler=GREEDY, seeds=[0])]
    assert list(model.search(ids, steps=9, width=1, penalty=0.0)[0].ids) == greedy
    end = model.show(greedy[:3])
    stopped = [int(token.ids) for token in model.speak(ids, steps=9, sampler=GREEDY, seeds=[0], stop=end)]
    assert model.show(stopped).endswith(end) and len(stopped) <= 3


def test_half_a_character_waits_for_its_other_half() -> None:
    model = TextModel(GPT(CONFIG), Bytes())
    assert model.show([110, 195]) == "n" and model.show([110, 195, 169]) == "né"


def test_a_long_prompt_is_said_to_be_cut() -> None:
    model = TextModel(GPT(CONFIG), Character(" benort"))
    assert model.cut(model.prompt("to be or")) == ""
    assert (
        model.cut(model.prompt("to be or not"))
        == "the prompt has 12 tokens; the model sees the last 8 of them"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (None, "this run holds no model that can speak\n  got: empty\n  fix: name a run of 'regard train', of shakespeare or of fairy-tales; an older one must be run again"),
        ("smal", "no model of that name in this run\n  got: 'smal'\n  fix: did you mean 'small'?"),
        ("bare", "the run has not saved its model yet\n  got: bare\n  fix: wait for its first checkpoint"),
    ],
)  # fmt: skip
def test_what_cannot_speak_is_told_in_three_lines(tmp_path: Path, name: str | None, message: str) -> None:
    run = tmp_path / "empty"
    run.mkdir()
    if name:
        trained(run / "small")
        save_text_model(run / "bare", CONFIG, Character("ab"))
    with pytest.raises(RegardError) as caught:
        load_text_model(run, name)
    assert str(caught.value) == message


def test_an_empty_prompt_is_told_in_three_lines() -> None:
    with pytest.raises(RegardError) as caught:
        TextModel(GPT(CONFIG), Character("ab")).prompt("")
    assert str(caught.value) == "the prompt is empty\n  got: ''\n  fix: give the model at least one character to start from"  # fmt: skip


def test_more_rows_than_fit_are_refused_in_three_lines() -> None:
    model = TextModel(GPT(CONFIG), Character("ab"))
    model.require_room(1000)
    with pytest.raises(RegardError) as caught:
        model.require_room(10**9)
    assert str(caught.value).startswith("so many rows at once do not fit\n  got: 1,000,000,000 rows of 512 bytes\n  fix: at most ")  # fmt: skip


def test_it_opens_with_a_line_break_or_where_it_knows_none_its_first_token() -> None:
    model = GPT(CONFIG)
    assert TextModel(model, Bytes()).opening() == "\n"
    assert TextModel(model, Character(" benort")).opening() == " "


def test_where_a_held_out_loss_was_noted_the_best_checkpoint_speaks(tmp_path: Path) -> None:
    trained(tmp_path / "small")
    checkpoints = Checkpoints(tmp_path / "small")
    last = checkpoints.last()
    assert last is not None
    weight = last.state.tensors["model.tokens.weight"]
    for step, loss in ((3, 1.0), (4, 2.0)):
        tensors = {**last.state.tensors, "model.tokens.weight": weight + step}
        checkpoints.save(TrainingState(tensors, {**last.state.facts, "step": step}), metric=loss)
    assert torch.equal(load_text_model(tmp_path).model.tokens.weight, weight + 3)
    assert torch.equal(load_text_model(tmp_path, checkpoint="last").model.tokens.weight, weight + 4)
