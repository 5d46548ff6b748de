"""Arithmetic over prime fields, in which kernels are compared exactly (docs/equivalence.md argues why).

A number is one residue for each of several random primes. Sums, products and quotients are exact. Where kernels compute
exponentials, each prime divides the one before, less one: exp of a number is, modulo each prime, a generator to the
power of its residue modulo the next one, so that exp(x + y) = exp(x) exp(y). Modulo the last prime an exponential is
opaque: what is compared, and what functions depend on, are the residues before. Where kernels compute logarithms, these
are the inverse, and opaque modulo the first prime.

Any other function is a keyed random function of its arguments, with these exceptions, which hold for real numbers:
maximum and minimum are associative, commutative and idempotent, each is the other on negated arguments, and the least
and the greatest float32 are neutral; comparisons depend on the difference of their arguments; logical operators are
polynomials in whether their arguments are 0; some functions are defined by others, are odd, or even.

float32 stands for the real numbers. A conversion to any other dtype is a random function as well, one that leaves the
values of that dtype alone: which those are is remembered. Constants are rounded to floats as they really are.
"""

from __future__ import annotations

import numpy as np

from nkiverify.analysis.values.definitions import DEFINED, ODD
from nkiverify.analysis.values.degrees import GREATEST_EXPONENT
from nkiverify.analysis.values.known_residues import KnownResidues, Mode
from nkiverify.analysis.values.lanes import PrimeLanes
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.recognised import contains, converted
from nkiverify.analysis.values.scaled import by_lanes
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType, bool_, float32
from nkiverify.model.meaning import Numbers

#: Functions whose values are quotients of polynomials in their arguments.
QUOTIENTS = frozenset(("add", "copy", "divide", "multiply", "negative", "reciprocal", "square", "subtract"))
#: Functions whose values are finite for infinite arguments, or are known to be infinite.
_OF_INFINITY = frozenset(
    ("add", "copy", "exp", "maximum", "minimum", "multiply", "negative", "reciprocal", "relu", "subtract")
)
#: Operators whose results are 0 or 1.
_CONDITIONS = frozenset(
    (
        "greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "logical_and", "logical_or",
        "logical_xor",
    )
)  # fmt: skip


class Fields(KnownResidues, Numbers):
    """Numbers modulo random primes, with the functions `seed` chooses. Two kernels are compared in one instance."""

    # --- storage ------------------------------------------------------------------------------------------------------

    def buffer(self, elements: int, dtype: DType) -> Array:
        return np.zeros((self.lanes, elements), dtype=np.float32)

    def window(
        self, buffer: Array, owner: DType, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> Array:
        self._check_dtype(owner, dtype)
        steps = (buffer.strides[0], *(stride * 4 for stride in strides))
        return np.ndarray((self.lanes, *shape), np.float32, buffer, offset * 4, steps)

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
            residues = self.lifted(np.stack([whole % prime for prime in self.primes]))
            if dtype.is_integer and (converted(whole, dtype) == whole).all():
                self._remember(dtype, residues)
                return residues.astype(np.float32)
        else:
            different, places = np.unique(values.astype(np.float64), return_inverse=True)
            constants = np.stack([self._constant(part) for part in different.tolist()], axis=1)
            residues = constants[:, places.ravel()].reshape(self.lanes, *values.shape)
        return self.convert(self.rounded(residues, dtype) if dtype.is_integer else residues, dtype)

    def random_elements(self, random: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> Array:
        """Stored random elements (lanes, *shape), taken for values of `dtype`."""
        drawn_with = f"{dtype} {shape} {random.bit_generator.state}"
        numbers = np.zeros((self.lanes, *shape), dtype=np.float32)
        for lane, prime in enumerate(self.primes):
            numbers[lane] = random.integers(-(prime // 2), prime // 2, shape, dtype=np.int32, endpoint=True)
        if dtype.is_integer or self._rounds(dtype):
            self._given[drawn_with] = (dtype, numbers)
        return numbers

    def read(self, stored: Array, dtype: DType) -> Array:
        if dtype.is_packed:
            raise UnsupportedConstruct(f"arithmetic on {dtype} elements over prime fields")
        numbers = stored.astype(np.float64)
        # The engines compute in float32, which does not hold every integer of 32 bits ("isa.fp32_internal").
        return self.single(numbers) if dtype.is_integer and not contains(float32, dtype) else numbers

    def exact(self, stored: Array, dtype: DType) -> Array:
        return stored.astype(np.float64)

    def convert(self, numbers: Array, dtype: DType) -> Array:
        if dtype.is_packed and numbers.any():
            raise UnsupportedConstruct(f"converting to {dtype} over prime fields")
        if self._rounds(dtype) and dtype != float32:
            numbers = self._value_of(numbers, dtype)
        return numbers.astype(np.float32)

    def single(self, integers: Array) -> Array:
        return self._value_of(integers, float32) if self.roundings else integers

    def nonzero(self, condition: Array) -> Array:
        # What is 0 or 1 for real numbers, such as a comparison, is not seen to be: it is a condition like any other.
        value, known = self.small(condition)
        exact = np.zeros(condition.shape)
        exact[: self.residues] = value != 0
        self.outcomes.note_integers("nonzero", value[known] != 0, value[known])
        if known.all():
            return exact
        found = np.where(known, exact, self.function("nonzero", condition))
        self._remember(bool_, found)
        return found

    def rounded(self, numbers: Array, dtype: DType) -> Array:
        return self._value_of(numbers, dtype)

    # --- the field ----------------------------------------------------------------------------------------------------

    def multiply(self, x: Array, y: Array) -> Array:
        product = super().multiply(x, y)
        if self._scalings is not None:
            self._scalings.product(x, product)
            self._scalings.product(y, product)
        return product

    def equal(self, x: Array, y: Array) -> Array:
        """Where numbers are the same, without the axis of the lanes; not where one of them is missing."""
        x, y = self.canonical(x), self.canonical(y)
        same = (x == y)[: self.identity].all(axis=0)
        if self.mode is Mode.LOGARITHMIC and not same.all():
            # Logarithms are opaque modulo the first prime, exponentials modulo the last.
            same |= np.delete(x == y, self.moduli.first, axis=0).all(axis=0)
        return np.asarray(same)

    def comparable(self, x: Array, y: Array) -> Array:
        """Where neither of two numbers depends on a quotient by 0, without the axis of the lanes."""
        found = [part for part in (self.missing(x, self.identity), self.missing(y, self.identity)) if part is not None]
        return ~np.logical_or.reduce(found) if found else np.ones(x.shape[1:], dtype=bool)

    # --- functions ----------------------------------------------------------------------------------------------------

    def function(self, name: str, *arguments: Array) -> Array:
        """A keyed random function of its arguments."""
        self._apply(name, arguments[0])
        return self.random_function(name, *arguments)

    def _exponential(self, x: Array) -> Array:
        if self.mode is Mode.POLYNOMIAL:
            return self.function("exp", x)
        self._apply("exp", x)
        self.chooses_roots |= self.scaled_since
        found = self.exponentials(x)
        one = (found[: self.identity] == 1).all(axis=0)
        last = slice(self.identity, self.residues)
        opaque = self.random_function("exp modulo the last prime", found)
        found[last] = np.where(one, 1.0, opaque[last])
        infinite = self._infinities.kinds(x)
        if infinite is not None:
            found[:, infinite < 0] = 0
            if (infinite > 0).any():
                self._infinities.stop()
        signs = self._signs(x)
        if signs is not None:
            found = self._with_infinities(found, np.maximum(signs, 0), np.zeros((), bool))
        return found

    def _logarithm(self, x: Array) -> Array:
        if self.mode is not Mode.LOGARITHMIC:
            return self.function("log", x)
        self._apply("log", x)
        found = self.logarithms(x)
        opaque = self.random_function("log modulo the first prime", x)
        found[self.moduli.first] = opaque[self.moduli.first]
        return found

    def unary(self, name: str, x: Array) -> Array:
        x = np.asarray(x, dtype=np.float64)
        if name not in _OF_INFINITY:
            self._infinities.stop_at(x)
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
            return self.inverted(self.unary("sqrt", x))
        if name == "exp":
            return self._exponential(x)
        if name == "log":
            return self._logarithm(x)
        if name in ODD:
            self._apply(name, x)
            return self.odd_function(name, x)
        if name == "cos":
            return self.add(self.function(name, x), self.function(name, self.negative(x)))
        if name == "tan":
            return self.multiply(self.unary("sin", x), self.inverted(self.unary("cos", x)))
        if name in DEFINED and self.mode is not Mode.POLYNOMIAL:
            return DEFINED[name](self, x)
        return self.function(name, x)

    def _absolute(self, x: Array) -> Array:
        result = self.add(self.function("abs", x), self.function("abs", self.negative(x)))
        for dtype in self._dtypes():
            if dtype.is_float:
                self._remember(dtype, result[:, self._is_value(x, dtype)])
        return result

    def binary(self, name: str, x: Array, y: Array) -> Array:
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if name not in _OF_INFINITY and name not in _CONDITIONS:
            self._infinities.stop_at(x, y)
        result = self._binary(name, x, y)
        if name in _CONDITIONS:
            self._remember(bool_, result)
        return result

    def _binary(self, name: str, x: Array, y: Array) -> Array:
        one = self.constant(1, max(x.ndim, y.ndim))
        match name:
            case "add":
                total = self.add(x, y)
                self._infinities.added(x, y, total)
                return total
            case "subtract":
                return self._binary("add", x, self.negative(y))
            case "multiply":
                product = self.multiply(x, y)
                self._infinities.multiplied(x, y, product, self._constants)
                return product
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
                return self._decided("greater", self._difference(x, y))
            case "less":
                return self.binary("greater", y, x)
            case "greater_equal":
                return self.add(one, self.negative(self.binary("greater", y, x)))
            case "less_equal":
                return self.add(one, self.negative(self.binary("greater", x, y)))
            case "equal":
                return self._decided("equal", self._difference(x, y))
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

    def _difference(self, x: Array, y: Array) -> Array:
        """x - y, which is 0 where both are the same infinity."""
        found, one, other = self.add(x, self.negative(y)), self._signs(x), self._signs(y)
        return found if one is None or other is None else np.where((one != 0) & (one == other), 0.0, found)

    def _decided(self, name: str, difference: Array) -> Array:
        """A comparison with 0: of an integer that is known, and of infinity, what it is, of anything else a
        function."""
        value, known = self.small(difference)
        signs = self._signs(difference)
        if signs is not None:
            value, known = np.where(signs != 0, signs, value), known | (signs != 0)
        exact, holds = np.zeros(difference.shape), value > 0 if name == "greater" else value == 0
        exact[: self.residues] = holds
        self.outcomes.note_integers(name, holds[known], value[known])
        if known.all():
            return exact
        found = self.function(name, difference)
        if name == "equal":
            found = self.add(found, self.function(name, self.negative(difference)))
        return np.where(known, exact, found)

    def _power(self, x: Array, y: Array) -> Array:
        exponents, small = self.small(y)
        if exponents.size == 1 and small.all() and abs(exponent := int(exponents.ravel()[0])) <= GREATEST_EXPONENT:
            result = np.broadcast_to(self.constant(1, x.ndim), x.shape)
            for _ in range(abs(exponent)):
                result = self.multiply(result, x)
            return self.inverted(result) if exponent < 0 else result
        for constant, name in ((0.5, "sqrt"), (-0.5, "rsqrt")):
            if (self.canonical(y) == self.constant(constant, y.ndim)).all():
                return self.unary(name, x)
        return self.function("power", *np.broadcast_arrays(x, y))

    def reduce(self, name: str, x: Array) -> Array:
        x = np.asarray(x, dtype=np.float64)
        if name == "maximum":
            return self._greatest(x)
        if name == "add":
            total = self.total(x)
            self._infinities.summed(x, total)
            return total
        if name == "minimum":
            return self._choice(self.negative(self._greatest(self.negative(x))), -1, x)
        self._infinities.stop_at(x)
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
        result = np.empty((steps, *first.shape[1:]))
        state = np.ascontiguousarray(initial[..., 0])
        for step in range(steps):
            state = self.binary(name1, self.binary(name0, first[step], state), second[step])
            result[step] = state
        return np.moveaxis(result, 0, -1)

    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        # A condition is 0 or 1 for real numbers, so this is the choice as a polynomial.
        if not self.small(condition)[1].all():
            self._infinities.stop_at(x, y)
        difference = PrimeLanes.add(self, x, self.negative(y))
        chosen = PrimeLanes.add(self, y, PrimeLanes.multiply(self, condition, difference))
        value, known = self.small(condition)
        chosen = np.where(known & (value == 1), x, np.where(known & (value == 0), y, chosen))
        return self._choice(chosen, None, *(np.broadcast_to(part, chosen.shape) for part in (x, y)))

    # --- recognisable values ------------------------------------------------------------------------------------------

    def maximum(self, x: Array, y: Array) -> Array:
        """The greater of two, by a rule that makes it associative, commutative and idempotent."""
        x, y = (self.canonical(part) for part in np.broadcast_arrays(x, y))
        self._apply("max", x)
        joined = self.encoded((self.image(x) + self.image(y)) & self.payload)
        one, other = self._least_values(x), self._least_values(y)
        joined = np.where(np.isnan(one), np.where(np.isnan(other), joined, x), np.where(one >= other, x, y))
        joined = np.where((x == y)[: self.identity].all(axis=0), x, joined)
        if self._scalings is not None:
            joined = self._unscaled(np.stack([x, y], axis=-1), joined[..., None])[..., 0]
        joined = self.unless_missing(joined, x, y)
        self._infinities.greater(x, y, joined)
        return self._choice(joined, None, x, y)

    def matmul(self, x: Array, y: Array) -> Array:
        self._infinities.stop_at(x, y)
        return super().matmul(x, y)

    def _unscaled(self, elements: Array, joined: Array) -> Array:
        """The maximum along the last axis, with the constant taken out that all elements are multiples of."""
        assert self._scalings is not None
        neutral = ~np.isnan(self._least_values(elements))
        for mask, constant, inverse in self._scalings.taken_out(elements, neutral, joined, -1):
            rows = elements[:, mask[..., 0]]
            smaller = np.where(neutral[mask[..., 0]], rows, super().multiply(rows, by_lanes(inverse, rows.ndim)))
            greatest = self._greatest(smaller)[..., 0]
            found = super().multiply(greatest, by_lanes(constant, greatest.ndim))
            self._scalings.multiple(constant, found)
            joined = np.array(joined)
            joined[:, mask] = found
        return joined

    def _greatest(self, x: Array) -> Array:
        """The maximum along the last axis, which stays: the image of the sum of the elements' images."""
        x = self.canonical(x)
        images = self.image(x)
        least = self._least_values(x)
        neutral = ~np.isnan(least)
        images[neutral] = 0
        joined = self.encoded(images.sum(axis=-1, keepdims=True) & self.payload)
        self._apply("max", joined)
        # One element that counts, or several that are equal, is the maximum itself.
        place = np.argmax(np.where(neutral, least, np.inf), axis=-1)
        chosen = np.broadcast_to(place[None, ..., None], (self.lanes, *neutral.shape[:-1], 1))
        alone = np.take_along_axis(x, chosen, axis=-1)
        same = ((x == alone)[: self.identity].all(axis=0) | neutral).all(axis=-1)[None, ..., None]
        joined = np.where(same, alone, joined)
        joined = joined if self._scalings is None else self._unscaled(x, joined)
        missing = self.missing(x, self.identity)
        if missing is not None:
            joined = np.where(missing.any(axis=-1, keepdims=True), np.nan, joined)
        self._infinities.greatest(x, joined)
        return self._choice(joined, -1, x)

    def _least_values(self, x: Array) -> Array:
        """The values of elements, in their canonical form, that are neutral in a maximum: the least float32, and what
        stands for minus infinity; NaN for others, without the axis of the lanes."""
        found = np.full(x.shape[1:], np.nan)
        for value, lanes in self._least.items():
            least = lanes.reshape(self.lanes, *(1,) * (x.ndim - 1))
            found[(x == least)[: self.identity].all(axis=0)] = value
        return found

    def integers(self, stored: Array, dtype: DType) -> Array:
        values, known = self.small(stored)
        if not known.all():
            raise UnsupportedConstruct("indices that depend on an argument, over prime fields")
        return values

    def wants(self, name: str) -> None:
        raise UnsupportedConstruct(f"{name} over prime fields")
