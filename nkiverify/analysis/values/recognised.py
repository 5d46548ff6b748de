"""Residues that are recognised when they come back: those known to be values of a dtype, and constants."""

from __future__ import annotations

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
