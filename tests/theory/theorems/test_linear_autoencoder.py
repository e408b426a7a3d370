import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA

import golden
from regard.theory.theorem import bindings
from regard.theory.theorems.linear_autoencoder import THEOREM, _data, fit
from regard.theory.value import value


def test_the_written_gradients_are_torchs() -> None:
    known = bindings(THEOREM, np.random.default_rng(22))
    x, encoder, decoder = (torch.from_numpy(known[name]) for name in ("X", "W_1", "W_2"))
    encoder.requires_grad_(), decoder.requires_grad_()
    (((x - decoder @ encoder @ x) ** 2).sum() / x.shape[1]).backward()
    assert value(r"-\frac{2}{n} R X X^\top W_1^\top", known) == pytest.approx(decoder.grad.numpy())
    assert value(r"-\frac{2}{n} W_2^\top R X X^\top", known) == pytest.approx(encoder.grad.numpy())


def test_training_finds_the_span_of_the_principal_components() -> None:
    x = _data(np.random.default_rng(23), 1)
    peer = PCA(2).fit(x[0].T)
    assert fit(x, 2, np.random.default_rng(24))[0] == pytest.approx(
        peer.components_.T @ peer.components_, abs=1e-8
    )


def test_the_data_are_centred_unless_they_are_moved() -> None:
    random = np.random.default_rng(25)
    assert np.abs(_data(random, 2).mean(2)).max() < 1e-12
    assert np.linalg.norm(_data(random, 1, 3.0).mean(2)) == pytest.approx(3.0)


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
