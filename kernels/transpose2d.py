"""Transpose of the matrix stored in each row: (P, F1 * F2) seen as P matrices of F1 by F2."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def transpose2d(x, shape2d):
    """out[p, j * F1 + i] = x[p, i * F2 + j] for x of shape (P, F1 * F2) and shape2d = (F1, F2)."""
    F1, F2 = shape2d
    return _transpose2d(x, F1, F2, out_stride=F1)


@nki.jit
def transpose2d_buggy(x, shape2d):
    """Control: the rows of the transposed matrix are spaced as those of the original."""
    F1, F2 = shape2d
    return _transpose2d(x, F1, F2, out_stride=F2)


def _transpose2d(x, F1, F2, out_stride):
    """The transpose; `out_stride` is the distance of two rows of the transposed matrix."""
    P, F = x.shape
    assert F1 > 0 and F2 > 0, "both extents of the matrix must be positive"
    assert F == F1 * F2, "each row must hold one matrix"

    out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
    x_tile = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.sbuf)
    out_tile = nl.ndarray((P, F2 * F1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=x_tile, src=x)
    for i in range(F1):
        for j in range(F2):
            source = i * F2 + j
            destination = j * out_stride + i
            nisa.tensor_copy(
                dst=out_tile[:, destination : destination + 1],
                src=x_tile[:, source : source + 1],
            )
    nisa.dma_copy(dst=out, src=out_tile)
    return out
