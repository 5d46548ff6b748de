"""Kernels of the kinds that equivalence checkers of GPU kernels are tried on: `NAME` is the plain one, `NAME_other` the
same in another way, and `NAME_wrong` that with one mistake."""

import nki.isa as nisa
import nki.language as nl


def _new(*shape, dtype=nl.float32, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=dtype, buffer=buffer)


def _in(tensor):
    tile = _new(*tensor.shape, dtype=tensor.dtype)
    nisa.dma_copy(tile, tensor)
    return tile


def _out(tile):
    result = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(result, tile)
    return result


def _scalar(tile, *operations):
    result = _new(*tile.shape)
    nisa.tensor_scalar(result, tile, *operations)
    return result


def _each(tile, other, op):
    result = _new(*tile.shape)
    nisa.tensor_tensor(result, tile, other, op)
    return result


def _exp(tile, bias=None, scale=1.0):
    result = _new(*tile.shape)
    nisa.activation(result, nl.exp, tile, bias, scale)
    return result


def _column(tile, op):
    result = _new(tile.shape[0], 1)
    nisa.tensor_reduce(result, op, tile, axis=1)
    return result


def _inverse(tile):
    result = _new(*tile.shape)
    nisa.reciprocal(result, tile)
    return result


def _negative(tile):
    return _scalar(tile, nl.multiply, -1.0)


def _product(stationary, moving):
    product, result = (
        _new(stationary.shape[1], moving.shape[1], buffer=nl.psum),
        _new(stationary.shape[1], moving.shape[1]),
    )
    nisa.nc_matmul(product, stationary, moving)
    nisa.tensor_copy(result, product)
    return result


def _turned(tile):
    product, result = _new(tile.shape[1], tile.shape[0], buffer=nl.psum), _new(tile.shape[1], tile.shape[0])
    nisa.nc_transpose(product, tile)
    nisa.tensor_copy(result, product)
    return result


# --- a sum of rows, whole and in blocks -------------------------------------------------------------------------------


def reduction(x: "f32[128,512]"):
    return _out(_column(_in(x), nl.add))


def reduction_other(x, last=512):
    tile, total = _in(x), _new(128, 1)
    nisa.memset(total, 0.0)
    for start in range(0, 512, 96):
        nisa.tensor_tensor(total, total, _column(tile[:, start : min(start + 96, last)], nl.add), nl.add)
    return _out(total)


def reduction_wrong(x):
    """The last column of the last block is missing."""
    return reduction_other(x, 511)


# --- a product of matrices, tile by tile ------------------------------------------------------------------------------


def matmul(a: "f32[256,256]", b: "f32[256,512]"):
    result = nl.ndarray((256, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for row in range(2):
        product, tile = _new(128, 512, buffer=nl.psum), _new(128, 512)
        for k in range(2):
            nisa.nc_matmul(product, _in(a[k * 128 : k * 128 + 128, row * 128 : row * 128 + 128]),
                           _in(b[k * 128 : k * 128 + 128, :]))  # fmt: skip
        nisa.tensor_copy(tile, product)
        nisa.dma_copy(result[row * 128 : row * 128 + 128, :], tile)
    return result


def matmul_other(a, b, rows=64):
    result = nl.ndarray((256, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    right = [_in(b[k * 64 : k * 64 + 64, :]) for k in range(4)]
    for row in range(4):
        total = _new(64, 512)
        nisa.memset(total, 0.0)
        for k in range(4):
            left = _in(a[k * 64 : k * 64 + 64, row * 64 : row * 64 + 64])
            used = rows if k == 3 else 64
            nisa.tensor_tensor(total, total, _product(left[0:used, :], right[k][0:used, :]), nl.add)
        nisa.dma_copy(result[row * 64 : row * 64 + 64, :], total)
    return result


def matmul_wrong(a, b):
    """The last row of the contraction is missing."""
    return matmul_other(a, b, 63)


# --- a convolution, by shifts and by a product ------------------------------------------------------------------------


def convolution(x: "f32[16,132]", w: "f32[16,5]"):
    """Each row with its own five weights."""
    tile, weights, total = _in(x), _in(w), _new(16, 128)
    nisa.memset(total, 0.0)
    for tap in range(5):
        shifted = _scalar(tile[:, tap : tap + 128], nl.multiply, weights[:, tap : tap + 1])
        nisa.tensor_tensor(total, total, shifted, nl.add)
    return _out(total)


def convolution_other(x, w, first=0):
    tile, weights, result = _in(x), _in(w), _new(16, 128)
    for start in range(0, 128, 64):
        part = _scalar(tile[:, start + 4 : start + 68], nl.multiply, weights[:, 4:5])
        for tap in (3, 2, 1, 0):
            at = start + tap if start or tap else first
            block = _scalar(tile[:, at : at + 64], nl.multiply, weights[:, tap : tap + 1])
            nisa.tensor_tensor(part, part, block, nl.add)
        nisa.tensor_copy(result[:, start : start + 64], part)
    return _out(result)


def convolution_wrong(x, w):
    """One tap of the first block is shifted by one."""
    return convolution_other(x, w, 1)


# --- softmax: with the maximum, and in one pass -----------------------------------------------------------------------


def softmax(x: "f32[128,256]"):
    tile = _in(x)
    powers = _exp(tile, _negative(_column(tile, nl.maximum)))
    return _out(_scalar(powers, nl.multiply, _inverse(_column(powers, nl.add))))


def softmax_other(x, rescaled=True):
    tile, greatest, total = _in(x), None, None
    for start in range(0, 256, 64):
        block = tile[:, start : start + 64]
        higher = _column(block, nl.maximum)
        if greatest is not None:
            nisa.tensor_tensor(higher, higher, greatest, nl.maximum)
            factor = _exp(_each(greatest, higher, nl.subtract))
            total = _each(total, factor, nl.multiply) if rescaled else total
        part = _column(_exp(block, _negative(higher)), nl.add)
        total, greatest = part if total is None else _each(total, part, nl.add), higher
    powers = _exp(tile, _negative(greatest))
    return _out(_scalar(powers, nl.multiply, _inverse(total)))


def softmax_wrong(x):
    """The sum is not rescaled where the maximum grows."""
    return softmax_other(x, False)


# --- log-sum-exp ------------------------------------------------------------------------------------------------------


def log_sum_exp(x: "f32[128,256]"):
    result = _new(128, 1)
    nisa.activation(result, nl.log, _column(_exp(_in(x)), nl.add))
    return _out(result)


def log_sum_exp_other(x, added=True):
    tile, result = _in(x), _new(128, 1)
    greatest = _column(tile, nl.maximum)
    nisa.activation(result, nl.log, _column(_exp(tile, _negative(greatest)), nl.add))
    return _out(_each(result, greatest, nl.add) if added else result)


def log_sum_exp_wrong(x):
    """The maximum is not added again."""
    return log_sum_exp_other(x, False)


# --- layer norm: by the variance, and by moments ----------------------------------------------------------------------


def layer_norm(x: "f32[128,256]"):
    tile, variance = _in(x), _new(128, 1)
    mean = _scalar(_column(tile, nl.add), nl.multiply, 1 / 256)
    centred = _scalar(tile, nl.subtract, mean)
    squares = _column(_each(centred, centred, nl.multiply), nl.add)
    nisa.activation(variance, nl.sqrt, _scalar(squares, nl.multiply, 1 / 256, False, nl.add, 1e-5))
    return _out(_scalar(centred, nl.multiply, _inverse(variance)))


def layer_norm_other(x, inside=True):
    tile, root = _in(x), _new(128, 1)
    mean = _scalar(_column(tile, nl.add), nl.multiply, 1 / 256)
    moment = _scalar(_column(_each(tile, tile, nl.multiply), nl.add), nl.multiply, 1 / 256)
    variance = _each(moment, _each(mean, mean, nl.multiply), nl.subtract)
    nisa.activation(root, nl.rsqrt, _scalar(variance, nl.add, 1e-5 if inside else 2e-5))
    return _out(_scalar(tile, nl.subtract, mean, False, nl.multiply, root))


def layer_norm_wrong(x):
    """Twice the constant under the root."""
    return layer_norm_other(x, False)


# --- attention: as it is written, block by block, and scaled after the maximum ----------------------------------------


def attention(q: "f32[64,128]", k: "f32[64,128]", v: "f32[128,64]"):
    scores = _scalar(_product(_in(q), _in(k)), nl.multiply, 0.125)
    powers = _exp(scores, _negative(_column(scores, nl.maximum)))
    weights = _scalar(powers, nl.multiply, _inverse(_column(powers, nl.add)))
    return _out(_product(_turned(weights), _in(v)))


def attention_other(q, k, v, rescaled=True):
    queries, keys, greatest, total, result = _in(q), _in(k), None, None, None
    for start in range(0, 128, 32):
        scores = _product(queries, keys[:, start : start + 32])
        higher = _column(scores, nl.maximum)
        if greatest is not None:
            nisa.tensor_tensor(higher, higher, greatest, nl.maximum)
            factor = _exp(_each(greatest, higher, nl.subtract), None, 0.125)
            total = _each(total, factor, nl.multiply)
            result = _scalar(result, nl.multiply, factor) if rescaled else result
        powers = _exp(scores, _scalar(higher, nl.multiply, -0.125), 0.125)
        part, part_total = _product(_turned(powers), _in(v[start : start + 32, :])), _column(powers, nl.add)
        result = part if result is None else _each(result, part, nl.add)
        total, greatest = part_total if total is None else _each(total, part_total, nl.add), higher
    return _out(_scalar(result, nl.multiply, _inverse(total)))


def attention_wrong(q, k, v):
    """What was accumulated is not rescaled where the maximum grows."""
    return attention_other(q, k, v, False)


# --- the greatest scaled score ----------------------------------------------------------------------------------------


def scaled_maximum(q: "f32[64,128]", k: "f32[64,128]"):
    return _out(_column(_scalar(_product(_in(q), _in(k)), nl.multiply, 0.125), nl.maximum))


def scaled_maximum_other(q, k, factor=0.125):
    return _out(_scalar(_column(_product(_in(q), _in(k)), nl.maximum), nl.multiply, factor))


def scaled_maximum_wrong(q, k):
    """Another factor."""
    return scaled_maximum_other(q, k, 0.126)
