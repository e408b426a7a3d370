"""Graph algebra: a small run, whose measurements are those that the claims speak of."""

from regard.experiments.graphs.graph_algebra.experiment import EXPERIMENT, GIVEN, Settings, run
from regard.experiments.graphs.graph_algebra.noise import Noise
from regard.lab.events import Compared, Drawn, Measured, Tabled
from regard.lab.experiment import Session

SMALL = Settings(longest=3, draws=20_000, noise=Noise(nodes=24, strangers=(0, 3), steps=2, seeds=2))


def events(tmp_path) -> list:
    return list(run(SMALL, Session(folder=tmp_path)))


def test_a_small_run_settles_what_needs_no_training(tmp_path):
    made = events(tmp_path)
    found = {one.name: one.value for one in made if isinstance(one, Measured) and not one.at}
    compared = {one.name for one in made if isinstance(one, Compared)}
    assert {claim.name for claim in EXPERIMENT.claims} <= found.keys() | compared
    trained = {name for name in found if "strangers" in name}
    failed = [c.name for c in EXPERIMENT.claims if c.name in found.keys() - trained and c.settle(found[c.name]).state != "held"]  # fmt: skip
    assert not failed
    assert {one.name for one in made if isinstance(one, Drawn)} == {"graphs", "oversmoothing", "noise"}
    assert {one.name for one in made if isinstance(one, Tabled)} == {
        "matrices", "walks", "laplacian", "median", "neighbours", "cost",
    }  # fmt: skip


def test_a_wrong_matrix_would_be_seen(tmp_path, monkeypatch):
    rows = [list(row) for row in GIVEN["left, A²"]]
    rows[0][0] = 2
    monkeypatch.setitem(GIVEN, "left, A²", rows)
    name = "entries in which the four matrices differ from the document's"
    assert next(one.value for one in events(tmp_path) if isinstance(one, Measured) and one.name == name) == 1
