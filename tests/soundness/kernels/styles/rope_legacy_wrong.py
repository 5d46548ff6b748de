# expect: 1 FAILED leg.oob_static:20
# args: ::rope --arg x=bf16[B,H,S,128] --arg cos=f32[S,64] --arg sin=f32[S,64] --grid B,H
"""Rotary embedding by halves, one head a program, masks at the end."""
from math import ceil
from neuronxcc import nki
import neuronxcc.nki.language as nl


@nki.jit
def rope(x, cos, sin):
    B, H, S, D = x.shape
    half = D // 2
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    b, h = nl.program_id(0), nl.program_id(1)
    ip = nl.arange(128)[:, None]
    lo = nl.arange(half)[None, :]
    hi = half + nl.arange(half)[None, :]
    for t in nl.affine_range(ceil(S / 128)):
        m = (t * 128 + ip < S)
        x1 = nl.load(x[b, h, t * 128 + ip, lo], mask=(t * 128 + ip <= S))
        x2 = nl.load(x[b, h, t * 128 + ip, hi], mask=m)
        c = nl.load(cos[t * 128 + ip, lo], mask=m)
        s = nl.load(sin[t * 128 + ip, lo], mask=m)
        y1 = nl.subtract(nl.multiply(x1, c, mask=m), nl.multiply(x2, s, mask=m), mask=m)
        y2 = nl.add(nl.multiply(x2, c, mask=m), nl.multiply(x1, s, mask=m), mask=m)
        nl.store(out[b, h, t * 128 + ip, lo], y1, mask=m)
        nl.store(out[b, h, t * 128 + ip, hi], y2, mask=m)
    return out
