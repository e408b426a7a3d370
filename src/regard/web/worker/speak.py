"""Next tokens, generation and beam search of a trained text model, step by step as documents."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from regard.generation.beam import Search, beam_search
from regard.generation.sampling import Sampler
from regard.lab.text_model import TextModel
from regard.web.refusal import Refusal
from regard.web.worker.look import readable
from regard.web.worker.models import Models

LISTED, BESIDE = 40, 10
"Tokens of a distribution that are told: when one looks at it, and beside each token that is generated."


def next_token(models: Models, fields: dict[str, Any]) -> dict[str, Any]:
    """The distribution of the next token, before and after the sampler."""
    model = models.text(fields["place"])
    ids, sampler = _ids(model, fields), _sampler(fields)
    with torch.no_grad():
        logits = model.model(ids[:, -model.model.config.context :])[:, -1].float()
    p, after = logits.softmax(-1)[0], sampler.distribution(logits)[0]
    kept = after > 0
    return {
        "kind": "next",
        "version": 1,
        "ids": ids[0].tolist(),
        "tokens": [model.tokenizer.decode([one]) for one in ids[0].tolist()],
        "distribution": _listed(model, p, after, LISTED),
        "kept": int(kept.sum()),
        "mass": float(p[kept].sum()),
        "cut": model.cut(ids),
    }


def generate(models: Models, fields: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Tokens one after the other, each with what else might have come."""
    model = models.text(fields["place"])
    ids, sampler = _ids(model, fields), _sampler(fields)
    for token in model.speak(ids, steps=fields["tokens"], sampler=sampler, seeds=[fields["seed"]]):
        p, after = token.logits[0].float().softmax(-1), sampler.distribution(token.logits.float())[0]
        one = int(token.ids[0])
        yield {
            "kind": "token",
            "id": one,
            "token": model.tokenizer.decode([one]),
            "p": float(p[one]),
            "distribution": _listed(model, p, after, BESIDE),
        }
    yield {"kind": "end", "reason": f"all {fields['tokens']} tokens are there"}


def beam(models: Models, fields: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The tree of a beam search, a level at a time, then the best text."""
    model = models.text(fields["place"])
    ids = _ids(model, fields)
    found = beam_search(model.model, ids, width=fields["beams"], steps=fields["tokens"])
    yield from levels(model, found)
    best = found.best[0]
    yield {"kind": "end", "best": {"text": model.show(best.ids), "logp": best.log_probability}}


def levels(model: TextModel, found: Search) -> Iterator[dict[str, Any]]:
    """The candidates of each step, each with the candidate that it goes on from (-1: the prompt)."""
    parents, number = [-1], 0
    for step, level in enumerate(found.levels):
        rows = [side[0].tolist() for side in (level.parents, level.tokens, level.totals)]
        kept = level.kept[0].tolist()
        nodes = [
            {
                "id": number + place,
                "parent": parents[parent],
                "token": model.tokenizer.decode([token]),
                "logp": total,
                "kept": place in kept,
            }
            for place, (parent, token, total) in enumerate(zip(*rows, strict=True))
        ]
        parents = [number + place for place in kept]
        number += len(nodes)
        yield {"kind": "beam-step", "step": step, "nodes": nodes}


def _ids(model: TextModel, fields: dict[str, Any]) -> Tensor:
    """The prompt: ids as they are, or a text; an empty one begins as texts do."""
    if fields.get("ids"):
        vocabulary = model.model.config.vocabulary
        if max(fields["ids"]) >= vocabulary:
            raise Refusal(400, "no token of that id", str(max(fields["ids"])), f"below {vocabulary}")
        return torch.tensor([fields["ids"]])
    return readable(model, fields["text"] or model.opening())


def _sampler(fields: dict[str, Any]) -> Sampler:
    return Sampler(
        temperature=fields["temperature"],
        top_k=fields["top_k"] or None,
        top_p=fields["top_p"],
        min_p=fields["min_p"],
    )


def _listed(model: TextModel, p: Tensor, after: Tensor, count: int) -> list[dict[str, Any]]:
    top = p.topk(min(count, len(p)))
    return [
        {
            "id": one,
            "token": model.tokenizer.decode([one]),
            "p": chance,
            "kept": float(after[one]) > 0,
            "after": float(after[one]),
        }
        for one, chance in zip(top.indices.tolist(), top.values.tolist(), strict=True)
    ]
