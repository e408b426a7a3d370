"""Masks of attention layers: every shape and every argument that hides keys."""

from pathlib import Path

import pytest

from regard.checker.contracts.attention.masks.layer import others
from regard.checker.target import check_file

CORRECT = Path(__file__).parents[3] / "correct" / "multi-head-attention"


def test_further_masks_can_be_left_out_and_hide_keys() -> None:
    names = ("query", "attn_mask", "key_padding_mask", "head_mask", "mask_lengths")
    call = [{"name": n, "required": n == "query", "star": False, "default": None} for n in names]
    call.append({"name": "use_mask", "required": False, "star": False, "default": True})
    assert others(call, "attn_mask") == ["key_padding_mask"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("two_masks", "key_padding_mask[:, None, None, :]", "key_padding_mask[:1, None, None, :]"),
        ("two_masks", "masked_fill(attn_mask,", "masked_fill(attn_mask[:1],"),
        ("annotated_transformer", "mask == 0", "mask[..., :1, :] == 0"),
        (
            "context_may_be_left_out",
            "self.to_v(context)",
            "self.to_v(x if x.shape == context.shape else context)",
        ),
        (
            "context_may_be_left_out",
            "context = x if context is None",
            "context = x.flip(2) if context is None",
        ),
    ],
)
def test_masks_and_contexts_are_heeded_in_every_form(tmp_path: Path, file: str, old: str, new: str) -> None:
    text = (CORRECT / f"{file}.py").read_text()
    assert old in text
    path = tmp_path / "mine.py"
    path.write_text(text.replace(old, new))
    found = check_file(str(path), contract="multi-head-attention")
    assert found.code == 1, found.verdicts[0].sentence
