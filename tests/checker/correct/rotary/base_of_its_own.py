# contract: rotary
# target: apply_rope
# convention: half-split
import torch


class Angles(torch.nn.Module):
    """Made for another base than 10000, unless it is told one."""

    def __init__(self, head_dim, max_seq_len=4096, theta=500000.0):
        super().__init__()
        speed = theta ** (-torch.arange(0, head_dim, 2).double() / head_dim)
        self.angle = torch.arange(max_seq_len).double()[:, None] * torch.cat([speed, speed])

    def forward(self, seq_len):
        return self.angle[:seq_len].cos(), self.angle[:seq_len].sin()


def apply_rope(q, k, freqs_cos, freqs_sin):
    def turn(x):
        half = x.shape[-1] // 2
        return x * freqs_cos.to(x) + torch.cat([-x[..., half:], x[..., :half]], -1) * freqs_sin.to(x)

    return turn(q), turn(k)
