"""Pairs that differ in one element, one step or one rounding: none of them may be EQUAL over the reals by mistake."""

import nki.isa as nisa
import nki.language as nl


def _new(*shape, dtype=nl.float32, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=dtype, buffer=buffer)


def _out(*tiles):
    results = []
    for tile in tiles:
        result = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
        nl.store(result, tile)
        results.append(result)
    return tuple(results) if len(results) > 1 else results[0]


def _scalar(tile, op, operand, *more):
    result = _new(*tile.shape)
    nisa.tensor_scalar(result, tile, op, operand, *more)
    return result


def _as(tile, dtype):
    result = _new(*tile.shape, dtype=dtype)
    nisa.tensor_copy(result, tile)
    return result


def _row_max(tile):
    return nl.max(tile, axis=1, keepdims=True)


def _row_sum(tile):
    return nl.sum(tile, axis=1, keepdims=True)


def _softmax(tile):
    powers = nl.exp(_scalar(tile, nl.subtract, _row_max(tile)))
    return _scalar(powers, nl.multiply, nl.reciprocal(_row_sum(powers)))


# --- one element ------------------------------------------------------------------------------------------------------


def first_element_negated_a(x):
    return _out(nl.load(x))


def first_element_negated_b(x):
    """DIFFERENT DIFFERENT: one element has another sign."""
    tile = nl.load(x)
    nisa.tensor_scalar(tile[0:1, 0:1], tile[0:1, 0:1], nl.multiply, -1.0)
    return _out(tile)


def last_row_of_a_product_a(s, m):
    product = _new(4, 8, buffer=nl.psum)
    nisa.nc_matmul(product, nl.load(s), nl.load(m))
    return _out(nl.copy(product))


def last_row_of_a_product_b(s, m):
    """DIFFERENT DIFFERENT: the contraction ends one row early."""
    product = _new(4, 8, buffer=nl.psum)
    nisa.nc_matmul(product, nl.load(s)[0:15, :], nl.load(m)[0:15, :])
    return _out(nl.copy(product))


def a_row_twice_a(s, m):
    product = _new(4, 8, buffer=nl.psum)
    nisa.nc_matmul(product, nl.load(s), nl.load(m))
    return _out(nl.copy(product))


def a_row_twice_b(s, m):
    """DIFFERENT DIFFERENT: two pieces of a contraction overlap."""
    product, left, right = _new(4, 8, buffer=nl.psum), nl.load(s), nl.load(m)
    nisa.nc_matmul(product, left[0:9, :], right[0:9, :])
    tail_left, tail_right = _new(8, 4), _new(8, 8)
    nisa.dma_copy(tail_left, s[8:16, :])
    nisa.dma_copy(tail_right, m[8:16, :])
    nisa.nc_matmul(product, tail_left, tail_right)
    return _out(nl.copy(product))


def outputs_in_order_a(x, y):
    return _out(nl.load(x), nl.load(y))


def outputs_in_order_b(x, y):
    """DIFFERENT DIFFERENT: two results change places."""
    return _out(nl.load(y), nl.load(x))


def neighbours_a(x):
    return _out(nl.load(x))


def neighbours_b(x):
    """DIFFERENT DIFFERENT: the last two columns change places."""
    tile = nl.load(x)
    result = _new(4, 8)
    nisa.tensor_copy(result[:, 0:6], tile[:, 0:6])
    nisa.tensor_copy(result[:, 6:7], tile[:, 7:8])
    nisa.tensor_copy(result[:, 7:8], tile[:, 6:7])
    return _out(result)


def unwritten_corner_a(x):
    return _out(nl.load(x))


def unwritten_corner_b(x):
    """EQUAL TESTED DIFFERENT: one element is not written."""
    result = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nisa.dma_copy(result[0:3, :], tile[0:3, :])
    nisa.dma_copy(result[3:4, 0:7], x[3:4, 0:7])
    return result


def a_sum_goes_on_a(s, m):
    product = _new(4, 8, buffer=nl.psum)
    nisa.nc_matmul(product, nl.load(s), nl.load(m), accumulate=False)
    return _out(nl.copy(product))


def a_sum_goes_on_b(s, m):
    """DIFFERENT DIFFERENT: a product is added twice."""
    product = _new(4, 8, buffer=nl.psum)
    nisa.nc_matmul(product, nl.load(s), nl.load(m), accumulate=False)
    nisa.nc_matmul(product, nl.load(s), nl.load(m), accumulate=True)
    return _out(nl.copy(product))


# --- masks and bounds -------------------------------------------------------------------------------------------------


def causal_a(x):
    tile, result = nl.load(x), _new(4, 8)
    nisa.affine_select(result, [[-1, 8]], 1, tile, -3.4028235e38, nl.greater_equal)
    return _out(_softmax(result))


def causal_b(x):
    """DIFFERENT DIFFERENT: without the diagonal, from row 1 on."""
    tile, result = nl.load(x), _new(4, 8)
    nisa.affine_select(result, [[-1, 8]], 1, tile, -3.4028235e38, nl.greater)
    nisa.tensor_copy(result[0:1, 0:1], tile[0:1, 0:1])
    return _out(_softmax(result))


def fill_value_a(x):
    tile, result = nl.load(x), _new(4, 8)
    nisa.affine_select(result, [[-1, 8]], 1, tile, -3.4028235e38, nl.greater_equal)
    return _out(_row_max(result))


def fill_value_b(x):
    """DIFFERENT DIFFERENT: 0 is greater than many a maximum."""
    tile, result = nl.load(x), _new(4, 8)
    nisa.affine_select(result, [[-1, 8]], 1, tile, 0.0, nl.greater_equal)
    return _out(_row_max(result))


def strictly_greater_a(x, y):
    return _out(nl.greater(nl.load(x), nl.load(y)))


def strictly_greater_b(x, y):
    """UNKNOWN TESTED: they differ where x is y, which no random input shows."""
    return _out(nl.greater_equal(nl.load(x), nl.load(y)))


def both_or_one_a(x, y):
    return _out(nl.logical_and(nl.greater(nl.load(x), 0.0), nl.greater(nl.load(y), 0.0)))


def both_or_one_b(x, y):
    """DIFFERENT DIFFERENT: or."""
    return _out(nl.logical_or(nl.greater(nl.load(x), 0.0), nl.greater(nl.load(y), 0.0)))


def chosen_the_other_way_a(x, y, z):
    return _out(nl.where(nl.greater(nl.load(x), 0.0), nl.load(y), nl.load(z)))


def chosen_the_other_way_b(x, y, z):
    """DIFFERENT DIFFERENT: the branches change places."""
    return _out(nl.where(nl.greater(nl.load(x), 0.0), nl.load(z), nl.load(y)))


# --- reductions and statistics ----------------------------------------------------------------------------------------


def mean_of_means_a(x):
    return _out(nl.mean(nl.load(x), axis=1, keepdims=True))


def mean_of_means_b(x):
    """DIFFERENT DIFFERENT: of parts of 5 and 3."""
    tile = nl.load(x)
    parts = nl.add(nl.mean(tile[:, 0:5], axis=1, keepdims=True), nl.mean(tile[:, 5:8], axis=1, keepdims=True))
    return _out(_scalar(parts, nl.multiply, 0.5))


def unbiased_variance_a(x):
    return _out(nl.var(nl.load(x), axis=1))


def unbiased_variance_b(x):
    """DIFFERENT DIFFERENT: divided by 7."""
    return _out(_scalar(nl.var(nl.load(x), axis=1), nl.multiply, 8 / 7))


def root_mean_square_a(x):
    mean = nl.mean(nl.square(nl.load(x)), axis=1, keepdims=True)
    return _out(_scalar(nl.load(x), nl.multiply, nl.rsqrt(_scalar(mean, nl.add, 1e-3))))


def root_mean_square_b(x):
    """DIFFERENT DIFFERENT: the constant is added after the root."""
    mean = nl.mean(nl.square(nl.load(x)), axis=1, keepdims=True)
    return _out(_scalar(nl.load(x), nl.multiply, nl.reciprocal(_scalar(nl.sqrt(mean), nl.add, 1e-3))))


def variance_by_moments_a(x):
    return _out(nl.var(nl.load(x), axis=1))


def variance_by_moments_b(x):
    """EQUAL TESTED: the mean of squares less the square of the mean."""
    tile = nl.load(x)
    squares, mean = nl.mean(nl.square(tile), axis=1, keepdims=True), nl.mean(tile, axis=1, keepdims=True)
    return _out(nl.subtract(squares, nl.square(mean)))


def normalised_by_a_part_a(x):
    return _out(_softmax(nl.load(x)))


def normalised_by_a_part_b(x):
    """DIFFERENT DIFFERENT: the sum of the first half."""
    tile = nl.load(x)
    powers = nl.exp(_scalar(tile, nl.subtract, _row_max(tile)))
    return _out(_scalar(powers, nl.multiply, nl.reciprocal(_row_sum(powers[:, 0:4]))))


def maximum_of_a_half_a(x):
    return _out(_softmax(nl.load(x)))


def maximum_of_a_half_b(x):
    """EQUAL TESTED: any number is as good as the maximum."""
    tile = nl.load(x)
    powers = nl.exp(_scalar(tile, nl.subtract, _row_max(tile[:, 0:4])))
    return _out(_scalar(powers, nl.multiply, nl.reciprocal(_row_sum(powers))))


def _online(x, rescale, divide):
    """Softmax-weighted sum of the elements themselves, in two blocks."""
    tile = nl.load(x)
    one, two = tile[:, 0:4], tile[:, 4:8]
    first = _row_max(one)
    powers = nl.exp(_scalar(one, nl.subtract, first))
    total, weighted = _row_sum(powers), _row_sum(nl.multiply(powers, one))
    greatest = nl.maximum(first, _row_max(two))
    factor = nl.exp(nl.subtract(first, greatest))
    powers = nl.exp(_scalar(two, nl.subtract, greatest))
    total = nl.add(nl.multiply(total, factor), _row_sum(powers))
    weighted = nl.add(nl.multiply(weighted, factor) if rescale else weighted, _row_sum(nl.multiply(powers, two)))
    return _out(nl.multiply(weighted, nl.reciprocal(total)) if divide else weighted)


def online_rescaled_a(x):
    tile = nl.load(x)
    return _out(_row_sum(nl.multiply(_softmax(tile), tile)))


def online_rescaled_b(x):
    """EQUAL TESTED: block by block."""
    return _online(x, True, True)


def online_not_rescaled_a(x):
    return _online(x, True, True)


def online_not_rescaled_b(x):
    """DIFFERENT DIFFERENT: the weighted sum is not rescaled, which shows only where the maximum grows."""
    return _online(x, False, True)


def online_not_divided_a(x):
    return _online(x, True, True)


def online_not_divided_b(x):
    """DIFFERENT DIFFERENT: the sum is not divided by."""
    return _online(x, True, False)


def log_sum_exp_a(x):
    return _out(nl.log(_row_sum(nl.exp(nl.load(x)))))


def log_sum_exp_b(x):
    """DIFFERENT DIFFERENT: the maximum is not added again."""
    tile = nl.load(x)
    return _out(nl.log(_row_sum(nl.exp(_scalar(tile, nl.subtract, _row_max(tile))))))


# --- roundings and dtypes ---------------------------------------------------------------------------------------------


def rounded_sum_a(x, y):
    return _out(_as(_as(nl.add(nl.load(x), nl.load(y)), nl.bfloat16), nl.float32))


def rounded_sum_b(x, y):
    """ROUNDINGS DIFFERENT: the summands are rounded as well."""
    left, right = (_as(_as(nl.load(one), nl.bfloat16), nl.float32) for one in (x, y))
    return _out(_as(_as(nl.add(left, right), nl.bfloat16), nl.float32))


def another_dtype_a(x):
    return _out(_as(_as(nl.load(x), nl.bfloat16), nl.float32))


def another_dtype_b(x):
    """ROUNDINGS DIFFERENT: float16 in place of bfloat16."""
    return _out(_as(_as(nl.load(x), nl.float16), nl.float32))


def rounded_twice_a(x):
    return _out(_as(_as(nl.load(x), nl.bfloat16), nl.float32))


def rounded_twice_b(x):
    """EQUAL TESTED: what is rounded stays as it is."""
    return _out(_as(_as(_as(_as(nl.load(x), nl.bfloat16), nl.float32), nl.bfloat16), nl.float32))


def through_integers_a(x):
    return _out(nl.load(x))


def through_integers_b(x):
    """DIFFERENT DIFFERENT: integers have no fractions."""
    return _out(_as(_as(nl.load(x), nl.int32), nl.float32))


def floors_a(x):
    return _out(nl.floor(nl.load(x)))


def floors_b(x):
    """DIFFERENT DIFFERENT: towards 0."""
    return _out(nl.trunc(nl.load(x)))


def constant_of_bfloat16_a(x):
    return _out(_scalar(nl.load(x), nl.multiply, 0.1))


def constant_of_bfloat16_b(x):
    """ROUNDINGS DIFFERENT: a tenth is none in bfloat16."""
    tenth = _new(4, 8, dtype=nl.bfloat16)
    nisa.memset(tenth, 0.1)
    return _out(nl.multiply(nl.load(x), _as(tenth, nl.float32)))


def nearby_constant_a(x):
    return _out(_scalar(nl.load(x), nl.multiply, 0.1))


def nearby_constant_b(x):
    """DIFFERENT TESTED: apart by less than floating point is compared by."""
    return _out(_scalar(nl.load(x), nl.multiply, 0.1000001))


# --- identities that hold, nearly -------------------------------------------------------------------------------------


def absorbed_a(x, y):
    tile, other = nl.load(x), nl.load(y)
    return _out(nl.maximum(nl.minimum(tile, other), other))


def absorbed_b(x, y):
    """DIFFERENT DIFFERENT: the other argument is absorbed."""
    return _out(nl.load(x))


def clipped_a(x):
    return _out(nl.minimum(nl.maximum(nl.load(x), nl.zeros((4, 8), nl.float32)), nl.full((4, 8), 0.5, nl.float32)))


def clipped_b(x):
    """DIFFERENT DIFFERENT: to other bounds."""
    return _out(nl.minimum(nl.maximum(nl.load(x), nl.zeros((4, 8), nl.float32)), nl.full((4, 8), 0.25, nl.float32)))


def relu_of_negative_a(x):
    return _out(nl.relu(nl.negative(nl.load(x))))


def relu_of_negative_b(x):
    """DIFFERENT DIFFERENT: relu is not odd."""
    return _out(nl.negative(nl.relu(nl.load(x))))


def gelu_by_tanh_a(x):
    return _out(nl.gelu(nl.load(x)))


def gelu_by_tanh_b(x):
    """DIFFERENT DIFFERENT: an approximation."""
    return _out(nl.gelu_apprx_tanh(nl.load(x)))


def distributed_maximum_a(x, y, z):
    return _out(nl.add(nl.maximum(nl.load(x), nl.load(y)), nl.load(z)))


def distributed_maximum_b(x, y, z):
    """DIFFERENT DIFFERENT: only one argument has z added."""
    return _out(nl.maximum(nl.add(nl.load(x), nl.load(z)), nl.load(y)))


def exponential_of_product_a(x, y):
    return _out(nl.exp(nl.multiply(nl.load(x), nl.load(y))))


def exponential_of_product_b(x, y):
    """DIFFERENT DIFFERENT: a product of exponentials is that of the sum."""
    return _out(nl.multiply(nl.exp(nl.load(x)), nl.exp(nl.load(y))))


def cancelled_factor_a(x, y):
    return _out(nl.load(x))


def cancelled_factor_b(x, y):
    """EQUAL TESTED: times y, divided by y."""
    other = nl.load(y)
    return _out(nl.multiply(nl.multiply(nl.load(x), other), nl.reciprocal(other)))


def cancelled_square_a(x, y):
    return _out(nl.load(x))


def cancelled_square_b(x, y):
    """DIFFERENT DIFFERENT: times y, divided by its square."""
    other = nl.load(y)
    return _out(nl.multiply(nl.multiply(nl.load(x), other), nl.reciprocal(nl.square(other))))


def rotation_a(x, y, z):
    tile, sine, cosine = nl.load(x), nl.load(y), nl.load(z)
    left, right = tile[:, 0:4], tile[:, 4:8]
    result = _new(4, 8)
    nisa.tensor_tensor(result[:, 0:4], nl.multiply(left, cosine[:, 0:4]), nl.multiply(right, sine[:, 0:4]), nl.subtract)
    nisa.tensor_tensor(result[:, 4:8], nl.multiply(right, cosine[:, 0:4]), nl.multiply(left, sine[:, 0:4]), nl.add)
    return _out(result)


def rotation_b(x, y, z):
    """DIFFERENT DIFFERENT: one sign of a rotary embedding."""
    tile, sine, cosine = nl.load(x), nl.load(y), nl.load(z)
    left, right = tile[:, 0:4], tile[:, 4:8]
    result = _new(4, 8)
    nisa.tensor_tensor(result[:, 0:4], nl.multiply(left, cosine[:, 0:4]), nl.multiply(right, sine[:, 0:4]), nl.add)
    nisa.tensor_tensor(result[:, 4:8], nl.multiply(right, cosine[:, 0:4]), nl.multiply(left, sine[:, 0:4]), nl.add)
    return _out(result)


def in_place_a(x, y):
    tile, other = nl.load(x), nl.load(y)
    kept = nl.copy(tile)
    nisa.tensor_tensor(tile, tile, other, nl.add)
    return _out(nl.multiply(tile, kept))


def in_place_b(x, y):
    """DIFFERENT DIFFERENT: the tile has changed before it is used again."""
    tile, other = nl.load(x), nl.load(y)
    nisa.tensor_tensor(tile, tile, other, nl.add)
    return _out(nl.multiply(tile, tile))


def reversed_difference_a(x, c):
    return _out(_scalar(nl.load(x), nl.subtract, nl.load(c)))


def reversed_difference_b(x, c):
    """DIFFERENT DIFFERENT: the operands change places."""
    return _out(_scalar(nl.load(x), nl.subtract, nl.load(c), True))


def index_off_by_one_a(x, i):
    result = _new(4, 8)
    nisa.nc_n_gather(result, nl.load(x), _as(nl.load(i), nl.uint32))
    return _out(result)


def index_off_by_one_b(x, i):
    """DIFFERENT DIFFERENT: the last column of indices is another one."""
    tile, index, result = nl.load(x), _as(nl.load(i), nl.uint32), _new(4, 8)
    nisa.memset(index[:, 7:8], 0)
    nisa.nc_n_gather(result, tile, index)
    return _out(result)
