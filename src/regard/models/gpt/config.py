"""GPTConfig: the sizes and kinds of a GPT, one frozen object, checked when it is made."""

from dataclasses import dataclass
from typing import Literal, get_args

from regard.arguments import MOST, check_fields, check_sizes
from regard.errors import RegardError, nearest

Norm = Literal["layer", "rms"]
Activation = Literal["gelu", "relu", "relu-squared", "swiglu"]
PositionKind = Literal["none", "learned", "rotary", "alibi", "relative"]
AttentionKind = Literal["softmax", "linear"]
Init = Literal["shrunk", "attention", "zero"]


@dataclass(frozen=True, kw_only=True)
class GPTConfig:
    """The sizes and kinds of a GPT; a variant is `dataclasses.replace(config, depth=4)`.

    >>> GPTConfig(vocabulary=65, context=64, depth=4, heads=4, width=128).head_width
    32
    """

    vocabulary: int
    "How many tokens there are."
    context: int
    "The longest text that is read at once, in tokens."
    depth: int
    "Blocks, one upon the other."
    heads: int
    "Query heads of each attention."
    width: int
    "Channels of each token between the blocks."
    kv_heads: int | None = None
    "Key and value heads, shared by the query heads (grouped-query attention); as many as those when None."
    dropout: float = 0.0
    "Share dropped, while training, of the embedding, the attention weights and what each block adds."
    norm: Norm = "layer"
    "Before each part of a block and before the head: 'layer' (mean 0, variance 1) or 'rms' (mean square 1)."
    gains: bool = True
    "Whether the norms have a learned gain per channel."
    biases: bool = True
    "Whether linear maps, and layer norms with gains, have biases; the head never has."
    activation: Activation = "gelu"
    "Of the MLP: 'gelu' (by tanh), 'relu', 'relu-squared', or 'swiglu' (silu of one half times the other)."
    ratio: float = 4.0
    "Hidden channels of the MLP, as a multiple of the width."
    layers: int = 1
    "Hidden layers of the MLP."
    position: PositionKind = "learned"
    "How order is told: 'none', 'learned' (a table), 'rotary', 'alibi', 'relative' (a scalar per distance)."
    reach: int | None = None
    "The distance from which relative positions share one scalar; the context less one when None."
    attention: AttentionKind = "softmax"
    "'softmax', or 'linear': a kernel with the feature map elu + 1, divided by its sum."
    qk_norm: bool = False
    "Whether queries and keys are normed too (QK norm), head by head, without gains."
    ngram: int = 0
    "N-gram embedding: how many tokens before each are embedded with it, by a table for each distance."
    tied: bool = True
    "Whether the head is the token table itself."
    init_std: float = 0.02
    "Standard deviation of the initial weights."
    init: Init = "shrunk"
    "Maps that are added: 'shrunk' by sqrt(2 depth), the 'attention' ones only, or 'zero', as the head."

    def __post_init__(self) -> None:
        check_fields(self)
        self._check_names()
        self._check_sizes()
        self._check_positions()

    def _check_names(self) -> None:
        for name, kind in (
            ("norm", Norm),
            ("activation", Activation),
            ("position", PositionKind),
            ("attention", AttentionKind),
            ("init", Init),
        ):
            value, names = getattr(self, name), get_args(kind)
            check(
                value in names,
                f"no {name} of that name",
                repr(value),
                nearest(str(value), names, f"one of {', '.join(names)}"),
            )

    def _check_sizes(self) -> None:
        for name in ("vocabulary", "context", "depth", "heads", "width", "layers"):
            check_sizes("GPTConfig", **{name: getattr(self, name)})
        check(
            self.width % self.heads == 0 and self.kv_count > 0 and self.heads % self.kv_count == 0,
            "heads share the width evenly, and key/value heads the heads",
            f"width={self.width}, heads={self.heads}, kv_heads={self.kv_count}",
            "choose heads that divide the width, and key/value heads that divide the heads",
        )
        check(
            0.0 <= self.dropout < 1.0,
            "dropout is the share that is dropped",
            f"dropout={self.dropout}",
            "0 <= dropout < 1",
        )
        check(
            0 < self.ratio <= MOST and self.hidden >= 1,
            "the MLP has no hidden channel" if self.ratio <= 1 else "the MLP is beyond all memory",
            f"ratio={self.ratio}",
            "pass a ratio above 1 / width" if self.ratio <= 1 else "4 is usual",
        )
        check(
            0 <= self.init_std <= 1e3,
            "init_std is the standard deviation of the initial weights",
            f"init_std={self.init_std}",
            "0.02 is usual",
        )
        check(
            0 <= self.ngram <= self.context,
            "ngram counts earlier tokens",
            f"ngram={self.ngram}",
            "pass ngram=0 or more, up to the context",
        )
        check(
            self.reach is None or 0 <= self.reach <= MOST,
            "reach is a distance",
            f"reach={self.reach}",
            "pass reach=0 or more",
        )

    def _check_positions(self) -> None:
        check(
            self.position != "rotary" or self.head_width % 2 == 0,
            "rotary positions turn pairs of channels",
            f"width {self.head_width} per head",
            "choose width and heads so that width / heads is even",
        )
        check(
            self.attention != "linear" or self.position not in ("alibi", "relative"),
            "linear attention divides scores by their sum, and a position's bias may make them negative",
            f"attention='linear', position='{self.position}'",
            "choose position 'none', 'learned' or 'rotary'",
        )

    @property
    def kv_count(self) -> int:
        """How many key and value heads there are."""
        return self.heads if self.kv_heads is None else self.kv_heads

    @property
    def head_width(self) -> int:
        """Channels of one head."""
        return self.width // self.heads

    @property
    def hidden(self) -> int:
        """Channels of the MLP's hidden layers."""
        return round(self.ratio * self.width)


def check(holds: bool, what: str, got: str, fix: str) -> None:
    """Raise the three lines unless it holds."""
    if not holds:
        raise RegardError(what, got, fix)
