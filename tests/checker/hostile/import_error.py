# contract: causal-attention
import torch
from a_package_nobody_has import attention


class CausalAttention(attention.Base):
    pass
