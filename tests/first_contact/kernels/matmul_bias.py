"""A matmul with ragged tiles and a row of terms for each column."""

# legal: K == K2, N == bias0*bias_N

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def gemm_bias(a_t, b, bias):
    """a_t [K, M] (transposed), b [K, N], bias [1, N]"""
    K, M = a_t.shape
    K2, N = b.shape
    assert K == K2, "contraction dims differ"
    TM, TK, TN = nl.tile_size.gemm_stationary_fmax, nl.tile_size.pmax, nl.tile_size.gemm_moving_fmax
    c = nl.ndarray((M, N), dtype=a_t.dtype, buffer=nl.shared_hbm)
    for m in range((M + TM - 1) // TM):
        mm = min(TM, M - m * TM)
        for n in range((N + TN - 1) // TN):
            nn = min(TN, N - n * TN)
            acc = nl.ndarray((TM, TN), dtype=nl.float32, buffer=nl.psum)
            for k in range((K + TK - 1) // TK):
                kk = min(TK, K - k * TK)
                lhs = nl.ndarray((TK, TM), dtype=a_t.dtype, buffer=nl.sbuf)
                rhs = nl.ndarray((TK, TN), dtype=b.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=lhs[:kk, :mm], src=a_t[k * TK : k * TK + kk, m * TM : m * TM + mm])
                nisa.dma_copy(dst=rhs[:kk, :nn], src=b[k * TK : k * TK + kk, n * TN : n * TN + nn])
                # bug: nisa.nc_matmul(dst=acc[:mm, :nn], stationary=lhs[:, :mm], moving=rhs[:, :nn])
                nisa.nc_matmul(dst=acc[:mm, :nn], stationary=lhs[:kk, :mm], moving=rhs[:kk, :nn])
            bt = nl.ndarray((TM, TN), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=bt[:mm, :nn], src=bias.ap(pattern=[[0, mm], [1, nn]], offset=n * TN))
            o = nl.ndarray((TM, TN), dtype=a_t.dtype, buffer=nl.sbuf)
            nisa.tensor_tensor(dst=o[:mm, :nn], data1=acc[:mm, :nn], data2=bt[:mm, :nn], op=nl.add)
            nisa.dma_copy(dst=c[m * TM : m * TM + mm, n * TN : n * TN + nn], src=o[:mm, :nn])
    return c
