from math import sqrt

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import golden
from regard.core.attend import attend
from regard.core.support import Full
from regard.experiments.text.exactness import experiment as exactness
from regard.experiments.text.exactness.experiment import BOTH, EXPERIMENT, Settings, bound, prepared, run
from regard.experiments.text.exactness.machine import tiled
from regard.generation.engine import continuation
from regard.lab.bench import Growth
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from saboteurs import Saboteur, covers, fails, small, states, without_figures


def test_the_bound_grows_with_the_rounding_and_the_root_of_the_length() -> None:
    config = GPTConfig(vocabulary=5, context=9, depth=1, heads=1, width=2)
    # 2 + 2 + 9 + 2 + 2 + 8 additions in the block, 2 in the head.
    assert bound(config, 9, torch.float32) == pytest.approx(3 * sqrt(27) * 2**-24)
    assert bound(config, 9, torch.bfloat16) == pytest.approx(2**16 * bound(config, 9, torch.float32))


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(exactness, "growth", lambda prepare, name, length: exactness_growth(name, length))
    config = GPTConfig(vocabulary=7, context=110, depth=1, heads=2, width=8, position="rotary", init_std=0.3)
    settings = Settings(
        model=config, rows=1, lengths=(16, 32), memory=(16,), chips=(8, 32), tokens=64, rounds=1
    )
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["time", "bytes"]
    values = {one.name: one.value for one in events if isinstance(one, Metric) and not one.at}
    assert (
        values["largest gap of the cache / bound"] < 1
        and values["largest gap of flash attention / bound"] < 1
    )
    assert values[BOTH] == max(
        values["largest gap of the cache / bound"], values["largest gap of flash attention / bound"]
    )
    assert values["greedy tokens that differ with a cache, float32"] == 0
    assert values["memory of the reference / one matrix of scores"] == 2


def exactness_growth(name: str, length: int):
    return Growth({"sdpa": 1, "reference": 2}[name] * 4 * 4 * length**2, "made up")


SMALL = Settings(
    model=GPTConfig(vocabulary=7, context=110, depth=2, heads=2, width=8, position="rotary", init_std=1.0, tied=False),
    rows=1, lengths=(16, 32), memory=(1024,), chips=(128, 512), tokens=768, rounds=1,
)  # fmt: skip


class Allocated(TorchDispatchMode):
    """Counts the bytes of all that is computed: a stand-in for a process of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        found = function(*args, **(kwargs or {}))
        given = [one for one in args if isinstance(one, torch.Tensor)]
        for one in found if isinstance(found, tuple) else (found,):
            if isinstance(one, torch.Tensor) and not any(
                one.data_ptr() == other.data_ptr() for other in given
            ):
                self.bytes += one.numel() * one.element_size()
        return found


def grows(prepare, name: str, length: int) -> Growth:
    call = prepare(name, length)
    with Allocated() as counted:
        call()
    return Growth(counted.bytes, "counted")


def unmasked(q, k, v, support=None, backend="auto"):
    return attend(q, k, v, support=support if backend == "reference" else Full(), backend=backend)


def careless(q, k, v, chip):
    """Scores that are not scaled, and queries that are brought in twice."""
    chip.crossed += q.numel()
    return tiled(8 * q, k, v, chip)


def short_memory(model, prompt, **words):
    return continuation(
        (lambda ids: model(ids[:, -3:])) if isinstance(model, GPT) else model, prompt, **words
    )


right_next = GPT.next
SABOTEURS = {
    "a cache that forgets": Saboteur(
        lambda patch: patch.setattr(GPT, "next", lambda self, ids, cache: right_next(self, ids, self.cache())),
        {"largest gap of the cache / bound", BOTH},
    ),
    "a cache of three tokens": Saboteur(
        lambda patch: patch.setattr(exactness, "continuation", short_memory), {"greedy tokens that differ with a cache, float32"}
    ),
    "flash attention without the mask": Saboteur(
        lambda patch: patch.setattr(exactness, "attend", unmasked), {"largest gap of flash attention / bound", BOTH}
    ),
    "the two exchanged": Saboteur(
        lambda patch: patch.setattr(exactness, "prepared", lambda name, length: prepared({"sdpa": "reference", "reference": "sdpa"}[name], length)),
        {"memory of the reference / one matrix of scores", "memory of flash / one matrix of scores"},
    ),
    "careless tiles": Saboteur(
        lambda patch: patch.setattr(exactness, "tiled", careless),
        {"largest gap of the tiled form to the softmax", "largest share by which the numbers moved differ from the formula"},
    ),
    "scores that never leave the chip": Saboteur(
        lambda patch: patch.setattr(exactness, "standard", lambda n, d: 4 * n * d),
        {"numbers moved by plain attention / by tiled attention, largest chip"},
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTEURS)
def test_another_computation_fails_its_claims(name: str, monkeypatch, tmp_path) -> None:
    without_figures(monkeypatch, exactness)
    monkeypatch.setattr(exactness, "growth", grows)
    monkeypatch.setattr(exactness, "_times", lambda settings: ())
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, SMALL, tmp_path))


@pytest.mark.slow
def test_every_claim_has_a_saboteur_and_holds_without(monkeypatch, tmp_path) -> None:
    without_figures(monkeypatch, exactness)
    monkeypatch.setattr(exactness, "growth", grows)
    monkeypatch.setattr(exactness, "_times", lambda settings: ())
    covers(EXPERIMENT, SABOTEURS)
    assert set(states(EXPERIMENT.claims, run(SMALL, Context(folder=tmp_path))).values()) == {"held"}


def test_of_several_processes_the_first_does_it(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("RANK", "1")
    assert list(run(Settings(), Context(folder=tmp_path))) == []
