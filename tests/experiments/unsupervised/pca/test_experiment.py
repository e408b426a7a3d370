from pathlib import Path

import pytest
import torch

import golden
import own_words
from regard.errors import RegardError
from regard.experiments.unsupervised.linear_autoencoder import critical, gradients, principal
from regard.experiments.unsupervised.pca import experiment
from regard.experiments.unsupervised.pca.experiment import EXPERIMENT, Settings, draw, fitted, run
from regard.experiments.unsupervised.pca.landscape import decay, search
from regard.lab.events import FigureEvent, Metric, TableEvent, TextEvent
from regard.lab.experiment import Context
from saboteurs import Saboteur, covers, fails, small, without_figures


def test_points_are_centred_columns_with_the_stated_variances() -> None:
    x = draw(50_000, 4, torch.Generator().manual_seed(0))
    assert x.shape == (4, 50_000) and x.mean(1).abs().max() < 1e-10
    expected = torch.tensor([1.4 + 8.6 * 0.7**i for i in range(4)], dtype=torch.float64)
    assert torch.allclose(principal(x @ x.T / 50_000)[0], expected, rtol=0.03)


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path) -> None:
    settings = Settings(points=200, width=7, bottleneck=2, steps=600, seeds=2, search_width=3, search_bottleneck=1, starts=30)  # fmt: skip
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == [
        "training",
        "weights",
        "landscape",
    ]
    assert [one.name for one in events if isinstance(one, TableEvent)] == ["conditions", "landscape"]
    values = {one.name: one.value for one in events if isinstance(one, Metric) and not one.at}
    assert values["angle to the principal subspace after training, degrees"] < 0.01
    assert values["relative gap of the gradients to automatic differentiation"] < 1e-12


@pytest.mark.slow
def test_points_of_ones_own(tmp_path: Path) -> None:
    rows = torch.randn(60, 4, generator=torch.Generator().manual_seed(0)).tolist()
    (tmp_path / "mine.csv").write_text("a,b,c,d\n" + "\n".join(",".join(map(str, row)) for row in rows))
    settings = Settings(data=tmp_path / "mine.csv", steps=20, seeds=2, starts=10)
    events = list(run(settings, Context(folder=tmp_path)))
    said, found = [one.text for one in events if isinstance(one, TextEvent)]
    assert "4 columns" in found and "3 principal directions" in found and "After 20 steps" in found
    assert "60 of 60 rows. Columns: a, b, c, d." in said and said.endswith("The code has a width of 3.")
    values = {one.name: one.value for one in events if isinstance(one, Metric) and not one.at}
    own_words.check("pca", events)
    stays = [one for one in EXPERIMENT.claims if not one.data]
    assert len(stays) == 4 and all(one.settle(values[one.name]).state == "held" for one in stays)


def test_codes_are_narrower_than_what_varies() -> None:
    x = torch.randn(2, 30, dtype=torch.float64)
    small = fitted(Settings(), torch.cat([x, x[:1] + x[1:]]))
    assert (small.width, small.bottleneck, small.search_width, small.search_bottleneck) == (3, 1, 3, 1)


def test_columns_of_no_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(
        RegardError, match="columns describe points of your own\n  got: columns=a,b, and no data"
    ):
        list(run(Settings(columns=("a", "b")), Context(folder=tmp_path)))


def at(name: str, value):
    return lambda patch: patch.setattr(experiment, name, value)


def halved(objective, leaves, *more, **words):
    """Automatic differentiation that loses the factor 2, where the experiment calls it itself."""
    found = differentiate(objective, leaves, *more, **words)
    return found if words else tuple(slope / 2 for slope in found)


def short(encoder, decoder, covariance):
    """Gradients from which the rest I − W₂W₁ is missing."""
    return -2 * decoder.mT @ covariance * 1e-3, -2 * covariance @ encoder.mT * 1e-3


def halted(encoder, decoder, covariance):
    """No gradient where the weights have grown to some size."""
    still = encoder.norm() > 0.5 if encoder.dim() == 3 else False
    return tuple(0 * one if still else one for one in gradients(encoder, decoder, covariance))


def alike(shape, scale, generator):
    """The same random weights for every seed."""
    return tuple(one.expand(shape[0], -1, -1) for one in right_weights((1, *shape[1:]), scale, generator))


def turned(covariance):
    """Eigenvectors of another matrix."""
    values, vectors = principal(covariance)
    return values, torch.linalg.qr(torch.ones_like(vectors) + torch.eye(len(vectors), dtype=vectors.dtype)).Q


def level(*arguments):
    """A search that sees no descending direction anywhere."""
    *found, downward = search(*arguments)
    return *found, torch.zeros_like(downward)


differentiate, right_weights = torch.autograd.grad, experiment.weights
SABOTEURS = {
    "automatic differentiation without its factor 2": Saboteur(
        lambda patch: patch.setattr(torch.autograd, "grad", halved),
        {
            "relative gap of the gradients to automatic differentiation",
            "∂L/∂W₂ / Berkeley HW6's expression, times n",
        },
    ),
    "gradients that lack the rest": Saboteur(
        at("gradients", short),
        {
            "gradient at W₂ = W₁ᵀ = U_k, relative to the covariance",
            "gradient at W₂ = U_k C, W₁ = C⁻¹ U_kᵀ for a random C, relative to the covariance",
            "loss after training / sum of the discarded eigenvalues − 1",
        },
    ),
    "other eigenvectors": Saboteur(
        at("principal", turned),
        {
            "angle to the principal subspace after training, degrees",
            "largest distance of a critical point's W₂W₁ to the projector on a set of eigenvectors",
        },
    ),
    "trainings that stop where they are": Saboteur(
        at("gradients", halted), {"largest distance between the products W₂W₁ of two trainings"}
    ),
    "one start for all": Saboteur(
        at("weights", alike), {"smallest distance between the decoders W₂ of two trainings"}
    ),
    "a distance that forgives every mixture": Saboteur(
        at("nearest_signed", lambda decoder, kept: float((decoder - kept @ kept.mT @ decoder).norm())),
        {"smallest distance of a decoder to U_k, whatever the order and the signs"},
    ),
    "a curvature without the encoder": Saboteur(
        at("decay", lambda values, bottleneck: 2 * decay(values, bottleneck)),
        {"decay of the angle / decay from the curvature"},
    ),
    "a search of three starts": Saboteur(
        at("search", lambda covariance, code, starts, generator: search(covariance, code, 3, generator)),
        {"sets of k eigenvectors that the search did not find"},
    ),
    "one direction of descent too many": Saboteur(
        at(
            "critical",
            lambda values, code: (
                (chosen, value, index + 1) for chosen, value, index in critical(values, code)
            ),
        ),
        {"critical points found whose number of descending directions is not the predicted one"},
    ),
    "a search that sees no way down": Saboteur(
        at("search", level), {"critical points found without a descending direction"}
    ),
}


@pytest.mark.parametrize("name", SABOTEURS)
def test_what_is_measured_otherwise_fails_its_claims(name: str, monkeypatch, tmp_path: Path) -> None:
    without_figures(monkeypatch, experiment)
    settings = Settings(
        points=200, width=7, bottleneck=2, steps=600, seeds=3, search_width=3, search_bottleneck=1, starts=30
    )
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)
