"""The axis letters and the array types every package speaks.

b batch, h heads, n queries, m keys, d query and key width, c channels, e edges, k classes, vocabulary or
components.

Annotations such as `Float[Tensor, "b h n d"]` are checked where jaxtyping is loaded first, as the tests do.
Where it is not, they cost nothing.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or "jaxtyping" in sys.modules:
    from jaxtyping import Bool, Float, Int
else:

    class _Unchecked:
        """Stands for an array type where shapes are not checked."""

        def __class_getitem__(cls, item: tuple[Any, str]) -> Any:
            return item[0]

    Bool = Float = Int = _Unchecked

__all__ = ["Bool", "Float", "Int"]
