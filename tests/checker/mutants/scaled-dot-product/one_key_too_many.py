# contract: scaled-dot-product
# cause: unknown
import math
import torch


def sequence_mask(lengths, size):
    return torch.arange(size, device=lengths.device)[None, :] <= lengths[:, None]


def masked_attention(queries, keys, values, valid_lens=None):
    """valid_lens (batch,): how many keys of each sample are real."""
    scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
    if valid_lens is not None:
        keep = sequence_mask(valid_lens, keys.shape[1])
        scores = scores.masked_fill(~keep[:, None, :], -1e6)
    return torch.bmm(torch.softmax(scores, dim=-1), values)
