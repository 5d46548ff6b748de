# expect: 1 FAILED
# args: ::bitonic --arg 'x=f32[P:1..128,64]'
"""The partner is half a stride away, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


@nki.jit
def bitonic(x):
    p, n = x.shape
    out = nl.ndarray((p, n), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x)
    size = 2
    while size <= n:
        stride = size // 2
        while stride > 0:
            nxt = nl.ndarray((par_dim(p), n), dtype=x.dtype)
            for base in range(0, n, 2 * stride):
                up = (base // size) % 2 == 0
                a = t[:, base:base + stride]
                b = t[:, base + stride + 1:base + 2 * stride + 1]
                lo, hi = nl.minimum(a, b), nl.maximum(a, b)
                nxt[:, base:base + stride] = lo if up else hi
                nxt[:, base + stride:base + 2 * stride] = hi if up else lo
            t = nxt
            stride //= 2
        size *= 2
    nl.store(out, t)
    return out
