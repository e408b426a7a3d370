# contract: scaled-dot-product
# cause: mask-inverted
import torch


def atencion(q, k, v, mask=None):
    escala = q.shape[-1] ** -0.5
    puntajes = (q * escala) @ k.mT
    if mask is not None:
        # tapamos lo que no se puede ver
        puntajes = puntajes.masked_fill(mask, -1e9)
    return puntajes.softmax(-1) @ v
