# contract: scaled-dot-product
# cause: mask-zero-fill
import torch


def masked_attention(Q, K, V, M=None):
    scale = Q.shape[-1] ** 0.5
    logits = torch.einsum("...qd,...kd->...qk", Q, K) / scale
    if M is not None:
        logits = logits * M
    A = logits.softmax(dim=-1)
    return torch.einsum("...qk,...kd->...qd", A, V)
