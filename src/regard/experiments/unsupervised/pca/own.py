"""Points of one's own for principal components (PCA): read, standardised, and brought to one scale."""

from collections.abc import Sequence
from pathlib import Path

from torch import Tensor

from regard.data.sets.points import read_points
from regard.errors import RegardError
from regard.experiments.unsupervised.linear_autoencoder import principal
from regard.shapes import Float

WIDEST = 300
"Columns that are used, at most."
LARGEST = 10.0
"The largest variance along a direction: that of the random points, for which the rate was chosen."


def read_own(path: Path, columns: Sequence[str]) -> tuple[Float[Tensor, "m n"], str]:
    """The points of a CSV as columns, each entry of mean 0 and deviation 1 but for one scale; and what was read."""
    table = read_points(path, columns=columns, least=10)
    x = table.values.T - table.values.T.mean(1, keepdim=True)
    spread = x.std(1, keepdim=True)
    x = (x / spread)[(spread > 0).flatten()][:WIDEST]
    if len(x) < 2 or rank(x) < 2:
        raise RegardError(
            "principal components need two columns that differ",
            f"{', '.join(table.columns)} in {path.name}",
            "name a file with two columns of numbers or more",
        )
    scale = (LARGEST / principal(x @ x.T / x.shape[1])[0][0]).sqrt()
    return x * scale, f"{table.said} Each column is brought to mean 0 and deviation 1."


def rank(x: Float[Tensor, "m n"]) -> int:
    """In how many directions points vary."""
    values = principal(x @ x.T / x.shape[1])[0]
    return int((values > 1e-6 * values[0]).sum())
