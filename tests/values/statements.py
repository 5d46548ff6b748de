"""What every operation computes, in plain NumPy: a statement of at most ten lines each, with the documented parameters.

Operands are arrays of float64 (floats) or int64 (integers), already rounded to their dtypes; results are rounded to
theirs by who compares: to nearest, ties to even, an overflow to infinity or NaN; integers are rounded and saturate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import erf, pi, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np

Ref = Callable[..., Any]
LEAST = -3.4028234663852886e38


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def normal(x: Any) -> Any:
    return np.vectorize(lambda t: 0.5 * (1 + erf(t / sqrt(2))))(x)


UNARY: dict[str, Ref] = {
    "abs": np.abs, "square": np.square, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos,
    "rsqrt": lambda x: 1 / np.sqrt(x), "reciprocal": lambda x: 1 / x, "tan": np.tan, "arctan": np.arctan,
    "tanh": np.tanh, "sigmoid": sigmoid, "relu": lambda x: np.maximum(x, 0), "gelu": lambda x: x * normal(x),
    "gelu_dx": lambda x: normal(x) + x * np.exp(-x * x / 2) / sqrt(2 * pi),
    "gelu_apprx_tanh": lambda x: x / 2 * (1 + np.tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))),
    "gelu_apprx_sigmoid": lambda x: x * sigmoid(1.702 * x),
    "gelu_apprx_sigmoid_dx": lambda x: sigmoid(1.702 * x) * (1 + 1.702 * x * (1 - sigmoid(1.702 * x))),
    "silu": lambda x: x * sigmoid(x), "silu_dx": lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x))),
    "softplus": lambda x: np.log1p(np.exp(x)), "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "erf": np.vectorize(erf), "erf_dx": lambda x: 2 / sqrt(pi) * np.exp(-x * x), "ceil": np.ceil, "floor": np.floor,
    "trunc": np.trunc, "negative": np.negative, "sign": np.sign, "logical_not": lambda x: x == 0, "invert": np.invert,
    "copy": lambda x: x, "static_cast": lambda x: x, "load": lambda x: x,
}  # fmt: skip
BINARY: dict[str, Ref] = {
    **{name: getattr(np, name) for name in (
        "add", "subtract", "multiply", "maximum", "minimum", "power", "divide", "mod", "fmod", "equal", "not_equal",
        "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor", "bitwise_and",
        "bitwise_or", "bitwise_xor", "left_shift", "right_shift",
    )},
    "abs_max": lambda x, y: np.maximum(abs(x), abs(y)), "abs_min": lambda x, y: np.minimum(abs(x), abs(y)),
}  # fmt: skip
REDUCED: dict[str, Ref] = {
    "sum": np.sum, "max": np.max, "min": np.min, "mean": np.mean, "prod": np.prod, "var": np.var, "all": np.all,
}  # fmt: skip
_OF_REDUCTION = {"add": np.sum, "maximum": np.max, "minimum": np.min, "multiply": np.prod}


def reduce(op: Any, x: Any, axis: Any, keepdims: bool = True) -> Any:
    """x reduced by an operator, or by NumPy's function of a reduction."""
    found = _OF_REDUCTION.get(getattr(op, "__name__", ""), op)
    return found(x, axis=tuple(axis) if isinstance(axis, Iterable) else axis, keepdims=keepdims)


def rows(x: Any) -> Any:
    """(P, F)."""
    return x.reshape(x.shape[0], -1)


def put(dst: Any, values: Any) -> None:
    """The elements in row-major order, a column repeated."""
    values = np.asarray(values)
    if values.size != dst.size:
        values = np.broadcast_to(rows(values), (dst.shape[0], dst.size // dst.shape[0]))
    dst[...] = values.reshape(dst.shape)


# --- instructions -----------------------------------------------------------------------------------------------------


def tensor_scalar(dst, data, op0, operand0, reverse0=False, op1=None, operand1=None, reverse1=False):
    value = op0(operand0, rows(data)) if reverse0 else op0(rows(data), operand0)
    if op1 is not None:
        value = op1(operand1, value) if reverse1 else op1(value, operand1)
    put(dst, value)


def scalar_tensor_tensor(dst, data, op0, operand0, op1, operand1, reverse0=False, reverse1=False):
    put(dst, op1(op0(rows(data), operand0), rows(operand1)))


def tensor_scalar_reduce(dst, data, op0, operand0, reduce_op, reduce_res=None, reduce_cmd="reset_reduce"):
    put(dst, op0(rows(data), operand0))
    total = reduce(reduce_op, rows(dst), 1)
    KEPT["vector"] = reduce_op(KEPT["vector"], total) if reduce_cmd == "reduce" else total
    if reduce_res is not None:
        reduce_res[...] = KEPT["vector"]


def activation(dst, op, data, bias=0.0, scale=1.0, reduce_op=None, reduce_res=None, reduce_cmd="idle"):
    put(dst, op(rows(data) * scale + bias))
    total = rows(dst).sum(axis=1, keepdims=True)
    if reduce_cmd == "reset":
        KEPT["scalar"] = 0.0
    elif reduce_cmd != "idle":
        KEPT["scalar"] = total + (KEPT["scalar"] if reduce_cmd == "reduce" else 0)
    if reduce_res is not None:
        reduce_res[...] = KEPT["scalar"]


def activation_reduce(dst, op, data, reduce_op, reduce_res, bias=0.0, scale=1.0):
    activation(dst, op, data, bias, scale, reduce_op, reduce_res, "reset_reduce")


def activate2(dst, op, data, imm0, imm1, op0, op1):
    put(dst, op(op1(op0(rows(data), imm0), imm1)))


def exponential(dst, src, max_value=0.0, reduce_res=None, reduce_cmd="idle"):
    put(dst, np.exp(rows(src) - max_value))
    if reduce_res is not None:
        reduce_res[...] = rows(dst).sum(axis=1, keepdims=True)


def iota(dst, pattern, offset=0, channel_multiplier=0):
    value = offset + channel_multiplier * np.arange(dst.shape[0]).reshape(-1, *[1] * len(pattern))
    for axis, (step, count) in enumerate(pattern):
        value = value + (step * np.arange(count)).reshape(-1, *[1] * (len(pattern) - 1 - axis))
    put(dst, value)


def affine_select(dst, pattern, channel_multiplier, on_true_tile, on_false_value, cmp_op=np.equal, offset=0):
    places = np.zeros(dst.shape)
    iota(places, pattern, offset, channel_multiplier)
    put(dst, np.where(cmp_op(places, 0), on_true_tile, on_false_value))


def tensor_copy_predicated(dst, src, predicate, reverse_pred=False):
    put(dst, np.where((rows(predicate) != 0) != reverse_pred, rows(src), rows(dst)))


def select_reduce(dst, predicate, on_true, on_false, reduce_res=None, reduce_cmd="idle", reduce_op=None):
    put(dst, np.where(rows(predicate) != 0, rows(on_true), on_false))
    if reduce_res is not None:
        reduce_res[...] = rows(dst).max(axis=1, keepdims=True)


def range_select(dst, on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_res=None, range_start=0, **_):
    places = range_start + np.arange(rows(dst).shape[1])
    put(dst, np.where(comp_op0(places, bound0) & comp_op1(places, bound1), rows(on_true_tile), LEAST))
    if reduce_res is not None:
        reduce_res[...] = rows(dst).max(axis=1, keepdims=True)


def tensor_tensor_scan(dst, data0, data1, initial, op0, op1):
    state = initial
    for at in range(rows(dst).shape[1]):
        state = op1(op0(rows(data0)[:, at : at + 1], state), rows(data1)[:, at : at + 1])
        dst[:, at : at + 1] = state


def tensor_scalar_cumulative(dst, src, op0, op1, imm0, imm1=None, reduce_cmd="reset_reduce"):
    state = {"reduce": KEPT["vector"], "load_reduce": imm1}.get(reduce_cmd)
    for at in range(dst.shape[1]):
        value = op0(src[:, at : at + 1], imm0)
        state = value if state is None else op1(value, state)
        dst[:, at : at + 1] = state
    KEPT["vector"] = state


def bn_stats(dst, data):
    for half in (0, 1):
        part = rows(data)[:, half::2]
        dst[:, 3 * half : 3 * half + 3] = np.stack(
            (0 * part[:, 0] + part.shape[1], part.mean(1), part.var(1) * part.shape[1]), 1
        )


def bn_aggr(dst, data):
    count, mean, spread = rows(data).reshape(len(data), -1, 3).transpose(2, 0, 1)
    total, whole = count.sum(1), (count * mean).sum(1) / count.sum(1)
    put(dst, np.stack((whole, (spread + count * (mean - whole[:, None]) ** 2).sum(1) / total), 1))


def max8(dst, src):
    put(dst, -np.sort(-rows(src), axis=1)[:, :8])


def nc_find_index8(dst, data, vals):
    used: set[tuple[int, int]] = set()
    for row, at in np.ndindex(dst.shape):
        places = [int(place) for place in np.flatnonzero(rows(data)[row] == vals[row, at]) if (row, place) not in used]
        dst[row, at] = places[0] if places else 2**32 - 1
        used |= {(row, place) for place in places[:1]}


def nc_match_replace8(dst, data, vals, imm):
    dst[...] = data
    for row, at in np.ndindex(vals.shape):
        places = np.flatnonzero((data[row] == vals[row, at]) & (dst[row] != imm))
        dst[row, places[:1]] = imm


def nonzero_with_count(dst, src, index_offset=0, padding_val=-1):
    for row in range(0, len(src), 16):
        places = np.flatnonzero(src[row]) + index_offset
        dst[row] = [*places, *[padding_val] * (src.shape[1] - len(places)), len(places)]


def local_gather(dst, src_buffer, index, num_elem_per_idx=1, num_valid_indices=None):
    for start in range(0, len(index), 16):
        order = index[start : start + 16].flatten(order="F")[:num_valid_indices]
        places = (order[:, None] + np.arange(num_elem_per_idx)).ravel()
        dst[start : start + 16] = src_buffer[start : start + 16][:, places].reshape(dst[start : start + 16].shape)


def sequence_bounds(dst, segment_ids):
    for at, segment in enumerate(segment_ids[0]):
        places = np.flatnonzero(segment_ids[0] == segment)
        dst[0, :, at] = (places[0], places[-1] + 1) if segment else (segment_ids.shape[1], -1)


def nc_matmul(dst, stationary, moving, accumulate=None):
    product = stationary.T @ moving
    begins = accumulate is False or (accumulate is None and id(dst) not in KEPT)
    dst[...] = product if begins else dst + product
    KEPT[id(dst)] = dst


def nc_stream_shuffle(dst, src, shuffle_mask):
    for start in range(0, len(dst), 32):
        for lane, taken in enumerate(shuffle_mask):
            if taken != 255 and start + lane < len(dst) and start + taken < len(src):
                dst[start + lane] = src[start + taken]


def tensor_reduce(dst, op, data, axis):
    put(dst, reduce(op, data, axis))


def dma_compute(dst, srcs, reduce_op):
    put(dst, sum(source.ravel() for source in srcs))


#: What stays from one call to the next: reduction registers of engines, and results that products have begun.
KEPT: dict[Any, Any] = {}

ORDERS = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}

CURRENT: dict[str, Ref] = {
    **{f.__name__: f for f in (
        tensor_scalar, scalar_tensor_tensor, tensor_scalar_reduce, activation, activation_reduce, activate2, bn_stats,
        exponential, iota, affine_select, tensor_copy_predicated, select_reduce, range_select, tensor_tensor_scan,
        tensor_scalar_cumulative, max8, nc_find_index8, nc_match_replace8, nonzero_with_count, local_gather,
        dma_compute, bn_aggr, sequence_bounds, nc_matmul, nc_stream_shuffle, tensor_reduce,
    )},
    "tensor_copy": lambda dst, src: put(dst, src),
    "dma_copy": lambda dst, src: put(dst, src),
    "dma_transpose": lambda dst, src, axes=None: put(dst, src.transpose(ORDERS[src.ndim])),
    "nc_transpose": lambda dst, data, engine=None: put(dst, rows(data).T),
    "tensor_tensor": lambda dst, data1, data2, op: put(dst, op(rows(data1), rows(data2))),
    "tensor_partition_reduce": lambda dst, op, data: put(dst, reduce(op, data, 0)),
    "reciprocal": lambda dst, data: put(dst, 1 / data),
    "memset": lambda dst, value: put(dst, np.full(dst.shape, value)),
    "nc_n_gather": lambda dst, data, indices: put(dst, np.take_along_axis(rows(data), rows(indices), 1)),
}  # fmt: skip


def _unary(function: Ref) -> Ref:
    return lambda x, dtype=None: function(x)


def _binary(name: str, function: Ref) -> Ref:
    def operator(x, y=None, dtype=None):
        return function(x, y)

    operator.__name__ = name
    return operator


def _reduction(function: Ref) -> Ref:
    def reduced(x, axis, dtype=None, keepdims=False):
        found = reduce(function, x, axis)
        return found.reshape(len(x), -1)

    return reduced


def rms_norm(x, w, axis, n, epsilon=1e-6):
    return x / np.sqrt((x * x).sum(axis=1, keepdims=True) / n + epsilon) * w


def softmax(x, axis):
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


LANGUAGE: dict[str, Ref] = {
    **{name: _unary(function) for name, function in UNARY.items()},
    **{name: _binary(name, function) for name, function in BINARY.items()},
    **{name: _reduction(function) for name, function in REDUCED.items()},
    "softmax": softmax, "rms_norm": rms_norm, "store": put,
    "static_cast": lambda x, dtype: x, "load_transpose2d": np.transpose, "transpose": np.transpose,
    "broadcast_to": lambda x, shape: np.broadcast_to(x, shape), "where": lambda p, x, y: np.where(p != 0, x, y),
    "matmul": lambda x, y, transpose_x=False: (x.T if transpose_x else x) @ y,
    "gather_flattened": lambda data, indices: np.take_along_axis(rows(data), rows(indices), 1),
    "zeros_like": np.zeros_like, "zeros": lambda shape, dtype: np.zeros(shape),
    "ones": lambda shape, dtype: np.ones(shape),
    "full": lambda shape, value, dtype: np.full(shape, value), "shared_identity_matrix": lambda n: np.eye(n),
    "ndarray": lambda shape, dtype=None, buffer=None: np.zeros(shape), "device_print": lambda prefix, x: None,
}  # fmt: skip


def _returning(reference: Ref, shape: Callable[..., tuple[int, ...]]) -> Ref:
    def call(*args, **kwargs):
        kwargs.pop("dtype", None)
        result = np.zeros(shape(*args, **kwargs))
        reference(result, *args, **kwargs)
        return result

    return call


def _as_first(*args, **kwargs):
    return (args[0] if args else next(iter(kwargs.values()))).shape


#: Instructions of the legacy API that return their result, with its shape; the others are the current ones.
LEGACY: dict[str, Ref] = {
    **{name: _returning(CURRENT[name], _as_first) for name in (
        "tensor_copy", "reciprocal", "tensor_scalar", "tensor_tensor", "tensor_tensor_scan", "scalar_tensor_tensor",
        "tensor_scalar_reduce", "nc_match_replace8", "range_select",
    )},
    "activation": _returning(activation, lambda op, data, **_: data.shape),
    "activation_reduce": _returning(activation_reduce, lambda op, data, **_: data.shape),
    "nc_transpose": _returning(CURRENT["nc_transpose"], lambda data: (data.shape[1], len(data))),
    "dma_transpose": _returning(CURRENT["dma_transpose"], lambda src, axes=None: src.shape[::-1]),
    "tensor_reduce": lambda op, data, axis: reduce(op, data, axis).reshape(len(data), -1),
    "tensor_partition_reduce": lambda op, data: reduce(op, data, 0),
    "nc_matmul": lambda stationary, moving: stationary.T @ moving,
    "bn_stats": _returning(bn_stats, lambda data: (len(data), 6)),
    "bn_aggr": _returning(bn_aggr, lambda data: (len(data), 2)),
    "max8": _returning(max8, lambda src: (len(src), 8)),
    "nc_find_index8": _returning(nc_find_index8, lambda data, vals: vals.shape),
    "local_gather": _returning(local_gather, lambda src, index, size, count: (len(src), count * size)),
    "sequence_bounds": _returning(sequence_bounds, lambda segment_ids: (1, 2, segment_ids.shape[1])),
    "memset": lambda shape, value, dtype: np.full(shape, value),
    "iota": lambda expression, dtype: expression,
    "affine_select": lambda pred, tile, value: np.where(pred, tile, value),
}  # fmt: skip


class Modules(SimpleNamespace):
    """`nisa` or `nl` made of references: enumerations are their members' names, dtypes their own."""

    def __getattr__(self, name: str) -> Any:
        if name in ("reduce_cmd", "engine"):
            return type(name, (), {"__getattr__": lambda self, member: member})()
        if name in ("float32", "int32", "uint32", "sbuf"):
            return name
        raise AttributeError(name)


def modules(legacy: bool) -> dict[str, Any]:
    """What the text of a call is executed with, in place of the stubs."""
    language = Modules(**{name: LANGUAGE[name] for name in LANGUAGE})
    language.mgrid = np.mgrid
    instructions = {**CURRENT, **(LEGACY if legacy else {})}
    return {"nisa": Modules(**instructions), "nl": language, "np": np}
