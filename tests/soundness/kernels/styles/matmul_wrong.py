# expect: 1 FAILED
# args: ::matmul --arg 'lhsT=bf16[K,M]' --arg 'rhs=bf16[K,N]'
"""The rows of the last tile are those of a whole one, current API."""

import nki
import nki.isa as nisa
import nki.language as nl


P = 128
PSUM_F = 512


def div_up(a, b):
    return -(-a // b)


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


@nki.jit
def matmul(lhsT, rhs):
    K, M = lhsT.shape
    K2, N = rhs.shape
    assert K == K2, f"contraction mismatch {K} {K2}"
    out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    for m in range(div_up(M, P)):
        ms = min(P, M - m * P)
        for n in range(div_up(N, PSUM_F)):
            ns = min(PSUM_F, N - n * PSUM_F)
            ps = nl.ndarray((ms, ns), dtype=nl.float32, buffer=nl.psum)
            for k in range(div_up(K, P)):
                ks = min(P, K - k * P)
                a = load(lhsT[k * P : k * P + P, m * P : m * P + ms])
                b = load(rhs[k * P : k * P + ks, n * PSUM_F : n * PSUM_F + ns])
                nisa.nc_matmul(dst=ps, stationary=a, moving=b)
            sb = nl.ndarray((ms, ns), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=sb, src=ps)
            nisa.dma_copy(dst=out[m * P : m * P + ms, n * PSUM_F : n * PSUM_F + ns], src=sb)
    return out
