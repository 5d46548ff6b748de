"""Small kernels of the legacy API for the dataflow phase: iterations and programs without an order."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

TILE = 128


@nki.jit
def copied(x):
    """x for x (R, C), R a multiple of 128: each iteration stores rows of its own."""
    return _copied(x, TILE)


@nki.jit
def copied_overlapping(x):
    """Control: each iteration stores the first row of the next one as well."""
    return _copied(x, TILE - 1)


def _copied(x, step):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.mgrid[0:TILE, 0:C]
    for t in nl.affine_range(R // TILE):
        first = t * step
        nl.store(out[first + i_p, i_f], value=nl.load(x[first + i_p, i_f]))
    i_p, i_f = nl.mgrid[0:TILE, 0:C]
    if step != TILE:
        nl.store(out[R - TILE + i_p, i_f], value=nl.load(x[R - TILE + i_p, i_f]))
    return out


@nki.jit
def summed(x):
    """The sum over tiles of rows for x (R, C), R a multiple of 128: sums in place need no order."""
    R, C = x.shape
    out = nl.ndarray((TILE, C), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((TILE, C), dtype=nl.float32, buffer=nl.sbuf)
    i_p, i_f = nl.mgrid[0:TILE, 0:C]
    for t in nl.affine_range(R // TILE):
        total[i_p, i_f] += nl.load(x[t * TILE + i_p, i_f])
    nl.store(out[i_p, i_f], value=total)
    return out


@nki.jit
def chained(x):
    """Control: each iteration needs what the one before it has left."""
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    previous = nl.zeros((TILE, C), dtype=nl.float32, buffer=nl.sbuf)
    i_p, i_f = nl.mgrid[0:TILE, 0:C]
    for t in nl.affine_range(R // TILE):
        nl.store(out[t * TILE + i_p, i_f], value=previous)
        previous[i_p, i_f] = nl.load(x[t * TILE + i_p, i_f])
    return out


@nki.jit
def products_added(x, y):
    """x.T @ y for x (K, 128) and y (K, 512), K a multiple of 128: products are added to zeros."""
    return _products(x, y, nl.zeros((TILE, y.shape[1]), dtype=nl.float32, buffer=nl.psum))


@nki.jit
def products_added_to_nothing(x, y):
    """Control, as attention v8a to v11 of nki-samples and its pipelined attention: they are added to a new tensor."""
    return _products(x, y, nl.ndarray((TILE, y.shape[1]), dtype=nl.float32, buffer=nl.psum))


def _products(x, y, total):
    out = nl.ndarray(total.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    for t in nl.affine_range(x.shape[0] // TILE):
        rows = nl.ds(t * TILE, TILE)
        total[...] += nisa.nc_matmul(nl.load(x[rows, :]), nl.load(y[rows, :]))
    nl.store(out, value=nl.copy(total))
    return out


@nki.jit
def halves(x):
    """x for x (256, C), on a grid of two programs of 128 rows each."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.mgrid[0:TILE, 0 : x.shape[1]]
    first = nl.program_id(0) * TILE
    nl.store(out[first + i_p, i_f], value=nl.load(x[first + i_p, i_f]))
    return out


@nki.jit
def halves_overlapping(x):
    """Control: the programs share 64 rows."""
    out = nl.ndarray((TILE + 64, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.mgrid[0:TILE, 0 : x.shape[1]]
    first = nl.program_id(0) * 64
    nl.store(out[first + i_p, i_f], value=nl.load(x[first + i_p, i_f]))
    return out
