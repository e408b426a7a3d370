# contract: rms-norm
# cause: unknown
# target: norme_quadratique
def norme_quadratique(x, poids, eps=1e-6):
    return x * (x.mean(-1, keepdim=True) ** 2 + eps).rsqrt() * poids
