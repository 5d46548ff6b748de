"""Residues that are recognised when they come back: those known to be values of a dtype, and constants."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from nkiverify.analysis.values import formats
from nkiverify.analysis.values.formats import Array
from nkiverify.model.dtypes import DType, float32, tfloat32

#: Bits that a lane of a residue takes in a key.
_LANE_BITS = np.uint64(30)
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


def _keys(x: Array) -> tuple[Array, Array]:
    """Two lanes of residues (lanes, n) as one word, and the third one."""
    lanes = x.reshape(x.shape[0], -1).astype(np.uint64)
    return lanes[0] | (lanes[1] << _LANE_BITS), lanes[2]


@dataclass(slots=True)
class Residues:
    """A growing set of residues: sorted runs, each at least twice as long as the next.

    Most of what is looked for is not there, which `_seen`, by the last bits of a word, tells fast.
    """

    _runs: list[tuple[Array, Array]] = field(default_factory=list)
    _seen: Array = field(default_factory=lambda: np.zeros(_SLOTS, dtype=bool))

    def has(self, x: Array) -> Array:
        """The numbers of x (lanes, *shape) that are in the set, as a mask. One that is may be missed by chance; never
        the other way round, as all lanes are compared."""
        words, proofs = _keys(x)
        found = self._seen[words & _SLOT]
        candidates = np.flatnonzero(found)
        if candidates.size:
            words, proofs = words[candidates], proofs[candidates]
            confirmed = np.zeros(words.shape, dtype=bool)
            for known, third in self._runs:
                places = np.searchsorted(known, words)
                places[places == known.size] = 0
                confirmed |= (known[places] == words) & (third[places] == proofs)
            found[candidates] = confirmed
        return found.reshape(x.shape[1:])

    def add(self, x: Array) -> None:
        """Put numbers (lanes, *shape) into the set."""
        words, proofs = _keys(x)
        if not words.size:
            return
        self._seen[words & _SLOT] = True
        words, first = np.unique(words, return_index=True)
        proofs = proofs[first]
        while self._runs and self._runs[-1][0].size < 2 * words.size:
            more, third = self._runs.pop()
            words, first = np.unique(np.concatenate([more, words]), return_index=True)
            proofs = np.concatenate([third, proofs])[first]
        self._runs.append((words, proofs))


@dataclass(slots=True)
class Constants:
    """The numbers of a kernel's text, by their residues."""

    _values: dict[tuple[int, ...], float] = field(default_factory=dict)
    _residues: Residues = field(default_factory=Residues)

    def add(self, lanes: tuple[int, ...], value: float) -> None:
        """Remember what a residue was made from."""
        if lanes not in self._values:
            self._values[lanes] = value
            self._residues.add(np.array(lanes, dtype=np.int64)[:, None])

    def values(self, x: Array) -> Array:
        """What numbers (lanes, n) were made from; NaN for those that are no constants."""
        found = np.full(x.shape[1:], np.nan)
        for place in np.flatnonzero(self._residues.has(x)):
            found[place] = self._values.get(tuple(int(lane) for lane in x[:, place]), np.nan)
        return found
