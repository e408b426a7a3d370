# contract: causal-attention
import torch.nn as nn


class CausalAttention(nn.Module):
  def __init__(self, width, heads):
      super().__init__()
    self.width = width
