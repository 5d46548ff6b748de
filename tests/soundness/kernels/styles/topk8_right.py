# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::topk8 --arg 'x=f32[128,N:8..4096]' --arg 'k=8*m' --where 'm <= 8'
"""Topk8 as independent authors write it, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def topk8(x, k):
    vals = nl.ndarray((128, k), dtype=x.dtype, buffer=nl.shared_hbm)
    inds = nl.ndarray((128, k), dtype=nl.uint32, buffer=nl.shared_hbm)
    t = nl.load(x)
    for r in range(k // 8):
        m = nisa.max8(src=t)
        ix = nisa.nc_find_index8(data=t, vals=m)
        nl.store(vals[:, r * 8:(r + 1) * 8], m)
        nl.store(inds[:, r * 8:(r + 1) * 8], ix)
        t[...] = nisa.nc_match_replace8(data=t, vals=m, imm=-3.0e38)
    return vals, inds
