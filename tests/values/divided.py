"""Kernels with a divisor for each of many elements: one of them is 0 modulo some prime in nearly every draw."""

import nki.language as nl


def _out(tile):
    result = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(result, tile)
    return result


def _pieces(x, count, function):
    columns = x.shape[1]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    width = columns // count
    for piece in range(count):
        part = slice(piece * width, (piece + 1) * width)
        nl.store(out[:, part], function(nl.load(x[:, part])))
    return out


def silu(x):
    return _pieces(x, 1, nl.silu)


def silu_in_halves(x):
    return _pieces(x, 2, nl.silu)


def silu_but_one(x):
    out = _pieces(x, 1, nl.silu)
    nl.store(out[17:18, 900:901], nl.load(x[17:18, 900:901]))
    return out


def inverse(x):
    return _pieces(x, 1, nl.reciprocal)


def inverse_of_twice(x):
    return _pieces(x, 2, lambda tile: nl.multiply(nl.reciprocal(nl.multiply(tile, 2.0)), 2.0))


def inverse_of_thrice(x):
    return _pieces(x, 2, lambda tile: nl.multiply(nl.reciprocal(nl.multiply(tile, 3.0)), 2.0))


def exponential_of_inverse(x):
    return _pieces(x, 1, lambda tile: nl.exp(nl.reciprocal(tile)))


def exponential_of_inverse_in_parts(x):
    return _pieces(x, 2, lambda tile: nl.exp(nl.divide(1.0, tile)))


def greatest_of_inverse(x):
    return _pieces(x, 1, lambda tile: nl.maximum(nl.reciprocal(tile), tile))


def greatest_of_inverse_turned(x):
    return _pieces(x, 2, lambda tile: nl.maximum(tile, nl.reciprocal(tile)))


def product_of_silu(x):
    tile = nl.silu(nl.load(x))
    return _out(nl.matmul(tile[:, 0:128], tile, transpose_x=True))


def product_of_silu_in_halves(x):
    tile = nl.silu(nl.load(x))
    half = tile.shape[1] // 2
    left, right = (nl.matmul(tile[:, 0:128], part, transpose_x=True) for part in (tile[:, 0:half], tile[:, half:]))
    out = nl.ndarray((128, 2 * half), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out[:, 0:half], nl.copy(left))
    nl.store(out[:, half:], nl.copy(right))
    return out


def divided_by_zero(x):
    tile = nl.load(x)
    return _out(nl.multiply(tile, nl.reciprocal(nl.subtract(tile, tile))))
