"""Constants that are nearly, or quite, infinite, and those that float32 or a narrower dtype makes others of."""

import nki.isa as nisa
import nki.language as nl

#: The greatest float32 that is finite.
MOST = 3.4028234663852886e38


def _out(tile):
    result = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(result, tile)
    return result


def _filled(tile, value, dtype=nl.float32):
    result = nl.ndarray(tile.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.memset(result, value)
    return result


def _as(tile, dtype):
    result = nl.ndarray(tile.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_copy(result, tile)
    return result


def _scalar(tile, *operations):
    result = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(result, tile, *operations)
    return result


def _max(tile):
    return nl.max(tile, axis=1, keepdims=True)


def _sum(tile):
    return nl.sum(tile, axis=1, keepdims=True)


def _quotient(tile, one, other):
    return nl.multiply(_filled(tile, one), nl.reciprocal(_filled(tile, other)))


def quotient_of_great_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 1.0))


def quotient_of_great_b(x):
    """DIFFERENT DIFFERENT: 3.39e38 / 3.4e38 is 0.997."""
    tile = nl.load(x)
    return _out(nl.multiply(tile, _quotient(tile, 3.39e38, 3.4e38)))


def quotient_nearly_one_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 1.0))


def quotient_nearly_one_b(x):
    """DIFFERENT TESTED: by 9e-7, which float32 tolerates."""
    tile = nl.load(x)
    return _out(nl.multiply(tile, _quotient(tile, 3.40282e38, 3.402823e38)))


def quotient_of_same_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 1.0))


def quotient_of_same_b(x):
    """EQUAL TESTED: a great number is one."""
    tile = nl.load(x)
    return _out(nl.multiply(tile, _quotient(tile, 3.4e38, 3.4e38)))


def quotient_of_signs_a(x):
    tile = nl.load(x)
    return _out(nl.negative(tile))


def quotient_of_signs_b(x):
    """EQUAL TESTED: -1."""
    tile = nl.load(x)
    return _out(nl.multiply(tile, _quotient(tile, -3.4e38, 3.4e38)))


def quotient_of_other_signs_a(x):
    tile = nl.load(x)
    return _out(nl.negative(tile))


def quotient_of_other_signs_b(x):
    """DIFFERENT DIFFERENT: -0.997."""
    tile = nl.load(x)
    return _out(nl.multiply(tile, _quotient(tile, -3.39e38, 3.4e38)))


def quotient_and_back_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 1.0))


def quotient_and_back_b(x):
    """EQUAL TESTED: a quotient and its inverse."""
    tile = nl.load(x)
    tile = nl.multiply(tile, _quotient(tile, 3.39e38, 3.4e38))
    return _out(nl.multiply(tile, _quotient(tile, 3.4e38, 3.39e38)))


def half_of_great_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 0.5))


def half_of_great_b(x):
    """EQUAL TESTED: 1.7e38 is no more infinite than its double."""
    tile = nl.load(x)
    return _out(nl.multiply(tile, _quotient(tile, 1.7e38, 3.4e38)))


def not_half_of_great_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 0.5))


def not_half_of_great_b(x):
    """DIFFERENT DIFFERENT: 0.4996."""
    tile = nl.load(x)
    return _out(nl.multiply(tile, _quotient(tile, 1.7e38, MOST)))


def great_absorbs_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 1.0))


def great_absorbs_b(x):
    """EQUAL DIFFERENT: float32 loses x."""
    tile = nl.load(x)
    return _out(_scalar(tile, nl.add, 3.4e38, False, nl.subtract, 3.4e38))


def great_of_two_sizes_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 0.0, False, nl.add, 1e36))


def great_of_two_sizes_b(x):
    """EQUAL TESTED: 3.4e38 - 3.39e38."""
    tile = nl.load(x)
    return _out(_scalar(_scalar(tile, nl.multiply, 0.0, False, nl.add, 3.4e38), nl.subtract, 3.39e38))


def great_is_not_greater_a(x):
    tile = nl.load(x)
    return _out(_filled(tile, 3.39e38))


def great_is_not_greater_b(x):
    """DIFFERENT DIFFERENT: constants in the result."""
    tile = nl.load(x)
    return _out(_filled(tile, 3.4e38))


def least_as_written_a(x):
    tile = nl.load(x)
    return _out(_filled(tile, -MOST))


def least_as_written_b(x):
    """EQUAL TESTED: the same float32, written shorter."""
    tile = nl.load(x)
    return _out(_filled(tile, -3.4028235e38))


def infinite_or_greatest_a(x):
    tile = nl.load(x)
    return _out(_filled(tile, -MOST))


def infinite_or_greatest_b(x):
    """DIFFERENT DIFFERENT: -inf is none of the finite numbers."""
    tile = nl.load(x)
    return _out(_filled(tile, float("-inf")))


def infinite_by_overflow_a(x):
    tile = nl.load(x)
    return _out(_filled(tile, float("inf")))


def infinite_by_overflow_b(x):
    """EQUAL TESTED: float32 has no 1e39."""
    tile = nl.load(x)
    return _out(_filled(tile, 1e39))


def infinity_takes_sums_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.add, float("inf")))


def infinity_takes_sums_b(x):
    """EQUAL TESTED: infinity and a finite number is infinity."""
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 2.0, False, nl.add, float("inf")))


def infinity_of_each_sign_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.add, float("inf")))


def infinity_of_each_sign_b(x):
    """DIFFERENT DIFFERENT: inf and -inf."""
    tile = nl.load(x)
    return _out(_scalar(tile, nl.subtract, float("inf")))


def infinity_inverted_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 1.0))


def infinity_inverted_b(x):
    """EQUAL TESTED: 1 / inf is 0."""
    tile = nl.load(x)
    return _out(nl.add(tile, nl.reciprocal(_filled(tile, float("inf")))))


def great_inverted_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 1.0))


def great_inverted_b(x):
    """DIFFERENT DIFFERENT: 1 / 3.4e38 is no 0."""
    tile = nl.load(x)
    inverse = nl.reciprocal(_filled(tile, 3.4e38))
    return _out(nl.add(tile, _scalar(inverse, nl.multiply, 3.4e37)))


def infinity_scaled_a(x):
    tile = nl.load(x)
    return _out(_filled(tile, float("-inf")))


def infinity_scaled_b(x):
    """EQUAL TESTED: times a negative constant."""
    tile = nl.load(x)
    return _out(_scalar(_filled(tile, float("inf")), nl.multiply, -0.125))


def infinity_as_an_exponent_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 0.0))


def infinity_as_an_exponent_b(x):
    """EQUAL TESTED: exp of -inf is 0."""
    tile = nl.load(x)
    return _out(nl.exp(_scalar(tile, nl.add, float("-inf"))))


def infinity_in_sigmoid_a(x):
    tile = nl.load(x)
    return _out(_filled(tile, 1.0))


def infinity_in_sigmoid_b(x):
    """EQUAL TESTED: of +inf it is 1."""
    tile = nl.load(x)
    return _out(nl.sigmoid(_scalar(tile, nl.add, float("inf"))))


def compared_with_infinity_a(x):
    tile = nl.load(x)
    return _out(_filled(tile, 1.0))


def compared_with_infinity_b(x):
    """EQUAL TESTED: all finite numbers are above -inf."""
    tile = nl.load(x)
    return _out(_scalar(tile, nl.greater, float("-inf")))


def compared_with_great_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 1.0))


def compared_with_great_b(x):
    """DIFFERENT DIFFERENT: some are not below a half."""
    tile = nl.load(x)
    return _out(nl.multiply(tile, _scalar(tile, nl.less, 0.5)))


def maximum_of_both_a(x):
    tile = nl.load(x)
    return _out(_filled(tile, -3.39e38))


def maximum_of_both_b(x):
    """EQUAL TESTED: the greater of two that stand for -inf."""
    tile = nl.load(x)
    return _out(nl.maximum(_filled(tile, -3.4e38), _filled(tile, -3.39e38)))


def maximum_of_both_turned_a(x):
    tile = nl.load(x)
    return _out(_filled(tile, -3.39e38))


def maximum_of_both_turned_b(x):
    """EQUAL TESTED: in either order."""
    tile = nl.load(x)
    return _out(nl.maximum(_filled(tile, -3.39e38), _filled(tile, -3.4e38)))


def maximum_is_not_the_lesser_a(x):
    tile = nl.load(x)
    return _out(_filled(tile, -3.4e38))


def maximum_is_not_the_lesser_b(x):
    """DIFFERENT DIFFERENT: by a part in 300."""
    tile = nl.load(x)
    return _out(nl.maximum(_filled(tile, -3.39e38), _filled(tile, -3.4e38)))


def minimum_of_both_a(x):
    tile = nl.load(x)
    return _out(_filled(tile, 3.39e38))


def minimum_of_both_b(x):
    """EQUAL TESTED: the lesser of two that stand for +inf."""
    tile = nl.load(x)
    return _out(nl.minimum(_filled(tile, 3.4e38), _filled(tile, 3.39e38)))


def maximum_begins_anywhere_a(x):
    tile = nl.load(x)
    return _out(_max(tile))


def maximum_begins_anywhere_b(x):
    """EQUAL TESTED: whatever stands for -inf."""
    tile = nl.load(x)
    return _out(nl.maximum(_filled(tile[:, 0:1], -3.39e38), _max(tile)))


def maximum_begins_with_infinity_a(x):
    tile = nl.load(x)
    return _out(nl.maximum(_filled(tile[:, 0:1], -MOST), _max(tile)))


def maximum_begins_with_infinity_b(x):
    """EQUAL TESTED: least number, or -inf."""
    tile = nl.load(x)
    return _out(nl.maximum(_filled(tile[:, 0:1], float("-inf")), _max(tile)))


def maximum_begins_too_high_a(x):
    tile = nl.load(x)
    return _out(_max(tile))


def maximum_begins_too_high_b(x):
    """DIFFERENT DIFFERENT: of one column, from -0.125 on."""
    tile = nl.load(x)
    return _out(nl.maximum(_filled(tile[:, 0:1], -0.125), _max(tile[:, 0:1])))


def row_of_constants_a(x):
    tile = nl.load(x)
    return _out(_filled(tile[:, 0:1], -3.385e38))


def row_of_constants_b(x):
    """EQUAL TESTED: a row in which all stand for -inf."""
    tile = nl.load(x)
    low = _filled(tile, -3.4e38)
    nisa.memset(low[:, 3:4], -3.385e38)
    return _out(_max(low))


def row_of_one_number_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile[:, 3:4], nl.multiply, 1.0))


def row_of_one_number_b(x):
    """EQUAL TESTED: the one that counts."""
    tile = nl.load(x)
    low = _filled(tile, -3.4e38)
    nisa.tensor_copy(low[:, 3:4], tile[:, 3:4])
    return _out(_max(low))


def masked_with_another_a(x):
    tile = nl.load(x)
    low = _scalar(tile, nl.multiply, 1.0)
    nisa.memset(low[:, 4:8], -3.39e38)
    return _out(_sum(nl.exp(_scalar(low, nl.subtract, _max(low)))))


def masked_with_another_b(x):
    """EQUAL TESTED: exp is 0 of either fill."""
    tile = nl.load(x)
    low = _scalar(tile, nl.multiply, 1.0)
    nisa.memset(low[:, 4:8], float("-inf"))
    return _out(_sum(nl.exp(_scalar(low, nl.subtract, _max(low)))))


def masked_with_too_little_a(x):
    tile = nl.load(x)
    low = _scalar(tile, nl.multiply, 1.0)
    nisa.memset(low[:, 4:8], -3.39e38)
    return _out(_sum(nl.exp(_scalar(low, nl.subtract, _max(low)))))


def masked_with_too_little_b(x):
    """DIFFERENT DIFFERENT: exp of -3 is no 0."""
    tile = nl.load(x)
    low = _scalar(tile, nl.multiply, 1.0)
    nisa.memset(low[:, 4:8], -3.0)
    return _out(_sum(nl.exp(_scalar(low, nl.subtract, _max(low)))))


def bfloat16_of_least_a(x):
    tile = nl.load(x)
    return _out(_as(_as(_filled(tile, -MOST), nl.bfloat16), nl.float32))


def bfloat16_of_least_b(x):
    """EQUAL TESTED: rounded to bfloat16 the least float32 is -inf."""
    tile = nl.load(x)
    return _out(_filled(tile, float("-inf")))


def bfloat16_of_great_a(x):
    tile = nl.load(x)
    return _out(_as(_as(_filled(tile, 3.3895e38), nl.bfloat16), nl.float32))


def bfloat16_of_great_b(x):
    """ROUNDINGS DIFFERENT: its greatest number is a little less."""
    tile = nl.load(x)
    return _out(_filled(tile, 3.3895e38))


def float16_of_great_a(x):
    tile = nl.load(x)
    return _out(_as(_as(_filled(tile, 70000.0), nl.float16), nl.float32))


def float16_of_great_b(x):
    """ROUNDINGS DIFFERENT: float16 ends at 65504."""
    tile = nl.load(x)
    return _out(_filled(tile, 70000.0))


def float16_of_less_a(x):
    tile = nl.load(x)
    return _out(_as(_as(_filled(tile, 60000.0), nl.float16), nl.float32))


def float16_of_less_b(x):
    """EQUAL TESTED: that it holds."""
    tile = nl.load(x)
    return _out(_filled(tile, 60000.0))


def negative_zero_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.add, 0.0))


def negative_zero_b(x):
    """EQUAL TESTED: 0 has no sign among the reals."""
    tile = nl.load(x)
    return _out(_scalar(tile, nl.add, -0.0))


def denormal_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 1e-40, False, nl.multiply, 1e30))


def denormal_b(x):
    """DIFFERENT DIFFERENT: numbers below the least normal one are no 0."""
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 2e-40, False, nl.multiply, 1e30))


def product_of_tiny_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 1e-20, False, nl.multiply, 1e20))


def product_of_tiny_b(x):
    """EQUAL TESTED: powers of ten."""
    tile = nl.load(x)
    return _out(_scalar(tile, nl.multiply, 1e-19, False, nl.multiply, 1e19))


def great_integer_a(x):
    tile = nl.load(x)
    return _out(_scalar(tile, nl.add, float(2**24)))


def great_integer_b(x):
    """DIFFERENT TESTED: integers that float32 holds."""
    tile = nl.load(x)
    return _out(_scalar(tile, nl.add, float(2**24 + 2)))


def great_integers_apart_a(x):
    tile = nl.load(x)
    return _out(_scalar(_filled(tile, float(2**24)), nl.subtract, float(2**24 - 1)))


def great_integers_apart_b(x):
    """DIFFERENT DIFFERENT: 1 and 2."""
    tile = nl.load(x)
    return _out(_scalar(_filled(tile, float(2**24)), nl.subtract, float(2**24 - 2)))


def sum_of_infinities_a(x):
    tile = nl.load(x)
    low = _filled(tile, float("inf"))
    return _out(_sum(low))


def sum_of_infinities_b(x):
    """EQUAL TESTED: one is as many."""
    tile = nl.load(x)
    low = _scalar(tile, nl.multiply, 1.0)
    nisa.memset(low[:, 2:3], float("inf"))
    return _out(_sum(low))
