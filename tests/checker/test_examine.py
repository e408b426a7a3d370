"""Probe, compare, conclude: the right words for the right evidence."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from regard.checker.contract import WeightMap
from regard.checker.contracts.table import named
from regard.checker.examine import Examination, examine
from regard.checker.family import Match, Member
from regard.checker.live import Here, check
from regard.checker.process.described import member
from regard.checker.process.session import Lost
from regard.checker.reading.source import Source
from regard.checker.workbench import Workbench


class Attention(nn.Module):
    """A head of attention whose scores somebody has tampered with."""

    def __init__(self, width, tamper=1.0):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.tamper = tamper

    def forward(self, x):
        s = self.query(x) @ self.key(x).transpose(-2, -1) * self.query.out_features**-0.5 * self.tamper
        s = s.masked_fill(torch.ones_like(s[0]).triu(1) == 1, float("-inf"))
        return s.softmax(-1) @ self.value(x)


class Less(Attention):
    def __init__(self, width):
        super().__init__(width, 0.77)


class Odd(Attention):
    def forward(self, x):
        s = self.query(x) @ self.key(x).transpose(-2, -1) * self.query.out_features**-0.5
        s = (s + (3 * s).sin() * s.cos()).masked_fill(torch.ones_like(s[0]).triu(1) == 1, float("-inf"))
        return s.softmax(-1) @ self.value(x)


class Raises(Attention):
    def forward(self, x):
        return x.no_such_thing


class WrongShape(Attention):
    def forward(self, x):
        return x[:, :3]


class NotAlone(Attention):
    def forward(self, x):
        assert x.shape[1] > 1, "one token is too few"
        return super().forward(x)


class Spare(nn.Module):
    """A head of attention that leaves some rows of its matrices unused: right, but no reading fits."""

    def __init__(self, width):
        super().__init__()
        self.first, self.second, self.third = (nn.Parameter(torch.randn(width + 6, width)) for _ in range(3))

    def forward(self, x):
        q, k, v = (x @ one[: x.shape[-1]].T for one in (self.first, self.second, self.third))
        s = q @ k.transpose(-2, -1) * x.shape[-1] ** -0.5
        return s.masked_fill(torch.ones_like(s[0]).triu(1) == 1, float("-inf")).softmax(-1) @ v


def judged(thing, contract: str = "causal-attention", *, strict: bool = False):
    return check(thing, contract=contract, strict=strict).verdicts[0]


@pytest.mark.slow
def test_correct_is_said_with_how_it_was_found() -> None:
    verdict = judged(Attention)
    assert verdict.state == "correct"
    assert f"it is causal self-attention, as far as {len(verdict.laws)} laws and" in verdict.sentence
    assert all(verdict.laws.values())
    assert verdict.notes == ("q = query.weight, k = key.weight, v = value.weight (by name)",)


@pytest.mark.slow
def test_weights_that_no_reading_fits_are_asked_for_and_blame_nobody() -> None:
    verdict = judged(Spare)
    assert verdict.state == "undecided"
    (finding,) = verdict.findings
    assert finding.slug == "unknown-weight"
    assert finding.remedy.startswith("say which weight is which: --map q=NAME")


@pytest.mark.slow
def test_a_number_that_nobody_asked_for_is_named_with_its_value() -> None:
    (finding,) = [f for f in judged(Less).findings if f.kind == "mistake"]
    assert finding.sentence == "the scores are multiplied by 0.77, which the contract does not ask for"


@pytest.mark.slow
def test_an_unknown_cause_is_called_unknown_with_the_smallest_case() -> None:
    verdict = judged(Odd)
    assert verdict.state == "mistake"
    assert verdict.slugs == ()
    (finding,) = [f for f in verdict.findings if f.kind == "unknown"]
    wanted = "it is not the function the contract asks for, in a way the checker does not know"
    assert finding.sentence.partition("; ")[0] == wanted
    shown = finding.sentence.partition("; ")[2]
    assert shown.startswith("it is right with one token alone")
    assert shown.endswith("and wrong with different tokens")
    assert finding.evidence[0].startswith("it differs from the correct reference by")
    assert "expected" in finding.evidence[1]


def test_what_raises_is_told_with_its_line() -> None:
    verdict = judged(Raises)
    assert verdict.state == "mistake"
    told = "it raises AttributeError: 'Tensor' object has no attribute 'no_such_thing'"
    assert verdict.sentence == f"{told}, given (2, 7, 24)"


def test_a_wrong_shape_is_told() -> None:
    assert judged(WrongShape).sentence == "an input (2, 7, 24) gives an output (2, 3, 24), not (2, 7, 24)"


@pytest.mark.slow
def test_an_object_is_judged_as_it_is_and_left_as_it_was() -> None:
    thing = Attention(24)
    before = {name: value.clone() for name, value in thing.state_dict().items()}
    assert judged(thing).state == "correct"
    assert all(torch.equal(before[name], value) for name, value in thing.state_dict().items())
    assert thing.query.weight.dtype == torch.float32
    assert thing.training


@pytest.mark.slow
def test_two_mistakes_are_two_findings_with_two_places(style: Callable) -> None:
    verdict = judged(style("functions").two_mistakes, "scaled-dot-product", strict=True)
    assert verdict.slugs == ("mask-inverted", "scale-value-width")
    assert all(f.place and f.remedy and f.page for f in verdict.findings if f.kind == "mistake")
    assert verdict.picture
    assert np.shape(verdict.picture.expected) == np.shape(verdict.picture.actual) == (7, 5)


@pytest.mark.slow
def test_the_first_finding_is_timed() -> None:
    verdict = judged(Odd)
    assert verdict.first is not None
    assert 0 < verdict.first <= verdict.seconds


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_no_seed_makes_a_false_alarm(seed: int) -> None:
    assert check(Attention, contract="causal-attention", seed=seed).code == 0


@pytest.mark.slow
def test_a_case_that_raises_is_a_finding_and_the_others_go_on() -> None:
    verdict = judged(NotAlone)
    assert verdict.state == "mistake"
    (finding,) = [f for f in verdict.findings if f.kind == "unknown"]
    assert finding.law == "every valid input is answered"
    assert finding.evidence == (
        "runs: 2 sequences of 1 tokens: it raises AssertionError: one token is too few",
    )


class Crashing:
    """A line whose process is lost at one call in the middle of the laws."""

    def __init__(self, thing, at: int) -> None:
        self.inner, self.left = Here(thing), at

    def ask(self, verb, *values, **named):
        self.left -= verb == "call"
        if self.left == 0:
            raise Lost("crashed", "its process was ended by a segmentation fault")
        return self.inner.ask(verb, *values, **named)


def test_one_crash_costs_one_law() -> None:
    described = member("Attention", Attention)
    bench = Workbench(Crashing(Attention, 20), described, [described], Source(""))
    verdict = examine(named("causal-attention"), bench)
    assert [name for name, held in verdict.laws.items() if not held] == ["causality"]
    told = ("causality: its process was ended by a segmentation fault",)
    assert told in [finding.evidence for finding in verdict.findings]


def test_what_the_checker_did_not_foresee_is_its_own_fault_and_said_to_be() -> None:
    class Broken(Crashing):
        def ask(self, verb, *values, **named):
            raise ZeroDivisionError("of our own")

    described = member("Attention", Attention)
    verdict = examine(
        named("causal-attention"), Workbench(Broken(Attention, 1), described, [described], Source(""))
    )
    assert verdict.state == "undecided"
    assert verdict.sentence == "the checker itself failed: ZeroDivisionError: of our own"


class Numbered(nn.Module):
    """A graph convolution that knows the numbers of its nodes, and one that is merely reversed."""

    def __init__(self, in_features, out_features, reverse=False):
        super().__init__()
        self.weight, self.reverse = nn.Parameter(torch.randn(in_features, out_features)), reverse

    def forward(self, x, adj):
        a = adj.clone()
        a.fill_diagonal_(1)
        d = a.sum(1) ** -0.5
        a = d[:, None] * a * d
        shift = torch.arange(len(x), dtype=x.dtype)[:, None]
        return (a.T if self.reverse else a) @ (x @ self.weight) + shift


@pytest.mark.slow
def test_what_only_the_numbering_explains_is_named_by_the_law() -> None:
    assert judged(Numbered, "gcn-layer").slugs == ("not-equivariant",)


class Noisy(Numbered):
    def forward(self, x, adj):
        return nn.functional.dropout(super().forward(x, adj), 0.5)


@pytest.mark.slow
def test_what_another_mistake_brings_with_it_is_not_named_again() -> None:
    assert judged(Noisy, "gcn-layer").slugs == ("dropout-in-eval",)


def match(distance: float, runner: float) -> Match:
    contract = named("causal-attention")
    best, other = (
        Member(WeightMap(weights={}), {}, (contract.mistake(slug),))
        for slug in ("scale-width", "scale-missing")
    )
    return Match((best,), distance, runner, other)


def test_a_runner_up_that_is_near_makes_two_candidates() -> None:
    described = member("Attention", Attention)
    for runner, candidates in ((1e-3, ()), (1e-6, ("scale-missing", "scale-width"))):
        examination = Examination(
            named("causal-attention"), Workbench(Here(Attention), described, [described], Source("")), 0
        )
        examination.draw = lambda member: None
        examination.name(match(1e-7, runner), [("scale-width",)])
        assert examination.findings[0].candidates == candidates


def test_a_mistake_that_every_explanation_shares_is_named_for_sure() -> None:
    contract, described = named("causal-attention"), member("Attention", Attention)
    pairs = [("scale-width", "scale-missing"), ("scale-width", "mask-missing")]
    both = tuple(
        Member(WeightMap(weights={}), {}, tuple(contract.mistake(slug) for slug in pair)) for pair in pairs
    )
    bench = Workbench(Here(Attention), described, [described], Source(""))
    examination = Examination(contract, bench, 0)
    examination.draw = lambda member: None
    examination.name(Match(both, 1e-9, 1.0, None), pairs)
    (finding,) = examination.findings
    assert (finding.slug, finding.candidates) == ("scale-width", ())
    assert finding.evidence[-1].startswith("beside it there may be one of these, which no probe")
    assert contract.mistake("mask-missing").cause in finding.evidence[-1]


def test_only_what_differs_is_decided_and_what_all_share_stays() -> None:
    bench = Workbench(Here(Attention), member("Attention", Attention), [], Source(""))
    seen: list[set[str]] = []

    def decide(source: Source, name: str, slugs: set[str], facts: dict) -> str:
        seen.append(slugs)
        return "mask-ignored"

    contract = replace(named("multi-head-attention"), decide=decide)
    pairs = [("mask-added", "softmax-queries"), ("mask-ignored", "softmax-queries")]
    assert Examination(contract, bench, 0).settle(pairs) == [("mask-ignored", "softmax-queries")]
    assert seen == [{"mask-added", "mask-ignored"}]
    unsure = replace(contract, decide=lambda *_: None)
    assert Examination(unsure, bench, 0).settle(pairs) == pairs
