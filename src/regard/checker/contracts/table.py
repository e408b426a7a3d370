"""All contracts, in the order in which they are offered."""

from regard.checker.contract import Contract
from regard.checker.contracts import (
    causal_attention,
    gat_layer,
    gaussian_mixture,
    gcn_layer,
    layer_norm,
    multi_head_attention,
    rms_norm,
    rotary,
    scaled_dot_product,
)
from regard.errors import RegardError, nearest

CONTRACTS: tuple[Contract, ...] = (
    scaled_dot_product.CONTRACT,
    causal_attention.CONTRACT,
    multi_head_attention.CONTRACT,
    rotary.CONTRACT,
    rms_norm.CONTRACT,
    layer_norm.CONTRACT,
    gat_layer.CONTRACT,
    gcn_layer.CONTRACT,
    gaussian_mixture.CONTRACT,
)


def named(name: str) -> Contract:
    """The contract of that name.

    >>> named("causal-attention").title
    'causal self-attention'
    """
    names = [contract.name for contract in CONTRACTS]
    if name not in names:
        raise RegardError(
            "no contract of that name", repr(name), nearest(name, names, f"one of {', '.join(names)}")
        )
    return CONTRACTS[names.index(name)]
