"""Sentences come from numbers: another verdict has other words."""

import re
from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from pathlib import Path
from string import Formatter

import pytest

from regard.claims import Claim
from regard.lab import console as terminal
from regard.lab import registry
from regard.lab.answer import findings, opening, sentence
from regard.lab.book.ideas import idea_and_method
from regard.lab.book.report import page
from regard.lab.events import Metric, TextEvent
from regard.lab.experiment import FOUND, Experiment, OwnWords
from regard.lab.runner import run
from regard.lab.statistics import summarise
from regard.lab.store.runs import Store

WORDED = ("attention", "text", "graphs", "images", "unsupervised", "lab", "theory")
"Chapters whose claims all have sentences of their own."


LEANING = re.compile(
    r"(?:So|And|But|Nor|Also|Another|That|Then|The (?:same|reason|other)|It|Its|Part of it)\b(?! takes)"
)
"How a sentence begins that speaks of what was said before it."


def words(text: str) -> str:
    """A sentence without its numbers."""
    return re.sub(r"[-−+]?\d[\d.,]*(e[-+]?\d+)?\s*%?|nan|inf", "#", text)


def inside(claim: Claim) -> float:
    if isfinite(claim.low) and isfinite(claim.high):
        return (claim.low + claim.high) / 2
    return claim.low if isfinite(claim.low) else claim.high


def outside(claim: Claim) -> float:
    return claim.high + 1 if isfinite(claim.high) else claim.low - 1


def others(claim: Claim) -> set[str]:
    """The names of other measurements that a claim's sentences show."""
    fields = [field for text in (claim.says, claim.otherwise) for _, field, _, _ in Formatter().parse(text)]
    return {field[3:-1] for field in fields if field and field.startswith("of[")}


def experiments() -> list[Experiment]:
    return [one for one in registry.everything() if one.chapter in WORDED]


@pytest.mark.parametrize("experiment", experiments(), ids=lambda one: one.name)
def test_every_claim_has_a_sentence_for_each_verdict_and_they_differ_in_their_words(experiment):
    for claim in experiment.claims:
        assert claim.says and claim.otherwise and claim.asks, claim.name
        found = {name: summarise([0.5, 0.5]) for name in others(claim)}
        told = [
            sentence(claim.settle(value, reason="a reason"), found)
            for value in (inside(claim), outside(claim), None)
        ]
        assert len({words(one) for one in told}) == 3, told
        assert not any(
            "{" in one or "As expected (" in one or "Against expectation, the" in one for one in told
        ), told
        assert all(one[0].upper() == one[0] and one.endswith((".", "!", "?")) for one in told), told


@pytest.mark.parametrize(
    "experiment", [one for one in experiments() if one.chapter != "theory"], ids=lambda one: one.name
)
def test_a_sentence_does_not_lean_on_another_which_may_have_failed(experiment):
    """Each stands alone in the index of claims too; those that open a page stand behind its question."""
    for claim in experiment.claims:
        told = [one for one in (claim.says, claim.otherwise) if LEANING.match(one)]
        assert not told or claim.name in experiment.opens_with, told


@pytest.mark.parametrize("experiment", experiments(), ids=lambda one: one.name)
def test_a_report_opens_with_one_to_three_claims_that_exist(experiment):
    names = {claim.name for claim in experiment.claims}
    assert 1 <= len(experiment.opens_with) <= 3 and set(experiment.opens_with) <= names


def coin(heads: float) -> Experiment:
    claims = (
        Claim("share of heads", low=0.4, high=0.6, says="The coin is fair: {value:.0%} heads ({of[tosses]} tosses).",
              otherwise="The coin favours one side: {value:.0%} heads.", asks="whether the coin is fair"),
        Claim("tosses", low=10, says="It was tossed {value} times.", otherwise="It was hardly tossed: {value} times."),
        Claim("weight", low=1),
    )  # fmt: skip

    def go(settings, context):
        yield Metric("share of heads", heads)
        yield Metric("tosses", 20)

    return Experiment(
        question="Is it fair?", claims=claims, opens_with=("share of heads",), run=go, name="coin"
    )


@pytest.fixture
def tossed(tmp_path):
    def toss(heads):
        experiment = coin(heads)
        return run(
            experiment, experiment.presets["quick"], Store(tmp_path), source=Path(__file__), preset="quick"
        )

    return toss


def test_the_answer_follows_the_numbers(tossed):
    assert opening(tossed(0.5)) == ["The coin is fair: 50 % heads (20 tosses)."]
    assert opening(tossed(0.9)) == ["The coin favours one side: 90 % heads."]


def test_what_is_not_settled_says_so_with_its_reason(tossed):
    assert findings(tossed(0.5)) == [
        "It was tossed 20 times.", "Not settled: weight (nothing measured under the name 'weight')."
    ]  # fmt: skip


def test_a_sentence_that_needs_what_was_not_measured_gives_way_to_a_plain_one():
    claim = replace(coin(0.5).claims[0], asks="")
    assert sentence(claim.settle(0.5), {}) == "As expected (0.4 to 0.6), the share of heads is 0.5."
    assert sentence(claim.settle(None, reason="cut"), {}) == "Not settled: share of heads (cut)."


def test_the_interval_of_a_mean_can_be_shown():
    claim = Claim("height", low=1, says="Between {low} and {high}.")
    assert sentence(claim.settle(2.0), {"height": summarise([1.9, 2.1])}) == "Between 0.7294 and 3.271."
    assert sentence(claim.settle(2.0), {}) == "Between 2 and 2."


ANSWERS = 2
"Claims that an answer opens with at most."


@pytest.mark.parametrize("name", registry.names())
def test_an_answer_is_two_sentences(name):
    experiment, _ = registry.find(name)
    claims = {one.name: one for one in experiment.claims}
    assert 1 <= len(experiment.opens_with) <= ANSWERS and set(experiment.opens_with) <= set(claims)
    for words in ("says", "otherwise"):
        told = " ".join(getattr(claims[one], words) for one in experiment.opens_with)
        assert len(sentences(told)) <= ANSWERS, told


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?]) (?=[^a-z])", text.strip())


def test_sentences_are_counted():
    assert len(sentences("It is 1.5 m high. So it stands: no.")) == 2
    assert len(sentences("By HW3, 2.4, e.g. here.")) == 1


@pytest.mark.parametrize(
    ("value", "said"), [(nan, "not a number (NaN)"), (inf, "infinite"), (-inf, "minus infinity")]
)
def test_what_is_no_number_is_said_in_words(value: float, said: str) -> None:
    claim = Claim("share", low=0, high=1)
    wanted = f"Against expectation, the share is {said} where 0 to 1 was claimed."
    assert sentence(claim.settle(value), {}) == wanted


def test_a_sentence_about_numbers_is_not_said_of_none() -> None:
    claim = Claim(
        "share", low=0, high=1, says="It is {value:.0%}.", otherwise="It favours one side: {value:.0%}."
    )
    assert sentence(claim.settle(nan), {}) == (
        "Against expectation, the share is not a number (NaN) where 0 to 1 was claimed."
    )
    assert sentence(claim.settle(3.0), {}) == "It favours one side: 300 %."


def test_what_was_found_in_data_of_ones_own_opens_the_answer(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(terminal.console, "_width", 200)

    def go(settings, context):
        yield Metric("share of heads", 0.9)
        yield Metric("tosses", 20)
        yield TextEvent(FOUND, "Your coin, so far.")
        yield TextEvent(FOUND, "Your coin shows 90 % heads.")

    about = replace(coin(0.5).claims[0], data="file")
    experiment = replace(
        coin(0.5),
        claims=(about, *coin(0.5).claims[1:]),
        opens_with=("share of heads", "tosses"),
        run=go,
        own=OwnWords(data="file", question="Is yours fair?", method="By your tosses.", idea="Coins."),
        presets={"quick": OwnCoin()},
    )
    store, words = Store(tmp_path), {"source": Path(__file__), "preset": "quick"}
    own, original = (run(experiment, OwnCoin(file=file), store, **words) for file in ("mine.csv", ""))
    assert opening(own) == ["Your coin shows 90 % heads.", "It was tossed 20 times."]
    assert own.request["question"] == own.request["title"] == "Is yours fair?"
    assert (own.request["method"], idea_and_method(own.request)[0]) == ("By your tosses.", "Coins.")
    assert own.request["see"] == original.request["see"] == experiment.see
    assert original.request["question"] == "Is it fair?" and "idea" not in original.request
    told = page(own)
    assert "1 claim is about the original data and was not asked" in told
    terminal.show_outcome(own)
    assert (
        "1 claim is about the original data and was not asked; this run has file=mine.csv"
        in capsys.readouterr().out
    )
    assert opening(original)[1] == "The coin favours one side: 90 % heads."


@dataclass(frozen=True)
class OwnCoin:
    file: str = ""
