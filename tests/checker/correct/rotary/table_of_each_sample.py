# contract: rotary
import torch


class GridRope(torch.nn.Module):
    """Tables for the places of a grid: half of the pairs turn by the row, half by the column."""

    def __init__(self, dim: int, rows: int, columns: int) -> None:
        super().__init__()
        assert dim % 4 == 0, "a quarter of the channels for each side of the grid"
        self.dim, self.rows, self.columns = dim, rows, columns


def apply_rope(xq: torch.Tensor, xk: torch.Tensor, freqs_cis: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Queries and keys (..., heads, channels), and one complex number for each place of each sample and each pair."""
    assert xq.shape[:-2] == freqs_cis.shape[:-1] == xk.shape[:-2]
    turn = freqs_cis.unsqueeze(-2)

    def turned(x: torch.Tensor) -> torch.Tensor:
        pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
        return torch.view_as_real(pairs * turn).flatten(-2)

    return turned(xq), turned(xk)
