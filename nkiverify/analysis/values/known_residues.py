"""Numbers modulo random primes of which some are known: values of a dtype, which a conversion to it leaves alone,
constants of a kernel's text, which are rounded as they really are, and infinite numbers."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

import numpy as np

from nkiverify.analysis.values.comparison_outcomes import Outcomes
from nkiverify.analysis.values.definitions import EXPONENTIAL, LOGARITHMIC
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.primes import chained, unrelated
from nkiverify.analysis.values.recognised import ConstantResidues, Infinities, Residues, contains, converted
from nkiverify.analysis.values.scaled import Scalings
from nkiverify.analysis.values.words import RandomFunctions
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType

#: Primes where no function has its laws: for functions, of which arguments are compared, and where nothing but
#: quotients of polynomials is computed.
PRIMES, PRIMES_OF_QUOTIENTS = 4, 2
#: Constants of a magnitude from here on stand for infinity where a maximum is taken, or exp: kernels write the least
#: finite float32 in its place. In sums, products and quotients they are the numbers that float32 makes of them.
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


#: The greatest float32, and the characters of numbers that are written with few digits.
_MOST = float(np.finfo(np.float32).max)
_FEW_DIGITS = 12
#: Of the 53 bits of a Python number.
_KEPT_BITS = 46


def _written(value: float) -> Fraction:
    """An integer as it is written with few digits, where it is so great that floats leave integers out: 1e36 is a power
    of ten."""
    written = Fraction(repr(value))
    return written if len(repr(value)) <= _FEW_DIGITS else Fraction(value)


@lru_cache(maxsize=4096)
def simplest_fraction(value: float) -> Fraction:
    """The fraction a Python number stands for: one of a small denominator that rounds to it, of a smaller one for a
    float32; else its value without the last bits, in which the same number computed in two ways may differ."""
    near = Fraction(value).limit_denominator(1 << 20)
    if float(near) == value:
        return near if near.denominator > 1 else _written(value)
    if float(np.float32(value)) == value:
        short = Fraction(value).limit_denominator(1 << 10)
        return short if np.float32(float(short)) == np.float32(value) else Fraction(value)
    mantissa, exponent = math.frexp(value)
    return Fraction(round(math.ldexp(mantissa, _KEPT_BITS))) * Fraction(2) ** (exponent - _KEPT_BITS)


def _single(value: float) -> float:
    """The float32 value of a constant."""
    try:
        with np.errstate(over="ignore"):
            return float(np.float32(value))
    except OverflowError:  # an integer of Python's beyond float64
        return math.copysign(math.inf, value)


class KnownResidues(RandomFunctions):
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
        #: What comparisons of integers that are known gave.
        self.outcomes = Outcomes()
        #: How many numbers were searched for among those that are remembered.
        self.lookups = 0
        self._values: dict[DType, Residues] = {}
        #: Numbers of arguments that are still to be remembered, by what they were drawn with, which is the same for
        #: both kernels: kernels that convert nothing never ask for them.
        self._given: dict[str, tuple[DType, Array]] = {}
        self._constants = ConstantResidues()
        self._scalings = Scalings(self.words) if scaling else None
        #: The residues of what float32 has no finite number for, and whether there is any.
        self._infinity = self.lifted(random.integers(1 << 15, 1 << 17, self.residues))
        self._endless = False
        #: The constants that are the least of any maximum, by their values.
        self._least: dict[float, Array] = {}
        self._infinities = Infinities(self._looked_up, self.negative)

    @property
    def applications(self) -> int:
        """Numbers that functions other than maxima were applied to, or that were searched for."""
        return self.lookups + sum(count for name, count in self.functions.items() if name != "max")

    @property
    def rounded_to(self) -> list[str]:
        """The dtypes that numbers not known to be of them were rounded to."""
        return sorted(str(dtype) for dtype in self._values if self._rounds(dtype) and f"to {dtype}" in self.functions)

    def _apply(self, name: str, numbers: Array) -> None:
        self.functions[name] = self.functions.get(name, 0) + numbers.size // self.lanes

    def _looked_up(self, x: Array) -> Array:
        """The words of numbers that are searched for among others."""
        self.lookups += x.size // self.lanes
        return self.words(x)

    # --- constants ----------------------------------------------------------------------------------------------------

    def constant(self, value: float, rank: int) -> Array:
        return self._constant(value).reshape(self.lanes, *(1,) * (rank - 1))

    def _constant(self, value: float) -> Array:
        if value != value:
            raise UnsupportedConstruct("NaN over prime fields")
        if abs(value) >= INFINITE:
            lanes = self._great(value)
        else:
            fraction = Fraction(value) if isinstance(value, int) else simplest_fraction(float(value))
            lanes = self.lane_constants(fraction.numerator, fraction.denominator)
            if self._scalings is not None and fraction > 0:
                self._scalings.constant(lanes, self.lane_constants(fraction.denominator, fraction.numerator))
        self._constants.add(int(self.words(lanes[:, None])[0]), _single(value) if abs(value) >= INFINITE else value)
        return lanes

    def _great(self, value: float) -> Array:
        """The residues of a constant that stands for infinity, or is infinite: no two of them are the same."""
        single = abs(_single(value))
        if math.isinf(single):
            self._endless = True
            least = -self._infinity
        else:
            # The greatest float32 is written in many ways.
            fraction = Fraction(single) if single == _MOST else simplest_fraction(abs(float(value)))
            least = -self.lane_constants(fraction.numerator, fraction.denominator)
        self._least.setdefault(-single, self.canonical(least))
        if self.mode is not Mode.POLYNOMIAL:
            self._infinities.constant(least)
        return least if value < 0 else -least

    # --- infinity -----------------------------------------------------------------------------------------------------

    def _signs(self, x: Array) -> Array | None:
        """1 and -1 for numbers that are infinite, 0 for others, without the axis of the lanes; None where none is."""
        if not self._endless:
            return None
        x = self.canonical(x)
        infinity = self._infinity.reshape(self.lanes, *(1,) * (x.ndim - 1))
        above, below = ((x == part)[: self.identity].all(axis=0) for part in (infinity, -infinity))
        return above.astype(np.int8) - below if (above | below).any() else None

    def _with_infinities(self, found: Array, signs: Array, missing: Array) -> Array:
        """Finite results, with infinity of these signs where they are not 0; what is `missing` is no number."""
        if missing.any():
            self.divided_by_zero = True
        infinity = self._infinity.reshape(self.lanes, *(1,) * (found.ndim - 1))
        found = np.where(signs != 0, signs * infinity, found)
        return np.where(missing, np.nan, found)

    def add(self, x: Array, y: Array) -> Array:
        total, one, other = super().add(x, y), self._signs(x), self._signs(y)
        if one is None and other is None:
            return total
        left, right = (np.zeros((), np.int8) if signs is None else signs for signs in (one, other))
        return self._with_infinities(total, np.sign(left + right), left * right < 0)

    def multiply(self, x: Array, y: Array) -> Array:
        product, one, other = super().multiply(x, y), self._signs(x), self._signs(y)
        if one is None and other is None:
            return product
        known = [self._sign_of_constant(part, signs) for part, signs in ((x, one), (y, other))]
        infinite = np.zeros((), bool)
        for signs in (one, other):
            infinite = infinite if signs is None else infinite | (signs != 0)
        sign = np.where(infinite, known[0] * known[1], 0)
        return self._with_infinities(product, sign, infinite & (sign == 0))

    def _sign_of_constant(self, x: Array, signs: Array | None) -> Array:
        """The signs of numbers that are constants, or infinite; 0 for others, which may be of either, or 0."""
        small, known = self.small(x)
        constants = np.where(known, small, np.nan_to_num(self._constants.values(self.words(x))))
        found = np.sign(constants).astype(np.int8)
        return found if signs is None else np.where(signs != 0, signs, found)

    def inverted(self, x: Array) -> Array:
        found, signs = super().inverted(x), self._signs(x)
        return found if signs is None else np.where(signs != 0, 0.0, found)

    def total(self, x: Array) -> Array:
        found, signs = super().total(x), self._signs(x)
        if signs is None:
            return found
        least, greatest = signs.min(axis=-1, keepdims=True), signs.max(axis=-1, keepdims=True)
        return self._with_infinities(found, np.sign(least + greatest), least * greatest < 0)

    def matmul(self, x: Array, y: Array) -> Array:
        """Products of infinite numbers with others that may be 0 are no numbers."""
        both = []
        for part in (x, y):
            signs = self._signs(part)
            both.append(part if signs is None else self._with_infinities(part, np.zeros_like(signs), signs != 0))
        return super().matmul(*both)

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
