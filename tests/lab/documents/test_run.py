"""The document of a run, of one that is damaged, and of one that broke."""

import json

import pytest

from regard.errors import RegardError
from regard.lab.documents.plain import plain
from regard.lab.documents.run import run_document
from regard.lab.runner import run
from regard.lab.store.run import LOG, REQUEST, Run


def made(experiment, store, source) -> Run:
    return run(experiment, experiment.presets["quick"], store, source=source, preset="quick", seed=7)


def test_a_run_tells_all_that_it_measured(experiment, store, source) -> None:
    done = made(experiment, store, source)
    document = run_document(done)
    assert json.loads(json.dumps(plain(document), allow_nan=False))
    assert (document["kind"], document["state"], document["seed"]) == ("run", "finished", 7)
    assert document["question"] == "How high is it?"
    claims = {one["name"]: one for one in document["claims"]}
    assert claims["height"]["state"] == "held" and abs(claims["height"]["value"] - 1.51) < 1e-12
    assert claims["height at full size"]["state"] == "not settled"
    assert claims["height"]["sentence"] == "As expected (1.4 to 1.6), the height is 1.51."
    numbers = {one["name"]: one for one in document["numbers"]}
    assert numbers["height"]["count"] == 3 and numbers["gain"]["what"] == "new minus old, paired"
    assert document["curves"][0]["axis"] == "step"
    assert document["tables"][0]["rows"] == [["a <b>", 1], ["c", 2.5]]
    assert document["texts"] == [{"name": "a sample", "text": "to be <or> not"}]
    assert document["figures"] == [
        {"name": "line", "caption": "A line.", "url": f"/api/runs/{done.id}/figures/0.svg"}
    ]


def test_a_damaged_run_says_what_is_wrong(experiment, store, source) -> None:
    done = made(experiment, store, source)
    with (done.path / LOG).open("ab") as log:
        log.write(b"more")
    document = run_document(Run(done.path))
    assert document["state"] == "damaged" and document["name"] == "heights"
    assert document["problem"]["what"] == "this run's folder is damaged"
    (done.path / REQUEST).unlink()
    assert run_document(Run(done.path))["problem"]["fix"]


def test_a_broken_run_keeps_what_it_had(experiment, store, source) -> None:
    from dataclasses import replace

    from regard.lab.events import Metric

    def breaking(settings, context):
        yield Metric("height", 1.5)
        raise ZeroDivisionError("by <script>")

    broken = replace(experiment, run=breaking)
    with pytest.raises(RegardError):
        made(broken, store, source)
    (one,) = store.runs()
    document = run_document(one)
    assert (document["state"], document["error"]) == ("broken", "ZeroDivisionError: by <script>")
    assert document["numbers"][0]["mean"] == 1.5


def test_the_answer_and_each_claim_are_sentences_of_the_runs_own_numbers(experiment, store, source) -> None:
    document = run_document(made(experiment, store, source))
    assert document["answer"] == ["As expected (1.4 to 1.6), the height is 1.51."]
    assert document["claims"][0]["sentence"] == document["answer"][0]
    assert document["claims"][2]["sentence"].startswith("Not settled: height at full size (")
