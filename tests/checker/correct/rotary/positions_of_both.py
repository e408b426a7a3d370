# contract: rotary
import torch


def apply_rope(query, key, query_positions=None, key_positions=None, base=10000.0):
    """(..., tokens, channels); positions of queries and of keys are told apart, from 0 on where they are not."""

    def turn(x, positions):
        positions = torch.arange(x.shape[-2]) if positions is None else positions
        d = x.shape[-1]
        angles = torch.outer(positions.to(x.dtype), base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d))
        pairs = torch.view_as_complex(x.unflatten(-1, (d // 2, 2)).contiguous())
        return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)

    return turn(query, query_positions), turn(key, key_positions)
