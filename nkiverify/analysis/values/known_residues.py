"""Numbers modulo random primes of which some are known: values of a dtype, which a conversion to it leaves alone,
constants of a kernel's text, which are rounded as they really are, and infinite numbers."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

import numpy as np

from nkiverify.analysis.values.definitions import EXPONENTIAL, LOGARITHMIC
from nkiverify.analysis.values.formats import Array
from nkiverify.analysis.values.primes import chained, unrelated
from nkiverify.analysis.values.recognised import Constants, Infinities, Residues, contains, converted
from nkiverify.analysis.values.scaled import Scalings
from nkiverify.analysis.values.words import RandomFunctions
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType

#: Primes where no function has its laws: for functions, of which arguments are compared, and where nothing but
#: quotients of polynomials is computed.
PRIMES, PRIMES_OF_QUOTIENTS = 4, 2
#: Magnitudes from here on stand for infinity: kernels write the least finite float32 in its place.
INFINITE = 3.38e38


class Mode(enum.Enum):
    """The functions that have their laws."""

    POLYNOMIAL = "none"
    EXPONENTIAL = "exp"
    LOGARITHMIC = "exp and log"

    def with_laws_of(self, functions: Iterable[str]) -> Mode:
        """This mode, or the one in which these functions have their laws too."""
        known = frozenset(functions)
        if known & LOGARITHMIC:
            return Mode.LOGARITHMIC
        return Mode.EXPONENTIAL if self is Mode.POLYNOMIAL and known & EXPONENTIAL else self


#: Of the 53 bits of a Python number.
_KEPT_BITS = 46


@lru_cache(maxsize=4096)
def simplest_fraction(value: float) -> Fraction:
    """The fraction a Python number stands for: one of a small denominator that rounds to it, of a smaller one for a
    float32; else its value without the last bits, in which the same number computed in two ways may differ."""
    near = Fraction(value).limit_denominator(1 << 20)
    if float(near) == value:
        return near
    if float(np.float32(value)) == value:
        short = Fraction(value).limit_denominator(1 << 10)
        return short if np.float32(float(short)) == np.float32(value) else Fraction(value)
    mantissa, exponent = math.frexp(value)
    return Fraction(round(math.ldexp(mantissa, _KEPT_BITS))) * Fraction(2) ** (exponent - _KEPT_BITS)


class KnownNumbers(RandomFunctions):
    """Numbers modulo random primes, with the functions `seed` chooses, and what is known of some of them."""

    def __init__(
        self,
        seed: int | tuple[int, ...],
        roundings: bool = True,
        mode: Mode = Mode.POLYNOMIAL,
        chains: int = 1,
        primes: int = PRIMES,
        scaling: bool = False,
    ) -> None:
        """Without `roundings` conversions that round change nothing; those that make integers are functions still.
        `primes`: how many there are where no function has its laws, for each of the `chains`. With `scaling` positive
        constants are taken out of maxima."""
        random = np.random.default_rng(seed)
        match mode:
            case Mode.POLYNOMIAL:
                moduli = unrelated(random, primes * chains)
            case Mode.EXPONENTIAL:
                moduli = chained(random, 4, chains)
            case Mode.LOGARITHMIC:
                moduli = chained(random, 3, chains, doubling=True)
        super().__init__(moduli, mode is Mode.LOGARITHMIC, int(random.integers(1 << 63)))
        self.mode = mode
        #: That there may be roots among the numbers, as exp(log(x) / 2): each residue of a root agrees with that of
        #: another root of the same number by a chance of one half.
        self.chooses_roots = False
        self.roundings = roundings
        self.seed = seed
        #: Functions that were applied and are no quotients of polynomials, with how many numbers they were applied to.
        self.functions: dict[str, int] = {}
        #: How many numbers were looked for among those that are remembered.
        self.lookups = 0
        self._values: dict[DType, Residues] = {}
        #: Numbers of arguments that are still to be remembered, by what they were drawn with, which is the same for
        #: both kernels: kernels that convert nothing never ask for them.
        self._given: dict[str, tuple[DType, Array]] = {}
        self._constants = Constants()
        self._scalings = Scalings(self.words) if scaling else None
        self._infinity = self.lifted(random.integers(1 << 15, 1 << 17, self.residues))
        self._infinities = Infinities(self._looked_up, self.negative)

    @property
    def applications(self) -> int:
        """Numbers that functions other than maxima were applied to, or that were looked for."""
        return self.lookups + sum(count for name, count in self.functions.items() if name != "max")

    @property
    def rounded_to(self) -> list[str]:
        """The dtypes that numbers not known to be of them were rounded to."""
        return sorted(str(dtype) for dtype in self._values if self._rounds(dtype) and f"to {dtype}" in self.functions)

    def _apply(self, name: str, numbers: Array) -> None:
        self.functions[name] = self.functions.get(name, 0) + numbers.size // self.lanes

    def _looked_up(self, x: Array) -> Array:
        """The words of numbers that are looked for among others."""
        self.lookups += x.size // self.lanes
        return self.words(x)

    # --- constants ----------------------------------------------------------------------------------------------------

    def constant(self, value: float, rank: int) -> Array:
        return self._constant(value).reshape(self.lanes, *(1,) * (rank - 1))

    def _constant(self, value: float) -> Array:
        if value != value:
            raise UnsupportedConstruct("NaN over prime fields")
        if abs(value) >= INFINITE:
            lanes = self._infinity if value > 0 else -self._infinity
            if self.mode is not Mode.POLYNOMIAL:
                self._infinities.begin(-self._infinity)
        else:
            fraction = Fraction(value) if isinstance(value, int) else simplest_fraction(float(value))
            lanes = self.lane_constants(fraction.numerator, fraction.denominator)
            if self._scalings is not None and fraction > 0:
                self._scalings.constant(lanes, self.lane_constants(fraction.denominator, fraction.numerator))
        self._constants.add(int(self.words(lanes[:, None])[0]), float(value))
        return lanes

    # --- values of a dtype --------------------------------------------------------------------------------------------

    def _rounds(self, dtype: DType) -> bool:
        return self.roundings and not dtype.is_integer and not dtype.is_packed

    def forget_arguments(self) -> None:
        """No kernel runs on these numbers any more."""
        self._given.clear()

    def _remember(self, dtype: DType, x: Array) -> None:
        """That numbers are values of a dtype."""
        self._values.setdefault(dtype, Residues()).add(self.words(x))

    def _dtypes(self) -> list[DType]:
        """The dtypes of which values are known."""
        return list(dict.fromkeys((*self._values, *(dtype for dtype, _ in self._given.values()))))

    def _value_of(self, x: Array, dtype: DType) -> Array:
        """x converted to a dtype: itself where it is known to be a value of it, others by a random function. For floats
        that is odd, and constants are rounded as they really are; how they become integers is not documented."""
        known = self._is_value(x, dtype)
        if known.all():
            return x
        name = f"to {dtype}"
        others = x[:, ~known]
        self._apply(name, others)
        if dtype.is_float:
            images = self.odd_function(name, others)
            small, integral = self.small(others)
            constants = np.where(integral, small, self._constants.values(self.words(others)))
            for value in np.unique(constants[~np.isnan(constants)]):
                exactly = float(converted(np.array([value]), dtype)[0])
                if exactly == exactly:
                    images[:, constants == value] = self._constant(exactly)[:, None]
        else:
            images = self.random_function(name, others)
        infinite = self._infinities.kinds(others)
        if infinite is not None and dtype.is_float:
            if np.isinf(converted(np.array([np.inf]), dtype)).all():
                self._infinities.remember(images, infinite)
            else:
                # The dtype has no infinity: what comes out is no number.
                self._infinities.stop()
        result = np.array(x)
        result[:, ~known] = images
        self._remember(dtype, images)
        return result

    def _is_value(self, x: Array, dtype: DType) -> Array:
        """The numbers that are known to be values of a dtype, without the axis of the lanes."""
        while self._given:
            self._remember(*self._given.popitem()[1])
        value, known = self.small(x)
        if known.any():
            known = known & (converted(value, dtype) == value)
        words: Array | None = None
        for narrower, residues in self._values.items():
            if known.all():
                break
            if contains(dtype, narrower):
                self.lookups += known.size
                words = self.words(x) if words is None else words
                known |= residues.has(words)
                if narrower.is_float:
                    known |= residues.has(self.words(self.negative(x)))
        return known

    def _choice(self, result: Array, axis: int | None, *among: Array) -> Array:
        """A result that is one of some numbers, or of those along an axis: a value of every dtype they all are of."""
        for dtype in self._dtypes():
            whole = np.ones(result.shape[1:], dtype=bool)
            for part in among:
                known = self._is_value(part, dtype)
                whole &= known if axis is None else known.all(axis=axis, keepdims=True)
                if not whole.any():
                    break
            else:
                self._remember(dtype, result[:, whole])
        return result
