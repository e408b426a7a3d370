from regard.lab.book.provenance import command, provenance
from regard.lab.runner import run


def test_a_number_can_be_traced_to_its_command_seeds_code_machine_and_time(experiment, store, source) -> None:
    done = run(experiment, experiment.presets["quick"], store, source=source, preset="quick", seed=4)
    told = dict(provenance(done))
    assert told["run"] == done.id and told["command"] == "regard run heights --seed 4"
    assert told["seed"] == "4" and told["seeds measured"] == "0 to 2"
    assert done.request["key"].startswith(told["code key"]) and len(told["code key"]) == 16
    assert told["started"][:10] == done.request["started"][:10] and told["took"].endswith(" s")
    assert "torch" in told["versions"] and "cores" in told["machine"]


def test_the_command_has_preset_and_changes(experiment, store, source) -> None:
    settings = experiment.presets["full"]
    done = run(experiment, settings, store, source=source, preset="full", changes=["height=2"])
    assert command(done) == "regard run heights --preset full --set height=2"
