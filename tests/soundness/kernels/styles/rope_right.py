# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::rope --arg 'q=bf16[128,512*s]' --arg 'cos=f32[64,512*s]' --arg 'sin=f32[64,512*s]'
"""Rope as independent authors write it, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.language as nl


@nki.jit
def rope(q, cos, sin):
    d, s = q.shape
    h = d // 2
    out = nl.ndarray((d, s), dtype=q.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range(s // 512):
        sl = nl.ds(t * 512, 512)
        q1 = nl.load(q[0:h, sl])
        q2 = nl.load(q[h:d, sl])
        c, sn = nl.load(cos[:, sl]), nl.load(sin[:, sl])
        lo = nl.subtract(nl.multiply(q1, c), nl.multiply(q2, sn))
        hi = nl.add(nl.multiply(q2, c), nl.multiply(q1, sn))
        nl.store(out[0:h, sl], lo)
        nl.store(out[h:d, sl], hi)
    return out
