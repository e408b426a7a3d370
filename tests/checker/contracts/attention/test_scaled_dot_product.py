"""Attention functions in the styles people write."""

from collections.abc import Callable
from pathlib import Path

import pytest

from regard.checker.live import check
from regard.checker.target import check_file

NAMES = [
    "attention",
    "sdpa",
    "flat",
    "loops",
    "ScaledDotProductAttention",
    "masked",
    "swapped",
    "transposed",
    "two_mistakes",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_style_is_judged_as_it_is(name: str, style: Callable) -> None:
    module = style("functions")
    contract, expected = module.EXPECTED[name]
    verdict = check(getattr(module, name), contract=contract, strict=bool(expected)).verdicts[0]
    assert verdict.slugs == expected, verdict.sentence
    assert verdict.state == ("mistake" if expected else "correct"), verdict.sentence


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("scaled-dot-product")


PADDED = """
import math
import torch

def attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.unsqueeze(1).expand(query.size(0), query.size(-2), key.size(-2)) == 0, -1e9)
    return torch.softmax(scores, dim=-1) @ value
"""


def test_a_mask_may_say_once_for_each_sample_which_keys_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(PADDED)
    found = check_file(str(path), contract="scaled-dot-product")
    said = "correct, by another convention: the mask says once for each sample which keys may be seen, (batch, keys)"
    assert (found.code, found.verdicts[0].sentence.partition(";")[0]) == (0, said)
    path.write_text(PADDED.replace("-1e9", "0.0"))
    assert check_file(str(path), contract="scaled-dot-product").code == 1


@pytest.mark.parametrize(("second", "code"), [("weights", 0), ("None", 0), ("value", 1)])
def test_beside_the_output_come_the_weights_or_nothing(tmp_path: Path, second: str, code: int) -> None:
    text = PADDED.replace(
        "return torch.softmax(scores, dim=-1) @ value", "weights = torch.softmax(scores, dim=-1)"
    )
    path = tmp_path / "mine.py"
    path.write_text(text + f"    return weights @ value, {second}\n")
    assert check_file(str(path), contract="scaled-dot-product").code == code


ORDER = """
import torch
def attend({order}, mask=None):
    scores = {q} @ {k}.transpose(-2, -1) / {k}.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1) @ {v}
"""


@pytest.mark.parametrize(
    ("order", "slugs"),
    [
        (("values", "keys", "queries"), ()),
        (("key", "query", "value"), ()),
        (("V", "Q", "K"), ()),
        (("q", "v", "k"), ("k-v-swapped",)),  # who begins with the query is called with q, k, v
    ],
)
def test_arguments_that_do_not_begin_with_the_query_are_taken_by_their_names(
    tmp_path: Path, order: tuple[str, ...], slugs: tuple[str, ...]
) -> None:
    own = {name[0].lower(): name for name in order}
    path = tmp_path / "mine.py"
    path.write_text(ORDER.format(order=", ".join(order), **own))
    asked = "scaled-dot-product" if slugs else None
    verdict = check_file(str(path), contract=asked).verdicts[0]
    assert (verdict.contract, verdict.slugs) == ("scaled-dot-product", slugs), verdict.sentence
