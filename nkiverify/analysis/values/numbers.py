"""The numbers that operations compute with: the interface, and floating point behind it.

Arrays of numbers have a leading axis of `lanes`: one lane in floating point, one per prime in `fields`. The other axes
are the tile's. So an operation's meaning (`nkiverify.model.ops`) is written once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nkiverify.analysis.values import number_formats
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType
from nkiverify.model.meaning import Numbers

# --- floating point ---------------------------------------------------------------------------------------------------


def _vectorised(function: Callable[[float], float]) -> Callable[[Array], Array]:
    compiled = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(compiled(x.astype(np.float64)), dtype=np.float64)


_erf = _vectorised(math.erf)
_SQRT_2 = math.sqrt(2.0)


def _sigmoid(x: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-x))


def _density(x: Array) -> Array:
    return np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


def _normal(x: Array) -> Array:
    return 0.5 * (1.0 + _erf(x / _SQRT_2))


_TANH_FACTOR = math.sqrt(2.0 / math.pi)
_SIGMOID_FACTOR = 1.702

#: Functions of one number, computed in float64 and rounded to float32 once.
_UNARY: dict[str, Callable[[Array], Array]] = {
    "copy": lambda x: x,
    "abs": np.abs,
    "square": lambda x: x * x,
    "relu": lambda x: np.maximum(x, 0.0),
    "negative": np.negative,
    "reciprocal": lambda x: 1.0 / x,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "arctan": np.arctan,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "silu": lambda x: x * _sigmoid(x),
    "silu_dx": lambda x: _sigmoid(x) * (1.0 + x * (1.0 - _sigmoid(x))),
    "softplus": lambda x: np.logaddexp(0.0, x),
    "mish": lambda x: x * np.tanh(np.logaddexp(0.0, x)),
    "erf": _erf,
    "erf_dx": lambda x: 2.0 / math.sqrt(math.pi) * np.exp(-x * x),
    "gelu": lambda x: x * _normal(x),
    "gelu_dx": lambda x: _normal(x) + x * _density(x),
    "gelu_apprx_tanh": lambda x: 0.5 * x * (1.0 + np.tanh(_TANH_FACTOR * (x + 0.044715 * x**3))),
    "gelu_apprx_sigmoid": lambda x: x * _sigmoid(_SIGMOID_FACTOR * x),
    "gelu_apprx_sigmoid_dx": lambda x: (
        _sigmoid(_SIGMOID_FACTOR * x) * (1.0 + _SIGMOID_FACTOR * x * (1.0 - _sigmoid(_SIGMOID_FACTOR * x)))
    ),
    "sign": np.sign,
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "logical_not": lambda x: (x == 0).astype(np.float64),
}


def function_of(name: str) -> Callable[[Array], Array]:
    """A function of one number, in float64, by the operator's name."""
    return _UNARY[name]


#: Functions whose float32 result does not gain from float64.
_SINGLE = frozenset(
    ("copy", "abs", "square", "relu", "negative", "sign", "ceil", "floor", "trunc", "exp", "reciprocal")
)

_COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
_BINARY: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "power": np.power,
    "mod": np.mod,
    "fmod": np.fmod,
    "abs_max": lambda x, y: np.maximum(np.abs(x), np.abs(y)),
    "abs_min": lambda x, y: np.minimum(np.abs(x), np.abs(y)),
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "left_shift": np.left_shift,
    "right_shift": np.right_shift,
}
_REDUCERS: dict[str, np.ufunc] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}

#: Documented ranges of activation functions ("act.range.*"): least and greatest magnitude, or ends of an interval.
_INTERVALS = {
    "log": (2.0**-64, 2.0**64),
    "sin": (-math.pi, math.pi),
    "arctan": (-math.pi / 2, math.pi / 2),
    "sqrt": (2.0**-116, 2.0**118),
    "rsqrt": (2.0**-87, 2.0**97),
}
_RECIPROCAL_LIMIT = 2.0**42


class Floats(Numbers):
    """The engines' arithmetic: float32 inside, storage rounded to its dtype ("isa.fp32_internal")."""

    lanes = 1
    #: The type of the numbers.
    kind: type[np.floating[Any]] = np.float32

    def __init__(self) -> None:
        #: The functions that were computed.
        self.computed: set[str] = set()

    def buffer(self, elements: int, dtype: DType) -> Array:
        return np.zeros(elements * dtype.itemsize, dtype=np.uint8)

    def window(
        self, buffer: Array, owner: DType, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> Array:
        kind = number_formats.STORED[dtype]
        size = kind.itemsize
        return np.ndarray((1, *shape), kind, buffer, offset * size, (0, *(stride * size for stride in strides)))

    def flat(self, buffer: Array, owner: DType, dtype: DType) -> Array:
        return buffer.view(number_formats.STORED[dtype])[None]

    def entered(self, values: Array, dtype: DType) -> Array:
        kind = number_formats.STORED[dtype]
        array = np.ascontiguousarray(values)
        if array.dtype == np.bool_:
            array = array.astype(np.uint8)
        if array.dtype != kind:
            array = number_formats.stored(array, dtype)
        return array[None]

    def read(self, stored: Array, dtype: DType) -> Array:
        return number_formats.widened(stored, dtype)

    def exact(self, stored: Array, dtype: DType) -> Array:
        return stored.astype(np.int64) if stored.dtype.kind in "iu" else number_formats.widened(stored, dtype)

    def convert(self, numbers: Array, dtype: DType) -> Array:
        return number_formats.stored(numbers, dtype)

    def low_bits(self, integers: Array, dtype: DType) -> Array:
        return integers.astype(np.int64).astype(number_formats.STORED[dtype])

    def unsigned(self, integers: Array, dtype: DType) -> Array:
        return np.where(integers < 0, integers + 2 ** (8 * dtype.itemsize), integers)

    def constant(self, value: float, rank: int) -> Array:
        kind = np.int64 if isinstance(value, int) and not isinstance(value, bool) else np.float32
        if kind is np.int64 and abs(value) < 2**24:
            kind = np.float32
        with np.errstate(over="ignore"):
            return np.full((1,) * rank, value, dtype=kind)

    def unary(self, name: str, x: Array) -> Array:
        if name == "invert":
            return np.asarray(~x)
        if name not in _UNARY:
            raise UnsupportedConstruct(f"the value of the function {name}")
        self.computed.add(name)
        with np.errstate(all="ignore"):
            if name in _SINGLE:
                result = _UNARY[name](x)
                return result if result.dtype == np.int64 else np.asarray(result, dtype=self.kind)
            return _UNARY[name](x.astype(np.float64)).astype(self.kind)

    def binary(self, name: str, x: Array, y: Array) -> Array:
        self.computed.add(name)
        with np.errstate(all="ignore"):
            if name in _COMPARISONS:
                return _COMPARISONS[name](x, y).astype(self.kind)
            if name not in _BINARY:
                raise UnsupportedConstruct(f"the value of the operator {name}")
            return np.asarray(_BINARY[name](x, y))

    def reduce(self, name: str, x: Array) -> Array:
        self.computed.add(name)
        if name in ("abs_max", "abs_min"):
            name, x = "maximum" if name == "abs_max" else "minimum", np.abs(x)
        if name not in _REDUCERS:
            raise UnsupportedConstruct(f"a reduction with {name}")
        with np.errstate(all="ignore"):
            result = np.asarray(_REDUCERS[name].reduce(x, axis=-1, keepdims=True))
        return result.astype(self.kind) if result.dtype == np.bool_ else result

    def matmul(self, x: Array, y: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(np.matmul(x.transpose(0, 2, 1), y))

    def scan(self, name0: str, name1: str, x: Array, y: Array, initial: Array) -> Array:
        result = np.empty(np.broadcast_shapes(x.shape, y.shape), dtype=np.float32)
        state = initial[..., 0]
        for step in range(x.shape[-1]):
            state = self.binary(name1, self.binary(name0, x[..., step], state), y[..., step])
            result[..., step] = state
        return result

    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        self.computed.add("choose")
        return np.asarray(np.where(condition != 0, x, y))

    def out_of_range(self, name: str, x: Array) -> Array | None:
        if name == "reciprocal":
            size = np.abs(x)
            bad = ~((size >= 1 / _RECIPROCAL_LIMIT) & (size <= _RECIPROCAL_LIMIT))
        elif name in _INTERVALS:
            low, high = _INTERVALS[name]
            bad = ~((x >= np.float32(low)) & (x <= np.float32(high)))
        else:
            return None
        # NaN stays NaN: that is no matter of ranges.
        bad &= ~np.isnan(x)
        return bad if bad.any() else None

    def integers(self, stored: Array, dtype: DType) -> Array:
        return stored[0].astype(np.int64)

    def unpacked(self, packed: Array, dtype: DType) -> Array:
        return number_formats.unpacked(packed, dtype)

    def packed(self, values: Array, dtype: DType) -> Array:
        return number_formats.repacked(values, dtype)


class Doubles(Floats):
    """The functions in float64; these numbers are stored by others (`nkiverify.analysis.values.compared_pieces`)."""

    kind = np.float64

    def constant(self, value: float, rank: int) -> Array:
        return np.full((1,) * rank, value, dtype=np.float64)


class Marks(Numbers):
    """Not numbers but where undefined ones come from: 0 for a defined element, else the greatest mark of what it was
    computed from. Structural operations move marks as they move numbers."""

    lanes = 1

    def buffer(self, elements: int, dtype: DType) -> Array:
        return np.zeros(elements, dtype=np.uint32)

    def window(
        self, buffer: Array, owner: DType, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> Array:
        return np.ndarray((1, *shape), np.uint32, buffer, offset * 4, (0, *(stride * 4 for stride in strides)))

    def flat(self, buffer: Array, owner: DType, dtype: DType) -> Array:
        return buffer[None]

    def entered(self, values: Array, dtype: DType) -> Array:
        return np.zeros((1, *values.shape), dtype=np.uint32)

    def read(self, stored: Array, dtype: DType) -> Array:
        return stored

    exact = read

    def convert(self, numbers: Array, dtype: DType) -> Array:
        return numbers

    def constant(self, value: float, rank: int) -> Array:
        return np.zeros((1,) * rank, dtype=np.uint32)

    def unary(self, name: str, x: Array) -> Array:
        return x

    def binary(self, name: str, x: Array, y: Array) -> Array:
        return np.asarray(np.maximum(x, y))

    def reduce(self, name: str, x: Array) -> Array:
        return np.asarray(x.max(axis=-1, keepdims=True))

    def matmul(self, x: Array, y: Array) -> Array:
        return np.asarray(np.maximum(x.max(axis=1)[:, :, None], y.max(axis=1)[:, None, :]))

    def scan(self, name0: str, name1: str, x: Array, y: Array, initial: Array) -> Array:
        joined = np.maximum(np.maximum(x, y), 0)
        joined[..., 0] = np.maximum(joined[..., 0], initial[..., 0])
        return np.asarray(np.maximum.accumulate(joined, axis=-1))

    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        return np.asarray(np.maximum(condition, np.maximum(x, y)))
