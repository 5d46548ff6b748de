"""Rewrites that change where numbers are rounded, and some that do not."""

import nki.isa as nisa
import nki.language as nl


def _tile(dtype=nl.float32, shape=(4, 8)):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)


def _out(tile):
    result = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=result, src=tile)
    return result


def _as(tile, dtype):
    copy = _tile(dtype, tile.shape)
    nisa.tensor_copy(dst=copy, src=tile)
    return copy


def _of(op, left, right, dtype=nl.float32):
    result = _tile(dtype, left.shape)
    nisa.tensor_tensor(dst=result, data1=left, data2=right, op=op)
    return result


def _filled(value, dtype=nl.float32):
    tile = _tile(dtype)
    nisa.memset(tile, value)
    return tile


def what_rounding_leaves_a(x):
    tile = nl.load(x)
    return _out(_of(nl.subtract, tile, _as(tile, nl.bfloat16)))


def what_rounding_leaves_b(x):
    """ROUNDINGS DIFFERENT: what is left of a number after rounding it is not 0."""
    return _out(_filled(0.0))


def split_in_halves_a(x, y):
    left, right = nl.load(x), nl.load(y)
    high = _as(left, nl.bfloat16)
    low = _as(_of(nl.subtract, left, _as(high, nl.float32)), nl.bfloat16)
    return _out(_of(nl.add, _of(nl.multiply, high, right), _of(nl.multiply, low, right)))


def split_in_halves_b(x, y):
    """ROUNDINGS DIFFERENT: without the lower half 16 bits of every factor are lost."""
    left, right = nl.load(x), nl.load(y)
    return _out(_of(nl.multiply, _as(left, nl.bfloat16), right))


def split_and_joined_a(x):
    tile = nl.load(x)
    high = _as(tile, nl.bfloat16)
    return _out(_of(nl.add, high, _of(nl.subtract, tile, high)))


def split_and_joined_b(x):
    """EQUAL TESTED: the higher half and what is left of it are the whole, however it is rounded."""
    return _out(nl.load(x))


def round_alike_a(x, y):
    return _out(_as(_of(nl.add, nl.load(x), nl.load(y)), nl.bfloat16))


def round_alike_b(x, y):
    """EQUAL TESTED: the sum is rounded where it is stored, and a second time nothing is left to round."""
    return _out(_as(_as(_of(nl.add, nl.load(y), nl.load(x), nl.bfloat16), nl.float32), nl.bfloat16))


def round_before_adding_a(x, y):
    return _out(_as(_of(nl.add, nl.load(x), nl.load(y)), nl.bfloat16))


def round_before_adding_b(x, y):
    """ROUNDINGS TESTED: the sum of rounded numbers, where results are of bfloat16 anyway."""
    left, right = _as(nl.load(x), nl.bfloat16), _as(nl.load(y), nl.bfloat16)
    return _out(_of(nl.add, left, right, nl.bfloat16))


def round_twice_a(x):
    return _out(_as(_as(nl.load(x), nl.float16), nl.bfloat16))


def round_twice_b(x):
    """ROUNDINGS TESTED: rounded by way of float16, a number can end up a bfloat16 further away."""
    return _out(_as(nl.load(x), nl.bfloat16))


def other_narrow_dtype_a(x):
    return _out(_as(_as(nl.load(x), nl.bfloat16), nl.float32))


def other_narrow_dtype_b(x):
    """ROUNDINGS DIFFERENT: float16 keeps three bits more than bfloat16."""
    return _out(_as(_as(nl.load(x), nl.float16), nl.float32))


def round_a_negative_a(x):
    return _out(_as(nl.negative(nl.load(x)), nl.bfloat16))


def round_a_negative_b(x):
    """EQUAL TESTED: to the nearest, ties to even, is the same on both sides of 0."""
    return _out(nl.negative(_as(nl.load(x), nl.bfloat16)))


def greatest_of_narrow_a(h):
    tile = nl.load(h)
    best = _tile(nl.float32, (4, 1))
    nisa.tensor_reduce(dst=best, data=tile, op=nl.maximum, axis=1)
    return _out(best)


def greatest_of_narrow_b(h):
    """EQUAL TESTED: the greatest of some bfloat16 is one of them, which a bfloat16 holds."""
    tile = nl.load(h)
    first, second, best = _tile(nl.bfloat16, (4, 1)), _tile(nl.bfloat16, (4, 1)), _tile(nl.float32, (4, 1))
    nisa.tensor_reduce(dst=first, data=tile[:, 0:4], op=nl.maximum, axis=1)
    nisa.tensor_reduce(dst=second, data=tile[:, 4:8], op=nl.maximum, axis=1)
    nisa.tensor_tensor(dst=best, data1=first, data2=second, op=nl.maximum)
    return _out(best)


def least_of_narrow_a(b):
    best = _tile(nl.float32, (4, 1))
    nisa.tensor_reduce(dst=best, data=nl.load(b), op=nl.minimum, axis=1)
    return _out(best)


def least_of_narrow_b(b):
    """EQUAL TESTED: the least of some integers of 8 bits is one of them."""
    best = _tile(nl.int8, (4, 1))
    nisa.tensor_reduce(dst=best, data=nl.load(b), op=nl.minimum, axis=1)
    return _out(_as(best, nl.float32))


def sum_of_narrow_a(h):
    total = _tile(nl.float32, (4, 1))
    nisa.tensor_reduce(dst=total, data=nl.load(h), op=nl.add, axis=1)
    return _out(total)


def sum_of_narrow_b(h):
    """ROUNDINGS TESTED: a sum of bfloat16 is none; that of the halves is rounded here."""
    tile = nl.load(h)
    first, second, total = _tile(nl.bfloat16, (4, 1)), _tile(nl.bfloat16, (4, 1)), _tile(nl.float32, (4, 1))
    nisa.tensor_reduce(dst=first, data=tile[:, 0:4], op=nl.add, axis=1)
    nisa.tensor_reduce(dst=second, data=tile[:, 4:8], op=nl.add, axis=1)
    nisa.tensor_tensor(dst=total, data1=first, data2=second, op=nl.add)
    return _out(total)


def mask_in_bytes_a(x, y):
    mask = _of(nl.greater, nl.load(x), nl.load(y))
    return _out(_of(nl.multiply, mask, nl.load(x)))


def mask_in_bytes_b(x, y):
    """EQUAL TESTED: a comparison gives 0 or 1, which every dtype holds."""
    mask = _of(nl.greater, nl.load(x), nl.load(y), nl.uint8)
    return _out(_of(nl.multiply, mask, nl.load(x)))


def constant_that_fits_a(x):
    return _out(_of(nl.multiply, nl.load(x), _filled(0.5)))


def constant_that_fits_b(x):
    """EQUAL TESTED: one half is a bfloat16."""
    return _out(_of(nl.multiply, nl.load(x), _filled(0.5, nl.bfloat16)))


def integer_that_does_not_fit_a(x):
    return _out(_of(nl.add, nl.load(x), _filled(257.0)))


def integer_that_does_not_fit_b(x):
    """ROUNDINGS DIFFERENT: a bfloat16 holds 256 and 258, but not 257."""
    return _out(_of(nl.add, nl.load(x), _filled(257.0, nl.bfloat16)))


def integer_that_is_rounded_a(x):
    return _out(_of(nl.add, nl.load(x), _filled(256.0)))


def integer_that_is_rounded_b(x):
    """EQUAL TESTED: 257 as a bfloat16 is 256."""
    return _out(_of(nl.add, nl.load(x), _filled(257.0, nl.bfloat16)))


def product_in_narrow_psum_a(h):
    tile = nl.load(h)
    acc = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.psum)
    for _ in range(2):
        nisa.nc_matmul(dst=acc, stationary=tile, moving=tile)
    return _out(_as(acc, nl.bfloat16))


def product_in_narrow_psum_b(h):
    """ROUNDINGS TESTED: what is accumulated is rounded after each product."""
    tile = nl.load(h)
    total = _tile(nl.bfloat16, (8, 8))
    nisa.memset(total, 0.0)
    for _ in range(2):
        product = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=product, stationary=tile, moving=tile)
        nisa.tensor_tensor(dst=total, data1=total, data2=product, op=nl.add)
    return _out(total)


def other_dtype_of_the_result_a(h):
    return _out(nl.load(h))


def other_dtype_of_the_result_b(h):
    """EQUAL TESTED DIFFERENT: the same numbers, but the caller gets float32 in place of bfloat16."""
    return _out(_as(nl.load(h), nl.float32))


def scale_of_powers_a(x):
    return _out(_of(nl.multiply, nl.load(x), _as(_as(nl.load(x), nl.float8_e4m3), nl.float32)))


def scale_of_powers_b(x):
    """ROUNDINGS DIFFERENT: four bits of mantissa on the way."""
    return _out(_of(nl.multiply, nl.load(x), nl.load(x)))


def activation_that_rounds_a(x):
    result = _tile(nl.bfloat16)
    nisa.activation(dst=result, op=nl.exp, data=nl.load(x))
    return _out(_of(nl.multiply, result, result))


def activation_that_rounds_b(x):
    """ROUNDINGS DIFFERENT: the first kernel squares the exponential as it was stored."""
    result = _tile()
    nisa.activation(dst=result, op=nl.exp, data=nl.load(x))
    return _out(_of(nl.multiply, result, result))


def large_integers_a(j):
    return _out(nl.load(j))


def large_integers_b(j):
    """ROUNDINGS DIFFERENT: a float32 does not hold every integer of 32 bits."""
    return _out(_as(_as(nl.load(j), nl.float32), nl.int32))


def large_integers_left_a(j):
    tile = nl.load(j)
    wide = _as(tile, nl.float32)
    return _out(_of(nl.subtract, wide, tile))


def large_integers_left_b(j):
    """EQUAL TESTED: the Vector Engine reads integers as float32 as well, so nothing is left."""
    return _out(_filled(0.0))


def _numbered(dtype, columns):
    tile = _tile(dtype, (4, columns))
    nisa.iota(tile, [[1, columns]], offset=0, channel_multiplier=0)
    return tile


def numbers_that_fit_a(x):
    return _out(_numbered(nl.float32, 256))


def numbers_that_fit_b(x):
    """EQUAL TESTED: integers up to 256 are bfloat16."""
    return _out(_as(_numbered(nl.bfloat16, 256), nl.float32))


def numbers_that_do_not_fit_a(x):
    return _out(_numbered(nl.float32, 260))


def numbers_that_do_not_fit_b(x):
    """ROUNDINGS DIFFERENT: 257 is no bfloat16."""
    return _out(_as(_numbered(nl.bfloat16, 260), nl.float32))


def numbers_that_overflow_a(x):
    return _out(_numbered(nl.float32, 130))


def numbers_that_overflow_b(x):
    """DIFFERENT DIFFERENT: 128 is no integer of 8 bits."""
    return _out(_as(_numbered(nl.int8, 130), nl.float32))


def half_as_an_integer_a(x):
    return _out(_filled(0, nl.int32))


def half_as_an_integer_b(x):
    """UNKNOWN TESTED: no document says whether one half becomes 0 or 1."""
    return _out(_as(_filled(0.5), nl.int32))


def sum_before_storing_a(x):
    powers, total = _tile(nl.bfloat16), _tile(nl.float32, (4, 1))
    nisa.activation_reduce(dst=powers, op=nl.exp, data=nl.load(x), reduce_op=nl.add, reduce_res=total)
    return _out(total)


def sum_before_storing_b(x):
    """ROUNDINGS DIFFERENT: an activation adds up what it computes, not what it stores."""
    powers, total = _tile(nl.bfloat16), _tile(nl.float32, (4, 1))
    nisa.activation(dst=powers, op=nl.exp, data=nl.load(x))
    nisa.tensor_reduce(dst=total, data=powers, op=nl.add, axis=1)
    return _out(total)


def state_of_a_scan_a(x):
    sums = _tile(nl.bfloat16)
    nisa.tensor_tensor_scan(dst=sums, data0=_filled(1.0), data1=nl.load(x), initial=0.0, op0=nl.multiply, op1=nl.add)
    return _out(sums)


def state_of_a_scan_b(x):
    """ROUNDINGS TESTED: a scan keeps its state in float32, whatever it is stored as."""
    tile, sums = nl.load(x), _tile(nl.bfloat16)
    nisa.tensor_copy(dst=sums[:, 0:1], src=tile[:, 0:1])
    for at in range(1, 8):
        nisa.tensor_tensor(dst=sums[:, at : at + 1], data1=sums[:, at - 1 : at], data2=tile[:, at : at + 1], op=nl.add)
    return _out(sums)


def dma_that_converts_a(x):
    narrow = nl.ndarray((4, 8), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=narrow, src=x)
    return _out(nl.load(narrow))


def dma_that_converts_b(x):
    """EQUAL TESTED: a DMA rounds as a copy does."""
    return _out(_as(nl.load(x), nl.bfloat16))


def narrow_factors_a(x):
    tile = _as(nl.load(x), nl.bfloat16)
    product = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=product, stationary=tile, moving=tile)
    return _out(_as(product, nl.float32))


def narrow_factors_b(x):
    """ROUNDINGS DIFFERENT: the factors are not rounded."""
    tile = nl.load(x)
    product = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=product, stationary=tile, moving=tile)
    return _out(_as(product, nl.float32))


def choice_of_narrow_a(x, h):
    tile, mask = nl.load(h), _of(nl.greater, nl.load(x), _filled(0.0), nl.uint8)
    chosen = _tile(nl.bfloat16)
    nisa.memset(chosen, 0.0)
    nisa.tensor_copy_predicated(dst=chosen, src=tile, predicate=mask)
    return _out(_as(chosen, nl.float32))


def choice_of_narrow_b(x, h):
    """EQUAL TESTED: what is chosen among bfloat16 is one of them."""
    tile, mask = _as(nl.load(h), nl.float32), _of(nl.greater, nl.load(x), _filled(0.0), nl.uint8)
    chosen = _filled(0.0)
    nisa.tensor_copy_predicated(dst=chosen, src=tile, predicate=mask)
    return _out(chosen)


def greatest_then_rounded_a(x, y):
    return _out(_as(_of(nl.maximum, nl.load(x), nl.load(y)), nl.bfloat16))


def greatest_then_rounded_b(x, y):
    """ROUNDINGS TESTED: that rounding keeps the order of numbers is a property that the method does not know."""
    left, right = _as(nl.load(x), nl.bfloat16), _as(nl.load(y), nl.bfloat16)
    return _out(_of(nl.maximum, left, right, nl.bfloat16))
