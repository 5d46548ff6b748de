# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::maxpool --arg 'x=f32[C:1..128,2*h,2*w]' --arg ps=2 --where 'h*w <= 4096'
"""Maxpool as independent authors write it, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.language as nl


@nki.jit
def maxpool(x, ps):
    c, h, w = x.shape
    out = nl.ndarray((c, h // ps, w // ps), dtype=x.dtype, buffer=nl.shared_hbm)
    i0 = nl.arange(c)[:, None, None, None, None]
    i1 = nl.arange(h // ps)[None, :, None, None, None]
    i2 = nl.arange(w // ps)[None, None, :, None, None]
    i3 = nl.arange(ps)[None, None, None, :, None]
    i4 = nl.arange(ps)[None, None, None, None, :]
    t = nl.load(x)
    o = nl.max(t[i0, i1 * ps + i3, i2 * ps + i4], axis=[3, 4])
    nl.store(out, o)
    return out
