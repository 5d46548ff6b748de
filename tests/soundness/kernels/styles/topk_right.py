# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::topk --arg 'x=f32[R:1..128,N:8..4096]' --arg 'k=8*m' --where 'm <= 8'
"""Topk as independent authors write it, current API."""

import nki
import nki.isa as nisa
import nki.language as nl


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


@nki.jit
def topk(x, k):
    R, N = x.shape
    vals = nl.ndarray((R, k), dtype=x.dtype, buffer=nl.shared_hbm)
    idxs = nl.ndarray((R, k), dtype=nl.uint32, buffer=nl.shared_hbm)
    t = load(x)
    vs = nl.ndarray((R, k), dtype=x.dtype, buffer=nl.sbuf)
    ix = nl.ndarray((R, k), dtype=nl.uint32, buffer=nl.sbuf)
    for i in range(0, k, 8):
        nisa.max8(dst=vs[:, i : i + 8], src=t)
        nisa.nc_find_index8(dst=ix[:, i : i + 8], data=t, vals=vs[:, i : i + 8])
        nisa.nc_match_replace8(dst=t, data=t, vals=vs[:, i : i + 8], imm=-1e30)
    nisa.dma_copy(dst=vals, src=vs)
    nisa.dma_copy(dst=idxs, src=ix)
    return vals, idxs
