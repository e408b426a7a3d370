from dataclasses import replace

import pytest
import torch

import golden
from regard.data.sets.images import Pictures
from regard.errors import Unreachable
from regard.experiments.unsupervised.autoencoders import experiment as autoencoders
from regard.experiments.unsupervised.autoencoders.experiment import EXPERIMENT, Settings, run
from regard.experiments.unsupervised.autoencoders.training import TrainingGrid
from regard.lab.events import FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context

SMALL = {"bottlenecks": (5, 10), "corrupted": (10,), "epochs": 1, "repeats": 2}
SETTINGS = Settings(
    linear=TrainingGrid(**SMALL),
    nonlinear=TrainingGrid(**SMALL, hidden=(16,)),
    linear_digits=TrainingGrid(**SMALL),
    nonlinear_digits=TrainingGrid(**SMALL, hidden=(16,)),
    samples=1000,
    digits=300,
    held_out=100,
)


def digits() -> Pictures:
    """A stand-in for MNIST: ten blurred shapes with noise."""
    generator = torch.Generator().manual_seed(0)
    shapes = torch.randint(200, (10, 1, 28, 28), generator=generator)
    labels = torch.arange(36_200) % 10
    pixels = torch.randint(50, (36_200, 1, 28, 28), generator=generator, dtype=torch.uint8)
    pixels += shapes[labels].to(torch.uint8)
    return Pictures(
        name="mnist", train=pixels, train_labels=labels, test=pixels[:400], test_labels=labels[:400],
        classes=tuple("0123456789"), said="",
    )  # fmt: skip


@pytest.fixture(scope="module")
def events(tmp_path_factory) -> list:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(autoencoders, "load_mnist", digits)
        return list(run(SETTINGS, Context(folder=tmp_path_factory.mktemp("run"))))


def test_all_numbers_are_those_of_before(events: list) -> None:
    golden.check(__file__, golden.of_events(events))


def test_every_part_is_measured_and_drawn(events: list) -> None:
    assert [one.name for one in events if isinstance(one, FigureEvent)] == [
        "loss-synthetic points-linear",
        "loss-synthetic points-nonlinear",
        "loss-digits-linear",
        "loss-digits-nonlinear",
        "blocks",
        "reconstructions",
        "codes",
        "accuracy",
    ]
    cells = {tuple(one.at.values()) for one in events if isinstance(one, Metric) and one.at}
    assert len(cells) == 2 * 2 * 4
    shares = [one.share for one in events if isinstance(one, ProgressEvent)]
    assert shares == sorted(shares) and shares[-1] <= 1


def test_berkeley_s_one_layer_model_is_the_linear_one_and_a_real_one_bends(events: list) -> None:
    values = {one.name: one.value for one in events if isinstance(one, Metric) and not one.at}
    assert values["error of Berkeley HW6's one-layer ReLU model minus that of the linear one"] == 0
    assert values["bend of Berkeley HW6's one-layer ReLU model"] < 1e-5
    assert values["smallest bend of a model with a hidden ReLU layer"] > 0.01


def test_every_claim_of_a_small_bottleneck_has_its_measurement(events: list) -> None:
    measured = {
        one.name
        for one in events
        if isinstance(one, PairedMetric) or (isinstance(one, Metric) and not one.at)
    }
    missing = {claim.name for claim in EXPERIMENT.claims} - measured
    assert missing == {
        f"{what} of the linear model, k = {k}" for what in ("error", "probe accuracy") for k in (100, 1000)
    }


def test_captions_tell_the_parts_apart_and_what_noise_and_masks_change(events: list) -> None:
    captions = [one.caption for one in events if isinstance(one, FigureEvent | TableEvent)]
    assert len(set(captions)) == len(captions)
    table = next(
        one for one in events if isinstance(one, TableEvent) and one.name == "linear models on digits"
    )
    assert "at k = 5" in table.caption and "Beside vanilla: denoising at k = 10" in table.caption


def test_without_digits_the_rest_is_measured_and_it_is_said(tmp_path, monkeypatch) -> None:
    def absent() -> None:
        raise Unreachable("mnist is not reachable from here", "no network", "connect")

    monkeypatch.setattr(autoencoders, "load_mnist", absent)
    few = replace(SETTINGS, samples=300)
    events = list(run(few, Context(folder=tmp_path)))
    assert [one.name for one in events if isinstance(one, TextEvent)] == ["the digits"]
    assert [one.name for one in events if isinstance(one, FigureEvent)][-1] == "accuracy"
    assert not [one for one in events if isinstance(one, PairedMetric)]
