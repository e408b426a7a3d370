"""Attention of a trained model on a text or a picture, with heads switched off, and what it then predicts."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from regard.lab.documents.attention import MOST, attention_document
from regard.lab.look.attention import attention
from regard.lab.text_model import TextModel
from regard.lab.vision_model import VisionModel
from regard.models.attention import MultiHead
from regard.models.gpt.block import CausalAttention
from regard.shapes import Float
from regard.web.refusal import Refusal
from regard.web.worker.models import Models

SHOWN = 10
"Tokens or classes whose probability is told."


def look(models: Models, fields: dict[str, Any]) -> dict[str, Any]:
    """The document of attention: of the model with some heads switched off, if any are."""
    model, off = models.load(fields["place"]), [tuple(one) for one in fields["ablate"]]
    if isinstance(model, VisionModel):
        given, labels, notes = _picture(model, fields), None, ()
    else:
        given, labels, notes = _text(model, fields)
    before = predicted(model, given) if off else None
    with without(model.model, off):
        seen = attention(model.model, given, labels=labels)
        after = predicted(model, given)
    document = attention_document(seen, name=fields["name"], next=after, before=before)
    return document | {"notes": [*notes, *document["notes"]], "ablate": off}


def _text(model: TextModel, fields: dict[str, Any]) -> tuple[Tensor, list[str], tuple[str, ...]]:
    """Ids, a label for each, and a sentence where only the end of the text is read."""
    if not isinstance(fields["text"], str):
        raise Refusal(400, "this model reads text", "a picture", "give a text")
    ids = readable(model, fields["text"])
    config = model.model.config
    most = min(config.context, int((MOST / (config.depth * config.heads)) ** 0.5))
    notes = ()
    if ids.shape[1] > most:
        notes = (f"the text has {ids.shape[1]} tokens; the last {most} of them are read",)
        ids = ids[:, -most:]
    return ids, [model.tokenizer.decode([one]) for one in ids[0].tolist()], notes


def readable(model: TextModel, text: str) -> Tensor:
    """The ids of a text; characters that the model has never seen are left out."""
    alphabet = getattr(model.tokenizer, "alphabet", None)
    kept = text if alphabet is None else "".join(one for one in text if one in alphabet)
    if text and not kept:
        raise Refusal(
            400, "the model knows none of these characters", repr(text[:40]), f"it knows {alphabet!r}"[:300]
        )
    return model.prompt(kept)


def _picture(model: VisionModel, fields: dict[str, Any]) -> Float[Tensor, "1 c y x"]:
    sight, given = model.model.sight, fields["image"]
    expected = (sight.channels, sight.side, sight.side)
    if not given:
        raise Refusal(400, "this model looks at pictures", "a text", "give pixels")
    if (given["channels"], given["height"], given["width"]) != expected:
        got = f"{given['channels']} x {given['height']} x {given['width']}"
        fix = f"channels, rows, columns: {' x '.join(map(str, expected))}"
        raise Refusal(400, "the picture has another size", got, fix)
    rows = torch.tensor(given["pixels"], dtype=torch.float32)
    # A browser hands pixels over row by row, the channels of each together.
    return model.scaled(rows.view(sight.side, sight.side, sight.channels).permute(2, 0, 1))


@torch.no_grad()
def predicted(model: TextModel | VisionModel, given: Tensor) -> list[dict[str, Any]]:
    """What the model expects next, or which class it sees: the most probable first."""
    logits = model.model(given)
    chances = (logits if isinstance(model, VisionModel) else logits[:, -1])[0].float().softmax(0)
    top = chances.topk(min(SHOWN, len(chances)))
    pairs = zip(top.indices.tolist(), top.values.tolist(), strict=True)
    return [{"token": _name(model, one), "p": p} for one, p in pairs]


def _name(model: TextModel | VisionModel, one: int) -> str:
    return model.classes[one] if isinstance(model, VisionModel) else model.tokenizer.decode([one])


@contextmanager
def without(model: nn.Module, heads: Sequence[tuple[int, int]]) -> Iterator[None]:
    """The model while what these heads (layer, head) give is replaced by zeros."""
    layers = [one for one in model.modules() if isinstance(one, MultiHead | CausalAttention)]
    off: dict[int, set[int]] = {}
    for layer, head in heads:
        count = _heads(layers[layer]) if layer < len(layers) else 0
        if head >= count:
            got, fix = f"layer {layer}, head {head}", f"{len(layers)} layers, counted from 0"
            raise Refusal(400, "there is no such head", got, fix)
        off.setdefault(layer, set()).add(head)
    handles = [layers[layer].out.register_forward_pre_hook(_silence(layers[layer], chosen))
               for layer, chosen in off.items()]  # fmt: skip
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _heads(layer: MultiHead | CausalAttention) -> int:
    return layer.heads if isinstance(layer, MultiHead) else layer.config.heads


def _silence(layer: MultiHead | CausalAttention, chosen: set[int]) -> Any:
    """A hook before the output map: the channels of these heads are zero."""

    def hook(module: nn.Module, given: tuple[Tensor]) -> tuple[Tensor]:
        parts = given[0].unflatten(-1, (_heads(layer), -1)).clone()
        parts[..., sorted(chosen), :] = 0
        return (parts.flatten(-2),)

    return hook
