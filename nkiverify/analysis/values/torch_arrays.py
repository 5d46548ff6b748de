"""Arrays of any kind of numbers that PyTorch's functions work on: those of `number_arrays` with PyTorch's names.

What PyTorch calls otherwise than NumPy is written in NumPy's functions, of which `number_arrays` says what they are.
What is not here is refused, never approximated.
"""

from __future__ import annotations

import math
import sys
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nkiverify.analysis.values.number_arrays import NumberArray
from nkiverify.analysis.values.torch_layers import (
    attention,
    conv,
    cross_entropy,
    layer_norm,
    linear,
    mse_loss,
    pad,
    plain,
    refused,
    rms_norm,
)

#: A reduction that tells where, too; nothing can be done with the place.
_Found = namedtuple("_Found", ("values", "indices"))


class _Nothing:
    """An index that depends on an argument."""


def _sizes(given: Sequence[Any]) -> tuple[int, ...]:
    """`2, 3` or `(2, 3)`."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], list | tuple) else tuple(given)


class TorchArray(NumberArray):
    """Numbers (lanes, *shape) as a tensor of PyTorch."""

    # --- what a tensor has --------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> Any:
        torch = sys.modules["torch"]
        return torch.bool if self.boolean else torch.float64

    @property
    def device(self) -> Any:
        return sys.modules["torch"].device("cpu")

    @property
    def data(self) -> Any:
        return self

    @property
    def mT(self) -> Any:  # noqa: N802 (PyTorch's name)
        return np.swapaxes(self, -1, -2)

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def dim(self) -> int:
        return self.ndim

    def numel(self) -> int:
        return math.prod(self.shape)

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(plain(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(plain(key), value)

    # --- conversions --------------------------------------------------------------------------------------------------

    def to(self, *args: Any, **options: Any) -> Any:
        found = self
        for value in (*args, *options.values()):
            kind = getattr(value, "dtype", value)
            if hasattr(kind, "is_floating_point"):
                found = _converted(found, kind)
        return found

    type = type_as = to

    def float(self) -> Any:
        return self.astype(float)

    double = half = bfloat16 = float

    def clone(self) -> Any:
        return self.copy()

    def detach(self) -> Any:
        return self

    cpu = detach

    def contiguous(self) -> Any:
        return self._moved(np.ascontiguousarray)

    # --- moves --------------------------------------------------------------------------------------------------------

    def view(self, *shape: Any) -> Any:
        return np.reshape(self, _sizes(shape))

    def reshape(self, *shape: Any) -> Any:
        return np.reshape(self, _sizes(shape))

    def permute(self, *dims: Any) -> Any:
        return np.transpose(self, _sizes(dims))

    def transpose(self, dim0: int, dim1: int) -> Any:
        return np.swapaxes(self, dim0, dim1)

    def t(self) -> Any:
        return np.transpose(self)

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Any:
        start, end = start_dim % self.ndim, end_dim % self.ndim
        return np.reshape(self, (*self.shape[:start], -1, *self.shape[end + 1 :]))

    def unflatten(self, dim: int, sizes: Sequence[int]) -> Any:
        at = dim % self.ndim
        return np.reshape(self, (*self.shape[:at], *sizes, *self.shape[at + 1 :]))

    def squeeze(self, dim: Any = None) -> Any:
        if dim is not None and self.shape[dim] != 1:
            return self
        return self._moved(lambda places: places.squeeze(dim))

    def unsqueeze(self, dim: int) -> Any:
        return self._moved(lambda places: np.expand_dims(places, dim))

    def expand(self, *sizes: Any) -> Any:
        wanted = _sizes(sizes)
        own = (1,) * (len(wanted) - self.ndim) + self.shape
        shape = [extent if size == -1 else size for size, extent in zip(wanted, own, strict=True)]
        return np.broadcast_to(self, shape)

    def expand_as(self, other: Any) -> Any:
        return np.broadcast_to(self, other.shape)

    def repeat(self, *sizes: Any) -> Any:
        return np.tile(self, _sizes(sizes))

    tile = repeat

    def repeat_interleave(self, repeats: Any, dim: int | None = None) -> Any:
        return np.repeat(self, plain(repeats), axis=dim)

    def split(self, sizes: Any, dim: int = 0) -> Any:
        extent = self.shape[dim]
        ends = range(sizes, extent, sizes) if isinstance(sizes, int) else np.cumsum(sizes)[:-1]
        return tuple(np.split(self, list(ends), axis=dim))

    def chunk(self, chunks: int, dim: int = 0) -> Any:
        return self.split(-(-self.shape[dim] // chunks), dim)

    def unbind(self, dim: int = 0) -> Any:
        return tuple(self._moved(lambda places: np.moveaxis(places, dim, 0)))

    def narrow(self, dim: int, start: int, length: int) -> Any:
        return self[(slice(None),) * (dim % self.ndim) + (slice(start, start + length),)]

    def select(self, dim: int, index: int) -> Any:
        return self[(slice(None),) * (dim % self.ndim) + (index,)]

    def index_select(self, dim: int, index: Any) -> Any:
        return np.take(self, plain(index), axis=dim)

    def gather(self, dim: int, index: Any) -> Any:
        index = plain(index)
        # What PyTorch does not read in the other axes is left out.
        kept = tuple(slice(None) if axis == dim % self.ndim else slice(n) for axis, n in enumerate(index.shape))
        return np.take_along_axis(self[kept], index, axis=dim)

    def roll(self, shifts: Any, dims: Any = None) -> Any:
        return np.roll(self, shifts, axis=dims)

    def flip(self, *dims: Any) -> Any:
        return np.flip(self, axis=_sizes(dims)).copy()

    def tril(self, diagonal: int = 0) -> Any:
        return np.tril(self, diagonal)

    def triu(self, diagonal: int = 0) -> Any:
        return np.triu(self, diagonal)

    # --- functions of an element --------------------------------------------------------------------------------------

    def _unary(self, name: str) -> Any:
        return self._made(self._n.unary(name, self.numbers))

    def gelu(self, approximate: str = "none") -> Any:
        return self._unary({"none": "gelu", "tanh": "gelu_apprx_tanh"}[approximate])

    def leaky_relu(self, negative_slope: Any = 0.01, inplace: Any = False) -> Any:
        found: Any = np.where(self > 0, self, self * negative_slope)
        return self.copy_(found) if inplace else found

    def pow(self, exponent: Any) -> Any:
        return self**exponent

    def clamp(self, min: Any = None, max: Any = None) -> Any:
        return np.clip(self, min, max)

    def masked_fill(self, mask: Any, value: Any) -> Any:
        return np.where(plain(mask), value, self)

    def logical_not(self) -> Any:
        return self == 0

    # --- reductions ---------------------------------------------------------------------------------------------------

    def sum(self, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:  # type: ignore[override]
        return NumberArray.sum(_converted(self, dtype), dim, keepdims=keepdim)

    def mean(self, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:  # type: ignore[override]
        return NumberArray.mean(_converted(self, dtype), dim, keepdims=keepdim)

    def prod(self, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:  # type: ignore[override]
        return NumberArray.prod(_converted(self, dtype), dim, keepdims=keepdim)

    def amax(self, dim: Any = None, keepdim: bool = False) -> Any:
        return NumberArray.max(self, dim, keepdims=keepdim)

    def amin(self, dim: Any = None, keepdim: bool = False) -> Any:
        return NumberArray.min(self, dim, keepdims=keepdim)

    def max(self, dim: Any = None, keepdim: bool = False) -> Any:  # type: ignore[override]
        if dim is None or not isinstance(dim, int):
            return self.amax() if dim is None else np.maximum(self, self.of(dim))
        return _Found(self.amax(dim, keepdim), _Nothing())

    def min(self, dim: Any = None, keepdim: bool = False) -> Any:  # type: ignore[override]
        if dim is None or not isinstance(dim, int):
            return self.amin() if dim is None else np.minimum(self, self.of(dim))
        return _Found(self.amin(dim, keepdim), _Nothing())

    def var(  # type: ignore[override]
        self, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None
    ) -> Any:
        ddof = (1 if unbiased else 0) if correction is None else correction
        return NumberArray.var(self, dim, ddof=ddof, keepdims=keepdim)

    def std(self, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None) -> Any:
        return np.sqrt(self.var(dim, unbiased, keepdim, correction=correction))

    def norm(self, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
        return np.linalg.norm(self, axis=dim, keepdims=keepdim) if p in (2, "fro") else refused(f"norm {p}")

    def cumsum(self, dim: int) -> Any:
        return np.cumsum(self, axis=dim)

    def softmax(self, dim: int, dtype: Any = None) -> Any:
        powers: Any = np.exp(self - self.amax(dim, True))
        return powers / powers.sum(dim, True)

    def logsumexp(self, dim: Any, keepdim: bool = False) -> Any:
        powers: Any = np.exp(self)
        return np.log(powers.sum(dim, keepdim))

    def log_softmax(self, dim: int, dtype: Any = None) -> Any:
        return self - self.logsumexp(dim, True)

    # --- products -----------------------------------------------------------------------------------------------------

    def matmul(self, other: Any) -> Any:
        return self @ self.of(other)

    mm = bmm = mv = dot = matmul

    # --- in place -----------------------------------------------------------------------------------------------------

    def copy_(self, value: Any) -> Any:
        self[...] = value
        return self

    fill_ = copy_

    def zero_(self) -> Any:
        return self.copy_(0.0)

    def masked_fill_(self, mask: Any, value: Any) -> Any:
        return self.copy_(self.masked_fill(mask, value))

    # --- PyTorch's protocol -------------------------------------------------------------------------------------------

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Sequence[Any] = (), options: Any = None) -> Any:
        name, options = str(func.__name__), dict(options or {})
        if name.startswith("__"):
            name = name.strip("_")
        like = _first((*args, *options.values()))
        args = [options.pop("input"), *args] if "input" in options else args
        if name in _FUNCTIONS:
            return _FUNCTIONS[name](like, *args, **options)
        if name in _METHODS and not (name.endswith("_") and not isinstance(args[0], NumberArray)):
            return getattr(like.of(args[0]), name)(*args[1:], **options)
        return refused(f"torch.{name}")


def _first(values: Sequence[Any]) -> Any:
    """The first array of numbers."""
    for value in values:
        found = _first(value) if isinstance(value, list | tuple) else value
        if isinstance(found, NumberArray):
            return found
    return None


def _converted(x: Any, dtype: Any) -> Any:
    if dtype is None or dtype.is_floating_point:
        return x
    return x != 0 if str(dtype) == "torch.bool" else refused(f"a conversion to {dtype}")


def _binary(ufunc: np.ufunc, turned: bool = False) -> Callable[..., Any]:
    def called(like: Any, x: Any, y: Any, *, alpha: Any = 1, rounding_mode: Any = None) -> Any:
        if rounding_mode is not None:
            refused(f"division rounded to {rounding_mode}")
        x, y = (like.of(y), like.of(x)) if turned else (like.of(x), like.of(y))
        return ufunc(x, y * alpha if alpha != 1 else y)

    return called


def _in_place(ufunc: np.ufunc) -> Callable[..., Any]:
    def method(self: Any, other: Any, *, alpha: Any = 1) -> Any:
        return self.copy_(ufunc(self, self.of(other) * alpha if alpha != 1 else self.of(other)))

    return method


def _like(value: Any) -> Callable[..., Any]:
    return lambda like, x, dtype=None, device=None: _converted(like.of(np.full(x.shape, value)), dtype)


_UFUNCS = {
    "add": np.add, "sub": np.subtract, "subtract": np.subtract, "mul": np.multiply, "multiply": np.multiply,
    "div": np.divide, "divide": np.divide, "true_divide": np.divide, "truediv": np.divide, "pow": np.power,
    "maximum": np.maximum, "minimum": np.minimum, "matmul": np.matmul, "mm": np.matmul, "bmm": np.matmul,
    "mv": np.matmul, "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
    "logaddexp": np.logaddexp, "and": np.bitwise_and, "or": np.bitwise_or,
}  # fmt: skip
#: Functions by PyTorch's names, of an array of numbers among what they are given, and of that.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _binary(ufunc) for name, ufunc in _UFUNCS.items()},
    **{
        f"r{name}": _binary(_UFUNCS[name], turned=True)
        for name in ("add", "sub", "mul", "div", "truediv", "pow", "matmul")
    },
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "linear": linear,
    "scaled_dot_product_attention": attention,
    "cross_entropy": cross_entropy,
    "mse_loss": mse_loss,
    "pad": pad,
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), conv),
    "cat": lambda like, parts, dim=0: np.concatenate([like.of(part) for part in parts], axis=dim),
    "concat": lambda like, parts, dim=0: np.concatenate([like.of(part) for part in parts], axis=dim),
    "stack": lambda like, parts, dim=0: np.stack([like.of(part) for part in parts], axis=dim),
    "where": lambda like, condition, x, y: np.where(like.of(condition), like.of(x), like.of(y)),
    "einsum": lambda like, text, *parts: np.einsum(
        text, *map(like.of, parts[0] if len(parts) == 1 and isinstance(parts[0], list | tuple) else parts)
    ),
    "outer": lambda like, x, y: np.outer(like.of(x), like.of(y)),
    "embedding": lambda like, index, weight, **options: like.of(weight)[index],
    "addmm": lambda like, x, y, z, beta=1, alpha=1: like.of(x) * beta + like.of(y) @ like.of(z) * alpha,
    "softmax": lambda like, x, dim, _stacklevel=3, dtype=None: like.of(x).softmax(dim),
    "log_softmax": lambda like, x, dim, _stacklevel=3, dtype=None: like.of(x).log_softmax(dim),
    "zeros_like": _like(0.0),
    "ones_like": _like(1.0),
    "full_like": lambda like, x, value, **options: like.of(np.full(x.shape, value)),
    "is_floating_point": lambda like, x: not x.boolean,
}  # fmt: skip


def _method(name: str, function: Callable[..., Any]) -> None:
    setattr(TorchArray, name, function)


def _elementwise(ufunc: np.ufunc) -> Callable[..., Any]:
    return lambda self: ufunc(self)


def _activation(name: str) -> Callable[..., Any]:
    def method(self: Any, inplace: bool = False) -> Any:
        found = self._unary(name)
        return self.copy_(found) if inplace else found

    return method


for _name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "abs", "sign", "floor", "ceil", "trunc", "square",
              "reciprocal", "log1p", "expm1", "log2", "negative"):  # fmt: skip
    _method(_name, _elementwise(getattr(np, _name)))
_method("neg", _elementwise(np.negative))
_method("bool", lambda self: self != 0)
for _name in ("erf", "rsqrt", "sigmoid", "silu", "softplus", "mish", "relu"):
    _method(_name, _activation(_name))
for _name, _ufunc in _UFUNCS.items():
    if not hasattr(NumberArray, _name) and _name not in vars(TorchArray):
        _method(_name, lambda self, other, _name=_name, **options: _FUNCTIONS[_name](self, self, other, **options))
for _name in ("add", "sub", "mul", "div", "pow"):
    _method(f"{_name}_", _in_place(_UFUNCS[_name]))
_METHODS = frozenset(name for name in vars(TorchArray) if not name.startswith("_"))
