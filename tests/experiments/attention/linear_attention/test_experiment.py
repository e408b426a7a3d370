import pytest
import torch

import golden
from regard.core.similarity import Kernel
from regard.experiments.attention.linear_attention import experiment as linear_attention
from regard.experiments.attention.linear_attention.experiment import EXPERIMENT, Settings, run
from regard.experiments.attention.linear_attention.forms import FORMS, MATRICES, short_forms
from regard.lab.bench import Growth
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context
from saboteurs import Saboteur, covers, fails, small, states, without_figures


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(
        linear_attention,
        "growth",
        lambda prepare, form, length, width: Growth(int(length) ** 2, "a stand-in"),
    )
    settings = Settings(width=3, lengths=(8, 16, 32), rounds=1, memory=(8, 16), rank=2)
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    values = {one.name: one.value for one in events if isinstance(one, Metric) and not one.at}
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["cost", "rank"]
    assert (
        values["gap between the linear form and the kernel form"] < 1e-10
        and values["memory of softmax at the larger N / at the smaller"] == 4
    )


SMALL = Settings(width=16, lengths=(256, 512, 1024), rounds=1, memory=(128, 1024), rank=8)
SQUARE = "length from which it needs fewer operations, linear, (q·k + 1)²"


def grows(form: str, length: float) -> Growth:
    """A stand-in for a process of its own: the numbers that the form keeps, 64 bytes each."""
    return Growth(
        64 * linear_attention.kept(linear_attention.MATRICES[form], int(length), SMALL.width), "counted"
    )


def spoiled(q, k, v, **words):
    """Attention whose fast way forgets to divide."""
    found = linear_attention_attend(q, k, v, **words)
    return found._replace(output=2 * found.output) if words["backend"] == "linear" else found


linear_attention_attend = linear_attention.attend
SABOTEURS = {
    "a map without roots": Saboteur(
        lambda patch: patch.setattr(linear_attention, "polynomial", lambda x: torch.cat([linear_attention.rootless(x), 2 * x], -1)),
        {"gap between φ(q)·φ(k) and (q·k + 1)²", "difference between the number of features and (D + 1)(D + 2)/2"},
    ),
    "roots where the text has none": Saboteur(
        lambda patch: patch.setattr(linear_attention, "rootless", linear_attention.polynomial), {"gap of the feature map without √2 on its linear terms"}
    ),
    "a fast way that forgets to divide": Saboteur(
        lambda patch: patch.setattr(linear_attention, "attend", spoiled), {"gap between the linear form and the kernel form"}
    ),
    "queries and keys without negative entries": Saboteur(
        lambda patch: patch.setattr(linear_attention.torch, "randn", lambda *shape, **words: right_randn(*shape, **words).abs()),
        {"share of rows with a negative denominator under the plain product q·k"},
    ),
    "features that may be negative": Saboteur(
        lambda patch: patch.setattr(linear_attention, "elu_plus_one", lambda x: x), {"largest output / largest value under elu + 1"}
    ),
    "softmax and linear attention exchanged": Saboteur(
        lambda patch: (
            patch.setattr(linear_attention, "FORMS", {"softmax": FORMS["linear, elu + 1"], "linear, elu + 1": FORMS["softmax"], "linear, (q·k + 1)²": FORMS["softmax"]}),
            patch.setattr(linear_attention, "MATRICES", {"softmax": MATRICES["linear, elu + 1"], "linear, elu + 1": MATRICES["softmax"]}),
        ),
        {
            "largest share by which counted operations differ from the formula", "exponent of the operations in N, softmax",
            "exponent of the operations in N, linear, elu + 1", SQUARE, "largest share by which the numbers kept differ from the formula",
            "exponent of the numbers kept in N, softmax", "exponent of the numbers kept in N, linear, elu + 1", "memory at the larger N, softmax / linear",
        },
    ),
    "singular vectors in the wrong order": Saboteur(
        lambda patch: patch.setattr(linear_attention.torch.linalg, "svd", backwards(torch.linalg.svd)),
        {"largest error of the low-rank form / first discarded singular value", "gap between QKᵀV and Q(CK)ᵀDV with C = D of the right singular vectors"},
    ),
    "a rank that grows with the length": Saboteur(
        lambda patch: patch.setattr(linear_attention, "short_forms", lambda n, rank, width: short_forms(n, n // 16, width)),
        {"exponent of the operations in N, low rank", "exponent of the operations in N, projected"},
    ),
}  # fmt: skip
right_randn = torch.randn


def backwards(svd):
    def other(matrix):
        left, values, right = svd(matrix)
        return left.flip(1), values, right.flip(0)

    return other


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTEURS)
def test_another_form_fails_its_claims(name: str, monkeypatch, tmp_path) -> None:
    without_figures(monkeypatch, linear_attention)
    monkeypatch.setattr(linear_attention, "growth", lambda prepare, form, length, width: grows(form, length))
    monkeypatch.setattr(linear_attention, "Kernel", lambda phi: Kernel(phi, nonnegative=True))
    if "exchanged" not in name:
        monkeypatch.setattr(linear_attention, "_cost", lambda settings: ())
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, SMALL, tmp_path))


@pytest.mark.slow
def test_every_claim_has_a_saboteur_and_holds_without(monkeypatch, tmp_path) -> None:
    without_figures(monkeypatch, linear_attention)
    monkeypatch.setattr(linear_attention, "growth", lambda prepare, form, length, width: grows(form, length))
    covers(EXPERIMENT, SABOTEURS)
    found = states(EXPERIMENT.claims, run(SMALL, Context(folder=tmp_path)))
    assert set(found.values()) == {"held"}, found
