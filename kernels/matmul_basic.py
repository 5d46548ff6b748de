"""One product of fixed size on the Tensor Engine: (128, 64) transposed, times (128, 512)."""

import nki
import nki.isa as nisa
import nki.language as nl

SHARED, ROWS, COLUMNS = 128, 64, 512


@nki.jit
def matmul_basic(lhsT, rhs):
    """lhsT.T @ rhs for lhsT (128, 64) and rhs (128, 512)."""
    return _product(lhsT, rhs, partitions=ROWS)


@nki.jit
def matmul_basic_buggy(lhsT, rhs):
    """Control: the PSUM tile for the sums has one row too many."""
    return _product(lhsT, rhs, partitions=ROWS + 1)


@nki.jit
def matmul_basic_swapped(lhsT, rhs):
    """Control: the operands are exchanged."""
    return _product(rhs, lhsT, partitions=ROWS)


def _product(weights, data, partitions):
    """The product, summed up in a PSUM tile of so many partitions."""
    for operand, width in ((weights, ROWS), (data, COLUMNS)):
        assert operand.shape == (SHARED, width), f"an operand has to be ({SHARED}, {width})"

    sums = nl.ndarray((partitions, COLUMNS), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=_in_sbuf(weights), moving=_in_sbuf(data))

    rounded = nl.ndarray((ROWS, COLUMNS), dtype=weights.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=rounded, src=sums)
    out = nl.ndarray((ROWS, COLUMNS), dtype=weights.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=rounded)
    return out


def _in_sbuf(operand):
    """A copy of all of an operand in SBUF."""
    tile = nl.ndarray(operand.shape, dtype=operand.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=operand)
    return tile
