"""Linear attention by kernels equals the reference, in value and gradient, at every boundary of its chunks."""

import pytest
import torch

from kernels import DEVICE
from regard import Causal, Divide, Kernel, Raw, attend, elu_plus_one
from regard.core.backends.gpu import linear

SIZES = {  # rows, query heads, key heads, tokens, channels of keys and values
    "one chunk": (1, 2, 2, 5, 3, 2),
    "a chunk and one more": (2, 1, 1, 17, 16, 16),
    "shared keys, three chunks": (1, 4, 2, 40, 5, 18),
}


@pytest.mark.slow
@pytest.mark.parametrize("divide", [True, False])
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_equals_the_reference_in_value_and_gradient(sizes, divide: bool, monkeypatch) -> None:
    monkeypatch.setattr(linear, "CHUNK", 32)
    b, h, g, n, d, c = sizes
    generator = torch.Generator().manual_seed(n)
    shapes = (b, h, n, d), (b, g, n, d), (b, g, n, c)
    leaves = [torch.randn(shape, generator=generator).to(DEVICE).requires_grad_() for shape in shapes]
    slope = torch.randn(b, h, n, c, generator=generator).to(DEVICE)
    words = {"similarity": Kernel(elu_plus_one), "support": Causal(), "backend": "reference"}
    wanted = attend(*leaves, **words, normalise=Divide() if divide else Raw()).output
    found = linear.Chunked.apply(*leaves, "elu", divide)
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
    for own, other in zip(
        torch.autograd.grad(found, leaves, slope), torch.autograd.grad(wanted, leaves, slope), strict=True
    ):
        torch.testing.assert_close(own, other, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
def test_a_map_that_the_kernels_do_not_know_is_applied_before_them() -> None:
    q, k, v = (torch.rand(1, 2, 9, 4).to(DEVICE) for _ in range(3))
    words = {"similarity": Kernel(elu_plus_one), "support": Causal(), "normalise": Divide()}
    wanted = attend(q, k, v, **words, backend="reference").output
    found = linear.Chunked.apply(elu_plus_one(q), elu_plus_one(k), v, "", True)
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


def test_what_is_too_wide_or_too_exact_is_left_to_torch() -> None:
    x = torch.zeros(1, 1, 3, linear.WIDEST)
    assert linear.fits(x, x)
    assert not linear.fits(x.double(), x.double())
    assert not linear.fits(x, torch.zeros(1, 1, 3, linear.WIDEST + 1))
    assert linear.fits(x[:, :, :1], x[:, :, :1]) and not linear.fits(x[:, :, :0], x[:, :, :0])
    assert not linear.fits(x[..., :0], x) and not linear.fits(x, x[..., :0])


@pytest.mark.parametrize(("kind", "room"), [(torch.bfloat16, 1), (torch.float32, 2), (torch.float16, 2)])
def test_a_chunk_is_shorter_where_numbers_or_channels_are_wider(kind: torch.dtype, room: int) -> None:
    def sizes(d: int, c: int) -> linear.Sizes:
        q, k, v = (torch.zeros(2, heads, 300, width, dtype=kind) for heads, width in ((6, d), (3, d), (3, c)))
        return linear.Sizes.of(q, k, v)

    narrow = sizes(64, 5)
    assert (narrow.heads, narrow.group, narrow.n) == (6, 2, 300)
    assert narrow.chunk == linear.CHUNK // room
    assert sizes(65, 5).chunk == sizes(5, 65).chunk == linear.CHUNK // room // 2
    assert narrow.chunks * narrow.chunk >= 300 > (narrow.chunks - 1) * narrow.chunk
    assert narrow.states().shape == (6 * narrow.chunks, 64 * 5 + 64)
    assert narrow.words("elu")["num_warps"] == (8 if narrow.chunk == linear.CHUNK else 4)
