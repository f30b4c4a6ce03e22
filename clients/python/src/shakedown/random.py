"""Random numbers from a seed: the same in every library of the node protocol."""

from collections.abc import MutableSequence, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

_MASK: Final = (1 << 64) - 1


class Random:
    """A seeded source of random numbers: xoshiro256++."""

    __slots__ = ("_a", "_b", "_c", "_d")

    def __init__(self, seed: int) -> None:
        words = []
        for _ in range(4):
            # SplitMix64.
            seed = (seed + 0x9E3779B97F4A7C15) & _MASK
            word = ((seed ^ seed >> 30) * 0xBF58476D1CE4E5B9) & _MASK
            word = ((word ^ word >> 27) * 0x94D049BB133111EB) & _MASK
            words.append(word ^ word >> 31)
        self._a, self._b, self._c, self._d = words

    def bits(self) -> int:
        """Draws 64 random bits, as a number from 0 to 2⁶⁴ − 1."""
        a, b, c, d = self._a, self._b, self._c, self._d
        total = (a + d) & _MASK
        result = ((total << 23 | total >> 41) + a) & _MASK
        c ^= a
        d ^= b
        self._a, self._b = a ^ d, b ^ c
        self._c = c ^ (b << 17 & _MASK)
        self._d = (d << 45 | d >> 19) & _MASK
        return result

    def below(self, bound: int) -> int:
        """Draws a uniformly random number from 0 to bound − 1."""
        if not 0 < bound <= _MASK:
            raise ValueError(f"there is no number below {bound} to draw: a bound is from 1 to 2⁶⁴ − 1")
        # Lemire's method. The division is needed rarely if the bound is small.
        product = self.bits() * bound
        if product & _MASK < bound:
            threshold = ((1 << 64) - bound) % bound
            while product & _MASK < threshold:
                product = self.bits() * bound
        return product >> 64

    def unit(self) -> float:
        """Draws a uniformly random number from 0 to 1, without 1."""
        return (self.bits() >> 11) / (1 << 53)

    def chance(self, probability: float) -> bool:
        """Draws true with this probability."""
        return self.unit() < probability

    def choice(self, items: Sequence[T]) -> T:
        """Draws one of the items."""
        if not items:
            raise ValueError("there is no item to draw: the sequence is empty")
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Puts items into a uniformly random order."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
