# contract: scaled-dot-product
# cause: softmax-all
# target: attend
import torch


def attend(q, k, v, mask=None):
    scores = q @ k.mT * q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    raised = (scores - scores.amax(-1, keepdim=True)).exp()
    return raised / raised.sum() @ v
