from dataclasses import replace
from pathlib import Path

import pytest

from regard.claims import Claim
from regard.lab.book.report import page, render
from regard.lab.book.sentences import SMALL, answer, claim_sentence, settled_by_record
from regard.lab.events import TextEvent
from regard.lab.records.record import Record, RecordedClaim
from regard.lab.runner import run
from regard.lab.store.run import Run

CLAIM = Claim(
    "growth", low=2, says="It grows {value} times.", otherwise="It shrinks.", asks="whether it grows"
)


def stub(*verdicts, said=()):
    parts = {"verdicts": list(verdicts), "said": list(said), "measured": [], "compared": [], "request": {}}
    return type("OtherRun", (Run,), parts | {"state": "finished"})(Path("nowhere"))


def record(**claims: RecordedClaim) -> Record:
    return Record("heights", "full", (), {}, 0, "2026-01-01", 1.0, {"cores": 2}, claims, {}, {}, {})


def test_what_was_not_measured_is_told_without_the_name_of_a_measurement() -> None:
    nothing = CLAIM.settle(None)
    assert claim_sentence(stub(nothing), nothing) == (
        "Not settled: whether it grows (this run measured nothing for it)."
    )
    text = TextEvent(
        "The text", "The text is short. It stands in for long, which is not reachable from here (no way)."
    )
    told = "Not settled: whether it grows (this run measured nothing for it: another text stood in for long)."
    assert claim_sentence(stub(nothing, said=[text]), nothing) == told
    assert answer(stub(nothing, said=[text])) == [told]


def test_what_only_the_full_preset_settles_is_told_as_the_recorded_run_settled_it() -> None:
    small = CLAIM.settle(None, reason=SMALL)
    known = record(growth=RecordedClaim("failed", 1.5, ""))
    told = "Not settled at this size: whether it grows; settled by the recorded run: failed, 1.5."
    assert claim_sentence(stub(small), small, known.claims["growth"]) == told
    assert answer(stub(small), known) == [told]
    assert answer(stub(small)) == [f"Not settled: whether it grows ({SMALL})."]


@pytest.mark.parametrize("recorded", [None, RecordedClaim("not settled", None, "too small")])
def test_a_record_that_settled_nothing_is_not_called_upon(recorded) -> None:
    assert settled_by_record(CLAIM.settle(None, reason=SMALL), recorded) == ""


def test_what_was_settled_here_is_told_by_its_own_number() -> None:
    held = CLAIM.settle(3.0)
    assert claim_sentence(stub(held), held, RecordedClaim("failed", 1.0, "")) == "It grows 3 times."


@pytest.mark.slow
def test_the_reason_of_a_small_run_is_the_one_that_the_runner_gives(experiment, store, source) -> None:
    done = run(experiment, experiment.presets["quick"], store, source=source, preset="quick")
    assert done.verdicts[2].reason == SMALL
    known = record(**{"height at full size": RecordedClaim("held", 1.625, "")})
    body = render("experiment.html", run=done, title="", experiment=None, record=known, changed=())
    assert "settled by the recorded run: held, 1.625" in body and "not at this size" in body
    unmeasured = replace(experiment, claims=(replace(CLAIM),))
    done = run(unmeasured, experiment.presets["quick"], store, source=source, preset="quick")
    assert "nothing measured under" not in page(done) and "measured nothing for it" in page(done)
