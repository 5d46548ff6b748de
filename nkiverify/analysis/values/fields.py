"""Arithmetic over prime fields, in which kernels are compared exactly (docs/equivalence.md argues why).

A number is one residue for each of three random primes between 2^29 and 2^30; together they behave like 87 bits.
Sums, products and quotients are exact. Any other function is a keyed random function of its arguments, with these
exceptions, which hold for real numbers: maximum and minimum are associative, commutative and idempotent, each is the
other on negated arguments, and the least and the greatest float32 are neutral; comparisons depend on the difference of
their arguments; logical operators are polynomials in whether their arguments are 0.

float32 stands for the real numbers. A conversion to any other dtype is a random function as well, one that leaves the
values of that dtype alone: which those are is remembered. Constants are rounded to floats as they really are.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from nkiverify.analysis.values.formats import Array
from nkiverify.analysis.values.recognised import Constants, Residues, contains, converted
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType, bool_, float32
from nkiverify.model.meaning import Numbers

#: Bits of a residue, and of all of a number.
LANE_BITS = 29
LANES = 3
#: Contractions are cut into pieces of this length: products of 30 and 16 bits then add up to less than 2^53.
_DEPTH = 128
_LIMB = 16
#: Bits that tell recognisable values (maxima) apart: two residues; the third one is what they are recognised by.
_PAYLOAD_BITS = 2 * LANE_BITS
_PAYLOAD = np.uint64((1 << _PAYLOAD_BITS) - 1)
_LANE = np.uint64((1 << LANE_BITS) - 1)
#: Magnitudes from here on stand for infinity: kernels write the least finite float32 in its place.
_INFINITE = 3.38e38
#: Integers up to here, of either sign, are recognised as integers.
_SMALL = 1 << 24
#: Operators whose results are 0 or 1.
_CONDITIONS = frozenset(
    (
        "greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "logical_and", "logical_or",
        "logical_xor",
    )
)  # fmt: skip


def _is_prime(number: int) -> bool:
    """True if an odd number below 2^32 is prime (Miller and Rabin, with bases that decide up to there)."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        if base % number == 0:
            continue
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def random_primes(random: np.random.Generator, count: int) -> tuple[int, ...]:
    """Different random primes between 2^29 and 2^30, of which there are more than 26 million."""
    found: list[int] = []
    while len(found) < count:
        candidate = int(random.integers(1 << LANE_BITS, 1 << (LANE_BITS + 1))) | 1
        if candidate not in found and _is_prime(candidate):
            found.append(candidate)
    return tuple(found)


@lru_cache(maxsize=4096)
def simplest_fraction(value: float) -> Fraction:
    """The fraction a Python number stands for: one of a small denominator that rounds to it, or its exact value."""
    exact = Fraction(value)
    near = exact.limit_denominator(1 << 20)
    return near if float(near) == value else exact


def _mixed(words: Array) -> Array:
    """A bijection of 64-bit words without visible structure (the finaliser of SplitMix64)."""
    words = words ^ (words >> np.uint64(30))
    words = words * np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


class Fields(Numbers):
    """Numbers modulo random primes, with the functions `seed` chooses. Two kernels are compared in one instance."""

    lanes = LANES

    def __init__(self, seed: int | tuple[int, ...], roundings: bool = True) -> None:
        """Without `roundings` conversions that round change nothing; those that make integers are functions still."""
        random = np.random.default_rng(seed)
        self.primes = random_primes(random, LANES)
        self.roundings = roundings
        self.seed = seed
        self._keys: dict[str, np.uint64] = {}
        self._seed = np.uint64(random.integers(1 << 63))
        self._p = np.array(self.primes, dtype=np.int64)
        self._inverse = 1.0 / self._p.astype(np.float64)
        #: Functions that were applied and are no quotients of polynomials, with how many numbers they were applied to.
        self.functions: dict[str, int] = {}
        #: How many numbers were looked for among those that are remembered.
        self.lookups = 0
        self.divided_by_zero = False
        self._values: dict[DType, Residues] = {}
        self._constants = Constants()
        infinity = random.integers(1 << (LANE_BITS - 1), 1 << LANE_BITS, LANES)
        self._infinity = infinity.astype(np.int64)

    # --- storage ------------------------------------------------------------------------------------------------------

    def buffer(self, elements: int, dtype: DType) -> Array:
        return np.zeros((LANES, elements), dtype=np.uint32)

    def window(
        self, buffer: Array, owner: DType, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> Array:
        self._check_dtype(owner, dtype)
        steps = (buffer.strides[0], *(stride * 4 for stride in strides))
        return np.ndarray((LANES, *shape), np.uint32, buffer, offset * 4, steps)

    def flat(self, buffer: Array, owner: DType, dtype: DType) -> Array:
        self._check_dtype(owner, dtype)
        return buffer

    def _check_dtype(self, owner: DType, dtype: DType) -> None:
        if owner != dtype:
            raise UnsupportedConstruct(f"the bits of {owner} elements seen as {dtype}")

    def entered(self, values: Array, dtype: DType) -> Array:
        if values.dtype.kind == "O":
            raise UnsupportedConstruct(f"an array of {values.dtype}")
        if values.dtype.kind in "iub":
            whole = values.astype(np.int64)
            residues = np.stack([whole % prime for prime in self.primes])
            if dtype.is_integer and (converted(whole, dtype) == whole).all():
                self._table(dtype).add(residues)
                return residues.astype(np.uint32)
        else:
            different, places = np.unique(values.astype(np.float64), return_inverse=True)
            constants = np.array([self._constant(part) for part in different.tolist()], dtype=np.int64).T
            residues = constants[:, places.ravel()].reshape(LANES, *values.shape)
        return self.convert(self.rounded(residues, dtype) if dtype.is_integer else residues, dtype)

    @property
    def applications(self) -> int:
        """Numbers that functions other than maxima were applied to, or that were looked for."""
        return self.lookups + sum(count for name, count in self.functions.items() if name != "max")

    @property
    def rounded_to(self) -> list[str]:
        """The dtypes that numbers not known to be of them were rounded to."""
        return sorted(str(dtype) for dtype in self._values if self._rounds(dtype) and f"to {dtype}" in self.functions)

    def random_elements(self, random: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> Array:
        """Stored random elements (lanes, *shape), taken for values of `dtype`."""
        numbers = np.stack([random.integers(0, prime, shape, dtype=np.uint32) for prime in self.primes])
        if dtype.is_integer or self._rounds(dtype):
            self._table(dtype).add(numbers)
        return numbers

    def read(self, stored: Array, dtype: DType) -> Array:
        if dtype.is_packed:
            raise UnsupportedConstruct(f"arithmetic on {dtype} elements over prime fields")
        numbers = stored.astype(np.int64)
        # The engines compute in float32, which does not hold every integer of 32 bits ("isa.fp32_internal").
        return self.single(numbers) if dtype.is_integer and not contains(float32, dtype) else numbers

    def exact(self, stored: Array, dtype: DType) -> Array:
        return stored.astype(np.int64)

    def convert(self, numbers: Array, dtype: DType) -> Array:
        if dtype.is_packed and numbers.any():
            raise UnsupportedConstruct(f"converting to {dtype} over prime fields")
        if self._rounds(dtype) and dtype != float32:
            numbers = self._value_of(numbers, dtype)
        return numbers.astype(np.uint32)

    def single(self, integers: Array) -> Array:
        return self._value_of(integers, float32) if self.roundings else integers

    def nonzero(self, condition: Array) -> Array:
        # What is 0 or 1 for real numbers, such as a comparison, is not seen to be: it is a condition like any other.
        value, known = self._small(condition)
        exact = np.broadcast_to((value != 0).astype(np.int64)[None], condition.shape)
        if known.all():
            return exact
        found = np.where(known, exact, self.function("nonzero", condition))
        self._table(bool_).add(found)
        return found

    def rounded(self, numbers: Array, dtype: DType) -> Array:
        return self._value_of(numbers, dtype)

    # --- values of a dtype --------------------------------------------------------------------------------------------

    def _rounds(self, dtype: DType) -> bool:
        return self.roundings and not dtype.is_integer and not dtype.is_packed

    def _table(self, dtype: DType) -> Residues:
        return self._values.setdefault(dtype, Residues())

    def _value_of(self, x: Array, dtype: DType) -> Array:
        """x converted to a dtype: itself where it is known to be a value of it, others by a random function. For floats
        that is odd, and constants are rounded as they really are; how they become integers is not documented."""
        known = self._is_value(x, dtype)
        if known.all():
            return x
        name = f"to {dtype}"
        others = x[:, ~known]
        sign = others[0] > others[0].dtype.type(self.primes[0] >> 1)
        if not dtype.is_float:
            sign &= False
        self._apply(name, others)
        images = self._random(name, np.where(sign, self.negative(others), others))
        images = np.where(sign, self.negative(images), images)
        if dtype.is_float:
            small, integral = self._small(others)
            constants = np.where(integral, small, self._constants.values(others))
            for value in np.unique(constants[~np.isnan(constants)]):
                exactly = float(converted(np.array([value]), dtype)[0])
                if exactly == exactly:
                    images[:, constants == value] = np.array(self._constant(exactly))[:, None]
        result = np.array(np.broadcast_to(x, x.shape))
        result[:, ~known] = images
        self._table(dtype).add(images)
        return result

    def _is_value(self, x: Array, dtype: DType) -> Array:
        """The numbers that are known to be values of a dtype, without the axis of the lanes."""
        value, known = self._small(x)
        if known.any():
            known = known & (converted(value, dtype) == value)
        for narrower, residues in self._values.items():
            if known.all():
                break
            if contains(dtype, narrower):
                self.lookups += known.size
                known |= residues.has(x)
                if narrower.is_float:
                    known |= residues.has(self.negative(x))
        return known

    def _choice(self, result: Array, axis: int | None, *among: Array) -> Array:
        """A result that is one of some numbers, or of those along an axis: a value of every dtype they all are of."""
        for dtype, residues in list(self._values.items()):
            whole = np.ones(result.shape[1:], dtype=bool)
            for part in among:
                known = self._is_value(part, dtype)
                whole &= known if axis is None else known.all(axis=axis, keepdims=True)
                if not whole.any():
                    break
            else:
                residues.add(result[:, whole])
        return result

    # --- the field ----------------------------------------------------------------------------------------------------

    def constant(self, value: float, rank: int) -> Array:
        return np.array(self._constant(value), dtype=np.int64).reshape(LANES, *(1,) * (rank - 1))

    def _constant(self, value: float) -> list[int]:
        if value != value:
            raise UnsupportedConstruct("NaN over prime fields")
        if abs(value) >= _INFINITE:
            sign = 1 if value > 0 else -1
            lanes = [int(part) * sign % prime for part, prime in zip(self._infinity, self.primes, strict=True)]
        else:
            fraction = Fraction(value) if isinstance(value, int) else simplest_fraction(float(value))
            lanes = [fraction.numerator * pow(fraction.denominator, -1, prime) % prime for prime in self.primes]
        self._constants.add(tuple(lanes), float(value))
        return lanes

    def _modulus(self, x: Array) -> Array:
        return self._p.reshape(LANES, *(1,) * (x.ndim - 1))

    def _wrapped(self, x: Array) -> Array:
        """x from -p to p, in place, from 0 to p - 1."""
        p = self._modulus(x)
        x += (x >> 63) & p
        x -= p
        x += (x >> 63) & p
        return x

    def add(self, x: Array, y: Array) -> Array:
        """x + y."""
        total = x + y
        total -= self._modulus(total)
        total += (total >> 63) & self._modulus(total)
        return np.asarray(total)

    def negative(self, x: Array) -> Array:
        """-x."""
        return self._wrapped(-x)

    def multiply(self, x: Array, y: Array) -> Array:
        """x * y: the quotient by p is off by at most one in float64, whose 53 bits hold quotients of 30."""
        product = x * y
        quotient = (product * self._inverse.reshape(LANES, *(1,) * (product.ndim - 1))).astype(np.int64)
        quotient *= self._modulus(product)
        product -= quotient
        return self._wrapped(product)

    def inverted(self, x: Array) -> Array:
        """1 / x, by Fermat; 0 for 0, which is remembered."""
        if not x.all():
            self.divided_by_zero = True
        lanes = [self._lane_power(x, lane, prime - 2) for lane, prime in enumerate(self.primes)]
        return np.concatenate(lanes)

    def _lane_power(self, x: Array, lane: int, exponent: int) -> Array:
        prime = np.uint64(self.primes[lane])
        base = x[lane : lane + 1].astype(np.uint64)
        result = np.ones_like(base)
        while exponent:
            if exponent & 1:
                result = result * base % prime
            base = base * base % prime
            exponent >>= 1
        return result.astype(np.int64)

    def matmul(self, x: Array, y: Array) -> Array:
        total: Array | None = None
        for start in range(0, x.shape[1], _DEPTH):
            left = np.ascontiguousarray(x[:, start : start + _DEPTH].transpose(0, 2, 1)).astype(np.float64)
            right = y[:, start : start + _DEPTH]
            part = self._float_product(left, right)
            total = part if total is None else self.add(total, part)
        assert total is not None
        return total

    def _float_product(self, left: Array, right: Array) -> Array:
        """left @ right by two products of float64, exact since every sum stays below 2^53."""
        high = np.matmul(left, (right >> _LIMB).astype(np.float64))
        low = np.matmul(left, (right & ((1 << _LIMB) - 1)).astype(np.float64))
        p = self._modulus(high).astype(np.float64)
        inverse = self._inverse.reshape(LANES, 1, 1)
        high -= np.floor(high * inverse) * p
        low -= np.floor(low * inverse) * p
        high *= float(1 << _LIMB)
        high += low
        high -= np.floor(high * inverse) * p
        return self._wrapped(high.astype(np.int64))

    # --- functions ----------------------------------------------------------------------------------------------------

    def _apply(self, name: str, numbers: Array) -> None:
        self.functions[name] = self.functions.get(name, 0) + numbers.size // LANES

    def _key(self, name: str) -> Any:
        """The key of a function, the same for all numbers of this instance."""
        found = self._keys.get(name)
        if found is None:
            word = int(self._seed)
            for byte in name.encode():
                word = (word ^ byte) * 0x100000001B3 % (1 << 64)
            found = self._keys[name] = _mixed(np.array([word], dtype=np.uint64))[0]
        return found

    def _hashed(self, name: str, *arguments: Array) -> Array:
        """Keyed words of the arguments' values, without the axis of the lanes."""
        words = self._key(name)
        for argument in arguments:
            lanes = argument.astype(np.uint64)
            words = _mixed((lanes[0] | (lanes[1] << np.uint64(32))) + words)
            words = _mixed(lanes[2] + words)
        return np.asarray(words)

    def function(self, name: str, *arguments: Array) -> Array:
        """A keyed random function of its arguments."""
        self._apply(name, arguments[0])
        return self._random(name, *arguments)

    def _random(self, name: str, *arguments: Array) -> Array:
        """Each lane of the result depends on all of the arguments'."""
        lanes = [
            (self._hashed(f"{name} {lane}", *arguments) % np.uint64(prime)).astype(np.int64)
            for lane, prime in enumerate(self.primes)
        ]
        return np.stack(lanes)

    def unary(self, name: str, x: Array) -> Array:
        if name == "copy":
            return x
        if name == "negative":
            return self.negative(x)
        if name == "square":
            return self.multiply(x, x)
        if name == "reciprocal":
            return self.inverted(x)
        if name == "relu":
            return self.maximum(x, self.constant(0, x.ndim))
        if name == "abs":
            return self._absolute(x)
        if name == "logical_not":
            return self.add(self.constant(1, x.ndim), self.negative(self.nonzero(x)))
        if name == "rsqrt":
            return self.inverted(self.function("sqrt", x))
        return self.function(name, x)

    def _absolute(self, x: Array) -> Array:
        result = self.add(self.function("abs", x), self.function("abs", self.negative(x)))
        for dtype, residues in self._values.items():
            if dtype.is_float:
                residues.add(result[:, self._is_value(x, dtype)])
        return result

    def binary(self, name: str, x: Array, y: Array) -> Array:
        result = self._binary(name, x, y)
        if name in _CONDITIONS:
            self._table(bool_).add(result)
        return result

    def _binary(self, name: str, x: Array, y: Array) -> Array:
        one = self.constant(1, max(x.ndim, y.ndim))
        match name:
            case "add":
                return self.add(x, y)
            case "subtract":
                return self.add(x, self.negative(y))
            case "multiply":
                return self.multiply(x, y)
            case "logical_and":
                return self.multiply(self.nonzero(x), self.nonzero(y))
            case "divide":
                return self.multiply(x, self.inverted(y))
            case "maximum":
                return self.maximum(x, y)
            case "minimum":
                least = self.negative(self.maximum(self.negative(x), self.negative(y)))
                return self._choice(least, None, *np.broadcast_arrays(x, y))
            case "abs_max" | "abs_min":
                return self.binary(name.replace("abs_", "") + "imum", self.unary("abs", x), self.unary("abs", y))
            case "greater":
                return self.function("greater", self.add(x, self.negative(y)))
            case "less":
                return self.binary("greater", y, x)
            case "greater_equal":
                return self.add(one, self.negative(self.binary("greater", y, x)))
            case "less_equal":
                return self.add(one, self.negative(self.binary("greater", x, y)))
            case "equal":
                difference = self.add(x, self.negative(y))
                return self.add(self.function("equal", difference), self.function("equal", self.negative(difference)))
            case "not_equal":
                return self.add(one, self.negative(self.binary("equal", x, y)))
            case "logical_or" | "logical_xor":
                left, right = self.nonzero(x), self.nonzero(y)
                both = self.multiply(left, right)
                common = both if name == "logical_or" else self.add(both, both)
                return self.add(self.add(left, right), self.negative(common))
            case "power":
                return self._power(x, y)
        return self.function(name, *np.broadcast_arrays(x, y))

    def _power(self, x: Array, y: Array) -> Array:
        exponents, small = self._small(y)
        if exponents.size == 1 and small.all() and 0 <= (exponent := int(exponents.ravel()[0])) <= 64:
            result = np.broadcast_to(self.constant(1, x.ndim), x.shape)
            for _ in range(exponent):
                result = self.multiply(result, x)
            return result
        return self.function("power", *np.broadcast_arrays(x, y))

    def reduce(self, name: str, x: Array) -> Array:
        if name == "add":
            return np.asarray(x.sum(axis=-1, keepdims=True) % self._modulus(x))
        if name == "maximum":
            return self._greatest(x)
        if name == "minimum":
            return self._choice(self.negative(self._greatest(self.negative(x))), -1, x)
        if name in ("abs_max", "abs_min"):
            return self.reduce(name.replace("abs_", "") + "imum", self.unary("abs", x))
        result = x[..., :1]
        for position in range(1, x.shape[-1]):
            result = self.binary(name, result, x[..., position : position + 1])
        return result

    def scan(self, name0: str, name1: str, x: Array, y: Array, initial: Array) -> Array:
        steps = max(x.shape[-1], y.shape[-1])
        # Steps first: each of them is then one contiguous piece.
        first = np.ascontiguousarray(np.moveaxis(x, -1, 0))
        second = np.ascontiguousarray(np.moveaxis(y, -1, 0))
        result = np.empty((steps, *first.shape[1:]), dtype=np.int64)
        state = np.ascontiguousarray(initial[..., 0])
        for step in range(steps):
            state = self.binary(name1, self.binary(name0, first[step], state), second[step])
            result[step] = state
        return np.moveaxis(result, 0, -1)

    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        # A condition is 0 or 1 for real numbers, so this is the choice as a polynomial.
        chosen = self.add(y, self.multiply(condition, self.add(x, self.negative(y))))
        return self._choice(chosen, None, *(np.broadcast_to(part, chosen.shape) for part in (x, y)))

    # --- recognisable values ------------------------------------------------------------------------------------------

    def maximum(self, x: Array, y: Array) -> Array:
        """The greater of two, by a rule that makes it associative, commutative and idempotent."""
        x, y = np.broadcast_arrays(x, y)
        self._apply("max", x)
        joined = self._encoded("max", (self._image(x) + self._image(y)) & _PAYLOAD)
        joined = np.where(self._neutral(x), y, np.where(self._neutral(y), x, joined))
        return self._choice(np.where((x == y).all(axis=0), x, joined), None, x, y)

    def _greatest(self, x: Array) -> Array:
        """The maximum along the last axis, which stays: the image of the sum of the elements' images."""
        images = self._image(x)
        neutral = self._neutral(x)
        images[neutral] = 0
        joined = self._encoded("max", images.sum(axis=-1, keepdims=True) & _PAYLOAD)
        self._apply("max", joined)
        # One element that counts, or several that are equal, is the maximum itself.
        chosen = np.broadcast_to(np.argmin(neutral, axis=-1)[None, ..., None], (LANES, *neutral.shape[:-1], 1))
        alone = np.take_along_axis(x, chosen, axis=-1)
        same = ((x == alone).all(axis=0) | neutral).all(axis=-1)[None, ..., None]
        return self._choice(np.where(same, alone, joined), -1, x)

    def _image(self, x: Array) -> Array:
        """What elements add to a maximum: a maximum what it was made of, others a random word."""
        payload, known = self._decoded("max", x)
        return np.where(known, payload, self._hashed("max of", x) & _PAYLOAD)

    def _neutral(self, x: Array) -> Array:
        """Where elements are the least float32, without the axis of the lanes."""
        least = (self._p - self._infinity).reshape(LANES, *(1,) * (x.ndim - 1))
        return np.asarray((x == least).all(axis=0))

    def _encoded(self, name: str, payload: Array) -> Array:
        """Numbers that `_decoded` recognises, for words of `_PAYLOAD_BITS`: two lanes hold the word, one proves it."""
        odd = self._key(f"{name} factor") | np.uint64(1)
        words = (payload ^ (payload >> np.uint64(LANE_BITS))) * odd & _PAYLOAD
        words ^= words >> np.uint64(LANE_BITS)
        low = words & _LANE
        proof = _mixed(payload + self._key(f"{name} proof")) & _LANE
        return np.stack([low, words >> np.uint64(LANE_BITS), proof]).astype(np.int64)

    def _decoded(self, name: str, x: Array) -> tuple[Array, Array]:
        """The words numbers were encoded from, and where they were."""
        back = np.uint64(pow(int(self._key(f"{name} factor") | np.uint64(1)), -1, 1 << _PAYLOAD_BITS))
        lanes = x.astype(np.uint64)
        words = (lanes[0] | (lanes[1] << np.uint64(LANE_BITS))) & _PAYLOAD
        words ^= words >> np.uint64(LANE_BITS)
        words = words * back & _PAYLOAD
        words ^= words >> np.uint64(LANE_BITS)
        proof = _mixed(words + self._key(f"{name} proof")) & _LANE
        known = ((lanes[0] | lanes[1]) >> np.uint64(LANE_BITS) == 0) & (proof == lanes[2])
        return words, known

    def _small(self, x: Array) -> tuple[Array, Array]:
        """Integers of small magnitude, and where the numbers are such."""
        p = self._modulus(x)
        centred = np.where(x > p >> 1, x - p, x)
        value = centred[0]
        return value, (centred[1:] == value).all(axis=0) & (np.abs(value) <= _SMALL)

    def integers(self, stored: Array, dtype: DType) -> Array:
        values, known = self._small(stored.astype(np.int64))
        if not known.all():
            raise UnsupportedConstruct("indices that depend on an argument, over prime fields")
        return values

    def wants(self, name: str) -> None:
        raise UnsupportedConstruct(f"{name} over prime fields")
