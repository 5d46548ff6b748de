"""Residues that are recognised when they come back: those known to be values of a dtype, and constants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import lru_cache

import numpy as np

from nkiverify.analysis.element_marks import distinct
from nkiverify.analysis.values import number_formats
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.dtypes import DType, float32, tfloat32

_TWO_BYTES = 2
_SLOTS = 1 << 24
_SLOT = np.uint64(_SLOTS - 1)


@lru_cache(maxsize=1024)
def contains(wider: DType, narrower: DType) -> bool:
    """True if every number of one dtype is a number of the other, so that converting it changes nothing."""
    if wider == narrower:
        return True
    if narrower.is_packed or wider.is_packed or narrower == float32:
        return False
    if narrower == tfloat32:
        return wider == float32
    if narrower.itemsize > _TWO_BYTES:
        return False
    words = np.arange(256**narrower.itemsize, dtype=np.uint8 if narrower.itemsize == 1 else np.uint16)
    if narrower.name == "bool":
        words = words[:2]
    exact = words.view(number_formats.STORED[narrower]).astype(np.float32)
    exact = exact[~np.isnan(exact)]
    return bool((converted(exact, wider) == exact).all())


def converted(values: Array, dtype: DType) -> Array:
    """Known numbers as the dtype rounds or saturates them, in float64; NaN where it has no number for them."""
    whole = values.dtype.kind in "iu" and dtype.is_integer
    stored = number_formats.stored(values if whole else values.astype(np.float32), dtype)
    return stored.astype(np.float64)


@dataclass(slots=True)
class Residues:
    """A growing set of residues, each by a word: sorted runs, each at least twice as long as the next.

    Most of what is searched for is not there, which `_seen`, by the last bits of a word, tells fast.
    """

    _runs: list[Array] = field(default_factory=list)
    _seen: Array = field(default_factory=lambda: np.zeros(_SLOTS, dtype=bool))

    def has(self, words: Array) -> Array:
        """Those of these words that are in the set, as a mask."""
        found = self._seen[words & _SLOT]
        places = np.flatnonzero(found)
        if places.size:
            wanted = words.ravel()[places]
            confirmed = np.zeros(wanted.shape, dtype=bool)
            for known in self._runs:
                at = np.searchsorted(known, wanted)
                at[at == known.size] = 0
                confirmed |= known[at] == wanted
            found.ravel()[places] = confirmed
        return found

    def add(self, words: Array) -> None:
        """Put words into the set."""
        if not words.size:
            return
        self._seen[words & _SLOT] = True
        words = distinct(words)
        while self._runs and self._runs[-1].size < 2 * words.size:
            words = distinct(np.concatenate([self._runs.pop(), words]))
        self._runs.append(words)


@dataclass(slots=True)
class ConstantResidues:
    """The numbers of a kernel's text, by the words of their residues."""

    _values: dict[int, float] = field(default_factory=dict)
    _known: Residues = field(default_factory=Residues)

    def add(self, word: int, value: float) -> None:
        """Remember what a residue was made from."""
        if word not in self._values:
            self._values[word] = value
            self._known.add(np.array([word], dtype=np.uint64))

    def values(self, words: Array) -> Array:
        """The constants that numbers were made from; NaN for those that are no constants."""
        found = np.full(words.shape, np.nan)
        for place in np.flatnonzero(self._known.has(words)):
            found.ravel()[place] = self._values.get(int(words.ravel()[place]), np.nan)
        return found


#: The least constant that infinity is multiplied by, once, and stays what exp is 0 of.
_LEAST_FACTOR = 1e-6
#: Kinds of infinite numbers: as they are, and multiplied by a constant; those of minus infinity are negative.
_PLAIN, _SCALED = 1, 2


class Infinities:
    """The numbers that are infinite: the constants that stand for it, what finite numbers are added to, what is
    multiplied by a constant once; and their negatives. exp is 0 of those below 0. `words` tells numbers apart.

    No other number may be infinite: where an operation could make one, this stops, and no more numbers become known.
    """

    def __init__(self, words: Callable[[Array], Array], negative: Callable[[Array], Array]) -> None:
        self._words = words
        self._negative = negative
        #: By kind; empty as long as there are none.
        self._known: dict[int, Residues] = {}
        self._stopped = False

    def constant(self, least: Array) -> None:
        """There is a constant that stands for minus infinity."""
        if not self._known:
            self._known = {kind: Residues() for kind in (_PLAIN, _SCALED, -_PLAIN, -_SCALED)}
        for kind, number in ((-_PLAIN, least), (_PLAIN, self._negative(least))):
            self._known[kind].add(self._words(number[:, None]))

    def stop(self) -> None:
        """There may be infinite numbers that are not known."""
        self._stopped = True

    def stop_at(self, *operands: Array) -> None:
        """Stop if there is one among operands whose result may be infinite."""
        if not self._stopped and any(self.kinds(x) is not None for x in operands):
            self.stop()

    def kinds(self, x: Array) -> Array | None:
        """The kinds of numbers, 0 for finite ones, without the axis of the lanes; None where all are finite."""
        if not self._known:
            return None
        words = self._words(x)
        found = np.zeros(words.shape, dtype=np.int8)
        for kind, numbers in self._known.items():
            found[numbers.has(words)] = kind
        return found if found.any() else None

    def remember(self, x: Array, kinds: Array | None) -> None:
        """These numbers are of these kinds, or all finite."""
        if self._stopped or kinds is None:
            return
        kinds = np.broadcast_to(kinds, x.shape[1:])
        for kind in self._known:
            numbers = x[:, kinds == kind]
            self._known[kind].add(self._words(numbers))
            self._known[-kind].add(self._words(self._negative(numbers)))

    def added(self, x: Array, y: Array, total: Array) -> None:
        """Infinity, to which no infinity with the other sign is added, is infinity."""
        if not self._stopped:
            one, other = self.kinds(x), self.kinds(y)
            if one is not None and other is not None:
                self.remember(total, _of_sum(np.minimum(one, other), np.maximum(one, other)))
            else:
                self.remember(total, other if one is None else one)

    def summed(self, x: Array, total: Array) -> None:
        """The same along the last axis, which stays."""
        found = None if self._stopped else self.kinds(x)
        if found is not None:
            self.remember(total, _of_sum(found.min(axis=-1, keepdims=True), found.max(axis=-1, keepdims=True)))

    def multiplied(self, x: Array, y: Array, product: Array, constants: ConstantResidues) -> None:
        """Infinity times a constant is infinity, if that is not too small; twice it is not followed."""
        for one, other in ((x, y), (y, x)):
            found = None if self._stopped else self.kinds(one)
            if found is None:
                continue
            where = np.broadcast_to(found != 0, product.shape[1:])
            kinds = np.broadcast_to(found, product.shape[1:])[where]
            factors = constants.values(self._words(np.broadcast_to(other, product.shape)[:, where]))
            followed = (np.abs(factors) >= _LEAST_FACTOR) & (np.abs(kinds) == _PLAIN)
            if not (followed | (factors == 0)).all():
                self.stop()
                return
            self.remember(product[:, where], np.where(followed, np.sign(factors) * np.sign(kinds) * _SCALED, 0))

    def greater(self, x: Array, y: Array, result: Array) -> None:
        """The greater of two is minus infinity where both are. What is greater than all finite numbers stops this."""
        one, other = self.kinds(x), self.kinds(y)
        if any(kinds is not None and (kinds > 0).any() for kinds in (one, other)):
            self.stop()
        elif one is not None and other is not None:
            self.remember(result, np.where(np.maximum(one, other) < 0, np.minimum(one, other), 0))

    def greatest(self, x: Array, result: Array) -> None:
        """The same along the last axis, which stays."""
        found = self.kinds(x)
        if found is not None and (found > 0).any():
            self.stop()
        elif found is not None:
            least, greatest = found.min(axis=-1, keepdims=True), found.max(axis=-1, keepdims=True)
            self.remember(result, np.where(greatest < 0, least, 0))


def _of_sum(least: Array, greatest: Array) -> Array:
    """The kind of a sum, given the least and the greatest of its addends' kinds: with both signs it is no number."""
    return np.where(greatest <= 0, least, np.where(least < 0, 0, greatest))
