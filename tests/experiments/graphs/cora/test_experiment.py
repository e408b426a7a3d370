"""The experiment on a small graph in Cora's form; its formulas with matrices by hand."""

from math import exp
from pathlib import Path

import pytest
import torch

import golden
import own_words
from regard.core.edges import Edges
from regard.core.similarity import Additive
from regard.data.sets.graphs import FIELDS, Network
from regard.errors import RegardError, Unreachable
from regard.experiments.graphs.cora import experiment as cora
from regard.experiments.graphs.cora.experiment import (
    EXPERIMENT,
    Settings,
    dense_attention,
    dense_convolution,
    run,
)
from regard.experiments.graphs.cora.nodes import ATTENTION, VARIANTS
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, TableEvent, TextEvent
from regard.lab.experiment import FOUND, Context


def small() -> Network:
    """Seven rings of eleven papers, a bridge between neighbours; words that give a field away now and then."""
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(77) % 7
    ring = torch.arange(77)
    source, target = torch.cat([ring, ring[::10]]), torch.cat([(ring + 7) % 77, (ring[::10] + 1) % 77])
    words = (torch.rand(77, 29, generator=generator) < 0.1).float()
    words[ring, labels] = (torch.rand(77, generator=generator) < 0.7).float()
    words[:, 28] = 1.0
    parts = (ring < 28, (ring >= 28) & (ring < 49), ring >= 49)
    return Network(
        features=words, source=torch.cat([source, target]), target=torch.cat([target, source]), labels=labels, classes=FIELDS,
        train=parts[0], validation=parts[1], test=parts[2], said="Seven rings.",
    )  # fmt: skip


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    patch = pytest.MonkeyPatch()
    patch.setattr(cora, "load_cora", small)
    try:
        return list(
            run(
                Settings(seeds=2, explained=2, ablated=2, epochs=8),
                Context(folder=tmp_path_factory.mktemp("run")),
            )
        )
    finally:
        patch.undo()


@pytest.mark.slow
def test_all_numbers_are_those_of_before(events: list) -> None:
    golden.check(__file__, golden.of_events(events))


def measured(events: list[Event], name: str) -> list[float]:
    return [one.value for one in events if isinstance(one, Metric) and one.name == name]


@pytest.mark.slow
def test_every_claim_is_measured(events: list[Event]) -> None:
    there = {one.name for one in events if isinstance(one, Metric | PairedMetric)}
    assert {claim.name for claim in EXPERIMENT.claims} <= there


@pytest.mark.slow
def test_the_layers_are_the_formulas(events: list[Event]) -> None:
    for name in ("GraphConvolution", "GraphAttention"):
        (gap,) = measured(events, f"{name}: largest gap to the formula with matrices")
        assert gap < 1e-12


def test_both_networks_are_trained_from_the_same_seeds(events: list[Event]) -> None:
    assert (
        len(measured(events, "GCN: test accuracy, %")) == len(measured(events, "GAT: test accuracy, %")) == 2
    )
    pairs = [one for one in events if isinstance(one, PairedMetric)]
    assert all(one.first.keys() == one.second.keys() == {0, 1} for one in pairs)


def test_the_disagreement_adds_up(events: list[Event]) -> None:
    (table,) = (one for one in events if isinstance(one, TableEvent) and one.name == "disagreement")
    tests = {name: measured(events, f"{name}: test accuracy, %") for name in ("GCN", "GAT")}
    for seed, both, attention, convolution, neither, _ in table.rows:
        assert both + attention + convolution + neither == 28
        assert tests["GAT"][seed] == pytest.approx(100 * (both + attention) / 28, abs=1e-3)
        assert tests["GCN"][seed] == pytest.approx(100 * (both + convolution) / 28, abs=1e-3)


def test_the_entropy_of_attention_is_at_most_that_of_equal_weights(events: list[Event]) -> None:
    for name in ("first", "second"):
        found = measured(events, f"entropy of attention / that of equal weights, {name} layer")
        assert len(found) == 2 and all(0 < one <= 1 + 1e-6 for one in found)


def test_figures_are_drawn(events: list[Event]) -> None:
    assert {one.name for one in events if isinstance(one, FigureEvent)} == {
        "seeds", "lead", "neighbours", "entropy", "embedding", "ablation"
    }  # fmt: skip


def test_without_cora_the_run_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def away() -> Network:
        raise Unreachable("cora is not reachable from here", "nothing", "connect to a network")

    monkeypatch.setattr(cora, "load_cora", away)
    with pytest.raises(Unreachable):
        list(run(Settings(), Context(folder=tmp_path)))


def test_a_variant_changes_one_thing() -> None:
    for recipe in VARIANTS.values():
        changed = [name for name in vars(ATTENTION) if getattr(recipe, name) != getattr(ATTENTION, name)]
        assert len(changed) == 1


def test_the_formulas_with_matrices_by_hand() -> None:
    """Two nodes, one edge from 1 to 0, loops: node 0 takes from both, node 1 from itself."""
    edges = Edges(torch.tensor([0, 1, 1]), torch.tensor([0, 1, 0]), nodes=2)
    x = torch.tensor([[1.0], [3.0]], dtype=torch.float64)
    one, score = torch.ones(1, 1, dtype=torch.float64), Additive(heads=1, width=1).double()
    with torch.no_grad():
        score.target.fill_(1.0)
        score.source.fill_(1.0)
        # Degrees, loops counted, are 2 and 1: row 0 is 1/2 and 1/sqrt(2), row 1 is 1.
        assert dense_convolution(x, one, edges)[:, 0].tolist() == pytest.approx([0.5 + 3 / 2**0.5, 3.0])
        share = exp(4) / (exp(2) + exp(4))
        assert dense_attention(x, one, score, edges)[:, 0].tolist() == pytest.approx([1 + 2 * share, 3.0])


@pytest.mark.slow
def test_a_graph_of_ones_own_takes_coras_place(tmp_path: Path) -> None:
    ring = [(node, (node + 1) % 40) for node in range(40)]
    (tmp_path / "edges.csv").write_text("\n".join(f"{a},{b}" for a, b in ring))
    (tmp_path / "nodes.csv").write_text(
        "id,size,kind\n" + "\n".join(f"{n},{n},{'abc'[n // 14]}" for n in range(40))
    )
    settings = Settings(
        graph=tmp_path / "edges.csv", nodes=tmp_path / "nodes.csv", seeds=2, explained=2, epochs=4
    )
    events = list(run(settings, Context(folder=tmp_path)))
    said, found = [one for one in events if isinstance(one, TextEvent)]
    assert said.name == "Your graph" and "a 14, b 14, c 12" in said.text
    assert found.name == FOUND and "over 2 seeds each" in found.text and "Without the edges" in found.text
    named = {one.name for one in events if isinstance(one, Metric | PairedMetric)}
    assert {one.name for one in EXPERIMENT.claims if not one.data} <= named
    assert [one.data for one in EXPERIMENT.claims].count("graph") == len(EXPERIMENT.claims) - 2
    own_words.check("cora", events)


def test_a_graph_without_classes_is_told(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n")
    with pytest.raises(RegardError) as error:
        list(run(Settings(graph=tmp_path / "edges.csv"), Context(folder=tmp_path)))
    assert str(error.value) == (
        "this experiment learns the classes of nodes: two or more, of at most 20,000 nodes\n"
        f"  got: 0 classes and 3 nodes in {tmp_path / 'edges.csv'}\n"
        "  fix: give the labels with --set nodes=FILE, a CSV with a row for each node: its name, its label"
    )
