"""Layer norm and RMS norm of rows, in tiles of 8 rows, with gradients of the weights that are summed over the rows."""

import nki.isa as nisa
import nki.language as nl

ROWS = 8
EPSILON = 1e-5


def _hbm(shape):
    return nl.ndarray(shape, dtype=nl.float32, buffer=nl.shared_hbm)


def _by_rows(tile, column, op):
    found = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=found, data=tile, op0=op, operand0=column)
    return found


def _product(stationary, moving):
    sums = nl.ndarray((stationary.shape[1], moving.shape[1]), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=stationary, moving=moving)
    return nl.copy(sums)


def _on_all_rows(vector):
    """A row (1, D) for each row of a tile."""
    return _product(nl.full((1, ROWS), 1.0, dtype=nl.float32, buffer=nl.sbuf), vector)


def _sum_of_rows(tile):
    return _product(nl.full((ROWS, 1), 1.0, dtype=nl.float32, buffer=nl.sbuf), tile)


def _mean(tile):
    return nl.multiply(nl.sum(tile, axis=1, keepdims=True), 1.0 / tile.shape[1])


def _reciprocal_root(column):
    return nl.rsqrt(nl.add(column, EPSILON))


def layer_norm(x, gamma, beta):
    y, mean, rstd = _hbm(x.shape), _hbm((x.shape[0], 1)), _hbm((x.shape[0], 1))
    weight, shift = _on_all_rows(nl.load(gamma)), _on_all_rows(nl.load(beta))
    for start in range(0, x.shape[0], ROWS):
        tile = nl.load(x[start : start + ROWS, :])
        middle = _mean(tile)
        away = _by_rows(tile, middle, nl.subtract)
        scale = _reciprocal_root(_mean(nl.multiply(away, away)))
        nl.store(y[start : start + ROWS, :], nl.add(nl.multiply(_by_rows(away, scale, nl.multiply), weight), shift))
        nl.store(mean[start : start + ROWS, :], middle)
        nl.store(rstd[start : start + ROWS, :], scale)
    return y, mean, rstd


def _layer_norm_backward(x, gamma, mean, rstd, dy, centred=True, accumulated=True, scaled=True):
    dx, dgamma, dbeta = _hbm(x.shape), _hbm(gamma.shape), _hbm(gamma.shape)
    weight = _on_all_rows(nl.load(gamma))
    weights = nl.zeros(gamma.shape, dtype=nl.float32, buffer=nl.sbuf)
    shifts = nl.zeros(gamma.shape, dtype=nl.float32, buffer=nl.sbuf)
    for start in range(0, x.shape[0], ROWS):
        rows = slice(start, start + ROWS)
        scale, above = nl.load(rstd[rows, :]), nl.load(dy[rows, :])
        away = _by_rows(nl.load(x[rows, :]), nl.load(mean[rows, :]), nl.subtract)
        normal = _by_rows(away, scale, nl.multiply)
        inner = nl.multiply(above, weight)
        part = nl.subtract(inner, _by_rows(normal, _mean(nl.multiply(inner, normal)), nl.multiply))
        if centred:
            part = _by_rows(part, _mean(inner), nl.subtract)
        nl.store(dx[rows, :], _by_rows(part, scale, nl.multiply) if scaled else part)
        row = _sum_of_rows(nl.multiply(above, normal))
        weights = nl.add(weights, row) if accumulated else row
        shifts = nl.add(shifts, _sum_of_rows(above))
    nl.store(dgamma, weights)
    nl.store(dbeta, shifts)
    return dx, dgamma, dbeta


def layer_norm_backward(x, gamma, mean, rstd, dy):
    """EQUAL EQUAL EQUAL: as in the literature, with the mean and the reciprocal root that the forward kernel leaves."""
    return _layer_norm_backward(x, gamma, mean, rstd, dy)


def layer_norm_backward_not_centred(x, gamma, mean, rstd, dy):
    """DIFFERENT EQUAL EQUAL: the mean of the gradient is not subtracted. dx[0, 0] is"""
    return _layer_norm_backward(x, gamma, mean, rstd, dy, centred=False)


def layer_norm_backward_overwritten(x, gamma, mean, rstd, dy):
    """EQUAL DIFFERENT EQUAL: dgamma is that of the last tile. what dy[0:8, :] contributes to dgamma is missing"""
    return _layer_norm_backward(x, gamma, mean, rstd, dy, accumulated=False)


def layer_norm_backward_not_scaled(x, gamma, mean, rstd, dy):
    """DIFFERENT EQUAL EQUAL: dx is not multiplied by the reciprocal root. dx[0, 0] is"""
    return _layer_norm_backward(x, gamma, mean, rstd, dy, scaled=False)


def rms_norm(x, weight):
    y = _hbm(x.shape)
    factors = _on_all_rows(nl.load(weight))
    for start in range(0, x.shape[0], ROWS):
        tile = nl.load(x[start : start + ROWS, :])
        scale = _reciprocal_root(_mean(nl.multiply(tile, tile)))
        nl.store(y[start : start + ROWS, :], nl.multiply(_by_rows(tile, scale, nl.multiply), factors))
    return y


def _rms_norm_backward(x, weight, dy, mean=True, weighted=True, normal_rows=True):
    dx, dweight = _hbm(x.shape), _hbm(weight.shape)
    factors = _on_all_rows(nl.load(weight))
    total = nl.zeros(weight.shape, dtype=nl.float32, buffer=nl.sbuf)
    for start in range(0, x.shape[0], ROWS):
        rows = slice(start, start + ROWS)
        tile, above = nl.load(x[rows, :]), nl.load(dy[rows, :])
        scale = _reciprocal_root(_mean(nl.multiply(tile, tile)))
        normal = _by_rows(tile, scale, nl.multiply)
        inner = nl.multiply(above, factors) if weighted else above
        product = nl.multiply(inner, normal)
        along = _mean(product) if mean else nl.sum(product, axis=1, keepdims=True)
        nl.store(dx[rows, :], _by_rows(nl.subtract(inner, _by_rows(normal, along, nl.multiply)), scale, nl.multiply))
        total = nl.add(total, _sum_of_rows(nl.multiply(above, normal if normal_rows else tile)))
    nl.store(dweight, total)
    return dx, dweight


def rms_norm_backward(x, weight, dy):
    """EQUAL EQUAL: the reciprocal root is computed again."""
    return _rms_norm_backward(x, weight, dy)


def rms_norm_backward_sum(x, weight, dy):
    """DIFFERENT EQUAL: a sum where the mean has to be. dx[0, 0] is"""
    return _rms_norm_backward(x, weight, dy, mean=False)


def rms_norm_backward_not_weighted(x, weight, dy):
    """DIFFERENT EQUAL: dy without the weights. dx[0, 0] is"""
    return _rms_norm_backward(x, weight, dy, weighted=False)


def rms_norm_backward_not_normal(x, weight, dy):
    """EQUAL DIFFERENT: x in place of the normalised x. dweight[0, 0] is"""
    return _rms_norm_backward(x, weight, dy, normal_rows=False)
