# contract: scaled-dot-product
import functools
import torch.nn.functional as F

attention = functools.partial(F.scaled_dot_product_attention, dropout_p=0.0)
