"""Multi-head attention as a layer on `attend`."""

import torch
from torch import Tensor, nn

from regard.arguments import check_share, check_sizes, check_tensor, kinds
from regard.core.attend import attend
from regard.core.normalise import Normaliser, Softmax
from regard.core.position import Position
from regard.core.similarity import Dot, Similarity
from regard.core.support import Full, Support
from regard.errors import RegardError
from regard.shapes import Float


class MultiHead(nn.Module):
    """Queries, keys and values by linear maps, `attend` head by head, a linear map of the heads together.

    The factors are those of `attend`; those with parameters become parts of the layer.

    >>> layer = MultiHead(width=6, heads=3)
    >>> layer(torch.zeros(2, 5, 6)).shape
    torch.Size([2, 5, 6])
    """

    @kinds
    def __init__(
        self,
        *,
        width: int,
        heads: int,
        kv_heads: int | None = None,
        context_width: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        similarity: Similarity = Dot(),
        position: Position | None = None,
        normalise: Normaliser = Softmax(),
    ) -> None:
        super().__init__()
        kv_heads = heads if kv_heads is None else kv_heads
        given = width if context_width is None else context_width
        check_sizes("MultiHead", width=width, heads=heads, kv_heads=kv_heads, context_width=given)
        check_share("MultiHead", dropout=dropout)
        if width % heads or heads % kv_heads:
            raise RegardError(
                "heads share the width evenly, and key heads the heads",
                f"width={width}, heads={heads}, kv_heads={kv_heads}",
                "choose heads that divide the width, and key heads that divide the heads",
            )
        self.heads, self.kv_heads, self.dropout = heads, kv_heads, dropout
        self.similarity, self.position, self.normalise = similarity, position, normalise
        inner = width // heads * kv_heads
        self.query = nn.Linear(width, width, bias)
        self.key = nn.Linear(given, inner, bias)
        self.value = nn.Linear(given, inner, bias)
        self.out = nn.Linear(width, width, bias)

    def forward(
        self,
        x: Float[Tensor, "b n c"],
        context: Float[Tensor, "b m _"] | None = None,
        *,
        support: Support = Full(),
        backend: str = "auto",
    ) -> Float[Tensor, "b n c"]:
        """What each place takes from the context, or from the others where there is none."""
        check_tensor("MultiHead", "x", x, "b n c", width=self.query.in_features)
        context = x if context is None else context
        check_tensor("MultiHead", "context", context, "b m c", width=self.key.in_features)
        attended = attend(
            split(self.query(x), self.heads),
            split(self.key(context), self.kv_heads),
            split(self.value(context), self.kv_heads),
            similarity=self.similarity,
            support=support,
            position=self.position,
            normalise=self.normalise,
            dropout=self.dropout if self.training else 0.0,
            backend=backend,
        )
        return self.out(attended.output.transpose(1, 2).flatten(2))

    @classmethod
    def from_torch(cls, other: nn.MultiheadAttention) -> "MultiHead":
        """The layer with the weights of torch's own.

        >>> torch_layer = nn.MultiheadAttention(6, 3, batch_first=True)
        >>> x = torch.randn(2, 5, 6)
        >>> torch.allclose(MultiHead.from_torch(torch_layer)(x), torch_layer(x, x, x)[0], atol=1e-6)
        True
        """
        if other.bias_k is not None or other.add_zero_attn or other.kdim != other.vdim:
            raise RegardError(
                "this nn.MultiheadAttention has parts that attention over given keys has not",
                f"add_bias_kv={other.bias_k is not None}, add_zero_attn={other.add_zero_attn}, "
                f"kdim={other.kdim}, vdim={other.vdim}",
                "build it without add_bias_kv and add_zero_attn, with kdim equal to vdim",
            )
        biased = other.in_proj_bias is not None
        layer = cls(
            width=other.embed_dim,
            heads=other.num_heads,
            context_width=other.kdim,
            bias=biased,
            dropout=other.dropout,
        ).to(other.out_proj.weight)
        with torch.no_grad():
            for ours, theirs in layer._shared_with(other):
                ours.copy_(theirs)
        return layer.train(other.training)

    def to_torch(self) -> nn.MultiheadAttention:
        """torch's own layer with these weights; it has no place for other factors or fewer key heads."""
        if (
            self.kv_heads != self.heads
            or self.similarity != Dot()
            or self.position is not None
            or self.normalise != Softmax()
        ):
            raise RegardError(
                "nn.MultiheadAttention knows scaled dot products under a softmax alone",
                f"{self.kv_heads} key heads of {self.heads}, "
                f"{self.similarity}, {self.position}, {self.normalise}",
                "keep this layer, or build it with as many key heads and no other factors",
            )
        width, given, biased = self.query.in_features, self.key.in_features, self.query.bias is not None
        other = nn.MultiheadAttention(
            width, self.heads, self.dropout, bias=biased, kdim=given, vdim=given, batch_first=True
        ).to(self.out.weight)
        with torch.no_grad():
            for ours, theirs in self._shared_with(other):
                theirs.copy_(ours)
        return other.train(self.training)

    def _shared_with(self, other: nn.MultiheadAttention) -> list[tuple[Tensor, Tensor]]:
        """Our parameters beside the same ones of torch's layer."""
        names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
        packed = other.in_proj_weight
        theirs = [getattr(other, name) for name in names] if packed is None else list(packed.chunk(3))
        ours: list[Tensor] = [self.query.weight, self.key.weight, self.value.weight]
        if other.in_proj_bias is not None:
            ours += [self.query.bias, self.key.bias, self.value.bias, self.out.bias]
            theirs += [*other.in_proj_bias.chunk(3), other.out_proj.bias]
        return [*zip(ours, theirs, strict=True), (self.out.weight, other.out_proj.weight)]


def split(x: Float[Tensor, "b n _"], heads: int) -> Float[Tensor, "b {heads} n _"]:
    """The channels shared out to the heads."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)
