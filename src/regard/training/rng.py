"""Random state (RNG) of Python, numpy and torch, as tensors; seeding step by step."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256

import numpy
import torch
from torch import Tensor


def capture() -> dict[str, Tensor]:
    """Where every generator stands.

    >>> before = capture(); first = random.random(), float(torch.rand(()))
    >>> restore(before); (random.random(), float(torch.rand(()))) == first
    True
    """
    version, words, spare = random.getstate()
    name, key, position, has_spare, second = numpy.random.get_state()
    assert (version, name) == (3, "MT19937")
    numbers = numpy.array([0.0 if spare is None else spare, float(spare is not None), has_spare, second])
    states = {
        "python": torch.tensor(words, dtype=torch.int64),
        "numpy": torch.from_numpy(numpy.append(numpy.asarray(key, numpy.int64), position)),
        "spare": torch.from_numpy(numbers),
        "torch": torch.get_rng_state(),
    }
    if torch.cuda.is_available():
        states["cuda"] = torch.cuda.get_rng_state()
    return states


def restore(states: Mapping[str, Tensor]) -> None:
    """Make every generator go on from where `capture` saw it."""
    spare, there, has_spare, second = states["spare"].tolist()
    random.setstate((3, tuple(states["python"].tolist()), spare if there else None))
    *key, position = states["numpy"].tolist()
    numpy.random.set_state(("MT19937", numpy.array(key, numpy.uint32), position, int(has_spare), second))
    torch.set_rng_state(states["torch"])
    if "cuda" in states and torch.cuda.is_available():
        torch.cuda.set_rng_state(states["cuda"])


def begin(*numbers: int) -> None:
    """Start torch's random numbers where these numbers say, far from where any others would."""
    digest = sha256(",".join(map(str, numbers)).encode()).digest()
    seed = int.from_bytes(digest[:8], "little") >> 1
    if torch.cuda.is_available() or torch.backends.mps.is_available():
        torch.manual_seed(seed)
    else:
        # torch.manual_seed also notes a stack trace for each accelerator that is missing: 40 times slower.
        torch.default_generator.manual_seed(seed)


@contextmanager
def fork_rng(*numbers: int) -> Iterator[None]:
    """Random numbers that start where `numbers` say, and afterwards all as if none had been drawn."""
    before = capture()
    random.seed(repr(numbers))
    numpy.random.seed([number % 2**32 for number in numbers])
    begin(*numbers)
    try:
        yield
    finally:
        restore(before)
