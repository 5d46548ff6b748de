"""Residues modulo several primes at once, in float64: every product and every sum here is exact.

Arrays have the primes in front. Residues are centred: between -p/2 and p/2, which after a long sum may be left by one;
`canonical` says which one it is. The quotient of a residue by 0 is NaN, and so is all that is computed from it: it says
nothing of its element, and nothing else of others. Where logarithms are followed (`nkiverify.analysis.values.fields`),
a further lane for each link holds whether what a logarithm was taken of is a square modulo its prime: bits, added
modulo 2.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from nkiverify.analysis.values.exponents import Exponents, powers_of
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.primes import Moduli
from nkiverify.foundation.budget import NumbersBudget

#: Contractions are cut into pieces of this length.
_DEPTH = 128
#: Bits of an exponent that one table of powers answers for.
_TABLE_BITS = 12
_TABLE = 1 << _TABLE_BITS
#: Integers up to here, of either sign, are recognised as integers.
_SMALL = 1 << 24


class PrimeLanes:
    """Arithmetic modulo several primes."""

    def __init__(self, moduli: Moduli, phased: bool = False) -> None:
        """`phased`: with lanes of bits, one for each link."""
        self.moduli = moduli
        self.primes = moduli.primes
        #: Lanes that are residues; all lanes.
        self.residues = len(moduli.primes)
        self.lanes = self.residues + (len(moduli.links) if phased else 0)
        self._p = np.array((*moduli.primes, *(2,) * (self.lanes - self.residues)), dtype=np.float64)
        self._inverse = 1.0 / self._p
        #: That there may be residues that are NaN.
        self.divided_by_zero = False
        #: That logarithms were taken, and that a number was multiplied since by what is no integer.
        self.logarithms_taken = self.scaled_since = False

    def _modulus(self, x: Array) -> Array:
        return self._p.reshape(self.lanes, *(1,) * (x.ndim - 1))

    def reduced(self, x: Array) -> Array:
        """x, below 2^53 in magnitude, modulo the primes; x is changed."""
        shape = (self.lanes, *(1,) * (x.ndim - 1))
        quotient = x * self._inverse.reshape(shape)
        np.rint(quotient, out=quotient)
        quotient *= self._p.reshape(shape)
        x -= quotient
        return x

    def canonical(self, x: Array) -> Array:
        """The one representative of each residue, centred."""
        found = self.reduced(np.array(x, dtype=np.float64))
        if self.lanes != self.residues:
            np.abs(found[self.residues :], out=found[self.residues :])
        return found

    def lifted(self, residues: Array) -> Array:
        """Residues from 0 to p - 1, of any integer dtype, as numbers; no phases."""
        found = np.zeros((self.lanes, *residues.shape[1:]))
        found[: self.residues] = residues
        return self.reduced(found)

    def lane_constants(self, numerator: int, denominator: int) -> Array:
        """A fraction, by lanes."""
        lanes = []
        for prime in self.primes:
            if denominator % prime == 0:
                self.divided_by_zero = True
                lanes.append(np.nan)
            else:
                lanes.append(float(numerator * pow(denominator, -1, prime) % prime))
        return self.lifted(np.array(lanes))

    def missing(self, x: Array, lanes: int) -> Array | None:
        """Where one of the first `lanes` residues is NaN, without the axis of the lanes; None where none is."""
        if not self.divided_by_zero:
            return None
        found = np.asarray(np.isnan(x[:lanes]).any(axis=0))
        return found if found.any() else None

    def filled(self, x: Array) -> Array:
        """x with 0 for what is NaN: what is looked up by integers, and said to be `missing` afterwards."""
        return np.nan_to_num(x, nan=0.0) if self.divided_by_zero else x

    # --- the fields ---------------------------------------------------------------------------------------------------

    def add(self, x: Array, y: Array) -> Array:
        """x + y."""
        return self.reduced(np.asarray(x + y))

    def negative(self, x: Array) -> Array:
        """-x."""
        return np.asarray(-x)

    def multiply(self, x: Array, y: Array) -> Array:
        """x * y."""
        product = self.reduced(np.asarray(x * y))
        if self.lanes != self.residues:
            self._phases_of_product(x, y, product)
        return product

    def total(self, x: Array) -> Array:
        """The sum along the last axis, which stays."""
        return self.reduced(np.asarray(x.sum(axis=-1, keepdims=True)))

    def matmul(self, x: Array, y: Array) -> Array:
        """x (lanes, K, M) transposed, times y (lanes, K, N)."""
        found: Array | None = None
        for start in range(0, x.shape[1], _DEPTH):
            left, right = x[:, start : start + _DEPTH], y[:, start : start + _DEPTH]
            part = self.reduced(np.matmul(left.transpose(0, 2, 1), right))
            if self.lanes != self.residues:
                self._phases_of_matmul(left, right, part)
            # Reduced parts have 24 bits: as many as there can be add up to less than 2^53.
            found = part if found is None else np.add(found, part, out=found)
        assert found is not None
        return self.reduced(found) if x.shape[1] > _DEPTH else found

    def inverted(self, x: Array) -> Array:
        """1 / x; NaN for 0, which is remembered."""
        residues = x[: self.residues]
        zero = residues == 0
        if zero.any():
            self.divided_by_zero = True
        flat = np.ones((self.lanes, residues[0].size))
        flat[: self.residues] = np.where(zero | np.isnan(residues), 1.0, residues).reshape(self.residues, -1)
        found = self._inverses(flat).reshape(self.lanes, *x.shape[1:])
        found[: self.residues][zero | np.isnan(residues)] = np.nan
        found[self.residues :] = 0.0
        return found

    def _inverses(self, x: Array) -> Array:
        """Of numbers (lanes, n) that are not 0: two halves by one inversion of their products."""
        size = x.shape[1]
        if size <= NumbersBudget.INVERTED_ONE_BY_ONE:
            found = np.ones_like(x)
            for lane, prime in enumerate(self.primes):
                found[lane] = [pow(int(part) % prime, -1, prime) for part in x[lane].tolist()]
            return self.reduced(found)
        half = (size + 1) // 2
        first, second = x[:, :half], np.ones((self.lanes, half))
        second[:, : size - half] = x[:, half:]
        inverse = self._inverses(self.reduced(first * second))
        return np.concatenate([self.reduced(inverse * second), self.reduced(inverse * first)[:, : size - half]], axis=1)

    def small(self, x: Array) -> tuple[Array, Array]:
        """Integers of small magnitude, and where the numbers are such."""
        missing = self.missing(x, self.residues)
        x = self.filled(self.canonical(x))
        value = x[0].astype(np.int64)
        known = (x[1 : self.residues] == x[0]).all(axis=0)
        if not known.all():
            # What two residues say, and whether the others agree.
            first, second = self.primes[:2]
            factor = pow(first, -1, second)
            turns = (x[1].astype(np.int64) - value) % second * factor % second
            turns -= np.where(turns > second // 2, second, 0)
            value = value + turns * first
            known = np.abs(value) <= _SMALL
            for lane in range(2, self.residues):
                known &= (value - x[lane].astype(np.int64)) % self.primes[lane] == 0
        if self.lanes != self.residues:
            known &= ~x[self.residues :].any(axis=0)
        if missing is not None:
            known = known & ~missing
        return value, known & (np.abs(value) <= _SMALL)

    # --- exponentials and logarithms ----------------------------------------------------------------------------------

    @cached_property
    def _powers(self) -> list[tuple[Array, Array]]:
        """For each generator, its first powers, and those of its power of the table's length."""
        return [
            (
                powers_of(link.generator, self.primes[link.lane], _TABLE),
                powers_of(pow(link.generator, _TABLE, self.primes[link.lane]), self.primes[link.lane], _TABLE),
            )
            for link in self.moduli.links
        ]

    @cached_property
    def _exponents(self) -> list[Exponents]:
        """For each generator, the exponents of the squares. The order is odd: half of p - 1."""
        return [Exponents(link.generator, self.primes[link.lane]) for link in self.moduli.links]

    def exponentials(self, x: Array) -> Array:
        """By links, the generator to the power of the residue that the link leads to; the last residues are left 0."""
        found = np.zeros((self.lanes, *x.shape[1:]))
        exponents = self.canonical(x)
        missing = np.isnan(exponents)
        exponents = self.filled(exponents)
        for number, (link, (low, high)) in enumerate(zip(self.moduli.links, self._powers, strict=True)):
            power = exponents[link.order]
            power = np.where(power < 0, power + self.primes[link.order], power).astype(np.int64)
            part = low[power & (_TABLE - 1)] * high[power >> _TABLE_BITS]
            part -= np.rint(part * self._inverse[link.lane]) * self._p[link.lane]
            if self.lanes != self.residues:
                part = np.where(exponents[self.residues + number] != 0, -part, part)
            found[link.lane] = part
            if self.divided_by_zero:
                found[link.lane][missing[link.order]] = np.nan
        return found

    def logarithms(self, x: Array) -> Array:
        """The inverse: what a residue, or its negative, is a power with; which of them it is becomes a phase. The first
        residues of chains are left 0."""
        found = np.zeros((self.lanes, *x.shape[1:]))
        self.logarithms_taken = True
        powers = self.canonical(x)
        missing = np.isnan(powers)
        missing[: self.residues] |= powers[: self.residues] == 0
        if missing.any():
            self.divided_by_zero = True
        powers = self.filled(powers)
        for number, (link, exponents) in enumerate(zip(self.moduli.links, self._exponents, strict=True)):
            prime = self.primes[link.lane]
            places = powers[link.lane].astype(np.int64)
            straight = exponents.of(places % prime)
            found[self.residues + number] = other = straight < 0
            straight[other] = np.maximum(exponents.of(-places[other] % prime), 0)
            found[link.order] = np.where(missing[link.lane], np.nan, straight)
        return self.reduced(found)

    def _phases_of_product(self, x: Array, y: Array, product: Array) -> None:
        """A phase survives a product with an integer that is known, and no other."""
        product[self.residues :] = 0.0
        if self.logarithms_taken and not self.scaled_since:
            self.scaled_since = not (self.small(x)[1].all() or self.small(y)[1].all())
        for one, other in ((x, y), (y, x)):
            if one[self.residues :].any():
                value, known = self.small(other)
                product[self.residues :] += np.where(known, value % 2, 0) * one[self.residues :]
        np.remainder(product[self.residues :], 2.0, out=product[self.residues :])

    def _phases_of_matmul(self, x: Array, y: Array, product: Array) -> None:
        product[self.residues :] = 0.0
        if x[self.residues :].any() or y[self.residues :].any():
            (left, known_left), (right, known_right) = self.small(x), self.small(y)
            odd_left, odd_right = np.where(known_left, left % 2, 0), np.where(known_right, right % 2, 0)
            for lane in range(self.residues, self.lanes):
                product[lane] = (x[lane].T @ odd_right + odd_left.T @ y[lane]) % 2
