# contract: scaled-dot-product
# cause: mask-zero-fill
# target: attention
def attention(requetes, cles, valeurs, masque=None):
    affinites = requetes @ cles.mT * cles.shape[-1] ** -0.5
    if masque is not None:
        affinites = affinites * masque
    return affinites.softmax(-1) @ valeurs
