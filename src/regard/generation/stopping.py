"""Stop sequences: when a generated text is at its end."""

from dataclasses import dataclass

import torch
from torch import Tensor

from regard.arguments import fits, told
from regard.errors import RegardError
from regard.shapes import Bool, Int

NOTHING = -1
"The id that stands where a row has come to its end already."


@dataclass(frozen=True)
class Stop:
    """After any of these sequences of tokens; what ends a text is part of it.

    >>> stop = Stop((7,), (1, 2))
    >>> stop.reached(torch.tensor([[5, 1, 2], [5, 2, 1], [1, 2, 7]]))
    tensor([ True, False,  True])
    >>> stop.next(torch.tensor([[5, 1], [5, 2]]), vocabulary=9).nonzero().tolist()
    [[0, 2], [0, 7], [1, 7]]
    """

    sequences: tuple[tuple[int, ...], ...]

    def __init__(self, *sequences: tuple[int, ...]) -> None:
        if not sequences or not all(
            fits(one, tuple[int, ...]) and one and min(one) >= 0 for one in sequences
        ):
            raise RegardError(
                "a text stops after a sequence of tokens",
                told(sequences),
                "give tuples of ids, with at least one token each",
            )
        object.__setattr__(self, "sequences", sequences)

    def reached(self, ids: Int[Tensor, "b n"]) -> Bool[Tensor, " b"]:
        """Which rows have just come to their end."""
        ended = torch.zeros(len(ids), dtype=torch.bool, device=ids.device)
        for sequence in self.sequences:
            ended |= _ends(ids, sequence)
        return ended

    def next(self, ids: Int[Tensor, "b n"], vocabulary: int) -> Bool[Tensor, "b k"]:
        """Which tokens would bring each row to its end."""
        if max(sequence[-1] for sequence in self.sequences) >= vocabulary:
            raise RegardError(
                "a stop holds a token outside of the vocabulary",
                f"{self.sequences}",
                f"ids go from 0 to {vocabulary - 1}",
            )
        would = torch.zeros(len(ids), vocabulary, dtype=torch.bool, device=ids.device)
        for *before, last in self.sequences:
            would[:, last] |= _ends(ids, tuple(before))
        return would


def _ends(ids: Tensor, sequence: tuple[int, ...]) -> Tensor:
    """Which rows end in the sequence; in the empty one all do."""
    if len(sequence) > ids.shape[1]:
        return torch.zeros(len(ids), dtype=torch.bool, device=ids.device)
    tail = ids[:, ids.shape[1] - len(sequence) :]
    return (tail == torch.tensor(sequence, dtype=ids.dtype, device=ids.device)).all(1)
