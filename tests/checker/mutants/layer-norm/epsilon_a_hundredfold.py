# contract: layer-norm
# cause: eps-value
def layer_norm(x, weight, bias, eps=1e-5):
    off = x - x.mean(-1, keepdim=True)
    return off / (off.square().mean(-1, keepdim=True) + 100 * eps).sqrt() * weight + bias
