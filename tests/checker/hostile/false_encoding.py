# -*- coding: no-such-codec -*-
# contract: causal-attention
import torch
