"""Scores of heads that share the keys of their group."""

# legal: S % 128 == 0, D <= 128, B == k0, H % G == 0, S == k2, D == k3

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def gqa_scores(q, k):
    """q: [B, H, S, D], k: [B, G, S, D] -> scores [B, H, S, S] (no softmax)"""
    B, H, S, D = q.shape
    _, G, _, _ = k.shape
    rep = H // G
    assert D <= 128
    assert S % 128 == 0
    out = nl.ndarray((B, H, S, S), dtype=nl.float32, buffer=nl.shared_hbm)
    for b in range(B):
        for g in range(G):
            kT = nl.ndarray((D, S), dtype=k.dtype, buffer=nl.sbuf)
            for s in range(S // 128):
                nisa.dma_transpose(dst=kT[:, s * 128 : (s + 1) * 128], src=k[b, g, s * 128 : (s + 1) * 128, :])
            for r in range(rep):
                # bug: h = r * G + g + 1
                h = g * rep + r
                for s in range(S // 128):
                    qT = nl.ndarray((D, 128), dtype=q.dtype, buffer=nl.sbuf)
                    nisa.dma_transpose(dst=qT, src=q[b, h, s * 128 : (s + 1) * 128, :])  # here
                    for c in range(S // 128):
                        ps = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
                        nisa.nc_matmul(dst=ps, stationary=qT, moving=kT[:, c * 128 : (c + 1) * 128])
                        sb = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
                        nisa.tensor_copy(dst=sb, src=ps)
                        nisa.dma_copy(dst=out[b, h, s * 128 : (s + 1) * 128, c * 128 : (c + 1) * 128], src=sb)
    return out
