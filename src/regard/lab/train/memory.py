"""Memory of a training: what a step takes, what is free here, and the batch that fits."""

from math import inf
from pathlib import Path

import torch

from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.training.sharded.fit import state_bytes

NUMBER = 4
"Bytes of a number in float32."
LOGITS = 3
"Copies of the logits at the end of a step: themselves, their logarithms, the gradient."
JUDGED = 2**27
"Logits that are made at once where a held-out text is judged: half a GiB."
SHARE = 0.9
"The share of what is free that a training may take."


def step_bytes(config: GPTConfig, batch: int, window: int) -> int:
    """What a step takes, about: parameters, gradients and the optimiser's memory, activations, logits.

    >>> small = GPTConfig(vocabulary=65, context=64, depth=2, heads=2, width=64)
    >>> step_bytes(small, 32, 64) < step_bytes(small, 64, 64) < 10**8
    True
    """
    state = _state(config)
    # A checkpoint is made when the activations are gone.
    return state + max(batch * _passing(config, window), state)


def largest_batch(config: GPTConfig, batch: int, window: int, free: float) -> int:
    """The most windows, up to those asked for, whose step fits in what is free; 0 where not even one does."""
    state, room = _state(config), SHARE * free
    return 0 if room < 2 * state else int(min(batch, (room - state) // _passing(config, window)))


def _state(config: GPTConfig) -> int:
    with torch.device("meta"):
        return state_bytes(GPT(config))


def _passing(config: GPTConfig, window: int) -> int:
    """Bytes of one window on its way through the model and back."""
    layers = (config.depth + 1) * config.width * per_layer(config, window)
    return int(NUMBER * window * (layers + LOGITS * config.vocabulary))


def per_layer(config: GPTConfig, window: int) -> float:
    """Numbers that a block keeps for its gradient, for each token and channel.

    Attention and norms keep eight, the MLP two for each hidden number; a norm or a turn of queries and keys,
    a norm by the mean square and linear attention keep more; dropout keeps masks and all attention weights.
    """
    hidden = 2 * config.hidden / config.width * config.layers
    kept = 8 + hidden * (2 if config.activation == "swiglu" else 1)
    kept += 4 * (config.qk_norm or config.position == "rotary") + 4 * (config.norm == "rms")
    kept += 4 * (config.attention == "linear")
    shown = 3 * (config.dropout > 0) + 1.5 * (config.position in ("relative", "alibi"))
    return kept + 6 * (config.dropout > 0) + shown * window * config.heads / config.width


def judged_rows(rows: int, config: GPTConfig, window: int) -> int:
    """How many windows are judged at once: so many, or fewer where their logits would take too much.

    >>> small = GPTConfig(vocabulary=2**16, context=1024, depth=1, heads=1, width=8)
    >>> judged_rows(64, small, 8), judged_rows(64, small, 1024)
    (64, 2)
    """
    return max(1, min(rows, JUDGED // (window * config.vocabulary)))


def free_bytes(device: str, root: Path = Path("/")) -> float:
    """Bytes that are free on a device: of the machine, and of what a container may have of it."""
    if device.startswith("cuda"):
        return float(torch.cuda.mem_get_info(torch.device(device))[0])
    if device != "cpu":
        return inf
    host = _table(root / "proc/meminfo").get("MemAvailable", inf)
    groups = root / "sys/fs/cgroup"
    two = groups / "memory.max", groups / "memory.current", groups / "memory.stat", "inactive_file"
    old = groups / "memory"
    one = (
        old / "memory.limit_in_bytes",
        old / "memory.usage_in_bytes",
        old / "memory.stat",
        "total_inactive_file",
    )
    return min(1024 * host, *(_left(*files) for files in (two, one)))


def _left(limit: Path, used: Path, stat: Path, cached: str) -> float:
    """What a group of processes may still take; files that are kept for later do not count."""
    most, now = _number(limit), _number(used)
    return inf if most == inf or now == inf else max(0.0, most - now + _table(stat).get(cached, 0.0))


def _number(path: Path) -> float:
    """The number in a file; none that could be a limit where there is none."""
    try:
        return float(path.read_text())
    except (OSError, ValueError):
        return inf


def _table(path: Path) -> dict[str, float]:
    """Names and numbers in a file of the system, a line each."""
    try:
        lines = [line.replace(":", " ").split() for line in path.read_text().splitlines()]
    except (OSError, ValueError):
        return {}
    return {words[0]: float(words[1]) for words in lines if len(words) > 1 and words[1].isdigit()}
