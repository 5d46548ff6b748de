"""y = x w: the product of (M, K) and (K, N), in tiles of M rows, and its gradients."""

import nki.isa as nisa
import nki.language as nl

ROWS = 8


def _tile(shape, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=nl.float32, buffer=buffer)


def _transposed(tile):
    turned = _tile((tile.shape[1], tile.shape[0]), nl.psum)
    nisa.nc_transpose(dst=turned, data=tile)
    return nl.copy(turned)


def _product(stationary, moving):
    """stationary.T @ moving."""
    sums = _tile((stationary.shape[1], moving.shape[1]), nl.psum)
    nisa.nc_matmul(dst=sums, stationary=stationary, moving=moving)
    return nl.copy(sums)


def forward(x, w):
    y = nl.ndarray((x.shape[0], w.shape[1]), dtype=nl.float32, buffer=nl.shared_hbm)
    weights = nl.load(w)
    for start in range(0, x.shape[0], ROWS):
        tile = nl.load(x[start : start + ROWS, :])
        nl.store(y[start : start + ROWS, :], _product(_transposed(tile), weights))
    return y


def _backward(x, w, dy, accumulated=True, scale=1.0, turned=True):
    dx = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    dw = nl.ndarray(w.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    weights = _transposed(nl.load(w)) if turned else nl.load(w)
    total = nl.zeros(w.shape, dtype=nl.float32, buffer=nl.sbuf)
    for start in range(0, x.shape[0], ROWS):
        tile, above = nl.load(x[start : start + ROWS, :]), nl.load(dy[start : start + ROWS, :])
        nl.store(dx[start : start + ROWS, :], nl.multiply(_product(_transposed(above), weights), scale))
        part = _product(tile, above)
        total = nl.add(total, part) if accumulated else part
    nl.store(dw, total)
    return dx, dw


def backward(x, w, dy):
    """EQUAL EQUAL: dy w^T and x^T dy."""
    return _backward(x, w, dy)


def backward_overwritten(x, w, dy):
    """EQUAL DIFFERENT: the last tile of rows alone counts for dw. what dy[0:16, :] contributes to dw is missing"""
    return _backward(x, w, dy, accumulated=False)


def backward_scaled(x, w, dy):
    """DIFFERENT EQUAL: dx is twice what it has to be. dx is 2 times what it has to be throughout"""
    return _backward(x, w, dy, scale=2.0)


def backward_not_turned(x, w, dy):
    """DIFFERENT EQUAL: the weights, which are square, are not transposed. dx[0, 0] is"""
    return _backward(x, w, dy, turned=False)
