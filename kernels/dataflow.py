"""Small kernels for the dataflow phase: each fault beside the kernel that does not have it."""

import math

import nki
import nki.isa as nisa
import nki.language as nl

TILE = 128
COLUMNS = 512


@nki.jit
def doubled(x):
    """2 * x for x (R, C), C at most 2048: tiles of up to 128 rows, the last one as short as it has to be."""
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in range(math.ceil(R / TILE)):
        first = t * TILE
        last = first + min(TILE, R - first)
        tile = nl.ndarray((last - first, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[first:last, :])
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=out[first:last, :], src=tile)
    return out


@nki.jit
def doubled_missing_load(x):
    """Control: the last column of each tile is not loaded."""
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in range(math.ceil(R / TILE)):
        first = t * TILE
        last = first + min(TILE, R - first)
        tile = nl.ndarray((last - first, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[:, 0 : C - 1], src=x[first:last, 0 : C - 1])
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=out[first:last, :], src=tile)
    return out


@nki.jit
def doubled_skipped_tail(x):
    """Control: rows behind the last full tile are left out."""
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in range(R // TILE):
        rows = nl.ds(t * TILE, TILE)
        tile = nl.ndarray((TILE, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[rows, :])
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=out[rows, :], src=tile)
    return out


@nki.jit
def products(lhsT, rhs):
    """lhsT.T @ rhs for lhsT (K, 128) and rhs (K, N), K a multiple of 128 and N of 512, in one tile of PSUM."""
    K, M = lhsT.shape
    N = rhs.shape[1]
    out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((M, COLUMNS), dtype=nl.float32, buffer=nl.psum)
    for n in range(N // COLUMNS):
        for k in range(K // TILE):
            _add_product(total, lhsT, rhs, k, n, accumulate=k > 0)
        _store(out, total, n)
    return out


@nki.jit
def products_without_reset(lhsT, rhs):
    """Control: whether to accumulate is left to the compiler, so that the second tile is added to the first."""
    K, M = lhsT.shape
    N = rhs.shape[1]
    out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((M, COLUMNS), dtype=nl.float32, buffer=nl.psum)
    for n in range(N // COLUMNS):
        for k in range(K // TILE):
            _add_product(total, lhsT, rhs, k, n, accumulate=None)
        _store(out, total, n)
    return out


@nki.jit
def products_on_nothing(lhsT, rhs):
    """Control: the first product is added to what PSUM happens to hold."""
    K, M = lhsT.shape
    N = rhs.shape[1]
    out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    for n in range(N // COLUMNS):
        total = nl.ndarray((M, COLUMNS), dtype=nl.float32, buffer=nl.psum)
        for k in range(K // TILE):
            _add_product(total, lhsT, rhs, k, n, accumulate=True)
        _store(out, total, n)
    return out


def _add_product(total, lhsT, rhs, k, n, accumulate):
    rows = nl.ds(k * TILE, TILE)
    left = nl.ndarray((TILE, lhsT.shape[1]), dtype=lhsT.dtype, buffer=nl.sbuf)
    right = nl.ndarray((TILE, COLUMNS), dtype=rhs.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=left, src=lhsT[rows, :])
    nisa.dma_copy(dst=right, src=rhs[rows, nl.ds(n * COLUMNS, COLUMNS)])
    nisa.nc_matmul(dst=total, stationary=left, moving=right, accumulate=accumulate)


def _store(out, total, n):
    tile = nl.ndarray(total.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=total)
    nisa.dma_copy(dst=out[:, nl.ds(n * COLUMNS, COLUMNS)], src=tile)
