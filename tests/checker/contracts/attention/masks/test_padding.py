"""Masks of causal layers: what they hide is hidden, beside the future."""

from pathlib import Path

import pytest

from regard.checker.target import check_file

CORRECT = Path(__file__).parents[3] / "correct" / "causal-attention"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seen & attention_mask", "seen & attention_mask", ""),
        ("[:, None, None, :]", "[:, None, :, None]", "changing it moves the other outputs"),
        ("seen & attention_mask", "seen | attention_mask", "changing it moves the other outputs"),
    ],
)
def test_a_token_that_a_mask_hides_moves_no_other(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = (CORRECT / "padding_beside_the_past.py").read_text()
    assert old in text
    path = tmp_path / "mine.py"
    path.write_text(text.replace(old, new))
    found = check_file(str(path), contract="causal-attention")
    assert found.code == bool(said), found.verdicts[0].sentence
    assert said in found.verdicts[0].sentence
