"""A Hugging Face GPT-2 checkpoint, read and written: the logits are those of transformers."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from regard.errors import RegardError
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.huggingface import load_gpt2, save_gpt2
from regard.models.gpt.model import GPT

pytest.importorskip("safetensors")
SMALL = GPTConfig(vocabulary=31, context=19, depth=3, heads=5, width=35, dropout=0.1)
CLOSE = {"atol": 1e-5, "rtol": 0.0}


def wake(model: torch.nn.Module) -> Any:
    torch.manual_seed(3)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model.eval()


@pytest.fixture(scope="module")
def peer() -> Any:
    os.environ["HF_HUB_OFFLINE"] = "1"
    transformers = pytest.importorskip("transformers")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers


def theirs(peer: Any, **settings: Any) -> Any:
    config = {"vocab_size": 31, "n_positions": 19, "n_layer": 3, "n_head": 5, "n_embd": 35}
    return wake(
        peer.GPT2LMHeadModel(peer.GPT2Config(**(config | {"bos_token_id": 0, "eos_token_id": 0} | settings)))
    )


def logits(model: Any) -> torch.Tensor:
    torch.manual_seed(4)
    with torch.no_grad():
        given = model(torch.randint(31, (2, 17)))
    return getattr(given, "logits", given)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"tie_word_embeddings": False}, {"n_inner": 50}], ids=str)
def test_their_checkpoint_gives_their_logits(peer: Any, settings: dict[str, Any], tmp_path: Path) -> None:
    model = theirs(peer, **settings)
    model.save_pretrained(tmp_path)
    assert logits(model).abs().max() > 1
    torch.testing.assert_close(logits(load_gpt2(tmp_path)), logits(model), **CLOSE)


@pytest.mark.slow
@pytest.mark.parametrize(
    "config",
    [SMALL, replace(SMALL, tied=False), replace(SMALL, ratio=2.0)],
    ids=["plain", "untied", "narrow"],
)
def test_our_checkpoint_gives_our_logits_there(peer: Any, config: GPTConfig, tmp_path: Path) -> None:
    model = wake(GPT(config))
    save_gpt2(model, tmp_path)
    read = peer.GPT2LMHeadModel.from_pretrained(tmp_path).eval()
    torch.testing.assert_close(logits(read), logits(model), **CLOSE)


@pytest.mark.slow
def test_a_swapped_pair_of_tensors_is_noticed(peer: Any, tmp_path: Path) -> None:
    """The law can fail: queries and keys exchanged give other logits."""
    model = wake(GPT(SMALL))
    with torch.no_grad():
        for block in model.blocks:
            q, k, v = block.attention.mix.weight.chunk(3)
            block.attention.mix.weight.copy_(torch.cat([k, q, v]))
    save_gpt2(model, tmp_path)
    read = peer.GPT2LMHeadModel.from_pretrained(tmp_path).eval()
    assert (logits(read) - logits(wake(GPT(SMALL)))).abs().max() > 1e-2


def test_names_without_the_prefix_and_old_mask_buffers_are_read_too(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    model = wake(GPT(SMALL))
    save_gpt2(model, tmp_path)
    file = tmp_path / "model.safetensors"
    bare = {name.removeprefix("transformer."): x for name, x in load_file(file).items()}
    assert "h.2.attn.c_attn.weight" in bare
    save_file(
        bare | {"h.0.attn.bias": torch.ones(1, 1, 19, 19), "lm_head.weight": bare["wte.weight"].clone()}, file
    )
    assert torch.equal(logits(load_gpt2(tmp_path)), logits(model))


def test_what_was_written_is_read_again_exactly(tmp_path: Path) -> None:
    model = wake(GPT(SMALL))
    save_gpt2(model, tmp_path)
    again = load_gpt2(tmp_path)
    assert again.config == replace(SMALL, ratio=4.0)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters(), strict=True))


def test_a_vocabulary_of_ones_own_has_no_mark_of_gpt2s_for_beginning_and_end(tmp_path: Path) -> None:
    for vocabulary, mark in ((SMALL.vocabulary, None), (50257, 50256)):
        save_gpt2(GPT(replace(SMALL, vocabulary=vocabulary)), tmp_path / str(vocabulary))
        told = json.loads((tmp_path / str(vocabulary) / "config.json").read_text())
        assert told["bos_token_id"] == told["eos_token_id"] == mark


ONLY = "only a GPT-2 can be written as one"
OWN = "regard train FILE --form gpt2 trains one; any model is kept by its run, or by torch.save(model.state_dict(), FILE)"


@pytest.mark.parametrize(
    ("change", "got"),
    [
        ({"position": "rotary", "width": 30}, "position='rotary'"),
        ({"norm": "rms", "biases": False}, "norm='rms', biases=False"),
        ({"kv_heads": 1}, "kv_heads=1"),
        ({"ngram": 2, "activation": "relu"}, "activation='relu', ngram=2"),
        ({"layers": 2}, "layers=2"),
    ],
)
def test_a_model_that_is_no_gpt2_is_not_written_as_one(
    change: dict[str, Any], got: str, tmp_path: Path
) -> None:
    with pytest.raises(RegardError) as caught:
        save_gpt2(GPT(replace(SMALL, **change)), tmp_path / "there")
    assert str(caught.value) == f"{ONLY}\n  got: {got}\n  fix: {OWN}"
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize(
    ("change", "what", "got", "fix"),
    [
        (
            {"activation_function": "gelu"},
            "this checkpoint is a variant of GPT-2 that the model does not have",
            "activation_function: 'gelu'",
            "take a checkpoint with activation_function: 'gelu_new'",
        ),
        (
            {"attn_pdrop": 0.0},
            "the model has one dropout, and the checkpoint three",
            "0.0, 0.1",
            "set resid_pdrop, embd_pdrop and attn_pdrop to one value in config.json",
        ),
        (
            {"n_layer": 4},
            "the checkpoint's tensors are not those that its config.json describes",
            "h.3.ln_1.weight: missing",
            "get both files again, from the same place",
        ),
        (
            {"n_inner": 100},
            "the checkpoint's tensors are not those that its config.json describes",
            "h.0.mlp.c_fc.weight: (35, 140)",
            "get both files again, from the same place",
        ),
        (
            {"n_layer": None},
            "config.json does not describe a GPT-2",
            "n_layer: None",
            "take the file that came with the tensors",
        ),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_told(
    change: dict[str, Any], what: str, got: str, fix: str, tmp_path: Path
) -> None:
    save_gpt2(GPT(SMALL), tmp_path)
    file = tmp_path / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(RegardError) as caught:
        load_gpt2(tmp_path)
    assert str(caught.value) == f"{what}\n  got: {got}\n  fix: {fix}"


def test_a_folder_without_a_checkpoint_is_told(tmp_path: Path) -> None:
    with pytest.raises(RegardError) as caught:
        load_gpt2(tmp_path)
    assert str(caught.value) == (
        f"no GPT-2 checkpoint there\n  got: no file {tmp_path / 'model.safetensors'}\n"
        "  fix: name a folder that holds config.json and model.safetensors"
    )


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_damaged_file_is_named(name: str, tmp_path: Path) -> None:
    save_gpt2(GPT(SMALL), tmp_path)
    (tmp_path / name).write_bytes(b"\x07nothing")
    with pytest.raises(
        RegardError,
        match=f"a file of the checkpoint cannot be read\n  got: {name}: .*\n  fix: get the file again",
    ):
        load_gpt2(tmp_path)


def shard(folder: Path, name: str, save: Any) -> None:
    """Part the tensors of a folder into two files, and write the index that names them."""
    from safetensors.torch import load_file

    whole = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    places, (stem, _, ending) = {}, name.rpartition(".")
    for number, keys in enumerate((sorted(whole)[::2], sorted(whole)[1::2]), start=1):
        file = f"{stem}-0000{number}-of-00002.{ending}"
        save({key: whole[key] for key in keys}, folder / file)
        places |= dict.fromkeys(keys, file)
    (folder / f"{name}.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))


def test_shards_with_an_index_are_read(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    model, name = wake(GPT(SMALL)), "model.safetensors"
    save_gpt2(model, tmp_path)
    shard(tmp_path, name, save_file)
    assert torch.equal(logits(load_gpt2(tmp_path)), logits(model))
    (tmp_path / f"{name.replace('.', '-00002-of-00002.')}").unlink()
    with pytest.raises(RegardError, match="no GPT-2 checkpoint there"):
        load_gpt2(tmp_path)


def test_an_index_names_what_lies_beside_it_alone(tmp_path: Path) -> None:
    save_gpt2(GPT(SMALL), tmp_path)
    (tmp_path / "model.safetensors").unlink()
    (tmp_path / "model.safetensors.index.json").write_text('{"weight_map": {"wte.weight": "../other"}}')
    with pytest.raises(RegardError, match=r"index.json: it names '../other', which does not lie beside it"):
        load_gpt2(tmp_path)


def test_a_pickle_is_refused_unread(tmp_path: Path) -> None:
    save_gpt2(GPT(SMALL), tmp_path)
    (tmp_path / "model.safetensors").unlink()
    (tmp_path / "pytorch_model.bin").write_bytes(b"never looked at")
    with pytest.raises(RegardError) as caught:
        load_gpt2(tmp_path)
    assert str(caught.value) == (
        "weights in a pickle are not read: loading one may run code\n"
        "  got: pytorch_model.bin without model.safetensors\n"
        "  fix: save it with transformers, save_pretrained(folder), which writes model.safetensors"
    )


def test_a_model_says_which_folder_its_weights_came_from(tmp_path: Path) -> None:
    save_gpt2(GPT(SMALL), tmp_path)
    assert load_gpt2(str(tmp_path)).source == tmp_path
    assert GPT(SMALL).source is None
