import pytest
import torch

from regard.errors import RegardError
from regard.experiments.unsupervised.autoencoders.probe import fit_probe


def cloud(
    repeats: int = 2, rows: int = 150, width: int = 5, classes: int = 3
) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    labels = torch.randint(classes, (rows,), generator=generator)
    centres = torch.randn(repeats, classes, width, generator=generator, dtype=torch.float64)
    noise = torch.randn(repeats, rows, width, generator=generator, dtype=torch.float64)
    return 3 + 10 * (centres[:, labels] + noise), labels


@pytest.mark.parametrize("strength", [0.05, 1.0])
def test_it_is_scikit_learns_logistic_regression_after_its_scaler(strength: float) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    z, labels = cloud()
    ours = fit_probe(z, labels, classes=3, strength=strength, tolerance=1e-8).scores(z).softmax(-1)
    for repeat in range(2):
        scaled = preprocessing.StandardScaler().fit_transform(z[repeat].numpy())
        peer = linear_model.LogisticRegression(C=strength, tol=1e-10, max_iter=10_000)
        expected = peer.fit(scaled, labels.numpy()).predict_proba(scaled)
        assert (ours[repeat] - torch.from_numpy(expected)).abs().max() < 1e-4


def test_one_among_others_is_what_it_is_alone() -> None:
    z, labels = cloud(repeats=3)
    together = fit_probe(z, labels, classes=3, tolerance=1e-8).scores(z).softmax(-1)
    for repeat in range(3):
        single = (
            fit_probe(z[repeat, None], labels, classes=3, tolerance=1e-8).scores(z[repeat, None]).softmax(-1)
        )
        assert (single[0] - together[repeat]).abs().max() < 1e-4


def test_it_does_not_see_the_unit_of_a_feature_and_ignores_one_that_never_changes() -> None:
    z, labels = cloud(repeats=1)
    scaled = z * torch.tensor([1.0, 1e3, 1e-2, 1.0, 7.0], dtype=z.dtype)
    constant = torch.cat([z, torch.full_like(z[..., :1], 5.0)], -1)
    plain = fit_probe(z, labels, classes=3, tolerance=1e-8)
    for other in (scaled, constant):
        probe = fit_probe(other, labels, classes=3, tolerance=1e-8)
        assert (probe.scores(other).softmax(-1) - plain.scores(z).softmax(-1)).abs().max() < 1e-4
    assert fit_probe(constant, labels, classes=3, tolerance=1e-8).weight[0, -1].abs().max() == 0


def test_a_label_too_many_is_told() -> None:
    z, labels = cloud(rows=10)
    with pytest.raises(RegardError) as told:
        fit_probe(z, labels, classes=2)
    assert str(told.value) == (
        "every point needs a label below the number of classes\n"
        "  got: 10 points, 10 labels up to 2, 2 classes\n"
        "  fix: pass one label for each point, from 0 to classes - 1"
    )
