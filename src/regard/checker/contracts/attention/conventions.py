"""What people build into an attention layer, and how they mean its inputs: valid choices, not mistakes."""

from collections.abc import Iterator

import numpy as np

from regard.checker.contract import Case, Convention, Steps, WeightMap, forms
from regard.checker.contracts.attention.positions import turned
from regard.checker.contracts.attention.reference import leave, merge, project, split

Array = np.ndarray


def normed(x: Array, w: WeightMap, eps: float) -> Array:
    """A layer norm with the layer's own gain and bias."""
    above = x - x.mean(-1, keepdims=True)
    return above / np.sqrt((above**2).mean(-1, keepdims=True) + eps) * w["gain"] + w["shift"]


def norms() -> Iterator[Steps]:
    """A norm behind the layer, with the residual connection or without; a norm before it, likewise."""
    for eps in (1e-5, 1e-6):
        yield {"leave": lambda y, x, w, eps=eps: normed(leave(y, x, w) + x, w, eps)}
        yield {"leave": lambda y, x, w, eps=eps: normed(leave(y, x, w), w, eps)}
        yield {"enter": lambda q, k, v, w, eps=eps: tuple(normed(t, w, eps) for t in (q, k, v))}
        yield {"enter": lambda q, k, v, w, eps=eps: (normed(q, w, eps), k, v)}


def relu(x: Array) -> Array:
    """Negative numbers become zero."""
    return np.maximum(x, 0.0)


def blank(y: Array, case: Case) -> Array:
    """Zeros where the token itself is hidden."""
    mask = case.inputs.get("mask")
    if mask is None or mask.shape[-1] != y.shape[1]:
        return y
    return y * np.broadcast_to(mask.reshape(-1, mask.shape[-1]), y.shape[:2])[..., None]


RESIDUAL = Convention(
    slug="residual-added",
    says="the input is added to the output (a residual connection inside the layer)",
    choice="residual=inside",
    words=r"residual|skip[\s_-]connection",
    forms=forms({"leave": lambda y, x, w: leave(y, x, w) + x}),
)
NORM = Convention(
    slug="norm-inside",
    says="a layer norm is applied inside the layer",
    choice="norm=inside",
    words=r"add\s*(&|and)\s*norm|(pre|post)[\s_-]?norm",
    hint=r"norm|ln",
    needs=("gain", "shift"),
    forms=tuple(norms()),
)
ROTARY = Convention(
    slug="rotary-inside",
    says="queries and keys are turned by rotary positions inside the layer",
    choice="rotary=inside",
    words=r"rotary|rope\b",
    hint=r"rot|rope|freqs|\bcos\b",
    forms=forms(
        {"place": lambda q, k: (turned(q, half=True), turned(k, half=True))},
        {"place": lambda q, k: (turned(q, half=False), turned(k, half=False))},
    ),
)
ACTIVATION = Convention(
    slug="activation-inside",
    says="an activation is applied to the projections inside the layer",
    choice="activation=inside",
    words=r"activation",
    hint=r"relu|activation",
    forms=forms(
        {
            "project": lambda q, k, v, w: tuple(relu(t) for t in project(q, k, v, w)),
            "leave": lambda y, x, w: relu(leave(y, x, w)),
        },
        {"project": lambda q, k, v, w: tuple(relu(t) for t in project(q, k, v, w))},
    ),
)
NO_OUT = Convention(
    slug="no-out-projection",
    says="there is no output projection: the heads stand side by side as they are",
    choice="output=heads",
    words=r"no output projection|without (an )?output projection|single[\s_-]head|one head",
)
PADDED = Convention(
    slug="padded-zeros",
    says="tokens that are hidden give zeros themselves",
    choice="padding=zeros",
    hint=r"mask|pad",
    forms=forms({"after": blank}),
)
HIDES = (
    r"True\b[^.\n]{0,40}\b(hidden|masked|ignored?|not (allowed|attend))|masked[^.\n]{0,20}\bTrue"
    r"|\b(True|vrai|wahr|vero|verdader[oa]|verdadeir[oa]|1(?= *(=|:|->|where|means|for|is|marks|hides|d?onde|où|wo|dove)))\b"
    r"((?!\b(non?|not|un\w*|real|valid|0|zero|False)\b)[^.\n,;]){0,25}\b(hid(e|es|den)|masked|ignored?|pad(s|ded|ding)?"
    r"|blocked|ocult\w*|escond\w*|verborgen\w*|versteckt\w*|verdeckt\w*|cach\w*|nascost\w*)\b"
)
"Words of those who say that True hides, of whatever mask."
MASK_HIDES = Convention(
    slug="mask-hides",
    says="True in the mask means: hidden",
    mistake="mask-inverted",
    choice="mask=hidden",
    words=rf"pad(ding)?_mask|key_padding|{HIDES}",
)
MASK_ADDED = Convention(
    slug="mask-additive",
    says="the mask is added to the scores: 0 where a key may be seen, minus infinity where not",
    mistake="mask-added",
    choice="mask=additive",
    words=r"additive|mask\b[^.\n]{0,30}(-inf\b|minus infinity)|float mask|added to the scores",
)
LENGTHS = Convention(
    slug="valid-lengths",
    says="it takes the number of valid keys in place of a mask",
    choice="mask=lengths",
    words=r"valid_len|lengths?\b|lens\b",
)
OF_KEYS = Convention(
    slug="mask-of-keys",
    says="the mask says once for each sample which keys may be seen, (batch, keys)",
    choice="mask=keys",
    words=r"pad(ding)?_?mask|key_mask",
)
SEQUENCE_FIRST = Convention(
    slug="sequence-first",
    says="tokens come before samples: (tokens, batch, channels)",
    mistake="across-batch",
    choice="axes=sequence-first",
    words=r"[\(\[]\s*(n|t|l|s|seq\w*|len\w*|time)\s*,\s*(b|bs|bsz|batch\w*)\s*,|(sequence|seq|time)[\s_-]first|time[\s_-]major",
)

HEADS_AFTER = Convention(
    slug="heads-after-tokens",
    says="tokens come before heads: (batch, tokens, heads, channels)",
    choice="axes=heads-after-tokens",
    words=r"[\(\[]\s*(b|bs|bsz|batch\w*)\s*,\s*(n|t|l|s|seq\w*|len\w*|time|tokens?)\s*,\s*(h|heads?|n_?heads?|num_?heads?)\s*,|(?<=[\"'])b[a-z]h[a-z](?=,)",
)
NO_BATCH = Convention(
    slug="no-batch-axis",
    says="it takes one sequence at a time, without a batch axis",
    choice="axes=no-batch",
    words=r"[\(\[]\s*(n|t|seq\w*|num_tokens)\s*,\s*(d|c|dim|d_\w+|emb\w*)\s*[\)\]]",
)


def _split(x: Array, heads: int) -> Array:
    b, n, c = x.shape
    return x.reshape(b, n, c // heads, heads).transpose(0, 3, 1, 2)


def _merge(y: Array) -> Array:
    b, h, n, d = y.shape
    return y.transpose(0, 2, 3, 1).reshape(b, n, d * h)


INTERLEAVED = Convention(
    slug="heads-interleaved",
    says="heads take every h-th channel instead of neighbouring ones: the same layer after a permutation of the weights",
    harmless=True,
    forms=forms(
        {"split": _split, "merge": _merge},
        {"split": _split, "merge": merge},
        {"split": split, "merge": _merge},
    ),
)
SWAPPED = Convention(
    slug="q-k-swapped",
    says="what the names call queries serve as keys and the reverse: the same layer, but its weights cannot be loaded elsewhere by name",
    harmless=True,
)
FUSED = Convention(
    slug="fused-order",
    says="the fused projection holds q, k and v in another order than thirds q, k, v: matters only for loading weights from elsewhere",
    harmless=True,
)
MASKED_ROW = Convention(
    slug="masked-row-nan",
    says="a query that may see nothing gives NaN; zeros are kinder to what follows",
    harmless=True,
)
BUILT_IN = (RESIDUAL, NORM, ROTARY, ACTIVATION, NO_OUT, INTERLEAVED, SWAPPED, FUSED, SEQUENCE_FIRST, NO_BATCH)
"What a layer may have inside, whatever its mask."
MASKS = (MASK_HIDES, MASK_ADDED, LENGTHS)
