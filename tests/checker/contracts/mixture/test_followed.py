"""Turns of a loop are read as a mixture by their shapes, and held to steps of EM."""

from pathlib import Path

import pytest

from regard.checker.target import check_file

HERE = Path(__file__).parents[2]
LOOP = """
import numpy as np

def fit_numbers(values, k):
    spots, widths, parts = values[:k].copy(), np.full(k, values.var()), np.full(k, 1 / k)
    for _ in range(30):
        bells = parts * np.exp(-(values[:, None] - spots) ** 2 / (2 * widths)) / np.sqrt(widths)
        each = bells / bells.sum(1, keepdims=True)
        many = each.sum(0)
        spots = (each * values[:, None]).sum(0) / many
        widths = (each * (values[:, None] - spots) ** 2).sum(0) / {divisor}
        parts = many / len(values)
    return each.argmax(1)
"""


@pytest.mark.parametrize(("divisor", "code"), [("many", 0), ("(many - 1)", 1)])
def test_labels_alone_are_enough_where_the_loop_can_be_followed(
    tmp_path: Path, divisor: str, code: int
) -> None:
    file = tmp_path / "numbers.py"
    file.write_text(LOOP.replace("{divisor}", divisor))
    report = check_file(f"{file}:fit_numbers", contract="gaussian-mixture")
    assert report.code == code, report.verdicts[0].sentence
    told = report.verdicts[0].sentence
    assert code == 0 or "one less than the sum of the responsibilities" in told


def test_a_name_that_nothing_binds_is_said_though_no_loop_was_seen(tmp_path: Path) -> None:
    file = tmp_path / "unbound.py"
    file.write_text(
        "import numpy as np\n\ndef run_gmm(x, k):\n    for _ in range(steps):\n        x = x + 1\n"
    )
    report = check_file(f"{file}:run_gmm", contract="gaussian-mixture")
    assert "steps" in report.verdicts[0].sentence
    assert report.code == 1
