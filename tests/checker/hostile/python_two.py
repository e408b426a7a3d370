# contract: causal-attention
import torch

print "attention is all you need"
