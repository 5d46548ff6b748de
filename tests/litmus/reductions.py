"""Rewrites of reductions, products of matrices and recurrences."""

import nki.isa as nisa
import nki.language as nl


def _tile(shape, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=nl.float32, buffer=buffer)


def _out(tile):
    result = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(result, tile)
    return result


def _product(*pairs, accumulate=None):
    product = _tile((4, 8), nl.psum)
    for stationary, moving in pairs:
        nisa.nc_matmul(dst=product, stationary=stationary, moving=moving, accumulate=accumulate)
    return _out(nl.copy(product))


def split_a_reduction_a(x):
    return _out(nl.sum(nl.load(x), axis=1, keepdims=True))


def split_a_reduction_b(x):
    """EQUAL TESTED: the sum of two partial sums."""
    tile = nl.load(x)
    left, right = nl.sum(tile[:, 0:5], axis=1, keepdims=True), nl.sum(tile[:, 5:8], axis=1, keepdims=True)
    return _out(nl.add(left, right))


def split_a_reduction_with_a_gap_a(x):
    return _out(nl.sum(nl.load(x), axis=1, keepdims=True))


def split_a_reduction_with_a_gap_b(x):
    """DIFFERENT DIFFERENT: column 4 is in neither part."""
    tile = nl.load(x)
    left, right = nl.sum(tile[:, 0:4], axis=1, keepdims=True), nl.sum(tile[:, 5:8], axis=1, keepdims=True)
    return _out(nl.add(left, right))


def split_a_maximum_a(x):
    return _out(nl.max(nl.load(x), axis=1, keepdims=True))


def split_a_maximum_b(x):
    """EQUAL TESTED: the maximum of two partial maxima, one of which starts from the least float32."""
    tile = nl.load(x)
    running = nl.full((4, 1), -3.4028234e38, dtype=nl.float32)
    for start in (0, 4):
        running = nl.maximum(running, nl.max(tile[:, start : start + 4], axis=1, keepdims=True))
    return _out(running)


def split_a_maximum_with_a_gap_a(x):
    return _out(nl.max(nl.load(x), axis=1, keepdims=True))


def split_a_maximum_with_a_gap_b(x):
    """DIFFERENT DIFFERENT: one column is not looked at."""
    return _out(nl.max(nl.load(x)[:, 0:7], axis=1, keepdims=True))


def mean_by_a_sum_a(x):
    return _out(nl.mean(nl.load(x), axis=1, keepdims=True))


def mean_by_a_sum_b(x):
    """EQUAL TESTED: the mean of 8 elements is an eighth of their sum."""
    return _out(nl.multiply(nl.sum(nl.load(x), axis=1, keepdims=True), 0.125))


def matmul_in_halves_a(s, m):
    return _product((nl.load(s), nl.load(m)))


def matmul_in_halves_b(s, m):
    """EQUAL TESTED: the contraction is split, and PSUM accumulates."""
    halves = [(nl.load(s[start : start + 8, :]), nl.load(m[start : start + 8, :])) for start in (0, 8)]
    return _product(*halves)


def matmul_without_accumulation_a(s, m):
    return matmul_in_halves_b(s, m)


def matmul_without_accumulation_b(s, m):
    """DIFFERENT DIFFERENT: the second half overwrites the first."""
    halves = [(nl.load(s[start : start + 8, :]), nl.load(m[start : start + 8, :])) for start in (0, 8)]
    return _product(*halves, accumulate=False)


def matmul_distributed_a(s, m, n):
    return _product((nl.load(s), nl.add(nl.load(m), nl.load(n))))


def matmul_distributed_b(s, m, n):
    """EQUAL TESTED: a product of a sum is the sum of two products."""
    stationary = nl.load(s)
    return _product((stationary, nl.load(m)), (stationary, nl.load(n)))


def matmul_transposed_a(s, m):
    return _product((nl.load(s), nl.load(m)))


def matmul_transposed_b(s, m):
    """EQUAL TESTED: the operands exchanged, and the product transposed."""
    product = _tile((8, 4), nl.psum)
    nisa.nc_matmul(dst=product, stationary=nl.load(m), moving=nl.load(s))
    return _out(nl.copy(nl.transpose(nl.copy(product))))


def scan_in_tiles_a(x, y):
    states = _tile((4, 8))
    nisa.tensor_tensor_scan(states, nl.load(x), nl.load(y), 0.0, nl.multiply, nl.add)
    return _out(states)


def scan_in_tiles_b(x, y):
    """EQUAL TESTED: the second half goes on from the last state of the first."""
    first, second = nl.load(x), nl.load(y)
    states = _tile((4, 8))
    nisa.tensor_tensor_scan(states[:, 0:4], first[:, 0:4], second[:, 0:4], 0.0, nl.multiply, nl.add)
    nisa.tensor_tensor_scan(states[:, 4:8], first[:, 4:8], second[:, 4:8], states[:, 3:4], nl.multiply, nl.add)
    return _out(states)


def scan_without_its_state_a(x, y):
    return scan_in_tiles_a(x, y)


def scan_without_its_state_b(x, y):
    """DIFFERENT DIFFERENT: the second half starts from 0 again."""
    first, second = nl.load(x), nl.load(y)
    states = _tile((4, 8))
    for at in (0, 4):
        part = slice(at, at + 4)
        nisa.tensor_tensor_scan(states[:, part], first[:, part], second[:, part], 0.0, nl.multiply, nl.add)
    return _out(states)


def gather_in_two_steps_a(x, i):
    found = _tile((4, 8))
    index = nl.ndarray((4, 8), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=index, src=nl.load(i))
    nisa.nc_n_gather(dst=found, data=nl.load(x), indices=index)
    return _out(found)


def gather_in_two_steps_b(x, i):
    """EQUAL TESTED: indices are known integers, so gathers are followed exactly."""
    found = _tile((4, 8))
    index = nl.ndarray((4, 8), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=index, src=nl.load(i))
    for part in (slice(0, 4), slice(4, 8)):
        nisa.nc_n_gather(dst=found[:, part], data=nl.load(x), indices=index[:, part])
    return _out(found)


def scaled_maximum_a(x):
    tile = nl.load(x)
    scaled = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(scaled, tile, nl.multiply, 0.125)
    return _out(nl.max(scaled, axis=1, keepdims=True))


def scaled_maximum_b(x):
    """EQUAL TESTED: a positive factor goes before the maximum or after it."""
    greatest = nl.max(nl.load(x), axis=1, keepdims=True)
    nisa.tensor_scalar(greatest, greatest, nl.multiply, 0.125)
    return _out(greatest)


def negated_maximum_a(x):
    tile = nl.load(x)
    scaled = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(scaled, tile, nl.multiply, -2.0)
    return _out(nl.max(scaled, axis=1, keepdims=True))


def negated_maximum_b(x):
    """DIFFERENT DIFFERENT: a negative factor does not."""
    greatest = nl.max(nl.load(x), axis=1, keepdims=True)
    nisa.tensor_scalar(greatest, greatest, nl.multiply, -2.0)
    return _out(greatest)


def scaled_running_maximum_a(x):
    """Block by block, each scaled."""
    tile = nl.load(x)
    scaled = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(scaled, tile, nl.multiply, 0.5)
    running = nl.max(scaled[:, 0:4], axis=1, keepdims=True)
    nisa.tensor_tensor(running, running, nl.max(scaled[:, 4:8], axis=1, keepdims=True), nl.maximum)
    return _out(running)


def scaled_running_maximum_b(x):
    """EQUAL TESTED: all at once, and scaled afterwards, by two factors."""
    greatest = nl.max(nl.load(x), axis=1, keepdims=True)
    nisa.tensor_scalar(greatest, greatest, nl.multiply, 0.25, False, nl.multiply, 2.0)
    return _out(greatest)


def scaled_minimum_a(x):
    tile = nl.load(x)
    scaled = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(scaled, tile, nl.multiply, 3.0)
    return _out(nl.min(scaled, axis=1, keepdims=True))


def scaled_minimum_b(x):
    """EQUAL TESTED: as of the maximum."""
    least = nl.min(nl.load(x), axis=1, keepdims=True)
    nisa.tensor_scalar(least, least, nl.multiply, 3.0)
    return _out(least)


def other_factor_a(x):
    tile = nl.load(x)
    scaled = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(scaled, tile, nl.multiply, 3.0)
    return _out(nl.max(scaled, axis=1, keepdims=True))


def other_factor_b(x):
    """DIFFERENT DIFFERENT: another factor."""
    greatest = nl.max(nl.load(x), axis=1, keepdims=True)
    nisa.tensor_scalar(greatest, greatest, nl.multiply, 3.5)
    return _out(greatest)
