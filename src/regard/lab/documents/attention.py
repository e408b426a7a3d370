"""The document of attention: tokens or patches, and the weights of every layer and head."""

import base64
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from regard.errors import RegardError
from regard.lab.look.maps import AttentionMaps
from regard.shapes import Float

MOST = 4_000_000
"Weights of a document, over all layers and heads: 8 MB."


def attention_document(
    maps: AttentionMaps,
    *,
    name: str = "",
    next: Sequence[dict[str, Any]] = (),
    before: Sequence[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """What a page draws; `next` is what the model expects, `before` what it did with all its heads."""
    weights = stacked(maps)
    layers, heads, n, m = weights.shape
    return {
        "kind": "attention",
        "version": 1,
        "name": name,
        "tokens": list(maps.named(m)),
        "layers": layers,
        "heads": heads,
        "n": n,
        "weights": packed(weights),
        "names": [layer.name for layer in maps.layers],
        "notes": list(maps.notes),
        "next": list(next),
        "before": None if before is None else list(before),
        "grid": None if maps.grid is None else {"rows": maps.grid[0], "columns": maps.grid[1]},
    }


def stacked(maps: AttentionMaps) -> Float[Tensor, "l h n m"]:
    """The weights of one sample as one tensor; layers must be alike, and not too many."""
    shown = [layer.matrix(maps.row) for layer in maps.layers]
    if len({one.shape for one in shown}) > 1:
        shapes = ", ".join(str(tuple(one.shape)) for one in shown[:4])
        raise RegardError("these layers differ in size", shapes, "choose one layer: .choose(layer=0)")
    count = len(shown) * shown[0].numel()
    if count > MOST or shown[0].shape[-1] != shown[0].shape[-2]:
        raise RegardError(
            "so many weights are not shown at once", f"{count:,} of at most {MOST:,}", "give a shorter text"
        )
    return torch.stack(shown).float()


def packed(weights: Float[Tensor, "..."]) -> str:
    """Weights as base64 of float16, row by row, little-endian.

    >>> packed(torch.tensor([1.0, 0.5]))
    'ADwAOA=='
    """
    return base64.b64encode(weights.half().contiguous().cpu().numpy().astype("<f2").tobytes()).decode()
