"""Rewrites around functions that are no quotients of polynomials."""

import nki.isa as nisa
import nki.language as nl


def _out(tile):
    result = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(result, tile)
    return result


def _scalar(tile, *operations):
    result = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(result, tile, *operations)
    return result


def argument_rewritten_a(x, y, z):
    return _out(nl.exp(nl.add(nl.add(nl.load(x), nl.load(y)), nl.load(z))))


def argument_rewritten_b(x, y, z):
    """EQUAL TESTED: whatever exp is, its arguments are equal."""
    return _out(nl.exp(nl.add(nl.load(x), nl.add(nl.load(y), nl.load(z)))))


def exp_of_sum_a(x, y):
    return _out(nl.exp(nl.add(nl.load(x), nl.load(y))))


def exp_of_sum_b(x, y):
    """EQUAL TESTED: exp(x + y) = exp(x) * exp(y)."""
    return _out(nl.multiply(nl.exp(nl.load(x)), nl.exp(nl.load(y))))


def another_function_a(x):
    return _out(nl.exp(nl.load(x)))


def another_function_b(x):
    """DIFFERENT DIFFERENT: tanh is not exp; floating point confirms what arbitrary functions suggest."""
    return _out(nl.tanh(nl.load(x)))


def scale_inside_a(x, c):
    return _out(nl.exp(_scalar(nl.load(x), nl.multiply, nl.load(c))))


def scale_inside_b(x, c):
    """EQUAL TESTED: the scale of an activation multiplies its argument."""
    result = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst=result, op=nl.exp, data=nl.load(x), scale=nl.load(c))
    return _out(result)


def scale_outside_a(x, c):
    return _out(nl.exp(_scalar(nl.load(x), nl.multiply, nl.load(c))))


def scale_outside_b(x, c):
    """DIFFERENT DIFFERENT: exp(c * x) is not c * exp(x)."""
    return _out(_scalar(nl.exp(nl.load(x)), nl.multiply, nl.load(c)))


def maximum_regrouped_a(x, y, z):
    return _out(nl.maximum(nl.maximum(nl.load(x), nl.load(y)), nl.load(z)))


def maximum_regrouped_b(x, y, z):
    """EQUAL TESTED: maxima are associative and commutative, which the method knows."""
    return _out(nl.maximum(nl.load(z), nl.maximum(nl.load(y), nl.load(x))))


def minimum_by_maximum_a(x, y):
    return _out(nl.minimum(nl.load(x), nl.load(y)))


def minimum_by_maximum_b(x, y):
    """EQUAL TESTED: the minimum is the negated maximum of negated numbers."""
    negated = nl.maximum(nl.negative(nl.load(x)), nl.negative(nl.load(y)))
    return _out(nl.negative(negated))


def maximum_of_sums_a(x, y, z):
    return _out(nl.maximum(nl.add(nl.load(x), nl.load(z)), nl.add(nl.load(y), nl.load(z))))


def maximum_of_sums_b(x, y, z):
    """UNKNOWN TESTED: max(x + z, y + z) = max(x, y) + z is an identity that the method does not know."""
    return _out(nl.add(nl.maximum(nl.load(x), nl.load(y)), nl.load(z)))


def relu_by_maximum_a(x):
    return _out(nl.relu(nl.load(x)))


def relu_by_maximum_b(x):
    """EQUAL TESTED: relu is the maximum with 0."""
    return _out(nl.maximum(nl.load(x), 0.0))


def comparison_turned_a(x, y):
    return _out(nl.greater(nl.load(x), nl.load(y)))


def comparison_turned_b(x, y):
    """EQUAL TESTED: x > y is y < x."""
    return _out(nl.less(nl.load(y), nl.load(x)))


def comparison_loosened_a(x, y):
    return _out(nl.greater(nl.load(x), nl.load(x)))


def comparison_loosened_b(x, y):
    """DIFFERENT DIFFERENT: x > x never holds, x >= x always."""
    return _out(nl.greater_equal(nl.load(x), nl.load(x)))


def softmax_unshifted_a(x):
    tile = nl.load(x)
    powers = nl.exp(_scalar(tile, nl.subtract, nl.max(tile, axis=1, keepdims=True)))
    return _out(_scalar(powers, nl.multiply, nl.reciprocal(nl.sum(powers, axis=1, keepdims=True))))


def softmax_unshifted_b(x):
    """EQUAL TESTED: the shift cancels."""
    powers = nl.exp(nl.load(x))
    return _out(_scalar(powers, nl.multiply, nl.reciprocal(nl.sum(powers, axis=1, keepdims=True))))


def softmax_divided_late_a(x, y):
    powers = nl.exp(nl.load(x))
    weights = _scalar(powers, nl.multiply, nl.reciprocal(nl.sum(powers, axis=1, keepdims=True)))
    return _out(nl.multiply(weights, nl.load(y)))


def softmax_divided_late_b(x, y):
    """EQUAL TESTED: the weights are divided after they are used, as in version 5 of the attention tutorial."""
    powers = nl.exp(nl.load(x))
    weighted = nl.multiply(powers, nl.load(y))
    return _out(_scalar(weighted, nl.multiply, nl.reciprocal(nl.sum(powers, axis=1, keepdims=True))))


def blend_with_a_condition_a(x, y, z):
    return _out(nl.where(nl.load(z), nl.load(x), nl.load(y)))


def blend_with_a_condition_b(x, y, z):
    """DIFFERENT DIFFERENT: y + z * (x - y) is a choice only where z is 0 or 1."""
    first, second = nl.load(x), nl.load(y)
    return _out(nl.add(second, nl.multiply(nl.load(z), nl.subtract(first, second))))


def conditions_multiplied_a(x, y):
    return _out(nl.logical_and(nl.load(x), nl.load(y)))


def conditions_multiplied_b(x, y):
    """DIFFERENT DIFFERENT: a product is the conjunction only of zeros and ones."""
    return _out(nl.multiply(nl.load(x), nl.load(y)))
