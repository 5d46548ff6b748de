# expect: 1 FAILED idx.oob:21
# args: ::k --arg q=bf16[2,8,64,256] --arg k=bf16[2,2,64,256]
"""Scores of grouped heads: a key head for each group."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def k(q, k):
    B, H, D, S = q.shape
    KV = k.shape[1]
    assert H % KV == 0
    group = H // KV
    out = nl.ndarray((B, H, S, S), dtype=nl.float32, buffer=nl.shared_hbm)
    for b in range(B):
        for h in range(H):
            qt = nl.ndarray((D, S), dtype=q.dtype, buffer=nl.sbuf)
            kt = nl.ndarray((D, S), dtype=q.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=qt, src=q[b, h])
            nisa.dma_copy(dst=kt, src=k[b, h // group + 1])
            for i in range(S // 128):
                ps = nl.ndarray((128, S), dtype=nl.float32, buffer=nl.psum)
                nisa.nc_matmul(dst=ps, stationary=qt[:, i * 128 : (i + 1) * 128], moving=kt)
                sb = nl.ndarray((128, S), dtype=nl.float32, buffer=nl.sbuf)
                nisa.tensor_copy(dst=sb, src=ps)
                nisa.dma_copy(dst=out[b, h, i * 128 : (i + 1) * 128, :], src=sb)
    return out
