"""Recorded mixtures, on places made here: Gaussians learn, boxes stay where they are."""

import torch

from regard.data.sets.places import arrange
from regard.web.recording import mixtures
from regard.web.recording.mixtures import record_mixtures


def test_gaussians_move_and_boxes_do_not(monkeypatch) -> None:
    draw = torch.Generator().manual_seed(0)
    spots = torch.randn(600, 2, generator=draw) * torch.tensor([5.0, 3.0]) + torch.tensor([10.0, 50.0])
    rows = [(x, y, "ABC"[row % 3]) for row, (x, y) in enumerate(spots.tolist())]
    monkeypatch.setattr(mixtures, "load_places", lambda countries, limit: arrange(rows, 3, None))
    for name, value in (("EPOCHS", 4), ("COMPONENTS", 3), ("POINTS", 50)):
        monkeypatch.setattr(mixtures, name, value)
    found = record_mixtures()
    assert [one["epoch"] for one in found["frames"]] == [0, 2, 4] and len(found["points"]) == 50
    first, last = found["frames"][0], found["frames"][-1]
    assert last["gaussian"]["loglik"] > first["gaussian"]["loglik"]
    assert first["gaussian"]["means"] != last["gaussian"]["means"]
    assert (
        first["uniform"]["centres"] == last["uniform"]["centres"] and last["uniform"]["gradient"] == [0.0] * 3
    )
    assert any(last["uniform"]["size_gradient"])
