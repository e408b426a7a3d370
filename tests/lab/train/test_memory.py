"""Memory of a training: the estimate beside what a step really keeps, and what is free."""

from dataclasses import replace
from math import inf
from pathlib import Path

import pytest
import torch

from regard.lab.train.memory import (
    SHARE,
    free_bytes,
    judged_rows,
    largest_batch,
    per_layer,
    step_bytes,
)
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.models.gpt.presets import AMSTERDAM, GPT2, SIZES, SWIFT
from regard.training import cross_entropy
from regard.training.sharded.fit import state_bytes

PLAIN = replace(GPT2, vocabulary=65, dropout=0.0)
FORMS = {
    "swift": SWIFT,
    "gpt2": PLAIN,
    "dropout": replace(PLAIN, dropout=0.1),
    "swift with dropout": replace(SWIFT, dropout=0.2),
    "root mean square": AMSTERDAM,
    "swiglu": replace(SWIFT, activation="swiglu"),
    "two hidden layers": replace(PLAIN, layers=2),
    "narrow": replace(PLAIN, ratio=1.0),
    "linear": replace(SWIFT, attention="linear", position="none"),
    "alibi": replace(PLAIN, position="alibi"),
    "relative": replace(PLAIN, position="relative"),
}


def kept(config: GPTConfig, batch: int, window: int) -> int:
    """Bytes that a forward pass really keeps for its gradient, parameters left out."""
    torch.manual_seed(0)
    model = GPT(config).train()
    own = {one.untyped_storage().data_ptr() for one in (*model.parameters(), *model.buffers())}
    found: dict[int, torch.Tensor] = {}

    def pack(x: torch.Tensor) -> torch.Tensor:
        if x.untyped_storage().data_ptr() not in own:
            found[x.untyped_storage().data_ptr()] = x
        return x

    ids = torch.randint(config.vocabulary, (batch, window))
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        cross_entropy(model, (ids, ids))
    return sum(x.untyped_storage().nbytes() for x in found.values())


@pytest.mark.parametrize("window", [32, 128])
@pytest.mark.parametrize("form", FORMS)
def test_a_block_keeps_about_what_is_estimated(form: str, window: int) -> None:
    config = replace(FORMS[form], width=48, heads=3, context=window)
    one, two = (kept(replace(config, depth=depth), 2, window) for depth in (1, 2))
    real = (two - one) / (4 * 2 * window * config.width)
    assert 0.95 * real <= per_layer(config, window) <= 1.6 * real, (per_layer(config, window), real)


def test_a_step_takes_the_state_the_activations_and_the_logits() -> None:
    config = replace(PLAIN, width=48, heads=3, context=64, depth=3, vocabulary=1000)
    model = GPT(config)
    real = state_bytes(model) + kept(config, 64, 64)
    assert real <= step_bytes(config, 64, 64) <= 2 * real
    # The logits alone: twice the vocabulary takes that much more, and its table.
    more = step_bytes(replace(config, vocabulary=2000), 64, 64) - step_bytes(config, 64, 64)
    assert more == 3 * 4 * 64 * 64 * 1000 + state_bytes(torch.nn.Embedding(1000, 48))


def test_the_state_alone_is_held_twice_where_a_checkpoint_is_made() -> None:
    config = replace(PLAIN, width=48, heads=3, context=8)
    assert step_bytes(config, 1, 8) == 2 * state_bytes(GPT(config))


def test_the_largest_batch_is_the_last_that_fits() -> None:
    depth, heads, width = SIZES["gpt2"]
    config = replace(SWIFT, depth=depth, heads=heads, width=width, context=512)
    for free in (6e9, 12e9, 20e9):
        batch = largest_batch(config, 64, 512, free)
        assert 1 < batch < 64
        assert step_bytes(config, batch, 512) <= SHARE * free < step_bytes(config, batch + 1, 512)
    assert largest_batch(config, 64, 512, inf) == 64 and largest_batch(config, 64, 512, 1e9) == 0


def test_fewer_windows_are_judged_at_once_where_the_vocabulary_is_large() -> None:
    assert judged_rows(64, SWIFT, 512) == 64
    assert [judged_rows(64, GPT2, window) for window in (64, 1024, 10**6)] == [41, 2, 1]


def files(root: Path, **content: str) -> Path:
    for name, text in content.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_what_is_free_is_the_least_of_machine_and_container(tmp_path: Path) -> None:
    assert free_bytes("cpu", tmp_path) == inf
    files(tmp_path, proc__meminfo="MemTotal:  900 kB\nMemAvailable:  800 kB\n")
    assert free_bytes("cpu", tmp_path) == 800 * 1024
    group = {"sys__fs__cgroup__memory_dot_max": "max\n", "sys__fs__cgroup__memory_dot_current": "1000\n"}
    files(tmp_path, **group)
    assert free_bytes("cpu", tmp_path) == 800 * 1024
    files(tmp_path, sys__fs__cgroup__memory_dot_max="5000\n")
    assert free_bytes("cpu", tmp_path) == 4000
    files(tmp_path, sys__fs__cgroup__memory_dot_stat="anon 7\ninactive_file 300\n")
    assert free_bytes("cpu", tmp_path) == 4300


def test_an_older_kind_of_container_is_known_too(tmp_path: Path) -> None:
    old = "sys__fs__cgroup__memory__memory_dot_"
    files(tmp_path, **{f"{old}limit_in_bytes": "5000", f"{old}usage_in_bytes": "6000"})
    assert free_bytes("cpu", tmp_path) == 0
    files(tmp_path, **{f"{old}stat": "total_inactive_file 2500\n"})
    assert free_bytes("cpu", tmp_path) == 1500


def test_this_machine_has_something_free_and_another_device_is_not_asked() -> None:
    assert 0 < free_bytes("cpu") <= inf
    assert free_bytes("mps") == inf
