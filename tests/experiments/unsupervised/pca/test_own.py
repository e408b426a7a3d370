"""Points of one's own for principal components: standardised, on one scale, and never of one direction alone."""

from pathlib import Path

import pytest
import torch

from regard.errors import RegardError
from regard.experiments.unsupervised.linear_autoencoder import principal
from regard.experiments.unsupervised.pca.own import LARGEST, rank, read_own


def test_columns_count_alike_and_the_largest_direction_is_that_of_the_rate(tmp_path: Path) -> None:
    draw = torch.randn(40, 3, generator=torch.Generator().manual_seed(0)) * torch.tensor([1.0, 100.0, 0.01])
    (tmp_path / "mine.csv").write_text("\n".join(",".join(map(str, row)) for row in draw.tolist()))
    x, said = read_own(tmp_path / "mine.csv", ())
    assert x.shape == (3, 40) and x.mean(1).abs().max() < 1e-6 and rank(x) == 3
    spread = x.std(1)
    assert spread.max() / spread.min() == pytest.approx(1)
    assert float(principal(x @ x.T / 40)[0][0]) == pytest.approx(LARGEST)
    assert said.endswith("Each column is brought to mean 0 and deviation 1.")


@pytest.mark.parametrize("row", ["{0},{0}", "{0},a"])
def test_one_direction_is_too_few(tmp_path: Path, row: str) -> None:
    (tmp_path / "mine.csv").write_text("\n".join(row.format(number * number) for number in range(12)))
    with pytest.raises(RegardError, match="principal components need two columns that differ"):
        read_own(tmp_path / "mine.csv", ())
