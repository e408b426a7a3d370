# contract: causal-attention
from .model import CausalAttention
from .. import config
