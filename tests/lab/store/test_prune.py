from dataclasses import replace

from regard.lab.runner import run
from regard.lab.store.prune import superfluous


def test_what_broke_is_damaged_or_was_made_again_is_superfluous(experiment, store, source) -> None:
    def made(preset: str = "quick", **words):
        return run(experiment, experiment.presets[preset], store, source=source, preset=preset, **words)

    stopped, old, new = made(minutes=1e-9), made(), made()
    made("full"), made(seed=1)
    later = made(minutes=1e-9)
    damaged = made(seed=2)
    (damaged.path / "log.jsonl").write_bytes(b"")
    assert [(one.run.id, one.reason) for one in superfluous(store)] == [
        (stopped.id, "superseded by a later run"),
        (old.id, "superseded by a later run"),
        (damaged.id, "damaged"),
    ]
    assert new.id and later.id  # the newest that finished stays, and so does what was begun after it


def test_a_training_that_keeps_a_model_is_not_superseded(experiment, store, source) -> None:
    def keeping(settings, context):
        (context.folder / "model").mkdir(exist_ok=True)
        (context.folder / "model" / "model.json").write_text("{}")
        yield from experiment.run(settings, context)

    def made(training):
        return run(training, training.presets["quick"], store, source=source, preset="quick")

    training = replace(experiment, name="train", verb="train")
    empty = made(training)
    for _ in range(2):
        made(replace(training, run=keeping))
    assert [one.run.id for one in superfluous(store)] == [empty.id]
