# contract: causal-attention
import torch

answer = 42
