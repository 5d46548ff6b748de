"""Causal attention of one head, in tiles of 8 queries; the backward kernel is given the result and its log-sum-exp."""

import nki.isa as nisa
import nki.language as nl

ROWS = 8


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


def _turned(tile):
    turned = nl.ndarray((tile.shape[1], tile.shape[0]), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=tile)
    return nl.copy(turned)


def _masked(scores, start, value):
    """Scores of queries from `start` on, with what is behind them left out."""
    found = nl.ndarray(scores.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(
        dst=found,
        pattern=[[-1, scores.shape[1]]],
        channel_multiplier=1,
        offset=start,
        on_true_tile=scores,
        on_false_value=value,
        cmp_op=nl.greater_equal,
    )
    return found


def forward(q, k, v):
    o, lse = _hbm(q.shape), _hbm((q.shape[0], 1))
    scale = q.shape[1] ** -0.5
    keys, values = _turned(nl.load(k)), nl.load(v)
    for start in range(0, q.shape[0], ROWS):
        rows = slice(start, start + ROWS)
        scores = _masked(nl.multiply(_product(_turned(nl.load(q[rows, :])), keys), scale), start, -1e30)
        greatest = nl.max(scores, axis=1, keepdims=True)
        powers = nl.exp(_by_rows(scores, greatest, nl.subtract))
        total = nl.sum(powers, axis=1, keepdims=True)
        weights = _by_rows(powers, nl.reciprocal(total), nl.multiply)
        nl.store(o[rows, :], _product(_turned(weights), values))
        nl.store(lse[rows, :], nl.add(greatest, nl.log(total)))
    return o, lse


def _backward(q, k, v, o, lse, do, scaled=True, causal=True, centred=True, accumulated=True):
    dq, dk, dv = _hbm(q.shape), _hbm(k.shape), _hbm(v.shape)
    scale = q.shape[1] ** -0.5
    keys, values = nl.load(k), nl.load(v)
    turned_keys, turned_values = _turned(keys), _turned(values)
    of_keys = nl.zeros(k.shape, dtype=nl.float32, buffer=nl.sbuf)
    of_values = nl.zeros(v.shape, dtype=nl.float32, buffer=nl.sbuf)
    for start in range(0, q.shape[0], ROWS):
        rows = slice(start, start + ROWS)
        queries, above = nl.load(q[rows, :]), nl.load(do[rows, :])
        scores = nl.multiply(_product(_turned(queries), turned_keys), scale)
        weights = nl.exp(_by_rows(scores, nl.load(lse[rows, :]), nl.subtract))
        weights = _masked(weights, start, 0.0) if causal else weights
        part = _product(weights, above)
        of_values = nl.add(of_values, part)
        inner = _product(_turned(above), turned_values)
        if centred:
            delta = nl.sum(nl.multiply(above, nl.load(o[rows, :])), axis=1, keepdims=True)
            inner = _by_rows(inner, delta, nl.subtract)
        of_scores = nl.multiply(nl.multiply(weights, inner), scale)
        found = _product(_turned(of_scores), keys)
        nl.store(dq[rows, :], found if scaled else nl.multiply(found, 1.0 / scale))
        part = _product(of_scores, queries)
        of_keys = nl.add(of_keys, part) if accumulated else part
    nl.store(dk, of_keys)
    nl.store(dv, of_values)
    return dq, dk, dv


def backward(q, k, v, o, lse, do):
    """EQUAL EQUAL EQUAL: the weights are computed again from the log-sum-exp."""
    return _backward(q, k, v, o, lse, do)


def backward_not_scaled(q, k, v, o, lse, do):
    """DIFFERENT EQUAL EQUAL: dq without the scale. dq is 2 times what it has to be throughout"""
    return _backward(q, k, v, o, lse, do, scaled=False)


def backward_not_causal(q, k, v, o, lse, do):
    """DIFFERENT DIFFERENT DIFFERENT: the weights are not masked again. dq[0, 0] is"""
    return _backward(q, k, v, o, lse, do, causal=False)


def backward_overwritten(q, k, v, o, lse, do):
    """EQUAL DIFFERENT EQUAL: dk is that of the last tile of queries. what do[0:8, :] contributes to dk is missing"""
    return _backward(q, k, v, o, lse, do, accumulated=False)


def backward_without_delta(q, k, v, o, lse, do):
    """DIFFERENT DIFFERENT EQUAL: what softmax subtracts is missing. dq[0, 0] is"""
    return _backward(q, k, v, o, lse, do, centred=False)
