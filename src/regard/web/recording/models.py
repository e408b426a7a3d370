"""Two small trained models to look into: a character GPT, and a vision transformer on digits."""

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from regard.data import load_mnist
from regard.lab.store.run import Run
from regard.lab.text_model import load_text_model, save_text_model
from regard.lab.vision_model import save_vision_model
from regard.models.vit import PatchTransformer, Sight
from regard.training import Checkpoints, Plan, Training, TrainingState, cross_entropy

SHAPE = {"model.depth": 4, "model.heads": 4, "model.width": 96, "model.context": 128}
"Sizes of the text model: small enough to be shipped."
MINUTES = 6.0
STEPS, PICTURES, BATCH = 1200, 20_000, 64
"Training of the vision model."


def record_text(run: Run, folder: Path) -> dict[str, Any]:
    """The model of a training as it is shipped: its weights alone, in float16."""
    model = load_text_model(run.path)
    shutil.rmtree(folder, ignore_errors=True)
    save_text_model(folder, model.model.config, model.tokenizer)
    tensors = {f"model.{name}": one.half() for name, one in model.model.state_dict().items()}
    Checkpoints(folder).save(TrainingState(tensors, {"step": 0}))
    sets = " ".join(f"--set {name}={value}" for name, value in SHAPE.items())
    return {
        "name": "Shakespeare by characters",
        "what": "A GPT that has learned tiny Shakespeare, character by character.",
        "made": f"regard train tinyshakespeare --minutes {MINUTES:g} {sets}; weights in float16. "
        "The text is Shakespeare's, in the public domain, and is not shipped.",
        "environment": run.request["environment"] | {"commit": None},
        "numbers": {one.name: one.value for one in run.measured if not one.at},
    }


def record_vision(folder: Path) -> dict[str, Any]:
    """A transformer over the patches of handwritten digits, trained here."""
    digits = load_mnist()
    train = digits.train[:PICTURES].float()
    mean, deviation = float(train.mean()), float(train.std())
    torch.manual_seed(0)
    model = PatchTransformer(Sight(width=60, depth=3, heads=4))

    def batch(index: int) -> tuple[torch.Tensor, torch.Tensor]:
        chosen = torch.randint(PICTURES, (BATCH,), generator=torch.Generator().manual_seed(index))
        return (train[chosen] - mean) / deviation, digits.train_labels[chosen]

    plan = Plan(steps=STEPS, optimiser="muon", learning_rate=3e-3, exclude=("head",), warmup=0.1, seed=0)
    for _ in Training(model, batch, cross_entropy, plan):
        pass
    with torch.no_grad():
        test = (digits.test[:2000].float() - mean) / deviation
        right = float((model.eval()(test).argmax(1) == digits.test_labels[:2000]).float().mean())
    shutil.rmtree(folder, ignore_errors=True)
    save_vision_model(folder, model.half(), digits.classes, mean, deviation)
    return {
        "name": "Digits by patches",
        "what": f"A vision transformer on handwritten digits; {right:.1%} of 2,000 test digits right.",
        "made": f"{STEPS} steps of {BATCH} on the first {PICTURES:,} digits of MNIST, seed 0; "
        f"{asdict(model.sight)}; weights in float16. The pictures are not shipped.",
    }
