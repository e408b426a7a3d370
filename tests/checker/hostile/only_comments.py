# contract: causal-attention
# TODO: write the attention layer
# (due on Friday)
