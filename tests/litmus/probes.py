"""Attempts at a wrong EQUAL: pairs that agree almost everywhere, or under a tempting identity that does not hold."""

import nki.isa as nisa
import nki.language as nl


def _out(tile, dtype=None):
    result = nl.ndarray(tile.shape, dtype=dtype or tile.dtype, buffer=nl.shared_hbm)
    nl.store(result, tile)
    return result


def _scalar(tile, *operations):
    result = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(result, tile, *operations)
    return result


def _as(tile, dtype):
    result = nl.ndarray(tile.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_copy(result, tile)
    return result


def narrow_and_back_a(x):
    return _out(nl.load(x))


def narrow_and_back_b(x):
    """ROUNDINGS DIFFERENT: through bfloat16, which rounds."""
    return _out(_as(_as(nl.load(x), nl.bfloat16), nl.float32))


def exp_rounded_a(x, y):
    return _out(_as(nl.exp(nl.add(nl.load(x), nl.load(y))), nl.bfloat16), nl.float32)


def exp_rounded_b(x, y):
    """ROUNDINGS DIFFERENT: both factors are rounded, not their product."""
    left, right = (_as(nl.exp(nl.load(one)), nl.bfloat16) for one in (x, y))
    return _out(_as(nl.multiply(left, right), nl.bfloat16), nl.float32)


def exp_rounded_alike_a(x, y):
    return _out(_as(nl.exp(nl.add(nl.load(x), nl.load(y))), nl.bfloat16), nl.float32)


def exp_rounded_alike_b(x, y):
    """EQUAL TESTED: the product is rounded, and is the exponential of the sum."""
    return _out(_as(nl.multiply(nl.exp(nl.load(x)), nl.exp(nl.load(y))), nl.bfloat16), nl.float32)


def root_of_square_a(x):
    return _out(nl.load(x))


def root_of_square_b(x):
    """DIFFERENT DIFFERENT: the root of a square is the magnitude."""
    return _out(nl.sqrt(nl.square(nl.load(x))))


def magnitude_a(x):
    return _out(nl.load(x))


def magnitude_b(x):
    """DIFFERENT DIFFERENT: the magnitude of half of the numbers is another one."""
    return _out(nl.abs(nl.load(x)))


def even_power_a(x):
    return _out(nl.exp(nl.square(nl.load(x))))


def even_power_b(x):
    """DIFFERENT DIFFERENT: exp(2 x) is no exp(x * x)."""
    tile = nl.exp(nl.load(x))
    return _out(nl.square(tile))


def last_element_a(x):
    return _out(nl.exp(nl.load(x)))


def last_element_b(x):
    """DIFFERENT DIFFERENT: one element is another one."""
    tile = nl.load(x)
    result = nl.exp(tile)
    nisa.tensor_copy(result[0:1, 7:8], tile[0:1, 7:8])
    return _out(result)


def maximum_without_last_a(x):
    return _out(nl.max(nl.load(x), axis=1, keepdims=True))


def maximum_without_last_b(x):
    """DIFFERENT DIFFERENT: the last column is left out, which is rarely the greatest."""
    return _out(nl.max(nl.load(x)[:, 0:7], axis=1, keepdims=True))


def sum_without_last_a(x):
    return _out(nl.sum(nl.exp(nl.load(x)), axis=1, keepdims=True))


def sum_without_last_b(x):
    """DIFFERENT DIFFERENT: the last column is left out."""
    return _out(nl.sum(nl.exp(nl.load(x)[:, 0:7]), axis=1, keepdims=True))


def tiny_constant_a(x):
    return _out(nl.exp(nl.load(x)))


def tiny_constant_b(x):
    """UNKNOWN TESTED: exp(x + 1e-9) is another number, but not by what floating point shows."""
    return _out(nl.exp(_scalar(nl.load(x), nl.add, 1e-9)))


def sine_of_sum_a(x, y):
    return _out(nl.sin(nl.add(nl.load(x), nl.load(y))))


def sine_of_sum_b(x, y):
    """DIFFERENT DIFFERENT: sin is not linear."""
    return _out(nl.add(nl.sin(nl.load(x)), nl.sin(nl.load(y))))


def odd_functions_a(x):
    return _out(nl.sin(nl.negative(nl.load(x))))


def odd_functions_b(x):
    """EQUAL TESTED: sin is odd."""
    return _out(nl.negative(nl.sin(nl.load(x))))


def odd_and_even_a(x):
    return _out(nl.cos(nl.negative(nl.load(x))))


def odd_and_even_b(x):
    """DIFFERENT DIFFERENT: cos is even, not odd."""
    return _out(nl.negative(nl.cos(nl.load(x))))


def arguments_of_maximum_a(x, y):
    return _out(nl.exp(nl.maximum(nl.load(x), nl.load(y))))


def arguments_of_maximum_b(x, y):
    """EQUAL TESTED: exp(max(x, y)) in another order."""
    return _out(nl.exp(nl.maximum(nl.load(y), nl.load(x))))


def minimum_for_maximum_a(x, y):
    return _out(nl.exp(nl.maximum(nl.load(x), nl.load(y))))


def minimum_for_maximum_b(x, y):
    """DIFFERENT DIFFERENT: the minimum."""
    return _out(nl.exp(nl.minimum(nl.load(x), nl.load(y))))


def maximum_as_sum_a(x, y):
    return _out(nl.maximum(nl.load(x), nl.load(y)))


def maximum_as_sum_b(x, y):
    """DIFFERENT DIFFERENT: log(exp(x) + exp(y)) is near the maximum, and is none."""
    return _out(nl.log(nl.add(nl.exp(nl.load(x)), nl.exp(nl.load(y)))))


def reciprocal_twice_a(x):
    return _out(nl.sqrt(nl.square(nl.load(x))))


def reciprocal_twice_b(x):
    """EQUAL TESTED: rsqrt is the reciprocal of sqrt."""
    return _out(nl.reciprocal(nl.rsqrt(nl.square(nl.load(x)))))


def infinity_taken_back_a(x):
    tile = nl.load(x)
    low = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(low, -3.4028234663852886e38)
    return _out(nl.exp(nl.add(low, nl.subtract(tile, low))))


def infinity_taken_back_b(x):
    """DIFFERENT DIFFERENT: x - -inf is +inf, and -inf + +inf is not -inf."""
    return _out(_scalar(nl.load(x), nl.multiply, 0.0))
