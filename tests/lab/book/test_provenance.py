from dataclasses import dataclass, replace
from pathlib import Path

from regard.lab.book.provenance import command, provenance
from regard.lab.events import Metric
from regard.lab.runner import run


def test_a_number_can_be_traced_to_its_command_seeds_code_machine_and_time(experiment, store, source) -> None:
    done = run(experiment, experiment.presets["quick"], store, source=source, preset="quick", seed=4)
    told = dict(provenance(done))
    assert (
        told["run"] == done.id and told["command"] == f"regard run {source.relative_to(Path.cwd())} --seed 4"
    )
    assert told["seed"] == "4" and told["seeds measured"] == "0 to 2"
    assert done.request["key"].startswith(told["code key"]) and len(told["code key"]) == 16
    assert told["started"][:10] == done.request["started"][:10] and told["took"].endswith(" s")
    assert "torch" in told["versions"] and "cores" in told["machine"]


def test_the_command_has_preset_and_changes(experiment, store, source) -> None:
    settings = experiment.presets["full"]
    ours = replace(experiment, chapter="graphs")
    done = run(ours, settings, store, source=source, preset="full", changes=["height=2"])
    assert command(done) == "regard run heights --preset full --set height=2"


def test_the_command_of_ones_own_experiment_has_its_file_as_it_is_called_from_here(
    experiment, store, source, monkeypatch, tmp_path
) -> None:
    done = run(experiment, experiment.presets["quick"], store, source=source, preset="quick")
    monkeypatch.chdir(source.parent)
    assert command(done) == f"regard run {source.name}"
    monkeypatch.chdir(tmp_path)
    assert command(done) == f"regard run {source}"


def test_the_command_of_a_verb_of_its_own_has_all_its_words(
    experiment, store, source, monkeypatch, tmp_path
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [str(tmp_path / "my tales.txt"), "--tokenizer", "bytes"]
    other = replace(experiment, verb="train")
    done = run(other, other.presets["quick"], store, source=source, preset="mine", words=words)
    assert command(done) == "regard train 'my tales.txt' --tokenizer bytes"


def test_the_command_under_torchrun_has_its_processes(experiment, store, source, monkeypatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("WORLD_SIZE", "8")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    ours = replace(experiment, chapter="graphs")
    done = run(ours, ours.presets["quick"], store, source=source, preset="quick")
    assert command(done) == "torchrun --nnodes 2 --nproc-per-node 4 -m regard run heights"


@dataclass(frozen=True, kw_only=True)
class Folded:
    folds: int = 4


def test_repeats_that_are_no_seeds_are_called_what_they_are(experiment, store, source) -> None:
    folded = replace(experiment, presets={"quick": Folded()}, run=lambda settings, context: iter(
        [Metric("height", 1.5, place) for place in range(settings.folds)]))  # fmt: skip
    told = dict(provenance(run(folded, Folded(), store, source=source, preset="quick")))
    assert told["folds measured"] == "0 to 3" and "seeds measured" not in told


def test_repeats_of_different_kinds_have_no_range_in_common(experiment, store, source) -> None:
    def measure(settings, context):
        yield from (Metric("height", 1.5, training) for training in range(3))
        yield from (Metric("share of works", 0.5, work) for work in range(55))

    done = run(
        replace(experiment, run=measure), experiment.presets["quick"], store, source=source, preset="quick"
    )
    assert not any(word.endswith("measured") for word, _ in provenance(done))
