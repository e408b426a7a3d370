"""Shuffling without memory: a pseudorandom permutation of 0 … N − 1 (Feistel network with cycle walking).

A Feistel network permutes the numbers below 4ᵏ whatever its round function is; k is the least for which they
are N or more. A number that lands at N or above goes through it again until it does not, which leaves a
permutation of those below N: each number's walk is a piece of a cycle, and no two pieces end alike.
"""

from dataclasses import dataclass

import numpy

from regard.errors import RegardError

ROUNDS = 8
"Rounds of the network; four are enough for a permutation that is hard to tell from a random one."
LARGEST = 2**62
"The most numbers that can be permuted."


@dataclass(frozen=True)
class Permutation:
    """A permutation of the numbers below `size`; seed and epoch say which.

    >>> shuffle = Permutation(5, seed=1)
    >>> sorted(shuffle(numpy.arange(5)).tolist())
    [0, 1, 2, 3, 4]
    """

    size: int
    "How many numbers there are."
    seed: int = 0
    "Which permutation it is."
    epoch: int = 0
    "Another one for each pass over the numbers."

    def __post_init__(self) -> None:
        if not 1 <= self.size <= LARGEST:
            raise RegardError(
                "so many numbers cannot be permuted", f"size={self.size}", f"from 1 to {LARGEST:,}"
            )

    def __call__(self, places: numpy.ndarray) -> numpy.ndarray:
        """Where each place goes; places and results are int64 from 0 to size − 1."""
        found = places.astype(numpy.uint64)
        outside = numpy.ones(len(found), bool)
        while outside.any():
            found[outside] = self._network(found[outside])
            outside = found >= self.size
        return found.astype(numpy.int64)

    def _network(self, numbers: numpy.ndarray) -> numpy.ndarray:
        """The Feistel network on numbers of 2 k bits: in each round halves (L, R) become (R, L ⊕ f(R))."""
        half = numpy.uint64(max(1, -(-(self.size - 1).bit_length() // 2)))
        mask = (numpy.uint64(1) << half) - numpy.uint64(1)
        left, right = numbers >> half, numbers & mask
        for key in self._keys():
            left, right = right, left ^ (_mixed(right ^ key) & mask)
        return (left << half) | right

    def _keys(self) -> numpy.ndarray:
        """A key for each round, from the seed and the epoch."""
        return numpy.random.Philox(key=numpy.array([self.seed, self.epoch], numpy.uint64)).random_raw(ROUNDS)


def _mixed(numbers: numpy.ndarray) -> numpy.ndarray:
    """Every bit of the result depends on every bit of the number (the finaliser of splitmix64)."""
    numbers = (numbers ^ (numbers >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> numpy.uint64(31))
