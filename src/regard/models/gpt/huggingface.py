"""GPT-2 checkpoints as Hugging Face has them: a folder with config.json and model.safetensors.

Large ones come in shards with an index. Linear maps are stored there as (in, out), and a head that is the
token table is left out. Old ones, pickled as pytorch_model.bin, are refused.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.arguments import kinds
from regard.errors import RegardError, package
from regard.files import write
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT

END = 50256
"The token that GPT-2's own vocabulary has for the beginning and the end of a text; another has none."
ASKED = {
    "activation_function": ("gelu_new", "gelu_new"),
    "layer_norm_epsilon": (1e-5, 1e-5),
    "scale_attn_weights": (True, True),
    "scale_attn_by_inverse_layer_idx": (False, False),
    "add_cross_attention": (False, False),
}
"What a checkpoint's config.json must say, and what it means where it says nothing."


@kinds
def load_gpt2(folder: Path | str) -> GPT:
    """The model of a checkpoint, ready to be used: its logits are those of transformers' GPT2LMHeadModel.

    `model.source` is the folder, where `regard.attention(model, text)` finds the tokenizer.
    """
    folder = Path(folder)
    stored = {name.removeprefix("transformer."): x for name, x in tensors(folder).items()}
    model = GPT(config_of(described(folder), "lm_head.weight" in stored)).eval()
    with torch.no_grad():
        for name, ours, turned in pairs(model):
            theirs = stored.get(name)
            if theirs is None or theirs.shape != (ours.shape[::-1] if turned else ours.shape):
                raise RegardError(
                    "the checkpoint's tensors are not those that its config.json describes",
                    f"{name}: {'missing' if theirs is None else tuple(theirs.shape)}",
                    "get both files again, from the same place",
                )
            ours.copy_(theirs.mT if turned else theirs)
    model.source = folder
    return model


@kinds
def save_gpt2(model: GPT, folder: Path | str) -> None:
    """Write the model as a checkpoint that transformers reads; refused where it is no GPT-2."""
    save = safetensors().save
    folder, described = Path(folder), description(model.config)
    stored = {
        name if name == "lm_head.weight" else f"transformer.{name}": (
            x.detach().mT if turned else x.detach()
        ).contiguous()
        for name, x, turned in pairs(model)
    }
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "model.safetensors", save(stored, {"format": "pt"}))
    write(folder / "config.json", json.dumps(described, indent=2) + "\n")


def pairs(model: GPT) -> Iterator[tuple[str, Tensor, bool]]:
    """Each parameter under its name there, and whether it is stored the other way round."""
    assert model.positions is not None
    yield "wte.weight", model.tokens.weight, False
    yield "wpe.weight", model.positions.weight, False
    for index, block in enumerate(model.blocks):
        for theirs, ours in (("ln_1", "attention_norm"), ("ln_2", "mlp_norm")):
            yield from both(f"h.{index}.{theirs}", block.get_submodule(ours), turned=False)
        for theirs, ours in (
            ("attn.c_attn", "attention.mix"),
            ("attn.c_proj", "attention.out"),
            ("mlp.c_fc", "mlp.up.0"),
            ("mlp.c_proj", "mlp.out"),
        ):
            yield from both(f"h.{index}.{theirs}", block.get_submodule(ours), turned=True)
    yield from both("ln_f", model.norm, turned=False)
    if model.head is not None:
        yield "lm_head.weight", model.head.weight, False


def both(name: str, module: Any, *, turned: bool) -> Iterator[tuple[str, Tensor, bool]]:
    """The weight and the bias of a module."""
    yield f"{name}.weight", module.weight, turned
    yield f"{name}.bias", module.bias, False


def config_of(told: dict[str, Any], headed: bool) -> GPTConfig:
    """The config that a config.json describes."""
    for name, (wanted, default) in ASKED.items():
        if told.get(name, default) != wanted:
            raise RegardError(
                "this checkpoint is a variant of GPT-2 that the model does not have",
                f"{name}: {told[name]!r}",
                f"take a checkpoint with {name}: {wanted!r}",
            )
    drops = {told.get(name, 0.1) for name in ("resid_pdrop", "embd_pdrop", "attn_pdrop")}
    if len(drops) > 1:
        raise RegardError(
            "the model has one dropout, and the checkpoint three",
            ", ".join(str(drop) for drop in sorted(drops)),
            "set resid_pdrop, embd_pdrop and attn_pdrop to one value in config.json",
        )
    sizes: dict[str, Any] = {
        name: told.get(name) for name in ("vocab_size", "n_positions", "n_layer", "n_head", "n_embd")
    }
    for name, size in sizes.items():
        if not isinstance(size, int):
            fix = "take the file that came with the tensors"
            raise RegardError("config.json does not describe a GPT-2", f"{name}: {size!r}", fix)
    vocabulary, context, depth, heads, width = sizes.values()
    return GPTConfig(
        vocabulary=vocabulary,
        context=context,
        depth=depth,
        heads=heads,
        width=width,
        ratio=(told.get("n_inner") or 4 * width) / width,
        dropout=drops.pop(),
        # Some checkpoints store the tied table twice; the config has the say.
        tied=told.get("tie_word_embeddings", True) or not headed,
    )


def description(config: GPTConfig) -> dict[str, Any]:
    """What config.json says of such a config; refused where GPT-2 is something else."""
    told = {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        "vocab_size": config.vocabulary,
        "n_positions": config.context,
        "n_layer": config.depth,
        "n_head": config.heads,
        "n_embd": config.width,
        "n_inner": config.hidden,
        "resid_pdrop": config.dropout,
        "embd_pdrop": config.dropout,
        "attn_pdrop": config.dropout,
        "tie_word_embeddings": config.tied,
        "bos_token_id": END if config.vocabulary > END else None,
        "eos_token_id": END if config.vocabulary > END else None,
    } | {name: wanted for name, (wanted, _) in ASKED.items()}
    again = config_of(told, not config.tied)
    free = {"init_std", "init", "reach", "kv_heads"}
    other = [
        name for name in vars(config) if name not in free and getattr(config, name) != getattr(again, name)
    ] + ["kv_heads"] * (config.kv_count != config.heads)
    if other:
        raise RegardError(
            "only a GPT-2 can be written as one",
            ", ".join(f"{name}={getattr(config, name)!r}" for name in other),
            "regard train FILE --form gpt2 trains one; any model is kept by its run, or by "
            "torch.save(model.state_dict(), FILE)",
        )
    return told


def described(folder: Path) -> dict[str, Any]:
    """The config.json of a checkpoint."""
    told = read(folder / "config.json", lambda path: json.loads(path.read_text(encoding="utf-8")))
    return told if isinstance(told, dict) else {}


def tensors(folder: Path) -> dict[str, Tensor]:
    """The tensors of a checkpoint, by their names there: in one file, or in shards that an index names."""
    name = "model.safetensors"
    if (folder / f"{name}.index.json").is_file():
        files = read(folder / f"{name}.index.json", shards)
        return {key: x for file in files for key, x in read(folder / file, unpacked).items()}
    if not (folder / name).is_file() and (pickled := sorted(folder.glob("pytorch_model*.bin"))):
        raise RegardError(
            "weights in a pickle are not read: loading one may run code",
            f"{pickled[0].name} without {name}",
            "save it with transformers, save_pretrained(folder), which writes model.safetensors",
        )
    return read(folder / name, unpacked)


def unpacked(path: Path) -> dict[str, Tensor]:
    """The tensors of one file."""
    return safetensors().load(path.read_bytes())


def shards(index: Path) -> list[str]:
    """The files that an index names; they lie beside it."""
    files = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    if outside := [file for file in files if Path(file).name != file]:
        raise ValueError(f"it names {outside[0]!r}, which does not lie beside it")
    return files


def read(path: Path, parse: Callable[[Path], Any]) -> Any:
    """A file of a checkpoint, parsed."""
    try:
        return parse(path)
    except FileNotFoundError as error:
        fix = "name a folder that holds config.json and model.safetensors"
        raise RegardError("no GPT-2 checkpoint there", f"no file {path}", fix) from error
    except RegardError:
        raise
    except Exception as error:
        raise RegardError(
            "a file of the checkpoint cannot be read", f"{path.name}: {error}", "get the file again"
        ) from error


def safetensors() -> Any:
    """The package that reads and writes the tensors."""
    return package("safetensors.torch", "checkpoints need the package safetensors", "pip install safetensors")
