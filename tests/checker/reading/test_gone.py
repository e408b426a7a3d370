"""Names that NumPy no longer has are found where nothing stands before them."""

from pathlib import Path

import pytest

from regard.checker.reading.gone import gone
from regard.checker.reading.source import Source
from regard.checker.target import check_file

HEAD = "import numpy as np\nimport torch\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(x):\n    return np.product(x)", ("np.product", 4)),
        ("def f(x):\n    return g(x)\ndef g(x):\n    return np.mat(x)", ("np.mat", 6)),
        ("class f:\n    def fit(self, x):\n        self.kind = np.float", ("np.float", 5)),
        ("def f(x):\n    return np.prod(x)", None),
        ("def f(x):\n    return x\ndef g(x):\n    return np.mat(x)", None),
        ("def f(x):\n    try:\n        return np.mat(x)\n    except AttributeError:\n        return x", None),
        ("def f(x):\n    return np.mat(x) if hasattr(np, 'mat') else x", None),
        ("def f(np):\n    return torch.mat(np)", None),
    ],
)
def test_what_is_used_and_gone(text: str, found: tuple[str, int] | None) -> None:
    assert gone(Source(HEAD + text), "f") == found


FITS = """
import numpy as np

class GMM:
    def __init__(self, n_components):
        self.n_components = n_components

    def fit(self, x):
        self.shares = np.mat(np.ones((len(x), self.n_components)))
        return self
"""


def test_what_cannot_be_read_and_would_raise_is_told_to_raise(tmp_path: Path) -> None:
    for text, state in ((FITS, "mistake"), (FITS.replace("np.mat", "np.array"), "undecided")):
        (tmp_path / "mine.py").write_text(text, encoding="utf-8")
        (verdict,) = check_file(str(tmp_path / "mine.py")).verdicts
        assert verdict.state == state, verdict.sentence
        assert ("np.mat" in verdict.sentence) is (state == "mistake")
