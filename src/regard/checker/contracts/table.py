"""All contracts, in the order in which they are offered."""

from regard.checker.contract import Contract
from regard.checker.contracts.attention import causal as causal_attention
from regard.checker.contracts.attention import multi_head as multi_head_attention
from regard.checker.contracts.attention import scaled_dot_product
from regard.checker.contracts.graph.gat import contract as gat_layer
from regard.checker.contracts.graph.gcn import contract as gcn_layer
from regard.checker.contracts.mixture import contract as gaussian_mixture
from regard.checker.contracts.norm import layer_norm, rms_norm
from regard.checker.contracts.rotary import contract as rotary
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
