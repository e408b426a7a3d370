# contract: scaled-dot-product
import torch


def attention(queries, keys, values, allowed=None):
    """One sample after another, then one head; a mask with three axes or more begins with the samples."""
    if queries.dim() > 2:
        found = []
        for i in range(len(queries)):
            mine = allowed
            if allowed is not None and allowed.dim() > 2:
                mine = allowed[i] if len(allowed) > 1 else allowed[0]
            found.append(attention(queries[i], keys[i], values[i], mine))
        return torch.stack(found)
    scores = torch.stack([(keys * q).sum(-1) for q in queries]) / queries.size(1) ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    return scores.softmax(1) @ values
