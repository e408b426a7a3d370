"""What a benchmark on a GPU waits for and counts."""

import pytest
import torch

from regard.lab import bench_gpu

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")


def test_the_peak_is_what_a_call_takes_at_its_height() -> None:
    above, most = bench_gpu.peak(lambda: torch.zeros(1 << 20, device="cuda").sum())
    assert 4 << 20 <= above < 5 << 20
    assert most >= above


def test_the_floor_is_at_the_rates_of_this_gpu() -> None:
    found = bench_gpu.device_floor(bytes=1e9, operations=0.0, dtype="float32")
    assert found.bandwidth > 1e10 and found.seconds == 1e9 / found.bandwidth
