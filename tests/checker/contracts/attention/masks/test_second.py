"""A second mask of an attention function counts alone and beside the first."""

from pathlib import Path

import pytest

from regard.checker.target import check_file

MUTANTS = Path(__file__).parents[3] / "mutants" / "scaled-dot-product"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("elif", "if", ""),
        ("elif", "elif", "attn_mask and key_padding_mask together"),
        ("elif key_padding_mask", "if None", "by key_padding_mask"),
    ],
)
def test_both_masks_hide(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = (MUTANTS / "second_mask_lost.py").read_text()
    assert old in text
    path = tmp_path / "mine.py"
    path.write_text(text.replace(old, new))
    found = check_file(str(path), contract="scaled-dot-product")
    assert found.code == bool(said), found.verdicts[0].sentence
    assert said in found.verdicts[0].sentence
