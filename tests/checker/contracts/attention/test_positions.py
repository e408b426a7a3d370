"""Rotary positions inside a layer, held to complex numbers; and what goes wrong with them."""

import numpy as np
import pytest

from regard.checker.contracts.attention.positions import TURNS, turned


def spun(x: np.ndarray, *, half: bool) -> np.ndarray:
    """Every pair of channels as a complex number that is multiplied by a phase."""
    n, d = x.shape[-2:]
    phase = np.exp(1j * np.outer(np.arange(n), 10000.0 ** (-2 * np.arange(d // 2) / d)))
    one, two = (x[..., : d // 2], x[..., d // 2 :]) if half else (x[..., ::2], x[..., 1::2])
    z, y = (one + 1j * two) * phase, np.empty_like(x)
    if half:
        y[..., : d // 2], y[..., d // 2 :] = z.real, z.imag
    else:
        y[..., ::2], y[..., 1::2] = z.real, z.imag
    return y


@pytest.mark.parametrize("half", [True, False])
def test_pairs_turn_with_their_position(*, half: bool) -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 5, 8))
    assert np.allclose(turned(x, half=half), spun(x, half=half))


def test_what_goes_wrong_is_what_it_is_called() -> None:
    rng = np.random.default_rng(1)
    q, k, v, a = *rng.standard_normal((3, 2, 3, 5, 8)), rng.random((2, 3, 5, 5))
    steps = {slug: steps for slug, _, steps in TURNS}
    assert np.allclose(steps["values-turned-halves"]["mix"](a, v), a @ spun(v, half=True))
    (one, two) = steps["queries-alone-turned-pairs"]["place"](q, k)
    assert np.allclose(one, spun(q, half=False)) and (two == k).all()
    (one, two) = steps["keys-alone-turned-pairs"]["place"](q, k)
    assert (one == q).all() and np.allclose(two, spun(k, half=False))
    (one, _) = steps["turned-along-heads-halves"]["place"](q, k)
    assert np.allclose(one[:, :, 4], spun(q[:, :, 4], half=True))
    (one, _) = steps["turned-before-split-halves"]["place"](q, k)
    wide = spun(q.transpose(0, 2, 1, 3).reshape(2, 5, 24), half=True)
    assert np.allclose(one[:, 1], wide[..., 8:16])
