# contract: rotary
# cause: keys-not-turned
import torch


def rotar(consultas, claves, inicio=0):
    """Codificacion rotatoria (RoPE) para consultas y claves, (lote, cabezas, tokens, canales)."""
    tokens, canales = consultas.shape[-2:]
    mitad = canales // 2
    frec = 10000 ** (-torch.arange(mitad, dtype=consultas.dtype) / mitad)
    ang = torch.outer(torch.arange(inicio, inicio + tokens, dtype=consultas.dtype), frec)
    coseno, seno = ang.cos(), ang.sin()

    def girar(v):
        a, b = v.split(mitad, dim=-1)
        return torch.cat((a * coseno - b * seno, a * seno + b * coseno), -1)

    return girar(consultas), claves
