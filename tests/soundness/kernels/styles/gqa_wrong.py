# expect: 1 FAILED
# args: ::gqa --arg 'q=bf16[G*KV,64,S:1..128]' --arg 'k=bf16[KV:1..2,64,512]' --grid KV
"""Heads of the groups are interleaved as if there were as many groups as heads, current API."""

import nki
import nki.isa as nisa
import nki.language as nl


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


@nki.jit
def gqa(q, k):
    H, d, S = q.shape
    KV = k.shape[0]
    out = nl.ndarray((H, S, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    g = H // KV
    pid = nl.program_id(0)
    kt = load(k[pid])
    for j in range(g):
        qt = load(q[pid * g + j])
        ps = nl.ndarray((S, 512), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=ps, stationary=qt, moving=kt)
        sb = nl.ndarray((S, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=sb, src=ps, engine=nisa.scalar_engine)
        nisa.dma_copy(dst=out[pid * KV + j], src=sb)
    return out
