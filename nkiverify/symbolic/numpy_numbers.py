"""Arithmetic of NumPy's numbers, examined before NumPy does it.

NumPy divides by zero, with a warning, and its integers wrap where their type ends. So the run is informed of a divisor
that is zero, and of integers beyond 32 bits, from the operands: what is computed exactly counts, not what is left of
it."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable
from typing import Any

from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.late import of_numpy
from nkiverify.symbolic.execution import execution_in_progress, unsupported
from nkiverify.symbolic.terms import INT32_MAX, INT32_MIN
from nkiverify.symbolic.values import UINT32_MAX, kernel_frame

_NUMPY = of_numpy(lambda: (np.generic, np.ndarray))
_INTEGERS = "iub"
_DIVISIONS = frozenset({operator.floordiv, operator.mod, operator.truediv, divmod, math.fmod})
#: Of a base of at least 2, or of a bit, nothing fits 32 bits from here on.
_LARGE_EXPONENT = 64
Operation = Callable[..., Any]


def examine(operation: Operation, *operands: Any) -> bool:
    """Tell the run what is wrong with `operation` of these operands, if numbers of NumPy are among them; whether
    anything was."""
    if not any(isinstance(operand, _NUMPY) for operand in operands):
        return False
    if _divides_by_zero(operation, operands):
        run, frame = execution_in_progress(), kernel_frame(sys._getframe(1))
        if run is not None and frame is not None:
            run.host_zero_divisor(frame)
        return True
    return all(_is_integer(operand) for operand in operands) and _tell_exact(operation, operands)


def apply(operation: Operation, *operands: Any) -> Any:
    """`operation` of `operands`, examined."""
    return without_warnings(operation, *operands) if examine(operation, *operands) else operation(*operands)


def without_warnings(operation: Operation, *operands: Any) -> Any:
    """`operation` of `operands`, of which the run has been informed what NumPy would warn of."""
    with np.errstate(all="ignore"):
        return operation(*operands)


def _divides_by_zero(operation: Operation, operands: tuple[Any, ...]) -> bool:
    """True if a divisor is zero. The elements of an array of floats may be: what comes of it is a float as well."""
    if operation is operator.pow:
        base, exponent = operands[:2]
        return _is_scalar(base) and _is_scalar(exponent) and not base and exponent < 0
    if operation not in _DIVISIONS:
        return False
    divisor = operands[1]
    if isinstance(divisor, np.ndarray) and divisor.ndim:
        return divisor.dtype.kind in _INTEGERS and not divisor.all()
    return _is_scalar(divisor) and not divisor


def _is_scalar(value: Any) -> bool:
    zero_dimensional = isinstance(value, np.ndarray) and not value.ndim
    return zero_dimensional or isinstance(value, int | float | np.number | np.bool_)


def _is_integer(value: Any) -> bool:
    return value.dtype.kind in _INTEGERS if isinstance(value, _NUMPY) else isinstance(value, int)


def _tell_exact(operation: Operation, operands: tuple[Any, ...]) -> bool:
    if operation in (operator.truediv, math.fmod):
        return False
    kinds = {operand.dtype.kind for operand in operands if isinstance(operand, _NUMPY)}
    limit = UINT32_MAX if "i" not in kinds and "u" in kinds else INT32_MAX
    if operation in (operator.add, operator.sub, operator.mul) and _surely_within(operands):
        return False
    whole = [_whole(operand) for operand in operands]
    if operation in (operator.pow, operator.lshift):
        if np.any(np.less(whole[1], 0)):
            return False
        least = np.minimum if isinstance(whole[1], np.ndarray) else min
        whole[1] = least(whole[1], _LARGE_EXPONENT)
    exact = operation(*whole)
    return any(tell_whole(part, limit) for part in (exact if isinstance(exact, tuple) else (exact,)))


def _surely_within(operands: tuple[Any, ...]) -> bool:
    """True if sums, differences and products of these operands have 32 bits; False is "not known"."""
    sizes = [int(np.max(np.abs(np.asarray(operand, dtype=np.float64)), initial=0)) for operand in operands]
    return max(sizes[0] * sizes[1], sizes[0] + sizes[1]) < INT32_MAX


def _whole(value: Any) -> Any:
    """`value` in Python's integers."""
    if isinstance(value, np.ndarray):
        return value.astype(object) + 0  # An element that is a bool becomes an integer.
    return int(value)


def tell_whole(exact: Any, limit: int) -> bool:
    """Tell the run of an integer that is not between the least one of 32 bits and `limit`; whether there is one."""
    elements = exact.ravel().tolist() if isinstance(exact, np.ndarray) else (exact,)
    large = next((one for one in elements if not INT32_MIN <= one <= limit), None)
    run, frame = execution_in_progress(), kernel_frame(sys._getframe(1))
    if large is not None and run is not None and frame is not None:
        run.host_number(large, frame)
    return large is not None


def examine_partial(operation: Operation, values: np.ndarray[Any, Any], axis: Any, others: bool) -> None:
    """Tell the run of the partial results of combining `values`, an array, along `axis`; `others`: further options,
    as an initial value or a mask, change which these are."""
    if values.dtype.kind not in _INTEGERS:
        return
    sizes = np.abs(values.astype(np.float64))
    most = np.sum(sizes) if operation is operator.add else np.prod(np.maximum(sizes, 1))
    if most < INT32_MAX and not others:
        return
    if others or isinstance(axis, tuple):
        raise unsupported("a sum or product of NumPy's integers with options other than one axis")
    accumulate = np.cumsum if operation is operator.add else np.cumprod
    limit = UINT32_MAX if values.dtype.kind == "u" else INT32_MAX
    tell_whole(accumulate(_whole(values), axis=axis), limit)


def examine_products(*operands: Any) -> None:
    """Refuse sums of products of NumPy's integers, as of a matrix product, that may be beyond 32 bits on the way."""
    arrays = [np.asarray(operand) for operand in operands]
    if any(array.dtype.kind not in _INTEGERS for array in arrays):
        return
    largest = [float(np.max(np.abs(array.astype(np.float64)), initial=0)) for array in arrays]
    if math.prod(largest) * max(array.size for array in arrays) >= INT32_MAX:
        raise unsupported("a sum of products of NumPy's integers that may be beyond 32 bits")
