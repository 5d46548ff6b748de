"""Pairs that differ in what is easily overlooked: a constant, an edge, the order of a conversion, one mask; comparisons
of positions, which are known in the run."""

import nki.isa as nisa
import nki.language as nl


def _out(tile, dtype=None):
    result = nl.ndarray(tile.shape, dtype=dtype or tile.dtype, buffer=nl.shared_hbm)
    nl.store(result, tile)
    return result


def _sbuf(shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)


def _scalar(tile, *operations, dtype=nl.float32):
    result = _sbuf(tile.shape, dtype)
    nisa.tensor_scalar(result, tile, *operations)
    return result


def _as(tile, dtype):
    result = _sbuf(tile.shape, dtype)
    nisa.tensor_copy(result, tile)
    return result


def _mean(tile, count):
    return nl.multiply(nl.sum(tile, axis=1, keepdims=True), 1.0 / count)


def _rms(x, eps, count=8, inside=True):
    tile = nl.load(x)
    mean = _mean(nl.square(tile), count)
    root = nl.rsqrt(_scalar(mean, nl.add, eps)) if inside else nl.reciprocal(_scalar(nl.sqrt(mean), nl.add, eps))
    return _out(_scalar(tile, nl.multiply, root))


def rms_eps_a(x):
    return _rms(x, 1e-6)


def rms_eps_b(x):
    """DIFFERENT DIFFERENT: another constant under the root."""
    return _rms(x, 1e-3)


def rms_count_a(x):
    return _rms(x, 1e-6)


def rms_count_b(x):
    """DIFFERENT DIFFERENT: the mean of seven."""
    return _rms(x, 1e-6, count=7)


def rms_outside_a(x):
    return _rms(x, 1e-2)


def rms_outside_b(x):
    """DIFFERENT DIFFERENT: the constant is added to the root."""
    return _rms(x, 1e-2, inside=False)


def _softmax(x, count=8, own=True, scale=1.0):
    tile = nl.load(x)
    most = nl.max(tile[:, 0:count], axis=1, keepdims=True)
    powers = nl.exp(
        _scalar(_scalar(tile, nl.subtract, most), nl.multiply, scale) if own else _scalar(tile, nl.multiply, scale)
    )
    total = nl.sum(powers[:, 0:count], axis=1, keepdims=True)
    return _out(_scalar(powers, nl.multiply, nl.reciprocal(total)))


def softmax_max_of_a_part_a(x):
    return _softmax(x)


def softmax_max_of_a_part_b(x):
    """EQUAL TESTED: with any number in place of the maximum."""
    tile = nl.load(x)
    powers = nl.exp(_scalar(tile, nl.subtract, nl.max(tile[:, 0:5], axis=1, keepdims=True)))
    return _out(_scalar(powers, nl.multiply, nl.reciprocal(nl.sum(powers, axis=1, keepdims=True))))


def softmax_sum_of_a_part_a(x):
    return _softmax(x)


def softmax_sum_of_a_part_b(x):
    """DIFFERENT DIFFERENT: the last column is not in the sum."""
    return _softmax(x, count=7)


def softmax_without_its_maximum_a(x):
    return _softmax(x, scale=0.5)


def softmax_without_its_maximum_b(x):
    """EQUAL TESTED: the maximum cancels."""
    return _softmax(x, own=False, scale=0.5)


def softmax_temperature_a(x):
    return _softmax(x, scale=0.5)


def softmax_temperature_b(x):
    """DIFFERENT DIFFERENT: another scale."""
    return _softmax(x, scale=0.25)


def maximum_after_scale_a(x):
    tile = nl.load(x)
    return _out(nl.max(_scalar(tile, nl.multiply, 0.125), axis=1, keepdims=True))


def maximum_after_scale_b(x):
    """DIFFERENT DIFFERENT: a negative scale makes the least the greatest."""
    tile = nl.load(x)
    return _out(_scalar(nl.max(_scalar(tile, nl.multiply, -1.0), axis=1, keepdims=True), nl.multiply, -0.125))


def log_of_sum_a(x):
    tile = nl.load(x)
    return _out(nl.log(nl.sum(nl.exp(tile), axis=1, keepdims=True)))


def log_of_sum_b(x):
    """DIFFERENT DIFFERENT: the sum of logarithms."""
    return _out(nl.sum(nl.log(nl.exp(nl.load(x))), axis=1, keepdims=True))


def log_one_plus_a(x):
    return _out(nl.softplus(nl.load(x)))


def log_one_plus_b(x):
    """DIFFERENT DIFFERENT: a constant beside 1."""
    return _out(nl.log(_scalar(nl.exp(nl.load(x)), nl.add, 1.001)))


def variance_a(x):
    tile = nl.load(x)
    centred = _scalar(tile, nl.subtract, _mean(tile, 8))
    return _out(_mean(nl.square(centred), 8))


def variance_b(x):
    """DIFFERENT DIFFERENT: divided by one less."""
    tile = nl.load(x)
    centred = _scalar(tile, nl.subtract, _mean(tile, 8))
    return _out(_mean(nl.square(centred), 7))


def variance_by_moments_a(x):
    tile = nl.load(x)
    centred = _scalar(tile, nl.subtract, _mean(tile, 8))
    return _out(_mean(nl.square(centred), 8))


def variance_by_moments_b(x):
    """EQUAL TESTED: the mean of squares less the square of the mean."""
    tile = nl.load(x)
    return _out(nl.subtract(_mean(nl.square(tile), 8), nl.square(_mean(tile, 8))))


def cast_of_a_sum_a(x, y):
    return _out(_as(nl.add(nl.load(x), nl.load(y)), nl.bfloat16))


def cast_of_a_sum_b(x, y):
    """ROUNDINGS TESTED: both are rounded before they are added."""
    return _out(_as(nl.add(_as(nl.load(x), nl.bfloat16), _as(nl.load(y), nl.bfloat16)), nl.bfloat16))


def cast_of_a_product_a(x):
    return _out(_as(_scalar(nl.load(x), nl.multiply, 3.0), nl.bfloat16))


def cast_of_a_product_b(x):
    """ROUNDINGS TESTED: rounded, then three times as much."""
    return _out(_scalar(_as(nl.load(x), nl.bfloat16), nl.multiply, 3.0, dtype=nl.bfloat16))


def cast_through_half_a(x):
    return _out(_as(nl.load(x), nl.bfloat16))


def cast_through_half_b(x):
    """ROUNDINGS TESTED: through float16, which rounds otherwise."""
    return _out(_as(_as(nl.load(x), nl.float16), nl.bfloat16))


def _triangle(x, offset=0, fill=0.0):
    result = _sbuf(x.shape)
    nisa.affine_select(result, [[-1, x.shape[1]]], 1, nl.load(x), fill, nl.greater_equal, offset)
    return result


def _positions(x, step, channel, dtype=nl.float32):
    result = _sbuf(x.shape, dtype)
    nisa.iota(result, [[step, x.shape[1]]], 0, channel)
    return result


def _compared(x, op, fill=0.0):
    rows, columns = _positions(x, 0, 1), _positions(x, 1, 0)
    condition = _sbuf(x.shape, nl.uint8)
    nisa.tensor_tensor(condition, rows, columns, op)
    result = _sbuf(x.shape)
    nisa.memset(result, fill)
    nisa.tensor_copy_predicated(result, nl.load(x), condition)
    return result


def triangle_by_positions_a(x):
    return _out(_triangle(x))


def triangle_by_positions_b(x):
    """EQUAL TESTED: positions are compared, which are known."""
    return _out(_compared(x, nl.greater_equal))


def triangle_without_diagonal_a(x):
    return _out(_triangle(x))


def triangle_without_diagonal_b(x):
    """DIFFERENT DIFFERENT: greater, and not equal."""
    return _out(_compared(x, nl.greater))


def triangle_shifted_a(x):
    return _out(_triangle(x))


def triangle_shifted_b(x):
    """DIFFERENT DIFFERENT: one more of each row."""
    return _out(_triangle(x, offset=1))


def diagonal_a(x):
    return _out(_compared(x, nl.equal))


def diagonal_b(x):
    """EQUAL TESTED: what is in both triangles."""
    result = _sbuf(x.shape)
    nisa.affine_select(result, [[-1, x.shape[1]]], 1, _triangle(x), 0.0, nl.less_equal, 0)
    return _out(result)


def everything_but_the_diagonal_a(x):
    return _out(_compared(x, nl.equal))


def everything_but_the_diagonal_b(x):
    """DIFFERENT DIFFERENT: the opposite."""
    return _out(_compared(x, nl.not_equal))


def fill_a(x):
    return _out(nl.exp(_triangle(x, fill=-3.0)))


def fill_b(x):
    """DIFFERENT DIFFERENT: another number beside the triangle."""
    return _out(nl.exp(_triangle(x, fill=-4.0)))


def known_and_unknown_a(x):
    return _out(nl.greater(nl.load(x), _positions(x, 1, 0)))


def known_and_unknown_b(x):
    """DIFFERENT DIFFERENT: x is not always less than 0."""
    return _out(nl.greater(_positions(x, 1, 1), nl.load(x)))


def scan_start_a(x, y):
    result = _sbuf(x.shape)
    nisa.tensor_tensor_scan(result, nl.load(x), nl.load(y), 0.0, nl.multiply, nl.add)
    return _out(result)


def scan_start_b(x, y):
    """DIFFERENT DIFFERENT: it starts at 1."""
    result = _sbuf(x.shape)
    nisa.tensor_tensor_scan(result, nl.load(x), nl.load(y), 1.0, nl.multiply, nl.add)
    return _out(result)


def scan_order_a(x, y):
    result = _sbuf(x.shape)
    nisa.tensor_tensor_scan(result, nl.load(x), nl.load(y), 0.0, nl.add, nl.multiply)
    return _out(result)


def scan_order_b(x, y):
    """DIFFERENT DIFFERENT: what is multiplied is added, and the other way round."""
    result = _sbuf(x.shape)
    nisa.tensor_tensor_scan(result, nl.load(y), nl.load(x), 0.0, nl.add, nl.multiply)
    return _out(result)


def product_transposed_a(s, m):
    product = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(product, nl.load(s), nl.load(m))
    return _out(_as(product, nl.float32))


def product_transposed_b(s, m):
    """DIFFERENT DIFFERENT: a row of the contraction twice, in place of the last."""
    left = nl.load(s)
    nisa.dma_copy(left[15:16, :], s[14:15, :])
    product = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(product, left, nl.load(m))
    return _out(_as(product, nl.float32))


def power_a(x):
    return _out(_scalar(nl.square(nl.load(x)), nl.add, 1.0, False, nl.power, -0.5))


def power_b(x):
    """EQUAL TESTED: the power with -1/2 is the reciprocal root."""
    return _out(nl.rsqrt(_scalar(nl.square(nl.load(x)), nl.add, 1.0)))


def cube_a(x):
    return _out(_scalar(nl.load(x), nl.power, 3.0))


def cube_b(x):
    """DIFFERENT DIFFERENT: the magnitude's."""
    tile = nl.load(x)
    return _out(nl.multiply(nl.square(tile), nl.abs(tile)))


def difference_of_all_a(x):
    result = _sbuf((x.shape[0], 1))
    nisa.tensor_reduce(result, nl.subtract, nl.load(x), axis=1)
    return _out(result)


def difference_of_all_b(x):
    """DIFFERENT DIFFERENT: the first is subtracted as well."""
    return _out(nl.negative(nl.sum(nl.load(x), axis=1, keepdims=True)))


def rest_of_a_row_a(x):
    result = _sbuf((x.shape[0], 1))
    nisa.tensor_reduce(result, nl.subtract, nl.load(x), axis=1)
    return _out(result)


def rest_of_a_row_b(x):
    """EQUAL TESTED: the first less all others."""
    tile = nl.load(x)
    return _out(nl.subtract(tile[:, 0:1], nl.sum(tile[:, 1:8], axis=1, keepdims=True)))


def derivative_a(x):
    return _out(nl.silu_dx(nl.load(x)))


def derivative_b(x):
    """DIFFERENT DIFFERENT: without the product rule."""
    return _out(nl.sigmoid(nl.load(x)))
