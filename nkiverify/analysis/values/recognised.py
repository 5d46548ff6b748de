"""Residues that are recognised when they come back: those known to be values of a dtype, and constants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from nkiverify.analysis.dependence import distinct
from nkiverify.analysis.values import formats
from nkiverify.analysis.values.formats import Array
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
    exact = words.view(formats.STORED[narrower]).astype(np.float32)
    exact = exact[~np.isnan(exact)]
    return bool((converted(exact, wider) == exact).all())


def converted(values: Array, dtype: DType) -> Array:
    """Known numbers as the dtype rounds or saturates them, in float64; NaN where it has no number for them."""
    whole = values.dtype.kind in "iu" and dtype.is_integer
    stored = formats.stored(values if whole else values.astype(np.float32), dtype)
    return stored.astype(np.float64)


@dataclass(slots=True)
class Residues:
    """A growing set of residues, each by a word: sorted runs, each at least twice as long as the next.

    Most of what is looked for is not there, which `_seen`, by the last bits of a word, tells fast.
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
class Constants:
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


class Infinities:
    """The numbers that are minus infinity: the constants that stand for it, what finite numbers are added to, what is
    multiplied by a constant once. exp is 0 of them. `words` tells numbers apart.

    No other number may be infinite, but for their negatives: where an operation could make one, this stops, and no
    more numbers become known.
    """

    def __init__(self, words: Callable[[Array], Array], negative: Callable[[Array], Array]) -> None:
        self._words = words
        self._negative = negative
        #: As they are, and multiplied by a constant.
        self._known: tuple[Residues, Residues] | None = None
        self._stopped = False

    def begin(self, least: Array) -> None:
        """There is a constant that stands for minus infinity."""
        if self._known is None:
            self._known = Residues(), Residues()
            self.remember(least[:, None])

    def stop(self) -> None:
        """There may be infinite numbers that are not known."""
        self._stopped = True

    def stop_at(self, *operands: Array) -> None:
        """Stop if there is one among operands whose result may be infinite."""
        if not self._stopped and any(self.among(x) is not None for x in operands):
            self.stop()

    def among(self, x: Array) -> Array | None:
        """Where numbers are minus infinity, without the axis of the lanes; None for nowhere."""
        if self._known is None:
            return None
        words = self._words(x)
        found = self._known[0].has(words) | self._known[1].has(words)
        return found if found.any() else None

    def remember(self, x: Array) -> None:
        """These numbers are minus infinity."""
        if self._known is not None and not self._stopped:
            self._known[0].add(self._words(x))

    def added(self, x: Array, y: Array, total: Array) -> None:
        """Infinity, to which no infinity with the other sign is added, is infinity."""
        for one, other in ((x, y), (y, x)):
            for known, where in self._places(one, total):
                opposite = self.among(self._negative(np.broadcast_to(other, total.shape)[:, where]))
                infinite = total[:, where]
                known.add(self._words(infinite if opposite is None else infinite[:, ~opposite]))

    def multiplied(self, x: Array, y: Array, product: Array, constants: Constants) -> None:
        """Infinity times a constant is infinity, if that is not too small; twice it is not followed."""
        for one, other in ((x, y), (y, x)):
            for known, where in self._places(one, product):
                factors = constants.values(self._words(np.broadcast_to(other, product.shape)[:, where]))
                followed = (np.abs(factors) >= _LEAST_FACTOR) & (self._known is not None and known is self._known[0])
                if not (followed | (factors == 0)).all() or self._known is None:
                    self.stop()
                    return
                infinite = product[:, where]
                self._known[1].add(self._words(infinite[:, factors > 0]))
                self._known[1].add(self._words(self._negative(infinite[:, factors < 0])))

    def _places(self, x: Array, like: Array) -> list[tuple[Residues, Array]]:
        """The sets that some numbers of x are in, with where that is in an array that x is broadcast to."""
        if self._known is None or self._stopped or not x.size:
            return []
        words = self._words(x)
        found = ((known, known.has(words)) for known in self._known)
        return [(known, np.broadcast_to(mask, like.shape[1:])) for known, mask in found if mask.any()]
