# contract: scaled-dot-product
import torch

def core_attention(query, key, value, attention_mask=None):
    s = torch.matmul(query, key.transpose(-1, -2)) * query.size(-1) ** -0.5
    if attention_mask is not None:
        s = s + attention_mask
    probs = torch.nn.functional.softmax(s, dim=-1, dtype=torch.float32).to(query.dtype)
    return torch.matmul(probs, value)
