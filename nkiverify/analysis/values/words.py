"""Random functions of residues, and numbers that are recognised by what they were made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from nkiverify.analysis.values.lanes import PrimeLanes
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.primes import Moduli

#: Bits that a residue takes in a word.
_LANE_BITS = np.uint64(24)
_MIDDLE = 1 << 23
#: Bits of the words that maxima are distinguished by, at most.
_PAYLOAD_BITS = 60


def _mixed(words: Array) -> Array:
    """A bijection of 64-bit words without visible structure (the finaliser of SplitMix64)."""
    with np.errstate(over="ignore"):
        words = words ^ (words >> np.uint64(30))
        words = words * np.uint64(0xBF58476D1CE4E5B9)
        words ^= words >> np.uint64(27)
        words *= np.uint64(0x94D049BB133111EB)
        words ^= words >> np.uint64(31)
    return words


class RandomFunctions(PrimeLanes):
    """Residues with keyed random functions of them: of the first `identity` of each number, which say what it is."""

    def __init__(self, moduli: Moduli, phased: bool, seed: int) -> None:
        super().__init__(moduli, phased)
        #: A residue modulo the last prime of a chain is opaque in an exponential.
        self.identity = self.residues - moduli.last
        self._keys: dict[str, np.uint64] = {}
        self._seed = seed
        self._widths = [prime.bit_length() - 1 for prime in self.primes]
        #: How many residues hold the word that a maximum is distinguished by, and its bits; the other residues prove
        #: it.
        self._holding = next(
            (count for count in range(1, self.residues) if sum(self._widths[:count]) >= _PAYLOAD_BITS),
            self.residues - 1,
        )
        self.payload_bits = min(_PAYLOAD_BITS, sum(self._widths[: self._holding]))

    @property
    def lane_bits(self) -> list[int]:
        """The bits that numbers are compared by: this many bits of each residue that is not opaque, or fewer."""
        return sorted(self._widths)[: self.identity]

    def _key(self, name: str) -> Any:
        """The key of a function, the same for all numbers of this instance."""
        found = self._keys.get(name)
        if found is None:
            word = int(self._seed)
            for byte in name.encode():
                word = (word ^ byte) * 0x100000001B3 % (1 << 64)
            found = self._keys[name] = _mixed(np.array([word], dtype=np.uint64))[0]
        return found

    def words(self, x: Array) -> Array:
        """The words that numbers are distinguished by, in 64 bits, without the axis of the lanes."""
        return self.hashed("words", x)

    def hashed(self, name: str, *arguments: Array) -> Array:
        """Keyed words of the arguments' values, without the axis of the lanes."""
        words = self._key(name)
        for argument in arguments:
            numbers = self.filled(self.canonical(argument)[: self.identity])
            lanes = (numbers.astype(np.int64) + _MIDDLE).astype(np.uint64)
            for first in range(0, self.identity, 2):
                word = lanes[first]
                if first + 1 < self.identity:
                    word = word | (lanes[first + 1] << _LANE_BITS)
                with np.errstate(over="ignore"):
                    words = _mixed(word + words)
        return np.asarray(words)

    def random_function(self, name: str, *arguments: Array) -> Array:
        """Each lane of the result depends on all of the arguments'."""
        words = self.hashed(name, *arguments)
        keys = [self._key(f"lane {lane}") for lane in range(self.residues)]
        found = self.lifted(
            np.stack([_mixed(words ^ key) % np.uint64(prime) for key, prime in zip(keys, self.primes, strict=True)])
        )
        return self.unless_missing(found, *arguments)

    def unless_missing(self, found: Array, *arguments: Array) -> Array:
        """The values found for some arguments; NaN for those that are not known."""
        for argument in arguments:
            missing = self.missing(argument, self.identity)
            if missing is not None:
                found = np.where(missing, np.nan, found)
        return found

    def odd_function(self, name: str, x: Array) -> Array:
        """A random function with f(-x) = -f(x)."""
        positive = self.canonical(x)[0] > 0
        images = self.random_function(name, np.where(positive, x, self.negative(x)))
        return np.where(positive, images, self.negative(images))

    # --- maxima -----------------------------------------------------------------------------------------------------

    @property
    def payload(self) -> np.uint64:
        """A word of the bits that maxima are distinguished by."""
        return np.uint64((1 << self.payload_bits) - 1)

    def image(self, x: Array) -> Array:
        """The contribution of elements to a maximum: a maximum what it was made of, others a random word."""
        payload, known = self._decoded(x)
        return np.where(known, payload, self.hashed("max of", x) & self.payload)

    def encoded(self, payload: Array) -> Array:
        """Numbers that `_decoded` recognises: the last residue proves the word that the others hold."""
        half = np.uint64((self.payload_bits + 1) // 2)
        odd = self._key("max factor") | np.uint64(1)
        words = (payload ^ (payload >> half)) * odd & self.payload
        words ^= words >> half
        lanes = []
        for width in self._widths[: self._holding]:
            lanes.append(words & np.uint64((1 << width) - 1))
            words = words >> np.uint64(width)
        return self.lifted(
            np.stack(lanes + [self._proof(payload, lane) for lane in range(self._holding, self.residues)])
        )

    def _proof(self, payload: Array, lane: int) -> Array:
        """The condition on a residue to prove a word."""
        return np.asarray(_mixed(payload + self._key(f"proof {lane}")) & np.uint64((1 << self._widths[lane]) - 1))

    def _decoded(self, x: Array) -> tuple[Array, Array]:
        """The words numbers in their canonical form were encoded from, and where they were."""
        half = np.uint64((self.payload_bits + 1) // 2)
        back = np.uint64(pow(int(self._key("max factor") | np.uint64(1)), -1, 1 << self.payload_bits))
        words = np.zeros(x.shape[1:], dtype=np.uint64)
        known = np.ones(x.shape[1:], dtype=bool)
        shift = 0
        x = self.filled(x)
        lanes = np.where(x < 0, x + self._modulus(x), x)[: self.residues].astype(np.uint64)
        for width, lane in zip(self._widths[: self._holding], lanes, strict=False):
            known &= lane >> np.uint64(width) == 0
            words |= lane << np.uint64(shift)
            shift += width
        known &= words & ~self.payload == 0
        words = words & self.payload
        words ^= words >> half
        words = words * back & self.payload
        words ^= words >> half
        for lane in range(self._holding, self.residues):
            known &= lanes[lane] == self._proof(words, lane)
        return words, known
