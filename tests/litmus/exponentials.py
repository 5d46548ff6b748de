"""Rewrites that rest on the laws of exp and log: softmax and attention in their forms, right and wrong."""

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


def _inverse(tile):
    return nl.reciprocal(tile)


def _sum(tile):
    return nl.sum(tile, axis=1, keepdims=True)


def _max(tile):
    return nl.max(tile, axis=1, keepdims=True)


def _softmax(tile, shift):
    powers = nl.exp(_scalar(tile, nl.subtract, shift))
    return _scalar(powers, nl.multiply, _inverse(_sum(powers)))


def _log_sum(tile, shift):
    powers = nl.exp(_scalar(tile, nl.subtract, shift))
    return nl.add(nl.log(_sum(powers)), shift)


def softmax_shift_a(x):
    tile = nl.load(x)
    return _out(_softmax(tile, _max(tile)))


def softmax_shift_b(x):
    """EQUAL TESTED: any shift of a row cancels, its minimum as well."""
    tile = nl.load(x)
    return _out(_softmax(tile, nl.min(tile, axis=1, keepdims=True)))


def softmax_half_shift_a(x):
    tile = nl.load(x)
    return _out(_softmax(tile, _max(tile)))


def softmax_half_shift_b(x):
    """DIFFERENT DIFFERENT: the numerators are shifted, the sum is not."""
    tile = nl.load(x)
    powers = nl.exp(_scalar(tile, nl.subtract, _max(tile)))
    return _out(_scalar(powers, nl.multiply, _inverse(_sum(nl.exp(tile)))))


def online_a(x):
    tile = nl.load(x)
    return _out(_softmax(tile, _max(tile)))


def online_b(x):
    """EQUAL TESTED: the sum of the first half is rescaled to the maximum of both."""
    tile = nl.load(x)
    left, right = tile[:, 0:4], tile[:, 4:8]
    first = _max(left)
    partial = _sum(nl.exp(_scalar(left, nl.subtract, first)))
    both = nl.maximum(first, _max(right))
    total = nl.add(
        nl.multiply(partial, nl.exp(nl.subtract(first, both))), _sum(nl.exp(_scalar(right, nl.subtract, both)))
    )
    return _out(_scalar(nl.exp(_scalar(tile, nl.subtract, both)), nl.multiply, _inverse(total)))


def online_unscaled_a(x):
    tile = nl.load(x)
    return _out(_softmax(tile, _max(tile)))


def online_unscaled_b(x):
    """DIFFERENT DIFFERENT: the sum of the first half is not rescaled."""
    tile = nl.load(x)
    left, right = tile[:, 0:4], tile[:, 4:8]
    first = _max(left)
    partial = _sum(nl.exp(_scalar(left, nl.subtract, first)))
    both = nl.maximum(first, _max(right))
    total = nl.add(partial, _sum(nl.exp(_scalar(right, nl.subtract, both))))
    return _out(_scalar(nl.exp(_scalar(tile, nl.subtract, both)), nl.multiply, _inverse(total)))


def log_sum_a(x):
    return _out(nl.log(_sum(nl.exp(nl.load(x)))))


def log_sum_b(x):
    """EQUAL TESTED: log(sum(exp(x - m))) + m."""
    tile = nl.load(x)
    return _out(_log_sum(tile, _max(tile)))


def log_sum_unshifted_a(x):
    return _out(nl.log(_sum(nl.exp(nl.load(x)))))


def log_sum_unshifted_b(x):
    """DIFFERENT DIFFERENT: the maximum is not added again."""
    tile = nl.load(x)
    return _out(nl.log(_sum(nl.exp(_scalar(tile, nl.subtract, _max(tile))))))


def by_log_sum_a(x):
    tile = nl.load(x)
    return _out(_softmax(tile, _max(tile)))


def by_log_sum_b(x):
    """EQUAL TESTED: exp(x - log-sum-exp)."""
    tile = nl.load(x)
    return _out(nl.exp(_scalar(tile, nl.subtract, _log_sum(tile, _max(tile)))))


def by_log_of_maximum_a(x):
    tile = nl.load(x)
    return _out(_softmax(tile, _max(tile)))


def by_log_of_maximum_b(x):
    """DIFFERENT DIFFERENT: the maximum in place of the log-sum-exp."""
    tile = nl.load(x)
    return _out(nl.exp(_scalar(tile, nl.subtract, _max(tile))))


def sigmoid_a(x):
    return _out(nl.sigmoid(nl.load(x)))


def sigmoid_b(x):
    """EQUAL TESTED: exp(x) / (1 + exp(x))."""
    powers = nl.exp(nl.load(x))
    return _out(nl.multiply(powers, _inverse(_scalar(powers, nl.add, 1.0))))


def sigmoid_sign_a(x):
    return _out(nl.sigmoid(nl.load(x)))


def sigmoid_sign_b(x):
    """DIFFERENT DIFFERENT: 1 / (1 + exp(x)) is that of -x."""
    return _out(_inverse(_scalar(nl.exp(nl.load(x)), nl.add, 1.0)))


def tanh_a(x):
    return _out(nl.tanh(nl.load(x)))


def tanh_b(x):
    """EQUAL TESTED: 1 - 2 / (exp(2x) + 1)."""
    inverse = _inverse(_scalar(nl.exp(_scalar(nl.load(x), nl.multiply, 2.0)), nl.add, 1.0))
    return _out(_scalar(inverse, nl.multiply, -2.0, False, nl.add, 1.0))


def silu_a(x):
    return _out(nl.silu(nl.load(x)))


def silu_b(x):
    """EQUAL TESTED: x / (1 + exp(-x))."""
    tile = nl.load(x)
    return _out(nl.multiply(tile, _inverse(_scalar(nl.exp(nl.negative(tile)), nl.add, 1.0))))


def silu_as_gelu_a(x):
    return _out(nl.silu(nl.load(x)))


def silu_as_gelu_b(x):
    """DIFFERENT DIFFERENT: gelu by a sigmoid of 1.702 x."""
    tile = nl.load(x)
    return _out(nl.multiply(tile, nl.sigmoid(_scalar(tile, nl.multiply, 1.702))))


def nested_a(x, y):
    return _out(nl.exp(nl.exp(nl.add(nl.load(x), nl.load(y)))))


def nested_b(x, y):
    """UNKNOWN TESTED: of an exponential of exponentials all residues are to agree, and the last is opaque."""
    return _out(nl.exp(nl.multiply(nl.exp(nl.load(x)), nl.exp(nl.load(y)))))


def power_of_sum_a(x, y):
    return _out(nl.exp(nl.add(nl.load(x), nl.load(y))))


def power_of_sum_b(x, y):
    """DIFFERENT DIFFERENT: exp(x) + exp(y)."""
    return _out(nl.add(nl.exp(nl.load(x)), nl.exp(nl.load(y))))


def magnitude_by_logarithm_a(x):
    return _out(nl.load(x)[:, 0:1][0:1, :])


def magnitude_by_logarithm_b(x):
    """DIFFERENT DIFFERENT: exp(log(x * x) / 2) is the magnitude, which one element has to show."""
    tile = nl.load(x)[:, 0:1][0:1, :]
    return _out(nl.exp(_scalar(nl.log(nl.multiply(tile, tile)), nl.multiply, 0.5)))


LEAST = -3.4028234663852886e38


def _triangle(tile):
    result = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(result, [[-1, 8]], 1, tile, LEAST, nl.greater_equal, 3)
    return result


def _infinite(tile):
    return _scalar(_scalar(tile, nl.multiply, 0.0), nl.add, LEAST)


def _zero(x):
    return _out(_scalar(nl.load(x), nl.multiply, 0.0))


def masked_part_a(x):
    tile = _triangle(nl.load(x))
    return _out(_sum(nl.exp(_scalar(tile, nl.subtract, _max(tile)))))


def masked_part_b(x):
    """EQUAL TESTED: of a row as far as it is not masked; exp of what is masked is 0."""
    tile = _triangle(nl.load(x))
    shift, first = _max(tile), nl.exp(_scalar(tile[:, 0:5], nl.subtract, _max(tile)))
    rest = nl.exp(_scalar(tile[:, 5:7], nl.subtract, shift))
    return _out(nl.add(_sum(first), _sum(rest)))


def masked_then_scaled_a(x):
    tile = _triangle(_scalar(nl.load(x), nl.multiply, 0.125))
    return _out(nl.exp(_scalar(tile, nl.subtract, _max(tile))))


def masked_then_scaled_b(x):
    """EQUAL TESTED: what is masked is so in any scale."""
    tile = _scalar(_triangle(nl.load(x)), nl.multiply, 0.125)
    return _out(nl.exp(_scalar(tile, nl.subtract, _max(tile))))


def masked_and_scaled_away_a(x):
    return _out(nl.exp(_scalar(_infinite(nl.load(x)), nl.multiply, 1e-38)))


def masked_and_scaled_away_b(x):
    """DIFFERENT DIFFERENT: times 1e-38 it is -3.4."""
    return _zero(x)


def all_masked_a(x):
    tile = nl.add(_infinite(nl.load(x)), nl.load(x))
    return _out(nl.exp(_scalar(tile, nl.subtract, _max(tile))))


def all_masked_b(x):
    """DIFFERENT DIFFERENT: a row in which all is masked is as great as its maximum."""
    return _zero(x)


def masked_by_data_a(x, y):
    tile = _infinite(nl.load(x))
    masked = nl.where(nl.greater(nl.load(y), nl.load(x)), tile, nl.load(x))
    return _out(nl.exp(nl.subtract(tile, masked)))


def masked_by_data_b(x, y):
    """DIFFERENT DIFFERENT: where it is masked the difference is 0."""
    return _zero(x)


def masked_and_rounded_a(x):
    tile = nl.add(_infinite(nl.load(x)), nl.load(x))
    rounded = nl.ndarray(tile.shape, dtype=nl.float16, buffer=nl.sbuf)
    nisa.tensor_copy(rounded, _scalar(tile, nl.multiply, 1e-5))
    return _out(nl.exp(nl.subtract(_scalar(tile, nl.multiply, 1e-5), rounded, dtype=nl.float32)))


def masked_and_rounded_b(x):
    """DIFFERENT DIFFERENT: infinity less infinity is no number, and is not taken for infinity."""
    return _zero(x)


def _filled(tile, value=LEAST):
    result = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(result, value)
    return result


def infinity_by_data_a(x):
    tile = nl.load(x)
    lift = _scalar(_scalar(_scalar(tile, nl.less, 5.0), nl.subtract, 1.0), nl.multiply, -LEAST)
    return _out(nl.exp(nl.subtract(_filled(tile), lift)))


def infinity_by_data_b(x):
    """UNKNOWN TESTED: 1 where x is 5 or more, which no input here is."""
    return _zero(x)


def infinities_of_both_signs_a(x):
    tile = nl.load(x)
    both = _filled(tile)
    nisa.memset(both[:, 4:8], -LEAST)
    return _out(nl.exp(_sum(both)))


def infinities_of_both_signs_b(x):
    """DIFFERENT DIFFERENT: their sum is 0, or no number, but not -inf."""
    result = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(result, 0.0)
    return _out(result)


def maximum_above_all_a(x):
    tile = nl.load(x)
    low = _filled(tile)
    return _out(nl.exp(nl.add(low, nl.maximum(_filled(tile, -LEAST), tile))))


def maximum_above_all_b(x):
    """DIFFERENT DIFFERENT: the maximum is +inf."""
    return _zero(x)


def exponential_of_infinity_a(x):
    low = _filled(nl.load(x))
    return _out(nl.exp(nl.add(low, nl.exp(nl.negative(low)))))


def exponential_of_infinity_b(x):
    """DIFFERENT DIFFERENT: exp of +inf is +inf."""
    return _zero(x)


def scaled_down_by_turns_a(x):
    low = _filled(nl.load(x))
    for _ in range(7):
        low = _scalar(low, nl.multiply, 1e-6)
        low = nl.maximum(low, _scalar(low, nl.add, -1e-6))
    return _out(nl.exp(low))


def scaled_down_by_turns_b(x):
    """DIFFERENT DIFFERENT: after some turns it is about -1e-4."""
    return _zero(x)


def infinity_as_integer_a(x):
    tile = nl.load(x)
    whole = nl.ndarray(tile.shape, dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_copy(whole, nl.add(_filled(tile), tile))
    return _out(nl.exp(whole, dtype=nl.float32))


def infinity_as_integer_b(x):
    """DIFFERENT DIFFERENT: the least uint8 is 0."""
    return _zero(x)


def masks_in_the_result_a(x):
    return _out(_triangle(nl.load(x)))


def masks_in_the_result_b(x):
    """DIFFERENT DIFFERENT: what is masked is no measure of what is not."""
    return _out(_triangle(nl.sin(nl.load(x))))


def infinity_negated_a(x):
    tile = nl.load(x)
    return _out(nl.exp(_scalar(nl.subtract(tile, _filled(tile)), nl.multiply, -1.0)))


def infinity_negated_b(x):
    """EQUAL TESTED: exp(-(x - -inf)) is 0."""
    return _zero(x)


def minimum_of_nothing_a(x):
    tile = nl.load(x)
    least = nl.minimum(_filled(tile, -LEAST), tile)
    return _out(nl.exp(nl.add(_filled(tile), least)))


def minimum_of_nothing_b(x):
    """EQUAL TESTED: a minimum that begins with +inf is finite."""
    return _zero(x)
