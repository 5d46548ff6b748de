"""One tile of a matmul; nothing checks that both operands have as many rows."""

# legal: K <= 128, M <= 128, N <= 512, K2 == K

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def small_mm(a, b):
    """a: [K, M], b: [K2, N]"""
    K, M = a.shape
    K2, N = b.shape
    a_sb = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    b_sb = nl.ndarray(b.shape, dtype=b.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=a_sb, src=a)
    nisa.dma_copy(dst=b_sb, src=b)
    # bug: out_ps = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.sbuf)
    out_ps = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=out_ps, stationary=a_sb, moving=b_sb)  # here
    out_sb = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=out_sb, src=out_ps)
    out = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=out_sb)
    return out
