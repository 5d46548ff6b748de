# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::hist --arg 'x=i32[128,N:1..4096] in 0..15' --arg bins=16
"""Hist as independent authors write it, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


@nki.jit
def hist(x, bins):
    out = nl.ndarray((1, bins), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.load(x)
    cnt = nl.ndarray((par_dim(128), bins), dtype=nl.float32)
    for b in range(bins):
        eq = nl.equal(t, b, dtype=nl.float32)
        cnt[:, b:b + 1] = nl.sum(eq, axis=1, keepdims=True)
    ones = nl.ones((128, 1), dtype=nl.float32)
    tot = nl.matmul(ones, cnt, transpose_x=True)
    nl.store(out, tot)
    return out
