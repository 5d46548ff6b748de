"""Pairs that differ, or seem to, where a comparison, clip or conversion goes a way that small inputs do not take."""

import nki.isa as nisa
import nki.language as nl


def _new(*shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)


def _out(tile):
    result = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(result, tile)
    return result


def _scalar(tile, op, operand, then=None, second=None, dtype=nl.float32):
    result = _new(*tile.shape, dtype=dtype)
    nisa.tensor_scalar(result, tile, op, operand, op1=then, operand1=second)
    return result


def _both(one, other, op, dtype=nl.float32):
    result = _new(*one.shape, dtype=dtype)
    nisa.tensor_tensor(result, one, other, op)
    return result


def _filled(tile, value):
    result = _new(*tile.shape)
    nisa.memset(result, value)
    return result


def _as(tile, dtype):
    result = _new(*tile.shape, dtype=dtype)
    nisa.tensor_copy(result, tile)
    return result


def _chosen(mask, yes, no):
    others = _scalar(mask, nl.multiply, -1.0, nl.add, 1.0)
    return _both(_both(mask, yes, nl.multiply), _both(others, no, nl.multiply), nl.add)


def _max(tile):
    return nl.max(tile, axis=1, keepdims=True)


def _sum(tile):
    return nl.sum(tile, axis=1, keepdims=True)


# --- a bound that no input reaches ------------------------------------------------------------------------------------


def clipped_at_eight_a(x):
    x = nl.load(x)
    return _out(x)


def clipped_at_eight_b(x):
    """UNKNOWN TESTED: they differ beyond 8."""
    x = nl.load(x)
    return _out(_scalar(x, nl.minimum, 8.0))


def clipped_at_minus_thirty_a(x):
    return _out(nl.load(x))


def clipped_at_minus_thirty_b(x):
    """UNKNOWN TESTED: they differ below -30."""
    return _out(_scalar(nl.load(x), nl.maximum, -30.0))


def relu_and_relu6_a(x):
    return _out(_scalar(nl.load(x), nl.maximum, 0.0))


def relu_and_relu6_b(x):
    """UNKNOWN TESTED: they differ beyond 6."""
    return _out(_scalar(nl.load(x), nl.maximum, 0.0, nl.minimum, 6.0))


def clipped_exponent_a(x):
    return _out(nl.exp(nl.load(x)))


def clipped_exponent_b(x):
    """UNKNOWN TESTED: they differ beyond 20."""
    return _out(nl.exp(_scalar(nl.load(x), nl.minimum, 20.0)))


def clipped_sum_a(x):
    return _out(_sum(nl.load(x)))


def clipped_sum_b(x):
    """UNKNOWN TESTED: they differ where a row adds up to more than 50."""
    return _out(_scalar(_sum(nl.load(x)), nl.minimum, 50.0))


def clipped_product_a(x, y):
    return _out(_both(nl.load(x), nl.load(y), nl.multiply))


def clipped_product_b(x, y):
    """UNKNOWN TESTED: they differ beyond 3."""
    return _out(_scalar(_both(nl.load(x), nl.load(y), nl.multiply), nl.minimum, 3.0))


def clipped_between_a(x):
    return _out(nl.load(x))


def clipped_between_b(x):
    """UNKNOWN TESTED: they differ outside -100..100."""
    return _out(_scalar(nl.load(x), nl.maximum, -100.0, nl.minimum, 100.0))


def clipped_twice_a(x):
    return _out(_scalar(nl.load(x), nl.minimum, 2.0))


def clipped_twice_b(x):
    """UNKNOWN TESTED: they are equal: the second bound is the wider one."""
    return _out(_scalar(nl.load(x), nl.minimum, 2.0, nl.minimum, 9.0))


def clipped_by_a_smaller_bound_a(x):
    return _out(_scalar(nl.load(x), nl.minimum, 20.0))


def clipped_by_a_smaller_bound_b(x):
    """UNKNOWN TESTED: they differ between 9 and 20."""
    return _out(_scalar(nl.load(x), nl.minimum, 20.0, nl.minimum, 9.0))


def greater_than_fifty_a(x):
    return _out(_filled(nl.load(x), 0.0))


def greater_than_fifty_b(x):
    """UNKNOWN TESTED: they differ beyond 50."""
    return _out(_scalar(nl.load(x), nl.greater, 50.0))


def doubled_beyond_forty_a(x):
    return _out(nl.load(x))


def doubled_beyond_forty_b(x):
    """UNKNOWN TESTED: they differ beyond 40."""
    x = nl.load(x)
    return _out(_both(x, _scalar(x, nl.greater, 40.0, nl.add, 1.0), nl.multiply))


def another_slope_below_minus_five_a(x):
    return _out(nl.load(x))


def another_slope_below_minus_five_b(x):
    """UNKNOWN TESTED: they differ below -5."""
    x = nl.load(x)
    return _out(_chosen(_scalar(x, nl.less, -5.0), _scalar(x, nl.multiply, 0.1), x))


def product_beyond_two_a(x, y):
    return _out(nl.load(x))


def product_beyond_two_b(x, y):
    """UNKNOWN TESTED: they differ where the product is more than 2."""
    x, y = nl.load(x), nl.load(y)
    return _out(_both(x, _scalar(_both(x, y, nl.multiply), nl.less_equal, 2.0), nl.multiply))


def within_another_bound_a(x):
    return _out(nl.load(x))


def within_another_bound_b(x):
    """UNKNOWN TESTED: they differ beyond 40, which is looked at beyond a half only."""
    x = nl.load(x)
    within = _both(_scalar(x, nl.greater, 0.5), _scalar(x, nl.greater, 40.0), nl.multiply)
    return _out(_chosen(within, _filled(x, 0.0), x))


def sum_beyond_thirty_a(x):
    x = nl.load(x)
    return _out(_sum(x))


def sum_beyond_thirty_b(x):
    """UNKNOWN TESTED: they differ where a row adds up to more than 30."""
    x = nl.load(x)
    total = _sum(x)
    return _out(_both(total, _scalar(total, nl.less_equal, 30.0), nl.multiply))


def sign_of_a_great_sum_a(x):
    return _out(_filled(nl.load(x), 1.0))


def sign_of_a_great_sum_b(x):
    """UNKNOWN TESTED: they differ below -100."""
    return _out(nl.sign(_scalar(nl.load(x), nl.add, 100.0)))


def both_bounds_never_hold_a(x):
    return _out(nl.load(x))


def both_bounds_never_hold_b(x):
    """UNKNOWN TESTED: they are equal: nothing is greater than 3 and less than -3, and the product is 0."""
    x = nl.load(x)
    never = _both(_scalar(x, nl.greater, 3.0), _scalar(x, nl.less, -3.0), nl.multiply)
    return _out(_both(x, never, nl.add))


def same_branches_a(x, y):
    return _out(nl.load(y))


def same_branches_b(x, y):
    """EQUAL TESTED: whatever is chosen."""
    x, y = nl.load(x), nl.load(y)
    return _out(_chosen(_scalar(x, nl.greater, 70.0), y, y))


def a_small_square_is_raised_a(x):
    x = nl.load(x)
    return _out(_both(x, x, nl.multiply))


def a_small_square_is_raised_b(x):
    """UNKNOWN TESTED: they differ below 1e-6."""
    x = nl.load(x)
    return _out(_scalar(_both(x, x, nl.multiply), nl.maximum, 1e-12))


def a_small_number_is_dropped_a(x):
    return _out(nl.load(x))


def a_small_number_is_dropped_b(x):
    """UNKNOWN TESTED: they differ within 1e-9 of 0."""
    x = nl.load(x)
    return _out(_both(x, _scalar(nl.abs(x), nl.greater, 1e-9), nl.multiply))


def rest_of_four_a(x):
    return _out(nl.load(x))


def rest_of_four_b(x):
    """UNKNOWN TESTED: they differ beyond 4."""
    x = nl.load(x)
    fours = _scalar(nl.trunc(_scalar(x, nl.multiply, 0.25)), nl.multiply, 4.0)
    return _out(_both(x, fours, nl.subtract))


def floor_of_an_eighth_a(x):
    x = nl.load(x)
    return _out(_scalar(x, nl.less, 0.0, nl.multiply, -1.0))


def floor_of_an_eighth_b(x):
    """UNKNOWN TESTED: they differ beyond 8, where it is 1."""
    return _out(nl.floor(_scalar(nl.load(x), nl.multiply, 0.125)))


def kept_in_bytes_a(x):
    x = nl.load(x)
    return _out(_as(_as(x, nl.int32), nl.float32))


def kept_in_bytes_b(x):
    """UNKNOWN TESTED: they differ beyond 127, where bytes end at 127."""
    x = nl.load(x)
    return _out(_as(_as(x, nl.int8), nl.float32))


def shifted_to_and_fro_a(j):
    return _out(nl.load(j))


def shifted_to_and_fro_b(j):
    """DIFFERENT DIFFERENT: the highest bit is lost."""
    j = nl.load(j)
    up = _scalar(j, nl.left_shift, 1, dtype=nl.int32)
    return _out(_scalar(up, nl.right_shift, 1, dtype=nl.int32))


def lowest_bits_a(j):
    return _out(nl.load(j))


def lowest_bits_b(j):
    """DIFFERENT DIFFERENT: the others are dropped."""
    return _out(_scalar(nl.load(j), nl.bitwise_and, 0xFFFF, dtype=nl.int32))


def bytes_doubled_a(b):
    b = nl.load(b)
    return _out(_as(_both(b, b, nl.add), nl.float32))


def bytes_doubled_b(b):
    """DIFFERENT DIFFERENT: beyond 127."""
    b = nl.load(b)
    return _out(_as(_both(b, b, nl.add, dtype=nl.int8), nl.float32))


def maximum_begun_at_minus_ten_a(x):
    return _out(_max(nl.load(x)))


def maximum_begun_at_minus_ten_b(x):
    """UNKNOWN TESTED: they differ where a row is below -10."""
    return _out(_scalar(_max(nl.load(x)), nl.maximum, -10.0))


def maximum_begun_at_a_column_a(x):
    return _out(_max(nl.load(x)))


def maximum_begun_at_a_column_b(x):
    """EQUAL TESTED: it is one of them."""
    x = nl.load(x)
    return _out(_both(x[:, 0:1], _max(x[:, 1:8]), nl.maximum))


def minimum_begun_at_ten_a(x):
    x = nl.load(x)
    return _out(nl.min(x, axis=1, keepdims=True))


def minimum_begun_at_ten_b(x):
    """UNKNOWN TESTED: they differ where a row is above 10."""
    x = nl.load(x)
    return _out(_scalar(nl.min(x, axis=1, keepdims=True), nl.minimum, 10.0))


def shift_that_is_bounded_a(x):
    x = nl.load(x)
    powers = nl.exp(_scalar(x, nl.subtract, _max(x)))
    return _out(_scalar(powers, nl.multiply, nl.reciprocal(_sum(powers))))


def shift_that_is_bounded_b(x):
    """EQUAL TESTED: any number may be subtracted."""
    x = nl.load(x)
    powers = nl.exp(_scalar(x, nl.subtract, _scalar(_max(x), nl.minimum, 90.0)))
    return _out(_scalar(powers, nl.multiply, nl.reciprocal(_sum(powers))))


def weights_that_are_bounded_a(x):
    x = nl.load(x)
    powers = nl.exp(x)
    return _out(_scalar(powers, nl.multiply, nl.reciprocal(_sum(powers))))


def weights_that_are_bounded_b(x):
    """UNKNOWN TESTED: they differ where exponentials of more than 500 are bounded before they are divided."""
    x = nl.load(x)
    powers = _scalar(nl.exp(x), nl.minimum, 500.0)
    return _out(_scalar(powers, nl.multiply, nl.reciprocal(_sum(powers))))


def columns_below_eight_a(x):
    return _out(nl.load(x))


def columns_below_eight_b(x):
    """EQUAL TESTED: there are eight."""
    x = nl.load(x)
    places = _new(4, 8)
    nisa.iota(places, [[1, 8]], 0, 0)
    return _out(_both(x, _scalar(places, nl.less, 8.0), nl.multiply))


def columns_below_seven_a(x):
    return _out(nl.load(x))


def columns_below_seven_b(x):
    """DIFFERENT DIFFERENT: there are eight."""
    x = nl.load(x)
    places = _new(4, 8)
    nisa.iota(places, [[1, 8]], 0, 0)
    return _out(_both(x, _scalar(places, nl.less, 7.0), nl.multiply))


# --- constants that are nearly infinite, and functions that keep within bounds ----------------------------------------


def sum_of_great_constants_a(x):
    x = nl.load(x)
    return _out(_scalar(_scalar(_filled(x, 3.385e38), nl.multiply, 1e-38), nl.add, _sum(x)))


def sum_of_great_constants_b(x):
    """DIFFERENT DIFFERENT: 3.385 and 3.395."""
    x = nl.load(x)
    return _out(_scalar(_scalar(_filled(x, 3.395e38), nl.multiply, 1e-38), nl.add, _sum(x)))


def lesser_of_great_constants_a(x):
    x = nl.load(x)
    return _out(_scalar(_filled(x, 3.39e38), nl.multiply, 1e-38))


def lesser_of_great_constants_b(x):
    """EQUAL TESTED: 3.39e38 is less than 3.4e38."""
    x = nl.load(x)
    least = _both(_filled(x, 3.4e38), _filled(x, 3.39e38), nl.minimum)
    return _out(_scalar(least, nl.multiply, 1e-38))


def inverse_of_a_great_constant_a(x):
    return _out(_scalar(nl.reciprocal(_filled(nl.load(x), 3.385e38)), nl.multiply, 1e37))


def inverse_of_a_great_constant_b(x):
    """DIFFERENT DIFFERENT: their inverses are as different."""
    return _out(_scalar(nl.reciprocal(_filled(nl.load(x), 3.4e38)), nl.multiply, 1e37))


def great_constants_that_do_not_cancel_a(x):
    return _out(nl.exp(nl.load(x)))


def great_constants_that_do_not_cancel_b(x):
    """DIFFERENT DIFFERENT: exp is 0 of what is left."""
    x = nl.load(x)
    rest = _both(_filled(x, 3.39e38), _filled(x, 3.4e38), nl.subtract)
    return _out(nl.exp(_both(x, rest, nl.add)))


def great_constants_that_cancel_a(x):
    return _out(nl.exp(nl.load(x)))


def great_constants_that_cancel_b(x):
    """EQUAL TESTED: nothing is left."""
    x = nl.load(x)
    rest = _both(_filled(x, 3.39e38), _filled(x, 3.39e38), nl.subtract)
    return _out(nl.exp(_both(x, rest, nl.add)))


def quotient_of_a_fill_a(x):
    return _out(_scalar(_filled(nl.load(x), -3.385e38), nl.multiply, 1e-38))


def quotient_of_a_fill_b(x):
    """DIFFERENT DIFFERENT: -3.385 and -3.4."""
    return _out(_scalar(_filled(nl.load(x), -3.4e38), nl.multiply, 1e-38))


def bounded_by_itself_a(x):
    return _out(nl.tanh(nl.load(x)))


def bounded_by_itself_b(x):
    """UNKNOWN TESTED: tanh is no greater than 1, of which nothing is known."""
    return _out(_scalar(nl.tanh(nl.load(x)), nl.minimum, 1.0))


def exponentials_are_positive_a(x):
    return _out(nl.exp(nl.load(x)))


def exponentials_are_positive_b(x):
    """UNKNOWN TESTED: of which nothing is known."""
    return _out(_scalar(nl.exp(nl.load(x)), nl.maximum, 0.0))
