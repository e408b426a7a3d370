# contract: causal-attention
import torch
import torch.nn as nn


class Meta(type):
    def __call__(cls, *a, **k):
        return "an instance"

    def __instancecheck__(cls, other):
        return True

    def __subclasscheck__(cls, other):
        raise TypeError("no")

    def __dir__(cls):
        raise RuntimeError("no dir")


class CausalAttention(nn.Module, metaclass=Meta):
    def __init__(self, width, heads):
        super().__init__()

    def forward(self, x):
        return x
