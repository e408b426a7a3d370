"""What comes with the package: small, sound, and each thing says how it was made."""

import json

import numpy

from regard.lab.store.models import stored_models
from regard.web.bundle import FOLDER, Bundled

MOST = 4_000_000
"Bytes of all of it."


def test_it_is_small_and_speaks_of_no_machine() -> None:
    files = [file for file in FOLDER.rglob("*") if file.is_file()]
    assert 0 < sum(file.stat().st_size for file in files) < MOST
    for file in files:
        if file.suffix in (".json", ".jsonl"):
            text = file.read_text(encoding="utf-8")
            assert "/home/" not in text and "/work/" not in text and "/root/" not in text, file
    assert {file.suffix for file in files} <= {".json", ".jsonl", ".svg", ".safetensors"}


def test_recorded_runs_are_whole() -> None:
    runs = Bundled().runs.runs()
    assert len(runs) >= 4
    for run in runs:
        assert (run.state, run.problem) == ("finished", None) and run.verdicts
        for name, _, _ in run.figures:
            assert run.figure(name) is not None, (run.id, name)


def test_models_are_small_and_say_how_they_were_made() -> None:
    found = {one.path.name: one for one in stored_models(Bundled().models)}
    assert "shakespeare" in found and set(found) == set(Bundled().about)
    for name, one in found.items():
        assert sum(file.stat().st_size for file in one.path.iterdir()) < 1_000_000
        assert one.sizes()["parameters"] and Bundled().about[name]["made"]


def test_graphs_have_weights_that_sum_to_one_at_every_node() -> None:
    for id, graph in Bundled().graphs.items():
        assert graph["id"] == id and graph["made"]
        target = numpy.array([one["target"] for one in graph["edges"]])
        source = numpy.array([one["source"] for one in graph["edges"]])
        whole = {one["id"] for one in graph["nodes"]} if id == "karate" else set(graph["centres"])
        for layers in [graph["layers"], *(one["layers"] for one in graph["epochs"] if "layers" in one)]:
            for head in (head for layer in layers for head in layer["heads"]):
                sums = {node: sum(numpy.array(head)[target == node]) for node in whole}
                assert all(abs(total - 1) < 0.03 for total in sums.values()), (id, sums)
        assert set(source) <= {one["id"] for one in graph["nodes"]}


def test_the_mixtures_show_what_the_theorem_says() -> None:
    mixture = Bundled().mixtures
    assert mixture is not None and len(mixture["points"]) <= 2000 and "CC BY" in mixture["made"]
    first, last = mixture["frames"][0], mixture["frames"][-1]
    assert last["gaussian"]["loglik"] > first["gaussian"]["loglik"] + 0.3
    for frame in mixture["frames"]:
        assert frame["uniform"]["centres"] == first["uniform"]["centres"]  # boxes never move
        assert not any(frame["uniform"]["gradient"])
        assert abs(sum(frame["gaussian"]["weights"]) - 1) < 1e-2
    assert all(
        b <= a
        for one, two in zip(first["uniform"]["sizes"], last["uniform"]["sizes"], strict=True)
        for a, b in zip(one, two, strict=True)
    )


def test_an_empty_folder_has_nothing(tmp_path) -> None:
    empty = Bundled(tmp_path)
    assert (empty.graphs, empty.mixtures, empty.about, empty.runs.runs()) == ({}, None, {}, [])


def test_every_json_is_plain() -> None:
    for name in ("karate", "cora", "mixtures"):
        json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"), parse_constant=lambda word: 1 / 0)
