"""One matmul of the tutorial: a single product of 64 by 128 by 512."""

import nki
import nki.isa as nisa
import nki.language as nl

K, M, N = 128, 64, 512


@nki.jit
def matmul_basic(lhsT, rhs):
    """lhsT.T @ rhs for lhsT (128, 64) and rhs (128, 512)."""
    return _matmul_basic(lhsT, rhs, product_rows=M)


@nki.jit
def matmul_basic_buggy(lhsT, rhs):
    """Control: the PSUM tile for the product has one row too many."""
    return _matmul_basic(lhsT, rhs, product_rows=M + 1)


@nki.jit
def matmul_basic_swapped(lhsT, rhs):
    """Control: the operands are exchanged."""
    return _matmul_basic(rhs, lhsT, product_rows=M)


def _matmul_basic(lhsT, rhs, product_rows):
    """The matmul; `product_rows` is the number of partitions of the PSUM tile."""
    assert lhsT.shape[0] == rhs.shape[0], "both operands must have the same contraction dimension"
    assert lhsT.shape == (K, M), f"lhsT must be ({K}, {M})"
    assert rhs.shape == (K, N), f"rhs must be ({K}, {N})"

    result = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    lhsT_tile = nl.ndarray((K, M), dtype=lhsT.dtype, buffer=nl.sbuf)
    rhs_tile = nl.ndarray((K, N), dtype=rhs.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=lhsT_tile, src=lhsT)
    nisa.dma_copy(dst=rhs_tile, src=rhs)

    product = nl.ndarray((product_rows, N), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=product, stationary=lhsT_tile, moving=rhs_tile)

    result_tile = nl.ndarray((M, N), dtype=result.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result_tile, src=product)
    nisa.dma_copy(dst=result, src=result_tile)
    return result
