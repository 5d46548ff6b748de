"""The power of a generator that a residue is: from a table of all powers, or in steps where few are asked about."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.budget import NumbersBudget

#: Powers that are kept where exponents are found in steps of as many.
_STRIDE = 1 << 16


class Exponents:
    """The exponents of the squares modulo a prime; `generator` is one of them, of which all are powers."""

    def __init__(self, generator: int, prime: int) -> None:
        self._generator = generator
        self._prime = prime
        self._order = (prime - 1) // 2

    def of(self, residues: Array) -> Array:
        """The exponent of each residue, an integer from 0 up to the prime; -1 for what is none."""
        if residues.size > NumbersBudget.RESIDUES_IN_STEPS or "_table" in vars(self):
            return self._table[residues]
        return self._in_steps(residues.ravel()).reshape(residues.shape)

    @cached_property
    def _table(self) -> Array:
        """By residue."""
        table = np.full(self._prime, -1, dtype=np.int32)
        powers = powers_of(self._generator, self._prime, self._order)
        table[powers.astype(np.int64)] = np.arange(powers.size, dtype=np.int32)
        return table

    @cached_property
    def _first(self) -> tuple[Array, Array]:
        """The first powers in ascending order, and their exponents."""
        powers = powers_of(self._generator, self._prime, min(_STRIDE, self._order)).astype(np.int64)
        exponents = np.argsort(powers)
        return powers[exponents], exponents

    def _in_steps(self, residues: Array) -> Array:
        """Divided by the generator to the power of the stride until what is left is one of the first powers."""
        powers, exponents = self._first
        found = np.full(residues.shape, -1, dtype=np.int32)
        back = pow(self._generator, -powers.size, self._prime)
        open_ones, left = np.arange(residues.size), residues.copy()
        for before in range(0, self._order, powers.size):
            places = np.minimum(np.searchsorted(powers, left), powers.size - 1)
            hit = powers[places] == left
            found[open_ones[hit]] = exponents[places[hit]] + before
            open_ones, left = open_ones[~hit], left[~hit]
            if not open_ones.size:
                break
            left = left * back % self._prime
        return found


def powers_of(base: int, prime: int, count: int) -> Array:
    """The powers of a residue from the 0th on, by doubling."""
    found = np.ones(count)
    known = 1
    while known < count:
        more = min(known, count - known)
        factor = pow(base, known, prime)
        part = found[:more] * factor
        part -= np.floor(part * (1.0 / prime)) * prime
        # The quotient may be wrong by one; this takes a fifth of the time of `np.remainder`.
        part += (part < 0) * float(prime)
        part -= (part >= prime) * float(prime)
        found[known : known + more] = part
        known += more
    return found
