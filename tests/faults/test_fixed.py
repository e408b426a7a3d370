"""The draw of planted mistakes by which `--fix` is measured; the measure itself is `python tests/fixed.py`."""

from pathlib import Path

import pytest

from fixed import HERE, drawn, mended


def test_every_contract_has_its_turn() -> None:
    found = drawn(HERE, 18, 0)
    assert len(set(found)) == 18
    assert len({path.parent.name for path in found[:9]}) == 9
    assert drawn(HERE, 9, 0) == found[:9] != drawn(HERE, 9, 1)


@pytest.mark.slow
def test_a_mistake_is_named_and_mended_or_neither(tmp_path: Path) -> None:
    line = "def layer_norm(x, weight, bias, eps):\n    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt() * weight + bias\n"
    for cause, named in (("bessel", True), ("mean-kept", False), ("unknown", False)):
        file = tmp_path / f"{cause}.py"
        file.write_text(
            f"# contract: layer-norm\n# cause: {cause}\nimport torch\n\n\n{line}", encoding="utf-8"
        )
        is_named, diff, _ = mended(file, 60.0)
        assert (is_named, "unbiased=False" in diff) == (named, named)
