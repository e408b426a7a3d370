# contract: causal-attention
class CausalAttention:
    def __init__(self, width, heads):
        self.width = width
