"""Every claim of the parts holds, and none does when its part is another."""

from pathlib import Path

import pytest
import torch
from torch import nn

import golden
from regard.core.position import Rotary
from regard.core.support import Full
from regard.experiments.text import gpt_parts
from regard.experiments.text.gpt_parts import EXPERIMENT, Settings, gelu, gelu_by_tanh, run
from regard.generation.sampling import Sampler
from regard.lab.events import Metric
from regard.lab.experiment import Context
from regard.lab.runner import settle
from regard.models.gpt import block
from regard.models.gpt.block import Block
from torchrun import alone_and_together, measured


def verdicts(folder: Path) -> dict[str, str]:
    events = [one for one in run(Settings(), Context(folder=folder)) if isinstance(one, Metric)]
    return {one.claim.name: one.state for one in settle(EXPERIMENT.claims, events, preset="quick")}


def test_every_claim_holds(tmp_path: Path) -> None:
    assert set(verdicts(tmp_path).values()) == {"held"}


def test_all_numbers_are_those_of_before(tmp_path: Path) -> None:
    golden.check(__file__, golden.of_events(run(Settings(), Context(folder=tmp_path))))


def test_gelu_is_nothing_far_below_and_the_identity_far_above() -> None:
    for form in (gelu, gelu_by_tanh):
        assert abs(form(-8.0)) < 1e-9 and abs(form(8.0) - 8) < 1e-9 and form(0.0) == 0


# Saboteurs: each changes a part, and the claims that speak of it fail.


def layer_norm(config) -> nn.Module:
    return nn.LayerNorm(config.width, bias=False)


class Still(Rotary):
    def rotate(self, x, at):
        return x


class Grown(Rotary):
    def rotate(self, x, at):
        return x * (1 + 0.01 * at[:, None])


class Lossy(gpt_parts.Character):
    def decode(self, ids):
        return super().decode(ids).replace("о", "o")


class Greedy(Sampler):
    def distribution(self, logits, seen=None):
        return Sampler(temperature=1.0, top_k=3).distribution(logits)


SABOTEURS = {
    "a layer norm": (
        lambda patch: patch.setattr(gpt_parts, "norm", layer_norm),
        {"RMS norm: gap to its formula", "RMS norm: largest distance of a token's root mean square from 1"},
    ),
    "a norm that does nothing": (
        lambda patch: patch.setattr(gpt_parts, "norm", lambda config: Unnormed(config.width)),
        {"RMS norm: gap to its formula", "RMS norm: largest distance of a token's root mean square from 1"},
    ),
    "ReLU": (
        lambda patch: patch.setattr(gpt_parts, "activate", lambda x, name: x.relu()),
        {
            "GELU: gap to the formula with tanh",
            "GELU: largest difference of the tanh form from x times the normal probability",
        },
    ),
    "rotary that does not turn": (
        lambda patch: patch.setattr(gpt_parts, "Rotary", Still),
        {"rotary: gap to its formula"},
    ),
    "rotary that grows": (
        lambda patch: patch.setattr(gpt_parts, "Rotary", Grown),
        {
            "rotary: gap to its formula",
            "rotary: largest change of a length",
            "rotary: largest spread of q·k among pairs equally far apart",
        },
    ),
    "attention without a mask": (
        lambda patch: patch.setattr(block, "Causal", Full),
        {"block: gap to the formulas written out", "block: change of the past when the last token changes"},
    ),
    "a block without its second sum": (
        lambda patch: patch.setattr(
            Block, "forward", lambda self, x: x + self.attention(self.attention_norm(x))
        ),
        {"block: gap to the formulas written out"},
    ),
    "a tokenizer that mixes alphabets": (
        lambda patch: patch.setattr(gpt_parts, "Character", Lossy),
        {"tokenizer: characters that do not come back"},
    ),
    "a sampler that takes the three first": (
        lambda patch: patch.setattr(gpt_parts, "Sampler", Greedy),
        {
            "top-p 0.6: kept sets that are not the smallest to reach it",
            "temperature 1/2: gap to the squared probabilities",
        },
    ),
}


class Unnormed(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight


@pytest.mark.parametrize("name", SABOTEURS)
def test_another_part_fails_its_claims(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plant, claims = SABOTEURS[name]
    plant(monkeypatch)
    failed = {claim for claim, state in verdicts(tmp_path).items() if state == "failed"}
    assert failed == claims


def test_every_claim_has_a_saboteur() -> None:
    assert set().union(*(claims for _, claims in SABOTEURS.values())) == {
        one.name for one in EXPERIMENT.claims
    }


def test_of_several_processes_the_first_does_it(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RANK", "1")
    assert list(run(Settings(), Context(folder=tmp_path))) == []


@pytest.mark.slow
def test_of_two_processes_the_first_does_it_and_there_is_one_run(tmp_path: Path) -> None:
    alone, together = alone_and_together(tmp_path, "gpt-parts")
    assert measured(alone) and measured(together) == measured(alone)
