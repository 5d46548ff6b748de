"""Numbers in some other arithmetic next to a float64 each, which decides what is decided by comparing.

Where floats are compared the functions of a kernel are made of pieces: maxima, selections, conversions to integers.
On the piece that the floats of a run lie in they are analytic, and that is what is computed exactly: a maximum is the
one of its arguments that the floats say. The floats are the last lane; conversions between floats change nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nkiverify.analysis.values.comparison_outcomes import Outcomes
from nkiverify.analysis.values.definitions import DEFINED
from nkiverify.analysis.values.degrees import Degrees
from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.number_formats import STORED, Array
from nkiverify.analysis.values.numbers import Doubles
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType, bool_
from nkiverify.model.meaning import Numbers

#: float64 numbers that are so near to each other, relatively, and not equal, differ perhaps by rounding alone.
_NEAR = 1e-11
#: What masks add is less than this; an exponential that vanishes of more than that is of an argument's float.
_MASKED = -5000.0
#: Signs of x - y for which a comparison holds.
_HOLDS = {
    "equal": (0,),
    "not_equal": (-1, 1),
    "greater": (1,),
    "greater_equal": (0, 1),
    "less": (-1,),
    "less_equal": (-1, 0),
}
#: What may be asked of the signs of x - y: signs for which something holds; None: which of the two is greater, in a
#: function that is the same of equal numbers; EQUAL_NUMBERS: nothing but where they are equal, which decides nothing.
Asked = tuple[int, ...] | None
EQUAL_NUMBERS: Asked = ()
_LOGICAL: dict[str, Callable[[Array, Array], Array]] = {
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
_BITS: dict[str, Callable[[Array, Array], Array]] = {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "left_shift": np.left_shift,
    "right_shift": np.right_shift,
}
_WHOLE: dict[str, Callable[[Array], Array]] = {"ceil": np.ceil, "floor": np.floor, "trunc": np.trunc, "sign": np.sign}


class StoredAsNumbers(Numbers):
    """Numbers whose stored form is the numbers themselves, in float64: nothing is rounded."""

    def buffer(self, elements: int, dtype: DType) -> Array:
        return np.zeros((self.lanes, elements))

    def window(
        self, buffer: Array, owner: DType, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> Array:
        self._check_dtype(owner, dtype)
        return np.ndarray(
            (self.lanes, *shape),
            np.float64,
            buffer,
            offset * 8,
            (buffer.strides[0], *(stride * 8 for stride in strides)),
        )

    def flat(self, buffer: Array, owner: DType, dtype: DType) -> Array:
        self._check_dtype(owner, dtype)
        return buffer

    def _check_dtype(self, owner: DType, dtype: DType) -> None:
        if owner != dtype:
            raise UnsupportedConstruct(f"the bits of {owner} elements seen as {dtype}")

    def read(self, stored: Array, dtype: DType) -> Array:
        if dtype.is_packed:
            raise UnsupportedConstruct(f"arithmetic on {dtype} elements over prime fields")
        return np.asarray(stored, dtype=np.float64)

    exact = read

    def convert(self, numbers: Array, dtype: DType) -> Array:
        if dtype.is_packed and numbers.any():
            raise UnsupportedConstruct(f"converting to {dtype} over prime fields")
        return np.asarray(numbers, dtype=np.float64)

    def wants(self, name: str) -> None:
        raise UnsupportedConstruct(f"{name} over prime fields")

    def scan(self, name0: str, name1: str, x: Array, y: Array, initial: Array) -> Array:
        states = []
        state = initial[..., 0]
        for step in range(max(x.shape[-1], y.shape[-1])):
            state = self.binary(name1, self.binary(name0, x[..., step], state), y[..., step])
            states.append(state)
        return np.stack(states, axis=-1)

    def one_by_one(self, name: str, x: Array) -> Array:
        """The last axis reduced by the operator, from the first element on; it stays."""
        result = x[..., :1]
        for position in range(1, x.shape[-1]):
            result = self.binary(name, result, x[..., position : position + 1])
        return result

    def remainder(self, name: str, x: Array, y: Array) -> Array:
        """x - q y, where q is x / y, rounded down for `mod`, to 0 for `fmod`."""
        quotient = self.unary("floor" if name == "mod" else "trunc", self.binary("divide", x, y))
        return self.binary("subtract", x, self.binary("multiply", quotient, y))


class Pieces(StoredAsNumbers):
    """`exact` numbers, residues or degrees, with the floats that they stand for on one piece."""

    def __init__(self, exact: Fields | Degrees, free_maxima: bool = False, outcomes: Outcomes | None = None) -> None:
        """With `free_maxima` these are not decided: they are any function that is associative, commutative and
        idempotent, as in `Fields`, and have any derivative. What floats decide is noted in `outcomes`."""
        self.exactly = exact
        self.free_maxima = free_maxima
        self.lanes = exact.lanes + 1
        self._floats = Doubles()
        #: That something was decided by floats that are no integers known in this run.
        self.decided = False
        self._outcomes = Outcomes() if outcomes is None else outcomes
        #: The constants of the kernels' text.
        self._constants: set[float] = set()

    @staticmethod
    def floats(x: Array) -> Array:
        """The floats of numbers, with the axis of the lanes."""
        return x[-1:]

    def joined(self, exact: Array, floats: Array) -> Array:
        """Numbers of both kinds as one."""
        shape = np.broadcast_shapes(exact.shape[1:], floats.shape[1:])
        found = np.empty((self.lanes, *shape))
        found[:-1], found[-1:] = exact, floats
        return found

    def entered(self, values: Array, dtype: DType) -> Array:
        return self.joined(self.exactly.entered(values, dtype), np.asarray(values, dtype=np.float64)[None])

    def constant(self, value: float, rank: int) -> Array:
        self._constants.add(float(value))
        return self.joined(self.exactly.constant(value, rank), self._floats.constant(value, rank))

    def integers(self, stored: Array, dtype: DType) -> Array:
        return self.exactly.integers(stored[:-1], dtype)

    def rounded(self, numbers: Array, dtype: DType) -> Array:
        if dtype == bool_:
            return self.nonzero(numbers)
        limits = np.iinfo(STORED[dtype])
        whole = np.clip(np.rint(self.floats(numbers)), limits.min, limits.max)
        self._decides_integers(whole, numbers)
        return self._integers(whole)

    def low_bits(self, integers: Array, dtype: DType) -> Array:
        if dtype == bool_:
            return self.nonzero(integers)
        whole = self._whole(integers).astype(STORED[dtype]).astype(np.float64)
        self._decides_integers(whole, integers)
        return self._integers(whole)

    def unsigned(self, integers: Array, dtype: DType) -> Array:
        around = self.constant(2 ** (8 * dtype.itemsize), integers.ndim)
        return np.where(self.floats(integers) < 0, self.binary("add", integers, around), integers)

    def _whole(self, x: Array) -> Array:
        """The floats of integers as such."""
        return np.rint(self.floats(x)).astype(np.int64)

    def _integers(self, floats: Array) -> Array:
        """Integers that floats (1, …) have decided, as numbers that are known."""
        if not np.isfinite(floats).all():
            raise UnsupportedConstruct("an integer of a number that is not finite")
        different, places = np.unique(floats[0], return_inverse=True)
        known = np.concatenate([self.constant(int(value), 2) for value in different.tolist()], axis=1)
        return known[:, places.reshape(floats.shape[1:])]

    def truth(self, holds: Array) -> Array:
        """1 where it holds (1, …), else 0."""
        return np.where(holds, self.constant(1, holds.ndim), self.constant(0, holds.ndim))

    def _decides(self, *numbers: Array) -> bool:
        """True if something that is decided by these numbers is decided by their floats."""
        if not isinstance(self.exactly, Fields):
            return False
        decides = not all(self.exactly.small(x[:-1])[1].all() for x in numbers)
        self.decided |= decides
        return decides

    def _decides_integers(self, whole: Array, numbers: Array) -> None:
        if self._decides(numbers):
            self._outcomes.note(None, (float(whole.min(initial=np.inf)), float(whole.max(initial=-np.inf))))

    def nonzero(self, condition: Array) -> Array:
        return self.truth(self.order(condition, self.constant(0, condition.ndim), _HOLDS["not_equal"]) != 0)

    def order(self, x: Array, y: Array, asked: Asked = EQUAL_NUMBERS) -> Array:
        """The signs of x - y, (1, …), of which this is asked. Raises where rounding would decide."""
        decides = self._decides(x, y)
        one, other = np.broadcast_arrays(self.floats(x), self.floats(y))
        if np.isnan(one).any() or np.isnan(other).any():
            raise UnsupportedConstruct("a comparison with NaN, in float64")
        signs = np.asarray((one > other).astype(np.int8) - (one < other))
        size = np.maximum(np.abs(one), np.abs(other))
        with np.errstate(invalid="ignore"):
            near = (signs != 0) & (np.abs(one - other) <= _NEAR * size) & np.isfinite(size)
        if near.any():
            if isinstance(self.exactly, Fields):
                left, right = (np.broadcast_to(part[:-1], (self.lanes - 1, *near.shape[1:])) for part in (x, y))
                if not self.exactly.equal(left[:, near[0]], right[:, near[0]]).all():
                    raise UnsupportedConstruct("a comparison of numbers that rounding may have made different")
            signs = np.where(near, 0, signs)
        if decides and asked != EQUAL_NUMBERS:
            constants = (float(part.flat[0]) for part in (self.floats(x), self.floats(y)) if part.size == 1)
            constant = next((one for one in constants if one in self._constants), None)
            self._note(asked, set(np.unique(signs).tolist()), constant)
        elif isinstance(self.exactly, Fields) and asked:
            self._outcomes.note_integers(asked, np.isin(signs, asked), one - other)
        return signs

    def _note(self, asked: Asked, signs: set[int], constant: float | None) -> None:
        if asked is not None:
            self._outcomes.note(asked, {sign in asked for sign in signs}, constant)
        else:
            self._outcomes.note(asked, {-1, 1} if 0 in signs else signs, constant)

    def only_one(self, x: Array, greatest: Array) -> Array:
        """Where a maximum along the last axis is the argument that the floats choose, by itself or as one of several
        that are equal, (1, …, 1)."""
        if not isinstance(self.exactly, Fields):
            return np.zeros((1, *greatest.shape[1:]), dtype=bool)
        chosen = np.take_along_axis(
            x, np.broadcast_to(self.place("maximum", x), (len(x), *greatest.shape[1:])), axis=-1
        )
        return self.exactly.equal(chosen[:-1], greatest[:-1])[None]

    def derivative_of_maximum(self, direction: int, greatest: Array, among: Array, chosen: Array) -> Array:
        """Any derivative of a maximum that is not decided: a function of the maximum, in each direction. The floats are
        those of the argument that is `chosen`; `among` has the derivatives of all, along the last axis."""
        exact = self.exactly.unary(f"derivative {direction} of max", greatest[:-1])
        if isinstance(self.exactly, Degrees):
            exact = np.fmax(exact, among[:-1].max(axis=-1).reshape(exact.shape))
        return self.joined(exact, self.floats(chosen))

    def _by_both(self, apply: Callable[[Numbers, Array], Array], x: Array) -> Array:
        return self.joined(apply(self.exactly, x[:-1]), apply(self._floats, x[-1:]))

    def unary(self, name: str, x: Array) -> Array:
        zero = self.constant(0, x.ndim)
        if name == "copy":
            return x
        if name == "abs":
            return self.choose(self.truth(self.order(x, zero, None) < 0), self.unary("negative", x), x)
        if name == "relu":
            return self.binary("maximum", x, zero)
        if name == "logical_not":
            return self.truth(self.order(x, zero, _HOLDS["equal"]) == 0)
        if name in _WHOLE:
            whole = _WHOLE[name](self.floats(x))
            self._decides_integers(whole, x)
            return self._integers(whole)
        if name == "invert":
            return self._integers((~self._whole(x)).astype(np.float64))
        if name in DEFINED:
            return DEFINED[name](self, x)
        found = self._by_both(lambda n, part: n.unary(name, part), x)
        if name == "exp":
            # What masks leave out: an exponential that float64 has no number for is none.
            none = self.floats(found) == 0
            self.decided |= bool((self.floats(x)[none] > _MASKED).any())
            found = np.where(none, zero, found)
        return found

    def binary(self, name: str, x: Array, y: Array) -> Array:
        if name in _HOLDS:
            return self.truth(np.isin(self.order(x, y, _HOLDS[name]), _HOLDS[name]))
        if name in _LOGICAL:
            return self.truth(_LOGICAL[name](*(self.floats(self.nonzero(part)) for part in (x, y))))
        if name in _BITS:
            return self._integers(_BITS[name](self._whole(x), self._whole(y)).astype(np.float64))
        if name in ("maximum", "minimum") and not self.free_maxima:
            signs = self.order(x, y, None)
            return np.where(signs >= 0 if name == "maximum" else signs <= 0, x, y)
        if name in ("abs_max", "abs_min"):
            return self.binary(name.replace("abs_", "") + "imum", self.unary("abs", x), self.unary("abs", y))
        if name in ("mod", "fmod"):
            return self.remainder(name, x, y)
        return self.joined(
            self.exactly.binary(name, x[:-1], y[:-1]), self._floats.binary(name, self.floats(x), self.floats(y))
        )

    def reduce(self, name: str, x: Array) -> Array:
        if name == "add" or (self.free_maxima and name in ("maximum", "minimum")):
            return self._by_both(lambda n, part: n.reduce(name, part), x)
        if name in ("abs_max", "abs_min"):
            return self.reduce(name.replace("abs_", "") + "imum", self.unary("abs", x))
        if name in ("maximum", "minimum"):
            return np.take_along_axis(x, np.broadcast_to(self.place(name, x), (len(x), *x.shape[1:-1], 1)), axis=-1)
        return self.one_by_one(name, x)

    def place(self, name: str, x: Array) -> Array:
        """The first place of the greatest or least number along the last axis, (1, …, 1)."""
        if not self.free_maxima:
            self._decides(x)
        floats = self.floats(x)
        return np.expand_dims(floats.argmax(axis=-1) if name == "maximum" else floats.argmin(axis=-1), -1)

    def matmul(self, x: Array, y: Array) -> Array:
        return self.joined(self.exactly.matmul(x[:-1], y[:-1]), self._floats.matmul(self.floats(x), self.floats(y)))

    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        return np.where(self.floats(condition) != 0, x, y)
