"""One tile of a matmul by nl.matmul, whose left operand comes transposed."""

# legal: K == 128, M <= 128, N <= 512, K2 == 128

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def matmul_single(lhsT, rhs):
    """lhsT: [K, M], rhs: [K, N]; one tile of each."""
    K, M = lhsT.shape
    K2, N = rhs.shape
    assert K == K2 == nl.tile_size.pmax
    result = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    i_lhsT_p, i_lhsT_f = nl.mgrid[0:K, 0:M]
    i_rhs_p, i_rhs_f = nl.mgrid[0:K, 0:N]
    i_out_p, i_out_f = nl.mgrid[0:M, 0:N]
    lhs_tile = nl.load(lhsT[i_lhsT_p, i_lhsT_f])
    rhs_tile = nl.load(rhs[i_rhs_p, i_rhs_f])
    # bug: res_psum = nl.matmul(lhs_tile, rhs_tile)
    res_psum = nl.matmul(lhs_tile, rhs_tile, transpose_x=True)
    res_sbuf = nl.copy(res_psum, dtype=result.dtype)
    nl.store(result[i_out_p, i_out_f], value=res_sbuf)
    return result
