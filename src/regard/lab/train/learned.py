"""What a training has learned, in sentences: the held-out loss of its best checkpoint in nats."""

from math import inf, isclose

from regard.lab.store.run import Run
from regard.lab.train.figure import HELD, JUDGED


def learned(run: Run) -> list[str]:
    """The held-out loss of the best model, and whether training lowered it; else nothing."""
    found = {one.name: one.value for one in run.measured if not one.at}
    if JUDGED not in found:
        return []
    loss, letter = (found[f"{JUDGED}{one}"] for one in ("", ", nats a character"))
    # A token of a character tokenizer is a character.
    nats = f"{letter:.4f} nats a character"
    nats = nats if isclose(loss, letter) else f"{loss:.4f} nats a token ({nats})"
    said = [
        f"On all that was held out: loss {nats} at step "
        f"{found['step of the best checkpoint']:,.0f} of {found['steps']:,.0f}, "
        f"{found['passes over the texts']:.3g} times through the texts."
    ]
    judged = {one.at["step"]: one.value for one in run.measured if one.name == HELD and one.at}
    before, after = judged.pop(0, inf), min(judged.values(), default=inf)
    if before <= after < inf:
        said.append(
            f"Judged on the way, it was never below the {before:.4f} from before training "
            f"(lowest {after:.4f}): the texts are too short, or it knew them already."
        )
    return said
