"""Arrays of any kind of numbers that NumPy's functions work on: what a reference is given in place of an array.

What only moves elements (transposes, concatenations, slices, …) is done by NumPy on their positions; the rest is mapped
to the functions of `Numbers`. What is not in the tables is refused, never approximated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from nkiverify.analysis.values.contractions import dot, einsum, matmul
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import float32
from nkiverify.model.meaning import Numbers

#: NumPy's functions by the names of operators, where they differ from these.
_UNARY = {
    "negative": "negative", "exp": "exp", "log": "log", "sqrt": "sqrt", "square": "square", "reciprocal": "reciprocal",
    "absolute": "abs", "fabs": "abs", "tanh": "tanh", "sin": "sin", "cos": "cos", "tan": "tan", "arctan": "arctan",
    "sign": "sign", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "logical_not": "logical_not", "erf": "erf",
    "expit": "sigmoid", "positive": "copy", "conjugate": "copy", "invert": "logical_not",
}  # fmt: skip
_BINARY = {
    "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "divide", "true_divide": "divide",
    "maximum": "maximum", "minimum": "minimum", "fmax": "maximum", "fmin": "minimum", "power": "power",
    "float_power": "power", "greater": "greater", "greater_equal": "greater_equal", "less": "less",
    "less_equal": "less_equal", "equal": "equal", "not_equal": "not_equal", "logical_and": "logical_and",
    "logical_or": "logical_or", "logical_xor": "logical_xor", "bitwise_and": "logical_and", "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor",
}  # fmt: skip
#: Operators whose results are booleans; and what others are of booleans, as no numbers are added up there.
_CONDITIONS = frozenset(
    (
        "greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "logical_and", "logical_or",
        "logical_xor", "logical_not",
    )
)  # fmt: skip
_OF_BOOLEANS = {"add": "logical_or", "multiply": "logical_and", "maximum": "logical_or", "minimum": "logical_and"}
#: Functions that only move elements; where there is none they put 0.
_MOVING = frozenset(
    (
        "transpose", "permute_dims", "reshape", "ravel", "swapaxes", "moveaxis", "rollaxis", "concatenate", "stack",
        "vstack", "hstack", "dstack", "column_stack", "split", "array_split", "hsplit", "vsplit", "flip", "fliplr",
        "flipud", "roll", "repeat", "tile", "take", "take_along_axis", "broadcast_to", "expand_dims", "squeeze",
        "atleast_1d", "atleast_2d", "atleast_3d", "tril", "triu", "diag", "diagonal", "rot90", "delete", "copy",
        "ascontiguousarray", "broadcast_arrays", "unstack", "pad", "lib.stride_tricks.sliding_window_view",
        "sliding_window_view",
    )
)  # fmt: skip
#: Those whose result may be a view of their first argument.
_VIEWING = frozenset(
    (
        "transpose", "permute_dims", "reshape", "ravel", "swapaxes", "moveaxis", "rollaxis", "split", "array_split",
        "hsplit", "vsplit", "flip", "fliplr", "flipud", "broadcast_to", "expand_dims", "squeeze", "diagonal", "rot90",
        "ascontiguousarray", "unstack", "lib.stride_tricks.sliding_window_view", "sliding_window_view",
    )
)  # fmt: skip
#: Those each of whose arguments is an array.
_OF_ARRAYS = frozenset(("broadcast_arrays", "atleast_1d", "atleast_2d", "atleast_3d"))
#: Paddings that are zeros, or elements.
_PADDING = (None, "constant", "edge", "reflect", "symmetric", "wrap")
#: What NumPy's functions pass on for what they are not given.
_NOT_GIVEN = np._NoValue


class _Elements:
    """Numbers (lanes, elements) that an array and its views share."""

    __slots__ = ("_own", "flat")

    def __init__(self, flat: Array) -> None:
        self.flat = flat
        self._own = False

    def put(self, places: Array, values: Array) -> None:
        """Write (lanes, *places.shape)."""
        if not self._own:
            self.flat, self._own = np.array(self.flat), True
        self.flat[:, places] = values


class NumberArray(np.lib.mixins.NDArrayOperatorsMixin):
    """Numbers (lanes, *shape) as an array of `shape`; `boolean`: of conditions, 0 or 1.

    What NumPy makes a view of shares its elements: positions are an array of NumPy's, which is a view where this is.
    """

    def __init__(self, numbers: Numbers, data: Array, boolean: bool = False) -> None:
        self._n = numbers
        self.shape = tuple(data.shape[1:])
        self.boolean = boolean
        self._elements = _Elements(data.reshape(data.shape[0], -1))
        #: Where the elements are; None for all of them in their order.
        self._places: Array | None = None

    # --- what an array has --------------------------------------------------------------------------------------------

    @property
    def numbers(self) -> Array:
        """The numbers, (lanes, *shape)."""
        flat = self._elements.flat
        return flat.reshape(len(flat), *self.shape) if self._places is None else flat[:, self._places]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Any:
        return math.prod(self.shape)

    @property
    def dtype(self) -> Any:
        return np.dtype(bool if self.boolean else np.float64)

    @property
    def T(self) -> Any:  # noqa: N802 (NumPy's name)
        return self._moved(np.transpose)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[position] for position in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        return self._moved(lambda places: places[_plain_key(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        places = np.asarray(self.places[_plain_key(key)])
        lifted = self.of(value)
        if self.boolean and not lifted.boolean:
            raise UnsupportedConstruct("numbers written into an array of booleans, in the reference")
        data = lifted.numbers.reshape(len(lifted.numbers), *(lifted.shape[-places.ndim :] if places.ndim else ()))
        self._elements.put(places, np.broadcast_to(_aligned(data, places.ndim + 1), (len(data), *places.shape)))

    def __bool__(self) -> bool:
        return bool(self.known("a decision of the reference that depends on the elements of an argument"))

    def __float__(self) -> float:
        return float(self.known("an element of an argument as a Python number, in the reference"))

    def __int__(self) -> int:
        return int(self.known("an element of an argument as a Python number, in the reference"))

    __index__ = __int__

    def astype(self, dtype: Any, **options: Any) -> Any:
        if np.dtype(dtype).kind == "b":
            return self != 0
        float_only(dtype)
        return self._made(np.array(self.numbers))

    def copy(self, order: str = "C") -> Any:
        return self._made(np.array(self.numbers), self.boolean)

    def fill(self, value: Any) -> None:
        self[...] = value

    def transpose(self, *axes: Any) -> Any:
        return self._moved(lambda places: places.transpose(*axes))

    def reshape(self, *shape: Any, **options: Any) -> Any:
        return self._moved(lambda places: places.reshape(*shape, **options))

    def swapaxes(self, one: int, other: int) -> Any:
        return self._moved(lambda places: places.swapaxes(one, other))

    def ravel(self) -> Any:
        return self._moved(np.ravel)

    def flatten(self) -> Any:
        return self.ravel().copy()

    def squeeze(self, axis: Any = None) -> Any:
        return self._moved(lambda places: places.squeeze(axis))

    def repeat(self, repeats: Any, axis: Any = None) -> Any:
        return self._moved(lambda places: places.repeat(repeats, axis))

    def dot(self, other: Any) -> Any:
        return dot(self, other)

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, **options: Any) -> Any:
        return self._reduced("add", axis, keepdims, dtype=dtype, out=out, **options)

    def prod(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, **options: Any) -> Any:
        return self._reduced("multiply", axis, keepdims, dtype=dtype, out=out, **options)

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False, **options: Any) -> Any:
        return self._reduced("maximum", axis, keepdims, out=out, **options)

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False, **options: Any) -> Any:
        return self._reduced("minimum", axis, keepdims, out=out, **options)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False, **options: Any) -> Any:
        return self._reduced("logical_or", axis, keepdims, out=out, **options)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False, **options: Any) -> Any:
        return self._reduced("logical_and", axis, keepdims, out=out, **options)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, **options: Any) -> Any:
        return self._reduced("add", axis, keepdims, dtype=dtype, out=out, **options) / self._count(axis)

    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: Any = False,
        **options: Any,
    ) -> Any:
        apart = self - NumberArray.mean(self, axis, dtype, out, keepdims=True, **options)
        return (apart * apart)._reduced("add", axis, keepdims) / (self._count(axis) - ddof)

    def std(self, *arguments: Any, **options: Any) -> Any:
        return np.sqrt(NumberArray.var(self, *arguments, **options))

    # --- NumPy's protocols --------------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        raise UnsupportedConstruct("the elements of an argument as an array of NumPy's, in the reference")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.pop("out", (None,))[0]
        name = ufunc.__name__
        float_only(options.pop("dtype", None))
        options.pop("casting", None)
        if method == "reduce" and name in _BINARY:
            axis, keepdims = options.pop("axis", 0), bool(options.pop("keepdims", False))
            found = inputs[0]._reduced(_BINARY[name], axis, keepdims, **options)
        elif method != "__call__" or options:
            raise UnsupportedConstruct(f"np.{name}.{method} with {', '.join(options) or 'what it is given'}")
        else:
            found = self._called(name, *map(self.of, inputs))
        if out is None:
            return found
        if not isinstance(out, NumberArray):
            raise UnsupportedConstruct("a result written into an array of NumPy's that the reference has made")
        if found.shape != out.shape:
            raise ValueError(f"a result of the shape {found.shape} written into one of {out.shape}")
        out[...] = found
        return out

    def _called(self, name: str, *parts: Any) -> Any:
        """A ufunc of arrays like this one."""
        if name == "matmul":
            return matmul(*parts)
        if name in _FURTHER:
            return _FURTHER[name](*parts)
        if all(part.boolean for part in parts):
            name = _OF_BOOLEANS.get(name, name)
        elif name.startswith("bitwise") or name == "invert":
            raise UnsupportedConstruct(f"np.{name} of what is no boolean, in the reference")
        if name in _UNARY:
            data = self._n.unary(_UNARY[name], parts[0].numbers)
        elif name in _BINARY:
            rank = max(part.ndim for part in parts) + 1
            data = self._n.binary(_BINARY[name], *(_aligned(part.numbers, rank) for part in parts))
        else:
            raise UnsupportedConstruct(f"np.{name} in the reference")
        return self._made(data, _UNARY.get(name, _BINARY.get(name)) in _CONDITIONS)

    def __array_function__(self, function: Any, types: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
        name = function.__name__
        if name in _FUNCTIONS:
            return _FUNCTIONS[name](*args, **options)
        if name == "pad":
            mode = dict(zip(("array", "pad_width", "mode"), args, strict=False)).get("mode", options.get("mode"))
            if mode not in _PADDING or np.any(options.get("constant_values", 0)):
                raise UnsupportedConstruct("np.pad with something else than zeros or elements, in the reference")
        alone = name in _OF_ARRAYS and len(args) == 1
        if (name in _VIEWING or alone) and isinstance(args[0], NumberArray):
            rest, named = [*map(_plain_key, args[1:])], {key: _plain_key(value) for key, value in options.items()}
            return args[0]._moved(lambda places: function(places, *rest, **named))
        if name in _MOVING:
            return self._by_places(function, args, options, every=name in _OF_ARRAYS)
        raise UnsupportedConstruct(f"np.{name} in the reference")

    # --- how ----------------------------------------------------------------------------------------------------------

    @property
    def places(self) -> Array:
        """Where the elements are among those that are shared."""
        if self._places is None:
            self._places = np.arange(math.prod(self.shape)).reshape(self.shape)
        return self._places

    def known(self, construct: str) -> Array:
        """The elements, where they are integers that depend on no argument. Raises `UnsupportedConstruct` otherwise."""
        try:
            return self._n.integers(self.numbers, float32).reshape(self.shape)
        except UnsupportedConstruct:
            raise UnsupportedConstruct(construct) from None

    def of(self, value: Any) -> Any:
        """Anything as an array like this one."""
        if isinstance(value, NumberArray):
            return value
        array = np.asarray(value)
        if array.dtype.kind not in "fiub":
            raise UnsupportedConstruct(f"an array of {array.dtype} in the reference")
        if array.dtype.kind == "f":
            array = array.astype(np.float64)
        data = self._n.read(self._n.entered(array, float32), float32)
        return self._made(data.reshape(data.shape[0], *array.shape), array.dtype.kind == "b")

    def stacked(self, parts: Any) -> Any:
        """Lists of arrays, and numbers, as one array."""
        if isinstance(parts, list | tuple):
            return np.stack([self.stacked(part) for part in parts])
        return self.of(parts)

    def _made(self, data: Array, boolean: bool = False) -> Any:
        return type(self)(self._n, data, boolean)

    def _moved(self, move: Callable[[Array], Any]) -> Any:
        """Elements moved as their positions are: a view where that of the positions is one."""
        before = self.places
        found = move(before)
        if isinstance(found, list | tuple):
            return type(found)(self._seen(np.asarray(part), before) for part in found)
        return self._seen(np.asarray(found), before)

    def _seen(self, places: Array, before: Array) -> Any:
        flat = self._elements.flat
        if not np.may_share_memory(places, before):
            return self._made(flat[:, places], self.boolean)
        found = self._made(flat[:, :0], self.boolean)
        found.shape, found._elements, found._places = places.shape, self._elements, places
        return found

    def _by_places(self, function: Any, args: Sequence[Any], options: dict[str, Any], every: bool) -> Any:
        """A function that moves elements of its first argument, or of `every` one, on their positions; position 0 is a
        zero."""
        pool = [np.zeros((self.numbers.shape[0], 1))]
        length = 1
        booleans = []

        def entered(value: Any) -> Any:
            nonlocal length
            if isinstance(value, list | tuple):
                return type(value)(entered(part) for part in value)
            own = self.of(value)
            size = math.prod(own.shape)
            places = np.arange(length, length + size).reshape(own.shape)
            pool.append(own.numbers.reshape(len(own.numbers), -1))
            booleans.append(own.boolean)
            length += size
            return places

        moved = [entered(value) for value in (args if every else args[:1])]
        rest = [] if every else map(_plain_key, args[1:])
        result = function(*moved, *rest, **{key: _plain_key(value) for key, value in options.items()})
        elements = np.concatenate(pool, axis=1)
        if isinstance(result, list | tuple):
            return type(result)(self._made(elements[:, part], all(booleans)) for part in result)
        return self._made(elements[:, result], all(booleans))

    def _axes(self, axis: Any) -> tuple[int, ...]:
        given = range(self.ndim) if axis is None else (axis,) if isinstance(axis, int | np.integer) else axis
        if any(isinstance(each, bool) or not -self.ndim <= each < self.ndim for each in given):
            raise ValueError(f"axis {axis} of an array of {self.ndim} axes")
        return tuple(sorted(int(each) % self.ndim for each in given))

    def _count(self, axis: Any) -> int:
        return math.prod(self.shape[each] for each in self._axes(axis))

    def _reduced(self, name: str, axis: Any, keepdims: bool, dtype: Any = None, **options: Any) -> Any:
        float_only(dtype)
        given = [key for key, value in options.items() if value is not None and value is not _NOT_GIVEN]
        if given:
            raise UnsupportedConstruct(f"a reduction with {', '.join(given)}, in the reference")
        axes = self._axes(axis)
        kept = [each for each in range(self.ndim) if each not in axes]
        data = self.numbers
        lines = data.transpose(0, *(each + 1 for each in (*kept, *axes)))
        lines = lines.reshape(*lines.shape[: 1 + len(kept)], -1)
        if lines.shape[-1] == 0:
            raise UnsupportedConstruct("a reduction of no elements, in the reference")
        found = self._n.reduce(name, lines)
        shape = (
            [1 if each in axes else extent for each, extent in enumerate(self.shape)]
            if keepdims
            else [self.shape[each] for each in kept]
        )
        return self._made(found.reshape(found.shape[0], *shape), name in _CONDITIONS)

    def contracted(self, other: NumberArray) -> Any:
        """(batch, K, M) and (batch, K, N) multiplied: (batch, M, N)."""
        mine, others = self.numbers, other.numbers
        parts = [self._n.matmul(mine[:, each], others[:, each]) for each in range(self.shape[0])]
        return self._made(np.stack(parts, axis=1))


def _aligned(data: Array, rank: int) -> Array:
    """With axes of extent 1 behind the lanes."""
    return data.reshape(data.shape[0], *(1,) * (rank - data.ndim), *data.shape[1:])


def float_only(dtype: Any) -> None:
    if dtype is not None and dtype is not _NOT_GIVEN and np.dtype(dtype).kind != "f":
        raise UnsupportedConstruct(f"a conversion to {np.dtype(dtype)} in the reference")


def _plain_key(key: Any) -> Any:
    """A key with the elements of arrays of numbers, which have to be known."""
    if isinstance(key, tuple):
        return tuple(map(_plain_key, key))
    if not isinstance(key, NumberArray):
        return key
    found = key.known("indices that depend on an argument, in the reference")
    return found.astype(bool) if key.boolean else found


def _where(condition: Any, x: Any, y: Any) -> Any:
    first = next(part for part in (condition, x, y) if isinstance(part, NumberArray))
    n = first._n
    parts = [first.of(part) for part in (condition, x, y)]
    rank = max(part.ndim for part in parts) + 1
    holds, one, other = (_aligned(part.numbers, rank) for part in parts)
    return first._made(n.choose(n.nonzero(holds), one, other), parts[1].boolean and parts[2].boolean)


def _clip(x: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _cumulative(x: Any, axis: int | None = None) -> Any:
    if axis is None:
        x, axis = x.ravel(), 0
    lines = np.swapaxes(x, axis, -1)
    upper = np.triu(np.ones((lines.shape[-1],) * 2))
    return np.swapaxes(matmul(lines, x.of(upper)).reshape(lines.shape), axis, -1)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord not in (None, 2) or (ord == 2 and not isinstance(axis, int)):
        raise UnsupportedConstruct(f"np.linalg.norm of order {ord} in the reference")
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


def _like(value: float) -> Callable[..., Any]:
    def filled(x: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None) -> Any:
        return x.of(np.full(x.shape if shape is None else shape, value, dtype))

    return filled


def _reduction(name: str) -> Callable[..., Any]:
    """A reduction as a function: of an array, or of a list of some."""
    method = getattr(NumberArray, name)
    return lambda x, *args, **options: method(x if isinstance(x, NumberArray) else np.stack(x), *args, **options)


#: ufuncs that are made of others.
_FURTHER: dict[str, Callable[..., Any]] = {
    "expm1": lambda x: np.exp(x) - 1,
    "log1p": lambda x: np.log(x + 1),
    "log2": lambda x: np.log(x) * (1 / math.log(2)),
    "log10": lambda x: np.log(x) * (1 / math.log(10)),
    "logaddexp": lambda x, y: np.log(np.exp(x) + np.exp(y)),
    "isnan": lambda x: x.of(np.zeros(x.shape, bool)),
    "isinf": lambda x: x.of(np.zeros(x.shape, bool)),
    "isfinite": lambda x: x.of(np.ones(x.shape, bool)),
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _reduction(name) for name in ("sum", "prod", "mean", "max", "min", "any", "all", "var", "std")},
    "amax": _reduction("max"),
    "amin": _reduction("min"),
    "count_nonzero": lambda x, axis=None, keepdims=False: NumberArray.sum(x != 0, axis, keepdims=keepdims),
    "dot": dot,
    "einsum": einsum,
    "where": _where,
    "clip": _clip,
    "cumsum": _cumulative,
    "norm": _norm,
    "outer": lambda x, y: np.multiply(x.reshape(-1, 1), y.reshape(1, -1)),
    "zeros_like": _like(0.0),
    "ones_like": _like(1.0),
    "full_like": lambda x, value, dtype=None: x.of(np.full(x.shape, value, dtype)),
    "shape": lambda x: x.shape,
    "ndim": lambda x: x.ndim,
    "size": lambda x: math.prod(x.shape),
}
